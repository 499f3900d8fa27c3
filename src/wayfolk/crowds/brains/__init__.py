"""Brains: how to write one (`Brain` and `State`), ask many at once, find them by name, and draw them."""

from wayfolk.crowds.brains.brain import Brain, State

__all__ = ["Brain", "State"]

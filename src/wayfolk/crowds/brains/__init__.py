"""Brains of this package, one file each, and what is needed to write another: `Brain` and `State`."""

from wayfolk.crowds.minds.brain import Brain, State

__all__ = ["Brain", "State"]

"""Compiled array code used by more than one algorithm."""

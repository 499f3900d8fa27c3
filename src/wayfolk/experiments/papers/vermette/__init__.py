"""Vermette, Salient Search."""

"""Crowds: bodies in continuous space, the brains that decide for them, and what is measured of their trajectories."""

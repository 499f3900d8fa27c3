"""Arun, pathfinding in multi-agent systems."""

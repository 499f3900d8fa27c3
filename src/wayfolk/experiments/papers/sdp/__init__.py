"""Spatially distributed planning."""

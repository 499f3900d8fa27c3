"""Jansen, direction maps."""

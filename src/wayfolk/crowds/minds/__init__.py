"""Brains: how they are written, asked in batches, found by name, and drawn."""

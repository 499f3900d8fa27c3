"""Sweeps: what to run, where it runs, and the store of its rows."""

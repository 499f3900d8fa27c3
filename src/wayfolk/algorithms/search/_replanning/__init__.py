"""Searches that are repaired when the world changes: LPA*, D* Lite, Anytime D*, D* and Focussed D*."""

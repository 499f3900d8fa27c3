"""BMAA* and FAR: the slides on moving characters."""

"""Jump points: which moves are pruned, where jumps stop, and cheapest paths by them in a part of a map.

`pruning` is for maps on which walls alone forbid moves, as JPS and JPS+ search them. `stops` and `paths` are for any legal
moves, as planners and controllers need them that close cells and search from one cell to the nearest of several goals.
"""

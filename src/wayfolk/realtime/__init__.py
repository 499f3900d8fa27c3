"""One agent that must move now: each file holds one algorithm, a walker with bounded work for each move.

`begin(world, start, goal, *, options)` returns a `Walker`; `advance(moves)` lets it think and move so many times.
"""

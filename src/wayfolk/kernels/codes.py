"""Numbers that Python and compiled code share: no agent and no cell, directions, outcomes, and the kinds of log rows.

This module imports no compiler, so that maps and files can be read without one.
"""

import numpy as np

NOBODY = NOWHERE = np.int32(2**31 - 1)
"""No agent, and no cell. Never -1, which would be the last element of an array."""

SQRT2 = float(np.sqrt(2.0))

# The eight directions: bit k of a cell's byte stands for a step by (DX[k], DY[k]). Straight ones first.
EAST, SOUTH, WEST, NORTH, SOUTH_EAST, SOUTH_WEST, NORTH_WEST, NORTH_EAST = range(8)
DX = (1, 0, -1, 0, 1, -1, -1, 1)
DY = (0, 1, 0, -1, 1, 1, -1, -1)
OPEN_EAST, OPEN_SOUTH = 1, 2  # bits of `links`

# What a search returns: the budget is used up; there is an answer; there is none; an array must grow before it goes on.
# A search with more outcomes numbers them from FULL + 1 on.
RUNNING, FOUND, EXHAUSTED, FULL = range(4)

# What a row of a simulation's log tells; see `wayfolk.problem.record.Record`.
MOVE, REFUSED, GOAL, ARRIVE, JOIN, LEAVE, RELEASE, BLOCK, FREE, THOUGHT = range(10)

# What else an event can do; the log tells of it by the rows above.
HOLD, RESUME, PUT = range(10, 13)

# Rows and events of lanes, that is of edges of a graph.
CLOSE, OPEN = range(13, 15)

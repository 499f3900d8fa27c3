"""BMAA*+: BMAA* that begins with distances between regions, and whose agents give way to those longer under way.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", CIG 2018. The two
additions are our own. It is what we suggest first for games: bounded work in every step, on large maps, with orders, doors
and agents that change.

Guarantees  those of `bmaa` with `initial="sectors"` and `yielding`.
Invariants  those of `bmaa`.
Cost        that of `bmaa`, and one heuristic over regions of 16 x 16 cells for each agent, for 64 agents in a step.
Deviations  those of `bmaa`: neither the heuristic over regions nor giving way is in the paper.
"""

PRESET_OF = "bmaa"
SETS = {"initial": "sectors", "yielding": True}

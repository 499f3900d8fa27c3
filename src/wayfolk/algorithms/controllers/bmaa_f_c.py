"""BMAA*-f-c: BMAA* on a one-way map in which agents resting on their goals are pushed out of the way.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", CIG 2018;
Bakos, slides of the same title, 2022.

Guarantees  those of `bmaa` with `flow` and `push`.
Invariants  those of `bmaa`.
Cost        that of `bmaa`.
Deviations  the slides' legend has the two letters the wrong way round: f is flow and c is push.
"""

PRESET_OF = "bmaa"
SETS = {"flow": True, "push": True}

"""BMAA*-c: BMAA* that pushes whoever rests on its goal out of the way.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", CIG 2018;
Bakos, slides of the same title, 2022.

Finds    what `bmaa` finds with `push`.
Keeps    what `bmaa` keeps.
Takes    what `bmaa` takes.
Differs  the slides' legend has the two letters the wrong way round: f is flow and c is push.
"""

PRESET_OF = "bmaa"
SETS = {"push": True}

"""JPS+: jump point search with all distances looked up, and a guess that knows the map.

Rabin and Silva, "JPS+: an extreme A* speed optimization for static uniform cost grids", 2015; differential heuristics:
Sturtevant et al. 2009.

Finds    a cheapest path, if there is one, where all cells cost the same.
Keeps    when it ends, no open jump point has a smaller f = g + h than the path's cost.
Takes    16 bytes for each cell, and 4 for each cell and landmark, made when a map is first searched and kept with it; an
         edited map is another map, for which they are made anew.
Differs  the costs from each cell to a few `landmarks` sharpen the guess: with 4 of them half to three quarters of the
         expansions are saved on game maps. With 0 it is the JPS+ of the paper with intermediate points pruned.
"""

from wayfolk.errors import BadInput
from wayfolk.kernels.jump_table import new_jumps
from wayfolk.landmarks import away_from_landmarks
from wayfolk.search._jump import JumpSearch

PAPER = "Rabin and Silva 2015"
OPTIMAL = True
COMPLETE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(world, start: int, goal: int, *, landmarks: int = 4, watch: bool = False) -> JumpSearch:
    """A search from `start` to `goal`."""
    if not 0 <= landmarks <= 64:
        raise BadInput(f"landmarks must be from 0 to 64, not {landmarks}")

    def prepare(grid):
        return new_jumps(grid, away_from_landmarks(grid, landmarks))

    return JumpSearch(world, start, goal, "jps_plus" if landmarks == 4 else f"jps_plus-{landmarks}", prepare, watch)

"""JPS+: jump point search with all distances looked up in a table, and a heuristic that knows the map.

Rabin and Silva, "JPS+: an extreme A* speed optimization for static uniform cost grids", 2015; differential heuristics:
Sturtevant et al. 2009.

Guarantees  a cheapest path, if there is one, where all cells cost the same.
Invariants  when it ends, no open jump point has a smaller f = g + h than the path's cost.
Cost        16 bytes for each cell, and 4 for each cell and landmark, made when a map is first searched and kept with it; an
            edited map is another map, for which they are made again.
Deviations  the costs from each cell to a few `landmarks` improve the heuristic: with 4 of them half to three quarters of
            the expansions are saved on game maps. With 0 it is the JPS+ of the paper with intermediate points pruned.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._best_first import BestFirst
from wayfolk.algorithms.search._jump_points import on_jumps
from wayfolk.algorithms.search.jps_plus.landmarks import away_from_landmarks
from wayfolk.algorithms.search.jps_plus.table import Jumps, new_jumps
from wayfolk.world.grid import Grid

PAPER = "Rabin and Silva 2015"
OPTIMAL = True
COMPLETE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    landmarks: Annotated[int, Range(0, 64), "Far-off cells whose distances improve the heuristic; 0 is none."] = 4,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> BestFirst:
    """A search from `start` to `goal`."""

    def new_table(grid: Grid) -> Jumps:
        return new_jumps(grid, away_from_landmarks(grid, landmarks))

    name = "jps_plus" if landmarks == 4 else f"jps_plus-{landmarks}"
    return BestFirst(world, start, goal, on_jumps(world, name, new_table), watch, bound=1.0)

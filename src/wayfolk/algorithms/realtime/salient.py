"""Salient Search: TBA* that first expands descendants of its last subgoal, so that the agent turns back less often.

Vermette, "Salient Search", University of Windsor, 2011.

Guarantees  the agent reaches the goal if it can be reached. The path that the search finds may be longer than the
            cheapest: cells closed out of order are not reopened.
Invariants  the salient list holds exactly the open descendants of the last subgoal, in the order of the open list; with
            salient = 0 cells are expanded exactly as by TBA*.
Cost        constant time for each move, whatever the map; about 60 bytes for each cell.
Deviations  as TBA*. A strategy chooses between the best open and the best salient cell; `wayfolk.add_strategy` adds one.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._time_bounded.agent import TimeBounded
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Vermette 2011"
OPTIMAL = False
COMPLETE = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    limit: Annotated[int, Range(2, 100_000), "Units of work for each move: expansions, and the rest for tracing."] = 25,
    share: Annotated[float, Range(0, 1, open="both"), "The share of the limit that is spent on expansions."] = 0.9,
    traces: Annotated[float, Range(0, 1_000_000, open="low"), "Trace steps for each remaining unit of work."] = 10.0,
    salient: Annotated[int, Range(0, 100_000), "The first expansions of each move, made among salient cells."] = 7,
    strategy: Annotated[str, "Chooses subgoals: best_open, tie_break, agent_distance, commit, sunk_cost."] = "tie_break",
    switch: Annotated[Literal["always", "longer"], "Which new paths are followed."] = "always",
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> TimeBounded:  # fmt: skip
    """An agent that moves from `start` to `goal`: of the expansions for each move the first `salient` are salient ones.

    With `switch="longer"` the agent stays with its path until a new one ends at a cell with the same g or a larger one.
    """
    return TimeBounded(
        world, start, goal, name="salient", limit=limit, share=share, traces=traces, salient=salient,
        strategy=strategy, switch=switch, watch=watch,
    )  # fmt: skip

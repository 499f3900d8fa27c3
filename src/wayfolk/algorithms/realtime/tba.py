"""TBA*: one A* from the start, a slice for each move, while the agent follows the most promising path so far.

Bjornsson, Bulitko and Sturtevant, "TBA*: time-bounded A*", IJCAI 2009; Vermette, "Salient Search".

Guarantees  the agent reaches the goal if it can be reached; the path that A* finds is a cheapest one, the walk is not.
Invariants  at most limit * share expansions and (limit - expansions) * traces steps of tracing for each move.
Cost        constant time for each move, whatever the map; about 60 bytes for each cell.
Deviations  f is rounded to a hundredth of the cheapest step, so that there is a list for each f; this is exact where steps
            cost 1 and 1.42, as in Vermette 2011. When the goal moves or the map changes, the search begins anew from the
            agent. The agent steps back at times: graphs with one-way edges are refused. The text says that a new path
            is always followed; with `switch="longer"` the printed tables of Vermette 2011 are met.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._time_bounded.agent import TimeBounded
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Bjornsson, Bulitko and Sturtevant 2009; Vermette 2011"
OPTIMAL = False
COMPLETE = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    limit: Annotated[int, Range(2, 100_000), "Units of work for each move: expansions, and the rest for tracing."] = 25,
    share: Annotated[float, Range(0, 1, open="both"), "The share of the limit that is spent on expansions."] = 0.9,
    traces: Annotated[float, Range(0, 1_000_000, open="low"), "Trace steps for each remaining unit of work."] = 10.0,
    patient: Annotated[bool, "Whether the agent follows its path to the end before it turns back for another."] = False,
    shortcut: Annotated[bool, "Whether, once A* is done, expansions are spent on shortcuts to the final path."] = False,
    switch: Annotated[Literal["always", "longer"], "Which new paths are followed."] = "always",
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> TimeBounded:  # fmt: skip
    """An agent that moves from `start` to `goal`, with `limit` units of work for each move.

    A `patient` agent turns back early only if the new path leads to the goal. With `switch="longer"` the agent stays with
    its path, and waits at its end, until a new one ends at a cell with the same g or a larger one, or at the goal.
    """
    return TimeBounded(
        world, start, goal, name="tba", limit=limit, share=share, traces=traces, salient=0, strategy="best_open",
        patient=patient, shortcut=shortcut, switch=switch, watch=watch,
    )  # fmt: skip

"""Salient Search: TBA* that keeps on where it is, by searching among the descendants of the last subgoal first.

Vermette, "Salient Search", MSc thesis, University of Alberta, 2011.

Finds    a way to the goal if there is one. The path it ends up with may be longer than the cheapest: cells closed out of
         order are not opened again.
Keeps    the salient list holds exactly the open descendants of the last subgoal, in the order of the open list; with
         salient = 0 cells are expanded exactly as by TBA*.
Takes    constant time for each move, whatever the map; about 60 bytes for each cell.
Differs  as TBA*. Strategies choose between the best open and the best salient cell: `wayfolk.add_strategy` adds one.
"""

from wayfolk.realtime._time_bounded import TimeBounded

PAPER = "Vermette 2011"
OPTIMAL = False
COMPLETE = True
ADAPTS = True


def begin(
    world,
    start: int,
    goal: int,
    *,
    limit: int = 25,
    share: float = 0.9,
    traces: float = 10.0,
    salient: int = 7,
    strategy: str = "tie_break",
    watch: bool = False,
) -> TimeBounded:
    """A walk from `start` to `goal`: of the expansions for each move the first `salient` are salient ones."""
    return TimeBounded(
        world, start, goal, name="salient", limit=limit, share=share, traces=traces, salient=salient,
        strategy=strategy, watch=watch,
    )  # fmt: skip

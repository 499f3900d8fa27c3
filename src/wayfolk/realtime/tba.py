"""TBA*: one A* from the start, a slice for each move, while the agent follows the most promising path so far.

Bjornsson, Bulitko and Sturtevant, "TBA*: time-bounded A*", IJCAI 2009; Vermette, "Salient Search".

Finds    a way to the goal if there is one; the path it ends up with is a cheapest one, the walk is not.
Keeps    at most limit * share expansions and (limit - expansions) * traces steps of tracing for each move.
Takes    constant time for each move, whatever the map; about 60 bytes for each cell.
Differs  f is rounded to a hundredth of the cheapest step, so that a list for each f can be kept; exact where steps cost
         1 and 1.42, as in the thesis. When the goal moves or the map changes the search begins anew from where the agent
         is. It steps back at times: a graph with edges that lead one way only is refused.
"""

from wayfolk.realtime._time_bounded import TimeBounded

PAPER = "Bjornsson, Bulitko and Sturtevant 2009; Vermette 2011"
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
    patient: bool = False,
    shortcut: bool = False,
    watch: bool = False,
) -> TimeBounded:
    """A walk from `start` to `goal`: `limit` units of work for each move, a `share` of them for expansions.

    A `patient` agent walks to the end of its path before it turns back for another one, unless that leads to the goal.
    With `shortcut` it uses the expansions that are left, once the goal is found, to look for a shortcut to the path.
    """
    return TimeBounded(
        world, start, goal, name="tba", limit=limit, share=share, traces=traces, salient=0, strategy="best_open",
        patient=patient, shortcut=shortcut, watch=watch,
    )  # fmt: skip

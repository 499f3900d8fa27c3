"""P-LRTA*: LRTA* that passes on what it learns, the greatest changes first.

Rayner, Davison, Bulitko, Anderson and Lu, "Real-time learning with prioritized LRTA*", IJCAI 2007; Vermette, "Salient
Search", section 2.2.5.

Finds    a way to the goal if there is one (and no one-way edge leads into a trap); over repeated trials a cheapest one.
Keeps    what is learned never overestimates and stays consistent; with beta = 0 it is LRTA*. At most beta + 2 expansions
         for each move. A cell waits only once; those that there is no time for wait on, up to `room` of them.
Takes    about 20 bytes for each cell.
Differs  from Vermette's Algorithm 3, which puts nothing into the queue to begin with: as the authors have it, whenever a
         cell is raised its neighbours wait, with the size of the change as priority.
"""

from wayfolk.realtime._one_ply import OnePly, prioritised

PAPER = "Rayner et al. 2007"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(world, start: int, goal: int, *, beta: int = 8, room: int = 64, watch: bool = False) -> OnePly:
    """A walk from `start` to `goal` that looks at up to `beta` cells that wait before each step."""
    return OnePly(
        world, start, goal, name="p_lrta", new_rule=prioritised(world, beta, room), bound=beta + 2 if beta else 1,
        watch=watch,
    )  # fmt: skip

"""Whether agents that stand still block all shortest ways from a cell to a goal."""

from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import slots, there


@kernel
def in_all_ways(graph, left, standing, cell, stamp, seen, queue):
    """Return the agent of `standing` that blocks the way that leads farthest, NOBODY if one leads to the goal.

    `left` are the steps to the goal. `seen` holds the stamps of former searches, none of which is `stamp`; `queue` has room
    for all free cells.
    """
    queue[0] = cell
    seen[cell] = stamp
    done, used, blocker, nearest = 0, 1, NOBODY, left[cell]
    while done < used:
        here = queue[done]
        done += 1
        if left[here] == 0:
            return NOBODY
        for k in range(slots(graph, here)):
            ahead = there(graph, here, k)
            if ahead != NOWHERE and left[ahead] < left[here] and seen[ahead] != stamp:
                seen[ahead] = stamp
                if standing[ahead] == NOBODY:
                    queue[used] = ahead
                    used += 1
                elif left[ahead] < nearest:
                    blocker, nearest = standing[ahead], left[ahead]
    return blocker

"""Whether agents that stand still block all shortest ways from a cell to a goal."""

from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY


@kernel
def in_all_ways(legal, offsets, left, standing, cell, stamp, seen, queue):
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
        for k in range(8):
            if (legal[here] >> k) & 1:
                there = here + offsets[k]
                if left[there] < left[here] and seen[there] != stamp:
                    seen[there] = stamp
                    if standing[there] == NOBODY:
                        queue[used] = there
                        used += 1
                    elif left[there] < nearest:
                        blocker, nearest = standing[there], left[there]
    return blocker

"""Voronoi cells by sample points: which body is nearest to each point of a lattice."""

from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY


@kernel
def count_nearest(points, is_inside, places, cut_off, whole, inside):
    """Count, for each place, the `points` that are nearer to it than to any other and not farther than `cut_off`.

    `whole` counts all of them, `inside` only those where `is_inside`.
    """
    limit = cut_off * cut_off
    for point in range(len(points)):
        x, y = points[point, 0], points[point, 1]
        nearest, least = NOBODY, limit
        for body in range(len(places)):
            across, down = places[body, 0] - x, places[body, 1] - y
            apart = across * across + down * down
            if apart <= least:
                nearest, least = body, apart
        if nearest != NOBODY:
            whole[nearest] += 1
            if is_inside[point]:
                inside[nearest] += 1

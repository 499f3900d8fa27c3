"""Pairs of bodies that overlap."""

from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.near import PRESENT, RADIUS, X, Y, span, window


@kernel
def list_overlaps(near, reach, slack, pairs):
    """Write the agents that overlap by more than `slack` to `pairs`, as far as there is room; how many there are.

    `near` is sorted, and `reach` is the diameter of the largest body.
    """
    n_pairs = 0
    for row in range(near.shape[PRESENT]):
        x, y = near.rows[row, X], near.rows[row, Y]
        first_line, last_line, first_column, last_column = window(near, x, y, reach)
        for line in range(first_line, last_line + 1):
            begin, end = span(near, line, first_column, last_column)
            for other in range(max(begin, row + 1), end):
                dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
                apart = near.rows[row, RADIUS] + near.rows[other, RADIUS] - slack
                if apart > 0.0 and dx * dx + dy * dy < apart * apart:
                    if n_pairs < len(pairs):
                        pairs[n_pairs, 0], pairs[n_pairs, 1] = near.agents[row], near.agents[other]
                    n_pairs += 1
    return n_pairs

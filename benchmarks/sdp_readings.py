"""Compares readings of what a corridor is with the numbers of corridors that the thesis on SDP prints for eight maps.

    python -m benchmarks.sdp_readings [folder of the eight maps]

Prints three tables, each with the sum of the absolute differences from the printed numbers in the last column:

literal      the text and the figures word by word: windows of w x L free cells, w = 2, 3 and 4, with walls along both long
             sides except for `gaps` cells of each. Windows that overlap are counted once: the first wins (first), or all
             that touch are one (merged), or only blocks as long as the window count, open at both ends (exact).
one change   our reading, and what each of its conditions adds
search       the best of all combinations of lengths, ends, sides and ways around
"""

import itertools
import os
import sys
from pathlib import Path

import numpy as np

from wayfolk.algorithms.controllers.sdp.cores import READING, find_cores
from wayfolk.files.maps import read_map

PRINTED = {
    "orz704d": 0, "den204d": 1, "isound1": 2, "den405d": 3, "orz601d": 6, "den401d": 11, "hrt201d": 15, "den505d": 20,
}  # fmt: skip
LONG = 1 << 20
ANY_END = {"opening_reach": 20, "opening_width": 0}


def main():
    default = Path(os.environ.get("WAYFOLK_DATA", "maps")) / "movingai" / "sdp"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    maps = {name: read_map(folder / f"{name}.map") for name in PRINTED}
    show("literal", literal(maps), 12)
    show("one change", ((name, counts(maps, reading)) for name, reading in changes()), LONG)
    show("search", ((name, counts(maps, reading)) for name, reading in combinations()), 20)


def show(title, rows, n_rows):
    """Print the best rows of a table; those of `one change` in their own order."""
    rows = [(name, numbers, difference(numbers)) for name, numbers in rows]
    if n_rows < len(rows):
        print(
            f"\n{title}: the best {n_rows} of {len(rows)}, {sum(row[2] == 0 for row in rows)} of which differ nowhere"
        )
        rows = sorted(rows, key=lambda row: row[2])[:n_rows]
    else:
        print(f"\n{title}")
    print(f"{'reading':58}", *(f"{name:>8}" for name in PRINTED), "     sum")
    print(f"{'printed':58}", *(f"{number:8}" for number in PRINTED.values()))
    for name, numbers, total in rows:
        print(f"{name:58}", *(f"{number:8}" for number in numbers), f"{total:8}")


def difference(numbers):
    return sum(abs(ours - theirs) for ours, theirs in zip(numbers, PRINTED.values(), strict=True))


def counts(maps, reading):
    return [len(find_cores(grid, reading)) for grid in maps.values()]


def changes():
    """Our reading, and those that differ from it in one condition."""
    yield "ours", READING
    yield "any length from 2", READING._replace(least=(1, 1, 2, 2, 2), most=(0, 0, LONG, LONG, LONG))
    yield "any length from 3", READING._replace(least=(1, 1, 3, 3, 3), most=(0, 0, LONG, LONG, LONG))
    yield "lengths 3 and 4", READING._replace(least=(1, 1, 3, 3, 3), most=(0, 0, 4, 4, 4))
    yield "lengths 2 to 4", READING._replace(least=(1, 1, 2, 2, 2), most=(0, 0, 4, 4, 4))
    yield "3 wide: lengths 3 and 4", READING._replace(most=(0, 0, 4, 4, 4))
    yield "2 wide: lengths 3 and 4", READING._replace(least=(1, 1, 3, 3, 3))
    yield "ends may stay narrow", READING._replace(**ANY_END)
    yield "ends open at once", READING._replace(opening_reach=1)
    yield "ends at least 5 wide", READING._replace(opening_width=5)
    for side in (0, 26, 52, 78, 105, 130):
        yield f"at least {side} cells on either side", READING._replace(side=side)
    for around in (16, 24, 32, 58, 88, 90, 128):
        yield f"no way around of {around} steps", READING._replace(around=around)


def combinations():
    """Readings by the lengths of each width, ends, sides and ways around."""
    lengths = [list(itertools.product((2, 3), (3, 4, LONG))) for _ in range(3)]
    ends = [ANY_END, *({"opening_reach": reach, "opening_width": width} for reach in (1, 2, 3) for width in (4, 5))]
    for (two, three, four), end, side, around in itertools.product(
        itertools.product(*lengths), ends, (26, 52, 104), (32, 64)
    ):
        least, most = zip((1, 0), (1, 0), two, three, four, strict=True)
        name = " ".join(
            f"{w}:{low}-{'' if high == LONG else high}" for w, (low, high) in enumerate((two, three, four), 2)
        )
        name += f" ends {end['opening_width'] or 'any'} in {end['opening_reach']} side {side} around {around}"
        yield name, READING._replace(least=least, most=most, side=side, around=around, **end)


def literal(maps):
    """The patterns word by word, by length and gaps."""
    for length, gaps in itertools.product(range(3, 9), range(3)):
        windows = {
            name: [list_windows(free_cells(grid, flip), length, gaps) for flip in (0, 1)] for name, grid in maps.items()
        }
        for count in (first, merged, exact):
            numbers = [sum(count(*window, length) for window in windows[name]) for name in maps]
            yield f"length {length}, gaps {gaps}, {count.__name__}", numbers


def free_cells(grid, flip):
    """The free cells with a border, rows and columns exchanged for vertical patterns."""
    return np.pad(grid.free.T if flip else grid.free, 1)


def list_windows(free, length, gaps):
    """The windows of all widths by their upper left cell, as rows of y, x and width; and the free cells."""
    rows = []
    for width in (2, 3, 4):
        height, across = free.shape[0] - width - 1, free.shape[1] - length + 1
        if height <= 0 or across <= 0:
            continue

        def along(strip, across=across):
            return sum(strip[:, k : k + across].astype(int) for k in range(length))

        inner = sum(along(free[1 + k : 1 + k + height]) for k in range(width)) == width * length
        above, below = (along(~free[k : k + height]) >= length - gaps for k in (0, width + 1))
        rows += [(y + 1, x, width) for y, x in np.argwhere(inner & above & below)]
    return sorted(rows), free


def first(windows, free, length):
    """Windows that share no cell with one counted before, by the order of cells."""
    taken, n = np.zeros_like(free), 0
    for y, x, width in windows:
        block = taken[y : y + width, x : x + length]
        n += not block.any()
        block |= not block.any()
    return n


def merged(windows, free, length):
    """Windows that overlap or touch count as one."""
    taken = np.zeros_like(free)
    for y, x, width in windows:
        taken[y : y + width, x : x + length] = True
    n = 0
    while taken.any():
        stack = [tuple(np.argwhere(taken)[0])]
        n += 1
        while stack:
            y, x = stack.pop()
            if taken[y, x]:
                taken[y, x] = False
                stack += [(y, x + 1), (y + 1, x), (y, x - 1), (y - 1, x)]
    return n


def exact(windows, free, length):
    """Windows beyond both ends of which the passage is open, and wider."""
    n = 0
    for y, x, width in windows:
        ends = [free[y - 1 : y + width + 1, k] for k in (x - 1, x + length) if 0 <= k < free.shape[1]]
        n += len(ends) == 2 and all(end[1:-1].all() and end.sum() > width for end in ends)
    return n


if __name__ == "__main__":
    main()

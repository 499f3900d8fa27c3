"""Cover the free cells of a grid with rectangles: each time the largest whose first cell is the first one left."""

from wayfolk.graph import NOWHERE
from wayfolk.grid import EAST, SOUTH
from wayfolk.kernels.jit import inner, kernel


@kernel
def cover(legal, stride, cells, owner):
    """Write the number of its rectangle to `owner` for each of the free `cells`, NOWHERE so far; how many there are.

    Within a rectangle every step to the east and south is legal, so that no cliff runs through it.
    """
    n = 0
    for cell in cells:
        if owner[cell] != NOWHERE:
            continue
        width, height = _largest(legal, stride, owner, cell)
        for y in range(height):
            for x in range(width):
                owner[cell + y * stride + x] = n
        n += 1
    return n


@inner
def _largest(legal, stride, owner, cell):
    """Width and height of the largest rectangle of cells without an owner whose first one is `cell`."""
    widest = 1
    while (legal[cell + widest - 1] >> EAST) & 1 and owner[cell + widest] == NOWHERE:
        widest += 1
    width, best_width, best_height = widest, widest, 1
    row = cell
    height = 1
    while True:
        x = 0
        while x < width and (legal[row + x] >> SOUTH) & 1 and owner[row + stride + x] == NOWHERE:
            x += 1
            if x < width and not (legal[row + stride + x - 1] >> EAST) & 1:
                break
        width = x
        if width == 0:
            return best_width, best_height
        row += stride
        height += 1
        if width * height > best_width * best_height:
            best_width, best_height = width, height

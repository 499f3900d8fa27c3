"""Line of sight: whether an agent can walk straight from the centre of one cell to the centre of another.

The corner rule: a straight line may not touch the inside of a blocked cell; wherever it crosses the edge between two
cells, the step between them must be legal; and where it goes through the very corner of a cell, the diagonal step there
must be. So without corner cutting (EIGHT) a line keeps off every corner of a blocked cell, and with it (EIGHT_CUTTING)
it may touch a corner that has a free cell on one side. Cliffs are respected like walls.

Invariants  neighbours are in sight exactly when the step between them is legal; sight is mutual.
Numbers     integers only: rounding must not decide whether a line hits a corner.
"""

from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST


@kernel
def sees(legal, stride, one, other):
    """Whether nothing stands between the centres of two free cells; `legal` and `stride` are those of the grid."""
    y, to_y = one // stride, other // stride
    wide, tall = (other - to_y * stride) - (one - y * stride), to_y - y
    across, along = EAST, stride  # the numbers of a step sideways, up or down, and through a corner
    down, through = SOUTH, SOUTH_EAST
    sideways = 1
    if wide < 0:
        wide, sideways = -wide, -1
        across, through = WEST, SOUTH_WEST
    if tall < 0:
        tall, along = -tall, -stride
        down, through = NORTH, NORTH_WEST if sideways < 0 else NORTH_EAST
    cell = one
    # which edge comes first: the line has crossed i upright and j level ones, and (2i + 1) / wide, (2j + 1) / tall
    # are the places of the next two on it
    later = tall - wide
    while cell != other:
        if later < 0:
            if not (legal[cell] >> across) & 1:
                return False
            cell += sideways
            later += 2 * tall
        elif later > 0:
            if not (legal[cell] >> down) & 1:
                return False
            cell += along
            later -= 2 * wide
        else:
            if not (legal[cell] >> through) & 1:
                return False
            cell += sideways + along
            later += 2 * (tall - wide)
    return True

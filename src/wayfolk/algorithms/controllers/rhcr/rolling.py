"""The arrays of a window, for points on a grid and for nodes of a graph of states.

`paths`, `priorities` and `ecbs` plan for both classes of arrays, by the functions of `rolling_moves`. What others do in
the window is known by cells on a grid, where the moves that swap or cross are eight bits of a cell. Of states it is known
by places: those of nodes and those of moves have different numbers, and a place that two agents have in the same step is
a collision.

Invariants  `used[step, cell]` is the number of paths that are at a cell at a step. Of states, `used[step, place]` is the
            number of those that have the place at that step, or in the move by which they come there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.rolling_cells import RollingArrays
from wayfolk.algorithms.controllers.rhcr.rolling_moves import ENOUGH
from wayfolk.algorithms.controllers.rhcr.rolling_nodes import RollingStates
from wayfolk.kernels import rra
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.world.state_graph import StateGraph


NODE = np.dtype([("cell", np.int32), ("cost", np.int32), ("after", np.int32), ("step", np.int16), ("been", np.int16)])
AnyRolling = RollingArrays | RollingStates


def new_rolling(
    states: Grid | StateGraph, spent: NDArray[np.int64], steps: int, stays: bool, memory: int | None = None
) -> AnyRolling:
    """Arrays for windows of up to `steps` steps; agents stay on their goals or not. `spent` counts their expansions.

    Distances take up to `memory` bytes.
    """
    if not isinstance(states, Grid):
        return new_rolling_states(states, rra.new_state_rra(states, len(spent), memory), spent, steps, stays)
    arrays = RollingArrays(
        legal=states.legal,
        offsets=states.offsets,
        shut=np.zeros(states.n_cells, np.uint8),
        searches=rra.new_rra(states, len(spent), 1, 2 if states.moves is Moves.FOUR else 1, memory),
        used=np.zeros((0, 0), np.int16),
        held=np.zeros((0, 0), np.int64),
        seen=np.zeros((0, 0, 0), np.int64),
        moves=np.zeros((0, 0, 0), np.uint8),
        stacks=np.zeros(0, np.int32),
        nodes=np.zeros(9 * ENOUGH + 1, NODE),
        who=np.zeros(states.n_cells, np.int32),
        from_where=np.zeros(states.n_cells, np.int32),
        marks=np.zeros((2, states.n_cells), np.int64),
        counts=np.zeros(4, np.int64),
        spent=spent,
        stays=stays,
    )
    return with_steps(arrays, steps)


def new_rolling_states(
    states: StateGraph, searches: rra.StateRra, spent: NDArray[np.int64], steps: int, stays: bool
) -> RollingStates:
    """Arrays for windows on a graph of states, with searches of distances that may have begun."""
    table = states.occupancy
    most = int(np.diff(table.first).max(initial=0)) + 1
    arrays = RollingStates(
        occupancy=table,
        stand=states.stand_of,
        shut=np.zeros(table.n_places, np.uint8),
        searches=searches,
        used=np.zeros((0, 0), np.int16),
        held=np.zeros((0, 0), np.int64),
        seen=np.zeros((0, 0, 0), np.int64),
        moves=np.zeros((0, 0, 0), np.int64),
        stacks=np.zeros(0, np.int32),
        nodes=np.zeros(most * ENOUGH + 1, NODE),
        who=np.zeros(table.n_places, np.int32),
        marks=np.zeros(table.n_places, np.int64),
        counts=np.zeros(4, np.int64),
        spent=spent,
        stays=stays,
    )
    with_room = with_steps(arrays, steps)
    assert isinstance(with_room, RollingStates)
    return with_room


def with_steps(arrays: AnyRolling, steps: int) -> AnyRolling:
    """The same arrays with room for windows of `steps` steps. No paths are counted in `used`."""
    if steps < len(arrays.used):
        return arrays
    is_grid = isinstance(arrays, RollingArrays)
    n_nodes = len(arrays.legal) if isinstance(arrays, RollingArrays) else len(arrays.stand)
    return arrays._replace(
        used=lazy_zeros((steps + 1, len(arrays.shut)), np.int16),
        held=lazy_zeros((steps + 1, len(arrays.shut)), np.int64),
        seen=lazy_zeros((2, steps + 1, n_nodes), np.int64),
        moves=lazy_zeros((2, steps + 1, n_nodes), np.uint8 if is_grid else np.int64),
        stacks=np.zeros(2 * steps + 3, np.int32),
    )

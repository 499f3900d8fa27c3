"""Repair: distance fields that an edit of the map does not change are taken over, in place of searching all of them again.

A distance is right as long as the cell has a neighbour that is one step nearer, and no neighbour that is more than one step
nearer. So it is enough to look at the cells whose moves have changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.spots import AnySpots, DistanceTable, SpotMap


def take_over(
    fields: DistanceTable,
    spot_map: AnySpots,
    rows: NDArray[np.intp],
    old: DistanceTable,
    before: AnySpots,
    old_rows: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Write the distances of `old_rows`, on the map before, to `rows` of `fields`; in which of these they are right."""
    same_goal: NDArray[np.bool_] = before.cells[old.goals[old_rows]] == spot_map.cells[fields.goals[rows]]
    is_edited = before is not spot_map and not isinstance(spot_map, SpotMap)  # of states no field is repaired
    if old.steps.dtype != fields.steps.dtype or not same_goal.any() or is_edited:
        return np.zeros(len(rows), bool)
    is_right = same_goal.copy()
    if before is spot_map:
        fields.steps[rows[same_goal]] = old.steps[old_rows[same_goal]]
        return is_right
    assert isinstance(spot_map, SpotMap)
    spots = before.spot_of[spot_map.cells]
    is_new = spots == NOWHERE
    steps = old.steps[old_rows[same_goal]][:, np.where(is_new, 0, spots)]
    steps[:, is_new] = fields.far
    changed = np.flatnonzero(before.legal[spot_map.cells] != spot_map.legal[spot_map.cells])
    is_right[same_goal] = _settled(spot_map, steps, np.flatnonzero(is_new), changed, fields.far)
    fields.steps[rows[same_goal]] = steps
    return is_right


def _settled(
    spot_map: SpotMap, steps: NDArray[Any], new: NDArray[np.intp], changed: NDArray[np.intp], far: int
) -> NDArray[np.bool_]:
    """Which rows of `steps` are distances, if those of the spots `new` follow from their neighbours; these are written."""
    near, degree, is_right = spot_map.near, spot_map.degree, np.ones(len(steps), bool)
    for spot in new.tolist():
        around = near[spot, : degree[spot]]
        if around.size:
            nearest = steps[:, around].min(1).astype(np.int64)
            steps[:, spot] = np.where(nearest < far, nearest + 1, far)
    for spot in np.union1d(changed, new).tolist():
        here = steps[:, spot].astype(np.int64)
        around = steps[:, near[spot, : degree[spot]]].astype(np.int64)
        nearest = around.min(1, initial=far)
        is_right &= (here == 0) | (here == np.where(nearest < far, nearest + 1, far))
    return is_right

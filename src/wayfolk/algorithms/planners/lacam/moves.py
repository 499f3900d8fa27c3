"""The moves between spots as LaCAM reads them: with the diagonals that cross each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.priority_inheritance import moves_on
from wayfolk.world.spots import AnySpots, SpotMap


class SpotMoves(NamedTuple):
    """`near[spot, k]` for k below `degree[spot]` are the neighbours.

    `beside` and `across` are the ends of the diagonal that crosses the move to neighbour k, NOWHERE if none does.
    """

    near: NDArray[np.int32]
    degree: NDArray[np.int32]
    beside: NDArray[np.int32]
    across: NDArray[np.int32]


def spot_moves(spot_map: AnySpots) -> SpotMoves:
    """The moves of a map."""
    assert isinstance(spot_map, SpotMap)
    return SpotMoves(spot_map.near, spot_map.degree, *spot_map.crossings)


def _target(spots, here, k):  # type: ignore[no-untyped-def]
    return spots.near[here, k]


def _crossed(spots, here, k):  # type: ignore[no-untyped-def]
    return spots.beside[here, k], spots.across[here, k]


def _slots(spots, here):  # type: ignore[no-untyped-def]
    return spots.degree[here]


moves_on(SpotMoves, _target, _crossed, _slots, _target)

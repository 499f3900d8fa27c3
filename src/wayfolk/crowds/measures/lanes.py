"""Lanes: whether those who walk behind and before each other walk the same way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput

Floats = NDArray[np.float64]
MOST_AGENTS = 20_000


def lane_order(
    trajectory: Trajectory, *, band: float = 0.4, along: tuple[float, float] = (1.0, 0.0), kinds: object = None
) -> Floats:
    """The order parameter of each frame, from 0 (mixed) to 1 (every lane walks one way).

    Rex and Loewen, "Lane formation in oppositely charged colloids driven by an electric field", Physical Review E 75, 2007:
    for each person, those within `band` metres across the direction `along` are its lane. With a of them going its way and
    b the other way (itself included), its order is ((a - b) / (a + b))^2; the frame's is the mean over all persons.

    `kinds` (one value for each agent) says who goes the same way; without it, the sign of the way that each walks
    from its first place to its last along the direction.
    """
    length = float(np.hypot(*along))
    if not 0 < length < np.inf or not band > 0:
        raise BadInput(f"a band is above 0 and a direction has a length, not {band} and {along}")
    x, y = along[0] / length, along[1] / length
    ways = _ways(trajectory, x, y) if kinds is None else _signs(kinds, trajectory.n_agents)
    order = np.full(trajectory.n_frames, np.nan)
    for frame, places in enumerate(trajectory.places):
        there = ~np.isnan(places[:, 0]) & (ways != 0)
        if there.sum() > MOST_AGENTS:
            raise BadInput(f"lanes of more than {MOST_AGENTS:,} agents at once are not measured")
        if there.any():
            order[frame] = order_of(x * places[there, 1] - y * places[there, 0], ways[there], band)
    return order


def order_of(across: NDArray[np.floating], ways: NDArray[np.int8], band: float) -> float:
    """The order parameter of persons by their place across the direction, and by the way (1 or -1) that they go."""
    order = np.argsort(across, kind="stable")
    sorted_across, sums = (
        across[order].astype(np.float64),
        np.concatenate([[0], np.cumsum(ways[order].astype(np.int64))]),
    )
    first = np.searchsorted(sorted_across, sorted_across - band, "left")
    last = np.searchsorted(sorted_across, sorted_across + band, "right")
    shares = (sums[last] - sums[first]) / (last - first)
    return float((shares**2).mean())


def random_lane_order(
    trajectory: Trajectory, *, band: float = 0.4, along: tuple[float, float] = (1.0, 0.0), seed: int = 0
) -> Floats:
    """The same with the ways dealt out at random: what `lane_order` gives if there are no lanes."""
    x, y = np.asarray(along) / np.hypot(*along)
    ways = np.random.default_rng(seed).permutation(_ways(trajectory, float(x), float(y)))
    return lane_order(trajectory, band=band, along=along, kinds=ways)


def _ways(trajectory: Trajectory, x: float, y: float) -> NDArray[np.int8]:
    """1 or -1 for each agent: the way that it walks from its first place to its last; 0 if it walks neither."""
    present = trajectory.present
    agents = np.arange(trajectory.n_agents)
    first = present.argmax(0)
    last = trajectory.n_frames - 1 - present[::-1].argmax(0)
    walked = trajectory.places[last, agents] - trajectory.places[first, agents]
    signs: NDArray[np.int8] = np.sign(np.nan_to_num(x * walked[:, 0] + y * walked[:, 1])).astype(np.int8)
    return signs


def _signs(kinds: object, n_agents: int) -> NDArray[np.int8]:
    values = np.asarray(kinds)
    if values.shape != (n_agents,):
        raise BadInput(f"kinds has a value for each of the {n_agents} agents, not the shape {values.shape}")
    if len(np.unique(values)) == 2 and not np.isin(values, (-1, 0, 1)).all():
        values = np.where(values == values.max(), 1, -1)
    elif values.dtype == bool or (np.isin(values, (0, 1)).all() and (values == 0).any()):
        values = np.where(values.astype(bool), 1, -1)
    signs: NDArray[np.int8] = np.sign(values).astype(np.int8)
    return signs

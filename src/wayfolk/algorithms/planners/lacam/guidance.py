"""Guidance from any configuration: paths of all agents through little traffic (`flow`), as PIBT reads them."""

from __future__ import annotations

from collections.abc import Generator as Work

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners.lacam import flow, scatter
from wayfolk.algorithms.planners.lacam.pibt import Generator
from wayfolk.world.spots import DistanceTable

TURNS = 2  # of all agents that plan paths; one is enough if most of them have a path already
PATH_WORK = 4  # work of a step of a path, if that of an agent in a node of a dive is 1


class Guidance:
    """Plans paths of all agents in random orders; `work` is what they have cost so far."""

    def __init__(self, fields: DistanceTable, seed: int) -> None:
        self.fields, self.rng, self.work = fields, np.random.default_rng(seed), 0

    def traffic_from(
        self, spots: NDArray[np.int32], old: flow.TrafficFlow | None = None
    ) -> Work[int, None, flow.TrafficFlow]:
        """Paths for agents at `spots`; who is still on its path of `old` has that one at first. Yields 1 for each path."""
        traffic = flow.continued(flow.new_flow(self.fields, spots) if old is None else old, self.fields, spots)
        moving = np.flatnonzero(spots != self.fields.goals)
        for _ in range(TURNS if old is None else 1):
            for agent in self.rng.permutation(moving).tolist():
                flow.reroute(traffic, agent)
                yield 1
            self.work += PATH_WORK * int(self.fields.steps[moving, spots[moving]].sum(dtype=np.int64))
        return traffic


def with_guides(gen: Generator, paths: NDArray[np.int32], lasts: NDArray[np.int32]) -> Generator:
    """The generator, guided by `paths`."""
    guides, first = scatter.guides_of(paths, lasts)
    return gen._replace(guides=guides, first=first)

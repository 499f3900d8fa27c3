"""What LPA*, D* Lite and Anytime D* share: the task around the kernel `incremental`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import incremental
from wayfolk.kernels.incremental import KM
from wayfolk.kernels.units import FAR, INF
from wayfolk.search._incremental import Incremental


class Lifelong(Incremental):
    """A search of cells whose g and rhs differ."""

    excess = 0.0  # how much longer than a shortest path the answer may be
    has_rounds = False

    def new_memory(self) -> Any:
        """Memory that knows nothing."""
        return incremental.new_memory(self.world.n_cells, self.root, self.counts, self.has_rounds)

    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the way from `aim` is settled."""
        is_settled = incremental.repair(
            self.roads.out, self.roads.into, self.memory, self.aim, self.kind, self.scale, self.excess, budget,
            self.events,
        )  # fmt: skip
        return bool(is_settled)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved."""
        incremental.revise(
            self.roads.out, self.memory, self.root, self.aim, self.kind, self.scale, self.excess, self.keyed_for,
            all_keys or self.has_rounds or bool(self.counts[KM] > FAR), cells,
        )  # fmt: skip

    def has_path(self) -> bool:
        """Whether what is settled is a way."""
        return bool(self.memory.nodes[self.aim]["rhs"] < INF)

    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the way from `aim` to `root`; its number of cells and its cost."""
        n, total = incremental.trace(self.roads.out, self.memory, self.root, self.aim, self.scale, cells)
        return int(n), float(total)

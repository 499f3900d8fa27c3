"""What D* and Focussed D* share: the task around the kernel `raising`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import ZERO
from wayfolk.kernels import raising
from wayfolk.kernels.raising import BIAS
from wayfolk.kernels.units import FAR, INF
from wayfolk.search._incremental import Incremental


class Raising(Incremental):
    """A search of RAISE and LOWER cells."""

    def new_memory(self) -> Any:
        """Memory that knows nothing."""
        return raising.new_memory(self.world.n_cells, self.root, self.counts)

    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the way from `aim` is settled."""
        is_settled = raising.process(
            self.roads.out, self.roads.into, self.memory, self.aim, self.kind, self.scale, budget, self.events
        )
        return bool(is_settled)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved."""
        gone_from = self.aim if self.kind == ZERO else self.keyed_for  # without guesses keys stay as they are
        raising.revise(
            self.roads.out, self.memory, self.root, self.aim, self.kind, self.scale, gone_from,
            all_keys or bool(self.counts[BIAS] > FAR), cells,
        )  # fmt: skip

    def has_path(self) -> bool:
        """Whether what is settled is a way."""
        node = self.memory.nodes[self.aim]
        return bool(node["mark"] and node["h"] < INF)

    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the way from `aim` to `root`; its number of cells and its cost."""
        n, total = raising.trace(self.roads.out, self.memory, self.root, self.aim, cells)
        return int(n), float(total)

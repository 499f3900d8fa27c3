"""What LPA*, D* Lite and Anytime D* share: the task around the kernel `incremental`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._incremental import Incremental
from wayfolk.algorithms.shown import CLOSED, OPEN, Shown
from wayfolk.kernels import incremental
from wayfolk.kernels.incremental import KM
from wayfolk.kernels.integer_costs import FAR, INF


class Lifelong(Incremental):
    """A search of cells whose g and rhs differ."""

    excess = 0.0  # how much longer than a shortest path the answer may be
    has_rounds = False

    def new_memory(self) -> Any:
        """Memory of a search that has not begun."""
        return incremental.new_memory(self.world.n_cells, self.root, self.counts, self.has_rounds)

    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the path from `aim` is settled."""
        is_settled = incremental.repair(
            self.roads.out,
            self.roads.into,
            self.memory,
            aim=self.aim,
            kind=self.kind,
            scale=self.scale,
            excess=self.excess,
            budget=budget,
            events=self.events,
        )
        return bool(is_settled)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved."""
        incremental.revise(
            self.roads.out,
            self.memory,
            root=self.root,
            aim=self.aim,
            kind=self.kind,
            scale=self.scale,
            excess=self.excess,
            gone_from=self.keyed_for,
            is_new_round=all_keys or self.has_rounds or bool(self.counts[KM] > FAR),
            cells=cells,
        )

    def shown(self) -> Shown:
        """Cells in the queue, and those whose two values agree; g is the cost to the root."""
        nodes = self.memory.nodes
        value = np.minimum(nodes["g"], nodes["rhs"])
        state = np.where((nodes["mark"] != 0) & (value < INF), CLOSED, 0).astype(np.uint8)
        state[(nodes["mark"] != 0) & (nodes["at"] != 0)] = OPEN
        return super().shown()._replace(state=state, g=np.where(value < INF, value / self.scale, np.inf))

    def has_path(self) -> bool:
        """Whether the settled values describe a path."""
        return bool(self.memory.nodes[self.aim]["rhs"] < INF)

    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the path from `aim` to `root`; its number of cells and its cost."""
        n, total = incremental.trace(self.roads.out, self.memory, self.root, self.aim, self.scale, cells)
        return int(n), float(total)

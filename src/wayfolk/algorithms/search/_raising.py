"""What D* and Focussed D* share: the task around the kernel `raising`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._incremental import Incremental
from wayfolk.algorithms.shown import CLOSED, OPEN, Shown
from wayfolk.kernels import raising
from wayfolk.kernels.graph import ZERO
from wayfolk.kernels.integer_costs import FAR, INF
from wayfolk.kernels.raising import BIAS


class Raising(Incremental):
    """A search of RAISE and LOWER cells."""

    def new_memory(self) -> Any:
        """Memory of a search that has not begun."""
        return raising.new_memory(self.world.n_cells, self.root, self.counts)

    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the path from `aim` is settled."""
        is_settled = raising.process(
            self.roads.out, self.roads.into, self.memory, self.aim, self.kind, self.scale, budget, self.events
        )
        return bool(is_settled)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved."""
        gone_from = self.aim if self.kind == ZERO else self.keyed_for  # without heuristics keys stay as they are
        raising.revise(
            self.roads.out,
            self.memory,
            root=self.root,
            agent=self.aim,
            kind=self.kind,
            scale=self.scale,
            gone_from=gone_from,
            is_afresh=all_keys or bool(self.counts[BIAS] > FAR),
            cells=cells,
        )

    def shown(self) -> Shown:
        """Cells in the queue and those that have left it; g is the cost to the root, the paper's h."""
        nodes = self.memory.nodes
        state = np.where(nodes["mark"] != 0, CLOSED, 0).astype(np.uint8)
        state[(nodes["mark"] != 0) & (nodes["at"] != 0)] = OPEN
        g = np.where(nodes["h"] < INF, nodes["h"] / self.scale, np.inf)
        return super().shown()._replace(state=state, g=g, parent=nodes["back"])

    def has_path(self) -> bool:
        """Whether the settled values describe a path."""
        node = self.memory.nodes[self.aim]
        return bool(node["mark"] and node["h"] < INF)

    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the path from `aim` to `root`; its number of cells and its cost."""
        n, total = raising.trace(self.roads.out, self.memory, self.root, self.aim, cells)
        return int(n), float(total)

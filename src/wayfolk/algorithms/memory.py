"""Memory: what a controller knows besides the world, as named arrays that are checked before they are used.

A controller whose agents are to go on in a restored world as if it had never stopped lists what it remembers, once:

    def remember(self, memory: Memory) -> None:
        memory.numbers("order", self.order, memory.agents)
        memory.records("bodies", self.bodies, here=memory.cells, wait=(0, 8))

This is called when a world is saved, and notes the arrays. It is called again for a restored world, of a new controller
that is prepared for the world as it is, and then writes what was noted to the same arrays: a file can change numbers within
their bounds, and nothing else. A number outside its bounds, another type or another shape is refused. What the controller
can compute from the map, and the scratch of searches, is not listed.

Bounds are not enough where one number must fit another, as in linked lists, hash tables and paths. Their items are listed,
and the structure is built from them again, as for those here that several controllers use.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.checked_arrays import CheckedArrays
from wayfolk.compile.jit import kernel
from wayfolk.kernels import field_store
from wayfolk.kernels import rra as rra_kernel
from wayfolk.kernels.edits import Edits
from wayfolk.kernels.reservations import ENTRY, Reservations, with_room
from wayfolk.kernels.rra import AIM, EXPANDED, GOAL, NONE, RING, Rra
from wayfolk.world.flow import Flow

MOST_ITEMS = 1 << 28  # more than any file can hold
SEARCH = np.dtype(
    [("row", np.int32), ("goal", np.int32), ("aim", np.int32), ("n_closed", np.int32), ("n_open", np.int32),
     ("current", np.int64), ("expanded", np.int64)],
    align=True,
)  # fmt: skip
ITEM = np.dtype([("cell", np.int32), ("g", np.int32)])


class Memory(CheckedArrays):
    """The memory of a controller: arrays, and the structures that several controllers have."""

    def ways(
        self,
        name: str,
        cells: NDArray[np.int32],
        slots: NDArray[np.int32],
        n_way: NDArray[np.int32],
        now: int,
        span: int,
    ) -> None:
        """The ways of agents: the first `n_way` cells and slots of each, which end at most `span` slots from `now` on."""
        self.numbers(f"{name}.n", n_way, (0, cells.shape[1]))
        used = np.arange(cells.shape[1]) < n_way[:, None]
        some_cells, some_slots = np.where(used, cells, 0), np.where(used, slots, 0)
        self.numbers(f"{name}.cells", some_cells, self.cells)
        self.numbers(f"{name}.slots", some_slots, (-1, now + span))
        if self.is_read:
            used = np.arange(cells.shape[1]) < n_way[:, None]
            rises = np.diff(some_slots, axis=1)[used[:, 1:]]
            if (rises < 0).any() or (rises > 2 * span).any():
                self.refuse(f"{name}.slots", "holds times that are not in order")
            cells[...], slots[...] = some_cells, some_slots

    def vectors(self, name: str, lanes: NDArray[np.void]) -> None:
        """The vectors of a direction map: none is longer than it is known, so that no move costs less than its length."""
        self.records(name, lanes, x=(-1.0, 1.0), y=(-1.0, 1.0), known=(0.0, 1.0), seen=(float("-inf"), self.view.time))
        if self.is_read and (np.hypot(lanes["x"], lanes["y"]) > lanes["known"] + 1e-9).any():
            self.refuse(name, "holds vectors that are too long")

    def flow(self, name: str, flow: Flow) -> Flow:
        """One-way moves, which after edits of the map are others than those of a new start."""
        legal, straightened = flow.legal.copy(), flow.straightened.copy()
        self.moves(f"{name}.legal", legal, flow.grid.legal)
        self.moves(f"{name}.straightened", straightened, flow.grid.legal)
        counts = np.array([flow.n_diagonals, flow.n_straightened, flow.n_opened])
        n_diagonals, n_straightened, n_opened = self.numbers(f"{name}.counts", counts, self.small).tolist()
        for array in (legal, straightened):
            array.flags.writeable = False
        return Flow(flow.grid, flow.parity, legal, straightened, n_diagonals, n_straightened, n_opened)

    def reservations(self, name: str, table: Reservations) -> Reservations:
        """The entries of a table; those that were noted are in a new table with as much room as `table` has."""
        entries = np.sort(table.entries[table.entries["key"] != 0], order="key")
        last_key = self.states.n_cells << 31
        held = self.records_listed(name, entries, MOST_ITEMS, key=(1, last_key), holder=self.agents)
        if not self.is_read:
            return table
        if len(np.unique(held["key"])) < len(held):
            self.refuse(name, "reserves a cell twice")
        copied = np.zeros(len(held), ENTRY)
        copied[...] = held
        return with_room(Reservations(copied, np.array([len(held)])), len(table.entries) // 2)

    def edits(self, name: str, edits: Edits, seen: NDArray[np.int64]) -> Edits:
        """The edits of the map, and how many of them each search has `seen`."""
        n = int(edits.counts[0])
        held = self.records_listed(name, edits.list[:n], MOST_ITEMS, cell=self.places)
        self.numbers(f"{name}.seen", seen, (0, len(held)))
        if not self.is_read:
            return edits
        rows = np.zeros(len(held) + 16, held.dtype)
        rows[: len(held)] = held
        return Edits(rows, np.array([len(held)]))

    def searches(self, name: str, rra: Rra) -> None:
        """The searches back from goals: the costs of the cells that each has expanded, and of those that are open."""
        searches, items = _noted(rra) if not self.is_read else (np.zeros(0, SEARCH), np.zeros(0, ITEM))
        searches = self.records_listed(
            name, searches, len(rra.state), row=(0, len(rra.state) - 1), goal=self.places, aim=self.places,
            n_closed=self.small, n_open=self.small, current=self.count, expanded=self.count,
        )  # fmt: skip
        items = self.records_listed(f"{name}.items", items, MOST_ITEMS, cell=self.places, g=self.small)
        if not self.is_read:
            return
        if len(np.unique(searches["row"])) < len(searches):
            self.refuse(name, "has two searches of one agent")
        if int(searches["n_closed"].sum(dtype=np.int64) + searches["n_open"].sum(dtype=np.int64)) != len(items):
            self.refuse(f"{name}.items", "has a length that does not fit the searches")
        begins = 0
        for search in searches:
            row, n_closed = int(search["row"]), int(search["n_closed"])
            ends = begins + n_closed + int(search["n_open"])
            part = items[begins:ends]
            begins = ends
            if len(np.unique(part["cell"])) < len(part):
                self.refuse(f"{name}.items", "has a cell twice in one search")
            state = rra.state[row]
            state[GOAL], state[AIM], state[EXPANDED] = search["goal"], search["aim"], search["expanded"]
            if len(part):
                cells, costs = np.ascontiguousarray(part["cell"]), np.ascontiguousarray(part["g"])
                _begin_again(rra, row, cells, costs, n_closed, int(search["current"]))


def _noted(rra: Rra) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """All searches that have a goal, and their cells; a search that has lost its blocks has none."""
    rows, n_cells = np.flatnonzero(rra.state[:, GOAL] != NONE), len(rra.legal)
    searches, listed = np.zeros(len(rows), SEARCH), np.zeros(n_cells, np.int32)
    items = [np.zeros(0, ITEM)]
    for search, row in zip(searches, rows.tolist(), strict=True):
        values = field_store.values(rra.store, row, n_cells)
        closed = np.flatnonzero(values & 1)
        n_open = _list_open(rra, row, listed)
        state = rra.state[row]
        search["row"], search["goal"], search["aim"] = row, state[GOAL], state[AIM]
        search["current"], search["expanded"] = rra.store.fields[row]["current"], state[EXPANDED]
        search["n_closed"], search["n_open"] = len(closed), n_open
        part = np.zeros(len(closed) + n_open, ITEM)
        part["cell"] = np.concatenate([closed, listed[:n_open]])
        part["g"] = values[part["cell"]] // 2 - 1
        items.append(part)
    return searches, np.concatenate(items)


@kernel
def _list_open(rra, row, listed):
    """Write the open cells of a search, list by list, to `listed`: how many there are.

    Entries of cells that are closed, or that are in the list of a lower cost as well, are left out.
    """
    store, n = rra.store, 0
    for spot in range(RING):
        entry = np.int64(store.heads[row, spot])
        while entry != 0:
            cell = np.int64(store.words[entry])
            found = field_store.value(store, row, cell)
            key = (found >> 1) - 1 + rra_kernel.heuristic(rra, cell, rra.state[row, AIM])
            if found & 1 == 0 and key % RING == spot:
                listed[n] = cell
                n += 1
            entry = np.int64(store.words[entry + 1])
    return n


@kernel
def _begin_again(rra, row, cells, costs, n_closed, current):
    """Let a search have closed the first cells and opened the others, so that the first of a list is its first again."""
    store = rra.store
    field_store.drop(store, row)
    field_store.begin(store, row, np.int64(cells[0]), np.int64(current))
    field_store.pop(store, row)
    for k in range(cells.size - 1, -1, -1):
        cell, cost = np.int64(cells[k]), np.int64(costs[k])
        field_store.set_value(store, row, cell, 2 * (1 + cost) + (1 if k < n_closed else 0))
        if k >= n_closed:
            key = cost + rra_kernel.heuristic(rra, cell, rra.state[row, AIM])
            field_store.push(store, row, cell, key)

"""Each agent's own copy of a direction map: what it has seen itself, with memory for those cells only.

One pool of copies for all agents. A hash table finds the copy of an agent's cell; the copies of one agent are linked, so
that they can be laid out for a search and taken away again.

Invariants  a pair of agent and cell has at most one copy. At most half of the table is used.
Cost        24 bytes for a copy and 32 to 64 for its place in the table.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.table import find, new_table, put

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

NONE = np.int32(NOWHERE)
COPY = np.dtype(
    [
        ("x", np.float32),
        ("y", np.float32),
        ("known", np.float32),
        ("agent", np.int32),
        ("cell", np.int32),
        ("after", np.int32),  # the agent's copy made before this one
    ],
    align=True,
)


class Copies(NamedTuple):
    """`pool[: used[0]]` are copies; `table` finds their numbers, `newest` the last one of each agent."""

    pool: NDArray[np.void]
    table: NDArray[np.void]
    newest: NDArray[np.int32]
    used: NDArray[np.int64]


def new_copies(n_agents: int, room: int) -> Copies:
    """Return an empty pool with room for `room` copies (rounded up to a power of two)."""
    room = 1 << max(room - 1, 1).bit_length()
    return Copies(
        np.zeros(room, COPY),
        new_table(room),
        np.full(n_agents, NONE, np.int32),
        np.zeros(1, np.int64),
    )


def grown(copies: Copies) -> Copies:
    """Return the same with room for twice as many."""
    larger = new_copies(len(copies.newest), 2 * len(copies.pool))
    larger.pool[: len(copies.pool)] = copies.pool
    larger.newest[:] = copies.newest
    larger.used[:] = copies.used
    enter_all(larger)
    return larger


def remembered(memory: "Memory", copies: Copies) -> Copies:
    """The pool with the copies that were noted, if there are any."""
    noted = copies.pool[: int(copies.used[0])].copy()
    noted["after"] = 0
    held = memory.records_listed(
        "copies", noted, len(copies.newest) * memory.view.grid.n_cells, x=(-1.0, 1.0), y=(-1.0, 1.0), known=(0.0, 1.0),
        agent=memory.agents, cell=memory.places, after=(0, 0),
    )  # fmt: skip
    if not memory.is_read:
        return copies
    if len(np.unique(held[["agent", "cell"]])) < len(held):
        memory.refuse("copies", "has two copies of one vector")
    if (np.hypot(held["x"], held["y"]) > held["known"] * (1.0 + 1e-6)).any():
        memory.refuse("copies", "holds vectors that are too long")
    larger = new_copies(len(copies.newest), max(len(held), len(copies.pool)))
    for number, copy in enumerate(held):
        copy["after"], larger.newest[copy["agent"]] = larger.newest[copy["agent"]], number
    larger.pool[: len(held)] = held
    larger.used[0] = len(held)
    enter_all(larger)
    return larger


@kernel
def enter_all(copies):
    """Fill the table with the copies in the pool."""
    for number in range(copies.used[0]):
        key = _key(copies.pool[number]["agent"], copies.pool[number]["cell"])
        put(copies.table, find(copies.table, key), key, number)


@inner
def _key(agent, cell):
    return (np.int64(agent) << 32) + cell + 1


@inner
def keep(copies, agent, cell, lane):
    """Copy a vector; there must be room."""
    key = _key(agent, cell)
    at = find(copies.table, key)
    number = copies.table[at]["item"]
    if copies.table[at]["key"] != key:
        number = np.int32(copies.used[0])
        copies.used[0] += 1
        put(copies.table, at, key, number)
        new = copies.pool[number]
        new["agent"], new["cell"], new["after"] = agent, cell, copies.newest[agent]
        copies.newest[agent] = number
    copy = copies.pool[number]
    copy["x"], copy["y"], copy["known"] = lane["x"], lane["y"], lane["known"]


@inner
def lay_out(copies, agent, slate):
    """Write all that an agent knows to the cells of `slate`."""
    number = copies.newest[agent]
    while number != NONE:
        copy = copies.pool[number]
        lane = slate[copy["cell"]]
        # rounded to fewer digits a vector may have become longer than it is known
        lane["x"], lane["y"], lane["known"] = copy["x"], copy["y"], copy["known"] * (1.0 + 1e-6)
        number = copy["after"]


@inner
def take_away(copies, agent, slate):
    """Make the slate blank again."""
    number = copies.newest[agent]
    while number != NONE:
        lane = slate[copies.pool[number]["cell"]]
        lane["x"] = lane["y"] = lane["known"] = 0.0
        number = copies.pool[number]["after"]

"""Tiles: what many agents have learned about cells, each in a table of its own, all tables in one pool.

A tile is a square of 4 x 4 cells and a line of the processor's cache: a search asks about neighbours. An agent's table is
a block of the pool, a hash table of tiles with open addressing that doubles when it is two thirds full. Blocks that are
given back are kept by size for the next agent that needs one.

Invariants  the pool grows with the cells that agents have learned about, not with agents times cells. An agent reads and
            writes its own block only.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.rows import with_rows
from wayfolk.kernels.table import home

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

SMALLEST = 5  # a new table has 2 ** 5 tiles
AT_FIRST = 9  # the pool begins with room for 2 ** 9 tiles for each agent, which costs nothing before it is used
N_SIZES = 40
TOP = N_SIZES  # place in `freed` of how much of the pool has been handed out
TABLE = np.dtype([("block", np.int64), ("used", np.int32), ("bits", np.int32)], align=True)  # bits 0: no block yet

LEARNED = np.dtype([("agent", np.int32), ("key", np.int32), ("values", np.float32, 16)], align=True)


class Tiles(NamedTuple):
    """`keys[k]` says which tile the sixteen `values` from 16 * k on are of, 0 if none; `tables` has a row for each agent.

    `freed[b]` is the first free block of 2 ** b tiles, or NOWHERE; its first key says which is the next one.
    """

    keys: NDArray[np.int32]
    values: NDArray[np.float32]
    tables: NDArray[np.void]
    freed: NDArray[np.int64]
    across: int


def new_tiles(n_agents: int, stride: int) -> Tiles:
    """Return empty tables for `n_agents` in a map whose padded rows are `stride` long."""
    freed = np.full(N_SIZES + 1, NOWHERE, np.int64)
    freed[TOP] = 0
    room = max(n_agents, 1) << AT_FIRST
    return Tiles(
        np.zeros(room, np.int32), np.zeros(16 * room, np.float32), np.zeros(n_agents, TABLE), freed, (stride + 3) >> 2
    )


def grown(tiles: Tiles, n_tiles: int) -> Tiles:
    """Return the same with room in the pool for half as many more tiles, and at least `n_tiles` more."""
    more = max(len(tiles.keys) // 2, n_tiles)
    keys = np.concatenate([tiles.keys, np.zeros(more, np.int32)])
    values = np.zeros(16 * len(keys), np.float32)
    used = 16 * int(tiles.freed[TOP])
    values[:used] = tiles.values[:used]
    return tiles._replace(keys=keys, values=values)


def with_agents(tiles: Tiles, n_agents: int) -> Tiles:
    """Return the same for more agents."""
    return tiles._replace(tables=with_rows(tiles.tables, n_agents))


def learned(tiles: Tiles, agent: int, n_cells: int, stride: int) -> NDArray[np.float32]:
    """Return what `agent` has learned about each cell of the padded map, 0 where it has learned nothing."""
    table = tiles.tables[agent]
    block = slice(int(table["block"]), int(table["block"]) + (1 << int(table["bits"])) * bool(table["bits"]))
    keys = tiles.keys[block]
    values = tiles.values.reshape(-1, 4, 4)[block][keys > 0]
    up, across = np.divmod(keys[keys > 0] - 1, tiles.across)
    known = np.zeros((-(-n_cells // stride) + 3 >> 2, tiles.across, 4, 4), np.float32)
    known[up, across] = values
    rows = known.swapaxes(1, 2).reshape(4 * len(known), 4 * tiles.across)[:, :stride]
    return rows.reshape(-1)[:n_cells].copy()


def remembered(memory: "Memory", tiles: Tiles, n_rows: int) -> Tiles:
    """The tables with what was noted, if there is anything: the tiles are entered one after another."""
    learned = _listed(tiles) if not memory.is_read else np.zeros(0, LEARNED)
    n_agents, n_keys = len(tiles.tables), ((n_rows >> 2) + 1) * tiles.across
    learned = memory.records_listed(
        "tiles", learned, n_agents * n_keys, agent=memory.agents, key=(1, n_keys), values=(-1e9, 1e9)
    )
    if not memory.is_read:
        return tiles
    if len(np.unique(learned[["agent", "key"]])) < len(learned):
        memory.refuse("tiles", "has a tile of an agent twice")
    done = 0
    while (done := _enter_all(tiles, learned, done)) < len(learned):
        tiles = grown(tiles, len(learned))
    return tiles


def _listed(tiles: Tiles) -> NDArray[np.void]:
    """All tiles of all agents."""
    parts = [np.zeros(0, LEARNED)]
    for agent in np.flatnonzero(tiles.tables["used"]).tolist():
        table = tiles.tables[agent]
        spots = int(table["block"]) + np.arange(1 << int(table["bits"]))
        spots = spots[tiles.keys[spots] != 0]
        part = np.zeros(len(spots), LEARNED)
        part["agent"], part["key"] = agent, tiles.keys[spots]
        part["values"] = tiles.values.reshape(-1, 16)[spots]
        parts.append(part)
    return np.concatenate(parts)


@kernel
def _enter_all(tiles, learned, first):
    """Enter tiles from number `first` on; the number of the first for which there is no room."""
    for number in range(first, learned.size):
        item = learned[number]
        if not make_room(tiles, item["agent"], 1):
            return number
        table = tiles.tables[item["agent"]]
        spot = _find(tiles, table, item["key"])
        tiles.keys[spot] = item["key"]
        table["used"] += 1
        for k in range(16):
            tiles.values[16 * spot + k] = item["values"][k]
    return learned.size


@inner
def _find(tiles, table, key):
    """Return where in the pool tile `key` of a table is, or is to be."""
    n = 1 << table["bits"]
    spot = home(key, n)
    while True:
        there = table["block"] + spot
        held = tiles.keys[there]
        if held == key or held == 0:
            return there
        spot = (spot + 1) & (n - 1)


@inner
def known(tiles, agent, x, y):
    """Return what `agent` has learned about the cell in column `x` and row `y` of the padded map, 0 if nothing."""
    table = tiles.tables[agent]
    if table["used"] == 0:
        return np.float32(0.0)
    key = (y >> 2) * tiles.across + (x >> 2) + 1
    spot = _find(tiles, table, key)
    if tiles.keys[spot] == 0:
        return np.float32(0.0)
    return tiles.values[16 * spot + ((y & 3) << 2 | (x & 3))]


@inner
def learn(tiles, agent, x, y, value):
    """Remember `value`; there must be room."""
    table = tiles.tables[agent]
    key = (y >> 2) * tiles.across + (x >> 2) + 1
    spot = _find(tiles, table, key)
    if tiles.keys[spot] == 0:
        tiles.keys[spot] = key
        tiles.values[16 * spot : 16 * spot + 16] = 0.0
        table["used"] += 1
    tiles.values[16 * spot + ((y & 3) << 2 | (x & 3))] = value


@inner
def make_room(tiles, agent, more):
    """Make room for `more` tiles in the table of `agent`; False if the pool has no room."""
    table = tiles.tables[agent]
    bits = max(table["bits"], SMALLEST)
    while 3 * (table["used"] + more) > 2 << bits:
        bits += 1
    if bits == table["bits"]:
        return True
    block = tiles.freed[bits]
    if block != NOWHERE:
        tiles.freed[bits] = tiles.keys[block]
    else:
        block = tiles.freed[TOP]
        if block + (1 << bits) > tiles.keys.size:
            return False
        tiles.freed[TOP] += 1 << bits
    tiles.keys[block : block + (1 << bits)] = 0
    old, old_bits = table["block"], table["bits"]
    table["block"], table["bits"] = block, bits
    if old_bits > 0:
        for spot in range(old, old + (1 << old_bits)):
            if tiles.keys[spot] != 0:
                to = _find(tiles, table, tiles.keys[spot])
                tiles.keys[to] = tiles.keys[spot]
                for k in range(16):
                    tiles.values[16 * to + k] = tiles.values[16 * spot + k]
        _give_back(tiles, old, old_bits)
    return True


@inner
def _give_back(tiles, block, bits):
    tiles.keys[block] = tiles.freed[bits]
    tiles.freed[bits] = block


@inner
def forget(tiles, agent):
    """Give the block of `agent` back."""
    table = tiles.tables[agent]
    if table["bits"] > 0:
        _give_back(tiles, table["block"], table["bits"])
        table["used"] = table["bits"] = 0

"""The arrays of BMAA*: the asked agents search if they must, and then move one after another.

Invariants  the referee refuses no move while all agents are under control.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.bmaa.fields import CoarseFields, make
from wayfolk.algorithms.controllers.bmaa.moves import begin_round, send
from wayfolk.algorithms.controllers.bmaa.search import N_FIELDS, TURN, search
from wayfolk.algorithms.controllers.bmaa.tiles import Tiles, forget, make_room
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.crew import asked, wait
from wayfolk.kernels.crossing import SOON
from wayfolk.kernels.graph import GridGraph
from wayfolk.kernels.planning import planned_by

FIXED, ROTATED, SHUFFLED = range(3)

WALKER = np.dtype(
    [
        ("limit", np.float64),  # when it searches again at the latest
        ("since", np.float64),  # when it was last on its goal
        ("goal", np.int32),  # what its table is about
        ("was", np.int32),  # where it stood when it was asked last
        ("n_path", np.int32),
        ("at", np.int32),  # how much of the path is used
        ("want", np.int32),  # its cell after this round
        ("asked", np.bool_),
        ("searches", np.bool_),
        ("moved", np.bool_),
        ("outdated", np.bool_),  # a wall was removed: what it has learned may be too much
    ],
    align=True,
)


class BoundedArrays(NamedTuple):
    """The map (`graph` has one-way moves only if there are any, `legal` all), the paths of agents, what they learned.

    `cells`, `rows`, `closed` are the scratch of a search; `entered[cell]` is the stamp of the round in which an agent was
    last sent there.
    """

    graph: GridGraph
    legal: NDArray[np.uint8]
    walkers: NDArray[np.void]
    paths: NDArray[np.int32]
    tiles: Tiles
    fields: CoarseFields
    cells: NDArray[np.void]
    rows: NDArray[np.void]
    closed: NDArray[np.int32]
    order: NDArray[np.int32]
    entered: NDArray[np.int32]
    counts: NDArray[np.int32]
    luck: NDArray[np.uint64]
    expansions: int
    moves: float
    reach: float
    slant: float
    rule: int
    push: bool
    flow: bool
    avoid: bool
    yielding: bool


def _plan_routes(arrays, crew, log, now):
    """Let the asked agents search if they must, and move on in turn; 0 if the pool is too small."""
    numbers = asked(crew)
    for number in numbers:
        if not _look(arrays, crew, number, now):
            return 0
    order = arrays.order[: numbers.size]
    _arrange(arrays, numbers, order)
    arrays.counts[N_FIELDS] = 0
    for number in order:
        if arrays.walkers[number]["searches"]:
            search(arrays, crew, number, now)
    begin_round(arrays)
    for number in order:
        send(arrays, crew, number, now)
    for number in order:
        wait(crew, number, 1)
        crew.route[number, 0] = arrays.walkers[number]["want"]
        arrays.walkers[number]["asked"] = arrays.walkers[number]["moved"] = False
    return numbers.size


planned_by(BoundedArrays, _plan_routes)


@kernel
def drop_paths(arrays, here):
    """Drop every path with a move that is not legal any more; `here` is the cell of each agent."""
    for number in range(here.size):
        walker, cell = arrays.walkers[number], here[number]
        for k in range(walker["at"], walker["n_path"]):
            there = arrays.paths[number, k]
            if cell != there and not _is_legal(arrays, cell, there):
                walker["n_path"] = walker["at"] = 0
                break
            cell = there


@kernel
def make_fields(arrays):
    """Compute the coarse fields of all agents that had one; not for goals in walls, which are in no region."""
    for number in range(arrays.fields.valid.size):
        goal = arrays.walkers[number]["goal"]
        if arrays.fields.valid[number] and (goal == NOWHERE or arrays.legal[goal] == 0):
            arrays.fields.valid[number] = False
        if arrays.fields.valid[number]:
            make(arrays.fields, number, goal, arrays.graph.stride, arrays.slant, arrays.graph.cheapest)


@inner
def _is_legal(arrays, here, there):
    """Whether a move leads from `here` to `there`."""
    for k in range(8):
        if here + arrays.graph.offsets[k] == there:
            return (arrays.legal[here] >> k) & 1 != 0
    return False


@inner
def _look(arrays, crew, number, now):
    """Where is the agent on its path, and must it search? False if there is no room for what it may learn."""
    agent, walker = crew.agents[number], arrays.walkers[number]
    here, goal = agent["here"], agent["goal"]
    if walker["goal"] != goal:
        walker["goal"], walker["n_path"], walker["at"], walker["limit"] = goal, 0, 0, 0.0
        walker["since"], walker["outdated"] = now, False
        forget(arrays.tiles, number)
        if arrays.fields.valid.size > 0:
            arrays.fields.valid[number] = False
    elif walker["at"] < walker["n_path"] and arrays.paths[number, walker["at"]] == here:
        walker["at"] += 1
    elif walker["was"] != here and not _can_return(arrays, number, here):
        walker["n_path"] = walker["at"] = 0  # it was pushed off its path
    if here == goal:
        walker["since"] = now
    walker["was"] = walker["want"] = here
    walker["asked"] = True
    is_due = walker["at"] >= walker["n_path"] or now >= walker["limit"] - SOON
    can_go = arrays.legal[here] != 0 and arrays.legal[goal] != 0  # not enclosed by walls, and both in a region
    walker["searches"] = is_due and here != goal and can_go
    if walker["searches"] and walker["outdated"]:
        walker["outdated"] = False
        forget(arrays.tiles, number)
    most = min(arrays.expansions, arrays.cells.size >> 2)  # no map has more tiles than that
    return not walker["searches"] or make_room(arrays.tiles, number, most)


@inner
def _can_return(arrays, number, here):
    """Whether an agent that has yielded is still beside the next cell of its path."""
    walker = arrays.walkers[number]
    if arrays.yielding and walker["at"] < walker["n_path"]:
        return _is_legal(arrays, here, arrays.paths[number, walker["at"]])
    return False


@inner
def _arrange(arrays, asked, order):
    """Write those who ask to `order` as they are to move."""
    walkers = arrays.walkers
    if arrays.rule == ROTATED:
        n = 0
        for k in range(walkers.size):
            number = (k + arrays.counts[TURN]) % walkers.size
            if walkers[number]["asked"]:
                order[n] = number
                n += 1
        arrays.counts[TURN] = (arrays.counts[TURN] + 1) % walkers.size
        return
    for k in range(asked.size):
        order[k] = asked[k]
    if arrays.rule == SHUFFLED:
        random.shuffle(arrays.luck, order)

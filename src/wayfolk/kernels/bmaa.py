"""The mind of BMAA*: all who are asked search if they must, and then move one after another.

Keeps    the referee has nothing to refuse unless somebody is not under control.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import GridGraph
from wayfolk.kernels import random
from wayfolk.kernels.bmaa_fields import CoarseFields
from wayfolk.kernels.bmaa_moves import SOON, begin_round, send
from wayfolk.kernels.bmaa_search import N_FIELDS, TURN, search
from wayfolk.kernels.bmaa_tiles import Tiles, forget, make_room
from wayfolk.kernels.crew import N_ASKED
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking

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
    ],
    align=True,
)


class BoundedMind(NamedTuple):
    """The map (`graph` with one-way streets if there are any, `legal` without), what everyone walks and has learned.

    `cells`, `rows`, `closed` are the scratch of a search; `entered[cell]` is the stamp of the round in which somebody was
    sent there.
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


def _think(mind, crew, log, now):
    """Let all who ask search if they must, and send them on in turn; none are served if the pool is too small."""
    asked = crew.asked[: crew.counts[N_ASKED]]
    for number in asked:
        if not _look(mind, crew, number, now):
            return 0
    order = mind.order[: asked.size]
    _arrange(mind, asked, order)
    mind.counts[N_FIELDS] = 0
    for number in order:
        if mind.walkers[number]["searches"]:
            search(mind, crew, log, number, now)
    begin_round(mind)
    for number in order:
        send(mind, crew, number, now)
    for number in order:
        crew.route[number, 0] = mind.walkers[number]["want"]
        crew.agents[number]["n_route"] = 1
        mind.walkers[number]["asked"] = mind.walkers[number]["moved"] = False
    return asked.size


thinking(BoundedMind, _think)


@inner
def _look(mind, crew, number, now):
    """Where is the agent on its path, and must it search? False if there is no room for what it may learn."""
    agent, walker = crew.agents[number], mind.walkers[number]
    here, goal = agent["here"], agent["goal"]
    if walker["goal"] != goal:
        walker["goal"], walker["n_path"], walker["at"], walker["limit"] = goal, 0, 0, 0.0
        walker["since"] = now
        forget(mind.tiles, number)
        if mind.fields.made.size > 0:
            mind.fields.made[number] = False
    elif walker["at"] < walker["n_path"] and mind.paths[number, walker["at"]] == here:
        walker["at"] += 1
    elif walker["was"] != here and not _can_return(mind, number, here):
        walker["n_path"] = walker["at"] = 0  # it was pushed off its path
    if here == goal:
        walker["since"] = now
    walker["was"] = walker["want"] = here
    walker["asked"] = True
    is_due = walker["at"] >= walker["n_path"] or now >= walker["limit"] - SOON
    walker["searches"] = is_due and here != goal and mind.legal[goal] != 0
    return not walker["searches"] or make_room(mind.tiles, number, mind.expansions)


@inner
def _can_return(mind, number, here):
    """Whether an agent that has yielded is still beside the next cell of its path."""
    walker = mind.walkers[number]
    if mind.yielding and walker["at"] < walker["n_path"]:
        for k in range(8):
            if (mind.legal[here] >> k) & 1 and here + mind.graph.offsets[k] == mind.paths[number, walker["at"]]:
                return True
    return False


@inner
def _arrange(mind, asked, order):
    """Write those who ask to `order` as they are to move."""
    walkers = mind.walkers
    if mind.rule == ROTATED:
        n = 0
        for k in range(walkers.size):
            number = (k + mind.counts[TURN]) % walkers.size
            if walkers[number]["asked"]:
                order[n] = number
                n += 1
        mind.counts[TURN] = (mind.counts[TURN] + 1) % walkers.size
        return
    for k in range(asked.size):
        order[k] = asked[k]
    if mind.rule == SHUFFLED:
        random.shuffle(mind.luck, order)

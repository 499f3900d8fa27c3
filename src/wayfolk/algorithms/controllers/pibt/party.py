"""The agents of PIBT as `priority_inheritance` and `position_swap` see them, and the arrays in which they are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.pibt.bridges import Bridges
from wayfolk.algorithms.controllers.pibt.fields import EXPANDED, FAR, GuidedFields, compare, is_nearer, reach
from wayfolk.algorithms.position_swap import partner_of, swaps
from wayfolk.algorithms.priority_inheritance import (
    BODY,
    STAY,
    Cells,
    choice,
    choose,
    has_decided,
    is_clear,
    is_taken,
    may_move,
    move_to,
    pushes,
    sort_in,
    take,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import Crew
from wayfolk.kernels.crossing import SOON, corners, is_under_way

AGENT = np.dtype(
    [
        *BODY,
        ("partner", np.int32),  # the agent with which it changes places
        ("row", np.int32),  # its field
        ("goal", np.int32),
        ("was", np.int32),  # where it stood when it last decided
        ("edits", np.int32),  # how many edits of the map its way has been compared with
        ("caller", np.int32),  # the agent that waits for its cell
        ("pulled", np.int32),  # a cell to follow into
        ("rank", np.int32),
        ("spent", np.int32),  # cells expanded for it
        ("busy", np.bool_),  # cannot act now
        ("held", np.bool_),  # could not move when it last wanted to
        ("fresh", np.bool_),  # has arrived, or lets others go first
        ("lost", np.bool_),  # stands where its field leads nowhere
    ],
    align=True,
)
KEEP = np.dtype([("until", np.float64), ("agent", np.int32)], align=True)
_MOST = np.int64(1 << 40)  # more than any way costs


class Push(NamedTuple):
    """Agents in `order` of priority, and the `claims` of cells: the number of the last step for which a cell was taken.

    `keeps`: the agent for which a cell is kept, and until when. `keys` is room for sorting. `together`: all agents act in
    every step; `rests`: agents stay on their goals; `wait` is the cost of a wait.
    """

    fields: GuidedFields
    bridges: Bridges
    bodies: NDArray[np.void]
    keys: NDArray[np.int64]
    claims: NDArray[np.int64]
    keeps: NDArray[np.void]
    order: NDArray[np.int32]
    luck: NDArray[np.uint64]
    step: NDArray[np.int64]
    together: bool
    rests: bool
    wait: int


class PushParty(NamedTuple):
    """What `priority_inheritance` and `position_swap` read."""

    nodes: Cells
    bodies: NDArray[np.void]
    occupant: NDArray[np.int32]
    claims: NDArray[np.int64]
    step: NDArray[np.int64]
    is_strict: bool
    goals: NDArray[np.int32]
    push: Push
    crew: Crew
    now: float


def new_bodies(n: int) -> NDArray[np.void]:
    """Agents that have not decided anything yet."""
    bodies = np.zeros(n, AGENT)
    for name in ("row", "goal", "was", "caller", "pulled"):
        bodies[name] = NOWHERE
    return bodies


def new_push(
    fields: GuidedFields,
    bridges: Bridges,
    order: NDArray[np.int32],
    luck: NDArray[np.uint64],
    together: bool,
    rests: bool,
    wait: int,
) -> Push:
    """The arrays before the first decision."""
    n, n_cells = len(order), len(fields.legal)
    return Push(
        fields=fields,
        bridges=bridges,
        bodies=new_bodies(n),
        keys=np.zeros(9, np.int64),
        claims=np.zeros(n_cells, np.int64),
        keeps=np.zeros(n_cells, KEEP),
        order=order,
        luck=luck,
        step=np.zeros(1, np.int64),
        together=together,
        rests=rests,
        wait=wait,
    )


def _prefer(party, agent):
    """The choices are sorted already (see `steps`), but for those of agents that are called or change places."""
    push, body = party.push, party.bodies[agent]
    if body["caller"] != NOBODY:  # it waits for this cell
        _drop_stay(party, body)
    if push.rests or push.bridges.bits[body["here"]] != 0:
        _pair(party, agent)


def _may_move(party, root, agent, k, there, other):
    """In the `distance` time model: whether agents that are moving and cells that are kept let `agent` go there."""
    push, agents = party.push, party.crew.agents
    if is_taken(party, there):
        _call(party, agent, there)
        return False
    if k == STAY:
        return True
    kept = push.keeps[there]
    if there == agents[root]["here"] or (kept["until"] > party.now and kept["agent"] != agent):
        return False
    if k < 4:
        return True
    one, two = corners(push.fields.offsets, np.int64(party.bodies[agent]["here"]), k)
    crosser, other_crosser = party.occupant[one], party.occupant[two]
    if crosser != NOBODY and is_under_way(agents[crosser], two, party.now):
        return False
    return other_crosser == NOBODY or not is_under_way(agents[other_crosser], one, party.now)


pushes(PushParty, _prefer, _may_move)


@inner
def is_free(party, agent, there):
    """Whether decisions, agents that are moving and cells that are kept let `agent` step to `there`."""
    here, other = np.int64(party.bodies[agent]["here"]), party.occupant[there]
    k = move_to(party, here, there)
    if k == STAY or not is_clear(party.nodes, party, here, k, there, other):
        return False
    return not party.is_strict or may_move(party, agent, agent, k, there, other)


@inner
def keep(push, cell, agent, until):
    """Let no agent but `agent` enter `cell` before the time `until`."""
    push.keeps[cell]["agent"], push.keeps[cell]["until"] = agent, until


@inner
def _call(party, agent, there):
    """Ask a busy agent on the best cell of `agent` to make way later, if its priority is lower."""
    bodies, other = party.bodies, party.occupant[there]
    if bodies[agent]["tried"] != 1 or other in (NOBODY, agent):
        return
    if bodies[other]["busy"] and bodies[agent]["rank"] < bodies[other]["rank"]:
        bodies[other]["caller"] = agent


@inner
def is_called(party, agent):
    """Whether an agent of higher priority still waits for the cell of `agent`."""
    body, agents = party.bodies[agent], party.crew.agents
    caller = body["caller"]
    if caller == NOBODY or not party.bodies[caller]["busy"] or agents[caller]["ready"] <= party.now + SOON:
        body["caller"] = NOBODY
        return False
    for k in range(8):
        if agents[agent]["here"] + party.crew.offsets[k] == agents[caller]["here"]:
            return party.bodies[caller]["rank"] < body["rank"]
    body["caller"] = NOBODY
    return False


@inner
def _drop_stay(party, body):
    """Take STAY away from the choices of an agent."""
    n, keys = 0, party.push.keys
    for rank in range(np.int64(body["n_choices"])):
        k = choice(party.nodes, body, rank)
        if k != STAY:
            keys[n] = k
            n += 1
    choose(party.nodes, body, keys, n)


@inner
def _pair(party, agent):
    """Find the partner with which `agent` changes places; it then prefers the costliest path, and still empty cells.

    Where agents do not stay on their goals, only at bridges: elsewhere pushing is enough, and stepping back may keep the
    agent of highest priority away from its goal for ever. An agent that cannot cross a bridge, because there is no room
    beyond it, goes to the end of the order, so that others come out.
    """
    push, body = party.push, party.bodies[agent]
    fields, here, k = push.fields, np.int64(body["here"]), choice(party.nodes, body, 0)
    if k == STAY or body["n_choices"] == 0:
        return
    best = here + fields.offsets[k]
    is_bridge = (push.bridges.bits[here] >> k) & 1 != 0
    if fields.shut[best] or not (is_bridge or push.rests):
        return
    other = party.occupant[best]
    if is_bridge and body["held"] and other != NOBODY and (party.is_strict or not has_decided(party, other)):
        body["fresh"] = True
    before = fields.counts[EXPANDED]
    body["partner"] = partner_of(party, agent, here, best, push.rests)
    body["spent"] += fields.counts[EXPANDED] - before
    if body["partner"] != NOBODY:
        _prefer_far(party, body)


@inner
def _prefer_far(party, body):
    """Sort the choices of an agent by the longest path; among equal ones those that were better before come first."""
    push, here, row = party.push, np.int64(body["here"]), body["row"]
    fields = push.fields
    n = np.int64(body["n_choices"])
    is_known = reach(fields, row, here)
    for rank in range(n):
        k = choice(party.nodes, body, rank)
        there = here if k == STAY else here + fields.offsets[k]
        price = np.int64(push.wait if k == STAY else fields.prices[here, k])
        cost = compare(fields, row, there, here) if is_known and reach(fields, row, there) else FAR
        cost += 0 if there == body["goal"] == here else price
        sort_in(push.keys, rank, ((_MOST - cost) << 8) + (rank << 4) + k)
    choose(party.nodes, body, push.keys, n)


def _is_nearer(party, agent, one, other):
    row = party.bodies[agent]["row"]
    return row != NOWHERE and is_nearer(party.push.fields, row, one, other)


def _follow(party, agent, there):
    """One that acts now takes the cell, one that is busy does so later."""
    body = party.bodies[agent]
    if body["busy"]:
        body["pulled"] = there
        keep(party.push, there, agent, party.crew.agents[agent]["ready"] + SOON)
    elif not has_decided(party, agent) and is_free(party, agent, there):
        take(party, agent, there)


swaps(PushParty, _is_nearer, _follow)

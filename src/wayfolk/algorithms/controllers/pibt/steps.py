"""Priority inheritance with backtracking: chooses the next cell of every agent that may act now, without collisions.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding",
2022, algorithm 1, with a chain of frames in place of recursion: as soon as the last agent of a chain finds a place,
every agent on it has one.

In the `distance` time model not all agents act at once. An agent that is still moving cannot be pushed: it is called
instead, and makes way when its turn comes. The cell it leaves is kept for the caller until the caller acts. Rings cannot
turn there, because the referee lets no agent into a cell that is left only later.

Invariants  after `decide` every agent that may act has a next cell; no two have the same, no two swap or cross, and no
            agent enters the cell of one that stays.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.pibt.bridges import Bridges
from wayfolk.algorithms.controllers.pibt.fields import EXPANDED, FAR, GuidedFields, compare, higher, level, reach
from wayfolk.algorithms.controllers.pibt.swap import BUSY, NOWHERE, SET, WAITS, has_move, partner
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crew import N_ASKED
from wayfolk.kernels.crossing import corners, diagonal, is_under_way

BODY = np.dtype(
    [
        ("choices", np.int64),  # moves, the best in the lowest four bits; STAY is one of them
        ("here", np.int32),
        ("next", np.int32),
        ("parent", np.int32),  # the agent that pushes it
        ("partner", np.int32),  # the agent with which it changes places
        ("row", np.int32),  # its field
        ("goal", np.int32),
        ("was", np.int32),  # where it stood when it last decided
        ("edits", np.int32),  # how many edits of the map its way has been compared with
        ("caller", np.int32),  # the agent that waits for its cell
        ("pulled", np.int32),  # a cell to follow into
        ("rank", np.int32),
        ("spent", np.int32),  # cells expanded for it
        ("n_choices", np.uint8),
        ("at", np.uint8),
        ("state", np.uint8),
        ("held", np.bool_),  # could not move when it last wanted to
        ("fresh", np.bool_),  # has arrived, or lets others go first
        ("lost", np.bool_),  # stands where its field leads nowhere
    ],
    align=True,
)
KEEP = np.dtype([("until", np.float64), ("agent", np.int32)], align=True)
STAY = 8
BLOCK = 16  # agents whose distances are read ahead
_EPS = 1e-9
_MOST = np.int64(1 << 40)  # more than any way costs


class Push(NamedTuple):
    """Agents in `order` of priority, and the cells that are claimed: those whose number in `claims` is the present `stamp`.

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
    stamp: NDArray[np.int64]
    together: bool
    rests: bool
    wait: int


def new_bodies(n: int) -> NDArray[np.void]:
    """Agents that have not decided anything yet."""
    bodies = np.zeros(n, BODY)
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
        stamp=np.zeros(1, np.int64),
        together=together,
        rests=rests,
        wait=wait,
    )


@inner
def decide(push, crew, now):
    """Set `next` for each agent in `crew.asked`; their bodies have rows, and `order` is up to date."""
    bodies, agents = push.bodies, crew.agents
    push.stamp[0] += 1
    for agent in range(agents.size):
        bodies[agent]["state"] = BUSY
    for k in range(crew.counts[N_ASKED]):
        bodies[crew.asked[k]]["state"] = WAITS
    for rank in range(push.order.size):
        bodies[push.order[rank]]["rank"] = rank
    for agent in range(agents.size):
        if agents[agent]["present"] and bodies[agent]["state"] == BUSY:
            _stand(push, crew, agent)
    _look(push, crew)
    for turn in range(1 if push.together else 0, 2):  # first the agents that were pulled or called while they were busy
        for rank in range(push.order.size):
            agent = push.order[rank]
            body = bodies[agent]
            if body["state"] != WAITS or (turn == 0 and not _heeds(push, crew, agent, now)):
                continue
            caller = body["caller"] if turn == 0 else NOBODY
            body["caller"] = caller
            _settle(push, crew, agent, now)
            if caller != NOBODY:
                if body["next"] != agents[agent]["here"]:
                    _keep(push, agents[agent]["here"], caller, agents[caller]["ready"])
                body["caller"] = NOBODY
    for k in range(crew.counts[N_ASKED]):
        body, here = bodies[crew.asked[k]], agents[crew.asked[k]]["here"]
        body["held"] = body["next"] == here and body["goal"] != here


@inner
def _look(push, crew):
    """Sort the choices of each agent that decides now: the cheapest path first, empty cells before others, ties at random.

    All agents do so before the first one decides, one after another as they lie in memory.
    """
    fields, keys = push.fields, push.keys
    for number in range(crew.counts[N_ASKED]):
        if fields.is_equal and number % BLOCK == 0:
            _touch(push, crew, number)
        agent = crew.asked[number]
        body, here = push.bodies[agent], np.int64(crew.agents[agent]["here"])
        legal, row = fields.legal[here], body["row"]
        word = np.int64(random.next_word(push.luck) >> np.uint64(1))
        before = fields.counts[EXPANDED]
        n, nearest, level_here = 0, FAR, level(fields, row, here)
        if level_here & 1 == 0 and reach(fields, row, here):
            level_here = level(fields, row, here)
        is_lost = level_here & 1 == 0
        for k in range(9):
            if k < STAY and not (legal >> k) & 1:
                continue
            there = here + fields.offsets[k] if k < STAY else here
            level_there = level(fields, row, there) if k < STAY else level_here
            if level_there & 1 == 0 and not is_lost and reach(fields, row, there):
                level_there = level(fields, row, there)
            left = FAR if is_lost or level_there & 1 == 0 else higher(fields, level_there, level_here)
            if k < STAY:
                nearest = min(nearest, left)
                price = np.int64(fields.straight if fields.is_equal else fields.prices[here, k])
                price = (price << 1) + (crew.occupant[there] != NOBODY)
            else:
                price = np.int64(0 if here == body["goal"] else push.wait) << 1
            _sort_in(keys, n, (((left << 1) + price) << 11) + ((word >> (7 * k)) & 127) * 16 + k)
            n += 1
        body["here"], body["choices"], body["n_choices"] = here, _moves(keys, n), n
        if fields.rows[row]["edits"] < fields.edits.counts[0] and here != body["goal"]:
            body["lost"] = is_lost or nearest >= 0
        body["spent"] += fields.counts[EXPANDED] - before


@inner
def _touch(push, crew, first):
    """Read the distances around the next BLOCK agents: many reads from memory at once, before they are needed."""
    fields, total = push.fields, np.int64(0)
    for number in range(first, min(first + BLOCK, crew.counts[N_ASKED])):
        agent = crew.asked[number]
        row, here = push.bodies[agent]["row"], np.int64(crew.agents[agent]["here"])
        for cell in (here - fields.stride, here, here + fields.stride):
            total += level(fields, row, cell)
    push.keys[0] = total


@inner
def _sort_in(keys, n, key):
    """Put `key` among the first `n` keys."""
    while n > 0 and keys[n - 1] > key:
        keys[n] = keys[n - 1]
        n -= 1
    keys[n] = key


@inner
def _moves(keys, n):
    """The lowest four bits of the first `n` keys, as one number."""
    moves = np.int64(0)
    for k in range(n):
        moves |= (keys[k] & 15) << (4 * k)
    return moves


@inner
def _heeds(push, crew, agent, now):
    """Whether an agent still waits for the cell of `agent`; one that was pulled follows if it can, and has decided then."""
    body, here = push.bodies[agent], crew.agents[agent]["here"]
    there = body["pulled"]
    body["pulled"] = NOWHERE
    if there != NOWHERE and crew.occupant[there] == NOBODY and push.claims[there] != push.stamp[0]:
        is_step = has_move(crew.offsets, push.fields.legal[here], here, there)
        if is_step and _is_clear(push, crew, agent, agent, here, there, NOBODY, now):
            body["state"], body["next"], body["caller"] = SET, there, NOBODY
            _claim(push, there)
            return False
    return _is_called(push, crew, agent, now)


@inner
def _keep(push, cell, agent, until):
    """Let no agent but `agent` enter `cell` before the time `until`."""
    push.keeps[cell]["agent"], push.keeps[cell]["until"] = agent, until


@inner
def _stand(push, crew, agent):
    """Claim the cells of an agent that does not decide now: its own, and its next one if it is not ours."""
    here = crew.agents[agent]["here"]
    push.bodies[agent]["next"] = here
    _claim(push, here)
    if not crew.agents[agent]["ours"] and crew.answers[agent]["at"] < crew.answers[agent]["n_route"]:
        there = crew.route[agent, crew.answers[agent]["at"]]
        push.bodies[agent]["next"] = there
        _claim(push, there)


@inner
def _claim(push, cell):
    push.claims[cell] = push.stamp[0]


@inlined
def _settle(push, crew, root, now):
    """Find a next cell for `root`, and for all agents that it pushes."""
    bodies = push.bodies
    agent, parent, begins, has_partner = root, NOBODY, True, False
    while True:
        body = bodies[agent]
        here = body["here"]
        if begins:
            begins = False
            body["state"], body["parent"], body["at"], body["next"] = SET, parent, 0, NOWHERE
            body["partner"] = NOBODY
            if body["caller"] != NOBODY:  # it waits for this cell
                _drop_stay(body)
            if push.rests or push.bridges.bits[here] != 0:
                _pair(push, crew, agent)
                has_partner = has_partner or body["partner"] != NOBODY
        if (
            body["at"] == body["n_choices"]
        ):  # nothing is left: it stays, and the agent that pushed it tries its next choice
            body["next"] = here
            push.claims[here] = push.stamp[0]
            if agent == root:
                break
            agent = body["parent"]
            continue
        k = (body["choices"] >> (4 * body["at"])) & 15
        body["at"] += 1
        there = here if k == STAY else here + crew.offsets[k]
        if push.claims[there] == push.stamp[0]:
            if not push.together:
                _call(push, crew, agent, there)
            continue
        other = crew.occupant[there]
        if k != STAY and not _is_clear(push, crew, root, agent, here, there, other, now):
            continue
        body["next"] = there
        push.claims[there] = push.stamp[0]
        if other == NOBODY or bodies[other]["state"] != WAITS:
            if has_partner:
                _pull(push, crew, root, agent, now)
            break
        agent, parent, begins = other, agent, True


@inner
def _drop_stay(body):
    """Take STAY away from the choices of an agent."""
    moves, n = np.int64(0), 0
    for rank in range(np.int64(body["n_choices"])):
        k = (body["choices"] >> (4 * rank)) & 15
        if k != STAY:
            moves |= k << (4 * n)
            n += 1
    body["choices"], body["n_choices"] = moves, n


@inner
def _pair(push, crew, agent):
    """Find the partner with which `agent` changes places; it then prefers the costliest path, and still empty cells."""
    body, fields = push.bodies[agent], push.fields
    before = fields.counts[EXPANDED]
    body["partner"] = partner(push, crew, agent)
    body["spent"] += fields.counts[EXPANDED] - before
    if body["partner"] == NOBODY:
        return
    n = np.int64(body["n_choices"])
    here = np.int64(body["here"])
    row = body["row"]
    is_known = reach(fields, row, here)
    for rank in range(n):
        k = (body["choices"] >> (4 * rank)) & 15
        price = np.int64(push.wait if k == STAY else fields.prices[here, k])
        there = here if k == STAY else here + fields.offsets[k]
        cost = compare(fields, row, there, here) if is_known and reach(fields, row, there) else FAR
        cost += 0 if there == body["goal"] == here else price
        _sort_in(push.keys, rank, ((_MOST - cost) << 8) + (rank << 4) + k)
    body["choices"] = _moves(push.keys, n)


@inner
def _pull(push, crew, root, agent, now):
    """The chain from `root` to `agent` has found a place: an agent that steps back for a swap pulls its partner."""
    bodies = push.bodies
    while True:
        body, here = bodies[agent], crew.agents[agent]["here"]
        other = body["partner"]
        if other != NOBODY and body["at"] == 1 and push.claims[here] != push.stamp[0]:
            if bodies[other]["state"] == BUSY:
                bodies[other]["pulled"] = here
                _keep(push, here, other, crew.agents[other]["ready"] + _EPS)
            elif bodies[other]["state"] == WAITS:
                if _is_clear(push, crew, other, other, crew.agents[other]["here"], here, agent, now):
                    bodies[other]["state"], bodies[other]["next"] = SET, here
                    _claim(push, here)
        if agent == root:
            return
        agent = body["parent"]


@inlined
def _is_clear(push, crew, root, agent, here, there, other, now):
    """Whether the decisions so far let `agent` go to `there`, where `other` (or NOBODY) stands."""
    bodies, agents = push.bodies, crew.agents
    clear = other == NOBODY or bodies[other]["state"] != SET or bodies[other]["next"] != here
    if not push.together:
        is_ring = there == agents[root]["here"]
        is_kept = push.keeps[there]["until"] > now and push.keeps[there]["agent"] != agent
        clear = clear and not is_ring and not is_kept
    k = diagonal(crew.offsets, here, there)
    if clear and k > 0:
        beside, across = corners(crew.offsets, here, k)
        for _ in range(2):
            crosser = crew.occupant[beside]
            if crosser != NOBODY:
                if bodies[crosser]["state"] != WAITS and bodies[crosser]["next"] == across:
                    clear = False
                if is_under_way(agents[crosser], across, now):
                    clear = False
            beside, across = across, beside
    return clear


@inner
def _call(push, crew, agent, there):
    """Ask a busy agent on the best cell of `agent` to make way later, if its priority is lower."""
    bodies = push.bodies
    other = crew.occupant[there]
    if bodies[agent]["at"] != 1 or other in (NOBODY, agent):
        return
    if bodies[other]["state"] == BUSY and bodies[agent]["rank"] < bodies[other]["rank"]:
        bodies[other]["caller"] = agent


@inner
def _is_called(push, crew, agent, now):
    """Whether an agent of higher priority still waits for the cell of `agent`."""
    body, agents = push.bodies[agent], crew.agents
    caller = body["caller"]
    if caller == NOBODY or push.bodies[caller]["state"] != BUSY or agents[caller]["ready"] <= now + _EPS:
        body["caller"] = NOBODY
        return False
    for k in range(8):
        if agents[agent]["here"] + crew.offsets[k] == agents[caller]["here"]:
            return push.bodies[caller]["rank"] < body["rank"]
    body["caller"] = NOBODY
    return False

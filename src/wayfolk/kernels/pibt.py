"""Priority inheritance with backtracking, for those agents that may act now: who goes where, without a collision.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding",
2022, algorithm 1, with a chain of frames in place of recursion: as soon as the last agent of a chain finds a place,
everybody on it has one.

Where actions take as long as they are far, not everybody acts at once. Somebody who is still moving cannot be pushed: it
is called instead, and makes way when its turn comes; the place it leaves is kept for the caller until that acts. Rings
cannot turn there, as the referee lets nobody into a cell that is left only later.

Keeps    after `decide` every agent that may act has a next cell; no two have the same, no two swap or cross, and nobody
         enters the cell of one that stays.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import random
from wayfolk.kernels.bridges import Bridges
from wayfolk.kernels.crew import N_ASKED, NOBODY
from wayfolk.kernels.guided_fields import EXPANDED, GuidedFields, distance
from wayfolk.kernels.jit import inner
from wayfolk.kernels.pibt_swap import BUSY, NOWHERE, SET, WAITS, has_move, partner

BODY = np.dtype(
    [
        ("next", np.int32),
        ("parent", np.int32),  # who pushes it
        ("partner", np.int32),  # with whom it changes places
        ("row", np.int32),  # its field
        ("goal", np.int32),
        ("was", np.int32),  # where it stood when it last decided
        ("caller", np.int32),  # who waits for its cell
        ("pulled", np.int32),  # a cell to follow into
        ("rank", np.int32),
        ("n_choices", np.int32),
        ("at", np.int32),
        ("spent", np.int32),  # cells expanded for it
        ("state", np.uint8),
        ("held", np.bool_),  # could not move when it last wanted to
        ("fresh", np.bool_),  # has arrived, or lets others go first
    ],
    align=True,
)
CLAIM = np.dtype([("stamp", np.int64), ("until", np.float64), ("kept_for", np.int32)], align=True)
_EPS = 1e-9
_MOST = np.int64(1 << 40)  # more than any way costs


class Push(NamedTuple):
    """Agents in `order` of priority, their `choices` (cells, best first), and who has claimed which cell.

    `together` says that everybody acts in every step, `rests` that goals are for staying; `wait` is the price of a wait.
    """

    fields: GuidedFields
    bridges: Bridges
    bodies: NDArray[np.void]
    choices: NDArray[np.int32]
    keys: NDArray[np.int64]
    claims: NDArray[np.void]
    order: NDArray[np.int32]
    luck: NDArray[np.uint64]
    stamp: NDArray[np.int64]
    together: bool
    rests: bool
    wait: int


def new_push(
    fields: GuidedFields,
    bridges: Bridges,
    order: NDArray[np.int32],
    luck: NDArray[np.uint64],
    together: bool,
    rests: bool,
    wait: int,
) -> Push:
    """Nobody has decided anything yet."""
    n, n_cells = len(order), len(fields.legal)
    bodies = np.zeros(n, BODY)
    for name in ("row", "goal", "was", "caller", "pulled"):
        bodies[name] = NOWHERE
    claims = np.zeros(n_cells, CLAIM)
    return Push(
        fields, bridges, bodies, np.zeros((n, 9), np.int32), np.zeros(9, np.int64), claims, order, luck,
        np.zeros(1, np.int64), together, rests, wait,
    )  # fmt: skip


@inner
def decide(push, crew, now):
    """Set `next` for everyone in `crew.asked`; their bodies have rows, and `order` is that of today."""
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
    if not push.together:
        _heed(push, crew, now)
    for rank in range(push.order.size):
        agent = push.order[rank]
        if bodies[agent]["state"] == WAITS:
            bodies[agent]["caller"] = NOBODY
            _settle(push, crew, agent, now)
    for k in range(crew.counts[N_ASKED]):
        body, here = bodies[crew.asked[k]], agents[crew.asked[k]]["here"]
        body["held"] = body["next"] == here and body["goal"] != here


@inner
def _heed(push, crew, now):
    """First of all, those who were pulled or called while they were busy do as they were told."""
    bodies, agents = push.bodies, crew.agents
    for rank in range(push.order.size):
        agent = push.order[rank]
        body, here = bodies[agent], agents[agent]["here"]
        if body["state"] != WAITS:
            continue
        there = body["pulled"]
        body["pulled"] = NOWHERE
        if there != NOWHERE and crew.occupant[there] == NOBODY and push.claims[there]["stamp"] != push.stamp[0]:
            is_step = has_move(crew.offsets, push.fields.legal[here], here, there)
            if is_step and _is_clear(push, crew, agent, agent, here, there, NOBODY, now):
                body["state"], body["next"], body["caller"] = SET, there, NOBODY
                _claim(push, there)
        if body["state"] == WAITS and _is_called(push, crew, agent, now):
            _settle(push, crew, agent, now)
            if body["next"] != here:
                _keep(push, here, body["caller"], agents[body["caller"]]["ready"])
            body["caller"] = NOBODY


@inner
def _keep(push, cell, agent, until):
    """Nobody but `agent` may enter `cell` until then."""
    push.claims[cell]["kept_for"], push.claims[cell]["until"] = agent, until


@inner
def _stand(push, crew, agent):
    """Claim the cells of somebody who does not decide here: its own, and where it goes if it is not ours."""
    here = crew.agents[agent]["here"]
    push.bodies[agent]["next"] = here
    _claim(push, here)
    if not crew.agents[agent]["ours"] and crew.agents[agent]["at"] < crew.agents[agent]["n_route"]:
        there = crew.route[agent, crew.agents[agent]["at"]]
        push.bodies[agent]["next"] = there
        _claim(push, there)


@inner
def _claim(push, cell):
    push.claims[cell]["stamp"] = push.stamp[0]


@inner
def _settle(push, crew, root, now):
    """Find a place for `root`, and for all whom it pushes."""
    bodies, agents = push.bodies, crew.agents
    _begin(push, crew, root, NOBODY)
    agent = root
    while True:
        body = bodies[agent]
        here = agents[agent]["here"]
        if body["at"] == body["n_choices"]:  # nothing is left: it stays, and who pushed it has to look elsewhere
            body["next"] = here
            _claim(push, here)
            if agent == root:
                return
            agent = body["parent"]
            continue
        there = push.choices[agent, body["at"]]
        body["at"] += 1
        if push.claims[there]["stamp"] == push.stamp[0]:
            _call(push, crew, agent, there)
            continue
        other = crew.occupant[there]
        if there != here and not _is_clear(push, crew, root, agent, here, there, other, now):
            continue
        body["next"] = there
        _claim(push, there)
        if other == NOBODY or bodies[other]["state"] != WAITS:
            _pull(push, crew, root, agent, now)
            return
        _begin(push, crew, other, agent)
        agent = other


@inner
def _begin(push, crew, agent, parent):
    """Put the choices of `agent` in order: the cheapest way first, empty cells before others, then by chance."""
    body, fields, choices, keys = push.bodies[agent], push.fields, push.choices[agent], push.keys
    here, goal = crew.agents[agent]["here"], body["goal"]
    body["state"], body["parent"], body["at"], body["next"] = SET, parent, 0, NOWHERE
    before = fields.counts[EXPANDED]
    word = np.int64(random.next_word(push.luck) >> np.uint64(1))
    n = 0
    for k in range(9):
        if k == 8:
            there = here
            if body["caller"] != NOBODY:
                continue  # somebody waits for this cell
            left = np.int64(distance(fields, body["row"], here))
            price = 0 if here == goal else push.wait
        elif (fields.legal[here] >> k) & 1:
            there = here + fields.offsets[k]
            left = np.int64(distance(fields, body["row"], there))
            price = fields.prices[here, k]
        else:
            continue
        is_taken = k < 8 and crew.occupant[there] != NOBODY
        key = ((left + price) << 8) + (128 if is_taken else 0) + ((word >> (7 * k)) & 127)
        _sort_in(keys, choices, n, key, there)
        n += 1
    body["n_choices"] = n
    body["partner"] = partner(push, crew, agent)
    body["spent"] += fields.counts[EXPANDED] - before
    if body["partner"] != NOBODY:  # the worst way first, but still empty cells before others
        for k in range(n):
            _sort_in(keys, choices, k, (_MOST - (keys[k] >> 8) << 8) + (keys[k] & 255), choices[k])


@inner
def _sort_in(keys, choices, n, key, cell):
    """Put `cell` among the first `n` choices by its key."""
    while n > 0 and keys[n - 1] > key:
        keys[n], choices[n] = keys[n - 1], choices[n - 1]
        n -= 1
    keys[n], choices[n] = key, cell


@inner
def _pull(push, crew, root, agent, now):
    """The chain from `root` to `agent` has found a place: who steps back to change places draws the other after it."""
    bodies = push.bodies
    while True:
        body, here = bodies[agent], crew.agents[agent]["here"]
        other = body["partner"]
        if other != NOBODY and body["at"] == 1 and push.claims[here]["stamp"] != push.stamp[0]:
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


@inner
def _is_clear(push, crew, root, agent, here, there, other, now):
    """Whether `agent` may go to `there`, where `other` stands or nobody does, as far as decisions are made."""
    bodies, agents = push.bodies, crew.agents
    if other != NOBODY and bodies[other]["state"] == SET and bodies[other]["next"] == here:
        return False
    if not push.together:
        if there == agents[root]["here"]:  # a ring
            return False
        if push.claims[there]["until"] > now and push.claims[there]["kept_for"] != agent:
            return False
    for k in range(4, 8):
        if here + crew.offsets[k] != there:
            continue
        beside = here + crew.offsets[k - 4]
        across = there - crew.offsets[k - 4]
        for _ in range(2):
            other = crew.occupant[beside]
            if other != NOBODY:
                if bodies[other]["state"] != WAITS and bodies[other]["next"] == across:
                    return False
                if agents[other]["came"] == across and agents[other]["ready"] > now + _EPS:
                    return False
            beside, across = across, beside
    return True


@inner
def _call(push, crew, agent, there):
    """Ask whoever is busy on the best cell of `agent` to make way later, if it is of less importance."""
    bodies = push.bodies
    other = crew.occupant[there]
    if push.together or bodies[agent]["at"] != 1 or other in (NOBODY, agent):
        return
    if bodies[other]["state"] == BUSY and bodies[agent]["rank"] < bodies[other]["rank"]:
        bodies[other]["caller"] = agent


@inner
def _is_called(push, crew, agent, now):
    """Whether somebody of more importance still waits for the cell of `agent`."""
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

"""The next cell of every agent that may act now, without collisions: priority inheritance with backtracking, and swaps.

The chain of pushes is that of `wayfolk.algorithms.priority_inheritance`; `party` says how our agents choose.

In the `distance` time model not all agents act at once. An agent that is still moving cannot be pushed: it is called
instead, and makes way when its turn comes. The cell it leaves is kept for the caller until the caller acts. Rings cannot
turn there, because the referee lets no agent into a cell that is left only later.

Invariants  after `decide` every agent that may act has a next cell; no two have the same, no two swap or cross, and no
            agent enters the cell of one that stays.
"""

import numpy as np

from wayfolk.algorithms.controllers.pibt.fields import EXPANDED, FAR, higher, level, reach
from wayfolk.algorithms.controllers.pibt.party import PushParty, is_called, is_free, keep
from wayfolk.algorithms.position_swap import pull
from wayfolk.algorithms.priority_inheritance import STAY, Cells, choose, has_decided, settle, sort_in, take
from wayfolk.compile.jit import inner
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import N_ASKED

BLOCK = 16  # agents whose distances are read ahead


@inner
def decide(push, crew, now):
    """Set `next` for each agent in `crew.asked`; their bodies have rows, and `order` is up to date."""
    bodies, agents = push.bodies, crew.agents
    push.step[0] += 1
    cells = Cells(push.fields.legal, push.fields.offsets, push.fields.shut)
    strict = not push.together
    party = PushParty(
        cells, bodies, crew.occupant, push.claims, push.step,
        is_strict=strict, goals=bodies["goal"], push=push, crew=crew, now=now,
    )  # fmt: skip
    for agent in range(agents.size):
        bodies[agent]["busy"] = True
    for k in range(crew.counts[N_ASKED]):
        bodies[crew.asked[k]]["busy"] = False
    for rank in range(push.order.size):
        bodies[push.order[rank]]["rank"] = rank
    for agent in range(agents.size):
        if agents[agent]["present"] and bodies[agent]["busy"]:
            _stand(party, agent)
    _look(cells, push, crew)
    for turn in range(1 if push.together else 0, 2):  # first the agents that were pulled or called while they were busy
        for rank in range(push.order.size):
            agent = push.order[rank]
            body = bodies[agent]
            if body["busy"] or has_decided(party, agent) or (turn == 0 and not _heeds(party, agent)):
                continue
            caller = body["caller"] if turn == 0 else NOBODY
            body["caller"] = caller
            body["is_sorted"] = body["is_sorted"] and caller == NOBODY
            last = settle(party, agent)
            if last != NOBODY:
                pull(party, agent, last)
            if caller != NOBODY:
                if body["next"] != agents[agent]["here"]:
                    keep(push, agents[agent]["here"], caller, agents[caller]["ready"])
                body["caller"] = NOBODY
    for k in range(crew.counts[N_ASKED]):
        body, here = bodies[crew.asked[k]], agents[crew.asked[k]]["here"]
        body["held"] = body["next"] == here and body["goal"] != here


@inner
def _stand(party, agent):
    """Claim the cells of an agent that does not decide now: its own, and its next one if it is not ours."""
    crew = party.crew
    take(party, agent, crew.agents[agent]["here"])
    if not crew.agents[agent]["ours"] and crew.answers[agent]["at"] < crew.answers[agent]["n_route"]:
        take(party, agent, crew.route[agent, crew.answers[agent]["at"]])


@inner
def _heeds(party, agent):
    """Whether an agent still waits for the cell of `agent`; one that was pulled follows if it can, and has decided then."""
    body = party.bodies[agent]
    there = body["pulled"]
    body["pulled"] = NOWHERE
    if there != NOWHERE and party.occupant[there] == NOBODY and is_free(party, agent, there):
        body["caller"] = NOBODY
        take(party, agent, there)
        return False
    return is_called(party, agent)


@inner
def _look(cells, push, crew):
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
            sort_in(keys, n, (((left << 1) + price) << 11) + ((word >> (7 * k)) & 127) * 16 + k)
            n += 1
        body["here"] = here
        choose(cells, body, keys, n)
        body["partner"], body["is_sorted"] = NOBODY, not push.rests and push.bridges.bits[here] == 0
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
def rank(push, later):
    """Put agents that have just arrived behind all others."""
    n = n_later = 0
    for k in range(push.order.size):
        agent = push.order[k]
        if push.bodies[agent]["fresh"]:
            push.bodies[agent]["fresh"] = False
            later[n_later] = agent
            n_later += 1
        else:
            push.order[n] = agent
            n += 1
    for k in range(n_later):
        push.order[n + k] = later[k]

"""The loop of large neighbourhood search: take some agents off the map, plan for one after another, keep what is better.

With `COUNTING`, agents may collide, and a new plan is kept if no more pairs of agents do. Otherwise it has no collisions,
and is kept if the sum of costs is not larger; `BY_MAKESPAN`, if all of its agents arrive before the last one did. The loop
is a state machine, so that it can stop after any expansion, or when an array is full.

Invariants  the sum of costs, the makespan, or the number of colliding pairs never rises.
"""

import numpy as np

from wayfolk.algorithms.planners._sipp.collisions import count_pairs
from wayfolk.algorithms.planners._sipp.fleet import (
    ACCEPTED,
    ADDED,
    ALLOWED,
    BEST_PAIRS,
    BOUND,
    BY_MAKESPAN,
    COUNTING,
    EFFORT,
    FIRST,
    LEAST_LONGEST,
    LONGEST,
    METHOD,
    N_MEMBERS,
    NEW_SUM,
    OLD_PAIRS,
    OLD_SUM,
    PAIRS,
    PHASE,
    REPAIRS,
    SCALE,
    SPENT,
    STALLED,
    SUM,
    TURN,
    arrival,
    last_arrival,
    put,
    take,
)
from wayfolk.algorithms.planners._sipp.neighbourhoods import choose
from wayfolk.algorithms.planners._sipp.search import EXPANDED, GREED, begin_search, go_on_searching, write_path
from wayfolk.algorithms.planners._sipp.traffic import LAST, last_left
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EXHAUSTED, FULL, RUNNING
from wayfolk.kernels.distances import UNREACHED, steps_between

CHOOSE, NEXT, SEARCH, WRITE, ADD = range(5)
"""Phases: what is done next. An agent is searched for, its path is written and then added to the visits."""
DONE, STUCK, CUT_OFF, NEEDS_LABELS, NEEDS_STOPS, NEEDS_VISITS = range(FULL + 1, FULL + 7)  # more outcomes
REACTION = 0.03  # how fast averages follow new values
NO_END = 1 << 60
GREEDS = (0, 4, 16, 48)  # by effort: sixteenths of the distance that are added to a label's key
EFFORTS = (1000, 100, 50, 25)  # by effort: expansions after which a search ends, for each step of a shortest path


@kernel
def work(fleet, patience, budget):
    """Expand up to `budget` labels; a choice of agents counts as one.

    RUNNING; DONE if there are no collisions or no delays left; STUCK after `patience` repairs without progress; or which
    array must be enlarged before it can continue.
    """
    counts, tree, expanded = fleet.counts, fleet.tree, fleet.tree.counts
    stop = expanded[EXPANDED] + budget
    while True:
        if counts[PHASE] == CHOOSE:
            if counts[PAIRS] == 0 and (counts[COUNTING] or _is_least(counts)):
                return DONE
            if counts[STALLED] >= patience:
                return STUCK
            if expanded[EXPANDED] >= stop:
                return RUNNING
            expanded[EXPANDED] += 1
            choose(fleet)
            if _is_worth_it(fleet):
                _take_members(fleet)
                counts[PHASE] = NEXT
        elif counts[PHASE] == NEXT:
            if counts[TURN] == counts[N_MEMBERS]:
                _accept(fleet)
                counts[PHASE] = CHOOSE
                continue
            agent = fleet.members[counts[TURN]]
            runner = fleet.runners[agent]
            _set_effort(fleet, runner)
            begin_search(
                tree, fleet.fields, fleet.visits, fleet.is_hard, agent, runner["start"], runner["goal"], fleet.random
            )
            counts[PHASE] = SEARCH
        elif counts[PHASE] == SEARCH:
            agent = fleet.members[counts[TURN]]
            code = go_on_searching(
                tree,
                fleet.fields,
                traffic=fleet.visits,
                is_hard=fleet.is_hard,
                agent=agent,
                most=_latest(fleet),
                random=fleet.random,
                budget=min(stop, counts[ALLOWED]) - expanded[EXPANDED],
            )
            if code == RUNNING:
                if expanded[EXPANDED] < counts[ALLOWED]:
                    return RUNNING
                code = EXHAUSTED
            if code == FULL:
                return NEEDS_LABELS
            if code == EXHAUSTED:
                _undo(fleet)
                counts[PHASE] = CHOOSE
            else:
                counts[PHASE] = WRITE
        elif counts[PHASE] == WRITE:
            row, agent = _new_row(fleet, counts[TURN]), fleet.members[counts[TURN]]
            n = write_path(tree, fleet.paths[row])
            if n > fleet.paths.shape[1]:
                return NEEDS_STOPS
            fleet.sizes[row] = n
            counts[NEW_SUM] += arrival(fleet, row)
            count_pairs(fleet, agent, row, 1)
            counts[ADDED] = 0
            counts[PHASE] = ADD
        else:
            if not put(fleet, fleet.members[counts[TURN]], _new_row(fleet, counts[TURN])):
                return NEEDS_VISITS
            counts[TURN] += 1
            counts[PHASE] = NEXT
            if counts[PAIRS] > counts[OLD_PAIRS]:
                _undo(fleet)
                counts[PHASE] = CHOOSE


@kernel
def measure(fleet, budget):
    """Find the distances of up to `budget` agents, from number TURN on: DONE after the last, CUT_OFF, or RUNNING."""
    counts = fleet.counts
    for _ in range(budget):
        if counts[TURN] == fleet.runners.size:
            counts[TURN] = 0
            return DONE
        runner = fleet.runners[counts[TURN]]
        runner["least"] = steps_between(fleet.fields, counts[TURN], runner["start"])
        fleet.tree.counts[EXPANDED] += 1
        if runner["least"] == UNREACHED:
            return CUT_OFF
        counts[BOUND] += runner["least"]
        counts[TURN] += 1
    return RUNNING


@inner
def _is_least(counts):
    """Whether no plan can be better than this one, which has no collisions."""
    return counts[LONGEST] == counts[LEAST_LONGEST] if counts[BY_MAKESPAN] else counts[SUM] == counts[BOUND]


@inner
def _is_worth_it(fleet):
    """Whether there are members and, without collisions, one of them is delayed."""
    counts = fleet.counts
    if counts[COUNTING] or counts[BY_MAKESPAN]:
        return counts[N_MEMBERS] > 0
    for k in range(counts[N_MEMBERS]):
        runner = fleet.runners[fleet.members[k]]
        if runner["delay"] > 0:
            return True
    return False


@inner
def _new_row(fleet, turn):
    """The row for the new path of a member."""
    return fleet.runners[fleet.members[turn]]["row"] if fleet.counts[FIRST] else fleet.spare[turn]


@inner
def _latest(fleet):
    """When the member whose turn it is must arrive at the latest, if the plan is not to become worse."""
    counts = fleet.counts
    if counts[COUNTING]:
        return np.int64(LAST)
    if counts[BY_MAKESPAN]:
        return counts[LONGEST] - 1
    latest = counts[OLD_SUM] - counts[NEW_SUM]
    for k in range(counts[TURN] + 1, counts[N_MEMBERS]):
        latest -= fleet.runners[fleet.members[k]]["soonest"]
    return latest


@inner
def _set_effort(fleet, runner):
    """Set how greedy the search for a member is, and how many expansions it may take."""
    counts, expanded = fleet.counts, fleet.tree.counts
    if counts[COUNTING]:
        expanded[GREED], counts[ALLOWED] = 0, NO_END
    else:
        expanded[GREED] = GREEDS[counts[EFFORT]]
        counts[ALLOWED] = expanded[EXPANDED] + EFFORTS[counts[EFFORT]] * (64 + runner["least"])


@inner
def _take_members(fleet):
    """Take the members off the map."""
    counts = fleet.counts
    counts[OLD_PAIRS], counts[OLD_SUM], counts[NEW_SUM], counts[TURN] = counts[PAIRS], 0, 0, 0
    counts[SPENT] = fleet.tree.counts[EXPANDED]
    for k in range(counts[N_MEMBERS]):
        agent = fleet.members[k]
        row = fleet.runners[agent]["row"]
        counts[OLD_SUM] += arrival(fleet, row)
        take(fleet, agent, row)
        count_pairs(fleet, agent, row, -1)
    for k in range(counts[N_MEMBERS]):
        runner = fleet.runners[fleet.members[k]]
        _, passed = last_left(fleet.visits, fleet.is_hard, runner["goal"])
        runner["soonest"] = max(runner["least"], passed)


@inner
def _accept(fleet):
    """Keep the new paths of all members."""
    counts = fleet.counts
    if counts[FIRST]:
        counts[FIRST] = 0
    else:
        for k in range(counts[N_MEMBERS]):
            runner = fleet.runners[fleet.members[k]]
            runner["row"], fleet.spare[k] = fleet.spare[k], runner["row"]
            runner["delay"] = arrival(fleet, runner["row"]) - runner["least"]
        gain = counts[OLD_PAIRS] - counts[PAIRS] if counts[COUNTING] else counts[OLD_SUM] - counts[NEW_SUM]
        if counts[BY_MAKESPAN]:
            gain, counts[LONGEST] = np.int64(1), last_arrival(fleet)
        counts[ACCEPTED] += 1
        _learn(fleet, gain)
    counts[SUM] += counts[NEW_SUM] - counts[OLD_SUM]
    if counts[PAIRS] < counts[BEST_PAIRS]:
        counts[BEST_PAIRS], counts[STALLED] = counts[PAIRS], 0


@inner
def _undo(fleet):
    """Go back to the old paths of all members; TURN of them have new ones on the map."""
    counts = fleet.counts
    for k in range(counts[TURN]):
        take(fleet, fleet.members[k], fleet.spare[k])
        count_pairs(fleet, fleet.members[k], fleet.spare[k], -1)
    for k in range(counts[N_MEMBERS]):
        agent = fleet.members[k]
        row = fleet.runners[agent]["row"]
        count_pairs(fleet, agent, row, 1)
        counts[ADDED] = 0
        put(fleet, agent, row)  # there is room: these visits were there before
    _learn(fleet, 0)


@inner
def _learn(fleet, gain):
    """Let the averages of what was chosen follow the gain, and the expansions that it took."""
    counts = fleet.counts
    spent = max(1, fleet.tree.counts[EXPANDED] - counts[SPENT])
    _follow(fleet.methods[counts[METHOD]], gain, spent)
    _follow(fleet.efforts[counts[EFFORT]], gain, spent)
    _follow(fleet.scales[counts[SCALE]], gain, spent)
    counts[REPAIRS] += 1
    if counts[COUNTING]:
        counts[STALLED] += 1


@inner
def _follow(arm, gain, spent):
    arm[0] += REACTION * (gain - arm[0])
    arm[1] += REACTION * (spent - arm[1])

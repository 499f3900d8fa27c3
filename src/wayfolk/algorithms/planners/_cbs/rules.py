"""What the constraints of a node and its ancestors forbid one agent: rules for each place, read by every single search."""

import numpy as np

from wayfolk.algorithms.planners._cbs.moves import applies, lag, most_places, place_at, scope, span, stay
from wayfolk.algorithms.planners._cbs.tables import (
    AWAY,
    DIAGONAL,
    DONE,
    EDGE,
    FOREVER,
    FULL_RULES,
    FULL_TIME,
    LAST_TIME,
    LEAST_END,
    LONGER,
    MOST_END,
    N_RULES,
    PRESENT,
    ROOT,
    SHORTER,
    VERTEX,
)  # fmt: skip
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE

ANYWHERE = np.int64(NOWHERE)
"""The origin of a rule that holds for every step that holds a place."""
PRESENT_RULE = ANYWHERE - 1
"""The origin of a rule that says where the agent has to be."""


@inner
def gather(s, node, agent):
    """Write what the constraints of `node` and its ancestors forbid `agent` to `rules`, `must` and `counts`."""
    counts = s.counts
    for k in range(counts[N_RULES]):
        s.first_rule[s.rules[k]["place"]] = 0
        if s.rules[k]["origin"] == PRESENT_RULE:
            s.must[s.rules[k]["begin"]] = NOWHERE
    counts[N_RULES] = 0
    counts[LAST_TIME], counts[LEAST_END], counts[MOST_END] = -1, 0, FOREVER
    while True:
        first = s.tree[node]["first_constraint"]
        for k in range(first, first + s.tree[node]["n_constraints"]):
            if counts[N_RULES] + 3 + most_places(s.moves) > s.rules.size:
                return FULL_RULES
            row = s.constraints[k]
            kind, begin, end = row["kind"], np.int64(row["begin"]), np.int64(row["end"])
            a, b = np.int64(row["a"]), np.int64(row["b"])
            if row["agent"] == agent:
                if kind == VERTEX:
                    _add_rule(s, a, ANYWHERE, begin, end)
                    if s.owner[a] == agent + 1:
                        counts[LEAST_END] = max(counts[LEAST_END], end + 1 - lag(s.moves, a))
                elif kind == AWAY:
                    _keep_away(s, np.int64(s.goals[agent]), begin)
                elif kind == EDGE:
                    _add_rule(s, b, a, begin, begin)
                elif kind == DIAGONAL:
                    _add_rule(s, b, a, begin, begin)
                    _add_rule(s, a, b, begin, begin)
                elif kind == LONGER:
                    counts[LEAST_END] = max(counts[LEAST_END], begin + 1)
                    counts[LAST_TIME] = max(counts[LAST_TIME], begin)
                elif kind == SHORTER:
                    counts[MOST_END] = min(counts[MOST_END], begin)
                elif kind == PRESENT:
                    if begin >= s.head.shape[1]:
                        return FULL_TIME
                    _add_rule(s, a, PRESENT_RULE, begin, begin)
                    s.must[begin] = a
                    if a != s.goals[agent]:
                        counts[LEAST_END] = max(counts[LEAST_END], begin + 1)
            elif kind == SHORTER:
                _close_goal(s, np.int64(s.goals[row["agent"]]), begin)
            elif kind == PRESENT:
                _add_rule(s, a, ANYWHERE, begin, begin)
                if a == s.goals[agent]:
                    counts[LEAST_END] = max(counts[LEAST_END], begin + 1)
        if node == ROOT:
            break
        node = np.int64(s.tree[node]["parent"])
    return DONE


@inner
def _close_goal(s, goal, begin):
    """Forbid the places of a goal where somebody rests from `begin` on."""
    first, end = span(s.moves, stay(s.moves, goal))
    for k in range(first, end):
        place = place_at(s.moves, k)
        _add_rule(s, place, ANYWHERE, begin + lag(s.moves, place), np.int64(FOREVER))


@inner
def _keep_away(s, goal, t):
    """Forbid the agent to be on its goal at time `t`. Whoever is there holds the first place of the stay."""
    first, _ = span(s.moves, stay(s.moves, goal))
    _add_rule(s, place_at(s.moves, first), scope(s.moves, goal), t, t)
    s.counts[LEAST_END] = max(s.counts[LEAST_END], t + 1)


@inner
def _add_rule(s, place, origin, begin, end):
    counts = s.counts
    rule = s.rules[counts[N_RULES]]
    rule["place"], rule["origin"], rule["begin"], rule["end"] = place, origin, begin, end
    rule["next"] = s.first_rule[place]
    counts[N_RULES] += 1
    s.first_rule[place] = counts[N_RULES]
    counts[LAST_TIME] = max(counts[LAST_TIME], begin if end == FOREVER else end)


@inner
def is_forbidden(s, here, there, step, t):
    """Whether the gathered rules forbid the step from `here` to `there` that arrives at `t`."""
    if t < s.must.size and s.must[t] != NOWHERE and s.must[t] != there:
        return True
    begin, end = span(s.moves, step)
    for k in range(begin, end):
        number = s.first_rule[place_at(s.moves, k)]
        while number != 0:
            rule = s.rules[number - 1]
            if rule["begin"] <= t <= rule["end"]:
                if rule["origin"] == ANYWHERE or applies(s.moves, rule["origin"], here, there):
                    return True
            number = rule["next"]
    return False

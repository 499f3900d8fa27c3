"""Subgoals for pairs of regions: what D LRTA* looks up, and how it chooses how far to look ahead.

Bulitko, Lustrek, Schaeffer, Bjornsson and Sigmundarson, "Dynamic control in real-time heuristic search", JAIR 2008.

Keeps    a new subgoal is nearer to the goal's region than the one before, by the costs in the database: so there are
         finitely many, each is reached in the end, and the last one is the goal. At most `ahead.budget` expansions for
         each move.
Why      exits: where the path between the middles leads is not always nearer than where the agent is, but any way to the
         goal leaves the agent's region, and from the best exit less is left than from anywhere inside.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, guess, slots, there
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED, FOUND, RUNNING, STAMP
from wayfolk.kernels.hints import HintedGraph, SparseHints, known
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, WALKING, Ahead, _best_open, step

AWAY, LEARNED, IDLE, WAYS = range(4)  # what the choice of a budget is based on, places in `facts`
N_FACTS = 4
N_QUESTIONS = 7  # of a tree, three of which are asked
LOSS = 0.1  # a plan is good enough if it wastes no more than this share of its length
TRIP = np.dtype(
    [("goal", np.int64), ("region", np.int64), ("idle", np.int64), ("least", np.float64), ("nearest", np.float64)],
    align=True,
)


class RegionPairs(NamedTuple):
    """The region of each cell, and for [from, to] where to leave `from`, and what that leaves to go from there.

    `subgoals` lie on a cheapest path between the middles of the regions. `exits` are, of all cells one step outside of
    `from`, those from which least is left. All arrays are empty where there is no database.
    """

    region: NDArray[np.int32]
    subgoals: NDArray[np.int32]
    left: NDArray[np.float32]
    exits: NDArray[np.int32]
    exit_left: NDArray[np.float32]


class BudgetTree(NamedTuple):
    """Question k: is facts[fact[k]] at most limit[k]? If so go on with 2 k + 1, else with 2 k + 2; a budget ends it."""

    fact: NDArray[np.int64]
    limit: NDArray[np.float64]
    budgets: NDArray[np.int64]


@kernel
def leave(world, memory, pairs, centres, cells, to):
    """Enter where to leave all regions for region `to`; `memory` has searched from the centre of that one.

    `cells` are all free cells.
    """
    stamp, region = memory.counts[STAMP], pairs.region
    for start in range(centres.size):
        cell = centres[start]
        if memory.cells[cell]["mark"] < stamp:  # it lies in another part of the map
            continue
        while region[cell] == start and cell != centres[to]:
            cell = memory.cells[cell]["parent"]
        pairs.subgoals[start, to] = cell
        pairs.left[start, to] = memory.cells[cell]["g"]
    for cell in cells:
        if memory.cells[cell]["mark"] < stamp:
            continue
        start = region[cell]
        for k in range(slots(world, cell)):
            other = there(world, cell, k)
            if other == NOWHERE or region[other] == start:
                continue
            if memory.cells[other]["g"] < pairs.exit_left[start, to]:
                pairs.exits[start, to] = other
                pairs.exit_left[start, to] = memory.cells[other]["g"]


@kernel
def walk(world, pairs, tree, table, used, ahead, walkers, trips, facts, route, walked, events, n_moves):
    """Think and move up to `n_moves` times; WALKING, ARRIVED, STUCK, or NO_ROOM in `table`.

    The goal of the walker is its subgoal, that of the trip is the real one.
    """
    walker, trip = walkers[0], trips[0]
    for _ in range(n_moves):
        if walker["here"] == trip["goal"]:
            return ARRIVED
        if 2 * (used[0] + ahead.budget) > table.size:
            return NO_ROOM
        _aim(pairs, walker, trip)
        hints = SparseHints(table, used, walker["goal"], world.legal.size)
        _observe(world, hints, walker, trip, facts, ahead.kind)
        before, plans = walker["expanded"], walker["plans"]
        code = step(HintedGraph(world, hints), _within(ahead, _choose(tree, facts)), walker, route)
        if code in (STUCK, NO_ROOM):
            return code
        if walker["plans"] > plans and events.size > 0:
            for k in range(walker["expanded"] - before):
                events[before + k] = ahead.closed[k]
        walked[walker["moves"] - 1] = walker["here"]
    return ARRIVED if walker["here"] == trip["goal"] else WALKING


@inner
def _aim(pairs, walker, trip):
    """Take another subgoal if the agent has come to another region, or to its subgoal, and there is a better one."""
    here, subgoal = walker["here"], walker["goal"]
    if trip["nearest"] > 0.0 and pairs.region.size > 0:
        region, last = pairs.region[here], pairs.region[trip["goal"]]
        if region == last:
            subgoal = trip["goal"]
            trip["nearest"] = 0.0
        elif region != trip["region"] or here == subgoal:
            if pairs.left[region, last] < trip["nearest"]:
                subgoal = pairs.subgoals[region, last]
                trip["nearest"] = pairs.left[region, last]
            elif here == subgoal and pairs.exit_left[region, last] < trip["nearest"]:
                subgoal = pairs.exits[region, last]
                trip["nearest"] = pairs.exit_left[region, last]
        trip["region"] = region
    if here == subgoal:
        subgoal = trip["goal"]
    if subgoal != walker["goal"]:
        walker["goal"], walker["n_route"] = subgoal, 0
        trip["idle"], trip["least"] = 0, np.inf


@inner
def _observe(world, hints, walker, trip, facts, kind):
    """Write down how the agent is getting on: how far it is, what was learned here, how long it has come no nearer."""
    here = walker["here"]
    away = guess(world, here, walker["goal"], kind)
    trip["idle"] = 0 if away < trip["least"] else trip["idle"] + 1
    trip["least"] = min(away, trip["least"])
    ways = 0
    for k in range(slots(world, here)):
        if there(world, here, k) != NOWHERE:
            ways += 1
    facts[AWAY], facts[LEARNED] = away, max(known(hints, here) - away, 0.0)
    facts[IDLE], facts[WAYS] = trip["idle"], ways


@inner
def _choose(tree, facts):
    """The budget for these facts."""
    node = 0
    while node < tree.fact.size:
        node = 2 * node + (1 if facts[tree.fact[node]] <= tree.limit[node] else 2)
    return tree.budgets[node - tree.fact.size]


@inner
def _within(ahead, budget):
    """The same way to plan, with another budget."""
    return Ahead(
        ahead.memory,
        ahead.queue,
        ahead.rule,
        ahead.closed,
        ahead.kind,
        ahead.per_unit,
        budget,
        ahead.steps,
        ahead.avoid,
    )


@kernel
def rehearse(world, field, table, used, ahead, walkers, trips, facts, route, budgets, n_moves, samples, classes, n):
    """Walk to a goal with the least budget, and write down at each plan which one would have been enough; how many are.

    `field` has searched from the goal all over the map. There are `n` samples already.
    """
    walker, trip = walkers[0], trips[0]
    hints = SparseHints(table, used, walker["goal"], world.legal.size)
    graph = HintedGraph(world, hints)
    for _ in range(n_moves):
        if walker["here"] == walker["goal"] or n == classes.size:
            break
        _observe(world, hints, walker, trip, facts, ahead.kind)
        if walker["at"] >= walker["n_route"]:
            for fact in range(facts.size):
                samples[n, fact] = facts[fact]
            classes[n] = _enough(graph, field, ahead, budgets, walker)
            n += 1
        step(graph, _within(ahead, budgets[0]), walker, route)
    return n


@inner
def _enough(graph, field, ahead, budgets, walker):
    """The number of the least budget with which the plan wastes little, by the true costs; the last if none does."""
    here, goal, cells = walker["here"], walker["goal"], ahead.memory.cells
    best_first.seed(graph, ahead.memory, ahead.queue, here, goal)
    for k in range(budgets.size - 1):
        code = best_first.advance(
            graph, ahead.memory, ahead.queue, here, goal, 1.0, ahead.kind, ahead.per_unit, False, False,
            budgets[k] - ahead.memory.counts[EXPANDED], ahead.closed,
        )  # fmt: skip
        if code == FOUND:
            return k
        if code != RUNNING:
            break
        target, _ = _best_open(graph, ahead.memory, ahead.queue, goal, ahead.kind)
        if target == NOWHERE:
            break
        g = cells[target]["g"]
        if g + field.cells[target]["g"] <= field.cells[here]["g"] + LOSS * g:
            return k
    return budgets.size - 1

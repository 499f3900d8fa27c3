"""Subgoals for pairs of regions: what D LRTA* looks up, and how it chooses how far to look ahead.

Bulitko, Lustrek, Schaeffer, Bjornsson and Sigmundarson, "Dynamic control in real-time heuristic search", JAIR 2008.

Invariants  a new subgoal is nearer to the goal's region than the one before, by the costs in the database: so there are
            finitely many, each is reached in the end, and the last one is the goal. At most `ahead.budget` expansions
            for each move.
Why         exits: the subgoal on the path between the centres is not always nearer to the goal than the agent is, but any
            path to the goal leaves the agent's region, and the best exit is nearer than any cell inside.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._hints import HintedGraph, SparseHints, known
from wayfolk.algorithms.realtime._look_ahead.plans import Ahead, _best_open, step
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, STUCK, WALKING
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED, STAMP
from wayfolk.kernels.codes import FOUND, NOWHERE, RUNNING
from wayfolk.kernels.graph import heuristic, slots, there

AWAY, LEARNED, IDLE, WAYS = range(4)  # what the choice of a budget is based on, places in `facts`
N_FACTS = 4
N_QUESTIONS = 7  # of a tree, three of which are asked
LOSS = 0.1  # a plan is good enough if it wastes no more than this share of its length
TRIP = np.dtype(
    [("goal", np.int64), ("region", np.int64), ("idle", np.int64), ("least", np.float64), ("nearest", np.float64)],
    align=True,
)


class RegionPairs(NamedTuple):
    """The region of each cell, and for [from, to] where to leave `from`, and the cost from there to the centre of `to`.

    `subgoals` lie on a cheapest path between the centres of the regions. `exits` are, of all cells one step outside of
    `from`, those from which the cost is least. All arrays are empty where there is no database.
    """

    region: NDArray[np.int32]
    subgoals: NDArray[np.int32]
    left: NDArray[np.float32]
    exits: NDArray[np.int32]
    exit_left: NDArray[np.float32]


class BudgetTree(NamedTuple):
    """Question k: is facts[fact[k]] at most limit[k]? If so go on with 2 k + 1, else 2 k + 2; the leaves are budgets."""

    fact: NDArray[np.int64]
    limit: NDArray[np.float64]
    budgets: NDArray[np.int64]


class Trip(NamedTuple):
    """One agent on its way to its subgoal, the real goal and progress (TRIP), the facts about it, and its route."""

    agents: NDArray[np.void]
    progress: NDArray[np.void]
    facts: NDArray[np.float64]
    route: NDArray[np.int32]


class Samples(NamedTuple):
    """Facts about agents, and the class of the least budget that was enough; `counts[0]` rows are filled."""

    facts: NDArray[np.float64]
    classes: NDArray[np.int64]
    counts: NDArray[np.int64]


@kernel
def leave(world, memory, pairs, centres, cells, to):
    """Fill in where to leave each region for region `to`; `memory` has searched from its centre, `cells` are all free."""
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
def move_by_subgoals(world, pairs, tree, learned, ahead, trip, trail, limits):
    """Plan and move within `limits`; WALKING, ARRIVED, STUCK, or NO_ROOM in the table of what was `learned`.

    The goal of the agent is its subgoal, that of the trip's progress is the real one.
    """
    agent, progress, events = trip.agents[0], trip.progress[0], trail.events
    stop = agent["expanded"] + limits.work
    for _ in range(limits.moves):
        if agent["here"] == progress["goal"]:
            return ARRIVED
        if agent["expanded"] >= stop:
            return WALKING
        if 2 * (learned.used[0] + ahead.budget) > learned.table.size:
            return NO_ROOM
        _aim(pairs, agent, progress)
        hints = SparseHints(learned.table, learned.used, agent["goal"], learned.n_cells)
        _observe(world, hints, trip, ahead.kind)
        before, plans = agent["expanded"], agent["plans"]
        within = _within(ahead, min(_choose(tree, trip.facts), ahead.budget))
        code = step(HintedGraph(world, hints), within, agent, trip.route, ahead.budget)
        if code in (STUCK, NO_ROOM):
            return code
        if agent["plans"] > plans and events.size > 0:
            for k in range(agent["expanded"] - before):
                events[before + k] = ahead.closed[k]
        trail.walked[agent["moves"] - 1] = agent["here"]
    return ARRIVED if agent["here"] == progress["goal"] else WALKING


@inner
def _aim(pairs, agent, progress):
    """Take another subgoal if the agent has entered another region or reached its subgoal, and there is a nearer one."""
    here, subgoal = agent["here"], agent["goal"]
    if progress["nearest"] > 0.0 and pairs.region.size > 0:
        region, last = pairs.region[here], pairs.region[progress["goal"]]
        if region == last:
            subgoal = progress["goal"]
            progress["nearest"] = 0.0
        elif region != progress["region"] or here == subgoal:
            if pairs.left[region, last] < progress["nearest"]:
                subgoal = pairs.subgoals[region, last]
                progress["nearest"] = pairs.left[region, last]
            elif here == subgoal and pairs.exit_left[region, last] < progress["nearest"]:
                subgoal = pairs.exits[region, last]
                progress["nearest"] = pairs.exit_left[region, last]
        progress["region"] = region
    if here == subgoal:
        subgoal = progress["goal"]
    if subgoal != agent["goal"]:
        agent["goal"], agent["n_route"] = subgoal, 0
        progress["idle"], progress["least"] = 0, np.inf


@inner
def _observe(world, hints, trip, kind):
    """Write the facts: distance to the subgoal, what was learned here, and moves since the agent last came nearer."""
    agent, progress, facts = trip.agents[0], trip.progress[0], trip.facts
    here = agent["here"]
    away = heuristic(world, here, agent["goal"], kind)
    progress["idle"] = 0 if away < progress["least"] else progress["idle"] + 1
    progress["least"] = min(away, progress["least"])
    ways = 0
    for k in range(slots(world, here)):
        if there(world, here, k) != NOWHERE:
            ways += 1
    facts[AWAY], facts[LEARNED] = away, max(known(hints, here) - away, 0.0)
    facts[IDLE], facts[WAYS] = progress["idle"], ways


@inner
def _choose(tree, facts):
    """The budget for these facts."""
    node = 0
    while node < tree.fact.size:
        node = 2 * node + (1 if facts[tree.fact[node]] <= tree.limit[node] else 2)
    return tree.budgets[node - tree.fact.size]


@inner
def _within(ahead, budget):
    """`ahead` with another budget."""
    return Ahead(
        memory=ahead.memory,
        queue=ahead.queue,
        rule=ahead.rule,
        closed=ahead.closed,
        kind=ahead.kind,
        per_unit=ahead.per_unit,
        budget=budget,
        steps=ahead.steps,
        avoid=ahead.avoid,
    )


@kernel
def rehearse(world, field, learned, ahead, trip, budgets, samples, n_moves):
    """Move to a goal with the least budget; at each plan, add a sample of the budget that would have been enough.

    `field` has searched from the goal over the whole map, and `learned` belongs to that goal.
    """
    agent, counts = trip.agents[0], samples.counts
    graph = HintedGraph(world, learned)
    for _ in range(n_moves):
        if agent["here"] == agent["goal"] or counts[0] == samples.classes.size:
            break
        _observe(world, learned, trip, ahead.kind)
        if agent["at"] >= agent["n_route"]:
            for fact in range(trip.facts.size):
                samples.facts[counts[0], fact] = trip.facts[fact]
            samples.classes[counts[0]] = _enough(graph, field, ahead, budgets, agent)
            counts[0] += 1
        step(graph, _within(ahead, budgets[0]), agent, trip.route, ahead.budget)


@inner
def _enough(graph, field, ahead, budgets, agent):
    """The index of the least budget with which the plan wastes little, by the true costs; the last if none does."""
    here, goal, cells = agent["here"], agent["goal"], ahead.memory.cells
    best_first.open_start(ahead.memory, ahead.queue, here)
    for k in range(budgets.size - 1):
        code = best_first.advance(
            graph,
            ahead.memory,
            ahead.queue,
            best_first.Ordering(1.0, ahead.kind, ahead.per_unit, False, False),
            here,
            goal,
            budgets[k] - ahead.memory.counts[EXPANDED],
            ahead.closed,
        )
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

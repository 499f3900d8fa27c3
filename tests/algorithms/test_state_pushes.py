"""Priority inheritance on states: nobody shares a place after a step, also when several are pushed, or pushes fail."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.algorithms.planners.lacam import config_search, trees
from wayfolk.algorithms.planners.lacam.pibt import choose_all, forget, impose, n_moves_of, new_generator, stand
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import FOUND, FULL, NOBODY
from wayfolk.kernels.random import new_random
from wayfolk.problem.problem import Problem
from wayfolk.world.body import Body
from wayfolk.world.spots import DistanceTable, spots_of

plain = pytest.mark.plain


@kernel
def step(gen, config, order, agent, spot):  # type: ignore[no-untyped-def]
    """One step of all agents, with a move that is given to `agent`, if that is not NOBODY; whether there is one."""
    stand(gen, config)
    return (agent == NOBODY or impose(gen, agent, spot)) and choose_all(gen, order)


@kernel
def next_step(gen):  # type: ignore[no-untyped-def]
    forget(gen)


def generator_of(problem: Problem, seed: int = 0):  # type: ignore[no-untyped-def]
    fields = DistanceTable(spots_of(problem.states), problem.goals)
    fields.fill(problem.n_agents)
    return new_generator(fields, new_random(seed))


def places_of(states, here: int, there: int) -> tuple[set[int], set[int]]:  # type: ignore[no-untyped-def]
    """The places of the next node, and those of the move to it or of the wait."""
    table = states.occupancy
    row = len(table.target) + here
    if here != there:
        edges = range(int(table.first[here]), int(table.first[here + 1]))
        row = next(edge for edge in edges if table.target[edge] == there)
    node = table.node_places[table.node_first[there] : table.node_first[there + 1]]
    return set(node.tolist()), set(table.move_places[table.move_first[row] : table.move_first[row + 1]].tolist())


def share_no_place(states, config, chosen) -> bool:  # type: ignore[no-untyped-def]
    held = [places_of(states, int(here), int(there)) for here, there in zip(config, chosen, strict=True)]
    return all(sum(map(len, sets)) == len(set().union(*sets)) for sets in zip(*held, strict=True))


@plain
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_after_each_step_no_place_is_held_twice(kind: str) -> None:
    n_moved = n_kept = 0
    for number in range(12):
        problem = twin.drawn_problem(kind, number, 4)
        states, rng = problem.states, np.random.default_rng(number)
        gen, config = generator_of(problem, number), problem.starts.astype(np.int32)
        for _ in range(12):
            order = rng.permutation(problem.n_agents).astype(np.int32)
            agent, spot = NOBODY, 0
            if rng.random() < 0.5:
                agent = int(order[0])
                ends = states.graph.target[states.graph.first[config[agent]] : states.graph.first[config[agent] + 1]]
                spot = int(rng.choice([*ends.tolist(), int(config[agent])]))
            is_found = step(gen, config, order, np.int32(agent), np.int32(spot))
            chosen = gen.bodies["next"].copy()
            claims = gen.claims >= gen.step[0]
            vacate(gen, config)
            next_step(gen)
            if not is_found:
                continue
            assert share_no_place(states, config, chosen), (kind, number)
            if agent != NOBODY:
                assert chosen[agent] == spot
                n_kept += 1
            held = [places_of(states, int(a), int(b)) for a, b in zip(config, chosen, strict=True)]
            assert set(np.flatnonzero(claims).tolist()) == set().union(*(set().union(*each) for each in held))
            n_moved += int((chosen != config).sum())
            config = chosen.astype(np.int32)
    assert n_moved > 10
    assert n_kept > 5


@kernel
def vacate(gen, config):  # type: ignore[no-untyped-def]
    """Take all agents off the map."""
    for agent in range(config.size):
        gen.bodies[agent]["here"] = config[agent]
    gen.occupant[:] = NOBODY


@plain
def test_a_large_body_pushes_all_that_stand_in_front_of_it() -> None:
    """A square of 3 x 3 in a corridor of three rows: the three points in front of it have to go ahead, all at once."""
    grid = wf.Grid(np.ones((3, 8)), "four")
    bodies = [Body(size=3), Body(), Body(), Body()]
    problem = wf.one_shot(
        grid, [(0, 0), (3, 0), (3, 1), (3, 2)], [(4, 0), (7, 0), (7, 1), (7, 2)], bodies=bodies
    )  # fmt: skip
    gen = generator_of(problem)
    assert step(gen, problem.starts, np.arange(4, dtype=np.int32), NOBODY, np.int32(0))
    assert problem.states.places(gen.bodies["next"]) == [(1, 0), (4, 0), (4, 1), (4, 2)]


@plain
def test_if_one_of_the_pushed_cannot_go_nobody_is_pushed() -> None:
    """The point in the middle stands before a wall: the others, which were pushed before it, are free again."""
    free = np.ones((3, 6), bool)
    free[1, 4:] = False
    bodies = [Body(size=3), Body(), Body(), Body()]
    starts = [(0, 0), (3, 0), (3, 1), (3, 2)]
    problem = wf.one_shot(wf.Grid(free, "four"), starts, [(1, 0), *starts[1:]], bodies=bodies)
    gen = generator_of(problem)
    assert step(gen, problem.starts, np.arange(4, dtype=np.int32), NOBODY, np.int32(0))
    chosen = gen.bodies["next"].copy()
    assert share_no_place(problem.states, problem.starts, chosen)
    assert problem.states.place(int(chosen[0])) == (0, 0)


@plain
def test_large_bodies_that_meet_pass_each_other() -> None:
    """Two squares of 3 x 3 on one line, between walls: pushing alone would drive them to and fro."""
    grid = wf.Grid(np.ones((9, 24)), "four")
    problem = wf.one_shot(grid, [(0, 3), (21, 3)], [(21, 3), (0, 3)], bodies=Body(size=3))
    result = wf.solve(problem, "lacam", first_plan=True, expansions=300)
    assert result.is_solved
    assert result.plan.n_steps < 100


@plain
@pytest.mark.parametrize("kind", ["mixed squares", "turning", "slow", "one-way", "mixed discs"])
def test_when_open_empties_the_sum_of_loss_is_least(kind: str) -> None:
    """The search goes on after the first plan until no cheaper one is left; then all configurations were seen."""
    n_compared = 0
    for number in range(30):
        problem, optimum = twin.tiny_problem(kind, number)
        if problem.n_agents > 2 or optimum is None:
            continue
        gen, tree = generator_of(problem), None
        order, n_moves = np.arange(problem.n_agents, dtype=np.int32), n_moves_of(gen)
        tree = trees.new_tree(problem.n_agents, 64, n_moves)
        config_search.plant(gen, tree, problem.starts, order, False)
        policy = config_search.Policy(1 << 60, 1, False, False, True, 0.001, 0.01)
        code = FOUND
        while code != config_search.EXHAUSTED:
            code = config_search.explore(gen, tree, policy, 1000)
            if code == FULL:
                tree = trees.grown(tree)
        assert tree.nodes[tree.counts[trees.GOAL]]["g"] <= optimum
        assert tree.nodes[tree.counts[trees.GOAL]]["g"] == least_loss(problem)
        n_compared += 1
        if n_compared == 4:
            return
    assert n_compared


def least_loss(problem: Problem) -> int:
    """The least sum of loss, by Dijkstra over all configurations and the twin's rules."""
    bodies = [problem.body(agent) for agent in range(problem.n_agents)]
    goals = [int(problem.states.cells[goal]) for goal in problem.goals]
    start = tuple(twin.state_of(problem, int(node)) for node in problem.starts)
    costs, queue, number = {start: 0}, [(0, 0, start)], itertools.count(1)
    while queue:
        cost, _, here = heapq.heappop(queue)
        if cost > costs[here]:
            continue
        homes = [state.part == 0 and state.cell == goal for state, goal in zip(here, goals, strict=True)]
        if all(homes):
            return cost
        for there in itertools.product(*map(lambda body, s: twin.following(problem.world, body, s), bodies, here)):
            moves = list(zip(here, there, strict=True))
            pairs = itertools.combinations(range(len(moves)), 2)
            if any(twin.clash(problem.world, bodies[a], moves[a], bodies[b], moves[b]) for a, b in pairs):
                continue
            total = cost + sum(
                not (home and state.part == 0 and state.cell == goal)
                for home, state, goal in zip(homes, there, goals, strict=True)
            )
            if total < costs.get(there, 1 << 60):
                costs[there] = total
                heapq.heappush(queue, (total, next(number), there))
    raise AssertionError("there is no plan")

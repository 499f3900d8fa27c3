"""Real-time LaCAM: complete with little work for each step, and its tree is always rooted where the agents are."""

import numpy as np
import pytest

import wayfolk as wf
from reference import steps_from
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.planners.lacam import trees
from wayfolk.contracts.reference import all_plans_solvable
from wayfolk.judge.plans import check as faults_of
from wayfolk.kernels.codes import ARRIVE, REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import draw_pairs, random_map, rooms
from wayfolk.world.spots import DistanceTable


def drawn(side, agents, seed, moves="four", density=0.2):
    grid = random_map(side, side, density, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return wf.one_shot(grid, grid.places(starts), grid.places(goals))


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_one_visit_a_step_is_enough_to_solve_what_can_be_solved(moves):
    outcomes = set()
    for seed in range(12):
        problem = drawn(3, 3, seed, moves, 0.25)
        result = wf.solve(problem, catalogue.find("lacam", "controllers"), steps=2_000, expansions=1)
        solvable = all_plans_solvable(problem.grid, problem.starts, problem.goals)
        assert result.is_solved == solvable
        assert faults_of(result.plan, problem, arrive=solvable) == []
        outcomes.add(solvable)
    assert True in outcomes


def test_no_move_is_refused_and_the_tree_is_rooted_where_agents_are():
    problem = drawn(16, 70, 4)
    world = wf.Simulation(problem, "lacam", expansions=3)
    while not world.advance(1).is_final and world.time < 2000:
        controller = world.controller
        nodes = controller.tree.nodes[: controller.tree.counts[trees.N_NODES]]
        assert nodes[controller.root]["parent"] == trees.NONE
        assert (nodes["parent"] == trees.NONE).sum() == 1
        here = controller.spot_map.spot_of[world.crew.agents["here"]]
        assert (here == controller.tree.configs[controller.ahead]).all()
    assert world.status is wf.Status.SOLVED
    assert len(world.record().of(REFUSED)) == 0


def test_more_visits_a_step_do_not_stop_agents_from_arriving():
    problem = drawn(20, 80, 1, "eight")
    for expansions in (1, 100):
        run = wf.simulate(problem, "lacam", until=1000, expansions=expansions)
        assert run.status is wf.Status.SOLVED
        assert wf.check_record(run.record) == []


def test_an_order_keeps_the_priorities_of_the_others():
    problem = drawn(16, 20, 2)
    world = wf.Simulation(problem, "lacam")
    world.advance(3)
    before = world.controller.order.copy()
    grid = problem.grid
    free = next(cell for cell in grid.free_cells if cell not in problem.goals and grid.components[cell] == 1)
    world.happen(wf.events.retask(world.time, 5, grid.place(free)))
    world.advance(1)
    after = world.controller.order
    away = [agent for agent in before if agent != 5 and agent in after[: np.flatnonzero(after == 5)[0]]]
    assert [agent for agent in after if agent in away] == away


def test_endless_tasks_are_done():
    problem = wf.tasks(random_map(24, 24, 0.1, seed=1, moves="four"), agents=60, seed=1)
    run = wf.simulate(problem, "lacam", until=200, expansions=4)
    assert wf.check_record(run.record) == []
    assert len(run.record.of(ARRIVE)) > 60 * 4


def test_an_agent_without_a_way_waits_and_others_arrive():
    grid = wf.parse_ascii(
        """
        .....
        .....
        #####
        .....
        """,
        moves="four",
    ).with_freed([])
    problem = wf.one_shot(grid, [(0, 0), (4, 0), (0, 3)], [(4, 0), (0, 0), (4, 3)])
    world = wf.Simulation(problem, "lacam", events=[wf.events.block(0, [(2, 3)])])
    world.advance(60)
    here = world.crew.agents["here"]
    assert (here[:2] == problem.goals[:2]).all()
    assert grid.place(here[2]) == (0, 3)


@pytest.mark.parametrize("kind", ["rooms", "random"])
def test_distances_after_doors_and_joins_are_those_of_a_new_search(kind, monkeypatch):
    """All distances are right, and many fields were not searched again."""
    grid = rooms(32, 32, 8, seed=1) if kind == "rooms" else random_map(32, 32, 0.2, seed=1)
    world, rng = Simulation(tasks(grid, agents=30, seed=1), "lacam"), np.random.default_rng(3)
    world.advance(3)
    n_rows, filled = 0, []
    fill = DistanceTable.fill_rows
    monkeypatch.setattr(DistanceTable, "fill_rows", lambda fields, rows: filled.append(len(rows)) or fill(fields, rows))
    for k in range(30):
        place = grid.place(int(rng.choice(grid.free_cells)))
        if k % 3 == 2:
            world.happen(events.join(world.time, place, grid.place(int(rng.choice(grid.free_cells)))))
        else:
            world.happen(events.block(world.time, [place]))
            world.happen(events.free(world.time + 2, [place]))
        for _ in range(2):
            world.advance(1)
            controller = world.controller
            n_rows += len(controller.members)
            for row in range(0, len(controller.members), 7):
                goal = int(controller.spot_map.cells[controller.fields.goals[row]])
                steps = steps_from(world.grid, goal)
                known = zip(controller.spot_map.cells.tolist(), controller.fields.steps[row].tolist(), strict=True)
                assert all(steps.get(cell, controller.fields.far) == away for cell, away in known)
    assert len(filled) > 20
    assert sum(filled) < 0.6 * n_rows

"""LaCAM: optimal when OPEN empties, complete, and never worse with more work."""

import heapq
import itertools

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.algorithms.planners.lacam import config_search, flow, scatter, trees
from wayfolk.algorithms.planners.lacam import task as lacam_task
from wayfolk.algorithms.planners.lacam import task as task_of_lacam
from wayfolk.algorithms.planners.lacam.guidance import Guidance
from wayfolk.algorithms.planners.lacam.guidance_choice import GuidanceChoice
from wayfolk.algorithms.planners.lacam.pibt import new_generator
from wayfolk.contracts.reference import joint_moves
from wayfolk.judge.metrics import sum_of_loss
from wayfolk.judge.plans import check as faults_of
from wayfolk.kernels.codes import FULL
from wayfolk.kernels.random import new_random
from wayfolk.simulation.solving import begin_plan
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.spots import DistanceTable, spots_of


def drawn(side, agents, seed, moves, density=0.2):
    grid = random_map(side, side, density, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return wf.one_shot(grid, grid.places(starts), grid.places(goals))


def least_loss(problem):
    """The least sum of loss by Dijkstra over all configurations; None if there is no plan."""
    start, goal = (tuple(cells.tolist()) for cells in (problem.starts, problem.goals))
    costs, queue = {start: 0}, [(0, start)]
    while queue:
        cost, here = heapq.heappop(queue)
        if here == goal:
            return cost
        if cost > costs[here]:
            continue
        for there in joint_moves(problem.grid, here):
            total = cost + sum(not a == b == c for a, b, c in zip(here, there, goal, strict=True))
            if total < costs.get(there, 1 << 60):
                costs[there] = total
                heapq.heappush(queue, (total, there))
    return None


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
@pytest.mark.parametrize("seed", range(6))
def test_when_open_empties_the_sum_of_loss_is_least(moves, seed):
    side, agents = ((3, 2), (3, 3), (4, 2))[seed % 3]
    problem = drawn(side, agents, seed, moves)
    task = begin_plan(problem, "lacam", seed=seed)
    while not task.advance(10_000).is_final:
        pass
    result = task.result()
    best = least_loss(problem)
    if best is None:
        assert result.status is wf.Status.IMPOSSIBLE
    else:
        assert (result.status, result.bound) == (wf.Status.SOLVED, 1.0)
        assert faults_of(result.plan, problem) == []
        assert sum_of_loss(result.plan, problem.goals) == best == task.cost


@pytest.mark.plain
def test_two_agents_in_a_corridor_cannot_change_places():
    grid = wf.parse_ascii("....", moves="four")
    result = wf.solve(wf.one_shot(grid, [(0, 0), (3, 0)], [(3, 0), (0, 0)]), "lacam")
    assert (result.status, result.plan) == (wf.Status.IMPOSSIBLE, None)


@pytest.mark.plain
def test_one_bay_is_enough_to_change_places():
    grid = wf.parse_ascii(
        """
        .....
        ##.##
        """,
        moves="four",
    )
    problem = wf.one_shot(grid, [(0, 0), (4, 0)], [(4, 0), (0, 0)])
    result = wf.solve(problem, "lacam")
    assert result.is_solved
    assert faults_of(result.plan, problem) == []


@pytest.mark.plain
@pytest.mark.parametrize("seed", range(5))
def test_an_agent_on_its_goal_is_not_pushed_if_there_is_a_way_around_it(seed):
    grid = wf.Grid(np.ones((3, 3), bool), "four")
    task = begin_plan(wf.one_shot(grid, [(0, 0), (1, 0)], [(2, 1), (1, 0)]), "lacam", seed=seed)
    while not task.has_plan:
        task.advance(1)
    assert (task.result().plan.cells[:, 1] == grid.cell((1, 0))).all()


@pytest.mark.plain
def test_agents_step_around_those_that_rest_also_if_that_takes_longer():
    """But for one time in eight, since ways around can be circles."""
    grid = wf.Grid(np.ones((2, 9), bool), "four")
    problem = wf.one_shot(grid, [(0, 0), (4, 0)], [(8, 0), (4, 0)])
    plans = [wf.solve(problem, "lacam", seed=seed, first_plan=True).plan for seed in range(20)]
    assert sum((plan.cells[:, 1] == problem.goals[1]).all() for plan in plans) >= 12
    assert max(plan.n_steps for plan in plans) <= 14


@pytest.mark.plain
@pytest.mark.parametrize(("agents", "room"), [(4, 4), (5, 0)])
def test_in_a_crowd_nobody_steps_around_others(agents, room):
    spot_map = spots_of(wf.Grid(np.ones((2, 5)), "four"))
    fields = DistanceTable(spot_map, np.arange(agents, dtype=np.int32))
    assert new_generator(fields, new_random(0)).around.size == room


@pytest.mark.plain
def test_diagonals_do_not_cross():
    grid = wf.Grid(np.ones((2, 2)), "eight")
    corners = [(0, 0), (1, 0), (0, 1), (1, 1)]
    for goals in itertools.permutations(corners):
        problem = wf.one_shot(grid, corners, list(goals))
        result = wf.solve(problem, "lacam")
        assert result.status in (wf.Status.SOLVED, wf.Status.IMPOSSIBLE)
        if result.is_solved:
            assert faults_of(result.plan, problem) == []


def test_the_least_makespan_is_found():
    problem = drawn(4, 3, 5, "four")
    task = begin_plan(problem, "lacam", objective="makespan")
    while not task.advance(10_000).is_final:
        pass
    plans = [wf.solve(problem, "lacam", seed=seed).plan.n_steps for seed in range(5)]
    assert task.result().plan.n_steps <= min(plans)
    assert task.cost == task.result().plan.n_steps


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_more_work_never_costs_more_and_the_cost_is_that_of_the_plan(moves):
    problem = drawn(16, 60, 3, moves)
    task = begin_plan(problem, "lacam", seed=2)
    costs = []
    for _ in range(40):
        task.advance(200)
        if task.has_plan:
            result = task.result()
            assert faults_of(result.plan, problem) == []
            costs.append(task.cost)
            assert task.cost == sum_of_loss(result.plan, problem.goals)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_a_pause_after_every_visit_changes_nothing():
    problem = drawn(12, 30, 1, "four")
    whole, bits = (begin_plan(problem, "lacam", seed=4) for _ in range(2))
    for task, portions in ((whole, [2100] * 3), (bits, [7] * 900)):
        left = sum(portions)
        for portion in itertools.cycle(portions):
            task.advance(min(portion, left))
            left -= min(portion, left) - task.unspent
            if left == 0:
                break
    assert whole.cost == bits.cost
    assert np.array_equal(whole.best, bits.best)


def test_push_and_rotate_plans_the_rest_where_the_search_comes_no_nearer(monkeypatch):
    monkeypatch.setattr(lacam_task, "PATIENCE", 4)
    monkeypatch.setattr(lacam_task, "NEARER", 0.0)
    problem = drawn(12, 30, 1, "four")
    whole, bits = (begin_plan(problem, "lacam", seed=4) for _ in range(2))
    for task, portion in ((whole, 10_000), (bits, 3)):
        while not task.has_plan:
            task.advance(portion)
        result = task.result()
        assert faults_of(result.plan, problem) == []
        assert task.cost == sum_of_loss(result.plan, problem.goals)
    assert np.array_equal(whole.best, bits.best)
    first = whole.cost
    whole.advance(2000)
    assert whole.cost < first
    assert faults_of(whole.result().plan, problem) == []


def test_scattered_paths_are_legal_and_hardly_longer_than_shortest():
    problem = drawn(20, 50, 2, "four")
    spot_map = spots_of(problem.grid)
    starts, goals = spot_map.spot_of[problem.starts], spot_map.spot_of[problem.goals]
    fields = DistanceTable(spot_map, goals)
    fields.fill(len(goals))
    arrays = scatter.new_scatter(fields, starts, 6)
    totals = [sum(scatter.replan(arrays, agent)[1] for agent in range(50)) for _ in range(4)]
    assert totals[3] <= totals[1]
    for agent in range(50):
        path = arrays.paths[agent, : arrays.lasts[agent] + 1]
        assert (path[0], path[-1]) == (starts[agent], goals[agent])
        assert len(path) - 1 <= fields.steps[agent, starts[agent]] + 6
        assert all(b == a or b in spot_map.near[a] for a, b in itertools.pairwise(path))


def test_paths_through_little_traffic_are_legal_and_counted():
    problem = drawn(20, 50, 2, "eight")
    spot_map = spots_of(problem.grid)
    starts, goals = spot_map.spot_of[problem.starts], spot_map.spot_of[problem.goals]
    fields = DistanceTable(spot_map, goals)
    fields.fill(len(goals))
    traffic = flow.new_flow(fields, starts)
    for agent in [*range(50), *range(50)]:
        flow.reroute(traffic, agent)
    flows, uses = np.zeros_like(traffic.flows), np.zeros_like(traffic.uses)
    for agent in range(50):
        path = traffic.paths[agent, : traffic.lasts[agent] + 1]
        assert (path[0], path[-1]) == (starts[agent], goals[agent])
        for here, there in itertools.pairwise(path):
            k = int(np.flatnonzero(spot_map.near[here] == there)[0])
            assert spot_map.near[there, traffic.back[here, k]] == here
            flows[here, k] += 1
            uses[there] += 1
    assert np.array_equal(traffic.flows, flows)
    assert np.array_equal(traffic.uses, uses)


@pytest.mark.plain
def test_agents_on_their_paths_keep_the_rest_of_them():
    grid = wf.Grid(np.ones((3, 7)), "four")
    problem = wf.one_shot(grid, [(0, 0), (0, 1), (0, 2)], [(6, 0), (6, 1), (6, 2)])
    spot_map = spots_of(grid)
    fields = DistanceTable(spot_map, spot_map.spot_of[problem.goals])
    fields.fill(3)
    traffic = flow.new_flow(fields, spot_map.spot_of[problem.starts])
    for agent in range(3):
        flow.reroute(traffic, agent)
    rest = traffic.paths[0, 2 : traffic.lasts[0] + 1].copy()
    away = next(spot for spot in range(spot_map.n_spots) if spot not in traffic.paths[1, : traffic.lasts[1] + 1])
    traffic = flow.continued(traffic, fields, np.array([rest[0], away, fields.goals[2]], np.int32))
    assert traffic.paths[0, : traffic.lasts[0] + 1].tolist() == rest.tolist()
    assert traffic.lasts[1:].tolist() == [flow.NONE, 0]
    assert traffic.uses.sum() == traffic.flows.sum() == len(rest) - 1


@pytest.mark.plain
def test_a_path_through_little_traffic_goes_around_an_agent_that_rests():
    grid = wf.Grid(np.ones((3, 7)), "four")
    problem = wf.one_shot(grid, [(0, 1), (4, 1)], [(6, 1), (4, 1)])
    spot_map = spots_of(grid)
    fields = DistanceTable(spot_map, spot_map.spot_of[problem.goals])
    fields.fill(2)
    traffic = flow.new_flow(fields, spot_map.spot_of[problem.starts])
    flow.reroute(traffic, 0)
    assert traffic.lasts[0] == 8
    assert traffic.goals[1] not in traffic.paths[0, :9]


@pytest.mark.plain
def test_scatter_keeps_within_its_buckets_in_a_crowd():
    spot_map = spots_of(wf.Grid(np.ones((1, 4)), "four"))
    n = scatter.MOST_HITS + 50
    fields, starts = DistanceTable(spot_map, np.full(n, 3, np.int32)), np.zeros(n, np.int32)
    fields.fill(n)
    arrays = scatter.new_scatter(fields, starts, 2)
    hits = [scatter.replan(arrays, agent)[1] for _ in range(2) for agent in range(n)]
    assert max(hits) > scatter.MOST_HITS
    assert (arrays.buckets == scatter.NONE).all()


@pytest.mark.plain
def test_scatter_leaves_no_collision_where_there_is_room():
    grid = wf.Grid(np.ones((9, 9)), "four")
    problem = wf.one_shot(grid, [(0, 4), (8, 4)], [(8, 4), (0, 4)])
    spot_map = spots_of(grid)
    fields = DistanceTable(spot_map, spot_map.spot_of[problem.goals])
    fields.fill(2)
    arrays = scatter.new_scatter(fields, spot_map.spot_of[problem.starts], 2)
    scatter.replan(arrays, 0)
    assert scatter.replan(arrays, 1)[1] == 0
    assert arrays.lasts.tolist() == [8, 10]


def test_g_is_the_cost_of_the_path_along_parents():
    problem = drawn(4, 8, 7, "four", 0.0)
    spot_map = spots_of(problem.grid)
    starts, goals = spot_map.spot_of[problem.starts], spot_map.spot_of[problem.goals]
    fields = DistanceTable(spot_map, goals)
    fields.fill(len(goals))
    gen = new_generator(fields, new_random(0))
    tree = trees.new_tree(8, 16)
    config_search.plant(gen, tree, starts, np.arange(8, dtype=np.int32), False)
    policy = config_search.Policy(1 << 60, 1, False, False, True, 0.001, 0.01)
    for _ in range(400):
        if config_search.explore(gen, tree, policy, 5) == FULL:
            tree = trees.grown(tree)
    nodes = tree.nodes[: tree.counts[trees.N_NODES]]
    assert len({row.tobytes() for row in tree.configs[: len(nodes)]}) == len(nodes) > 100
    for k, node in enumerate(nodes[1:], 1):
        before, after = tree.configs[node["parent"]], tree.configs[k]
        step = int(((before != goals) | (after != goals)).sum())
        assert node["g"] <= nodes[node["parent"]]["g"] + step or tree.counts[trees.N_DIRTY] > 0
        assert node["g"] >= nodes[node["parent"]]["g"] + step
        assert node["h"] == sum(fields.steps[agent, after[agent]] for agent in range(8))


def test_dives_get_the_guidance_that_has_gained_more_for_its_work():
    dives = GuidanceChoice()
    assert dives.draw()  # new guidance is believed in at first
    for _ in range(20):
        dives.learn(True, 10, 1000)
        dives.learn(False, 10, 100)
    drawn_now = [dives.draw() for _ in range(60)]
    assert drawn_now.count(True) == 10
    for _ in range(20):
        dives.learn(True, 200, 1000)
    assert [dives.draw() for _ in range(60)].count(True) == 50


@pytest.mark.parametrize("large", [10, 3000])
def test_dives_with_new_paths_keep_the_cost_of_the_plan(large, monkeypatch):
    """Also where few agents count as many: then paths are new from the first dive on, and renewed within dives."""
    monkeypatch.setattr(task_of_lacam, "LARGE", large)
    monkeypatch.setattr(task_of_lacam, "WINDOW", 4)
    renewals, traffic_from = [], Guidance.traffic_from
    monkeypatch.setattr(
        Guidance,
        "traffic_from",
        lambda self, spots, old=None: (renewals.append(old), traffic_from(self, spots, old))[1],
    )
    problem = drawn(16, 60, 3, "four")
    task = begin_plan(problem, "lacam", seed=2)
    while not hasattr(task, "dives") or task.dives.works[1] == 1.0:
        task.advance(100)
    before, first = task.cost, task.dives.works[1]
    for _ in range(40):
        task.advance(200)
    assert task.dives.works[1] != first
    assert task.dives.n > 6  # both kinds of dives come to an end
    assert any(old is not None for old in renewals) == (large == 10)
    assert task.cost <= before
    result = task.result()
    assert faults_of(result.plan, problem) == []
    assert task.cost == sum_of_loss(result.plan, problem.goals)

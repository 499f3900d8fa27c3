"""RHCR: windows without collisions, orders without cycles, steps by PIBT, and a window that grows."""

import itertools

import numpy as np
import pytest

from wayfolk.algorithms.controllers.rhcr.ecbs import new_ecbs_tree, search_ecbs
from wayfolk.algorithms.controllers.rhcr.paths import count_paths, first_collision
from wayfolk.algorithms.controllers.rhcr.priorities import LOG_IS_FULL, improve, new_priorities, search_orders
from wayfolk.algorithms.controllers.rhcr.rolling import new_rolling
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, NOBODY, REFUSED
from wayfolk.kernels.rra import NONE
from wayfolk.problem import events
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import deliveries, one_shot, patrol, tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.spots import steps_to


@pytest.mark.parametrize("solver", ["pbs", "ecbs", "pp"])
@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_no_move_is_refused(moves, solver):
    problem = tasks(random_map(16, 16, 0.15, seed=3, moves=moves), agents=30, seed=1)
    run = simulate(problem, "rhcr", until=100, solver=solver)
    assert check_record(run.record) == []
    assert len(run.record.of(REFUSED)) == 0
    assert len(run.record.of(ARRIVE)) > 60


class Team:
    """Agents at random places of `grid`, and a window of `steps` steps."""

    def __init__(self, grid, agents, steps, seed, stays=False):
        self.starts, self.goals = draw_pairs(grid, agents, seed=seed)
        self.members = np.arange(agents, dtype=np.int32)
        self.spent = np.zeros(agents, np.int64)
        self.arrays = new_rolling(grid, self.spent, steps, stays)
        self.steps = steps
        self.paths = np.repeat(self.starts[:, None], steps + 1, 1)
        count_paths(self.arrays, self.paths, self.members, steps, 1)

    def search(self, limit, n_log=1000):
        """The paths by priority-based search, how many steps are clear, and the order that it ends with."""
        tree = new_priorities(len(self.members), limit, self.steps, n_log)
        best = self.paths.copy()
        n_clear = search_orders(self.arrays, tree, self.paths, best, self.members, self.goals, self.steps, limit, True)
        return best, int(n_clear), tree

    def search_ecbs(self, limit, w):
        """The paths by ECBS, and how many steps are clear."""
        tree = new_ecbs_tree(self.arrays, len(self.members), limit, self.steps)
        best = self.paths.copy()
        n_clear = search_ecbs(self.arrays, tree, self.paths, best, self.members, self.goals, self.steps, w, limit)
        return best, int(n_clear), tree

    def used(self):
        """How many paths are at a cell at a step."""
        counted = np.zeros_like(self.arrays.used)
        for step in range(self.steps + 1):
            np.add.at(counted[step], self.paths[:, step], 1)
        return counted


@pytest.mark.plain
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("stays", [False, True])
def test_paths_of_a_window_do_not_collide(moves, seed, stays):
    grid = random_map(7, 7, 0.1, seed=seed, moves=moves)
    team = Team(grid, 8, 6, seed, stays)
    paths, n_clear, _ = team.search(200)
    assert n_clear == 6
    assert (paths[:, 0] == team.starts).all()
    assert check(Plan(grid, paths.T.copy())) == []
    assert (team.arrays.used == team.used()).all()
    assert (team.spent > 0).all()


@pytest.mark.plain
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("stays", [False, True])
def test_paths_by_ecbs_do_not_collide_and_keep_the_bound(moves, seed, stays):
    grid = random_map(7, 7, 0.1, seed=seed, moves=moves)
    costs = []
    for w in (1.0, 1.3):
        team = Team(grid, 7, 5, seed, stays)
        paths, n_clear, tree = team.search_ecbs(1000, w)
        assert n_clear == 5
        assert (paths[:, 0] == team.starts).all()
        assert check(Plan(grid, paths.T.copy())) == []
        assert (team.arrays.used == team.used()).all()
        costs.append(sum(window_cost(grid, path, goal, stays) for path, goal in zip(paths, team.goals, strict=True)))
        assert tree.nodes["cost"][0] <= costs[-1]
    assert costs[0] <= costs[1] <= 1.3 * costs[0]


@pytest.mark.plain
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_ecbs_without_slack_is_optimal_in_the_window(moves, seed):
    grid = random_map(3, 3, 0.0, seed=seed, moves=moves)
    team = Team(grid, 2, 3, seed)
    paths, _, _ = team.search_ecbs(1000, 1.0)
    ways = []
    for start, goal in zip(team.starts, team.goals, strict=True):
        ways.append([(window_cost(grid, path, goal, False), path) for path in all_paths(grid, int(start), 3)])
    pairs = sorted(itertools.product(*ways), key=lambda pair: pair[0][0] + pair[1][0])
    best = next(
        pair for pair in pairs if not check(Plan(grid, np.array([path for _, path in pair], np.int32).T.copy()))
    )
    cost = sum(window_cost(grid, path, goal, False) for path, goal in zip(paths, team.goals, strict=True))
    assert cost == best[0][0] + best[1][0]


def window_cost(grid, path, goal, stays):
    """The steps to `goal`, or not spent there by an agent that stays, and the distance that is left."""
    total = 0
    for here, there in itertools.pairwise(path):
        total += here != goal or there != goal
        if not stays and there == goal:
            return int(total)
    return int(total + steps_to(grid, int(goal))[path[-1]])


def all_paths(grid, start, steps):
    paths = [[start]]
    for _ in range(steps):
        paths = [
            [*path, there]
            for path in paths
            for there in [
                path[-1],
                *(path[-1] + int(grid.offsets[k]) for k in range(8) if grid.legal[path[-1]] >> k & 1),
            ]
        ]
    return paths


@pytest.mark.plain
@pytest.mark.parametrize("seed", range(3))
def test_an_order_has_no_cycles_and_is_kept_after_steps_back(seed):
    """A crowd in which many orders fail: the search goes back, and paths and order still belong together."""
    grid = random_map(5, 5, 0.1, seed=seed, moves="four")
    team = Team(grid, 14, 5, seed)
    _, n_clear, tree = team.search(60)
    edges = tree.edges[: tree.counts[1]]
    above = {agent: set() for agent in range(14)}
    for _ in range(14):
        for edge in edges:
            above[int(edge["low"])] |= {int(edge["high"])} | above[int(edge["high"])]
    assert all(agent not in highs for agent, highs in above.items())
    for low, highs in above.items():
        for high in highs:
            pair = np.array([low, high], np.int32)
            assert first_collision(team.arrays, team.paths, pair, 5)[0] == NOBODY
    assert (team.arrays.used == team.used()).all()
    assert n_clear <= 5


@pytest.mark.plain
def test_a_full_log_is_reported():
    grid = random_map(5, 5, 0.0, seed=1, moves="four")
    team = Team(grid, 12, 5, 1)
    assert team.search(60, n_log=1)[1] == LOG_IS_FULL
    assert (team.arrays.used == team.used()).all()


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_paths_that_are_planned_again_stay_free_of_collisions(moves):
    grid = random_map(6, 6, 0.1, seed=4, moves=moves)
    team = Team(grid, 10, 5, 4)
    for _ in range(3):
        improve(team.arrays, team.paths, team.members, team.members, team.goals, 0, 5)
        assert check(Plan(grid, team.paths.T.copy())) == []
    assert (team.paths[:, 5] != team.starts).any()


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_the_first_collision_is_where_the_judge_sees_one(moves):
    grid = random_map(5, 5, 0.0, seed=1, moves=moves)
    rng = np.random.default_rng(2)
    n_free = 0
    for _ in range(60):
        team = Team(grid, 3, 4, int(rng.integers(1000)))
        paths = team.paths
        for agent in range(3):  # random walks
            for step in range(4):
                here = paths[agent, step]
                steps = [here, *(here + grid.offsets[k] for k in range(8) if grid.legal[here] >> k & 1)]
                paths[agent, step + 1] = rng.choice(steps)
        one, other, n_clear = first_collision(team.arrays, paths, team.members, 4)
        faults = check(Plan(grid, paths.T.copy()))
        assert (one == NOBODY) == (n_clear == 4) == (faults == [])
        assert check(Plan(grid, paths[:, : n_clear + 1].T.copy())) == []
        n_free += one == NOBODY
        if one != NOBODY:
            pair = np.array([one, other], np.int32)
            assert first_collision(team.arrays, paths, pair, 4)[2] == n_clear
    assert 5 < n_free < 55


@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("nodes", [1, 16])
def test_where_the_search_fails_agents_push_on(moves, nodes):
    world = Simulation(tasks(random_map(16, 16, 0.2, seed=3, moves=moves), agents=60, seed=1), "rhcr", nodes=nodes)
    world.advance(100)
    assert world.controller.n_pushed > 10
    assert check_record(world.record()) == []
    assert len(world.record().of(REFUSED)) == 0
    assert len(world.record().of(ARRIVE)) > 100


@pytest.mark.plain
def test_the_window_grows_where_too_few_come_nearer():
    """Two agents face each other in a corridor whose only siding is behind one of them."""
    grid = parse_ascii(
        """
        #.#######
        .........
    """,
        moves="four",
    )
    problem = one_shot(grid, [(3, 1), (4, 1)], [(8, 1), (0, 1)])
    for progress, longer in ((0, False), (2, True)):
        world = Simulation(problem, "rhcr", window=2, horizon=2, progress=progress)
        world.advance(1)
        assert (world.controller.steps > 2) == longer
    run = simulate(problem, "rhcr", until=60, window=2, horizon=2, progress=2)
    assert run.status.name == "SOLVED"
    assert len(run.record.of(REFUSED)) == 0


def test_an_agent_that_arrives_plans_alone_until_the_window_ends():
    world = Simulation(tasks(random_map(12, 12, 0.1, seed=2, moves="four"), agents=10, seed=1), "rhcr", horizon=8)
    alone = 0
    for _ in range(80):
        since = world.controller.since
        before = world.world_state.court.states["loop"].copy()
        world.advance(1)
        if world.controller.since == since and (world.world_state.court.states["loop"] != before).any():
            alone += 1
    assert alone > 10
    assert check_record(world.record()) == []
    assert len(world.record().of(REFUSED)) == 0


@pytest.mark.parametrize("solver", ["pbs", "ecbs", "pp"])
def test_patrols_and_deliveries_are_served(solver):
    grid = random_map(16, 16, 0.05, seed=5, moves="four")
    run = simulate(patrol(grid, agents=10, loops=3, seed=1), "rhcr", until=1000, solver=solver)
    assert run.status.name == "SOLVED"
    run = simulate(deliveries(grid, agents=10, seed=1), "rhcr", until=100, solver=solver)
    assert run.service.tasks > 20
    assert check_record(run.record) == []


def test_an_order_lets_one_agent_plan_again_and_the_others_go_on():
    grid = random_map(20, 20, 0.1, seed=1)
    world = Simulation(tasks(grid, agents=20, seed=1), "rhcr", horizon=5)
    world.advance(1)
    paths, since = world.controller.paths.copy(), world.controller.since
    world.happen(events.retask(world.time, 3, (19, 19)))
    world.advance(1)
    assert world.controller.since == since  # nobody has begun a new window
    others = np.arange(20) != 3
    assert (world.controller.paths[others, :2] == paths[others, :2]).all()
    assert (world.controller.paths[3] != paths[3]).any()
    assert check_record(world.record()) == []
    world.advance(100)
    assert check_record(world.record()) == []


def test_an_edit_drops_only_the_distances_that_it_touches():
    grid = random_map(40, 40, 0.15, seed=2, moves="four")
    problem = tasks(grid, 30, seed=1)
    worlds = [Simulation(problem, "rhcr") for _ in range(2)]
    rng, closed = np.random.default_rng(4), []
    for step in range(60):
        if step % 8 == 7:
            change = events.free(float(step), [grid.place(closed.pop())])
        else:
            cell = int(rng.choice(grid.free_cells))
            while worlds[0].crew.occupant[cell] != NOBODY or cell in worlds[0].crew.agents["goal"]:
                cell = int(rng.choice(grid.free_cells))
            change = events.block(float(step), [grid.place(cell)])
            closed.append(cell)
        for world in worlds:
            if step % 4 == 3:
                world.happen(change)
                if world is worlds[1]:
                    world.controller.rolling.searches.state[:, 0] = NONE  # it forgets all distances
            world.step()
        if step % 4 != 3:
            closed.pop()
        assert np.array_equal(worlds[0].crew.agents["here"], worlds[1].crew.agents["here"]), f"step {step}"
    assert worlds[0].controller.expanded.sum() < 0.8 * worlds[1].controller.expanded.sum()

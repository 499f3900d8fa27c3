"""RHCR in any world and for any body: windows without collisions, the bound of ECBS, and moves that are never refused."""

import itertools

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.algorithms.controllers.rhcr.ecbs import new_ecbs_tree, search_ecbs
from wayfolk.algorithms.controllers.rhcr.paths import count_paths, first_collision
from wayfolk.algorithms.controllers.rhcr.priorities import improve, new_priorities, search_orders
from wayfolk.algorithms.controllers.rhcr.rolling import new_rolling
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.distances import UNREACHED
from wayfolk.problem import events
from wayfolk.simulation.solving import simulate
from wayfolk.world.body import Body
from wayfolk.world.spots import steps_to

STEPS = 4


class Crowd:
    """The agents of a tiny problem that can reach their goals, and a window of STEPS steps."""

    def __init__(self, kind, number, stays=False, most_agents=4):
        self.problem = twin.drawn_problem(kind, number, most_agents)
        self.states, self.starts, self.goals = self.problem.states, self.problem.starts, self.problem.goals
        n = self.problem.n_agents
        self.stays, self.members = stays, np.arange(n, dtype=np.int32)
        self.left = [steps_to(self.states, int(goal)) for goal in self.goals]
        self.arrays = new_rolling(self.states, np.zeros(n, np.int64), STEPS, stays)
        self.paths = np.repeat(self.starts[:, None], STEPS + 1, 1)
        count_paths(self.arrays, self.paths, self.members, STEPS, 1)

    def can_arrive(self):
        return all(left[start] != UNREACHED for left, start in zip(self.left, self.starts, strict=True))

    def search(self, limit=50):
        tree, best = new_priorities(len(self.members), limit, STEPS, 500), self.paths.copy()
        n = search_orders(self.arrays, tree, self.paths, best, self.members, self.goals, STEPS, limit, True)
        return best, int(n)

    def search_ecbs(self, w, limit=100):
        tree, best = new_ecbs_tree(self.arrays, len(self.members), limit, STEPS), self.paths.copy()
        n = search_ecbs(self.arrays, tree, self.paths, best, self.members, self.goals, STEPS, w, limit)
        return best, int(n)

    def used(self):
        """How many paths have a place at a step."""
        counted, table = np.zeros_like(self.arrays.used), self.states.occupancy
        for path in self.paths:
            for step, node in enumerate(path):
                counted[step, table.node_places[table.node_first[node] : table.node_first[node + 1]]] += 1
                if step:
                    row = row_of(table, path[step - 1], node)
                    counted[step, table.move_places[table.move_first[row] : table.move_first[row + 1]]] += 1
        return counted

    def is_legal(self, paths):
        return twin.is_legal_plan(self.problem, paths.T)

    def cost(self, agent, path):
        """The steps that the path of an agent costs in the window, and what is left then."""
        stand, goal, total = self.states.stand_of, self.goals[agent], 0
        for here, there in itertools.pairwise(path):
            total += here != there or stand[here] != goal
            if not self.stays and stand[there] == goal:
                return int(total)
        return int(total + self.left[agent][path[-1]])

    def ways(self, agent):
        """All paths of an agent through the window from which it can reach its goal."""
        paths, graph = [[int(self.starts[agent])]], self.states.graph
        for _ in range(STEPS):
            paths = [
                [*path, there]
                for path in paths
                for there in (path[-1], *graph.target[graph.first[path[-1]] : graph.first[path[-1] + 1]].tolist())
            ]
        return [path for path in paths if self.left[agent][path[-1]] != UNREACHED]


def row_of(table, here, there):
    if here == there:
        return len(table.target) + here
    first = table.first[here]
    return first + table.target[first : table.first[here + 1]].tolist().index(there)


def crowds(kind, n, **options):
    drawn = (Crowd(kind, number, **options) for number in itertools.count())
    return itertools.islice((crowd for crowd in drawn if crowd.can_arrive()), n)


@pytest.mark.plain
@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_clear_steps_are_free_of_collisions_and_all_are_counted(kind, stays):
    n_clear = 0
    for crowd in crowds(kind, 6, stays=stays):
        paths, clear = crowd.search()
        assert (paths[:, 0] == crowd.starts).all()
        assert crowd.is_legal(paths[:, : clear + 1])
        assert (crowd.arrays.used == crowd.used()).all()
        n_clear += clear == STEPS
    assert n_clear > 2


@pytest.mark.plain
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_the_first_collision_is_where_bodies_collide(kind):
    rng, n_free = np.random.default_rng(2), 0
    for crowd in crowds(kind, 12):
        graph = crowd.states.graph
        for path in crowd.paths:  # random walks
            for step in range(STEPS):
                here = path[step]
                path[step + 1] = rng.choice([here, *graph.target[graph.first[here] : graph.first[here + 1]]])
        one, other, clear = first_collision(crowd.arrays, crowd.paths, crowd.members, STEPS)
        assert crowd.is_legal(crowd.paths[:, : clear + 1])
        assert (one == NOBODY) == (clear == STEPS)
        n_free += one == NOBODY
        if one != NOBODY:
            assert not crowd.is_legal(crowd.paths[:, : clear + 2])
            pair = np.array([one, other], np.int32)
            assert first_collision(crowd.arrays, crowd.paths, pair, STEPS)[2] == clear
    assert n_free < 12


@pytest.mark.plain
@pytest.mark.parametrize("kind", ["squares", "turning", "slow", "hexagons", "one-way", "discs", "mixed discs"])
def test_ecbs_keeps_its_bound_and_is_optimal_without_slack(kind):
    n_solved = 0
    for crowd in crowds(kind, 4, most_agents=2):
        ways = [sorted((crowd.cost(agent, way), way) for way in crowd.ways(agent)) for agent in range(2)]
        near = [[way for way in some if way[0] <= some[0][0] + 2] for some in ways]
        most = near[0][0][0] + near[1][0][0] + 2  # beyond that, it takes long to look for the least
        pairs = sorted((a[0] + b[0], a[1], b[1]) for a, b in itertools.product(*near) if a[0] + b[0] <= most)
        best = next((cost for cost, *both in pairs if crowd.is_legal(np.array(both))), None)
        for w in (1.0, 1.5):
            crowd.paths[:] = crowd.starts[:, None]
            crowd.arrays.used[:] = 0
            count_paths(crowd.arrays, crowd.paths, crowd.members, STEPS, 1)
            paths, clear = crowd.search_ecbs(w)
            assert (crowd.arrays.used == crowd.used()).all()
            if clear < STEPS or best is None:
                continue
            assert crowd.is_legal(paths)
            cost = sum(crowd.cost(agent, path) for agent, path in enumerate(paths.tolist()))
            assert best <= cost <= w * best
            n_solved += 1
    assert n_solved > 3


@pytest.mark.plain
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_paths_that_are_planned_again_stay_free_of_collisions(kind):
    n_moved = 0
    for crowd in crowds(kind, 5):
        for _ in range(3):
            improve(crowd.arrays, crowd.paths, crowd.members, crowd.members, crowd.goals, 0, STEPS)
            assert crowd.is_legal(crowd.paths)
            assert (crowd.arrays.used == crowd.used()).all()
        n_moved += (crowd.paths[:, STEPS] != crowd.starts).any()
    assert n_moved


GRID = wf.Grid(np.ones((12, 12)))
BODIES = [Body(size=2), Body(turns=True), Body(speed=0.5), Body()]


@pytest.mark.plain
@pytest.mark.parametrize("solver", ["pbs", "ecbs", "pp"])
def test_no_move_of_a_body_is_refused(solver):
    problem = wf.random_problem(GRID, 8, seed=1, bodies=[BODIES[k % 4] for k in range(8)])
    free = np.setdiff1d(GRID.free_cells, problem.states.cells[problem.starts])[::29]
    places = [GRID.place(cell) for cell in free.tolist()]
    for changes in ([], [events.block(7, places), events.free(11, places)]):
        run = simulate(problem, "rhcr", until=200, solver=solver, nodes=16, events=changes)
        assert run.outcome == "solved"
        assert run.collisions.sum() == 0

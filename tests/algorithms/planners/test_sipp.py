"""SIPPS finds what A* in space and time finds, and tables that are changed step by step equal rebuilt ones."""

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk.algorithms.planners._sipp import fleet as fleets
from wayfolk.algorithms.planners._sipp.collisions import meet as meet_all
from wayfolk.algorithms.planners._sipp.fleet import SippFleet, new_fleet
from wayfolk.algorithms.planners._sipp.search import begin_search, go_on_searching, write_path
from wayfolk.algorithms.planners._sipp.traffic import LAST, new_traffic, with_more_visits
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import FOUND, RUNNING
from wayfolk.problem.problem import one_shot
from wayfolk.world.generate import random_map


@kernel
def open_search(fleet, agent, start, goal):
    begin_search(fleet.tree, fleet.fields, fleet.visits, fleet.is_hard, agent, start, goal, fleet.random)


@kernel
def search(fleet, agent, most, budget):
    return go_on_searching(fleet.tree, fleet.fields, fleet.visits, fleet.is_hard, agent, most, fleet.random, budget)


@kernel
def read_path(fleet, row):
    fleet.sizes[row] = write_path(fleet.tree, fleet.paths[row])


@kernel
def put(fleet, agent):
    fleet.counts[fleets.ADDED] = 0
    return fleets.put(fleet, agent, agent)


@kernel
def take(fleet, agent):
    fleets.take(fleet, agent, agent)


@kernel
def meet(fleet, agent):
    return meet_all(fleet, agent, agent)


def random_walk(grid, start, n_steps, rng):
    """The cells of a walk with waits."""
    cells = [int(start)]
    for _ in range(n_steps):
        legal = int(grid.legal[cells[-1]])
        cells.append(int(rng.choice([cells[-1], *(cells[-1] + grid.offsets[k] for k in range(8) if legal >> k & 1)])))
    return cells


def write(fleet: SippFleet, agent: int, cells: list[int]) -> None:
    """Make `cells` the path of `agent`."""
    stops = [(cell, step) for step, cell in enumerate(cells) if step == 0 or cells[step - 1] != cell]
    fleet.paths[agent, : len(stops)] = np.array(stops, np.int32).view(fleets.STOP).ravel()
    fleet.sizes[agent] = len(stops)


def walkers(problem, seed, longest=12):
    """A fleet with a random walk for each agent, and the walks, which are not in its visits yet."""
    rng = np.random.default_rng(seed)
    fleet = new_fleet(problem, 2, seed, counting=True, n_methods=3)
    walks = [random_walk(problem.grid, start, rng.integers(longest), rng) for start in problem.starts]
    for agent, cells in enumerate(walks):
        write(fleet, agent, cells)
    return fleet, walks


def at(cells, time):
    """Where a walk is at `time`."""
    return cells[min(time, len(cells) - 1)]


def crosses(grid, here, there, cells, time):
    """Whether `cells` has a move at `time` along the other diagonal of the block of a diagonal move."""
    if there - here not in grid.offsets[4:].tolist():
        return False
    x, y = grid.place(here)
    u, v = grid.place(there)
    return {at(cells, time - 1), at(cells, time)} == {grid.cell((x, v)), grid.cell((u, y))}


def collisions(grid, here, there, cells, time):
    """Whether an agent that goes from `here` to `there`, where it is at `time`, meets a new visit of `cells`."""
    before, now = at(cells, time - 1), at(cells, time)
    if here == there:
        return now == there and before != there
    return now == there or (before == there and now == here) or crosses(grid, here, there, cells, time)


def blocks(grid, here, there, cells, time):
    """Whether an agent may not go from `here` to `there` because of `cells`."""
    return at(cells, time) == there or collisions(grid, here, there, cells, time)


def slow_search(problem, walks, is_hard, most):
    """The fewest soft collisions of agent 0 and its earliest arrival, by Dijkstra in space and time, or None."""
    grid, goal = problem.grid, int(problem.goals[0])
    others = range(1, problem.n_agents)
    soft, hard = [walks[k] for k in others if not is_hard[k]], [walks[k] for k in others if is_hard[k]]
    horizon = min(most, max(map(len, walks)) + grid.n_cells)
    start = int(problem.starts[0])
    queue, done = [(sum(walk[0] == start for walk in soft), 0, start, False)], set()
    while queue:
        cost, time, cell, ends = heapq.heappop(queue)
        if ends:
            return cost, time
        if (time, cell) in done:
            continue
        done.add((time, cell))
        later = range(time + 1, horizon + len(walks) + 1)
        if cell == goal and not any(at(walk, step) == goal for walk in hard for step in later):
            n = sum(at(walk, step) == goal != at(walk, step - 1) for walk in soft for step in later)
            heapq.heappush(queue, (cost + n, time, cell, True))
        if time == horizon:
            continue
        legal = int(grid.legal[cell])
        for there in [cell, *(int(cell + grid.offsets[k]) for k in range(8) if legal >> k & 1)]:
            if not any(blocks(grid, cell, there, walk, time + 1) for walk in hard):
                n = sum(collisions(grid, cell, there, walk, time + 1) for walk in soft)
                heapq.heappush(queue, (cost + n, time + 1, there, False))
    return None


def path_cost(problem, cells, walks, is_hard):
    """The soft collisions of a path that is found, by the definition; it must not have hard ones."""
    grid = problem.grid
    total = sum(walk[0] == cells[0] for k, walk in enumerate(walks) if k and not is_hard[k])
    for time in range(1, max(len(cells), *map(len, walks)) + 1):
        for k, walk in enumerate(walks):
            if k and is_hard[k]:
                assert not blocks(grid, at(cells, time - 1), at(cells, time), walk, time)
            elif k:
                total += collisions(grid, at(cells, time - 1), at(cells, time), walk, time)
    return total


@pytest.mark.plain
@given(small_problems(max_agents=5), st.integers(0, 2**31), st.integers(0, 40), st.integers(1, 5))
@example(one_shot(random_map(1, 2, 0.0, moves="four"), [(0, 0), (0, 1)], [(0, 1), (0, 0)]), 2362792, 0, 1)
def test_sipps_equals_a_search_in_space_and_time(problem, seed, most, budget):
    fleet, walks = walkers(problem, seed)
    rng = np.random.default_rng(seed)
    fleet.is_hard[:] = rng.integers(0, 2, problem.n_agents)
    if any(fleet.is_hard[k] and walk[0] == walks[0][0] for k, walk in enumerate(walks) if k):
        return
    for agent in range(1, problem.n_agents):
        assert put(fleet, agent)
    most = LAST if most < 10 else most
    open_search(fleet, 0, int(problem.starts[0]), int(problem.goals[0]))
    while (code := search(fleet, 0, most, budget)) == RUNNING:
        pass
    expected = slow_search(problem, walks, fleet.is_hard, most)
    assert (code == FOUND) == (expected is not None)
    if expected is not None:
        read_path(fleet, 0)
        stops = fleet.paths[0, : fleet.sizes[0]]
        stays = np.diff(stops["start"], append=stops["start"][-1] + 1)
        cells = np.repeat(stops["cell"], stays).tolist()
        assert cells[0] == problem.starts[0]
        assert cells[-1] == problem.goals[0]
        assert (path_cost(problem, cells, walks, fleet.is_hard), len(cells) - 1) == expected


def table_of(fleet):
    """The visits of all cells, and whether they are in order and `reach` is right."""
    found = {}
    for cell, span in enumerate(fleet.visits.spans):
        visits = fleet.visits.visits[span["first"] : span["first"] + span["n"]]
        assert (np.diff(visits["start"]) >= 0).all()
        assert (visits["reach"] == np.maximum.accumulate(visits["end"])).all()
        if len(visits):
            found[cell] = sorted(visits[["start", "end", "agent"]].tolist())
    return found


@pytest.mark.plain
@given(small_problems(max_agents=6), st.integers(0, 2**31))
def test_changed_tables_equal_rebuilt_ones(problem, seed):
    changed, _ = walkers(problem, seed)
    rng, present = np.random.default_rng(seed), set()
    for agent in rng.integers(0, problem.n_agents, 30).tolist():
        (take if agent in present else put)(changed, agent)
        present ^= {agent}
    rebuilt, _ = walkers(problem, seed)
    for agent in present:
        put(rebuilt, agent)
    assert table_of(changed) == table_of(rebuilt)


@pytest.mark.plain
@given(small_problems(max_agents=6), st.integers(0, 2**31))
def test_agents_that_collide_are_found(problem, seed):
    fleet, walks = walkers(problem, seed)
    for agent in range(problem.n_agents):
        put(fleet, agent)
    for agent, cells in enumerate(walks):
        steps = range(1, max(map(len, walks)) + 1)
        expected = {
            other
            for other, walk in enumerate(walks)
            if other != agent
            and (
                walk[0] == cells[0] or any(blocks(problem.grid, at(cells, t - 1), at(cells, t), walk, t) for t in steps)
            )
        }
        assert set(fleet.met[: meet(fleet, agent)].tolist()) == expected


def test_full_arrays_are_noticed():
    """A path is added up to the visit for which there is no room, and the rest of it later."""
    problem = one_shot(random_map(6, 6, 0.0, moves="four"), [(0, 0)], [(5, 5)])
    fleet, walks = walkers(problem, 1, longest=40)
    n_stops = sum(1 for one, other in itertools.pairwise(walks[0]) if one != other) + 1
    fleet = fleet._replace(visits=new_traffic(problem.grid.n_cells, 4))
    rounds = 0
    fleet.counts[fleets.ADDED] = 0
    while not go_on_putting(fleet):
        rounds += 1
        fleet = fleet._replace(visits=with_more_visits(fleet.visits))
    assert rounds > 1
    assert sum(map(len, table_of(fleet).values())) == n_stops


@kernel
def go_on_putting(fleet):
    return fleets.put(fleet, 0, 0)

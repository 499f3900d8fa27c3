"""ICTS: diagrams hold exactly the paths of a cost, pruning removes only what no plan needs, the first plan is best."""

import itertools

import pytest

import body_reference as twin
from reference import N_WORLDS, legal_moves, meets, picture
from tiny_worlds import tiny_problem
from wayfolk.algorithms.planners._groups.search import SharedFields
from wayfolk.algorithms.planners.icts import diagrams, search
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map


def problem_of(moves, seed, n_agents=2, side=3, walls=0.2):
    grid = random_map(side, side, walls, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def all_paths(problem, agent, cost):
    """Every path that is on the goal after `cost` steps, and not one step before."""
    grid, goal = problem.grid, int(problem.goals[agent])
    paths = [[int(problem.starts[agent])]]
    for _ in range(cost):
        paths = [[*path, cell] for path in paths for cell in (path[-1], *legal_moves(grid, path[-1]))]
    return [path for path in paths if path[-1] == goal and (cost == 0 or path[-2] != goal)]


def all_walks(problem, agent, cost):
    """The same in any world; a body that turns is on its goal in every heading."""
    states = problem.states
    graph, is_home = states.graph, states.stand_of == problem.goals[agent]
    walks = [[int(problem.starts[agent])]]
    for _ in range(cost):
        walks = [
            [*walk, node]
            for walk in walks
            for node in (walk[-1], *graph.target[graph.first[walk[-1]] : graph.first[walk[-1] + 1]].tolist())
        ]
    return [walk for walk in walks if is_home[walk[-1]] and (cost == 0 or not is_home[walk[-2]])]


def nodes_of(atlas, diagram):
    """The (step, cell) of every node that is alive."""
    arrays, found = atlas.arrays, set()
    for step in range(diagram.cost + 1):
        first, end = arrays.layers[diagram.layer + step : diagram.layer + step + 2]
        found |= {(step, int(arrays.cells[node])) for node in range(first, end) if arrays.alive[node]}
    return found


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_a_diagram_has_the_nodes_of_all_paths_of_its_cost(moves):
    for seed in range(4):
        problem = problem_of(moves, seed)
        atlas = diagrams.Atlas(SharedFields(problem), [0, 1])
        for agent, cost in itertools.product((0, 1), range(5)):
            paths = all_paths(problem, agent, cost)
            diagram = atlas.diagram(agent, cost)
            assert (diagram is None) == (not paths)
            if diagram is not None:
                assert nodes_of(atlas, diagram) == {(step, cell) for path in paths for step, cell in enumerate(path)}


@pytest.mark.plain
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_a_diagram_has_the_nodes_of_all_paths_of_its_cost_in_any_world(kind):
    n_found = 0
    for number in range(4):
        problem = twin.drawn_problem(kind, number)
        atlas = diagrams.Atlas(SharedFields(problem), [0, 1])
        for agent, cost in itertools.product((0, 1), range(5)):
            walks = all_walks(problem, agent, cost)
            diagram = atlas.diagram(agent, cost)
            assert (diagram is None) == (not walks)
            if diagram is not None:
                assert nodes_of(atlas, diagram) == {place for walk in walks for place in enumerate(walk)}
                n_found += 1
    assert n_found > 0


@pytest.mark.parametrize("pruning", ["none", "simple", "enhanced", "repeated"])
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_all_prunings_find_a_best_plan_in_any_world(kind, pruning):
    for number in range(6):
        problem, best = twin.tiny_problem(kind, number)
        detection = ("none", "simple")[number % 2]
        result = solve(problem, "icts", pruning=pruning, together=2 + number % 2, detection=detection)
        assert result.status is (Status.IMPOSSIBLE if best is None else Status.SOLVED), number
        if best is not None:
            assert check(result.plan, problem) == [], number
            assert sum_of_costs(result.plan, problem.goals) == best, number


def fit(problem, one, other):
    """Whether two paths do not collide; the shorter one ends with a stay."""
    n = max(len(one), len(other))
    one, other = (path + path[-1:] * (n - len(path)) for path in (one, other))
    return not any(meets(problem.grid, one[t : t + 2], other[t : t + 2]) for t in range(n - 1))


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_enhanced_pruning_keeps_what_a_plan_of_two_agents_needs(moves):
    n_pruned = n_unsolvable = 0
    for seed, more in itertools.product(range(6), range(3)):
        problem = problem_of(moves, seed)
        tree = search.CostTree(SharedFields(problem), [0, 1], "enhanced", 2)
        tree.costs = [tree.base[0], tree.base[1] + more]
        if any(tree.atlas.diagram(k, tree.costs[k]) is None for k in (0, 1)):
            continue
        one, other = tree._diagrams((0, 1))
        paths = [all_paths(problem, k, tree.costs[k]) for k in (0, 1)]
        pairs = [(tuple(a), tuple(b)) for a, b in itertools.product(*paths) if fit(problem, tuple(a), tuple(b))]
        masks = tree._pruned(one, other)
        assert (masks is None) == (not pairs)
        n_unsolvable += masks is None
        if masks is not None:
            n_pruned += int((masks[0] < one.alive).sum() + (masks[1] < other.alive).sum())
            tree.atlas.arrays.alive[one.nodes], tree.atlas.arrays.alive[other.nodes] = masks
            for k, diagram in enumerate((one, other)):
                assert nodes_of(tree.atlas, diagram) == {place for pair in pairs for place in enumerate(pair[k])}
    assert n_pruned > 0
    assert n_unsolvable > 0 or moves == "eight"


@pytest.mark.parametrize("detection", ["none", "simple"])
@pytest.mark.parametrize("pruning", ["none", "simple", "enhanced", "repeated"])
def test_all_prunings_find_a_best_plan(pruning, detection):
    for number in range(N_WORLDS // 5):
        problem, best = tiny_problem(number, 4)
        result = solve(problem, "icts", pruning=pruning, together=2 + number % 3, detection=detection)
        drawn = f"world {number}\n{picture(problem.grid, problem.starts.tolist(), problem.goals.tolist())}"
        assert result.status is (Status.IMPOSSIBLE if best is None else Status.SOLVED), drawn
        if best is not None:
            assert check(result.plan, problem) == [], drawn
            assert sum_of_costs(result.plan, problem.goals) == best, drawn


def test_pruning_excludes_vectors_without_a_plan():
    """Fewer vectors reach the search over all diagrams, and the same first one has a plan."""
    grid = parse_ascii("#.#.#\n.....\n#####", moves="four")
    problem = one_shot(grid, [(0, 1), (4, 1), (1, 0)], [(4, 1), (0, 1), (3, 0)])
    tried, costs = {}, set()
    for pruning, together in [("none", 2), ("simple", 2), ("enhanced", 2), ("enhanced", 3), ("repeated", 2)]:
        tree = search.CostTree(SharedFields(problem), [0, 1, 2], pruning, together)
        while tree.advance(100) == 0:
            pass
        tried[pruning, together] = tree.n_vectors
        costs.add(tuple(tree.costs))
    assert len(costs) == 1
    assert sum(next(iter(costs))) > lower_bound(problem)
    assert tried["none", 2] > tried["simple", 2] >= tried["enhanced", 2] >= tried["enhanced", 3] >= 1


@pytest.mark.plain
def test_vectors_come_by_their_sum_and_none_twice():
    problem = problem_of("four", 1, n_agents=3, side=6, walls=0.0)
    tree = search.CostTree(SharedFields(problem), [0, 1, 2], "none", 2)
    seen = []

    def note(self=tree):
        seen.append([cost - base for cost, base in zip(tree.costs, tree.base, strict=True)])
        return False
        yield 0

    tree._has_plan = note
    for more in range(5):
        assert not any(False for _ in tree._try_all(more))
    drawn = {(k, cost - tree.base[k]) for (k, cost), diagram in tree.atlas.known.items() if diagram is not None}
    every = itertools.product(range(5), repeat=3)
    expected = [v for v in every if sum(v) < 5 and all((k, extra) in drawn for k, extra in enumerate(v))]
    assert [sum(vector) for vector in seen] == sorted(sum(vector) for vector in expected)
    assert sorted(map(tuple, seen)) == sorted(expected)


@pytest.mark.plain
def test_who_cannot_pass_is_impossible():
    grid = parse_ascii("...", moves="four")
    result = solve(one_shot(grid, [(0, 0), (2, 0)], [(2, 0), (0, 0)]), "icts")
    assert result.status is Status.IMPOSSIBLE
    assert "agents 0, 1 have no plan" in result.detail


def test_memory_that_is_full_ends_it(monkeypatch):
    problem = problem_of("four", 0, n_agents=30, side=16)
    task = begin_plan(problem, "icts", detection="none")
    for module in (search, diagrams):
        monkeypatch.setattr(module, "available_bytes", lambda: 1 << 16)
    while not task.advance(1000).is_final:
        pass
    assert task.status is Status.OUT_OF_BUDGET
    assert "memory" in task.result().detail

"""CBS finds the least sum of costs with every mixture of its options, and its heuristics never overestimate."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import body_reference as twin
from reference import TooManyStates, joint_optimum, small_problems
from wayfolk.algorithms.planners._cbs.cover import cover_of
from wayfolk.algorithms.planners._cbs.moves import collide
from wayfolk.algorithms.planners._cbs.search import ConflictSearch
from wayfolk.algorithms.planners._cbs.state_moves import state_moves
from wayfolk.algorithms.planners._groups.search import JointSearch, SharedFields
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import makespan, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import FOUND, FULL, RUNNING
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.roadmap import Lane, Roadmap

PLAIN = {
    "prioritise": False, "bypass": False, "heuristic": "none", "rectangle": False, "corridor": False, "target": False,
    "mutex": False,
}  # fmt: skip
VARIANTS = [
    {},
    *({name: value} for name, value in PLAIN.items()),
    PLAIN,
    {"heuristic": "cg"},
    {"heuristic": "dg"},
    {"disjoint": True},
    PLAIN | {"disjoint": True},
    PLAIN | {"target": True},
    PLAIN | {"corridor": True},
    PLAIN | {"prioritise": True, "rectangle": True},
    PLAIN | {"prioritise": True, "mutex": True},
]


def best_of(problem, measure="sum_of_costs"):
    """The optimum; worlds that have no plan or are too large to look for it are not used."""
    try:
        best = joint_optimum(problem.grid, problem.starts, problem.goals, 1500, measure=measure)
    except TooManyStates:
        best = None
    assume(best is not None)
    return best


def drawn(text, *pairs, moves="four"):
    """A problem on a map drawn as text."""
    grid = parse_ascii(text, moves=moves)
    starts, goals = zip(*pairs, strict=True)
    return one_shot(grid, starts, goals)


@pytest.mark.plain
@given(data=st.data())
def test_every_variant_finds_the_optimum(data):
    moves = data.draw(st.sampled_from(["four", "four", "eight", "eight_cutting"]))
    problem = data.draw(small_problems(3, moves=moves, max_side=4 if moves == "four" else 3))
    best = best_of(problem)
    for options in VARIANTS:
        result = solve(problem, "cbs", expansions=400, **options)
        if result.is_solved:
            assert check(result.plan, problem) == [], options
            assert sum_of_costs(result.plan, problem.goals) == best, options
        else:  # without reasoning, a few agents in a corridor can take very long
            assert result.status is Status.OUT_OF_BUDGET
            assert options != {}


@pytest.mark.plain
@given(problem=small_problems(3, moves="four", max_side=4))
def test_least_makespan(problem):
    best = best_of(problem, "makespan")
    result = solve(problem, "cbs", expansions=400, objective="makespan")
    if result.is_solved:
        assert check(result.plan, problem) == []
        assert makespan(result.plan, problem.goals) == best
    else:
        assert result.status is Status.OUT_OF_BUDGET


@pytest.mark.plain
@given(problem=small_problems(3, moves="four", max_side=4), heuristic=st.sampled_from(["cg", "dg", "wdg"]))
def test_no_node_on_the_way_promises_more_than_the_optimum(problem, heuristic):
    best = best_of(problem)
    task = begin_plan(problem, "cbs", heuristic=heuristic)
    before = 0
    for _ in range(300):
        if task.advance(1).is_final:
            break
        if task.open:
            least = task.open[0][0]
            assert before <= least <= best
            before = least


@pytest.mark.plain
@pytest.mark.parametrize(
    ("problem", "promises"),
    [("corridor", {"none": 0, "cg": 1, "dg": 1, "wdg": 6}), ("rectangle", {"none": 0, "cg": 0, "dg": 1, "wdg": 1})],
)
def test_the_root_promises_what_two_agents_cost_more(problem, promises):
    problem = {"corridor": swap_in_corridor, "rectangle": cross_a_rectangle}[problem]()
    for heuristic, promised in promises.items():
        task = begin_plan(problem, "cbs", heuristic=heuristic)
        task.advance(3)
        assert task.tables.tree[0]["h"] == promised, heuristic


def swap_in_corridor():
    text = """
        ..@@@@..
        ........
        ..@@@@..
        """
    return drawn(text, ((0, 1), (7, 1)), ((7, 1), (0, 1)))


def cross_a_rectangle():
    return drawn("\n".join(["......"] * 6), ((0, 1), (5, 4)), ((1, 0), (4, 5)))


@pytest.mark.plain
def test_the_pair_that_swaps_in_a_corridor_needs_few_nodes():
    problem = swap_in_corridor()
    with_it, without = (solve(problem, "cbs", corridor=value, heuristic="none") for value in (True, False))
    assert sum_of_costs(with_it.plan, problem.goals) == sum_of_costs(without.plan, problem.goals) == 20
    assert with_it.expanded <= 3 < without.expanded


@pytest.mark.plain
def test_a_rectangle_is_resolved_by_one_split():
    problem = cross_a_rectangle()
    with_it, without = (
        solve(problem, "cbs", rectangle=value, heuristic="none", mutex=False) for value in (True, False)
    )
    assert sum_of_costs(with_it.plan, problem.goals) == sum_of_costs(without.plan, problem.goals) == 17
    assert with_it.expanded <= 2 < without.expanded


@pytest.mark.plain
def test_two_agents_that_cannot_both_keep_their_costs_are_resolved_by_one_split():
    problem = cross_a_rectangle()
    with_it, without = (
        solve(problem, "cbs", rectangle=False, heuristic="none", mutex=value) for value in (True, False)
    )
    assert sum_of_costs(with_it.plan, problem.goals) == sum_of_costs(without.plan, problem.goals) == 17
    assert with_it.expanded <= 2 < without.expanded


@pytest.mark.plain
def test_an_agent_parked_in_the_way_lets_the_other_pass():
    problem = drawn(
        """
        @@.@@@
        ......
        """,
        ((1, 1), (2, 1)),
        ((0, 1), (5, 1)),
    )
    for target in (True, False):
        result = solve(problem, "cbs", target=target, seconds=1000)
        assert check(result.plan, problem) == []
        assert sum_of_costs(result.plan, problem.goals) == joint_optimum(problem.grid, problem.starts, problem.goals)


@pytest.mark.plain
def test_crossing_diagonals_are_a_conflict():
    problem = drawn("..\n..", ((0, 0), (1, 1)), ((1, 0), (0, 1)), moves="eight")
    result = solve(problem, "cbs")
    assert check(result.plan, problem) == []
    assert sum_of_costs(result.plan, problem.goals) == 3


@pytest.mark.plain
@pytest.mark.parametrize("portion", [1, 2, 7])
def test_a_pause_changes_nothing(portion):
    grid = random_map(8, 8, 0.15, seed=2)
    starts, goals = draw_pairs(grid, 7, seed=2)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    whole = solve(problem, "cbs")
    task = begin_plan(problem, "cbs")
    while not task.advance(portion).is_final:
        pass
    assert np.array_equal(task.result().plan.cells, whole.plan.cells)
    assert task.result().counters == whole.counters


@pytest.mark.plain
def test_covers():
    assert cover_of({}) == 0
    assert cover_of({(0, 1): 3}) == 3
    assert cover_of({(0, 1): 1, (1, 2): 1, (2, 0): 1}) == 2
    assert cover_of({(0, 1): 2, (1, 2): 3, (4, 5): 1}) == 4
    star = {(0, k): k for k in range(1, 6)}
    assert cover_of(star) == 5


@pytest.mark.plain
def test_a_cover_of_a_large_group_is_a_lower_bound():
    random = np.random.default_rng(1)
    weights = {(i, j): int(random.integers(1, 9)) for i in range(24) for j in range(i)}
    assert (
        0 < cover_of(weights) <= sum(max(weights[max(i, j), min(i, j)] for j in range(24) if j != i) for i in range(24))
    )


@pytest.fixture
def tree_alone(monkeypatch):
    """No joint search beside the tree, which would find most answers in tiny worlds."""
    monkeypatch.setattr(ConflictSearch, "_is_unsolvable", lambda self: False)


def expect_optimum(problem, best, n_nodes, **options):
    """The tree has found a plan that costs `best`, or needs more nodes; whether it has."""
    result = solve(problem, "cbs", expansions=n_nodes, **options)
    if result.is_solved:
        assert check(result.plan, problem) == []
        assert sum_of_costs(result.plan, problem.goals) == best
    else:
        assert result.status is Status.OUT_OF_BUDGET
    return result.is_solved


@pytest.mark.plain
@pytest.mark.usefixtures("tree_alone")
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_the_tree_finds_the_optimum_in_any_world(kind):
    solvable = [tiny for tiny in (twin.tiny_problem(kind, number) for number in range(6)) if tiny[1] is not None]
    assert sum(expect_optimum(problem, best, 40) for problem, best in solvable) > len(solvable) // 2


@pytest.mark.usefixtures("tree_alone")
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_every_variant_finds_the_optimum_in_any_world(kind):
    n_solved = 0
    for number in range(4):
        problem, best = twin.tiny_problem(kind, number)
        for options in VARIANTS if best is not None else []:
            n_solved += expect_optimum(problem, best, 400, **options)
    assert n_solved > len(VARIANTS)


@pytest.mark.usefixtures("tree_alone")
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_least_makespan_in_any_world(kind):
    n_solved = 0
    for number in range(8):
        problem, best = twin.tiny_problem(kind, number)
        result = solve(problem, "cbs", expansions=400, objective="makespan")
        if best is None or not result.is_solved:
            continue
        joint = JointSearch(SharedFields(problem), list(range(problem.n_agents)), measure="makespan")
        while (code := joint.advance(1 << 14)) in (RUNNING, FULL):
            pass
        assert code == FOUND
        assert makespan(result.plan, problem.goals) == len(joint.cells()) - 1
        n_solved += 1
    assert n_solved > 2


@pytest.mark.plain
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_steps_collide_as_the_rule_of_places_says(kind):
    problem = twin.drawn_problem(kind, 3)
    states, moves = problem.states, state_moves(problem.states)
    random = np.random.default_rng(1)
    free = states.free_cells
    found = set()
    for _ in range(600):
        ends = []
        for node in random.choice(free, 2).tolist():
            near = [node, *states.graph.target[states.graph.first[node] : states.graph.first[node + 1]].tolist()]
            ends.append((node, int(random.choice(near))))
        (here, there), (here2, there2) = ends
        bodies = [states.kinds[states.kind_of(node)] for node in (here, here2)]
        steps = [tuple(twin.state_of(problem, node) for node in pair) for pair in ends]
        if twin.overlap(problem.world, bodies[0], steps[0][0], bodies[1], steps[1][0]):
            continue
        expected = twin.clash(problem.world, bodies[0], steps[0], bodies[1], steps[1])
        assert bool(collide(moves, here, there, here2, there2)) == expected
        found.add(expected)
    assert found == {True, False}


@pytest.mark.plain
@pytest.mark.usefixtures("tree_alone")
@pytest.mark.parametrize("n_ends", [5, 70])
def test_a_node_with_many_moves(n_ends):
    """The moves of a node of a diagram are bits, and there may be more of them than bits in a number."""
    places = {"hub": (0.0, 0.0)} | {f"end {k}": (math.cos(k), math.sin(k)) for k in range(n_ends)}
    star = Roadmap(places, [Lane("hub", end) for end in places if end != "hub"])
    last = [f"end {n_ends - 1}", f"end {n_ends - 2}"]
    problem = one_shot(star, last, last[::-1])
    best = twin.least_sum_of_costs(problem)
    assert best == 7
    assert expect_optimum(problem, best, 100)

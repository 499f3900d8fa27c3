"""The environment: the tests of PettingZoo and Gymnasium, pogema's observations, and legal moves under every rule."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.judge.plans import check
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.simulation.env import Arena, gym_env, parallel_env, policy_controller
from wayfolk.simulation.env.arena import WAYS
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid

RULES = ("priority", "block", "soft")


def a_problem(agents: int = 8, seed: int = 0, moves: str = "four", side: int = 12) -> Problem:
    grid = random_map(side, side, 0.2, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def walk(arena: Arena, steps: int, seed: int = 0) -> None:
    random = np.random.default_rng(seed)
    for _ in range(steps):
        arena.step(random.integers(arena.n_actions, size=arena.n_agents))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options", [{}, {"at_goal": "restart", "observation": "dict"}, {"at_goal": "stay", "conflicts": "soft"}]
)
def test_pettingzoos_own_tests_pass(options: dict[str, Any]) -> None:
    tests = pytest.importorskip("pettingzoo.test", reason="pettingzoo is not installed")
    tests.parallel_api_test(parallel_env(a_problem(), max_steps=40, **options), num_cycles=200)
    if "observation" not in options:
        tests.parallel_seed_test(lambda: parallel_env(lambda seed: a_problem(seed=seed), max_steps=20, **options), 20)


@pytest.mark.filterwarnings("ignore")
def test_gymnasiums_own_tests_pass() -> None:
    checker = pytest.importorskip("gymnasium.utils.env_checker", reason="gymnasium is not installed")
    checker.check_env(gym_env(a_problem(1), max_steps=30), skip_render_check=True)
    with pytest.raises(BadProblem, match="one agent"):
        gym_env(a_problem(2))


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("rule", RULES)
def test_agents_make_legal_moves_only(rule: Any, moves: str) -> None:
    for seed in range(4):
        arena = Arena(a_problem(20, seed, moves, 8), conflicts=rule, at_goal="stay", record=True)
        walk(arena, 30, seed)
        assert not check(arena.plan(), starts=arena.problem.starts)


@pytest.mark.plain
def test_the_three_rules_differ_as_they_should() -> None:
    grid = Grid(np.ones((1, 4)), "four")
    two = one_shot(grid, [(0, 0), (1, 0)], [(3, 0), (2, 0)])
    right = [4, 4]
    places = {}
    for rule in RULES:
        arena = Arena(two, conflicts=rule, at_goal="stay")  # type: ignore[arg-type]
        arena.step(right)
        places[rule] = [grid.place(int(cell))[0] for cell in arena.cells]
    assert places == {"priority": [0, 2], "block": [0, 2], "soft": [1, 2]}  # who follows moves with "soft" alone
    for rule in RULES:  # two agents want one cell: the first has it, or neither
        arena = Arena(one_shot(grid, [(0, 0), (2, 0)], [(3, 0), (0, 0)]), conflicts=rule, at_goal="stay")  # type: ignore[arg-type]
        arena.step([4, 3])
        assert [grid.place(int(cell))[0] for cell in arena.cells] == ([0, 2] if rule == "block" else [1, 2])


def plain_window(problem: Problem, cells: Any, active: Any, agent: int, radius: int, goals: Any) -> Any:
    """The slow twin: what an agent sees, cell by cell."""
    grid = problem.grid
    side = 2 * radius + 1
    window = np.zeros((3, side, side), np.float32)
    x, y = grid.place(int(cells[agent]))
    others = {grid.place(int(cell)) for cell, is_there in zip(cells, active, strict=True) if is_there}
    for row in range(side):
        for column in range(side):
            at_x, at_y = x + column - radius, y + row - radius
            if 0 <= at_x < grid.width and 0 <= at_y < grid.height:
                window[0, row, column] = not grid.free[at_y, at_x]
            elif -1 <= at_x <= grid.width and -1 <= at_y <= grid.height:
                window[0, row, column] = 1.0
            window[1, row, column] = (at_x, at_y) in others
    goal_x, goal_y = grid.place(int(goals[agent]))
    window[2, radius + np.clip(goal_y - y, -radius, radius), radius + np.clip(goal_x - x, -radius, radius)] = 1.0
    return window


@pytest.mark.plain
@pytest.mark.parametrize("vision", [1, 3, 5])
def test_agents_see_what_they_should(vision: int) -> None:
    arena = Arena(a_problem(6, 2), vision=vision)
    for seed in range(5):
        for agent in range(arena.n_agents):
            expected = plain_window(arena.problem, arena.cells, arena.active, agent, vision, arena.goals)
            assert (arena.windows()[agent] == expected).all()
        walk(arena, 3, seed)


def greedy(windows: Any) -> Any:
    """Go towards the goal in the window, where no wall or agent is in the way; a policy to test with."""
    radius = windows.shape[-1] // 2
    actions = np.zeros(len(windows), int)
    for k, (walls, agents, goal) in enumerate(windows):
        row, column = np.argwhere(goal)[0] - radius
        steps = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
        best = sorted(steps, key=lambda a: abs(row - steps[a][0]) + abs(column - steps[a][1]))
        if not (row == column == 0):
            free = [a for a in best if not walls[radius + steps[a][0], radius + steps[a][1]]]
            actions[k] = next((a for a in free if not agents[radius + steps[a][0], radius + steps[a][1]]), 0)
    return actions


@pytest.mark.plain
def test_rewards_are_pogemas_or_the_cost_of_steps() -> None:
    grid = Grid(np.ones((3, 5)), "four")
    problem = one_shot(grid, [(0, 0), (0, 2)], [(2, 0), (4, 2)])
    told = {}
    for reward in ("goal", "step"):
        arena, told[reward] = Arena(problem, reward=reward), []  # type: ignore[arg-type]
        windows = arena.windows()
        while arena.active.any():
            turn = arena.step(greedy(windows))
            windows = turn.windows
            told[reward].append(turn.rewards.tolist())
    assert told["goal"] == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert told["step"] == [[-1, -1], [0, -1], [0, -1], [0, 0]]


@pytest.mark.plain
def test_lifelong_agents_get_new_goals() -> None:
    grid = Grid(np.ones((8, 8)), "four")
    problem = one_shot(grid, [(0, 0)], [(3, 0)])
    arena = Arena(problem, at_goal="restart", max_steps=400)
    windows = arena.windows()
    for _ in range(200):
        windows = arena.step(greedy(windows)).windows
    assert arena.arrivals.min() > 4
    assert (arena.problem.grid.components[arena.goals] == arena.problem.grid.components[arena.cells]).all()


def test_a_policy_is_a_controller() -> None:
    grid = Grid(np.ones((10, 10)), "four")
    problem = one_shot(grid, [(0, 0), (9, 9), (0, 9)], [(9, 8), (0, 1), (5, 5)])
    run = wf.simulate(problem, policy_controller(greedy, vision=4), until=100)
    assert run.status is wf.Status.SOLVED
    assert not wf.check_record(run.record)


def test_a_policy_with_the_wrong_number_of_actions_is_refused() -> None:
    with pytest.raises(BadInput, match="was asked for"):
        wf.simulate(a_problem(3), policy_controller(lambda windows: [0]), until=5)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"vision": 0}, "vision must be"),
        ({"conflicts": "rude"}, "conflicts must be"),
        ({"at_goal": "sleep"}, "at_goal must be"),
        ({"reward": "gold"}, "reward must be"),
        ({"max_steps": 0}, "max_steps must be"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Arena(a_problem(), **options)


@pytest.mark.plain
def test_wrong_actions_are_refused() -> None:
    arena = Arena(a_problem(3))
    with pytest.raises(BadInput, match="3 agents"):
        arena.step([0, 0])
    with pytest.raises(BadInput, match="from 0 to 4"):
        arena.step([0, 0, 5])
    assert len(WAYS) == 9


def test_without_the_packages_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "wayfolk.simulation.env.parallel", raising=False)
    with pytest.raises(NotSupported, match=r"wayfolk\[env\]"):
        parallel_env(a_problem())


def test_the_example_of_a_learned_policy_works() -> None:
    """The file is not part of the package: it is run from its folder."""
    file = Path(__file__).resolve().parents[3] / "examples" / "learned_policy.py"
    assert runpy.run_path(str(file))["main"]() > 0.5

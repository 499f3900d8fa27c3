"""A policy that learns from a planner, and then moves agents in a simulation: the whole way, with numpy alone.

    python examples/learned_policy.py

The teacher knows how far every cell is from the goal. The pupil sees 11 x 11 cells, and imitates the teacher's moves by a
linear model. Then it is a controller like any other: `wf.simulate`, `wf.solve` and replays work with it. Put a network of
your own in the place of `Linear`.
"""

from __future__ import annotations

import numpy as np

import wayfolk as wf

VISION, ACTIONS = 5, 5


class Linear:
    """A softmax over actions, of all cells of a window; actions into walls and agents are left out."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.weights = np.zeros((3 * (2 * VISION + 1) ** 2 + 1, ACTIONS))

    def __call__(self, windows: np.ndarray) -> np.ndarray:
        """An action for each window, drawn by its chances."""
        chances = self.chances(windows)
        middle = VISION
        beside = [(middle - 1, middle), (middle + 1, middle), (middle, middle - 1), (middle, middle + 1)]
        for action, (row, column) in enumerate(beside, 1):
            chances[(windows[:, 0, row, column] + windows[:, 1, row, column]) > 0, action] = 0.0
        at_goal = windows[:, 2, middle, middle] > 0
        chances[at_goal, 1:] = 0.0
        chances[at_goal, 0] = 1.0
        chances[:, 0] += 1e-6
        chances /= chances.sum(1, keepdims=True)
        return (chances.cumsum(1) > self.random.random((len(windows), 1))).argmax(1)

    def chances(self, windows: np.ndarray) -> np.ndarray:
        """The chance of each action."""
        scores = self.features(windows) @ self.weights
        raised = np.exp(scores - scores.max(1, keepdims=True))
        return raised / raised.sum(1, keepdims=True)

    def features(self, windows: np.ndarray) -> np.ndarray:
        """Windows as rows of numbers."""
        return np.concatenate([windows.reshape(len(windows), -1), np.ones((len(windows), 1))], 1)

    def learn(self, windows: np.ndarray, actions: np.ndarray, rounds: int = 400, rate: float = 1.0) -> None:
        """Make `actions` likelier for `windows`."""
        features, wanted = self.features(windows), np.eye(ACTIONS)[actions]
        for _ in range(rounds):
            error = self.chances(windows) - wanted
            self.weights -= rate * features.T @ error / len(windows)


def teacher(arena: wf.env.Arena) -> np.ndarray:
    """For each agent a move that brings it nearer to its goal, along a shortest path."""
    grid = arena.problem.grid
    actions = np.zeros(arena.n_agents, int)
    for agent in range(arena.n_agents):
        path = wf.find_path(grid, grid.place(int(arena.cells[agent])), grid.place(int(arena.goals[agent]))).path
        if path is not None and len(path) > 1:
            (x, y), (next_x, next_y) = path[0], path[1]
            actions[agent] = {(0, -1): 1, (0, 1): 2, (-1, 0): 3, (1, 0): 4}[next_x - x, next_y - y]
    return actions


def random_problem(seed: int, agents: int = 16) -> wf.Problem:
    """A map with some walls, and agents with random starts and goals."""
    grid = wf.generate.without_islands(wf.generate.random_map(16, 16, 0.1, seed=seed, moves="four"))
    starts, goals = wf.generate.draw_pairs(grid, agents, seed=seed)
    return wf.one_shot(grid, grid.places(starts), grid.places(goals))


def main() -> float:
    """Learn on some maps, then move agents on another; return the share of goals that are reached."""
    pupil, lessons, answers = Linear(), [], []
    arena = wf.env.Arena(random_problem, vision=VISION, at_goal="restart")
    for seed in range(6):
        windows = arena.reset(seed)
        for _ in range(25):
            actions = teacher(arena)
            lessons.append(windows)
            answers.append(actions)
            windows = arena.step(actions).windows
    pupil.learn(np.concatenate(lessons), np.concatenate(answers))

    run = wf.simulate(random_problem(99), wf.env.policy_controller(pupil, vision=VISION), until=200)
    assert not wf.check_record(run.record)
    arrived = len(np.unique(run.record.agent[run.record.of(3)])) / run.n_agents  # rows of kind 3 are arrivals
    print(f"{arrived:.0%} of the agents have reached their goals after {run.time:.0f} steps")
    return arrived


if __name__ == "__main__":
    main()

"""Draws the figures of docs/worlds-and-bodies.md: figures/worlds-*.svg, which move in a browser.

python docs/make_worlds.py              draw all
python docs/make_worlds.py hexagons     draw some: hexagons, roadmap, bodies, voxels
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from wayfolk.problem.problem import Problem, random_problem
from wayfolk.replay import track_of_plan, write_replay
from wayfolk.simulation.solving import solve
from wayfolk.world.body import Body
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap
from wayfolk.world.voxels import Voxels

FIGURES = Path(__file__).resolve().parent / "figures"


def hexagons() -> Problem:
    """Points on hexagons."""
    free = np.random.default_rng(4).random((9, 14)) > 0.12
    return random_problem(HexGrid(free, name="hexagons"), 12, seed=2)


def roadmap() -> Problem:
    """Discs of two sizes on a roadmap with one-way lanes."""
    places = {"dock": (0, 0), "gate": (12, 0), "shelf": (12, 9), "park": (0, 9), "hall": (6, 4), "exit": (18, 4)}
    lanes = [
        ("dock", "gate"), Lane("gate", "shelf", one_way=True), ("shelf", "park"), ("park", "dock"), ("dock", "hall"),
        Lane("hall", "shelf", one_way=True), Lane("shelf", "exit", one_way=True), Lane("exit", "gate", one_way=True),
    ]  # fmt: skip
    bodies = [Body(radius=0.7), Body(radius=0.7), Body(radius=0.4), Body(radius=0.4)]
    return random_problem(Roadmap(places, lanes, name="roadmap").divided(3.0), 4, seed=5, bodies=bodies)


def bodies() -> Problem:
    """Squares of two sizes, robots that turn, slow agents and points."""
    free = np.random.default_rng(8).random((12, 18)) > 0.06
    kinds = [Body(size=3), Body(size=2), Body(size=2), *[Body(turns=True)] * 3, *[Body(speed=1 / 2)] * 2, *[Body()] * 4]
    return random_problem(Grid(free, "four", name="bodies"), len(kinds), seed=3, bodies=kinds)


def voxels() -> Problem:
    """Points among voxels."""
    free = np.random.default_rng(6).random((4, 7, 9)) > 0.12
    return random_problem(Voxels(free, name="voxels"), 10, seed=1)


DRAWN = {function.__name__: function for function in (hexagons, roadmap, bodies, voxels)}


def main(names: list[str]) -> None:
    """Draw the figures called `names`, or all."""
    for name in names or DRAWN:
        problem = DRAWN[name]()
        result = solve(problem, "lra", seed=1)
        assert result.plan is not None, f"{name}: {result}"
        write_replay([track_of_plan(result.plan, problem.goals)], FIGURES / f"worlds-{name}.svg", name)
        print(f"figures/worlds-{name}.svg: {problem!r}")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Other worlds and bodies: a roadmap made of a grid against the grid itself, discs on a roadmap, bodies of three sizes."""

import time

import numpy as np

from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.problem.problem import one_shot, patrol, patrol_between, random_problem
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import begin_plan
from wayfolk.world.body import Body
from wayfolk.world.generate import random_map, rooms, scale
from wayfolk.world.grid import Grid
from wayfolk.world.roadmap import Lane, Roadmap

TURNS = 5
STEPS = 200


def tables(maps):
    yield (
        "A roadmap made of a grid against the grid",
        "CPU seconds, best of 5 in turn, FOUR moves: the first plan of `lacam`, and 200 steps of a patrol with `pibt`. The "
        "tables of the worlds are there; `tables` is what it takes to make those of the roadmap.",
        ["algorithm", "map", "agents", "grid s", "roadmap s", "x", "limit", "tables s"],
        [row(side, agents) for row in (lacam, pibt) for side, agents in ((64, 400), (128, 1000))],
    )
    yield (
        "Many bodies",
        "CPU seconds until the first plan of `lacam`. `tables`: to make the graph of states and the tables of places. Maps "
        "have 128 x 128 cells, and a tenth of the area is blocked, or they have rooms of 16 x 16 cells.",
        ["world", "bodies", "agents", "nodes", "tables s", "first plan s", "limit", "steps"],
        [discs(0.45, 1000), discs(0.6, 500), *(squares(name, grid) for name, grid in maps_of_squares())],
    )


def roadmap_of(grid):
    """Vertices at the free cells of a grid, and lanes between neighbours."""
    free = {grid.place(cell) for cell in grid.free_cells.tolist()}
    places = {place: (float(place[0]), float(place[1])) for place in sorted(free)}
    lanes = [Lane((x, y), end) for x, y in places for end in ((x + 1, y), (x, y + 1)) if end in free]
    return Roadmap(places, lanes)


def cpu_seconds(work):
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def first_plan(problem):
    task = begin_plan(problem, "lacam", seed=1)
    while not task.has_plan:
        task.advance()
    return task.result().plan


def lacam(side, agents):
    grid = random_map(side, side, 0.1, seed=1, moves="four")
    on_grid = random_problem(grid, agents, seed=1)
    road = roadmap_of(grid)
    ends = [[grid.place(cell) for cell in cells.tolist()] for cells in (on_grid.starts, on_grid.goals)]
    made, on_road = cpu_seconds(lambda: with_tables(one_shot(road, *ends)))
    return compared("lacam", side, agents, (on_grid, on_road), made, first_plan, judged_plan)


def pibt(side, agents):
    grid = random_map(side, side, 0.1, seed=1, moves="four")
    on_grid = patrol(grid, agents, 20, seed=1)
    road = roadmap_of(grid)
    starts, far = ([grid.place(cell) for cell in cells.tolist()] for cells in (on_grid.starts, on_grid.goals))
    made, ends = cpu_seconds(lambda: with_tables(one_shot(road, starts, far)))
    on_road = patrol_between(road, ends.starts, ends.goals, 20, seed=1)
    return compared("pibt", side, agents, (on_grid, on_road), made, walked, judged_walk)


def with_tables(problem):
    assert problem.states.occupancy.n_places
    return problem


def compared(name, side, agents, problems, made, work, judge):
    """Both sides in turn; what each made is judged once."""
    best = [float("inf")] * 2
    for _ in range(TURNS):
        for k, problem in enumerate(problems):
            seconds, result = cpu_seconds(lambda problem=problem: work(problem))
            best[k] = min(best[k], seconds)
            judge(problem, result)
    return [name, f"{side} x {side}", agents, *best, best[1] / best[0], 1.5, made]


def walked(problem):
    world = Simulation(problem, "pibt", seed=1)
    world.advance(STEPS)
    return world


def judged_plan(problem, plan):
    assert check(plan, problem) == []


def judged_walk(problem, world):
    assert check_record(world.record()) == []


def discs(radius, n):
    """Discs on 10,000 vertices at a distance of 1: those with a radius above 0.5 cannot be on neighbours."""
    road = roadmap_of(Grid(np.ones((100, 100)), "four"))
    return bodies_row("roadmap of 100 x 100 vertices", [Body(radius=radius)] * n, road)


def maps_of_squares():
    yield "blocks of 4 x 4, FOUR", scale(random_map(32, 32, 0.1, seed=2, moves="four"), 128, 128)
    yield "blocks of 4 x 4, EIGHT", scale(random_map(32, 32, 0.1, seed=2), 128, 128)
    yield "blocks of 2 x 2, FOUR", scale(random_map(64, 64, 0.1, seed=2, moves="four"), 128, 128)
    yield "rooms, FOUR", rooms(128, 128, 16, seed=1, moves="four")


def squares(name, grid):
    return bodies_row(name, [Body(size=1 + k % 3) for k in range(300)], grid)


def bodies_row(name, bodies, world):
    kinds = sorted({str(body) for body in bodies})
    made, problem = cpu_seconds(lambda: with_tables(random_problem(world, len(bodies), seed=1, bodies=bodies)))
    seconds, plan = cpu_seconds(lambda: first_plan(problem))
    assert check(plan, problem) == []
    return [name, ", ".join(kinds), len(bodies), problem.states.n_cells, made, seconds, 2.0, plan.n_steps]

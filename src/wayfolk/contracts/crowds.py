"""The contract of crowds: models keep bodies out of walls and below their top speed, and are the same with any threads."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.catalogue import Entry
from wayfolk.contracts.check import Broken, Case, Check, Draw, expect, expect_error, registered_in
from wayfolk.contracts.reference import picture
from wayfolk.crowds.crowd import Crowd
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.world.area import Area
from wayfolk.world.grid import Grid, Moves

CHECKS: list[Check] = []
check = registered_in(CHECKS)
RADIUS = 0.2
SIDE = 0.5  # metres of a cell, so that two bodies of this radius cannot be in one
STEPS = 40


def _seeks_goals(case: Case) -> bool:
    return bool(case.entry.facts.get("SEEKS_GOALS", True))


@check("the same seed gives the same trajectories, with any number of threads")
def same_seed_same_trajectories(case: Case) -> None:
    """600 agents in a room with a wall, enough for two threads."""
    runs = [_hall(case, threads=threads) for threads in (1, 2, 3)]
    for crowd in runs:
        crowd.advance(12)
    for crowd in runs[1:]:
        expect((crowd.places == runs[0].places).all(), "other threads give other trajectories")


@check("a crowd that is stopped and advanced again moves as one that is not", drawn=True)
def advance_in_parts(case: Case, draw: Draw) -> None:
    """One call for all steps, or many."""
    grid, places, goals = _world(draw)
    one, other = (_crowd(case, grid, places, goals) for _ in range(2))
    one.advance(STEPS)
    part = draw.number(0, STEPS)
    other.advance(part)
    other.advance(STEPS - part)
    expect((one.places == other.places).all(), f"stopped after {part} steps, agents are elsewhere")


@check("no body is ever in a wall, faster than its top speed, or at no place", drawn=True)
def bodies_stay_outside_walls(case: Case, draw: Draw) -> None:
    """After each step."""
    grid, places, goals = _world(draw)
    before = grid.free.copy()
    crowd = _crowd(case, grid, places, goals)
    for _ in range(STEPS):
        crowd.step()
        expect(np.isfinite(crowd.places).all(), "an agent is at no place")
        expect(not crowd.space.is_solid(crowd.places).any(), f"an agent is in a wall after {crowd.tick} steps")
        speeds = np.sqrt((crowd.bodies.velocities[: crowd.n_agents] ** 2).sum(1))
        tops = crowd.bodies.top_speeds[: crowd.n_agents]
        pushed = crowd.near.contacts[: crowd.n_active].any()
        expect(pushed or (speeds <= tops * (1 + 1e-9)).all(), "an agent is faster than its top speed")
    expect((grid.free == before).all(), "the map has changed")


@check("an agent that is alone arrives", applies=_seeks_goals)
def a_lone_agent_arrives(case: Case) -> None:
    """Around a wall, by its own way or by a flow field."""
    free = np.ones((16, 24), np.bool_)
    free[4:, 11:13] = False
    crowd = Crowd(Grid(free), case.entry, cell=SIDE, ways="flow", near=0.5, leave=True, **case.options)
    crowd.add([(2.0, 6.0)], [(10.0, 6.0)], radius=RADIUS)
    crowd.advance(int(60 / crowd.step_seconds))
    expect(crowd.n_active == 0, f"after a minute it is at {crowd.places[0]}, not at its goal")


@check("agents that share a goal are all there in the end, and one after the other if they leave", applies=_seeks_goals)
def a_shared_goal_is_reached(case: Case) -> None:
    """Twelve agents and one point, and the same with an area."""
    xs, ys = np.meshgrid(np.arange(0.5, 5.0, 1.2), np.arange(0.5, 4.0, 1.2))
    places = np.stack([xs.ravel(), ys.ravel()], 1) + 0.1 * np.sin(np.arange(12))[:, None]
    for goal in ([(5.2, 5.3)], Area((4.0, 4.5, 6.0, 5.5))):
        for leave in (True, False):
            crowd = Crowd(Grid(np.ones((12, 16))), case.entry, cell=SIDE, ways="flow", leave=leave, **case.options)
            crowd.add(places, goal, radius=RADIUS)
            most = 1
            for _ in range(int(120 / crowd.step_seconds)):
                before = crowd.n_active
                crowd.step()
                most = max(most, before - crowd.n_active)
                if not crowd.n_active or (not leave and crowd.tick % 20 == 0 and crowd.is_there.all()):
                    break
            n = crowd.n_active if leave else int((~crowd.is_there).sum())
            expect(n == 0, f"after two minutes {n} of 12 agents are not at {goal if leave else 'the goal of all'}")
            expect(most < 6, f"{most} of 12 agents leave in one step")


@check("a body that is too wide for a gap takes another way, and is refused if there is none", applies=_seeks_goals)
def a_gap_is_wide_enough(case: Case) -> None:
    """A wall with a gap of one cell on the straight way and one of four cells beside it; then without the wide one."""
    free = np.ones((11, 18), np.bool_)
    free[:, 8:10] = False
    free[2, 8:10] = free[5:9, 8:10] = True
    crowd = Crowd(Grid(free), case.entry, cell=SIDE, ways="flow", leave=True, **case.options)
    crowd.add([(1.5, 1.25)], [(7.5, 1.25)], radius=0.9 * SIDE)
    crowd.advance(int(60 / crowd.step_seconds))
    expect(crowd.n_active == 0, f"after a minute it is at {crowd.places[0]}, not at its goal")
    free[5:9, 8:10] = False
    crowd = Crowd(Grid(free), case.entry, cell=SIDE, ways="flow", **case.options)
    expect_error(BadInput, "wide enough", lambda: crowd.add([(1.5, 1.25)], [(7.5, 1.25)], radius=0.9 * SIDE))


@check("agents come and go, goals and walls change, and bodies stay outside walls", drawn=True)
def events_are_survived(case: Case, draw: Draw) -> None:
    """One event of each kind, in any order."""
    grid, places, goals = _world(draw)
    crowd = _crowd(case, grid, places, goals)
    for kind in draw.some_of(["join", "leave", "goal", "wait", "wall"], 5):
        crowd.advance(3)
        agents = crowd.active
        if kind == "join":
            spots = [spot for spot in places if crowd.is_clear(spot, RADIUS)[0]]
            if spots:
                _try(lambda spot=spots[0]: crowd.add([spot], [goals[0]], radius=RADIUS))
        elif kind == "leave" and len(agents):
            crowd.remove(agents[:1])
        elif kind == "goal" and len(agents):
            _try(lambda some=agents: crowd.set_goals(some[:1], [goals[-1]]))
        elif kind == "wait" and len(agents):
            crowd.set_speeds(agents, 0.0)
        elif kind == "wall":
            taken = set(crowd.space.cells(np.concatenate([crowd.places, crowd.goals])).tolist())
            cells = [cell for cell in grid.free_cells.tolist() if cell not in taken]
            if cells:
                crowd.set_walls(grid.with_blocked(cells[:1]))
        crowd.advance(5)
        agents = crowd.active
        expect(np.isfinite(crowd.places[agents]).all(), f"an agent is at no place after: {kind}")
        expect(not crowd.space.is_solid(crowd.places[agents]).any(), f"an agent is in a wall after: {kind}")


@check("mistakes are refused in one sentence")
def mistakes_are_refused(case: Case) -> None:
    """Overlapping spawns, goals and starts in walls, zero radii, speeds that are no numbers."""
    free = np.ones((8, 8), np.bool_)
    free[4, 4] = False

    def add(*places: Any, goals: Any = None, **values: Any) -> None:
        Crowd(Grid(free), case.entry, **case.options).add(places, goals, **values)

    expect_error(BadInput, "overlaps agent 0", lambda: add((1, 1), (1.1, 1)))
    expect_error(BadInput, "in a wall", lambda: add((4.5, 4.5)))
    expect_error(BadInput, "touches a wall", lambda: add((0.1, 1)))
    expect_error(BadInput, "the goal (4.5, 4.5) is in a wall", lambda: add((1, 1), goals=[(4.5, 4.5)]))
    expect_error(BadInput, "the radius of agent 0 is 0", lambda: add((1, 1), radius=0.0))
    expect_error(BadInput, "the speed of agent 0 is nan", lambda: add((1, 1), speed=float("nan")))
    expect_error(BadInput, "the mass of agent 0 is -1", lambda: add((1, 1), mass=-1.0))
    expect_error(BadInput, "2 goals for 1 agents", lambda: add((1, 1), goals=[(2, 2), (3, 3)]))


def try_for(entry: Entry, options: dict[str, Any], seconds: float) -> None:
    """Run a small crowd with `options` for about so many seconds of the processor."""
    crowd = _hall(Case(entry, options), n=64)
    began = time.process_time()
    while time.process_time() - began < seconds and crowd.tick < 20:
        crowd.step()
    if not np.isfinite(crowd.places).all():
        raise Broken(f"{options}: an agent is at no place")


def _hall(case: Case, n: int = 600, **settings: Any) -> Crowd:
    """Agents in a hall with a wall in the middle, who change sides."""
    free = np.ones((40, 60), np.bool_)
    free[10:30, 29:31] = False
    crowd = Crowd(Grid(free), case.entry, cell=SIDE, ways="flow", **settings, **({"seed": 3} | case.options))
    xs, ys = np.meshgrid(np.arange(0.5, 13.5, 0.5), np.arange(0.5, 19.5, 0.5))
    places = np.stack([xs.ravel(), ys.ravel()], 1)[:n]
    crowd.add(places, [(28.0, 10.0)], radius=RADIUS)
    return crowd


def _world(draw: Draw) -> tuple[Grid, NDArray[np.float64], NDArray[np.float64]]:
    """A small map, and agents in the middles of some of its cells, with goals that they can reach."""
    grid = draw.grid([Moves.EIGHT], 8)
    cells = grid.free_cells.tolist()
    starts = draw.some_of(cells, 6) or [cells[0]]
    parts = grid.components
    goals = [int(draw.one_of([cell for cell in cells if parts[cell] == parts[start]])) for start in starts]
    draw.note(picture(grid, starts, goals))
    places, ends = (((grid.places(some) + 0.5) * SIDE).astype(np.float64) for some in (starts, goals))
    return grid, places, ends


def _crowd(case: Case, grid: Grid, places: NDArray[np.float64], goals: NDArray[np.float64]) -> Crowd:
    crowd = Crowd(grid, case.entry, cell=SIDE, ways="flow", **case.options)
    crowd.add(places, goals, radius=RADIUS)
    return crowd


def _try(call: Any) -> None:
    """Call, and let an error of one sentence pass: there may be no way to the new goal."""
    try:
        call()
    except WayfolkError as error:
        expect("\n" not in str(error), f"the error is not one sentence: {error}")

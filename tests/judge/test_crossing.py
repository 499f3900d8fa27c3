"""Crossing diagonals: the referee, the judge and a slow judge keep one rule, each with code of its own.

The rule is in docs/judge.md. A move begins at the first tick at which its agent is ready and lasts as long as it is far, or
until its agent leaves; the moment at which it ends is no part of it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import plain_referee
from reference import N_WORLDS
from wayfolk.judge.plans import Fault
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import JOIN, LEAVE, MOVE, REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot
from wayfolk.problem.record import DISTANCE, Record
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.grid import Grid

ROOM = Grid(np.ones((3, 4)))
ROOT = 2**0.5


def kinds(*rows: tuple[float, int, int, tuple[int, int]], tick: float = 1e-9) -> list[str]:
    """The kinds of faults when agent 0 stands at (0, 0) and agent 1 at (1, 0); both judges must agree."""
    times, agents, codes, places = zip(*rows, strict=True)
    record = Record(
        ROOM, ROOM.cells([(0, 0), (1, 0)]), np.array(times, float), np.array(agents, np.int32),
        np.array(codes, np.uint8), ROOM.cells(places), 9.0, DISTANCE, tick,
    )  # fmt: skip
    faults = check_record(record)
    assert faults == plain_referee.faults_of(record)
    return [fault.kind for fault in faults]


def test_the_moment_at_which_a_move_ends_is_no_part_of_it() -> None:
    first = (0.0, 0, MOVE, (1, 1))
    assert kinds(first, (0.0, 1, MOVE, (0, 1))) == ["crossing"]
    assert kinds(first, (ROOT - 0.001, 1, MOVE, (0, 1))) == ["crossing"]
    assert kinds(first, (ROOT, 1, MOVE, (0, 1))) == []


def test_a_move_may_have_begun_up_to_a_tick_before_its_row() -> None:
    # agent 0 was ready all the time: its move may have begun at 0.5, and is then over at 1.914
    first = (1.0, 0, MOVE, (1, 1))
    assert kinds(first, (1.92, 1, MOVE, (0, 1)), tick=0.5) == []
    assert kinds(first, (1.90, 1, MOVE, (0, 1)), tick=0.5) == ["crossing"]
    assert kinds(first, (1.92, 1, MOVE, (0, 1)), tick=0.25) == ["crossing"]


def test_a_move_is_over_when_its_agent_leaves() -> None:
    first, gone = (0.0, 0, MOVE, (1, 1)), (0.5, 0, LEAVE, (1, 1))
    assert kinds(first, (0.4, 1, MOVE, (0, 1)), gone) == ["crossing"]
    assert kinds(first, gone, (0.5, 1, MOVE, (0, 1))) == []
    assert kinds(first, gone, (1.0, 1, MOVE, (0, 1))) == []
    assert kinds(first, gone, (0.6, 0, JOIN, (1, 1)), (1.0, 1, MOVE, (0, 1))) == []


def test_agents_may_follow_each_other_along_one_diagonal() -> None:
    assert kinds((0.0, 0, MOVE, (1, 1)), (1.0, 1, MOVE, (2, 1)), (ROOT, 0, MOVE, (2, 2))) == []


@pytest.mark.plain
def test_the_referee_lets_an_agent_go_at_the_tick_at_which_the_diagonal_ends() -> None:
    grid = Grid(np.ones((3, 4)), diagonal=1.5)
    simulation = _scripted(grid, [(0, 0), (1, 1)], [(2, 0), (1, 0), (0, 1)])
    simulation.advance(6)
    record = simulation.record()
    moves = record.of(MOVE)
    assert list(zip(record.time[moves].tolist(), record.agent[moves].tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (1.5, 1),
    ]
    assert record.time[record.of(REFUSED)].tolist() == [1.0]


@pytest.mark.plain
def test_the_referee_lets_an_agent_go_when_the_other_has_left() -> None:
    simulation = _scripted(ROOM, [(0, 0), (1, 1)], [(2, 0), (1, 0), (0, 1)])
    simulation.happen(events.leave(1.0, 0))
    simulation.advance(6)
    record = simulation.record()
    assert record.time[record.of(MOVE)].tolist() == [0.0, 0.0, 1.0]
    assert len(record.of(REFUSED)) == 0
    assert check_record(record) == plain_referee.faults_of(record) == []


def _scripted(grid: Grid, *walks: list[tuple[int, int]]) -> Simulation:
    """Agents who walk the places that they are given, in ticks of half a unit."""
    from wayfolk.algorithms.controllers import Controller, View

    class Scripted(Controller):
        def decide(self, view: View) -> None:
            for agent in view.asked.tolist():
                path = [grid.cell(place) for place in walks[agent]]
                at = path.index(int(view.here[agent]))
                view.answer(agent, path[at + 1 : at + 2] or [int(view.here[agent])])

    goals = [(grid.width - 1, grid.height - 1 - k) for k in range(len(walks))]
    simulation = Simulation(one_shot(grid, [walk[0] for walk in walks], goals), "lra", model=DISTANCE, tick=0.5)
    simulation.control.controller = Scripted(len(walks))
    return simulation


def _wandering(seed: int) -> Simulation:
    """Agents that wander about in a small room from the beginning on; some leave, others join."""
    rng = np.random.default_rng(seed)
    width, height = rng.integers(2, 6, 2).tolist()
    diagonal = float(rng.choice([ROOT, ROOT, 1.5, 1.25]))
    grid = Grid(rng.random((height, width)) >= 0.05, diagonal=diagonal)
    cells = rng.permutation(grid.free_cells)
    n = int(rng.integers(1, max(2, 2 * len(cells) // 3)))
    places = [grid.place(cell) for cell in cells]
    part = [
        place for place, cell in zip(places, cells, strict=True) if grid.components[cell] == grid.components[cells[0]]
    ]
    starts = part[:n]
    goals = [part[(k + 1) % len(part)] for k in range(len(starts))]
    tick = float(rng.choice([0.03, 0.03, 0.1, 0.25, 0.5, 1.0]))
    simulation = Simulation(one_shot(grid, starts, goals), "lra", model=DISTANCE, tick=tick, seed=seed)
    for agent in range(len(starts)):
        simulation.happen(events.release(0.0, agent))
    for time in rng.uniform(0, 12, rng.integers(0, 8)).tolist():
        simulation.happen(events.leave(time, int(rng.integers(len(starts)))))
        simulation.happen(events.join(time, part[rng.integers(len(part))], part[rng.integers(len(part))]))
    return simulation


def test_random_runs_are_legal_by_both_judges() -> None:
    """The rule is stressed at its ends: crossing moves begin within a tick of the end of those before."""
    n_near = n_left = n_refused = 0
    for seed in range(N_WORLDS):
        simulation = _wandering(seed)
        simulation.advance(round(12 / simulation.tick))
        record = simulation.record()
        assert check_record(record) == [], f"world {seed}"
        replay = plain_referee._Replay(record)
        assert replay.faults() == [], f"world {seed}"
        for one, other in combinations(replay.diagonals, 2):
            (ax, ay), (bx, by) = one.corners
            if other.corners == {(ax, by), (bx, ay)} and one.agent != other.agent:
                n_near += -1e-6 < other.time - one.over <= record.tick
                n_left += one.over < other.time < one.time + 1.25 - record.tick
        n_refused += len(record.of(REFUSED))
    assert n_near > N_WORLDS // 50
    assert n_left > N_WORLDS // 200
    assert n_refused > N_WORLDS


def test_a_referee_without_the_rule_would_be_found_out() -> None:
    """Both judges see the crossing when a legal record is changed so that the later move begins while the other lasts."""
    n_found = 0
    for seed in range(300):
        simulation = _wandering(seed)
        simulation.advance(round(12 / simulation.tick))
        record = simulation.record()
        squeezed = Record(
            record.grid, record.starts, np.floor(record.time / 1.7) * 1.7, record.agent, record.kind, record.cell,
            record.end, DISTANCE, record.tick,
        )  # fmt: skip
        ours, theirs = check_record(squeezed, limit=100_000), plain_referee.faults_of(squeezed)
        assert [fault for fault in ours if fault.kind != "swap"] == [fault for fault in theirs if fault.kind != "swap"]
        n_found += _n_crossings(ours)
    assert n_found > 20


def _n_crossings(faults: list[Fault]) -> int:
    return sum(fault.kind == "crossing" for fault in faults)

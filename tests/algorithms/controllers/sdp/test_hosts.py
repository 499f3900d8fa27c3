"""SDP on several hosts: the same run, step for step, as on one, whatever happens."""

import numpy as np
import pytest

from algorithms.controllers.sdp.halls import halls
from wayfolk.algorithms.controllers import sdp
from wayfolk.algorithms.controllers.sdp import hosts, memory
from wayfolk.algorithms.controllers.sdp.division import divide
from wayfolk.algorithms.controllers.sdp.partition import ROOM, partition
from wayfolk.algorithms.controllers.sdp.state import ACCEPT, ASK, CANCEL, MOVED, N_ORDER, REFUSE
from wayfolk.files.maps import read_map
from wayfolk.kernels import reservations
from wayfolk.kernels.codes import ARRIVE
from wayfolk.problem.events import block, free, join, leave, release, retask
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.grid import Grid

plain = pytest.mark.plain


@pytest.fixture(scope="module")
def grid():
    return halls(3, 2, size=16)


def crowd(grid, n, seed=1, buffer=13):
    """Agents that start anywhere and have their goals in rooms."""
    areas = partition(grid, buffer=buffer)
    luck = np.random.default_rng(seed)
    in_rooms = grid.free_cells[areas.part[grid.free_cells] == ROOM]
    starts, goals = luck.choice(grid.free_cells, n, replace=False), luck.choice(in_rooms, n, replace=False)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def rows(run):
    """The log of a run."""
    record = run.record
    return list(zip(record.time, record.agent, record.kind, record.cell, strict=True))


def must_be_equal(problem, until, n_hosts=(1, 2, 3), **options):
    """Compare the runs on several hosts with that in one kernel; return its log."""
    alone = rows(simulate(problem, "sdp", until=until, **options))
    for n in n_hosts:
        assert rows(simulate(problem, "sdp", until=until, hosts=n, **options)) == alone, n
    return alone


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, marks=plain),
        {"search": "ca", "effort": 300},
        {"rescue": True, "effort": 200},
        {"high_level": "astar"},
    ],
    ids=["cjps", "ca", "rescue", "astar"],
)
def test_the_same_run_on_any_number_of_hosts(grid, options):
    assert len(must_be_equal(crowd(grid, 40), 50, **options)) > 800


def test_the_same_run_until_all_have_arrived(grid):
    problem = crowd(grid, 110)
    alone = must_be_equal(problem, 300, n_hosts=(2, 5))
    assert len({agent for _, agent, kind, _ in alone if kind == ARRIVE}) > 100


@pytest.mark.parametrize(("name", "n"), [("den204d", 250), ("den405d", 200)])
def test_the_same_run_on_maps_of_games(movingai, name, n):
    problem = crowd(read_map(next(movingai.rglob(f"{name}.map")), "eight"), n)
    must_be_equal(problem, 120, n_hosts=(2, 3))


def test_the_same_run_with_events(grid):
    areas = partition(grid)
    core = [grid.place(int(cell)) for cell in grid.free_cells[areas.part[grid.free_cells] == 2]]
    events = [
        retask(5, 3, (2, 3)),
        retask(6, 4, (40, 3)),
        join(8, (1, 1), (50, 30)),
        leave(10, 5),
        release(12, 6),
        block(14, core[:2]),
        free(30, core[:2]),
        retask(33, 7, core[-1]),
    ]
    must_be_equal(crowd(grid, 30), 45, events=events)


def test_the_same_run_while_agents_leave(grid):
    events = [leave(4 + k, k) for k in range(25)]
    assert len(must_be_equal(crowd(grid, 40), 40, n_hosts=(2, 3), events=events)) > 500


def test_agents_with_many_goals(grid):
    must_be_equal(patrol(grid, agents=20, loops=2, seed=1), 60)
    must_be_equal(tasks(grid, agents=20, seed=1), 60)


def counting(monkeypatch, name):
    """Count the calls of a function of `memory`, wherever it is used."""
    calls = []
    for module in (sdp, hosts):
        before = getattr(module, name)
        monkeypatch.setattr(module, name, lambda old, before=before: calls.append(name) or before(old))
    return calls


@plain
def test_the_same_run_while_ways_and_routes_grow(grid, monkeypatch):
    monkeypatch.setattr(memory, "WAY", 4)
    monkeypatch.setattr(memory, "ROUTE", 2)
    calls = counting(monkeypatch, "enlarged")
    must_be_equal(crowd(grid, 40), 30, n_hosts=(1, 3))
    assert len(calls) > 4


@plain
def test_the_same_run_while_the_table_of_reservations_grows(grid, monkeypatch):
    for module in (sdp, hosts):
        before = module.new_arrays
        monkeypatch.setattr(module, "new_arrays", lambda *given, before=before: with_small_table(before(*given)))
    calls = counting(monkeypatch, "with_larger_table")
    must_be_equal(crowd(grid, 110), 10, n_hosts=(1, 2))
    assert len(calls) >= 3


def with_small_table(arrays):
    """The same with a table of reservations that holds 256 before it must grow."""
    return arrays._replace(rooms=arrays.rooms._replace(table=reservations.new_reservations(128)))


@plain
def test_each_agent_is_on_one_host(grid):
    problem = crowd(grid, 40)
    simulation = Simulation(problem, "sdp", hosts=3)
    seen = set()
    for _ in range(30):
        simulation.advance(1)
        parts = [host.arrays.order[: host.arrays.counts[N_ORDER]] for host in simulation.controller.team.hosts]
        assert sum(map(len, parts)) <= problem.n_agents
        for host, part in zip(simulation.controller.team.hosts, parts, strict=True):
            areas = host.arrays.rooms.states["area"][part]
            left = simulation.controller.owner[areas] != host.number  # in this tick: the next one hears of it
            seen.add(int(left.sum()))
            assert (host.arrays.rooms.states["since"][part[left]] == int(simulation.time)).all()
    assert max(seen) > 0, "agents go from host to host"


@plain
def test_messages_are_recorded(grid):
    problem = crowd(grid, 40)
    recorded = []
    for n in (1, 3):
        simulation = Simulation(problem, "sdp", hosts=n, record=True)
        simulation.advance(40)
        recorded.append(simulation.controller.messages)
    assert np.array_equal(*recorded)
    messages = recorded[0]
    assert set(messages["kind"].tolist()) >= {ASK, ACCEPT, REFUSE, MOVED}
    assert (np.diff(messages["tick"]) >= 0).all()
    asks = messages[messages["kind"] == ASK]
    answers = messages[np.isin(messages["kind"], (ACCEPT, REFUSE))]
    asked = sorted(zip(asks["tick"], asks["agent"], asks["sender"], asks["to"], strict=True))
    assert asked == sorted(zip(answers["tick"], answers["agent"], answers["to"], answers["sender"], strict=True))
    moves = messages[messages["kind"] == MOVED]
    accepted = messages[messages["kind"] == ACCEPT]
    promised = set(zip(accepted["time"], accepted["agent"], accepted["sender"], accepted["cells"][:, 0], strict=True))
    assert set(zip(moves["time"], moves["agent"], moves["to"], moves["cells"][:, 0], strict=True)) <= promised
    cancelled = messages[messages["kind"] == CANCEL]
    assert len(moves) + len(cancelled) <= len(accepted)


@plain
def test_areas_are_divided_evenly(grid):
    areas = partition(grid)
    problem = crowd(grid, 60)
    for n in (1, 2, 3):
        owner = divide(areas, grid.stride, problem.starts, n)
        assert set(owner.tolist()) == set(range(n))
        lanes = owner[areas.n_rooms :]
        assert (lanes[::2] == lanes[1::2]).all()
        cells = np.bincount(owner[areas.area[grid.free_cells]], minlength=n)
        assert cells.max() <= 2 * cells.mean()
    assert set(divide(areas, grid.stride, problem.starts, 500).tolist()) <= set(range(500))


@plain
def test_more_hosts_than_areas():
    must_be_equal(crowd(Grid(np.ones((6, 6), bool), "eight"), 8), 20, n_hosts=(4,))

"""SDP on a Dask cluster: the same plan as in one process, and one sentence when the cluster fails."""

import json
import os
import signal

import numpy as np
import pytest

from algorithms.controllers.sdp.halls import halls
from algorithms.controllers.sdp.test_hosts import crowd, rows
from command import program, wayfolk
from wayfolk.errors import BadInput, TooLarge
from wayfolk.files.maps import read_map, write_map
from wayfolk.files.plans import read_plan
from wayfolk.files.scenarios import write_scen
from wayfolk.problem.events import join, leave, retask
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate

pytest.importorskip("distributed")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with a map of rooms and a scenario."""
    monkeypatch.chdir(tmp_path)
    write_map(halls(3, 2, size=16), "rooms.map")
    write_scen(crowd(read_map("rooms.map", "eight"), 40), "rooms.scen")
    return tmp_path


@pytest.fixture
def cluster():
    """Two processes behind a scheduler."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as processes:
        yield processes


def test_solve_on_local_processes_gives_the_same_plan(files):
    problem = ("rooms.map", "--scen", "rooms.scen", "--moves", "eight")
    words = ("solve", *problem, "--with", "sdp", "--seconds", 100, "--json")
    alone = program(*words, "--save", "alone.json")
    together = program(*words, "--cluster", "local", "--opt", "hosts=2", "--save", "together.json")
    assert (alone.code, together.code) == (0, 0), together.err
    assert np.array_equal(read_plan("alone.json")[0].cells, read_plan("together.json")[0].cells)
    timed = ("seconds", "first_seconds")
    answers = [{k: v for k, v in json.loads(said.out).items() if k not in timed} for said in (alone, together)]
    assert answers[0] == answers[1]


def test_the_same_run_on_a_scheduler_with_events(cluster):
    grid = halls(3, 2, size=16)
    events = [retask(5, 3, (2, 3)), join(8, (1, 1), (50, 30)), leave(10, 5), retask(12, 6, (40, 3))]
    options = {"until": 40, "events": events}
    alone = rows(simulate(crowd(grid, 30), "sdp", **options))
    assert rows(simulate(crowd(grid, 30), "sdp", cluster=cluster.scheduler_address, **options)) == alone


def test_a_worker_that_dies_is_one_sentence(cluster):
    simulation = Simulation(crowd(halls(3, 2, size=16), 30), "sdp", cluster=cluster.scheduler_address)
    simulation.advance(3)
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        os.kill(nanny.pid, signal.SIGKILL)
    with pytest.raises(TooLarge, match="was lost"):
        simulation.advance(10)


def test_a_scheduler_that_does_not_answer():
    with pytest.raises(BadInput, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        Simulation(crowd(halls(2, 1), 4), "sdp", cluster="tcp://127.0.0.1:9")


def test_algorithms_that_run_in_one_process_refuse_a_cluster(files):
    said = wayfolk("solve", "rooms.map", "--scen", "rooms.scen", "--with", "whca", "--cluster", "local")
    assert (said.code, said.out) == (2, "")
    assert "whca runs in one process: leave out --cluster" in said.err
    said = wayfolk("solve", "rooms.map", "--scen", "rooms.scen", "--with", "sdp", "--cluster", "")
    assert said.code == 2
    assert "--cluster needs the address" in said.err

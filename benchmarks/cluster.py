"""SDP in several processes against one: time a step, bytes sent a step, and memory a process.

python -m benchmarks.cluster 4096 20000        one map, larger than `make bench` measures
"""

import json
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np

from wayfolk.problem.problem import one_shot
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.grid import Grid

CASES = ((256, 300), (512, 1000), (1024, 2500))  # side of the map, and agents
ROOM, CORRIDOR, WIDE = 60, 3, 2  # sides of rooms, and length and width of the corridors between them
REACH = 6  # rooms between start and goal, at most, to each side
FIRST, STEPS = 10, 40  # steps that are left out, in which all agents plan, and steps that are measured
HOSTS = (0, 1, 2)  # 0: SDP in one kernel


def tables(maps):
    yield (
        "SDP in several processes",
        f"Rooms of {ROOM} x {ROOM} cells with corridors {WIDE} wide and {CORRIDOR} long, agents with goals up to {REACH} "
        f"rooms away. Mean of {STEPS} steps after the first {FIRST}; bytes that processes send each other in a step; "
        "processor time a step, which does not depend on what else the machine does, and resident memory, of the process "
        "that runs the simulation and of the worker with most of it. `kernel`: SDP in one process, without workers. All "
        "three runs of a map are equal, step for step. `python -m benchmarks.cluster SIDE AGENTS` measures other sizes.",
        [
            "map",
            "agents",
            "run by",
            "s to begin",
            "ms a step",
            "CPU ms",
            "CPU ms, worker",
            "bytes a step",
            "MB",
            "MB, worker",
        ],
        [row for side, agents in CASES for row in rows(side, agents)],
    )


def rows(side, agents):
    """A row for each number of hosts, each measured in a new process."""
    measured = []
    for hosts in HOSTS:
        words = [sys.executable, "-m", "benchmarks.cluster", str(side), str(agents), str(hosts)]
        out = subprocess.run(words, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1]).stdout
        measured.append(json.loads(out.splitlines()[-1]))
    assert len({one["where"] for one in measured}) == 1, "the runs differ"
    return [
        [f"{side}^2", agents, f"{hosts} workers" if hosts else "kernel"]
        + [one[name] for name in ("begin", "step", "cpu", "worker_cpu", "bytes", "memory", "worker_memory")]
        for hosts, one in zip(HOSTS, measured, strict=True)
    ]


def rooms_and_corridors(side):
    """Square rooms, each joined to its neighbours by corridors."""
    pitch = ROOM + CORRIDOR
    n = max(2, (side + CORRIDOR) // pitch)
    free = np.zeros((n * pitch, n * pitch), bool)
    middle = ROOM // 2
    for x in range(0, n * pitch, pitch):
        for y in range(0, n * pitch, pitch):
            free[y : y + ROOM, x : x + ROOM] = True
            free[y + middle : y + middle + WIDE, x + ROOM : x + pitch] = True
            free[y + ROOM : y + pitch, x + middle : x + middle + WIDE] = True
    return Grid(free[:-CORRIDOR, :-CORRIDOR], "eight")


def crowd(grid, n):
    """Agents with starts and goals in the inner parts of rooms, at most `REACH` rooms apart."""
    luck = np.random.default_rng(0)
    pitch, edge = ROOM + CORRIDOR, 16
    columns = (grid.width + CORRIDOR) // pitch
    inner = np.arange(edge, ROOM - edge)
    taken, places = [set(), set()], []
    while len(places) < n:
        room = luck.integers(0, columns, 2)
        other = np.clip(room + luck.integers(-REACH, REACH + 1, 2), 0, columns - 1)
        start, goal = (tuple((one * pitch + luck.choice(inner, 2)).tolist()) for one in (room, other))
        if start not in taken[0] and goal not in taken[1]:
            taken[0].add(start)
            taken[1].add(goal)
            places.append((start, goal))
    return one_shot(grid, [start for start, _ in places], [goal for _, goal in places])


def measure(side, agents, hosts):
    """One run: milliseconds, bytes, megabytes, and a checksum of where all agents are in the end."""
    problem = crowd(rooms_and_corridors(side), agents)
    Simulation(crowd(rooms_and_corridors(2), 2), "sdp", **({"hosts": 1} if hosts else {})).advance(4)  # compiles
    began = time.perf_counter()
    simulation = Simulation(problem, "sdp", **({"cluster": "local", "hosts": hosts} if hosts else {}))
    begun = time.perf_counter()
    simulation.advance(FIRST)
    controller = simulation.controller
    before = counters(controller, hosts)
    simulation.advance(STEPS)
    step, cpu, n_bytes, *workers = (np.array(counters(controller, hosts)) - before) / STEPS
    return {
        "begin": begun - began,
        "step": step * 1e3,
        "cpu": cpu * 1e3,
        "worker_cpu": max(workers, default=0) * 1e3,
        "bytes": n_bytes,
        "memory": resident(),
        "worker_memory": max(controller.team.client.run(resident).values()) if hosts else 0,
        "where": zlib.crc32(simulation.crew.agents["here"].tobytes()),
    }


def counters(controller, hosts):
    """The time, our processor time, the bytes sent, and the processor time of each worker, up to now."""
    ours = [time.perf_counter(), time.process_time()]
    if not hosts:
        return [*ours, 0]
    workers = controller.team.client.run(time.process_time)
    return [*ours, controller.n_bytes, *(workers[address] for address in sorted(workers))]


def resident():
    """The resident memory of this process, in megabytes."""
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * 4096 / 1e6


def main():
    side, agents, *hosts = map(int, sys.argv[1:])
    if hosts:
        print(json.dumps(measure(side, agents, *hosts)))
        return
    for row in rows(side, agents):
        print(*(round(value, 1) if isinstance(value, float) else value for value in row), sep="  ")


if __name__ == "__main__":
    main()

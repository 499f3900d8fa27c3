"""The solvers on PyPI that plan for many agents, each called in a process of its own that has a limit."""

import contextlib
import importlib.util
import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

MEMORY = 6 << 30  # bytes
SHORT, REPEATS = 0.2, 5  # runs that are shorter are repeated, and the best counts
EVER = 10**9  # where a peer wants a number


class Peer(NamedTuple):
    """A solver: its package on PyPI, our solver of the same kind, and `prepare(free, starts, goals)`.

    `prepare` makes the graph of the peer and returns the function that is timed. It returns paths of places, or nothing.
    """

    package: str
    ours: str
    prepare: Callable

    @property
    def is_installed(self):
        return importlib.util.find_spec(self.package.replace("-", "_")) is not None


def w9(name, **options):
    def prepare(free, starts, goals):
        from w9_pathfinding import envs, mapf

        solver = getattr(mapf, name)(envs.Grid(np.where(free, 1.0, -1.0).tolist(), edge_collision=True))
        steps = 1000 + 10 * sum(free.shape)  # as many as our controllers may take
        return lambda: solver.mapf(starts, goals, max_length=steps, **options)

    return prepare


def pymapf(name, **options):
    def prepare(free, starts, goals):
        import pymapf

        ends = enumerate(zip(starts, goals, strict=True))
        agents = [pymapf.Agent(str(k), start[::-1], goal[::-1]) for k, (start, goal) in ends]
        problem = pymapf.MAPFProblem(pymapf.GridMap(~free), agents)

        def solve():
            solution = pymapf.solve(problem, name, time_limit=None, max_expansions=EVER, **options)
            return solution and [[cell[::-1] for cell in solution.paths[agent.name]] for agent in agents]

        return solve

    return prepare


def pathplanning(name, **options):
    def prepare(free, starts, goals):
        import pathplanning
        from pathplanning.native import NativeGraph

        places = [(int(x), int(y)) for y, x in np.argwhere(free)]
        node_of = {place: node for node, place in enumerate(places)}
        rows = [
            [node_of[one] for one in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if one in node_of]
            for x, y in places
        ]
        neighbours = np.concatenate([np.array(row, np.int64) for row in rows])
        offsets = np.cumsum([0, *map(len, rows)])
        graph = NativeGraph(offsets, neighbours, np.ones(len(neighbours)), node_labels=places)
        problem = pathplanning.MultiAgentProblem(graph, starts, goals, options)
        return lambda: pathplanning.plan_multi_agent(problem, planner=name).paths

    return prepare


def cbs_mapf(free, starts, goals):
    from cbs_mapf.agent import Agent
    from cbs_mapf.planner import Planner
    from stastar.neighbour_table import NeighbourTable

    NeighbourTable.directions = NeighbourTable.directions[:5]  # FOUR moves, as its source advises
    # it has places between its outermost obstacles only, without the last row and column
    walled = np.pad(~free, ((1, 2), (1, 2)), constant_values=True)
    planner = Planner(grid_size=1, robot_radius=0, static_obstacles=[(int(x), int(y)) for y, x in np.argwhere(walled)])
    inner = [[(x + 1, y + 1) for x, y in ends] for ends in (starts, goals)]

    def keep_goals(starts, goals):
        return [Agent(start, goal) for start, goal in zip(starts, goals, strict=True)]

    def solve():
        paths = planner.plan(*inner, assign=keep_goals, max_iter=EVER, low_level_max_iter=EVER)
        return [[(int(x) - 1, int(y) - 1) for x, y in path] for path in paths]

    return solve


PEERS = {
    "w9-pathfinding HCA*": Peer("w9-pathfinding", "hca", w9("HCAStar")),
    "w9-pathfinding WHCA*, window 16": Peer("w9-pathfinding", "whca, window 16", w9("WHCAStar", window_size=16)),
    "w9-pathfinding WHCA*, window 64": Peer("w9-pathfinding", "whca, window 64", w9("WHCAStar", window_size=64)),
    "w9-pathfinding CBS": Peer("w9-pathfinding", "cbs", w9("CBS", max_time=EVER)),
    "w9-pathfinding ICTS": Peer("w9-pathfinding", "icts", w9("ICTS", max_time=EVER)),
    "pymapf LaCAM": Peer("pymapf", "lacam", pymapf("lacam")),
    "pymapf wCBS, w 1.5": Peer("pymapf", "eecbs, w 1.5", pymapf("wcbs", weight=1.5)),
    "pathplanning EECBS, w 1.5": Peer("pathplanning", "eecbs, w 1.5", pathplanning("eecbs", w=1.5)),
    "cbs-mapf": Peer("cbs-mapf", "cbs", cbs_mapf),
}


def attempt(peer, problem, limit):
    """(seconds, paths of places) in a new process; None if it ends without paths or reaches a limit.

    `limit` is in processor seconds. A peer that starts processes of its own is stopped after three times as many seconds.
    """
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_solve, args=(peer, problem, math.ceil(limit), there))
    child.start()
    there.close()
    answer = None
    with contextlib.suppress(EOFError):  # it was stopped by its limit
        answer = here.recv() if here.poll(3 * limit) else None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # with the processes that it has started
    child.join()
    return answer if answer is not None and answer[0] <= limit else None


def _solve(peer, problem, limit, to):
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limit + 5, limit + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    starts, goals = ([problem.grid.place(cell) for cell in cells] for cells in (problem.starts, problem.goals))
    best = math.inf
    for _ in range(REPEATS):
        solve = peer.prepare(problem.grid.free, starts, goals)
        before = _processor_seconds()
        paths = solve()
        best = min(best, _processor_seconds() - before)
        if best > SHORT or not paths:
            break
    to.send((best, [[tuple(map(int, place)) for place in path] for path in paths]) if paths else None)


def _processor_seconds():
    """Of this process and of those that it has started and that have ended."""
    used = os.times()
    return time.process_time() + used.children_user + used.children_system

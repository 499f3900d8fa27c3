"""Many agents: WHCA* against a peer's, and what the clock and the referee cost by themselves."""

import time

import numpy as np
from w9_pathfinding.envs import Grid as PeerGrid
from w9_pathfinding.mapf import WHCAStar as PeerWhca

from wayfolk.algorithms.controllers import Controller
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import MOVE, REFUSED
from wayfolk.problem.problem import one_shot
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import solve
from wayfolk.world.generate import random_map


def tables(maps):
    yield (
        "WHCA*, random-32-32-20, FOUR moves",
        "Seconds (best of 5, in turn) and sum of costs. Our plans are checked by the judge; `fails`: the peer found no "
        "plan.",
        ["agents", "window", "wayfolk s", "cost", "w9-pathfinding s", "cost", "x", "lower bound"],
        [whca(maps, agents, window) for agents in (20, 50, 100) for window in (16, 64)],
    )
    yield (
        "The clock and the referee alone",
        "Milliseconds for a tick in which all agents on an open 512 x 512 map move and none needs a new route.",
        ["agents", "ms a tick", "limit"],
        [[agents, referee(agents), 2 if agents == 2000 else ""] for agents in (500, 2000, 10000)],
    )


def whca(maps, agents, window):
    grid = read_map(maps / "mapf" / "random-32-32-20.map", "four")
    problem = read_scen(maps / "mapf" / "random-32-32-20-random-1.scen", grid, agents)
    starts, goals = ([grid.place(c) for c in cells] for cells in (problem.starts, problem.goals))
    ours = theirs = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        result = solve(problem, "whca", window=window)
        ours = min(ours, time.perf_counter() - began)
        peer = PeerWhca(PeerGrid(np.where(grid.free, 1.0, -1.0).tolist(), edge_collision=True))
        began = time.perf_counter()
        paths = peer.mapf(starts, goals, window_size=window, max_length=500)
        theirs = min(theirs, time.perf_counter() - began)
    assert check(result.plan, problem, arrive=result.is_solved) == []
    own_cost = sum_of_costs(result.plan, problem.goals) if result.is_solved else "fails"
    their_cost = sum(len(path) - 1 for path in paths) if paths else "fails"
    return [agents, window, ours, own_cost, theirs, their_cost, theirs / ours, lower_bound(problem)]


class Shuttle(Controller):
    """Each agent walks east and back west on cells of its own, so that no move is ever refused."""

    def __init__(self, n_agents, stretch):
        super().__init__(n_agents)
        self.stretch = stretch

    def decide(self, view):
        for agent in view.asked.tolist():
            here = int(view.here[agent])
            there = [here + k for k in range(1, self.stretch)]
            view.answer(agent, [*there, *there[-2::-1], here])


def referee(agents):
    """The median tick: all agents move, and none needs a new route."""
    per_row = -(-agents // 512)
    stretch = min(512 // per_row - 1, 32)
    starts = [(512 // per_row * (k // 512), k % 512) for k in range(agents)]
    problem = one_shot(random_map(512, 512, 0.0), starts, [(x + stretch, y) for x, y in starts])
    world = Simulation(problem, "lra")
    world.controller = Shuttle(agents, stretch)
    world.advance(1)
    times = []
    for _ in range(200):
        began = time.perf_counter()
        world.advance(1)
        times.append(time.perf_counter() - began)
    record = world.record()
    assert len(record.of(MOVE)) == 201 * agents
    assert not len(record.of(REFUSED))
    return float(np.median(times) * 1e3)

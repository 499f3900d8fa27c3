"""Corridors: SDP with Cooperative JPS and with Cooperative A*, on its maps and with thousands of agents, and peers."""

import time

import numpy as np

from benchmarks.plots import over_agents
from wayfolk.experiments.papers.sdp.rooms import problem_in_rooms
from wayfolk.files.maps import read_map
from wayfolk.judge.plans import check
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import make_ready, solve

SETTINGS = (
    ("sdp", {"search": "cjps"}, "SDP, Cooperative JPS"),
    ("sdp", {"search": "ca"}, "SDP, Cooperative A*"),
    ("whca", {}, "WHCA*"),
    ("pibt", {}, "PIBT"),
)
CASES = (("sdp/den204d", 250, 0.1, 1.393), ("sdp/den505d", 360, 0.8, 8.23), ("mapf/orz900d", 5000, 20.0, None))
SECONDS, STEPS = 30.0, 5000  # of a run
COUNTS = (250, 500, 1000, 2000, 4000)
FIRST, MEASURED = 20, 100  # steps


def tables(maps):
    yield (
        "SDP on its maps, and peers",
        "Random starts and goals in rooms, 8-way moves: seconds of processor time until all agents have arrived, the least "
        f"of three runs if they are short; a run ends after {SECONDS:g} s of wall-clock time or {STEPS} steps. `limit` is "
        "the goal for SDP with Cooperative JPS, `thesis` what its Java code took. WHCA* has its default window.",
        ["map", "agents", "controller", "seconds", "limit", "thesis", "steps", "arrived, %"],
        [row for case in CASES for row in compared(maps, *case)],
    )
    costs = cost_of_a_step(maps)
    over_agents({"SDP, Cooperative JPS": costs}, "corridors.svg", "microseconds a step")
    yield (
        "SDP, cost of a step over agents",
        f"Cooperative JPS on orz900d: mean microseconds of processor time of steps {FIRST} to {FIRST + MEASURED}. The "
        "exponent is the slope of log time over log agents; 1 is linear. "
        "![cost of a step over agents](figures/corridors.svg)",
        ["agents", "us a step", "us a step and agent", "exponent"],
        [
            [agents, cost, cost / agents, exponent(costs) if agents == COUNTS[-1] else ""]
            for agents, cost in costs.items()
        ],
    )


def compared(maps, name, agents, limit, thesis):
    problem = problem_in_rooms(read_map(maps / f"{name}.map"), agents, seed=0)
    for algorithm, options, title in SETTINGS:
        make_ready(algorithm)
        try:
            seconds, result = run(problem, algorithm, options)
        except MemoryError:
            yield [name.split("/")[1], agents, title, "too much memory", "", "", "", ""]
            continue
        if seconds < 2.0:
            seconds = min(seconds, *(run(problem, algorithm, options)[0] for _ in range(2)))
        assert check(result.plan, problem, arrive=False) == []
        home = 100.0 * float((result.plan.cells[-1] == problem.goals).mean())
        is_ours = title == SETTINGS[0][2]
        shown = (limit if is_ours else "", thesis if is_ours and thesis else "")
        yield [name.split("/")[1], agents, title, seconds, *shown, result.plan.n_steps, home]


def run(problem, algorithm, options):
    began = time.process_time()
    result = solve(problem, algorithm, seconds=SECONDS, steps=STEPS, **options)
    return time.process_time() - began, result


def cost_of_a_step(maps):
    """Microseconds by the number of agents."""
    grid = read_map(maps / "mapf" / "orz900d.map")
    make_ready("sdp")
    costs = {}
    for agents in COUNTS:
        world = Simulation(problem_in_rooms(grid, agents, seed=0), "sdp")
        world.advance(FIRST)
        began = time.process_time()
        world.advance(MEASURED)
        costs[agents] = (time.process_time() - began) / MEASURED * 1e6
    return costs


def exponent(costs):
    return float(np.polyfit(np.log(list(costs)), np.log(list(costs.values())), 1)[0])

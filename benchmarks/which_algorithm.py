"""Which algorithm: candidates on maps of several sizes, with few and many agents, for docs/which-algorithm.md.

`decisions` turns the measurements into the table of that page: for each kind of map, number of agents and time for a step,
the algorithm that `wayfolk advise` would recommend.
"""

from wayfolk.algorithms.catalogue import find
from wayfolk.experiments.choosing.advice import CONTROLLERS, PLANNERS, rank
from wayfolk.experiments.choosing.trials import tried, try_once
from wayfolk.files.maps import read_map
from wayfolk.problem.problem import random_problem

MAPS = {  # the numbers of agents tried on each
    "empty-32-32": (50, 200, 400),
    "room-32-32-4": (20, 50, 100),
    "random-64-64-20": (100, 400, 1000),
    "warehouse-10-20-10-2-1": (100, 400, 1000),
    "den312d": (100, 400, 1000),
    "Paris_1_256": (100, 500, 2000),
}
LIMITS = (1.0, 5.0, 16.0, None)  # milliseconds for a step; None: all is planned beforehand
SEEDS = (1, 2, 3)
SECONDS = 20.0
COLUMNS = [
    "map", "agents", "algorithm", "family", "arrived", "above bound", "seconds", "first step, ms", "step p50, ms",
    "step p99, ms",
]  # fmt: skip
NUMBERS = ("arrived", "above_bound", "seconds", "first_step_ms", "step_p50_ms", "step_p99_ms")
FIELDS = ("map", "agents", "algorithm", "family", *NUMBERS)


def tables(maps, chosen=MAPS, seeds=SEEDS, seconds=SECONDS):
    rows = list(measure(maps, chosen, seeds, seconds))
    yield (
        "Which algorithm, measured",
        f"Random starts and goals, four moves, means over {len(seeds)} problems, at most {seconds:g} s each. `arrived` is "
        "the share of agents on their goals when it stops, `above bound` the sum of costs over its lower bound, if all "
        "arrive. A planner has no steps: its seconds are those until its first plan.",
        COLUMNS,
        [[row[name] for name in FIELDS] for row in rows],
    )
    yield (
        "Which algorithm, decided",
        "The algorithm that brings most agents to their goals within the limit for a step, at the least cost.",
        ["map", "agents", *(f"{limit:g} ms" if limit else "no limit" for limit in LIMITS)],
        list(decisions(rows)),
    )


def measure(maps, chosen, seeds, seconds):
    """A row of means for each map, number of agents and algorithm."""
    entries = [find(name, "planners") for name in PLANNERS] + [find(name, "controllers") for name in CONTROLLERS]
    for name, crowds in chosen.items():
        grid = read_map(maps / "mapf" / f"{name}.map", "four") if isinstance(name, str) else name
        for agents in crowds:
            for entry in entries:
                numbers = [trial(entry, grid, agents, seed, seconds) for seed in seeds]
                yield {"map": grid.name, "agents": agents, "algorithm": entry.name, "family": entry.family} | mean(
                    numbers
                )


def trial(entry, grid, agents, seed, seconds):
    """One algorithm on one problem; planners stop at their first plan."""
    problem = random_problem(grid, agents, seed=seed)
    limit = None if entry.family == "planners" else seconds
    numbers = tried(lambda: try_once(entry, problem, seed, seconds=limit), entry.name, seed).numbers
    assert numbers.get("faults", 0) == 0, (entry.name, grid.name, agents, seed)
    return numbers


def mean(numbers):
    """The means of several problems; a number that one of them lacks is left out."""
    row = {"status": "refused" if all(one["status"] == "refused" for one in numbers) else "tried"}
    for name in NUMBERS:
        values = [one.get(name) for one in numbers]
        row[name] = None if any(value is None for value in values) else sum(values) / len(values)
    if row["arrived"] is not None and row["arrived"] < 1.0:
        row["above_bound"] = None  # costs of agents that do not arrive are no costs
    return row


def decisions(rows):
    """For each map and number of agents the best algorithm under each limit."""
    for place in dict.fromkeys((row["map"], row["agents"]) for row in rows):
        own = [row for row in rows if (row["map"], row["agents"]) == place and row["status"] != "refused"]
        best = []
        for limit in LIMITS:
            fits = [row for row in own if limit is None or (row["step_p99_ms"] or limit + 1) <= limit]
            winner = min(fits, key=lambda row, limit=limit: rank(row, limit)) if fits else None
            best.append("-" if winner is None else f"{winner['algorithm']} ({winner['arrived']:.0%})")
        yield [*place, *best]

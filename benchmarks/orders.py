"""Orders of fleets: whether every order is delivered, on ten maps, with five loads, five controllers and two seeds.

Each run that ends is a line of build/orders.csv. A run that is there is not run again: after Ctrl-C the benchmark goes on
where it stopped. Delete the file to begin anew.
"""

import csv
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import SECONDS
from wayfolk.files.maps import read_map
from wayfolk.judge.records import check_record
from wayfolk.problem.orders import Order
from wayfolk.problem.problem import tasks
from wayfolk.simulation.fleet import Fleet
from wayfolk.world.generate import warehouse

STORE = Path(__file__).parents[1] / "build" / "orders.csv"
COLUMNS = (
    "map",
    "load",
    "controller",
    "seed",
    "robots",
    "orders",
    "delivered",
    "steps",
    "refused",
    "faults",
    "seconds",
    "why",
)
MAPS = ("random-32-32-20", "room-32-32-4", "maze-32-32-2", "maze-32-32-4", "warehouse-10-20-10-2-1")
DRAWN = 5  # warehouses with random measures
LOADS = {  # the share of cells with a robot, orders for each robot, and the number of stations; 0: everywhere
    "light": (0.02, 6, 0),
    "usual": (0.05, 5, 0),
    "full": (0.10, 4, 0),
    "crowded": (0.15, 3, 0),
    "stations": (0.05, 4, 6),
}
CONTROLLERS = ("pibt", "whca", "rhcr", "controllers/lacam", "lra")
SEEDS = (1, 2)
MOST_ROBOTS = 80
UNTIL = 20_000
LIMIT = 60.0  # seconds of CPU time of a run


def tables(maps):
    rows = list(measured(maps))
    yield (
        "Orders of fleets",
        f"{len(rows)} runs: orders delivered of all orders, in each load both seeds together; steps are those of the run "
        f"that took longest. Half of the maps are Moving AI's, the others warehouses with random measures. A run ends "
        f"after {UNTIL:,} steps or {LIMIT if SECONDS is None else SECONDS:g} s of CPU time.",
        ["map", "controller", *LOADS, "most steps", "seconds"],
        list(summary(rows)),
    )
    for row in rows:
        if int(row["delivered"]) < int(row["orders"]):
            print("\t".join(row.values()), file=sys.stderr)


def summary(rows):
    for map_name in dict.fromkeys(row["map"] for row in rows):
        for controller in CONTROLLERS:
            own = [row for row in rows if row["map"] == map_name and row["controller"] == controller]
            shares = []
            for load in LOADS:
                part = [row for row in own if row["load"] == load]
                shares.append("/".join(str(sum(int(row[name]) for row in part)) for name in ("delivered", "orders")))
            steps, seconds = max(int(row["steps"]) for row in own), sum(float(row["seconds"]) for row in own)
            yield [map_name, controller, *shares, steps, seconds]


def measured(maps):
    """The rows of all runs, those that are in the store first."""
    STORE.parent.mkdir(exist_ok=True)
    known = {}
    if STORE.exists():
        with STORE.open() as file:
            known = {key_of(row): row for row in csv.DictReader(file)}
    with STORE.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not known:
            writer.writeheader()
        for grid in grids(maps):
            for load in LOADS:
                for controller in CONTROLLERS:
                    for seed in SEEDS:
                        key = (grid.name, load, controller, str(seed))
                        if key not in known:
                            known[key] = row = {name: str(value) for name, value in run(grid, *key[1:3], seed).items()}
                            writer.writerow(row)
                            file.flush()
                        yield known[key]


def key_of(row):
    return tuple(row[name] for name in COLUMNS[:4])


def grids(maps):
    for name in MAPS:
        yield read_map(maps / "mapf" / f"{name}.map", "four")
    rng = np.random.default_rng(0)
    for _ in range(DRAWN):
        columns, rows, long, deep, aisle, margin = (
            int(n) for n in rng.integers((2, 3, 3, 1, 1, 1), (7, 11, 11, 3, 3, 9))
        )
        yield warehouse(columns, rows, (long, deep), aisle, margin=margin, moves="four")


def run(grid, load, controller, seed):
    """One run as a row of the store."""
    share, per_robot, n_stations = LOADS[load]
    robots = int(np.clip(share * len(grid.free_cells), 2, MOST_ROBOTS))
    starts = tasks(grid, robots, seed=seed).starts
    part = grid.free_cells[grid.components[grid.free_cells] == grid.components[starts[0]]]
    rng = np.random.default_rng(seed)
    places = rng.choice(part, n_stations, replace=False) if n_stations else part
    orders = [
        Order(tuple(rng.choice(places, 2, replace=False).tolist()), float(k // max(robots // 8, 1)), f"order {k}")
        for k in range(per_robot * robots)
    ]
    fleet = Fleet(grid, grid.places(starts), orders, controller, seed=seed)
    began = time.process_time()
    limit = LIMIT if SECONDS is None else SECONDS
    while not fleet.status.is_final and fleet.time < UNTIL and time.process_time() - began < limit:
        fleet.advance(100)
    report = fleet.report()
    return dict(zip(COLUMNS, (
        grid.name, load, controller, seed, robots, report["orders"], report["orders_done"], round(fleet.time),
        report["refused_moves"], len(check_record(fleet.record())), round(time.process_time() - began, 3),
        "; ".join(fleet.reasons()),
    ), strict=True))  # fmt: skip

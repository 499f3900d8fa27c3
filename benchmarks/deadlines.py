"""Deadlines and memory: every algorithm on every MAPF map with a limit of one second.

A run that has been measured is kept in `build/deadlines.jsonl`, and is not repeated: remove the file to start again.
`python -m benchmarks.deadlines MAPS ALGORITHM,... MAP,... AGENTS,...` measures a part of them, and `python -m benchmarks
--kept deadlines` makes the tables of what was measured so far.
"""

import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import median

from benchmarks import IS_KEPT
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.paths import make_ready as make_search_ready
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import NotSupported
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries, read_scen
from wayfolk.machine import total_bytes
from wayfolk.simulation.solving import make_ready, solve

STORE = Path(__file__).resolve().parents[1] / "build" / "deadlines.jsonl"
SECONDS, MOST_SECONDS = 1.0, 1.5
AGENTS = (20, 400)
PATIENCE = 120  # seconds after which a run that hangs is ended
FAMILIES = ("search", "realtime", "planners", "controllers")


def tables(maps):
    rows = kept() if IS_KEPT else measured(maps)
    names = sorted({row["map"] for row in rows})
    load = [row["load"] for row in rows]
    yield (
        "Deadlines and memory",
        f"{len(rows):,} runs, on {len(names)} of the 33 MAPF maps{f' ({names[0]})' if len(names) == 1 else ''}. "
        f"`seconds={SECONDS:g}`; searches cross the map (the longest query of `random-1`), planners and controllers move "
        f"{' or '.join(map(str, AGENTS))} agents of `random-1`. Seconds from the call to its return, without compiling and "
        f"loading kernels; the limit is {MOST_SECONDS:g}. Memory is the peak of the process above what it had before, in "
        f"MB; the limit is half of the machine's, {total_bytes() / 2e6:,.0f} MB. `late` counts runs above the limit. "
        f"The machine had a load of {min(load):.0f} to {max(load):.0f} meanwhile, on {os.cpu_count()} cores.",
        [
            "algorithm",
            "agents",
            "runs",
            "solved",
            "median s",
            "worst s",
            "its CPU s",
            "late",
            "its map",
            "worst MB",
            "its map ",
        ],
        list(summary(rows)),
    )
    worst = sorted(rows, key=lambda row: -row["seconds"])[:20]
    yield (
        "The twenty runs that ended last",
        "CPU seconds beside those of the clock: on a busy machine a process waits.",
        ["algorithm", "map", "agents", "seconds", "CPU s", "MB", "status"],
        [[row[key] for key in ("algorithm", "map", "agents", "seconds", "cpu", "mb", "status")] for row in worst],
    )


def summary(rows):
    """A row for each algorithm and number of agents."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["algorithm"], row["agents"]].append(row)
    for (algorithm, agents), runs in groups.items():
        last, largest = max(runs, key=lambda run: run["seconds"]), max(runs, key=lambda run: run["mb"])
        yield [
            algorithm, agents, len(runs), sum(run["status"] == "solved" for run in runs),
            median(run["seconds"] for run in runs), last["seconds"], last["cpu"],
            sum(run["seconds"] > MOST_SECONDS for run in runs), last["map"], largest["mb"], largest["map"],
        ]  # fmt: skip


def measured(maps, algorithms=None, names=None, counts=AGENTS):
    """What was measured, kept runs among them."""
    names = names or sorted(path.stem for path in (maps / "mapf").glob("*.map"))
    STORE.parent.mkdir(exist_ok=True)
    rows = {(row["algorithm"], row["map"], row["agents"]): row for row in kept()}
    wanted = {}
    for entry in (entry for family in FAMILIES for entry in catalogue.entries(family)):
        if algorithms is None or entry.name in algorithms or f"{entry.family}/{entry.name}" in algorithms:
            for key in ((f"{entry.family}/{entry.name}", name, n) for name in names for n in agents_of(entry, counts)):
                if key not in rows:
                    rows[key] = in_process_of_its_own(maps, entry, *key)
                    with STORE.open("a") as file:
                        file.write(json.dumps(rows[key]) + "\n")
                wanted[key] = rows[key]
    return list(wanted.values())


def kept():
    """What was measured before."""
    return [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []


def agents_of(entry, counts):
    return (1,) if entry.family in FAMILIES[:2] else counts


def in_process_of_its_own(maps, entry, algorithm, name, agents):
    """The row of one run, in a process that has loaded the kernels before and keeps nothing of other runs."""
    warm(maps, entry)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            row = run(maps, entry, name, agents)
        except BaseException:
            row = {
                "seconds": 0.0,
                "cpu": 0.0,
                "mb": 0.0,
                "load": 0.0,
                "status": "crashed",
                "detail": traceback.format_exc(),
            }
        os.write(writer, json.dumps({"algorithm": algorithm, "map": name, "agents": agents} | row).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    ended = {"seconds": PATIENCE, "cpu": PATIENCE, "mb": 0, "load": 0.0, "status": "killed", "detail": ""}
    return json.loads(text) if text else {"algorithm": algorithm, "map": name, "agents": agents} | ended


@cache
def warm(maps, entry):
    """Compile or load the kernels: of a tiny problem, and of what is done with a map of the benchmark."""
    is_search = entry.family in FAMILIES[:2]
    (make_search_ready if is_search else make_ready)(entry)
    run(maps, entry, "random-32-32-10", 1 if is_search else 20)


def run(maps, entry, name, agents):
    usual = "eight" if agents == 1 else "four"
    allowed = entry.facts.get("MOVES", [usual])
    rule = usual if usual in allowed else allowed[0]
    grid = read_map(maps / "mapf" / f"{name}.map", rule)
    scen = maps / "mapf" / f"{name}-random-1.scen"
    if agents == 1:
        queries = read_queries(scen, grid)
        longest = int(queries.lengths.argmax())
        ends = [grid.place(int(cells[longest])) for cells in (queries.starts, queries.goals)]
    else:
        agents = min(agents, int(grid.free.sum()) // 3, sum(1 for _ in scen.open()) - 1)
        problem = read_scen(scen, grid, agents)
    load = os.getloadavg()[0]
    before, loaded = resource.getrusage(resource.RUSAGE_SELF), len(LOADED)
    began = time.perf_counter()
    try:
        if agents == 1:
            result = find_path(grid, *ends, entry, seconds=SECONDS)
        else:
            result = solve(problem, entry, seconds=SECONDS)
        status, detail = result.status.value, result.detail
    except NotSupported as error:
        status, detail = "refused", str(error)
    seconds = time.perf_counter() - began - loading_seconds(loaded)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": round(seconds, 3),
        "cpu": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3),
        "mb": (after.ru_maxrss - before.ru_maxrss) // 1024,
        "load": round(load, 1),
        "status": status,
        "detail": detail,
    }


if __name__ == "__main__":
    root, *chosen = sys.argv[1:]
    chosen = [words.split(",") if words else None for words in chosen]
    if len(chosen) == 3:
        chosen[2] = tuple(map(int, chosen[2]))
    for each in measured(Path(root) / "movingai", *chosen):
        print(*each.values(), sep="\t")

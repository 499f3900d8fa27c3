"""Columns: every column of the tables in a store, with its type, its unit, and when it is empty.

The store makes its tables from these lists, and docs/store.md shows them. `later` marks columns that a table gets with
the first row that has a value for them.
"""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """A column of a table; `empty` says in which rows it is NULL, "" if in none."""

    name: str
    kind: str
    unit: str
    meaning: str
    empty: str = ""
    later: bool = False


_PLANNED = "not one goal each, or no plan"
_TIMED = "not patrols or tasks"
_SINGLE = "not single paths"
_FAILED = "the run failed"
_UNCOUNTED = "not counted by the algorithm"
_WALKED = "not a real-time search"
_LEARNED = "not a real-time search that learns"
_TREE = "not a time-bounded search"


def _counted(over: str, empty: str = "") -> tuple[Column, ...]:
    """The columns of what is counted for each agent and loop, as means over one of the two."""
    return (
        Column("expanded", "DOUBLE", "nodes", f"nodes expanded, mean for each {over}", empty),
        Column("replans", "DOUBLE", "searches", f"searches begun anew, mean for each {over}", empty),
        Column("distance", "DOUBLE", "cells", f"distance walked, mean for each {over}", empty),
        Column("collisions", "DOUBLE", "moves", f"moves that were refused, mean for each {over}", empty),
    )


RUNS = (
    Column("key", "VARCHAR PRIMARY KEY", "", "name of the run: a hash of all that decides its result"),
    Column("map", "VARCHAR", "", "name of the map"),
    Column("problem", "VARCHAR", "", "name of the scenario file, or kind of the problem"),
    Column("algorithm", "VARCHAR", "", "name of the algorithm"),
    Column("options", "JSON", "", "its options; those left out have their defaults"),
    Column("seed", "BIGINT", "", "random seed"),
    Column("repeat", "INTEGER", "", "number of the repeat, from 0 on: it changes the problem that is drawn"),
    Column("moves", "VARCHAR", "", "`four`, `eight` or `eight_cutting`"),
    Column("model", "VARCHAR", "", "time model, for controllers"),
    Column("cell", "JSON", "", "the whole description of the job, for `wayfolk again`"),
    Column("status", "VARCHAR", "", "`solved`, `ended`, `partial`, `impossible`, `gave_up`, `out_of_time`, "
           "`out_of_budget`; "
           "`error`, `crashed` or `out_of_memory` if the run failed"),
    Column("detail", "VARCHAR", "", "a sentence about a failure, else empty text"),
    Column("provenance", "INTEGER", "", "`id` of the row in the table `provenance`"),
    Column("n_agents", "INTEGER", "agents", "number of agents; 1 for single paths", _FAILED),
    Column("seconds", "DOUBLE", "s", "planning time by the clock; over all queries for single paths", _FAILED),
    Column("wall_seconds", "DOUBLE", "s", "time of the whole run by the clock, with reading the map and judging"),
    Column("expanded", "DOUBLE", "nodes", "nodes expanded: in all (one goal each), mean for each agent and loop "
           "(patrols and tasks), mean of a query (single paths)", _FAILED),
    Column("replans", "DOUBLE", "searches", "searches that were begun anew, counted as `expanded` is", _FAILED),
    Column("collisions", "DOUBLE", "moves", "moves that were refused, counted as `expanded` is", _FAILED),
    Column("distance", "DOUBLE", "cells", "distance walked, mean for each agent and loop", _TIMED),
    Column("simulation_time", "DOUBLE", "steps", "simulated time; time units in the `distance` model", _TIMED),
    Column("throughput", "DOUBLE", "1/step", "tasks done for each unit of simulated time: deliveries, not visits", _TIMED),
    Column("makespan", "INTEGER", "steps", "step from which all agents rest on their goals", _PLANNED),
    Column("sum_of_costs", "BIGINT", "steps", "steps until each agent arrives and stays, summed up", _PLANNED),
    Column("sum_of_loss", "BIGINT", "steps", "steps that agents do not spend resting on their goals", _PLANNED),
    Column("fuel", "BIGINT", "moves", "moves of all agents, waits not counted", "patrols and tasks"),
    Column("travel_distance", "DOUBLE", "cells", "length of all moves; a diagonal one is 1.41", _PLANNED),
    Column("completion_rate", "DOUBLE", "share", "share of agents on their goals at the end", "not one goal each"),
    Column("completion_time", "DOUBLE", "steps", "mean step of arrival; all steps for who never arrives", _PLANNED),
    Column("failed_units", "INTEGER", "agents", "agents that are not on their goals at the end", _PLANNED),
    Column("lower_bound", "BIGINT", "steps", "sum of the shortest paths of all agents, each alone", "not one goal each"),
    Column("faults", "INTEGER", "faults", "what the judge objects to; 0 in a sound run", _PLANNED),
    Column("queries", "INTEGER", "queries", "number of queries", _SINGLE),
    Column("solved", "INTEGER", "queries", "queries for which a path was found", _SINGLE),
    Column("wrong_cost", "INTEGER", "queries", "paths whose cost is not that in the file", "not queries of a file"),
    Column("cost", "DOUBLE", "cells", "cost of all paths that were found", _SINGLE),
    Column("expanded_least", "DOUBLE", "nodes", "nodes expanded by the query that expanded fewest", _SINGLE),
    Column("expanded_most", "DOUBLE", "nodes", "most nodes expanded: by one query; of walks for one move, of controllers "
           "by one agent at once", _UNCOUNTED),
    Column("cpu_seconds", "DOUBLE", "s", "processor time of planning, of all cores", "not one goal each", True),
    Column("completion_seconds", "DOUBLE", "s", "mean second at which agents arrived", "not a controller", True),
    Column("longest_path", "DOUBLE", "steps", "latest step at which an agent arrived", "nobody arrived", True),
    Column("strayed_units", "DOUBLE", "agents", "agents that left their goals and did not return", _PLANNED, True),
    Column("generated", "DOUBLE", "nodes", "nodes generated, counted as `expanded` is", _UNCOUNTED, True),
    Column("reopened", "DOUBLE", "nodes", "nodes opened again, counted as `expanded` is", _UNCOUNTED, True),
    Column("restarts", "DOUBLE", "times", "how often planning began anew", _UNCOUNTED, True),
    Column("last_repair", "DOUBLE", "nodes", "nodes expanded since the last change of the map, mean", "not an "
           "incremental search", True),
    Column("n_moves", "DOUBLE", "moves", "moves and waits of a walk, mean of a query", _WALKED, True),
    Column("waits", "DOUBLE", "moves", "waits of a walk, mean of a query", _WALKED, True),
    Column("first_move", "DOUBLE", "moves", "number of the first move that is no wait, mean", _WALKED, True),
    Column("plans", "DOUBLE", "searches", "local searches of a walk, mean of a query", _LEARNED, True),
    Column("learned", "DOUBLE", "cells", "by how much heuristics were raised in all, mean of a query", _LEARNED, True),
    Column("turns", "DOUBLE", "turns", "changes of direction along the tree, mean of a query", _TREE, True),
    Column("backward_steps", "DOUBLE", "moves", "moves back along the tree, mean of a query", _TREE, True),
    Column("traced_most", "DOUBLE", "cells", "most cells traced back for one move, mean of a query", _TREE, True),
    Column("solution_cost", "DOUBLE", "cells", "cost of the path in the tree, mean of a query", _TREE, True),
    Column("estimate", "DOUBLE", "cells", "sum of the heuristic from start to goal", _SINGLE, True),
    Column("heading_changes", "DOUBLE", "turns", "changes of direction, mean of a path", "no path was found", True),
    Column("optimum", "DOUBLE", "cells", "sum of the optimal costs", "not known", True),
    Column("seconds_per_move", "DOUBLE", "s", "planning time for each move", _SINGLE, True),
    Column("tasks", "DOUBLE", "tasks", "tasks done; a loop of a patrol is a task", _TIMED, True),
    Column("service_p50", "DOUBLE", "steps", "time of a task, median", "no task was done", True),
    Column("service_p90", "DOUBLE", "steps", "time of a task, 90th percentile", "no task was done", True),
    Column("service_p99", "DOUBLE", "steps", "time of a task, 99th percentile", "no task was done", True),
    Column("waiting", "DOUBLE", "share", "share of their time that agents did not move", _TIMED, True),
    Column("coherence", "DOUBLE[]", "", "coherence of the directions that the moves teach, at 60 equal distances of "
           "time", "not a patrol", True),
    Column("first_loop", "DOUBLE", "steps", "time at which every agent had come back once", "not a patrol, or never", True),
)  # fmt: skip
AGENTS = (
    Column("key", "VARCHAR", "", "key of the run"),
    Column("agent", "INTEGER", "", "number of the agent, from 0 on"),
    Column("arrived", "BOOLEAN", "", "whether it is on its goal at the end", "not one goal each"),
    Column("steps", "INTEGER", "steps", "step from which it rests on its goal", "not one goal each"),
    *_counted("loop", _TIMED),
)
LOOPS = (
    Column("key", "VARCHAR", "", "key of the run"),
    Column("loop", "INTEGER", "", "number of the loop, from 0 on"),
    *_counted("agent"),
)
SPECS = (
    Column("name", "VARCHAR", "", "name of a sweep that was run with this store"),
    Column("text", "VARCHAR", "", "its TOML file"),
)
PROVENANCE = (
    Column("id", "INTEGER PRIMARY KEY", "", "number"),
    Column("told", "JSON", "", "versions, commit and processor under which runs were made"),
)
META = (Column("schema", "INTEGER", "", "version of the tables"),)
TABLES = {"runs": RUNS, "agents": AGENTS, "loops": LOOPS, "specs": SPECS, "provenance": PROVENANCE, "meta": META}


def sql() -> str:
    """The statements that make the tables that are missing."""
    tables = []
    for name, columns in TABLES.items():
        listed = ", ".join(f"{column.name} {column.kind}" for column in columns if not column.later)
        tables.append(f"CREATE TABLE IF NOT EXISTS {name} ({listed});")
    return "\n".join(tables)

"""Plans in the formats that other tools read and write.

    name        file                   read and written by
    wayfolk     .json, .npz            Wayfolk; the only ones that hold the map
    planviz     .json                  PlanViz and the League of Robot Runners
    visualizer  .txt                   mapf-visualizer, and the solvers of the same author
    tracker     .csv                   the MAPF Tracker
    csv         .csv                   spreadsheets: a row for each step and agent

The other formats are for a map that comes with them. `tracker` does not even say where agents start: a scenario does.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadPlan
from wayfolk.files import plans
from wayfolk.files.exchange import planviz, tables, visualizer
from wayfolk.files.raw import File, read_bytes, write_bytes
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import Record
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

FORMATS = ("wayfolk", "planviz", "visualizer", "tracker", "csv")
BY_SUFFIX = {".txt": "visualizer", ".csv": "csv", ".json": "wayfolk", ".npz": "wayfolk", "": "wayfolk"}
Goals = NDArray[np.int32] | None


def format_of(file: File, name: str | None) -> str:
    """The format called `name`, or the one that the suffix of `file` stands for."""
    if name is None:
        suffix = Path(file).suffix.lower()
        if suffix not in BY_SUFFIX:
            raise BadInput(f"{file}: a plan is a file that ends in .json, .npz, .txt or .csv")
        return BY_SUFFIX[suffix]
    if name not in FORMATS:
        raise BadInput(f"there is no format {name!r} of plans: choose {', '.join(FORMATS)}")
    return name


def export_plan(
    plan: Plan,
    file: File,
    goals: ArrayLike | None = None,
    *,
    format: str | None = None,
    record: Record | None = None,
    scenario: str = "",
    lower_bound: float | None = None,
) -> None:
    """Write `plan` to `file`, in a `format` that another tool reads.

    The formats are "wayfolk", "planviz", "visualizer", "tracker" and "csv"; without one the name of the file decides.
    `goals` are cells, one for each agent. With the `record` of a simulation, planviz shows all of its tasks. `scenario`
    (a name) and `lower_bound` (of the sum of costs) are columns of the format "tracker".
    """
    kind = format_of(file, format)
    ends = None if goals is None else np.asarray(goals, np.int32)
    if kind == "wayfolk":
        plans.write_plan(plan, file, ends)
        return
    if (plan.cells == NOWHERE).any():
        raise BadPlan(f"{file}: an agent is nowhere at some step, which the format {kind} cannot say")
    try:
        if kind == "planviz":
            text = planviz.written(plan, ends, record)
        elif kind == "visualizer":
            text = visualizer.written(plan)
        elif kind == "tracker":
            text = tables.tracker_table(plan, ends, scenario, lower_bound)
        else:
            text = tables.step_table(plan, ends)
    except BadPlan as why:
        raise BadPlan(f"{file}: {why}") from None
    write_bytes(file, text.encode(), BadPlan)


def import_plan(file: File, grid: Grid | Graph | None = None, problem: Problem | None = None) -> tuple[Plan, Goals]:
    """Read a plan in any of the formats of `export_plan`; returns the plan, and the cells of its goals or None.

    Files of other tools hold no map: give the `grid`, or a `problem` on it. The format "tracker" does not say where agents
    start, and needs the problem. Goals that are not in the file are those of the problem.
    """
    data = read_bytes(file, BadPlan)
    kind = _kind(file, data)
    if kind == "wayfolk":
        return plans.read_plan(file)
    world = grid if grid is not None else problem.grid if problem is not None else None
    if world is None:
        raise BadPlan(f"{file}: the file holds no map: say which map the plan is for")
    if not isinstance(world, Grid):
        raise BadPlan(f"{file}: plans of other tools are for maps of squares, not for {world!r}")
    try:
        text = data.decode("utf-8")
        if kind == "planviz":
            plan, goals = planviz.read(_object(text), world)
        elif kind == "visualizer":
            plan, goals = visualizer.read(text, world), None
        else:
            plan, goals = tables.read(text, world, problem)
    except UnicodeDecodeError:
        raise BadPlan(f"{file}: the file is not text in UTF-8") from None
    except BadInput as why:
        raise BadPlan(f"{file}{why}" if str(why).startswith(", line") else f"{file}: {why}") from None
    if goals is None and problem is not None and problem.is_one_shot and problem.n_agents >= plan.n_agents:
        goals = problem.goals[: plan.n_agents]
    return plan, goals


def _kind(file: File, data: bytearray) -> str:
    """The format of a file, by its contents."""
    if data.startswith(b"PK\x03\x04"):
        return "wayfolk"
    head = bytes(data[:400]).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        return "planviz" if re.search(rb'"(actualPaths|actionModel|teamSize)"', bytes(data[:20_000])) else "wayfolk"
    if re.match(rb"\d+\s*:\s*\(|solution\s*=|\w+=", head):
        return "visualizer"
    if Path(file).suffix.lower() in (".csv", ".tsv") or b"," in head.split(b"\n")[0]:
        return "table"
    return "wayfolk"


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as why:
        where = f", line {why.lineno}" if isinstance(why, json.JSONDecodeError) else ""
        raise BadPlan(f"{where}: not JSON".removeprefix(": ")) from None
    if not isinstance(content, dict):
        raise BadPlan("the file should hold one JSON object")
    return content

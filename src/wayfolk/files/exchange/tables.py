"""Plans as tables: a row for each step and agent, or the rows of the MAPF Tracker, whose plan is a text of letters."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadPlan
from wayfolk.files.csv_rows import csv_rows
from wayfolk.files.exchange.letters import letters_of, path_of, plan_of
from wayfolk.files.raw import shown
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid

TRACKER = ("map_name", "scen_type", "type_id", "agents", "lower_cost", "solution_cost", "solution_plan")
STEPS = ("step", "agent", "x", "y")
GOALS = ("goal_x", "goal_y")
Goals = NDArray[np.int32] | None


def step_table(plan: Plan, goals: Goals) -> str:
    """The columns step, agent, x, y and, if they are known, goal_x and goal_y."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(STEPS if goals is None else STEPS + GOALS)
    ends = [()] * plan.n_agents if goals is None else [tuple(place) for place in plan.grid.places(goals).tolist()]
    for step, row in enumerate(plan.grid.places(plan.cells).tolist()):
        table.writerows((step, agent, x, y, *ends[agent]) for agent, (x, y) in enumerate(row))
    return stream.getvalue()


def tracker_table(plan: Plan, goals: Goals, name: str, bound: float | None) -> str:
    """One row of the MAPF Tracker; the `name` of the scenario holds its type and number, such as maze-32-32-2-even-1."""
    if goals is None:
        raise BadPlan("the format tracker needs the goals of all agents")
    scenario = re.fullmatch(r"(.*)-(random|even)-(\d+)", name)
    lines = letters_of(plan)
    rests = plan.rest_steps(goals)
    steps = [line[:rest] for line, rest in zip(lines, rests.tolist(), strict=True)]
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    table.writerow(TRACKER)
    kind, number = (scenario[2], scenario[3]) if scenario else ("", "")
    costs = ("" if bound is None else int(bound), int(rests.sum()))
    table.writerow((plan.grid.name, kind, number, plan.n_agents, *costs, "\n".join(steps)))
    return stream.getvalue()


def read(text: str, grid: Grid, problem: Problem | None) -> tuple[Plan, Goals]:
    """The plan of either table; that of the tracker is for the first agents of `problem`."""
    rows = [row for _, row in csv_rows(text.lstrip("\ufeff"))]
    head = [name.strip().lower() for name in rows[0]] if rows else []
    if set(STEPS) <= set(head):
        return _steps(rows, head, grid)
    column = next((name for name in ("solution_plan", "path") if name in head), None)
    if column is None:
        raise BadPlan(
            f", line 1: a table of a plan has the columns {', '.join(STEPS)}, or solution_plan of the MAPF Tracker"
        )
    if len(rows) < 2 or len(rows[1]) != len(head):
        raise BadPlan(", line 2: there should be a row with as many fields as the first line has")
    if problem is None:
        raise BadPlan("the MAPF Tracker does not say where agents start: give the scenario as well")
    texts = rows[1][head.index(column)].splitlines()
    if len(texts) > problem.n_agents:
        raise BadPlan(f"there are paths of {len(texts)} agents, the scenario has {problem.n_agents}")
    starts = grid.places(problem.starts[: len(texts)]).tolist()
    paths = [path_of(moves.strip(), (x, y), k) for k, (moves, (x, y)) in enumerate(zip(texts, starts, strict=True))]
    return plan_of(grid, paths), problem.goals[: len(texts)]


def _steps(rows: list[list[str]], head: list[str], grid: Grid) -> tuple[Plan, Goals]:
    """The plan of a table with a row for each step and agent, in any order."""
    names = [*STEPS, *(GOALS if set(GOALS) <= set(head) else ())]
    columns = [head.index(name) for name in names]
    numbers = []
    for line, row in enumerate(rows[1:], 2):
        if not row:
            continue
        try:
            numbers.append([int(row[column]) for column in columns])
        except (ValueError, IndexError):
            raise BadPlan(f", line {line}: should hold whole numbers in {', '.join(names)}, not {shown(row)}") from None
        step, agent, *places = numbers[-1]
        for x, y in zip(places[::2], places[1::2], strict=True):
            if not (0 <= x < grid.width and 0 <= y < grid.height and 0 <= step < NOWHERE and 0 <= agent < NOWHERE):
                raise BadPlan(f", line {line}: agent {agent} at {(x, y)} in step {step} is outside the map, or below 0")
    if not numbers:
        raise BadPlan("there are no rows after line 1")
    table = np.array(numbers, np.int64)
    n_steps, n_agents = table[:, 0].max() + 1, table[:, 1].max() + 1
    if n_steps * n_agents > 4 * len(table):
        raise BadPlan(f"{n_steps} steps of {n_agents} agents need as many rows, there are {len(table)}")
    cells = np.full((n_steps, n_agents), NOWHERE, np.int32)
    cells[table[:, 0], table[:, 1]] = grid.cells(table[:, 2:4])
    missing = np.argwhere(cells == NOWHERE)
    if len(missing):
        raise BadPlan(f"the row of agent {missing[0, 1]} in step {missing[0, 0]} is missing")
    if len(names) == len(STEPS):
        return Plan(grid, cells), None
    goals = np.empty(n_agents, np.int32)
    goals[table[:, 1]] = grid.cells(table[:, 4:6])
    return Plan(grid, cells), goals

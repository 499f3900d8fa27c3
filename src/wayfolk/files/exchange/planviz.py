"""PlanViz and the League of Robot Runners: one JSON object with the starts and the actions of all agents.

Places are [row, column]. A plan is written in the action model MAPF, whose moves are R, L, U (the next row), D and W. Also
read is MAPF_T, of robots that turn: F goes on, R and C turn by a quarter, W waits; a turn is a wait here. The properties
are those of the file Input_Output_Format.md of the league's start kit, as of 2023: a task is [number, row, column], and
the events of an agent are [task, step, "assigned" or "finished"].
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadPlan
from wayfolk.files.exchange.letters import letters_of, path_of, plan_of
from wayfolk.files.raw import shown
from wayfolk.kernels.codes import ARRIVE, GOAL
from wayfolk.problem.plan import Plan
from wayfolk.problem.record import Record
from wayfolk.world.grid import Grid

HEADINGS = {"E": (1, 0), "S": (0, 1), "W": (-1, 0), "N": (0, -1)}
CLOCKWISE = "ESWN"


def written(plan: Plan, goals: NDArray[np.int32] | None, record: Record | None) -> str:
    """The plan as the text of a file, with a task for each goal."""
    moves = [",".join(text.upper()) for text in letters_of(plan)]
    starts = plan.grid.places(plan.cells[0]).tolist()
    tasks: list[list[int]] = []
    events: list[list[list[Any]]] = [[] for _ in range(plan.n_agents)]
    if record is not None:
        tasks, events = _tasks(plan, record)
    elif goals is not None:
        rests = plan.rest_steps(goals)
        for agent, (x, y) in enumerate(plan.grid.places(goals).tolist()):
            tasks.append([agent, y, x])
            events[agent].append([agent, 0, "assigned"])
            if plan.cells[-1, agent] == goals[agent]:
                events[agent].append([agent, int(rests[agent]), "finished"])
    content = {
        "actionModel": "MAPF", "version": "2023 LoRR", "AllValid": "Yes", "teamSize": plan.n_agents,
        "start": [[y, x, "E"] for x, y in starts],
        "numTaskFinished": sum(event[2] == "finished" for own in events for event in own),
        "sumOfCost": plan.n_steps * plan.n_agents if goals is None else int(plan.rest_steps(goals).sum()),
        "makespan": plan.n_steps, "actualPaths": moves, "plannerPaths": moves, "plannerTimes": [],
        "errors": [], "events": events, "tasks": tasks,
    }  # fmt: skip
    return json.dumps(content) + "\n"


def _tasks(plan: Plan, record: Record) -> tuple[list[list[int]], list[list[list[Any]]]]:
    """A task for each goal that an agent got during a simulation, and when it was assigned and finished."""
    tasks: list[list[int]] = []
    events: list[list[list[Any]]] = [[] for _ in range(plan.n_agents)]
    for row in np.flatnonzero(np.isin(record.kind, (GOAL, ARRIVE))).tolist():
        agent, step = int(record.agent[row]), round(float(record.time[row]))
        if record.kind[row] == GOAL:
            x, y = plan.grid.place(record.cell[row])
            events[agent].append([len(tasks), step, "assigned"])
            tasks.append([len(tasks), y, x])
        elif events[agent]:
            events[agent].append([events[agent][-1][0], step + 1, "finished"])
    return tasks, events


def read(content: dict[str, Any], grid: Grid) -> tuple[Plan, NDArray[np.int32] | None]:
    """The plan of a file, and the goals if each agent has one task."""
    model = content.get("actionModel")
    if model not in ("MAPF", "MAPF_T"):
        raise BadPlan(f"the actionModel should be MAPF or MAPF_T, not {shown(model)}")
    starts, actions = content.get("start"), content.get("actualPaths")
    if not isinstance(starts, list) or not isinstance(actions, list):
        raise BadPlan("'start' and 'actualPaths' should be lists")
    if len(actions) > len(starts):
        raise BadPlan(f"there are {len(starts)} starts and {len(actions)} actualPaths")
    if content.get("teamSize", len(starts)) != len(starts):
        raise BadPlan(f"the teamSize is {shown(content['teamSize'])}, and there are {len(starts)} starts")
    paths = []
    for agent, (start, text) in enumerate(zip(starts, actions, strict=False)):
        if not isinstance(start, list) or len(start) < 2 or set(map(type, start[:2])) != {int}:
            raise BadPlan(f"the start of agent {agent} should be [row, column, heading], not {shown(start)}")
        if not isinstance(text, str):
            raise BadPlan(f"the actions of agent {agent} should be a text, not {shown(text)}")
        letters = text.replace(",", "").replace(" ", "")
        place = (start[1], start[0])
        turning = model == "MAPF_T"
        paths.append(_turned(letters, place, start, agent) if turning else path_of(letters, place, agent))
    plan = plan_of(grid, paths)
    return plan, _goals(content.get("tasks"), plan)


def _turned(letters: str, place: tuple[int, int], start: list[Any], agent: int) -> list[tuple[int, int]]:
    """The places of a robot that turns: [row, column, heading] is its start."""
    heading = start[2] if len(start) > 2 else "E"
    if not isinstance(heading, str) or heading not in HEADINGS:
        raise BadPlan(f"the heading of agent {agent} should be E, S, W or N, not {shown(heading)}")
    at = CLOCKWISE.index(heading)
    (x, y), places = place, [place]
    for step, letter in enumerate(letters):
        if letter not in "FRCWT":
            raise BadPlan(f"agent {agent}, step {step}: {shown(letter)} is none of the actions F, R, C, W and T")
        if letter == "F":
            dx, dy = HEADINGS[CLOCKWISE[at]]
            x, y = x + dx, y + dy
        at = (at + {"R": 1, "C": -1}.get(letter, 0)) % 4
        places.append((x, y))
    return places


def _goals(tasks: Any, plan: Plan) -> NDArray[np.int32] | None:
    """The goals, if there is a task [number, row, column] for each agent and no more."""
    if not isinstance(tasks, list) or len(tasks) != plan.n_agents:
        return None
    rows = [task[1:] for task in tasks if isinstance(task, list) and len(task) == 3 and set(map(type, task)) == {int}]
    if len(rows) != plan.n_agents:
        return None
    for agent, (y, x) in enumerate(rows):
        if not (0 <= x < plan.grid.width and 0 <= y < plan.grid.height):
            raise BadPlan(f"the task of agent {agent} is at {(x, y)}, outside the map")
    return plan.grid.cells(np.array(rows)[:, ::-1])

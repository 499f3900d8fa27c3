"""mapf-visualizer: a line for each step with the places of all agents, `0:(5,16),(21,29),`.

The solvers of the same author (PIBT, LaCAM) write these lines after `solution=`, below other lines `name=value`. A place
may have a third part, the heading of the robot, which is not used here.
"""

from __future__ import annotations

import re

from wayfolk.errors import BadPlan
from wayfolk.files.exchange.letters import plan_of
from wayfolk.files.raw import shown
from wayfolk.problem.plan import Plan
from wayfolk.world.grid import Grid

NUMBER = r"-?\d{1,9}"
LINE = re.compile(rf"(\d{{1,9}})\s*:\s*((?:\(\s*{NUMBER}\s*,\s*{NUMBER}\s*(?:,\s*\w+\s*)?\)\s*(?:,\s*)?)+)")
PLACE = re.compile(rf"\(\s*({NUMBER})\s*,\s*({NUMBER})")


def written(plan: Plan) -> str:
    """The plan as the text of a file."""
    places = plan.grid.places(plan.cells).tolist()
    return "".join(f"{step}:{''.join(f'({x},{y}),' for x, y in row)}\n" for step, row in enumerate(places))


def read(text: str, grid: Grid) -> Plan:
    """The plan of a file."""
    steps: list[list[tuple[int, int]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip().removeprefix("solution=").strip()
        if not line or re.match(r"[A-Za-z]\w*=", line):
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise BadPlan(f", line {number}: should be a step and its places, 0:(5,16),(21,29), and not {shown(line)}")
        if int(match[1]) != len(steps):
            raise BadPlan(f", line {number}: should be step {len(steps)}, not {match[1]}")
        row = [(int(x), int(y)) for x, y in PLACE.findall(match[2])]
        if steps and len(row) != len(steps[0]):
            raise BadPlan(f", line {number}: there are {len(row)} places, in the step before {len(steps[0])}")
        steps.append(row)
    if not steps:
        raise BadPlan("there are no steps in the file")
    return plan_of(grid, [list(path) for path in zip(*steps, strict=True)])

"""Instances of the League of Robot Runners: a JSON file that names a map, starts and tasks beside it.

The number of a cell in these files is row * width + column. The rules of a year hold for files of that year: `version`
says which, and files without one are of 2023 if they say how tasks are given out (`taskAssignmentStrategy`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from wayfolk.errors import BadScenario
from wayfolk.files.documents import DocumentModel, checked, line_of, parse_json
from wayfolk.files.folders import beside
from wayfolk.files.maps import read_map
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.problem.league import YEARS, Delays, League
from wayfolk.world.grid import Grid, Moves

Count = Annotated[int, Field(strict=True, ge=1, le=1 << 20)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
MOST_TASKS = 1 << 24


class _Delays(DocumentModel):
    seed: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    shortest: Annotated[int, Field(ge=1, le=1 << 30, alias="minDelay")] = 1
    longest: Annotated[int, Field(ge=1, le=1 << 30, alias="maxDelay")] = 1
    event: Annotated[Literal["bernoulli", "poisson"], Field(alias="eventModel")] = "bernoulli"
    chance: Annotated[Share, Field(alias="pDelay")] = 0.0
    duration: Annotated[Literal["uniform", "gaussian"], Field(alias="durationModel")] = "uniform"
    mean: Annotated[Share, Field(alias="gaussMeanRatio")] = 0.5
    deviation: Annotated[float, Field(ge=0.0, le=1e6, alias="gaussStdRatio")] = 0.0


class _Instance(DocumentModel):
    map: Annotated[str, Field(alias="mapFile")]
    agents: Annotated[str, Field(alias="agentFile")]
    tasks: Annotated[str, Field(alias="taskFile")]
    n_robots: Annotated[Count, Field(alias="teamSize")]
    revealed: Annotated[float, Field(gt=0.0, le=1000.0, alias="numTasksReveal")] = 1.0
    version: str = ""
    ticks: Annotated[int, Field(ge=1, le=1000, alias="agentCounter")] = 10
    size: Annotated[float, Field(gt=0.0, le=1.0, alias="agentSize")] = 1.0
    delays: Annotated[_Delays | None, Field(alias="delayConfig")] = None
    assignment: Annotated[
        Literal["greedy", "roundrobin", "roundrobin-fixed"] | None, Field(alias="taskAssignmentStrategy")
    ] = None


def read_lorr(file: File) -> League:
    """The instance in `file`, with the map, the starts and the tasks that it names; all of them lie beside it."""
    data = bytes(read_bytes(file, BadScenario))
    tree = parse_json(file, data)
    if not isinstance(tree, dict) or not {"mapFile", "agentFile", "taskFile"} <= tree.keys():
        raise BadScenario(f"{file}: this is no instance of the League of Robot Runners, which has a mapFile")
    about = checked(file, data, tree, _Instance)
    year = _year(file, data, about)
    if about.delays is not None and about.delays.longest < about.delays.shortest:
        raise BadScenario(f"{file}{line_of(data, ('delayConfig', 'maxDelay'))}: maxDelay is below minDelay")
    grid = read_map(_named(file, data, "mapFile", about.map), Moves.FOUR)
    starts = _starts(_named(file, data, "agentFile", about.agents), grid, about.n_robots)
    tasks = _tasks(_named(file, data, "taskFile", about.tasks), grid, year)
    n_revealed = int(np.float32(about.revealed) * np.float32(1 if year == 2023 else about.n_robots))
    if n_revealed < 1:
        line = line_of(data, ("numTasksReveal",))
        raise BadScenario(f"{file}{line}: numTasksReveal is {about.revealed:g}, with which no task is ever revealed")
    return League(
        grid, starts, tasks, n_revealed, year,
        ticks=about.ticks if year == 2026 else 1,
        size=about.size if year == 2026 else 1.0,
        delays=None if about.delays is None else Delays(**about.delays.model_dump()),
        assignment=about.assignment or "roundrobin",
        name=Path(file).stem,
    )  # fmt: skip


def _year(file: File, data: bytes, about: _Instance) -> int:
    """The year whose rules hold."""
    if not about.version:
        return 2023 if about.assignment is not None else 2024
    years = [year for year in YEARS if re.match(rf"{year}\b", about.version)]
    if not years:
        line = line_of(data, ("version",))
        known = ", ".join(f"{year} LoRR" for year in YEARS)
        raise BadScenario(f"{file}{line}: the version {shown(about.version)} is none of {known}")
    return years[0]


def _named(file: File, data: bytes, key: str, name: str) -> Path:
    """The file that the instance calls `name`."""
    path = beside(file, name)
    if not path.is_file():
        raise BadScenario(f"{file}{line_of(data, (key,))}: there is no file {shown(name)} beside it")
    return path


def _starts(file: Path, grid: Grid, n_robots: int) -> NDArray[np.int32]:
    """Where the robots start: the first `n_robots` of the file."""
    rows, lines = _rows(file, "robots")
    if len(rows) < n_robots:
        raise BadScenario(f"{file}: there are {len(rows)} starts for a teamSize of {n_robots}")
    starts = np.zeros(n_robots, np.int32)
    robot_at: dict[int, int] = {}
    for robot, (row, line) in enumerate(zip(rows[:n_robots], lines[:n_robots], strict=True)):
        if len(row) != 1:
            raise BadScenario(f"{file}, line {line}: a start is one number, not {shown(row)}")
        cell = _cell(file, line, row[0], grid, f"robot {robot} starts")
        if cell in robot_at:
            raise BadScenario(f"{file}, line {line}: robots {robot_at[cell]} and {robot} start at {grid.place(cell)}")
        robot_at[cell] = robot
        starts[robot] = cell
    return starts


def _tasks(file: Path, grid: Grid, year: int) -> list[NDArray[np.int32]]:
    """The errands of each task."""
    rows, lines = _rows(file, "tasks")
    if not rows:
        raise BadScenario(f"{file}: there are no tasks in the file")
    tasks = []
    for number, (row, line) in enumerate(zip(rows, lines, strict=True)):
        if year == 2023 and len(row) != 1:
            raise BadScenario(f"{file}, line {line}: a task of 2023 is one number, not {len(row)}")
        cells = [_cell(file, line, place, grid, f"task {number} has an errand") for place in row]
        tasks.append(np.array(cells, np.int32))
    return tasks


def _rows(file: Path, what: str) -> tuple[list[list[int]], list[int]]:
    """The numbers of each line, and the number of the line; the first one that is no comment says how many there are."""
    rows: list[list[int]] = []
    lines: list[int] = []
    for line, text in enumerate(bytes(read_bytes(file, BadScenario)).splitlines(), 1):
        text = text.strip()
        if not text or text.startswith(b"#"):
            continue
        if not re.fullmatch(rb"\d{1,9}(\s*,\s*\d{1,9})*\s*,?", text) or len(rows) > MOST_TASKS:
            raise BadScenario(f"{file}, line {line}: numbers with commas between them are needed, not {shown(text)}")
        rows.append([int(number) for number in text.rstrip(b",").split(b",")])
        lines.append(line)
    if not rows or len(rows[0]) != 1:
        raise BadScenario(f"{file}: the first line should say how many {what} there are")
    if len(rows) - 1 < rows[0][0]:
        raise BadScenario(
            f"{file}, line {lines[0]}: there should be {rows[0][0]} {what}, and there are {len(rows) - 1}"
        )
    return rows[1 : rows[0][0] + 1], lines[1 : rows[0][0] + 1]


def _cell(file: Path, line: int, number: int, grid: Grid, who: str) -> int:
    """The cell with this number in the League's count."""
    y, x = divmod(number, grid.width)
    if y >= grid.height:
        raise BadScenario(f"{file}, line {line}: {who} at {number}, outside the {grid.width} x {grid.height} map")
    cell = grid.cell((x, y))
    if not grid.is_free(cell):
        raise BadScenario(f"{file}, line {line}: {who} in a wall, at {(x, y)}")
    return cell

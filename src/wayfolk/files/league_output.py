"""What the League's programs write about a run: a JSON file with the actions of all robots and the tasks they had.

    year   actions of a robot                     who had which task
    2023   "F,R,W", one for each step             by the rules of the instance; `events` of each robot repeat it
    2024   as 2023                                `actualSchedule`: "0:3,17:8", from step 0 on task 3
    2026   "[(t,row,column,heading,counter):(F 3,W 1)]", and so on for each segment      as 2024

`read_league_run` reads what the judge needs and leaves out the rest; `write_league_run` writes all that viewers read.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadPlan
from wayfolk.files.raw import File, check_room, read_bytes, shown, write_bytes
from wayfolk.problem.league import ACTIONS, HEADINGS, NO_TASK, SCHEDULED, WAIT, YEARS, League, LeagueRun

SEGMENT = re.compile(r"\[\((\d{1,9}),\d{1,9},\d{1,9},\d,\d{1,9}\):\(([^()\[\]]*)\)\]")
REPEATED = re.compile(r"([FRCWT]) (\d{1,9})")
MOST_STEPS = 1 << 20  # of the clock; the longest runs of the League have some ten thousand
CODES = {letter: ACTIONS.index(letter) for letter in ACTIONS} | {"T": WAIT}  # T is a wait because a program was late


def read_league_run(file: File, league: League) -> LeagueRun:
    """The run in `file`, of robots on the map of `league`."""
    data = read_bytes(file, BadPlan)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as why:
        raise BadPlan(f"{file}: this is not JSON that can be read: {why}") from None
    if not isinstance(content, dict) or content.get("actionModel") != "MAPF_T":
        raise BadPlan(f"{file}: the actionModel should be MAPF_T: this is no output of the League of Robot Runners")
    try:
        return _run(content, league)
    except BadPlan as why:
        raise BadPlan(f"{file}: {why}") from None


def _run(content: dict[str, Any], league: League) -> LeagueRun:
    year = _year(content)
    starts, headings = _starts(_list_of(content, "start"), league)
    texts = _list_of(content, "actualPaths")
    if len(texts) != len(starts):
        raise BadPlan(f"there are {len(starts)} starts and {len(texts)} actualPaths")
    actions = [_actions(text, robot, year) for robot, text in enumerate(texts)]
    longest = max(map(len, actions))
    check_room(longest * len(actions), sum(map(len, actions)))
    table = np.full((longest, len(actions)), WAIT, np.uint8)
    for robot, codes in enumerate(actions):
        table[: len(codes), robot] = codes
    rows: list[tuple[int, int, int]] = []
    if year > 2023:
        schedules = _list_of(content, "actualSchedule")
        if len(schedules) != len(starts):
            raise BadPlan(f"there are {len(starts)} starts and {len(schedules)} rows of actualSchedule")
        for robot, text in enumerate(schedules):
            rows += _scheduled(text, robot)
    schedule = np.array(rows, SCHEDULED)
    held = _delays(content, len(starts)) if year == 2026 else ()
    done = _count(content.get("numTaskFinished"), "numTaskFinished")
    ticks = _count(content.get("agentMaxCounter"), "agentMaxCounter") if year == 2026 else 1
    return LeagueRun(
        year, starts, headings, table, schedule[np.argsort(schedule["step"], kind="stable")], done, ticks, held
    )


def write_league_run(run: LeagueRun, league: League, events: NDArray[np.void], file: File) -> None:
    """Write `run` to `file`, in the format of its year. `events` are the errands that were finished (`judge.league`)."""
    places = league.grid.places(run.starts).tolist()
    starts = [[y, x, HEADINGS[heading]] for (x, y), heading in zip(places, run.headings.tolist(), strict=True)]
    paths = [_written_path(run, league, robot) for robot in range(run.n_robots)]
    content: dict[str, Any] = {
        "actionModel": "MAPF_T", "version": f"{run.year} LoRR", "teamSize": run.n_robots, "start": starts,
        "numTaskFinished": run.n_done, "sumOfCost": run.n_steps * run.n_robots, "makespan": run.n_steps,
        "actualPaths": paths, "plannerPaths": paths, "plannerTimes": run.seconds.tolist(), "errors": [],
    }  # fmt: skip
    content |= _written_2023(league, events) if run.year == 2023 else _written_tasks(run, league, events)
    if run.year == 2026:
        content |= {
            "agentMaxCounter": run.ticks, "outputSegmentSize": max(run.n_steps, 1),
            "delayIntervals": [intervals.tolist() for intervals in run.held],
        }  # fmt: skip
    write_bytes(file, (json.dumps(content) + "\n").encode(), BadPlan)


def _written_tasks(run: LeagueRun, league: League, events: NDArray[np.void]) -> dict[str, Any]:
    """The tasks that were revealed, who had which, and what was done, as of 2024."""
    schedules: list[list[str]] = [[] for _ in range(run.n_robots)]
    for step, robot, task in run.schedule.tolist():
        schedules[robot].append(f"{step}:{-1 if task == NO_TASK else task}")
    written = [",".join(parts) for parts in schedules]
    last = int(run.schedule["task"][run.schedule["task"] != NO_TASK].max(initial=-1))
    return {
        "numPlannerErrors": 0, "numScheduleErrors": 0, "numEntryTimeouts": 0, "scheduleErrors": [],
        "actualSchedule": written, "plannerSchedule": written, "events": [list(row) for row in events.tolist()],
        "tasks": [[task, 0, _errands(league, task)] for task in range(last + 1)],
    }  # fmt: skip


def _written_2023(league: League, events: NDArray[np.void]) -> dict[str, Any]:
    """The tasks that were finished, with an event for each, as of 2023."""
    own: list[list[list[Any]]] = [[] for _ in range(league.n_robots)]
    for step, robot, task, _ in events.tolist():
        own[robot].append([task, step, "finished"])
    tasks = sorted({int(task) for task in events["task"]})
    return {"AllValid": "Yes", "events": own, "tasks": [[task, *_errands(league, task)[:2]] for task in tasks]}


def _errands(league: League, task: int) -> list[int]:
    """The rows and columns of a task's errands, one after another."""
    return [int(number) for x, y in league.grid.places(league.errands(task)) for number in (y, x)]


def _written_path(run: LeagueRun, league: League, robot: int) -> str:
    codes = run.actions[:, robot]
    if run.year != 2026:
        return ",".join(ACTIONS[code] for code in codes.tolist())
    ends = np.flatnonzero(np.append(np.diff(codes) != 0, True)) if len(codes) else np.zeros(0, np.int64)
    lasts = np.diff(ends, prepend=-1)
    parts = [f"{ACTIONS[codes[end]]} {n}" for end, n in zip(ends.tolist(), lasts.tolist(), strict=True)]
    x, y = league.grid.place(int(run.starts[robot]))
    return f"[(0,{y},{x},{run.headings[robot]},0):({','.join(parts)})]"


def _year(content: dict[str, Any]) -> int:
    version = content.get("version", "2023")
    for year in YEARS:
        if isinstance(version, str) and version.startswith(str(year)):
            return year
    raise BadPlan(f"the version {shown(version)} is none of {', '.join(map(str, YEARS))}")


def _list_of(content: dict[str, Any], name: str) -> list[Any]:
    value = content.get(name)
    if not isinstance(value, list) or not value:
        raise BadPlan(f"{name!r} should be a list with something for each robot, not {shown(value)}")
    return value


def _starts(rows: list[Any], league: League) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """Cells and headings."""
    cells, headings = np.zeros(len(rows), np.int32), np.zeros(len(rows), np.int8)
    for robot, row in enumerate(rows):
        fits = isinstance(row, list) and len(row) == 3 and set(map(type, row[:2])) == {int} and row[2] in list(HEADINGS)
        if not fits or not (0 <= row[0] < league.grid.height and 0 <= row[1] < league.grid.width):
            raise BadPlan(f"the start of robot {robot} should be [row, column, heading] on the map, not {shown(row)}")
        cells[robot], headings[robot] = league.grid.cell((row[1], row[0])), HEADINGS.index(row[2])
    return cells, headings


def _actions(text: Any, robot: int, year: int) -> NDArray[np.uint8]:
    """The actions of a robot, as codes."""
    if not isinstance(text, str):
        raise BadPlan(f"the actions of robot {robot} should be a text, not {shown(text)}")
    if year != 2026:
        letters = text.replace(",", "").replace(" ", "")
        strange = re.search("[^FRCWT]", letters)
        if strange:
            raise BadPlan(f"robot {robot}, step {strange.start()}: {shown(strange[0])} is none of F, R, C, W and T")
        return np.array([CODES[letter] for letter in letters], np.uint8)
    codes: list[int] = []
    lasts: list[int] = []
    at = n_steps = 0
    for segment in SEGMENT.finditer(text):
        if segment.start() != at or int(segment[1]) != n_steps:
            break
        at = segment.end()
        for part in filter(None, segment[2].split(",")):
            repeated = REPEATED.fullmatch(part)
            if not repeated or n_steps + int(repeated[2]) > MOST_STEPS:
                raise BadPlan(f"robot {robot}, step {n_steps}: an action is like 'F 3', not {shown(part)}")
            codes.append(CODES[repeated[1]])
            lasts.append(int(repeated[2]))
            n_steps += lasts[-1]
    if at != len(text):
        raise BadPlan(f"robot {robot}, step {n_steps}: a segment should begin here, not {shown(text[at : at + 40])}")
    return np.repeat(np.array(codes, np.uint8), lasts)


def _scheduled(text: Any, robot: int) -> list[tuple[int, int, int]]:
    """The rows of the schedule of a robot."""
    if not isinstance(text, str):
        raise BadPlan(f"the actualSchedule of robot {robot} should be a text, not {shown(text)}")
    rows = []
    for part in filter(None, text.split(",")):
        if not re.fullmatch(r"\d{1,9}:(-1|\d{1,9})", part):
            raise BadPlan(f"robot {robot}: a row of its schedule is like '17:8', not {shown(part)}")
        step, task = map(int, part.split(":"))
        rows.append((step, robot, NO_TASK if task < 0 else task))
    return rows


def _delays(content: dict[str, Any], n_robots: int) -> list[NDArray[np.int32]]:
    """The intervals in which each robot was delayed."""
    given = content.get("delayIntervals", [[] for _ in range(n_robots)])
    if not isinstance(given, list) or len(given) != n_robots:
        raise BadPlan("delayIntervals should have a list for each robot")
    held = []
    for robot, intervals in enumerate(given):
        fits = isinstance(intervals, list) and all(
            isinstance(pair, list)
            and len(pair) == 2
            and set(map(type, pair)) == {int}
            and 0 <= pair[0] <= pair[1] < 1 << 31
            for pair in intervals
        )
        if not fits:
            raise BadPlan(f"the delayIntervals of robot {robot} should be pairs of steps, not {shown(intervals)}")
        held.append(np.array(intervals, np.int32).reshape(-1, 2))
    return held


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise BadPlan(f"{name} should be a whole number, not {shown(value)}")
    return value

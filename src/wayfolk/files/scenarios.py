"""Moving AI scenario files: starts and goals of many agents, or many queries of one.

Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem, BadScenario, NotSupported
from wayfolk.files.raw import File, read_bytes, shown, write_bytes
from wayfolk.problem.problem import Problem, agents_of, one_shot
from wayfolk.world.grid import Grid

FIELDS = ("bucket", "map", "map width", "map height", "start x", "start y", "goal x", "goal y", "length")
PAIR = re.compile(rb"\s*(\d{1,9})\s+(\S+)\s+(\d{1,9})\s+(\d{1,9})" + rb"\s+(-?\d{1,9})" * 4 + rb"\s+(\S+)\s*")


def read_scen(file: File, grid: Grid, agents: int | None = None) -> Problem:
    """The first `agents` rows of a scenario (all, if None), one goal each. The built-in map "rooms" has one, "rooms"."""
    rows = _pairs(file, grid, agents)
    starts, goals = rows.places[:, :2], rows.places[:, 2:]
    for what, places in (("starts", starts), ("has a goal", goals)):
        outside = ~_inside(grid, places)
        if outside.any():
            agent = int(outside.argmax())
            x, y = places[agent]
            raise BadScenario(
                f"{file}, line {rows.lines[agent]}: agent {agent} {what} at ({x}, {y}), "
                f"outside the {grid.width} x {grid.height} map"
            )
    try:
        return one_shot(grid, starts, goals, name=Path(file).stem)
    except BadProblem as why:
        line = f", line {rows.lines[why.agent]}" if why.agent is not None else ""
        raise BadScenario(f"{file}{line}: {why}") from None


@dataclass(frozen=True, eq=False)
class Queries:
    """Single-agent searches: from `starts[k]` to `goals[k]`, `lengths[k]` long at best, from line `lines[k]`.

    `skipped` rows had an end in a wall or outside the map.
    """

    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    lengths: NDArray[np.float64]
    lines: NDArray[np.int64]
    skipped: int

    def __repr__(self) -> str:
        return f"Queries({len(self)} queries, {self.skipped} skipped)"

    def __len__(self) -> int:
        return len(self.starts)


def read_queries(file: File, grid: Grid) -> Queries:
    """The queries in a scenario file: its rows whose start and goal are both free."""
    rows = _pairs(file, grid, None)
    starts, goals = rows.places[:, :2], rows.places[:, 2:]
    usable = _inside(grid, starts) & _inside(grid, goals)
    for places in (starts, goals):
        usable[usable] = grid.free[places[usable, 1], places[usable, 0]]
    return Queries(
        starts=grid.cells(starts[usable]),
        goals=grid.cells(goals[usable]),
        lengths=rows.lengths[usable],
        lines=rows.lines[usable],
        skipped=int((~usable).sum()),
    )


def write_scen(problem: Problem, file: File, lengths: ArrayLike | None = None) -> None:
    """Write starts and goals as a scenario file.

    `lengths` are those of the shortest paths. Without them all are 0, which is enough for agents; in queries, a length of 0
    means that there is no path.
    """
    grid = problem.grid
    name = f"{grid.name or 'unnamed'}.map"
    if not problem.is_one_shot:
        raise NotSupported(f"{file}: a scenario file holds one goal for each agent, this is {problem!r}")
    if name.split() != [name]:
        raise NotSupported(f"{file}: a scenario file cannot hold a map name with white space in it, as {name!r} has")
    known = np.zeros(problem.n_agents) if lengths is None else np.asarray(lengths, dtype=np.float64)
    if known.shape != (problem.n_agents,):
        raise BadScenario(f"{file}: {problem.n_agents} agents need as many lengths, not the shape {known.shape}")
    wrong = ~(np.isfinite(known) & (known >= 0))
    if wrong.any():
        raise BadScenario(f"{file}: the length of agent {wrong.argmax()} is {known[wrong.argmax()]}")
    ends = np.hstack([grid.places(problem.starts), grid.places(problem.goals)]).tolist()
    lines = ["version 1"]
    for (x, y, goal_x, goal_y), length in zip(ends, known.tolist(), strict=True):
        fields = (int(length // 4), name, grid.width, grid.height, x, y, goal_x, goal_y, f"{length:.8f}")
        lines.append("\t".join(map(str, fields)))
    write_bytes(file, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"), BadScenario)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Rows of a scenario: `places` are start x, start y, goal x, goal y."""

    places: NDArray[np.int64]
    lengths: NDArray[np.float64]
    lines: NDArray[np.int64]


def _found(file: File) -> File:
    """The file to read: that of the built-in scenario, if `file` is the name of one."""
    if Path(file).suffix:
        return file
    from wayfolk.files.built_in import file_of

    return file_of(file, "scenarios")


def _pairs(file: File, grid: Grid, agents: int | None) -> _Pairs:
    """The first rows of a scenario that is for `grid`."""
    head, *rest = read_bytes(_found(file), BadScenario).split(b"\n")
    if head.split() not in ([b"version", b"1"], [b"version", b"1.0"]):
        raise BadScenario(f"{file}, line 1: should be 'version 1', not {shown(head)}")
    numbered = [(number, line) for number, line in enumerate(rest, 2) if line.strip()]
    if not numbered:
        raise BadScenario(f"{file}: there are no rows after line 1")
    try:
        numbered = numbered[: agents_of(numbered, agents, "it")]
    except BadProblem as why:
        raise BadScenario(f"{file}: {why}") from None
    ends, lengths, known = [], [], None
    for number, line in numbered:
        row = PAIR.fullmatch(line)
        length = _length(row[9]) if row else None
        if row is None or length is None:
            raise BadScenario(f"{file}, line {number}: {_mistake(bytes(line))}")
        _, name, width, height, *places, _ = row.groups()
        if (name, width, height) != known:
            _check_map(f"{file}, line {number}", grid, name, int(width), int(height))
            known = name, width, height
        ends.append(places)
        lengths.append(length)
    return _Pairs(
        places=np.array(ends).astype(np.int64),
        lengths=np.array(lengths),
        lines=np.array([number for number, _ in numbered], np.int64),
    )


def _length(field: bytes) -> float | None:
    try:
        length = float(field)
    except ValueError:
        return None
    return length if 0 <= length < float("inf") else None


def _mistake(line: bytes) -> str:
    """What is wrong with a row."""
    fields = line.split()
    if len(fields) != len(FIELDS):
        return f"there are {len(fields)} fields, there should be {len(FIELDS)}: {shown(line.strip())}"
    for k, (name, field) in enumerate(zip(FIELDS, fields, strict=True)):
        sign = b"-?" if k in (4, 5, 6, 7) else b""
        if k == 8 and _length(field) is None:
            return f"the {name} must be a number of 0 or more, not {shown(field)}"
        if k not in (1, 8) and not re.fullmatch(sign + rb"\d{1,9}", field):
            return f"the {name} must be a whole number of at most 9 digits, not {shown(field)}"
    raise AssertionError("a row that is right was called wrong")


def _check_map(where: str, grid: Grid, name: bytes, width: int, height: int) -> None:
    """Raise if a row is for another map than `grid`."""
    base = name.decode("utf-8", "surrogateescape").replace("\\", "/").rpartition("/")[2]
    if grid.name and grid.name not in (base, PurePosixPath(base).stem):
        raise BadScenario(f"{where}: the scenario is for the map {shown(base)}, not for {shown(grid.name)}")
    if (width, height) != (grid.width, grid.height):
        raise BadScenario(
            f"{where}: the scenario is for a map of {width} x {height} cells, this one has {grid.width} x {grid.height}"
        )


def _inside(grid: Grid, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray(((places >= 0) & (places < (grid.width, grid.height))).all(1))

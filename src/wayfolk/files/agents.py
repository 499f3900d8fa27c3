"""Starts and goals of agents in any world, and their bodies, as CSV, JSON, YAML or XML. docs/formats.md describes them.

start,goal,radius                        a place is the name of a node or a station, or numbers such as "3 4"
dock,shelf 7,0.3

[{"start": "dock", "goal": "shelf 7", "radius": 0.3}, {"start": [1, 2], "goal": [4, 4], "size": 2}]

A body that turns may start with a heading, as in "3 4 N". Of YAML files as libMultiRobotPlanning has them, the list
`agents` is read; of the XML files of Continuous-CBS, the numbers of nodes, or the columns i and the rows j of cells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wayfolk.errors import BadInput, BadProblem, BadScenario, hint
from wayfolk.files.csv_rows import csv_rows
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.problem.problem import Problem, agents_of, one_shot
from wayfolk.world.body import POINT, Body
from wayfolk.world.grid import Grid
from wayfolk.world.tiling import Tiling

if TYPE_CHECKING:
    from wayfolk.world.graph import Graph

    World = Grid | Graph

SUFFIXES = (".csv", ".json", ".yaml", ".yml", ".xml")
BODY = ("size", "radius", "turns", "speed")
NUMBERS = re.compile(r"-?\d{1,9}([ ,;]+-?\d{1,9}){1,2}([ ,;]+[NESW]{1,2})?")
MOST_HINTS = 10_000  # names of nodes among which a similar one is looked for
MOST_NAMES = 20  # that a message lists


class Row(NamedTuple):
    """An agent of a file: where it is in the file, its start and goal as written, and what is said about its body."""

    where: str
    start: Any
    goal: Any
    body: dict[str, Any]


def read_agents(file: File, world: World, agents: int | None = None, bodies: list[Body] | None = None) -> Problem:
    """The first `agents` of a file (all, if None), one goal each.

    Their `bodies` are those of the file; those about which it says nothing have the ones of the list, or are points.
    """
    suffix = Path(file).suffix.lower()
    if suffix not in SUFFIXES:
        raise BadScenario(f"{file}: agents are in a file that ends in {', '.join(SUFFIXES)}")
    data = bytes(read_bytes(file, BadScenario))
    try:
        rows = list(READERS[suffix](file, data))
        if not rows:
            raise BadInput("there are no agents in the file")
        rows = rows[: agents_of(rows, agents, "it")]
        given = bodies or [POINT] * len(rows)
        if len(given) != len(rows):
            raise BadProblem(f"there are {len(rows)} agents and {len(given)} bodies")
        listed = [_body(row, body) for row, body in zip(rows, given, strict=True)]
        starts = [place_in(world, row.start, row.where) for row in rows]
        goals = [place_in(world, row.goal, row.where) for row in rows]
        is_plain = isinstance(world, Grid) and all(body.is_point for body in listed)
        return one_shot(world, starts, goals, bodies=None if is_plain else listed, name=Path(file).stem)
    except BadProblem as why:
        where = f"{rows[why.agent].where}: " if why.agent is not None and rows[why.agent].where else ""
        raise BadScenario(_joined(file, f"{where}{why}")) from None
    except BadInput as why:
        raise BadScenario(_joined(file, str(why))) from None


def place_in(world: World, value: Any, where: str = "") -> Any:
    """The place of `world` that `value` means: a name, numbers, or a station, which stands for its first place."""
    unknown = ""
    if isinstance(value, str):
        value = value.strip()
        unknown = f"there is no place and no station {shown(value)} in {world!r}"
        for name in (value, int(value) if re.fullmatch(r"-?\d{1,9}", value) else value):
            if _knows(world, name):
                return name
        stations = getattr(world, "stations", {})
        if stations.get(value):
            return world.place(int(stations[value][0])) if isinstance(world, Grid) else stations[value][0]
        if NUMBERS.fullmatch(value) is None:
            said = unknown + _similar(world, value)
            raise BadInput(f"{where}: {said}" if where else said)
        value = [word if word.isalpha() else int(word) for word in re.split(r"[ ,;]+", value)]
    place = tuple(value) if isinstance(value, list) else value
    try:
        if isinstance(place, NodeNumber):
            return world.place(range(world.n_cells)[place])
        has_heading = isinstance(place, tuple) and len(place) == 3 and isinstance(place[2], str)
        world.cell(place[:2] if has_heading else place)
    except IndexError:
        raise BadInput(f"{where}: there is no node {value}: they are 0 to {world.n_cells - 1}") from None
    except (BadInput, TypeError, ValueError) as why:
        is_named = bool(unknown) and not isinstance(world, Grid | Tiling)
        said = (
            unknown
            if is_named
            else str(why)
            if isinstance(why, BadInput)
            else f"a place of {world!r} is not {shown(value)}"
        )
        raise BadInput(f"{where}: {said}" if where else said) from None
    return place


def _similar(world: World, name: str) -> str:
    """The end of a message about a place that is not there: one that is called nearly so."""
    known = [each for each in getattr(world, "names", ())[:MOST_HINTS] if isinstance(each, str)]
    known += getattr(world, "stations", {})
    similar = hint(name, known)
    return similar if len(known) <= MOST_NAMES or "did you mean" in similar else ""


def _knows(world: World, name: Any) -> bool:
    """Whether a node of a graph is called so."""
    try:
        return not isinstance(world, Grid) and world.cell(name) >= 0
    except BadInput:
        return False


def _joined(file: File, said: str) -> str:
    return said if said.startswith(str(file)) else f"{file}{said}" if said.startswith(", line") else f"{file}: {said}"


def _body(row: Row, given: Body) -> Body:
    """The body of an agent: what the file says, else that of the list."""
    if not row.body:
        return given
    try:
        return Body(**row.body)
    except BadInput as why:
        raise BadInput(f"{row.where}: {why}") from None


def _from_csv(file: File, data: bytes) -> Iterator[Row]:
    table = csv_rows(_text(data))
    head = [name.strip().lower() for name in next(table, (1, []))[1]]
    for name in ("start", "goal"):
        if name not in head:
            raise BadInput(f", line 1: the column {name!r} is missing; there are {', '.join(head) or 'none'}")
    for line, row in table:
        if not any(field.strip() for field in row):
            continue
        if len(row) != len(head):
            raise BadInput(f", line {line}: there are {len(row)} fields, the first line has {len(head)}")
        fields = dict(zip(head, row, strict=True))
        try:
            said = {name: body_value(name, fields[name]) for name in BODY if fields.get(name, "").strip()}
        except BadInput as why:
            raise BadInput(f", line {line}: {why}") from None
        yield Row(f", line {line}", fields["start"], fields["goal"], said)


def _from_json(file: File, data: bytes) -> Iterator[Row]:
    try:
        content = json.loads(_text(data))
    except json.JSONDecodeError as why:
        raise BadInput(f", line {why.lineno}: not JSON: {why.msg.removesuffix(' at')}") from None
    except (RecursionError, ValueError):
        raise BadInput("not JSON that can be read") from None
    yield from _from_list(content)


def _from_yaml(file: File, data: bytes) -> Iterator[Row]:
    from wayfolk.files.documents import parse

    yield from _from_list(parse(file, data))


def _from_list(content: Any) -> Iterator[Row]:
    """The agents of a list, or of the list `agents` of a table."""
    listed = content.get("agents") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise BadInput(f"the agents should be a list, not {shown(listed)}")
    for k, entry in enumerate(listed):
        if not isinstance(entry, dict) or "start" not in entry or "goal" not in entry:
            raise BadInput(f"agent {k} should be a table with a start and a goal, not {shown(entry)}")
        said = {name: entry[name] for name in BODY if name in entry}
        if not isinstance(said.get("turns", False), bool):
            raise BadInput(f"agent {k} turns or not: true or false, not {shown(said['turns'])}")
        yield Row(f"agent {k}", entry["start"], entry["goal"], said)


class NodeNumber(int):
    """The number of a node, for files that do not name nodes."""


def _from_xml(file: File, data: bytes) -> Iterator[Row]:
    from wayfolk.files.markup import check_xml

    found: list[tuple[dict[str, str], int]] = []

    def element(name: str, attributes: dict[str, str], line: int) -> None:
        if name == "agent":
            found.append((attributes, line))

    check_xml(file, data, element)
    for attributes, line in found:
        ends: list[Any] = []
        for end in ("start", "goal"):
            numbers = [attributes.get(f"{end}_{part}") for part in ("id", "i", "j")]
            if not all(number is None or re.fullmatch(r"\d{1,9}", number) for number in numbers):
                raise BadInput(f", line {line}: the {end} of an agent is whole numbers, not {shown(attributes)}")
            number, column, row = (None if text is None else int(text) for text in numbers)
            if number is None and (column is None or row is None):
                raise BadInput(f", line {line}: an agent has {end}_id, or {end}_i and {end}_j, not {shown(attributes)}")
            ends.append([column, row] if number is None else NodeNumber(number))
        yield Row(f", line {line}", ends[0], ends[1], {})


def body_value(name: str, text: str) -> Any:
    """The value of a body's `size`, `radius`, `turns` or `speed` that a text means."""
    text = text.strip().lower()
    if name == "turns":
        if text not in ("true", "false", "yes", "no", "1", "0"):
            raise BadInput(f"a body turns or not: true or false, not {shown(text)}")
        return text in ("true", "yes", "1")
    try:
        if name == "size":
            return int(text)
        top, slash, bottom = text.partition("/")
        return float(top) / float(bottom) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise BadInput(f"the {name} of a body is a number, not {shown(text)}") from None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("the file is not text in UTF-8") from None


READERS = {".csv": _from_csv, ".json": _from_json, ".yaml": _from_yaml, ".yml": _from_yaml, ".xml": _from_xml}

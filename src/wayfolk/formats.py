"""Files: Moving AI maps and scenarios, drawings, images and plans.

Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012.

A file is read whole, checked, and only then turned into arrays: nothing is allocated because a header says so. Whatever
is wrong is told in one sentence that begins with the file as the caller named it, then line and offender. Writers make
a temporary file beside the target and rename it, so a reader never sees half a file.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadMap, BadProblem, BadScenario, NotSupported
from wayfolk.grid import MAX_CELLS, OPEN_EAST, OPEN_SOUTH, Grid, Moves
from wayfolk.plan import Plan
from wayfolk.problem import Problem, agents_of, one_shot

File = str | os.PathLike[str]

IMAGES = frozenset((".png", ".gif", ".bmp", ".pgm", ".pbm", ".ppm", ".pnm", ".tif", ".tiff", ".jpg", ".jpeg", ".webp"))
MAX_BYTES = 1 << 30  # no map, scenario or plan that fits in memory is larger
NEWLINE, RETURN = 10, 13

BAD, SLOPE, FREE, BLOCKED = 255, 2, 1, 0  # what a letter stands for; SLOPE is a bit
FIELDS = ("bucket", "map", "map width", "map height", "start x", "start y", "goal x", "goal y", "length")
PAIR = re.compile(rb"\s*(\d{1,9})\s+(\S+)\s+(\d{1,9})\s+(\d{1,9})" + rb"\s+(-?\d{1,9})" * 4 + rb"\s+(\S+)\s*")


def _codes(letters: Mapping[bytes, int]) -> NDArray[np.uint8]:
    table = np.full(256, BAD, np.uint8)
    for group, code in letters.items():
        table[list(group)] = code
    return table


OCTILE = _codes({b".GS": FREE, b"@OTW": BLOCKED})
CORNER = _codes({b".GS": FREE, b"@OTW": BLOCKED, b"gs": FREE | SLOPE, b"otw": BLOCKED | SLOPE})
HEIGHTS = _codes({b"%d" % digit: digit for digit in range(10)})
DRAWING = _codes({b". ": FREE, b"#@": BLOCKED})


def read_map(file: File, moves: str | Moves = Moves.EIGHT) -> Grid:
    """The map in `file`: Moving AI `octile` or `octile-corner`, an image (bright is free), or a `.txt` drawing."""
    moves, kind = Moves.of(moves), Path(file).suffix.lower()
    data = read_bytes(file, BadMap)
    name = Path(file).stem
    if kind in IMAGES:
        from wayfolk.images import read_image

        return Grid(read_image(file, data), moves, name=name)
    if kind == ".txt" and not data.startswith(b"type"):
        return Grid(_drawn(data.decode("utf-8", "replace"), str(file)), moves, name=name)
    where = str(file)
    is_corner, height, width, body = _header(data, where)
    rows = _rows(np.frombuffer(body, np.uint8), height * (1 + is_corner), width, where, 5)
    if not is_corner:
        return Grid(_codes_of(rows, OCTILE, where, 5), moves, name=name)
    heights = _codes_of(rows[:height], HEIGHTS, where, 5)
    tiles = _codes_of(rows[height:], CORNER, where, 5 + height)[:-1, :-1]  # the last ones each way are padding
    return Grid(tiles & FREE, moves, links=_links(heights, tiles & SLOPE > 0), name=name)


def parse_ascii(text: str, moves: str | Moves = Moves.EIGHT) -> Grid:
    """The grid drawn in `text`: `.` and space are free, `#` and `@` blocked.

    A text that begins with a new line is a block in a program: its indentation and the line of the closing quotes are
    taken away, so a free cell at the left edge of such a block is better drawn as a dot.
    """
    return Grid(_drawn(text, "drawing"), moves)


def ascii_map(grid: Grid) -> str:
    """A drawing of `grid` that `parse_ascii` reads: `.` is free, `#` blocked; cliffs and costs are not drawn."""
    return _drawing(grid.free, b"#.").decode()


def write_map(grid: Grid, file: File) -> None:
    """Write `grid` as an image, if `file` is named like one, or as an `octile` map."""
    if grid.links is not None and (grid.legal != Grid(grid.free, grid.moves).legal).any():
        raise NotSupported(f"{file}: a map file cannot hold the cliffs of this grid; a plan file can")
    if grid.costs is not None and (grid.costs != 1.0).any():
        raise NotSupported(f"{file}: a map file cannot hold the costs of this grid; a plan file can")
    if Path(file).suffix.lower() in IMAGES:
        from wayfolk.images import image_bytes

        write_bytes(file, image_bytes(file, grid.free), BadMap)
    else:
        header = b"type octile\nheight %d\nwidth %d\nmap\n" % grid.free.shape
        write_bytes(file, header + _drawing(grid.free, b"@.") + b"\n", BadMap)


def read_scen(file: File, grid: Grid, agents: int | None = None) -> Problem:
    """The first `agents` rows of a scenario (all, if None), one goal each."""
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

    def __len__(self) -> int:
        return len(self.starts)


def read_queries(file: File, grid: Grid) -> Queries:
    """The rows of a scenario whose ends are both free, each a search of its own."""
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
    """Write starts and goals as a scenario; a length of 0, for all without `lengths`, means that it is not known."""
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


def read_plan(file: File) -> tuple[Plan, NDArray[np.int32] | None]:
    """The plan in `file`, legal or not, and its agents' goals if they were saved."""
    from wayfolk import plan_file

    return plan_file.read(file)


def write_plan(plan: Plan, file: File, goals: ArrayLike | None = None) -> None:
    """Write `plan` and the cells of its `goals`: `.npz` is small, any other name means readable JSON."""
    from wayfolk import plan_file

    plan_file.write(plan, file, goals)


def read_bytes(file: File, error: type[BadInput]) -> bytearray:
    """All of `file`, which must not be empty; what the system objects to is raised as `error`."""
    data = bytearray()
    try:
        with open(file, "rb") as stream:
            while chunk := stream.read(1 << 20):
                data += chunk
                if len(data) > MAX_BYTES:  # a device may never end
                    raise error(f"{file}: the file is larger than {MAX_BYTES} bytes")
    except (OSError, ValueError) as why:
        raise error(f"{file}: cannot be read: {reason(why)}") from None
    if not data:
        raise error(f"{file}: the file is empty")
    return data


def write_bytes(file: File, data: bytes, error: type[BadInput]) -> None:
    """Replace `file` by `data` at once, or leave everything as it was and raise `error`."""
    try:
        target = Path(file)
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)  # a pipe or a device cannot be replaced
            return
        target = Path(os.path.realpath(file))
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with open(temporary, "xb") as stream:
                stream.write(data)
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as why:
        raise error(f"{file}: cannot be written: {reason(why)}") from None


def reason(why: Exception) -> str:
    """What happened, without the number and the file name that an OSError adds."""
    return (isinstance(why, OSError) and why.strerror) or str(why) or type(why).__name__


def shown(offender: object) -> str:
    """The offender in quotes, cut to a length that fits a sentence; a list or an object only by its size."""
    if isinstance(offender, list | dict) and len(offender) > 4:
        return f"a {type(offender).__name__} of {len(offender)} items"
    text = offender[:99].decode("utf-8", "replace") if isinstance(offender, bytes | bytearray) else str(offender)
    quoted = ascii(text[:99])
    return quoted if len(quoted) <= 42 else f"{quoted[:38]}...{quoted[0]}"


def _header(data: bytearray, where: str) -> tuple[bool, int, int, bytearray]:
    """Whether the map is an octile-corner one, its height and width, and its rows."""
    parts = data.split(b"\n", 4)
    parts += [bytearray()] * (5 - len(parts))
    kind, *sizes, end = (line.split() for line in parts[:4])
    if kind not in ([b"type", b"octile"], [b"type", b"octile-corner"]):
        raise BadMap(f"{where}, line 1: should be 'type octile' or 'type octile-corner', not {shown(parts[0])}")
    is_corner = kind[1] == b"octile-corner"
    least = 2 if is_corner else 1  # a tile has two corners each way
    found: dict[str, int] = {}
    for line, words in enumerate(sizes, 2):
        key = words[0].decode("utf-8", "replace") if len(words) == 2 else ""
        if key not in ("height", "width") or key in found:
            raise BadMap(f"{where}, line {line}: should give the height or the width, not {shown(parts[line - 1])}")
        if not (words[1].isdigit() and len(words[1]) <= 12 and least <= int(words[1]) <= MAX_CELLS):
            raise BadMap(f"{where}, line {line}: the {key} must be from {least} to {MAX_CELLS}, not {shown(words[1])}")
        found[key] = int(words[1])
    height, width = found["height"], found["width"]
    if height * width > MAX_CELLS:
        raise BadMap(f"{where}, line 3: a map of {width} x {height} cells is larger than the {MAX_CELLS} this can hold")
    if end != [b"map"]:
        raise BadMap(f"{where}, line 4: should be 'map', not {shown(parts[3])}")
    return is_corner, height, width, parts[4].rstrip()


def _rows(text: NDArray[Any], height: int, width: int, where: str, first: int) -> NDArray[Any]:
    """The characters `[y, x]` of a `text` of equally long lines; its first one is line `first` of the file."""
    ends = np.append(np.flatnonzero(text == NEWLINE), len(text))
    lengths = np.diff(ends, prepend=-1) - 1
    n_rows = len(ends) if len(text) else 0
    kept = text != NEWLINE
    closed = np.flatnonzero((lengths > 0) & (text[ends - 1] == RETURN)) if n_rows else ends[:0]
    kept[ends[closed] - 1] = False  # Windows ends a line with two characters
    lengths[closed] -= 1
    wrong = lengths[: min(n_rows, height)] != width
    if wrong.any():
        row = int(wrong.argmax())
        raise BadMap(f"{where}, line {first + row}: the row has {lengths[row]} characters, it should have {width}")
    if n_rows < height:
        raise BadMap(f"{where}, line {first + n_rows}: the map ends after {n_rows} of its {height} rows")
    if n_rows > height:
        raise BadMap(f"{where}, line {first + height}: there are {n_rows} rows, there should be {height}")
    rows: NDArray[Any] = text[kept].reshape(height, width)
    return rows


def _codes_of(rows: NDArray[Any], codes: NDArray[np.uint8], where: str, first: int) -> NDArray[np.uint8]:
    """What each character stands for."""
    found: NDArray[np.uint8] = codes[np.minimum(rows, BAD)]
    if (found == BAD).any():
        y, x = np.argwhere(found == BAD)[0].tolist()
        letter = ascii(chr(int(rows[y, x])))
        raise BadMap(f"{where}, line {first + y}, column {x + 1}: the character {letter} means nothing here")
    return found


def _links(heights: NDArray[np.uint8], is_slope: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    """Between which tiles there is no cliff, from the heights of corners; None if there are no cliffs at all.

    A slope keeps the heights of its corners, any other tile is as high as its north-west one. Tiles connect if their
    heights agree at both ends of their common edge.
    """
    flat = heights[:-1, :-1]
    north_east, south_west, south_east = (
        np.where(is_slope, corner, flat) for corner in (heights[:-1, 1:], heights[1:, :-1], heights[1:, 1:])
    )
    east, south = np.ones_like(is_slope), np.ones_like(is_slope)
    east[:, :-1] = (north_east[:, :-1] == flat[:, 1:]) & (south_east[:, :-1] == south_west[:, 1:])
    south[:-1] = (south_west[:-1] == flat[1:]) & (south_east[:-1] == north_east[1:])
    if east.all() and south.all():
        return None
    return (east * OPEN_EAST | south * OPEN_SOUTH).astype(np.uint8)


def _drawn(text: str, where: str) -> NDArray[np.uint8]:
    """The cells of a drawing."""
    first = 1
    if text.startswith("\n"):
        lines = text.split("\n")[1:]
        if not lines[-1].strip():
            lines.pop()
        margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
        text, first = "\n".join(line[margin:] for line in lines), 2
    text = text.rstrip("\r\n")
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    width = len(text.split("\n", 1)[0].removesuffix("\r"))
    if not width:
        raise BadMap(f"{where}, line {first}: there is nothing drawn")
    return _codes_of(_rows(letters, text.count("\n") + 1, width, where, first), DRAWING, where, first)


def _drawing(free: NDArray[np.bool_], letters: bytes) -> bytes:
    """A line for each row, with the first of `letters` for blocked cells and the second for free ones."""
    text = np.full((free.shape[0], free.shape[1] + 1), NEWLINE, np.uint8)
    text[:, :-1] = np.frombuffer(letters, np.uint8)[free.astype(np.uint8)]
    return text.tobytes()[:-1]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Rows of a scenario: `places` are start x, start y, goal x, goal y."""

    places: NDArray[np.int64]
    lengths: NDArray[np.float64]
    lines: NDArray[np.int64]


def _pairs(file: File, grid: Grid, agents: int | None) -> _Pairs:
    """The first rows of a scenario that is for `grid`."""
    head, *rest = read_bytes(file, BadScenario).split(b"\n")
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

"""What comes with the package: maps made by rules, and files of scenarios, scenes and sweeps, each known by its name.

A name stands for what is built in if there is no file of that name in the current folder: files come first, so a name that
is added later changes nothing for somebody who has such a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from wayfolk.errors import BadInput, BadMap, hint
from wayfolk.files.raw import File
from wayfolk.problem import papers
from wayfolk.world import generate
from wayfolk.world.grid import Grid

NAME = re.compile(r"[\w-]{1,60}")
HOME = Path(__file__).parent
SUFFIXES = {"scenarios": ".scen", "scenes": ".toml", "sweeps": ".toml"}
"""The folders of built-in files, and how their names end."""
MAPS: dict[str, tuple[str, Callable[[], Grid]]] = {
    "rooms": ("Rooms with narrow doors", lambda: generate.rooms(32, 32, 7, seed=1)),
    "empty": ("No walls at all", lambda: Grid(np.ones((24, 32), bool))),
    "maze": ("A maze with corridors one cell wide", lambda: generate.maze(41, 31, 1, seed=2)),
    "random": ("A fifth of all cells are walls", lambda: _random()),
    "warehouse": ("Shelves with aisles between them", lambda: generate.warehouse(5, 10, (8, 2), 2)),
    "two-corridors": ("Two rooms joined by two corridors", lambda: generate.two_rooms(14, 14, 1)),
    "one-corridor": ("Two rooms joined by one corridor one cell wide", lambda: _corridor()),
    "dead-end": ("A dead end between start and goal", lambda: _dead_end()),
    "halls": ("Three halls joined by passages two cells wide", lambda: _halls()),
    "crossing": ("Two wide streets that cross", lambda: _crossing()),
    **{place.name: (place.about, lambda place=place: place.grid)  # type: ignore[misc]
       for place in map(papers.paper_map, papers.names("MAPS"))},
    "large-rooms": ("512 x 512 cells of rooms", lambda: generate.rooms(512, 512, 15, seed=1)),
}  # fmt: skip
"""What each map shows, and the rule that makes it."""


def is_name(file: File) -> bool:
    """Whether `file` is a plain name, without a folder and a suffix, and no file here has it."""
    return NAME.fullmatch(str(file)) is not None and (not Path(file).exists() or Path(file).is_dir())


def named_map(name: File) -> Grid:
    """The built-in map of this name; BadMap if there is none."""
    if str(name) not in MAPS:
        raise BadMap(f"there is no file {name} here, and no built-in map of that name{hint(str(name), MAPS)}")
    return _made(str(name))


@cache
def _made(name: str) -> Grid:
    grid = MAPS[name][1]()
    return Grid(grid.free, grid.moves, name=name)


def names_of(kind: str) -> list[str]:
    """The names of the built-in "scenarios", "scenes" or "sweeps"."""
    return sorted(path.stem for path in (HOME / kind).glob(f"*{SUFFIXES[kind]}"))


def is_built_in(file: File, kind: str) -> bool:
    """Whether `file` is the name of a built-in file of this kind."""
    return is_name(file) and str(file) in names_of(kind)


def check_world(file: File) -> None:
    """Raise BadInput if `file` is a plain name, and neither that of a built-in scene nor that of a built-in map."""
    names = [*names_of("scenes"), *MAPS]
    if is_name(file) and str(file) not in names:
        raise BadInput(
            f"there is no file {file} here, and no built-in scene or map of that name{hint(str(file), names)}"
        )


def file_of(file: File, kind: str) -> Path:
    """The file to read for `file`: the built-in one of this kind if it is a name, else itself; BadInput for other names."""
    if not is_name(file):
        return Path(file)
    names = names_of(kind)
    if str(file) not in names:
        one = kind.removesuffix("s")
        raise BadInput(f"there is no file {file} here, and no built-in {one} of that name{hint(str(file), names)}")
    return HOME / kind / f"{file}{SUFFIXES[kind]}"


def _random() -> Grid:
    return generate.without_islands(generate.random_map(48, 36, 0.2, seed=1))


def _corridor() -> Grid:
    free = np.zeros((11, 33), bool)
    free[1:10, 1:12] = free[1:10, 21:32] = True
    free[5, 12:21] = True
    return Grid(free)


def _halls() -> Grid:
    free = np.zeros((17, 53), bool)
    free[8:10, 1:52] = True
    for left in (1, 19, 37):
        free[1:16, left : left + 15] = True
    return Grid(free)


def _dead_end() -> Grid:
    free = np.ones((25, 41), bool)
    free[4:21, 30] = False
    free[4, 10:31] = free[20, 10:31] = False
    return Grid(free)


def _crossing() -> Grid:
    free = np.zeros((33, 33), bool)
    free[12:21] = True
    free[:, 12:21] = True
    return Grid(free)

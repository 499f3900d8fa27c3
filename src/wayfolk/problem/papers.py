"""What papers add by name: maps with their problems, ways to draw problems, and measures; looked up, never imported from.

A paper is a folder of `experiments/papers`. Its package has tables of names, each with the function of the paper that it
stands for, written `module:function`:

    MAPS        read(name, **settings) -> PaperMap
    PROBLEMS    draw(grid, agents, seed) -> Problem
    MEASURES    of patrols on a map of that name: measure(run) -> numbers by name
    ALGORITHMS  begin(...), as in a foreign package (see `wayfolk.algorithms.foreign`)

A name begins with that of its paper. A table is read when somebody asks for it, a function is imported when it is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfolk.errors import UnknownName, hint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfolk.problem.problem import Problem
    from wayfolk.world.grid import Grid

_PACKAGE = "wayfolk.experiments.papers"
_FOLDER = Path(__file__).parents[1] / "experiments" / "papers"


@dataclass(frozen=True, eq=False)
class PaperMap:
    """A map of a paper, and how the paper draws problems on it.

    `zones` are masks of the two parts of the map between which agents go, None where they go anywhere. `rule` is that by
    which moves teach a direction map in the paper (see `DirectionMap`).
    """

    name: str
    grid: Grid
    about: str
    draw: Callable[..., Problem]
    zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None
    rule: str = "text"

    def __repr__(self) -> str:
        return f"PaperMap({self.grid!r}, {'with' if self.zones else 'without'} zones)"

    def problem(self, agents: int, **settings: Any) -> Problem:
        """The problem of the paper on this map for so many agents."""
        return self.draw(self, agents, **settings)


def paper_map(name: str, **settings: Any) -> PaperMap:
    """Return the map of a paper: 'jansen-a' to 'jansen-d' are those of Figure 4.2 of Jansen's direction maps."""
    place: PaperMap = registered("MAPS", name, "map")(name, **settings)
    return place


def paper_problem(name: str, agents: int = 100, *, seed: int = 0, **settings: Any) -> Problem:
    """Return the problem that a paper has on its map `name`, for so many agents.

    On Jansen's maps agents walk from one place to another and back, `loops` times (20). On maps with zones the first half
    of the agents begins on the left and the second half on the right; with `sides="left"` all begin on the left. x + y of
    every place is odd.
    """
    return paper_map(name).problem(agents, seed=seed, **settings)


def registered(table: str, name: str, what: str) -> Callable[..., Any]:
    """The function that stands for `name` in the tables of that kind; `what` says in an error what is missing."""
    known = names(table)
    if name not in known:
        raise UnknownName(f"no paper has a {what} {name!r}{hint(name, known)}")
    module, _, function = known[name].partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


@cache
def names(table: str) -> dict[str, str]:
    """All names in the tables of that kind, and the function of each as `module:function`."""
    found: dict[str, str] = {}
    for folder in sorted(_FOLDER.iterdir()):
        if (folder / "__init__.py").is_file():
            package = importlib.import_module(f"{_PACKAGE}.{folder.name}")
            found |= {name: f"{package.__name__}.{text}" for name, text in getattr(package, table, {}).items()}
    return found

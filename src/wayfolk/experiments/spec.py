"""Spec: a sweep as a TOML file, checked as a whole before anything runs.

    name = "windows"

    [[sweep]]
    maps = ["mapf/random-32-*.map", {make = "rooms", width = 32, height = 32, size = 7}]
    moves = "four"
    problems = [{kind = "scen", file = "{map}-random-1.scen", agents = [20, 50]}]
    seeds = 3                                  # 0, 1 and 2; or a list
    repeats = 1
    model = "steps"                            # or "distance", for controllers
    limits = {seconds = 10, steps = 500}       # expansions for planners, until for tasks
    algorithms = [{name = "whca", options = {window = [8, 16]}}, {name = "hca"}]

Every list is swept: the cells of a block are maps x problems x algorithms with options x seeds x repeats. Files are looked
for beside the spec and in the benchmark data; `{map}` in a scenario's name is the map's own name. A map

    {make = "scaled", file = "bg512/*.map", width = 320, height = 320, diagonal = 1.42}

is a file brought to another size, with only its largest connected part left free; a diagonal is sqrt 2 long if nothing
else is said. Problems of the kind "pairs" may have bounds, `least` and `most`, of the optimal cost.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wayfolk import catalogue
from wayfolk.data import find_data, match_data
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.experiments.cell import Cell, file_digest
from wayfolk.formats import read_map
from wayfolk.grid import Moves

BLOCK = {"maps", "moves", "problems", "seeds", "repeats", "model", "limits", "algorithms"}
PROBLEMS = {
    "scen": {"file", "agents"},
    "random": {"agents"},
    "patrol": {"agents", "loops"},
    "tasks": {"agents"},
    "queries": {"file", "first", "count"},
    "pairs": {"count", "least", "most"},
}
MAPS = {
    "random": {"width", "height", "blocked", "seed"},
    "maze": {"width", "height", "corridor", "seed"},
    "rooms": {"width", "height", "size", "seed"},
    "warehouse": {"columns", "rows", "aisle"},
    "thesis": {"letter"},
    "scaled": {"file", "width", "height", "diagonal"},
}
LIMITS = {"seconds", "expansions", "steps", "until"}


@dataclass(frozen=True)
class Spec:
    """A checked sweep."""

    name: str
    text: str
    blocks: tuple[dict[str, Any], ...]

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return sum(_size(block) for block in self.blocks)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that occur."""
        return sorted({algorithm for block in self.blocks for algorithm, _ in block["algorithms"]})

    def cells(self) -> Iterator[Cell]:
        """All cells, one after another."""
        for block in self.blocks:
            for world, (algorithm, options), seed, repeat in itertools.product(
                block["worlds"], block["algorithms"], block["seeds"], range(block["repeats"])
            ):
                yield Cell(
                    world["map"], world["problem"], algorithm, options, seed, repeat,
                    block["limits"], block["moves"], block["model"],
                )  # fmt: skip


def _size(block: dict[str, Any]) -> int:
    return len(block["worlds"]) * len(block["algorithms"]) * len(block["seeds"]) * int(block["repeats"])


def read_spec(file: str | Path) -> Spec:
    """The sweep in `file`, or one error that lists everything that is wrong with it."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: cannot be read as text: {getattr(error, 'strerror', None) or error}") from None
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = place[1] if place else str(text.count("\n") + 1)
        raise BadInput(f"{file}, line {line}: not TOML: {str(error).split(' (')[0]}") from None
    return _Reader(str(file), path.parent, text).read(told)


class _Reader:
    """Reads blocks and collects complaints, each with the line it is about."""

    def __init__(self, file: str, folder: Path, text: str) -> None:
        self.file, self.folder, self.text = file, folder, text
        self.lines = text.splitlines()
        self.wrong: list[str] = []
        self.block = 0

    def read(self, told: dict[str, Any]) -> Spec:
        for name in told.keys() - {"name", "sweep"}:
            self.complain(name, f"there is no setting {name!r}: a sweep has `name` and blocks [[sweep]]")
        found = told.get("sweep")
        if not isinstance(found, list) or not found or not all(isinstance(entry, dict) for entry in found):
            self.complain("sweep", "there is no block [[sweep]]")
            found = []
        blocks = []
        for self.block, entry in enumerate(found):
            blocks.append(self.read_block(entry))
        if self.wrong:
            raise BadInput("\n".join(dict.fromkeys(self.wrong)))
        return Spec(str(told.get("name", Path(self.file).stem)), self.text, tuple(blocks))

    def complain(self, word: str, sentence: str) -> None:
        """Note a mistake about `word`, which stands somewhere in the present block."""
        starts = [k for k, line in enumerate(self.lines) if line.strip().startswith("[[sweep]]")] or [0]
        first = starts[min(self.block, len(starts) - 1)]
        last = starts[self.block + 1] if self.block + 1 < len(starts) else len(self.lines)
        at = next((k for k in range(first, last) if word and word in self.lines[k]), None)
        if at is None:
            at = next((k for k, line in enumerate(self.lines) if word and word in line), first)
        self.wrong.append(f"{self.file}, line {at + 1}: {sentence}")

    def read_block(self, told: dict[str, Any]) -> dict[str, Any]:
        for name in told.keys() - BLOCK:
            self.complain(name, f"there is no setting {name!r}{catalogue.hint(name, BLOCK)}")
        moves, model = str(told.get("moves", "eight")), str(told.get("model", "steps"))
        try:
            moves = Moves.of(moves).value
        except WayfolkError as error:
            self.complain(moves, str(error))
        if model not in ("steps", "distance"):
            self.complain(model, f"there is no time model {model!r}: choose steps or distance")
        seeds = told.get("seeds", 1)
        if isinstance(seeds, int):
            seeds = list(range(seeds))
        if not isinstance(seeds, list) or not seeds or not all(isinstance(seed, int) for seed in seeds):
            self.complain("seeds", "seeds are a number above 0, or a list of whole numbers")
            seeds = [0]
        repeats = told.get("repeats", 1)
        if not isinstance(repeats, int) or repeats < 1:
            self.complain("repeats", f"repeats must be 1 or more, not {repeats}")
            repeats = 1
        limits = told.get("limits", {})
        if not isinstance(limits, dict):
            self.complain("limits", "limits are a table such as {seconds = 10}")
            limits = {}
        for name, value in limits.items():
            if name not in LIMITS:
                self.complain(name, f"there is no limit {name!r}{catalogue.hint(name, LIMITS)}")
            elif not isinstance(value, int | float) or value <= 0:
                self.complain(name, f"the limit {name} must be more than 0, not {value}")
        maps = [found for entry in self.listed(told, "maps") for found in self.read_map_entry(entry)]
        worlds = [
            {"map": one, "problem": problem}
            for one in maps
            for entry in self.listed(told, "problems")
            for problem in self.read_problem(entry, one, limits)
        ]
        algorithms = [found for entry in self.listed(told, "algorithms") for found in self.read_algorithm(entry)]
        return {
            "worlds": worlds, "algorithms": algorithms, "seeds": seeds, "repeats": repeats, "limits": limits,
            "moves": moves, "model": model,
        }  # fmt: skip

    def listed(self, told: dict[str, Any], name: str) -> list[Any]:
        value = told.get(name)
        if isinstance(value, list) and value:
            return value
        self.complain(name, f"{name} must be a list that is not empty")
        return []

    def read_map_entry(self, entry: Any) -> list[dict[str, Any]]:
        if isinstance(entry, str):
            return self.files(entry)
        kind = entry.get("make") if isinstance(entry, dict) else None
        if kind not in MAPS:
            self.complain(str(kind or "maps"), f"a map is a file, or made by one of {', '.join(MAPS)}; not {entry!r}")
            return []
        made = self.swept(entry, {"make", "name"} | MAPS[kind])
        return made if kind != "scaled" else [found for told in made for found in self.scaled(told)]

    def files(self, pattern: str) -> list[dict[str, Any]]:
        """The map files that fit, all of which can be read."""
        try:
            found = match_data(pattern, self.folder)
            for path in found:
                read_map(path)
        except WayfolkError as error:
            self.complain(pattern, str(error))
            return []
        return [{"file": str(path), "digest": file_digest(path)} for path in found]

    def scaled(self, told: dict[str, Any]) -> list[dict[str, Any]]:
        """A scaled map for each file that fits."""
        for side in ("width", "height"):
            if not isinstance(told.get(side), int) or told[side] < 1:
                where = side if side in told else "scaled"
                self.complain(where, f"{side} must be a whole number above 0, not {told.get(side)}")
        length = told.get("diagonal", 1.0)
        if not isinstance(length, int | float) or not 1.0 <= length <= 2.0:
            self.complain("diagonal", f"a diagonal must be from 1 to 2 long, not {length}")
        if not isinstance(told.get("file"), str):
            self.complain("scaled", "a scaled map needs the `file` that it is made of")
            return []
        return [told | found for found in self.files(told["file"])]

    def read_problem(self, entry: Any, one: dict[str, Any], limits: dict[str, Any]) -> list[dict[str, Any]]:
        kind = entry.get("kind") if isinstance(entry, dict) else None
        if kind not in PROBLEMS:
            self.complain(
                str(kind or "problems"), f"there is no problem of the kind {kind!r}: choose {', '.join(PROBLEMS)}"
            )
            return []
        if kind == "tasks" and not limits.keys() & {"until", "seconds"}:
            self.complain("tasks", "tasks never end: limits need `until` or `seconds`")
        made = []
        for told in self.swept(entry, {"kind"} | PROBLEMS[kind]):
            if "file" in told:
                if "make" in one:
                    self.complain(told["file"], "a scenario needs a map from a file")
                    continue
                name = told["file"].replace("{map}", Path(one["file"]).stem)
                try:
                    path = find_data(name, Path(one["file"]).parent, self.folder)
                except WayfolkError as error:
                    self.complain(told["file"], str(error))
                    continue
                told = told | {"file": str(path), "digest": file_digest(path)}
            for needed in PROBLEMS[kind] & {"agents", "loops", "count"}:
                if kind == "queries":
                    continue
                value = told.setdefault(needed, 20 if needed == "loops" else None)
                if not isinstance(value, int) or value < 1:
                    where = needed if needed in entry else kind
                    self.complain(where, f"{needed} must be a whole number above 0, not {value}")
            bounds = [told[name] for name in ("least", "most") if name in told]
            if not all(isinstance(bound, int | float) for bound in bounds) or bounds != sorted(bounds):
                self.complain("least", f"least and most must be numbers in this order, not {bounds}")
            made.append(told)
        return made

    def read_algorithm(self, entry: Any) -> list[tuple[str, dict[str, Any]]]:
        told: Any = {"name": entry} if isinstance(entry, str) else entry
        name = told.get("name") if isinstance(told, dict) else None
        if not isinstance(name, str):
            self.complain("algorithms", f"an algorithm is a name or {{name = ...}}, not {entry!r}")
            return []
        for other in told.keys() - {"name", "options"}:
            self.complain(other, f"there is no setting {other!r} of an algorithm: it has `name` and `options`")
        try:
            found = catalogue.find(name)
            made = []
            for options in self.swept(told.get("options", {}), None):
                made.append((found.name, found.checked(options)))
        except WayfolkError as error:
            named = told.get("options", {})
            word = next((option for option in named if re.search(rf"\b{re.escape(option)}\b", str(error))), name)
            self.complain(word, str(error))
            return []
        return made

    def swept(self, told: dict[str, Any], known: set[str] | None) -> list[dict[str, Any]]:
        """All combinations of the values that are lists."""
        if known is not None:
            for name in told.keys() - known:
                self.complain(name, f"there is no setting {name!r}{catalogue.hint(name, known)}")
        names = list(told)
        choices = [value if isinstance(value, list) else [value] for value in told.values()]
        return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*choices)]

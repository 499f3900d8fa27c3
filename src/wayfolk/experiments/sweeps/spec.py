"""Spec: a sweep as a TOML file, checked as a whole before anything runs.

    name = "windows"

    [[sweep]]
    maps = ["mapf/random-32-*.map", {make = "rooms", width = 32, height = 32, size = 7}]
    moves = "four"
    problems = [{kind = "scen", file = "{map}-random-1.scen", agents = [20, 50]}]
    seeds = 3                                  # 0, 1 and 2; or a list
    repeats = 1
    model = "steps"                            # or "distance" or "turns", for controllers
    limits = {seconds = 10, steps = 500}       # expansions for planners, until for tasks
    algorithms = [{name = "whca", options = {window = [8, 16]}}, {name = "hca"}]

Every list is swept: the jobs of a block are maps x problems x algorithms with options x seeds x repeats. Files are looked
for beside the spec and in the benchmark data; `{map}` in a scenario's name is the map's own name. A map

    {make = "scaled", file = "bg512/*.map", width = 320, height = 320, diagonal = 1.42}

is a file brought to another size, with only its largest connected part left free; a diagonal is sqrt 2 long if nothing
else is said, and `cliffs = false` drops cliffs between free cells. Problems of the kind "pairs" may have bounds, `least`
and `most`, of the optimal cost. `{make = "paper", name = "jansen-c"}` is the map of a paper, on which patrols are drawn as
the paper does; `{kind = "paper", name = "sdp-rooms", agents = 100}` is a problem that a paper draws on any map.

Files may be worlds of any kind, such as roadmaps. Agents of the kinds random, patrol, tasks and deliveries have a body if
its `size`, `radius`, `turns` or `speed` is given: {kind = "random", agents = 20, size = [1, 2]}. A scenario may be a file
of agents by names (.csv, .json, .yaml, .xml).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wayfolk.algorithms.trust import check_options, find_named
from wayfolk.errors import WayfolkError
from wayfolk.experiments.sweeps import tables
from wayfolk.experiments.sweeps.job import Job, file_digest
from wayfolk.experiments.sweeps.tables import MAPS, PROBLEMS, BlockTable, MapTable, ProblemTable
from wayfolk.files.any_world import read_world_for_agents
from wayfolk.files.folders import find_data, match_data
from wayfolk.files.toml import Document, Schema, Table, as_written, read_toml
from wayfolk.files.toml_lines import Loc
from wayfolk.problem import papers
from wayfolk.world.grid import Moves

AnySchema = TypeVar("AnySchema", bound=Schema)
LOOPS = 20  # of a patrol, if nothing else is given


@dataclass(frozen=True)
class Spec:
    """A sweep that has been checked: its name, the text of its file, and its blocks."""

    name: str
    text: str
    blocks: tuple[dict[str, Any], ...]

    @property
    def n_jobs(self) -> int:
        """How many jobs there are."""
        return sum(_size(block) for block in self.blocks)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that occur."""
        return sorted({algorithm for block in self.blocks for algorithm, _ in block["algorithms"]})

    def jobs(self) -> Iterator[Job]:
        """All jobs, one after another."""
        for block in self.blocks:
            for world, (algorithm, options), seed, repeat in itertools.product(
                block["worlds"], block["algorithms"], block["seeds"], range(block["repeats"])
            ):
                yield Job(
                    map=world["map"],
                    problem=world["problem"],
                    algorithm=algorithm,
                    options=options,
                    seed=seed,
                    repeat=repeat,
                    limits=block["limits"],
                    moves=block["moves"],
                    model=block["model"],
                )


def _as_keyed(written: dict[str, Any], checked: dict[str, Any]) -> dict[str, Any]:
    """The checked options, but whole numbers as they were written: the keys of jobs tell 2 from 2.0."""
    return {name: written[name] if type(written[name]) is int else value for name, value in checked.items()}


def _size(block: dict[str, Any]) -> int:
    return len(block["worlds"]) * len(block["algorithms"]) * len(block["seeds"]) * int(block["repeats"])


def read_spec(file: str | Path, *, trust: bool = False) -> Spec:
    """The sweep in `file`. Raises one error that lists everything that is wrong with it.

    With `trust` the file may run code: name algorithms as `module:begin`, or a cluster.
    """
    document = read_toml(file, "sweep")
    root = document.root(tables.SweepFile)
    blocks = root.tables("sweep", BlockTable)
    if not blocks and not root.malformed:
        root.complain("", "there is no block [[sweep]]")
    checked = tuple(_Block(document, Path(file).parent, block, trust).read() for block in blocks)
    document.raise_complaints()
    return Spec(root.values.name or Path(file).stem, document.text, checked)


class _Block:
    """Reads a [[sweep]]; what is wrong is complained about and left out."""

    def __init__(self, document: Document, folder: Path, table: Table[BlockTable], trust: bool) -> None:
        self.document, self.folder, self.table, self.trust = document, folder, table, trust
        self.limits = table.table("limits", tables.LimitsTable).given

    def read(self) -> dict[str, Any]:
        """The block as data: worlds (a map with a problem), algorithms with options, seeds and what else is given."""
        values = self.table.values
        moves = values.moves or "eight"
        try:
            moves = Moves.of(moves).value
        except WayfolkError as error:
            self.table.complain("moves", str(error))
        for key in ("maps", "problems", "algorithms"):
            if key not in self.table:
                self.table.complain("", f"{key} must be a list that is not empty")
        maps = [one for loc, entry in self.entries("maps") for one in self.maps(loc, entry)]
        worlds = [
            {"map": one, "problem": problem}
            for one in maps
            for loc, entry in self.entries("problems")
            for problem in self.problems(loc, entry, one)
        ]
        algorithms = [one for loc, entry in self.entries("algorithms") for one in self.algorithms(loc, entry)]
        seeds = values.seeds or 1
        return {
            "worlds": worlds, "algorithms": algorithms, "seeds": list(range(seeds)) if isinstance(seeds, int) else seeds,
            "repeats": values.repeats or 1, "limits": self.limits, "moves": moves, "model": values.model or "steps",
        }  # fmt: skip

    def entries(self, key: str) -> Iterator[tuple[Loc, Any]]:
        """The items of a list of the block, and where they stand."""
        for number, entry in enumerate(getattr(self.table.values, key) or []):
            yield (*self.table.loc, key, number), entry

    def maps(self, loc: Loc, entry: Any) -> list[dict[str, Any]]:
        """The maps of an entry: files that match a pattern, or maps made by a rule."""
        if isinstance(entry, str):
            return self.files(loc, entry)
        if not isinstance(entry, dict) or "make" not in entry:
            rules = ", ".join(MAPS)
            self.document.complain(loc, f"a map is a file, or made by one of {rules}; not {as_written(entry)}")
            return []
        maps = []
        for table in self.swept(loc, entry, MapTable):
            rule = table.values.make
            if rule is None:
                continue
            table.allow(("make", "name", *MAPS[rule].settings), f"a {rule} map")
            table.need(f"a {rule} map", *MAPS[rule].needed)
            if rule == "paper":
                self.registered(table, "MAPS", "map")
            if table.malformed:
                continue
            if rule == "scaled":
                maps += [table.given | one for one in self.files((*loc, "file"), table.given["file"])]
            else:
                maps.append(table.given)
        return maps

    def registered(self, table: Table[Any], kind: str, what: str) -> None:
        """Complain if no paper has what the table names."""
        try:
            if "name" in table:
                papers.registered(kind, table.given["name"], what)
        except WayfolkError as error:
            table.complain("name", str(error))

    def files(self, loc: Loc, pattern: str) -> list[dict[str, Any]]:
        """The map files that match, each of which can be read."""
        try:
            paths = match_data(pattern, self.folder)
            for path in paths:
                read_world_for_agents(path)
        except WayfolkError as error:
            self.document.complain(loc, str(error))
            return []
        return [{"file": str(path), "digest": file_digest(path)} for path in paths]

    def problems(self, loc: Loc, entry: Any, one: dict[str, Any]) -> list[dict[str, Any]]:
        """The problems of an entry on the map `one`."""
        if not isinstance(entry, dict) or "kind" not in entry:
            kinds = ", ".join(PROBLEMS)
            self.document.complain(loc, f"a problem has a `kind`, one of {kinds}; not {as_written(entry)}")
            return []
        return [
            problem
            for table in self.swept(loc, entry, ProblemTable)
            if (problem := self.problem(table, one)) is not None
        ]

    def problem(self, table: Table[ProblemTable], one: dict[str, Any]) -> dict[str, Any] | None:
        """The problem of a table as data, on the map `one`; None if there is something wrong with it."""
        kind, values = table.values.kind, table.values
        if kind is None:
            return None
        table.allow(("kind", *PROBLEMS[kind].settings), f"a problem of the kind {kind!r}")
        table.need(f"a problem of the kind {kind!r}", *PROBLEMS[kind].needed)
        if kind == "paper":
            self.registered(table, "PROBLEMS", "problem")
        if kind in ("tasks", "deliveries") and not self.limits.keys() & {"until", "seconds"}:
            table.complain("kind", f"{kind} never end: limits need `until` or `seconds`")
        if values.least is not None and values.most is not None and values.least > values.most:
            table.complain("least", f"least must not be more than most, as {values.least:g} and {values.most:g} are")
        if "file" in table and "make" in one:
            table.complain("file", "a scenario needs a map from a file")
            return None
        if table.malformed:
            return None
        problem = dict(table.given)
        if kind == "patrol":
            problem.setdefault("loops", LOOPS)
        if "file" in problem:
            try:
                name = problem["file"].replace("{map}", Path(one["file"]).stem)
                path = find_data(name, Path(one["file"]).parent, self.folder)
            except WayfolkError as error:
                table.complain("file", str(error))
                return None
            problem |= {"file": str(path), "digest": file_digest(path)}
        return problem

    def algorithms(self, loc: Loc, entry: Any) -> list[tuple[str, dict[str, Any]]]:
        """The algorithms of an entry: one for each combination of the values of its options."""
        given = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(given, dict) or "name" not in given:
            self.document.complain(loc, f"an algorithm is a name or {{name = ...}}, not {as_written(entry)}")
            return []
        values = Table(self.document, loc, given, tables.AlgorithmTable).values
        if values.name is None:
            return []
        try:
            algorithm = find_named(values.name, trust=self.trust)
        except WayfolkError as error:
            self.document.complain((*loc, "name"), str(error))
            return []
        combinations = []
        options = values.options or {}
        for chosen in self.combinations((*loc, "options"), options):
            try:
                check_options(chosen, self.trust)
                combinations.append((algorithm.name, _as_keyed(chosen, algorithm.checked(chosen))))
            except WayfolkError as error:
                named = (option for option in options if re.search(rf"(?<!\w){re.escape(option)}(?!\w)", str(error)))
                self.document.complain((*loc, "options", *itertools.islice(named, 1)), str(error))
        return combinations

    def swept(self, loc: Loc, entry: dict[str, Any], schema: type[AnySchema]) -> list[Table[AnySchema]]:
        """A table for each combination of the values of an entry."""
        return [Table(self.document, loc, given, schema) for given in self.combinations(loc, entry)]

    def combinations(self, loc: Loc, given: dict[str, Any]) -> list[dict[str, Any]]:
        """All combinations of the values that are lists."""
        for key, value in given.items():
            if value == []:
                self.document.complain((*loc, key), f"{key} must not be an empty list")
        choices = [value if isinstance(value, list) else [value] for value in given.values()]
        return [dict(zip(given, chosen, strict=True)) for chosen in itertools.product(*choices)]

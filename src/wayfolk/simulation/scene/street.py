"""Scenes with a street: read from a file, checked as a whole, and played. docs/crowds.md describes the format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

from wayfolk.algorithms.trust import check_options, check_trust, find_named
from wayfolk.crowds.measures.times import longest_overlap, travel_times
from wayfolk.crowds.minds.brain import Brain
from wayfolk.crowds.minds.finding import find_brain, is_brain_file
from wayfolk.crowds.street.ground import NONE, Ground, read_ground
from wayfolk.crowds.street.parties import Spawn, party_of
from wayfolk.crowds.street.street import COLOURS, Entry, Street
from wayfolk.crowds.trajectory import Recorder, Trajectory
from wayfolk.errors import BadInput, WayfolkError, hint
from wayfolk.files.folders import find_data
from wayfolk.files.toml import Document, Place, Table, read_toml
from wayfolk.simulation.scene.street_tables import SignalTable, SpawnTable, StreetSceneTable, StreetTable

VEHICLES = ("car", "bus")
"""Brains that drive unless the file says otherwise."""
UNTIL = 60.0


@dataclass(frozen=True)
class StreetScene:
    """What a file says: a ground, who comes, the signals by crossing, the model, and how long it lasts."""

    name: str
    ground: Ground
    spawns: tuple[Spawn, ...]
    signals: dict[int, Brain]
    model: str = "orca"
    options: dict[str, Any] = field(default_factory=dict)
    until: float = UNTIL
    step: float = 0.05
    seed: int = 0
    about: str = ""

    def __repr__(self) -> str:
        height, width = self.ground.letters.shape
        return f"StreetScene({self.name!r}, {width} x {height}, {len(self.spawns)} spawns, {self.model})"

    def street(self) -> Street:
        """The street at its start."""
        return Street(
            self.ground, self.spawns, signals=self.signals, model=self.model, step=self.step, seed=self.seed,
            name=self.name, **self.options,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PlayedStreet:
    """A street that was run: the trajectory has a frame for each step."""

    scene: StreetScene
    street: Street
    trajectory: Trajectory

    @cached_property
    def overlap(self) -> tuple[int, int, int, int]:
        """The most steps in a row in which two bodies overlap, the two, and the last step."""
        return longest_overlap(self.trajectory)

    @property
    def against(self) -> list[Entry]:
        """Vehicles that drove onto a crossing at red, and pedestrians that stepped onto one while the cars had not red."""
        return [entry for entry in self.street.entries if (entry.signal == "red") == entry.is_vehicle]

    @property
    def notes(self) -> list[str]:
        """What went wrong, in sentences."""
        n, one, other, frame = self.overlap
        overlap = f"agents {one} and {other} overlap for {n} steps until {frame * self.trajectory.seconds:g} s"
        return [*self.street.log, *([overlap] if n > 1 else [])]

    def as_dict(self) -> dict[str, Any]:
        """The numbers, as scripts read them."""
        street = self.street
        times = travel_times(self.trajectory)
        gone = times[times == times]
        return {
            "scene": self.scene.name,
            "algorithm": street.crowd.entry.name,
            "status": "out_of_budget" if street.time >= self.scene.until - street.step_seconds else "out_of_time",
            "agents": street.n_agents,
            "arrived": street.arrived,
            "present": street.n_present,
            "seconds": round(street.time, 6),
            "mean_travel_seconds": float(gone.mean()) if gone.size else None,
            "crossed": len(street.entries),
            "crossed_against_signal": dict(Counter(entry.kind for entry in self.against)),
            "emergency_stops": len(street.emergencies),
            "longest_overlap_steps": self.overlap[0],
            "faults": int(self.overlap[0] > 1) + sum(entry.is_vehicle for entry in self.against),
            "brains_asked": sum(party.minds.asked for party in street.parties),
            "notes": self.notes,
        }


def is_street(document: Document) -> bool:
    """Whether a scene file describes a street."""
    return "street" in document.data


def read_street(file: str | Path, *, seed: int | None = None, trust: bool = False) -> StreetScene:
    """The street in `file`; `seed` replaces the file's own. Raises one error for all that is wrong.

    With `trust` the file may run code: name brains in Python files, or a model as `module:begin`.
    """
    document = read_toml(file, "scene")
    scene = _Reader(Path(file), document, seed, trust).read()
    document.raise_complaints()
    assert scene is not None, "without complaints there is a scene"
    return scene


def play_street(scene: StreetScene, *, seconds: float | None = None, tell: Any = None) -> PlayedStreet:
    """Run the street from its start to its end, or until `seconds` are used up; `tell` is told how far it is."""
    street = scene.street()
    stop = None if seconds is None else perf_counter() + seconds
    recorder = Recorder(street.step_seconds, grid=scene.ground.open, cell=scene.ground.cell, name=scene.name)
    street.record(recorder)
    for _ in range(max(1, round(scene.until / street.step_seconds))):
        street.advance()
        street.record(recorder)
        if tell is not None and street.tick % 20 == 0:
            tell(f"{street.time:.0f} of {scene.until:g} s, {street.n_present} agents")
        if stop is not None and perf_counter() > stop:
            break
    return PlayedStreet(scene, street, street.trajectory(recorder))


class _Reader:
    """Goes through the file once; what needs a map is left out if there is none."""

    def __init__(self, file: Path, document: Document, seed: int | None, trust: bool) -> None:
        self.file, self.root, self.trust = file, document.root(StreetSceneTable), trust
        self.seed = (self.root.values.seed or 0) if seed is None else seed

    def read(self) -> StreetScene | None:
        """The scene; None if it has no map. What is wrong has been complained about."""
        root, values = self.root, self.root.values
        table = root.table("street", StreetTable)
        ground = self.ground(table)
        model, options = self.model(table)
        spawns = root.tables("spawn", SpawnTable)
        signals = root.tables("signal", SignalTable)
        if not spawns and "spawn" not in root.malformed:
            root.complain("spawn", "a street needs somebody who comes: at least one [[spawn]]")
        brains = [self.brain(spawn, "") for spawn in spawns]
        lamps = [self.brain(signal, "signal") for signal in signals]
        if ground is None:
            return None
        coming = [self.spawn(spawn, brain, ground) for spawn, brain in zip(spawns, brains, strict=True)]
        lit = self.signals(list(zip(signals, lamps, strict=True)), ground)
        step = table.values.step or 0.05
        if not 0.005 <= step <= 0.2:
            table.complain("step", f"a step of a street lasts 0.005 to 0.2 seconds, not {step:g}")
        return StreetScene(
            name=values.name or self.file.stem,
            ground=ground,
            spawns=tuple(spawn for spawn in coming if spawn is not None),
            signals=lit,
            model=model,
            options=options,
            until=values.until or UNTIL,
            step=step,
            seed=self.seed,
            about=values.about or "",
        )

    def ground(self, table: Table[StreetTable]) -> Ground | None:
        """The map of the street."""
        values = table.values
        if not table.only_one("map", "file") or table.malformed & {"map", "file"}:
            return None
        if "map" not in table and "file" not in table:
            table.complain("", "a street needs `map`, a drawing, or `file`")
            return None
        try:
            drawing = values.map or ""
            if values.file is not None:
                drawing = _without_head(Path(find_data(values.file, self.file.parent)).read_text(encoding="utf-8"))
            return read_ground(drawing, values.cell or 3.0)
        except (WayfolkError, OSError, ValueError) as error:
            table.complain("map" if "map" in table else "file", str(error))
            return None

    def model(self, table: Table[StreetTable]) -> tuple[str, dict[str, Any]]:
        """The model that moves pedestrians, and its options."""
        name, options = table.values.model or "orca", table.values.options or {}
        try:
            entry = find_named(name, "crowds", trust=self.trust)
            check_options(options, self.trust)
            return entry.name, entry.checked(options)
        except WayfolkError as error:
            table.complain("model" if "model" in table else "", str(error))
            return name, {}

    def brain(self, table: Table[Any], default: str) -> Brain | None:
        """The brain that a table names, with its settings."""
        name = table.values.brain or default
        if not name:
            table.complain("", "[[spawn]] needs `brain`: a name of `wayfolk brain list`, or FILE.py")
            return None
        try:
            if is_brain_file(name):
                check_trust(name, self.trust)
            return find_brain(name, self.file.parent)(**(table.values.settings or {}))
        except WayfolkError as error:
            table.complain("brain", str(error))
            return None

    def spawn(self, table: Table[SpawnTable], brain: Brain | None, ground: Ground) -> Spawn | None:
        """Who comes by one table."""
        values = table.values
        table.need("[[spawn]]", "rate")
        if brain is None or values.rate is None:
            return None
        is_vehicle = brain.name in VEHICLES if values.vehicle is None else values.vehicle
        for key in ("goals", "goal_area"):
            if is_vehicle and key in table:
                table.complain(key, "vehicles follow their lanes: they have no goals")
        table.only_one("places", "area")
        table.only_one("goals", "goal_area")
        starts = self.cells(table, ground, "area") if "area" in table else tuple(values.places or ())
        goals = self.cells(table, ground, "goal_area") if "goal_area" in table else tuple(values.goals or ())
        try:
            spawn = Spawn(
                brain,
                values.rate,
                is_vehicle,
                kind=values.name or "",
                most=values.most,
                speed=values.speed or 0.0,
                radius=values.radius or 0.0,
                starts=starts,
                goals=goals,
                exit="goal_area" in table,
            )
            party_of(spawn, ground)
            return spawn
        except BadInput as error:
            table.complain("", str(error))
            return None

    def cells(self, table: Table[SpawnTable], ground: Ground, key: str) -> tuple[Place, ...]:
        """The walkable cells of an area."""
        area, grid = getattr(table.values, key), ground.walkable
        if area is None:
            return ()
        left, top, width, height = area
        places = tuple(
            (x, y)
            for y in range(max(top, 0), min(top + height, grid.height))
            for x in range(max(left, 0), min(left + width, grid.width))
            if grid.free[y, x]
        )
        if not places:
            table.complain(key, f"{key} {list(area)} holds no pavement")
        return places

    def signals(self, tables: list[tuple[Table[SignalTable], Brain | None]], ground: Ground) -> dict[int, Brain]:
        """The brains of the signals by crossing; one without `crossing` is for all that have no other."""
        named: dict[int, Brain] = {}
        general: Brain | None = None
        for table, brain in tables:
            if brain is None:
                continue
            for state in brain.states:
                if state not in COLOURS:
                    table.complain("brain", f"the signal {brain.name} has a state {state!r}{hint(state, COLOURS)}")
            place = table.values.crossing
            if place is None:
                general = brain
                continue
            x, y = place
            height, width = ground.crossing_of.shape
            number = int(ground.crossing_of[y, x]) if 0 <= x < width and 0 <= y < height else NONE
            if number == NONE:
                table.complain("crossing", f"there is no crossing at {place}")
                continue
            named[number] = brain
        if general is not None:
            named = dict.fromkeys(range(ground.n_crossings), general) | named
        return named


def _without_head(text: str) -> str:
    """The rows of a map file, without the head of a Moving AI map."""
    lines = text.splitlines()
    for number, line in enumerate(lines[:8]):
        if line.strip() == "map":
            return "\n".join(lines[number + 1 :])
    return text

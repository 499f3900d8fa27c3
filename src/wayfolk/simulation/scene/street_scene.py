"""Scenes with a street: who comes, which signals there are, and what happened. docs/crowds.md describes the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

from wayfolk.crowds.brains.brain import Brain
from wayfolk.crowds.measures.times import longest_overlap, travel_times
from wayfolk.crowds.street.parties import Spawn
from wayfolk.crowds.street.street import CrossingEntry, Street
from wayfolk.crowds.street.street_map import StreetMap
from wayfolk.crowds.trajectory import Recorder, Trajectory

UNTIL = 60.0


@dataclass(frozen=True)
class StreetScene:
    """What a file says: a ground, who comes, the signals by crossing, the model, and how long it lasts."""

    name: str
    street_map: StreetMap
    spawns: tuple[Spawn, ...]
    signals: dict[int, Brain]
    model: str = "orca"
    options: dict[str, Any] = field(default_factory=dict)
    until: float = UNTIL
    step: float = 0.05
    seed: int = 0
    about: str = ""

    def __repr__(self) -> str:
        height, width = self.street_map.letters.shape
        return f"StreetScene({self.name!r}, {width} x {height}, {len(self.spawns)} spawns, {self.model})"

    def street(self) -> Street:
        """The street at its start."""
        return Street(
            self.street_map, self.spawns, signals=self.signals, model=self.model, step=self.step, seed=self.seed,
            name=self.name, **self.options,
        )  # fmt: skip


def run_street(scene: StreetScene, seconds: float | None, tell: Callable[[Any], None] | None) -> StreetRun:
    """Run the street from its start to its end, or until `seconds` are used up."""
    street = scene.street()
    stop = None if seconds is None else perf_counter() + seconds
    recorder = Recorder(street.step_seconds, grid=scene.street_map.open, cell=scene.street_map.cell, name=scene.name)
    street.record(recorder)
    for _ in range(max(1, round(scene.until / street.step_seconds))):
        street.advance()
        street.record(recorder)
        if tell is not None and street.tick % 20 == 0:
            tell(street)
        if stop is not None and perf_counter() > stop:
            break
    return StreetRun(scene, street, street.trajectory(recorder))


@dataclass(frozen=True, eq=False)
class StreetRun:
    """What has happened in a street: the trajectory has a frame for each step."""

    scene: StreetScene
    street: Street
    trajectory: Trajectory

    @cached_property
    def overlap(self) -> tuple[int, int, int, int]:
        """The most steps in a row in which two bodies overlap, the two, and the last step."""
        return longest_overlap(self.trajectory)

    @property
    def against(self) -> list[CrossingEntry]:
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
            "brains_asked": sum(party.population.asked for party in street.parties),
            "notes": self.notes,
        }

"""Job: one run of a sweep, described so completely that its description decides its result.

A job is plain data (it travels to workers and into the store as JSON). Its key is a hash of that data, in which a map
file is represented by a digest of its contents: rename the file and the key stays, edit it and the key changes.

    map        {"file": path, "digest": ...} or {"make": "random", "width": 32, ...} or {"make": "paper", "name": ...}
    moves      "four", "eight" or "eight_cutting"
    problem    {"kind": "scen", "file": path, "digest": ..., "agents": 100}
               {"kind": "random" | "patrol" | "tasks" | "deliveries", "agents": 100, "loops": 20 ...}
               on the map of a paper a patrol has the paper's settings too, see `PaperMap.problem`
               {"kind": "paper", "name": "sdp-rooms", "agents": 100}: as a paper draws them on any map
               {"kind": "queries", "file": path, "digest": ..., "first": 0, "count": 100}
               {"kind": "pairs", "count": 100}: random queries of a single agent
    algorithm, options, seed, repeat
    limits     {"seconds": 30, "steps": 1000, "until": 500}
    model      "steps", "distance" or "turns", for controllers
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = 1  # of keys and of the store


@dataclass(frozen=True)
class Job:
    """One run, as data."""

    map: dict[str, Any]
    problem: dict[str, Any]
    algorithm: str
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    repeat: int = 0
    limits: dict[str, float] = field(default_factory=dict)
    moves: str = "eight"
    model: str = "steps"

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return dict(vars(self))

    @property
    def key(self) -> str:
        """The name of this job in a store."""
        described = {name: _without_path(value) for name, value in vars(self).items()}
        text = json.dumps([SCHEMA, described], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def map_name(self) -> str:
        """What people call the map."""
        return Path(self.map["file"]).stem if "file" in self.map else str(self.map.get("name") or self.map["make"])


def file_digest(file: str | Path) -> str:
    """A name for what is in a file."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


def _without_path(value: Any) -> Any:
    if isinstance(value, dict) and "digest" in value:
        return {name: inner for name, inner in value.items() if name != "file"}
    return value

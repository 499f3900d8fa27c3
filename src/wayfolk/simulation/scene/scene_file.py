"""A scene file that is being read: where it is, its random seed, and whether it may name code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wayfolk.algorithms.entry import Entry
from wayfolk.algorithms.trust import check_options, find_named
from wayfolk.errors import WayfolkError
from wayfolk.files.built_in import file_of
from wayfolk.files.toml import Table


@dataclass(frozen=True)
class SceneFile:
    """The file, and its top level, `root`."""

    path: Path
    root: Table[Any]
    seed: int
    trust: bool

    @property
    def folder(self) -> Path:
        """Where files that the scene names are looked for."""
        return file_of(self.path, "scenes").parent

    def algorithm(
        self, table: Table[Any], key: str, family: str, default: str, fits: Callable[[Entry, dict[str, Any]], None]
    ) -> tuple[str, dict[str, Any]]:
        """The name of the algorithm that `table` has for `key`, and its options; complains about what is wrong.

        `fits` raises an error if the algorithm cannot work here with these options.
        """
        name, options = getattr(table.values, key) or default, table.values.options or {}
        try:
            entry = find_named(name, family, trust=self.trust)
            fits(entry, {})
        except WayfolkError as error:
            table.complain(key, str(error))
            return name, {}
        checked: dict[str, Any] = {}
        for option, value in options.items():
            place = (*table.loc, "options", option)
            if option == "seed":
                table.document.complain(place, "the seed is the scene's own: write it above the tables")
                continue
            try:
                check_options({option: value}, self.trust)
                one = entry.checked({option: value})
                fits(entry, one)
                checked |= one
            except WayfolkError as error:
                table.document.complain(place, str(error))
        return entry.name, checked

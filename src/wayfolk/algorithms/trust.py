"""What a file may name: files are data, and name algorithms of the catalogue only, unless the caller trusts them.

A text `module:begin` in a scene, a street, a sweep or a store imports a module, which runs whatever is in it, and the
address of a Dask scheduler hands over to whoever listens there. Readers of files look names up here. Names that a person
types or passes are looked up in the catalogue itself.
"""

from __future__ import annotations

import re
from typing import Any

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.entry import Entry
from wayfolk.errors import NotSupported
from wayfolk.files.raw import shown

DRIVE = re.compile(r"[A-Za-z]:[\\/]")  # begins a path on Windows
HERE = ("", "local")  # clusters that are on this machine


def find_named(name: str, *families: str, trust: bool) -> Entry:
    """The entry of an algorithm that a file names; `module:begin` only if the caller trusts the file."""
    if ":" in name:
        check_trust(name, trust)
    return catalogue.find(name, *families)


def check_options(options: dict[str, Any], trust: bool) -> None:
    """Raise NotSupported if the options of a file name a module or an address, and the caller does not trust the file."""
    for name, value in options.items():
        if isinstance(value, str) and (
            (":" in value and not DRIVE.match(value)) or (name == "cluster" and value not in HERE)
        ):
            check_trust(value, trust)


def check_trust(code: str, trust: bool) -> None:
    """Raise NotSupported if the file that names this `code` is not trusted."""
    if not trust:
        raise NotSupported(f"{shown(code)} would run code: give --trust, or trust=True, if you trust the file")

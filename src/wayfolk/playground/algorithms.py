"""The algorithms that a page may choose, and the options of theirs that it may set.

Algorithms are found by their names in the catalogue alone, and options that name files are refused: no text of a page
becomes the name of a file or a module.
"""

from __future__ import annotations

from typing import Any

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.catalogue import Entry
from wayfolk.errors import NotSupported, UnknownName

FAMILIES: dict[str, tuple[str, ...]] = {
    "search": ("search", "realtime"), "agents": ("controllers", "planners"), "crowd": ("crowds",),
}  # fmt: skip
"""The families that each kind of scene chooses from."""


def known(name: str, *families: str) -> Entry:
    """The algorithm `name` or `family/name` of one of `families`; nothing is imported by its name, as the library does."""
    family_of, _, last = name.rpartition("/")
    for family in families:
        for entry in catalogue.entries(family):
            if entry.name == last and family_of in ("", family):
                return entry
    raise UnknownName(f"the playground has no algorithm {name[:60]!r} that fits here")


def checked_options(entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    """`options`, if the algorithm has them and none of them names a file or an address."""
    texts = {option.name for option in entry.options if _is_text(option)}
    for name in options:
        if name in texts:
            raise NotSupported(f"option {name} of {entry.name} cannot be set from the page")
    return entry.checked(options)


def page_options(entry: Entry) -> list[dict[str, Any]]:
    """The options that the page offers, for JSON."""
    return [
        option.as_dict() for option in entry.options if not _is_text(option) and option.name not in ("watch", "seed")
    ]


def _is_text(option: catalogue.Option) -> bool:
    kind = option.type.split(" | ")[0]
    return kind not in ("int", "float", "bool") and not option.choices

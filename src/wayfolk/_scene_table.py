"""The tables of a scene file, and what is wrong with them: every complaint names the file, the line and the offender."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from wayfolk import catalogue
from wayfolk.formats import shown

Place = tuple[int, int]
_HEADER = re.compile(r"\s*\[{1,2}\s*([\w.]+)\s*\]{1,2}\s*(#.*)?$")


def said(value: Any) -> str:
    """A value as a complaint names it: numbers as they are, everything else in quotes."""
    return str(value) if isinstance(value, int | float) else shown(value)


@dataclass
class Complaints:
    """What is wrong with `file`, whose text is known line by line."""

    file: str
    lines: list[str]
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, sentence: str) -> None:
        """Note a mistake in a line, counted from 1."""
        if (line, sentence) not in self.found:
            self.found.append((line, sentence))

    def __str__(self) -> str:
        return "\n".join(f"{self.file}, line {line}: {sentence}" for line, sentence in sorted(self.found))

    def line_of(self, section: str, number: int, key: str = "") -> int:
        """Where `key` of the table [section] stands, the `number`-th one of that name; else where the table begins."""
        first, last = self._span(section, number)
        for at in range(first, last):
            if key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", self.lines[at]):
                return at + 1
        return max(first, 1)

    def _span(self, section: str, number: int) -> tuple[int, int]:
        """The lines of a table, as a range of indices that begins after its header."""
        headers = [(at, found[1]) for at, line in enumerate(self.lines) if (found := _HEADER.match(line))]
        ends = [at for at, _ in headers] + [len(self.lines)]
        if not section:
            return 0, ends[0]
        named = [k for k, (_, name) in enumerate(headers) if name == section]
        if number < len(named):
            k = named[number]
            return ends[k] + 1, ends[k + 1]
        # a table within a line of its parent
        inline = (at for at, line in enumerate(self.lines) if re.match(rf"\s*{section.split('.')[-1]}\s*=", line))
        at = next(inline, 0)
        return at + 1, at + 1


@dataclass
class Table:
    """A table of the file: `ask` for what it holds, and anything that is not as it should be is complained about."""

    data: dict[str, Any]
    complaints: Complaints
    section: str = ""
    number: int = 0

    def complain(self, key: str, sentence: str) -> None:
        """Note a mistake about a key."""
        self.complaints.add(self.complaints.line_of(self.section, self.number, key), sentence)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def known(self, *keys: str) -> None:
        """Complain about all other keys."""
        whose = f"[{self.section}] has" if self.section else "a scene has"
        for key in sorted(self.data.keys() - set(keys)):
            self.complain(key, f"{whose} no key {key!r}{catalogue.hint(key, keys)}")

    def only_one(self, *keys: str) -> bool:
        """Whether at most one of `keys` is there; complains if not."""
        given = [key for key in keys if key in self.data]
        if len(given) > 1:
            self.complain(given[1], f"say {' or '.join(given)}, not both")
        return len(given) <= 1

    def text(self, key: str, default: str = "", choices: Collection[str] = ()) -> str:
        """A text, one of `choices` if there are any."""
        value = self.data.get(key, default)
        if not isinstance(value, str):
            self.complain(key, f"{key} must be a text, not {said(value)}")
        elif choices and value not in choices:
            self.complain(key, f"{key} cannot be {said(value)}{catalogue.hint(value, choices)}")
        else:
            return value
        return default

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            self.complain(key, f"{key} must be true or false, not {said(value)}")
            return default
        return value

    def whole(self, key: str, default: int, least: int) -> int:
        """A whole number."""
        value = self.data.get(key, default)
        if type(value) is not int or value < least:
            self.complain(key, f"{key} must be a whole number from {least}, not {said(value)}")
            return default
        return value

    def number_of(self, key: str, default: float | None, least: float = 0.0, *, above: bool = False) -> float | None:
        """A finite number of at least, or above, `least`."""
        value = self.data.get(key, default)
        if value is None:
            return None
        is_number = type(value) in (int, float) and value < float("inf")
        if not is_number or not (value > least if above else value >= least):
            self.complain(key, f"{key} must be {'more than' if above else 'at least'} {least:g}, not {said(value)}")
            return default
        return float(value)

    def place(self, key: str) -> Place | None:
        """A place [x, y]."""
        if key not in self.data:
            self.complain(key, f"{key} is missing: a place [x, y]")
            return None
        return self._place(key, self.data[key])

    def places(self, key: str) -> list[Place]:
        """A list of places, which must not be empty."""
        value = self.data.get(key)
        if not isinstance(value, list) or not value:
            self.complain(key, f"{key} must be a list of places [x, y], not {said(value)}")
            return []
        found = [self._place(key, one) for one in value]
        return [] if None in found else [one for one in found if one is not None]

    def _place(self, key: str, value: Any) -> Place | None:
        if type(value) is not list or len(value) != 2 or set(map(type, value)) != {int}:
            self.complain(key, f"{key} should hold a place [x, y], not {said(value)}")
            return None
        return value[0], value[1]

    def area(self, key: str) -> tuple[int, int, int, int] | None:
        """A rectangle [x, y, width, height]."""
        value = self.data.get(key)
        if type(value) is not list or len(value) != 4 or set(map(type, value)) != {int} or min(value[2:]) < 1:
            self.complain(key, f"{key} must be an area [x, y, width, height], not {said(value)}")
            return None
        return value[0], value[1], value[2], value[3]

    def table(self, key: str) -> Table:
        """A table within this one; empty if it is missing."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            self.complain(key, f"{key} must be a table, not {said(value)}")
            value = {}
        return Table(value, self.complaints, f"{self.section}.{key}" if self.section else key)

    def tables(self, key: str) -> Iterator[Table]:
        """A list of tables."""
        value = self.data.get(key, [])
        name = f"{self.section}.{key}" if self.section else key
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.complain(key, f"{key} must be written as [[{name}]] tables, not {said(value)}")
            value = []
        for number, one in enumerate(value):
            yield Table(one, self.complaints, name, number)

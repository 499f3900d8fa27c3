"""Where every key and every item of a TOML text stands, so that a complaint can name its line."""

from __future__ import annotations

import re
import tomllib

Loc = tuple[str | int, ...]
"""The way to a value: keys, and numbers of items in lists. The root is ()."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:\\[\s\S]|[^\\])*?"{3,5}' r"|'''[\s\S]*?'{3,5}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'",
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]+")


def lines_of(text: str) -> dict[Loc, int]:
    """The line of every table, key and item in `text`, which must be valid TOML; lines count from 1."""
    return _Scanner(text).scan()


class _Scanner:
    """Walks through a text that `tomllib` has accepted: it need not check anything, only know where it is."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.line, self.counted = 1, 0  # the line of the character `counted`
        self.lines: dict[Loc, int] = {(): 1}
        self.n_tables: dict[Loc, int] = {}  # of arrays of tables that are written as [[name]]

    def scan(self) -> dict[Loc, int]:
        table: Loc = ()
        self._skip_blank()
        while self.at < len(self.text):
            if self._take("[["):
                table = self._resolved(self._key())
                number = self.n_tables[table] = self.n_tables.get(table, 0) + 1
                self._note(table)
                table = (*table, number - 1)
                self._note(table)
                self._take("]]")
            elif self._take("["):
                table = self._resolved(self._key())
                self._note(table)
                self._take("]")
            else:
                self._pair(table)
            self._skip_blank()
        return self.lines

    def _resolved(self, names: list[str]) -> Loc:
        """The table that a header names: within an array of tables it is that of the last one."""
        loc: Loc = ()
        for number, name in enumerate(names):
            loc = (*loc, name)
            if loc in self.n_tables and number < len(names) - 1:
                loc = (*loc, self.n_tables[loc] - 1)
        return loc

    def _pair(self, table: Loc) -> None:
        """Read `key = value`."""
        loc = (*table, *self._key())
        self._note(loc)
        self._take("=")
        self._value(loc)

    def _key(self) -> list[str]:
        """Read a key, which may have several parts."""
        names: list[str] = []
        while not names or self._take("."):
            self._skip_blank()
            quoted = _STRING.match(self.text, self.at)
            match = quoted or _BARE_KEY.match(self.text, self.at)
            assert match is not None, "tomllib accepts no such key"
            self.at = match.end()
            names.append(tomllib.loads(f"key = {match[0]}")["key"] if quoted else match[0])
        return names

    def _value(self, loc: Loc) -> None:
        """Read a value and all that is in it."""
        self._skip_blank()
        self._note(loc)
        if self._take("["):
            number = 0
            while not self._take("]"):
                self._value((*loc, number))
                self._take(",")
                number += 1
        elif self._take("{"):
            while not self._take("}"):
                self._pair(loc)
                self._take(",")
        else:
            match = _STRING.match(self.text, self.at) or _BARE_VALUE.match(self.text, self.at)
            assert match is not None, "tomllib accepts no such value"
            self.at = match.end()

    def _take(self, sign: str) -> bool:
        """Skip `sign` and whatever is blank before it, if it comes next."""
        self._skip_blank()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def _skip_blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        assert match is not None, "an empty match is a match"
        self.at = match.end()

    def _note(self, loc: Loc) -> None:
        """The present line is that of `loc`, and of the tables around it that have no line yet."""
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        for depth in range(len(loc) + 1):
            self.lines.setdefault(loc[:depth], self.line)

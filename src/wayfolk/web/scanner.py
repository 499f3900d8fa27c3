"""What is code in the text of a script: its words and signs, without comments and without what strings hold.

A script is read from its first character on, because only its beginning tells whether a quote opens a string or closes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

PIECE = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<word>[\w$#]+)"
    r"|(?P<sign>.)",
    re.DOTALL,
)
TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?P<end>`|\$\{)", re.DOTALL)
PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
OPERAND_ENDS = re.compile(r"[\w$)\]]$")
"""After these a slash divides; after anything else it begins a regular expression."""
BEFORE_OPERANDS = {
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "await",
    "yield",
}
OPENING, CLOSING = "([{", ")]}"


class Piece(NamedTuple):
    """A part of a script: its `kind`, where it lies, and in how many brackets. Templates and patterns count as strings."""

    kind: str
    start: int
    end: int
    depth: int


def pieces(text: str) -> Iterator[Piece]:
    """Everything in the script `text`, one piece after another; a ValueError names the place where it cannot be read."""
    at, before = 0, ""
    brackets: list[str] = []
    while at < len(text):
        match = PIECE.match(text, at)
        assert match is not None, "a piece is at least one character"
        kind, start, at = str(match.lastgroup), match.start(), match.end()
        part = match[0]
        if kind == "sign" and (part == "`" or (part == "}" and brackets and brackets[-1] == "${")):
            if part == "}":
                brackets.pop()
            inside = TEMPLATE.match(text, at)
            if inside is None:
                raise ValueError(f"a template that begins at character {start} has no end")
            at, kind = inside.end(), "string"
            yield Piece(kind, start, at, len(brackets))
            if inside["end"] == "${":
                brackets.append("${")
            before = ")" if inside["end"] == "`" else "("
            continue
        if part == "/" and (before in BEFORE_OPERANDS or not OPERAND_ENDS.search(before)):
            pattern = PATTERN.match(text, start)
            if pattern is not None:
                kind, at, part = "string", pattern.end(), ")"
        if kind == "sign" and part in CLOSING:
            if not brackets:
                raise ValueError(f"the bracket at character {start} closes nothing")
            brackets.pop()
        yield Piece(kind, start, at, len(brackets))
        if kind == "sign" and part in OPENING:
            brackets.append(part)
        if kind not in ("space", "comment"):
            before = ")" if kind == "string" else part
    if brackets:
        raise ValueError(f"the script ends inside of {len(brackets)} brackets")


def without_comments(text: str) -> str:
    """The script `text` without its comments and empty lines; what strings hold stays as it is."""
    parts: list[str] = []
    gap = ""
    for piece in pieces(text):
        part = text[piece.start : piece.end]
        if piece.kind in ("space", "comment"):
            gap += part if piece.kind == "space" or "\n" not in part else "\n"
            gap = gap or " "
            continue
        lines = gap.split("\n")
        parts += ["\n" + lines[-1] if len(lines) > 1 else " " * bool(gap), part]
        gap = ""
    return "".join(parts).strip() + "\n"

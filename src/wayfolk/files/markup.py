"""XML as plain data; what grows while it is parsed is refused: entities, and elements that lie very deep in each other."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element, fromstring
from xml.parsers import expat

from wayfolk.errors import BadMap
from wayfolk.files.raw import File

MAX_BYTES = 1 << 26  # of a document; the largest layouts of sites have a few megabytes
MOST_DEPTH = 50
MOST_PARTS = 1 << 21  # elements, or lists and tables: each takes up to 500 bytes


def parse_xml(file: File, data: bytes) -> Element:
    """The root of an XML document."""
    check_xml(file, data)
    return fromstring(data)


def check_xml(file: File, data: bytes, found: Callable[[str, dict[str, str], int], None] | None = None) -> None:
    """Refuse what is not XML, and XML that defines entities or lies very deep in itself; in any encoding.

    `found` is told of each element: its name after its namespace and `}`, its attributes, and the line in which it begins.
    """
    check_size(file, data)
    parser = expat.ParserCreate(namespace_separator="}")  # as ElementTree parses it
    depth = n_elements = 0

    def refuse(what: str) -> None:
        raise BadMap(f"{file}, line {parser.CurrentLineNumber}: {what}")

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, n_elements
        n_elements += 1
        if n_elements > MOST_PARTS:
            refuse(f"there are more than {MOST_PARTS} elements")
        if found is not None:
            found(name, attributes, parser.CurrentLineNumber)
        depth += 1
        if depth > MOST_DEPTH:
            refuse(f"more than {MOST_DEPTH} elements lie in each other")

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.EntityDeclHandler = lambda *_: refuse("a map needs no entities, and this XML defines some")
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as why:
        raise BadMap(f"{file}, line {why.lineno}: this is not XML: {expat.ErrorString(why.code)}") from None
    except (LookupError, ValueError):
        raise BadMap(f"{file}: this is not XML: its encoding is not known") from None


def check_size(file: File, data: bytes) -> None:
    """Refuse a document that is too large to be parsed."""
    if len(data) > MAX_BYTES:
        raise BadMap(f"{file}: a document of {len(data)} bytes is larger than the {MAX_BYTES} that are read")

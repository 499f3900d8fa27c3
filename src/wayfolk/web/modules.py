"""Modules: the graph of the scripts' imports, and one script made of a whole graph, for pages that open from disk.

Browsers load no modules from `file://`. So `bundle` writes the modules into one script, each after those that it imports,
and each as a function of its own that returns what it exports:

    const m0 = (() => { ...; return { clamp, count }; })();
    const m1 = (() => { const { clamp } = m0; ...; return { View }; })();

Names of one module are not visible in others unless they are exported and imported, as the language has it. That needs a
graph without cycles, named imports and exports, and no dynamic imports; everything else is refused with file and line.
"""

from __future__ import annotations

import re
from functools import cache
from posixpath import dirname, join, normpath
from typing import NamedTuple

from wayfolk.web import web_text
from wayfolk.web.scanner import pieces, without_comments

IMPORT = re.compile(r"import\s*(?:\{(?P<names>[^}]*)\}\s*from\s*)?\"(?P<file>\.[^\"]+)\"\s*;")
EXPORTED = re.compile(r"export\s+(?=(?:async\s+function|function|class|const)\s+(?P<name>[\w$]+))")
EXPORT_LIST = re.compile(r"export\s*\{(?P<names>[^}]*)\}\s*;")


class Module(NamedTuple):
    """A script: what it imports (file, name there, name here), the names it exports, and its text without both."""

    name: str
    imports: tuple[tuple[str, str, str], ...]
    needs: tuple[str, ...]
    exports: dict[str, str]
    body: str


def bundle(entry: str) -> str:
    """The module `entry` and all that it needs, as one script. It needs no server, and leaves no global names."""
    order = module_graph(entry)
    numbers = {module.name: f"m{k}" for k, module in enumerate(order)}
    parts = ['"use strict";']
    for module in order:
        lines = [f"const {numbers[module.name]} = (() => {{"]
        for file in module.needs:
            names = [_pair(name, own) for other, name, own in module.imports if other == file]
            if names:
                lines.append(f"const {{ {', '.join(names)} }} = {numbers[file]};")
        exports = ", ".join(_pair(name, own) for name, own in module.exports.items())
        lines += [without_comments(module.body).rstrip(), f"return {{ {exports} }};" if exports else "", "})();"]
        parts += [line for line in lines if line]
    return "(() => {\n" + "\n".join(parts) + "\n})();\n"


def module_graph(entry: str) -> list[Module]:
    """The module `entry` and all that it needs, each after those that it imports."""
    order: list[Module] = []
    state: dict[str, bool] = {}  # whether a module is in `order` already

    def visit(name: str, path: tuple[str, ...]) -> None:
        if state.get(name):
            return
        if name in state:
            raise ValueError(f"modules import each other in a circle: {' -> '.join([*path, name])}")
        state[name] = False
        module = read_module(name)
        for file in module.needs:
            visit(file, (*path, name))
        for file, exported, _ in module.imports:
            if exported not in read_module(file).exports:
                raise ValueError(f"{name} imports {exported} from {file}, which does not export it")
        state[name] = True
        order.append(module)

    visit(entry, ())
    return order


@cache
def read_module(name: str) -> Module:
    """The module in the file `name`."""
    text = web_text(name)
    imports: list[tuple[str, str, str]] = []
    needs: dict[str, None] = {}
    exports: dict[str, str] = {}
    kept, at = [], 0
    before = ""
    for piece in pieces(text):
        word = text[piece.start : piece.end]
        is_statement = (
            piece.kind == "word" and before != "." and (word == "import" or (word == "export" and not piece.depth))
        )
        if piece.kind not in ("space", "comment"):
            before = word
        if not is_statement:
            continue
        match = IMPORT.match(text, piece.start) if word == "import" else None
        if match is not None and not piece.depth:
            file = normpath(join(dirname(name), match["file"]))
            needs[file] = None
            imports += [(file, *pair) for pair in _names(match["names"] or "")]
        else:
            match = EXPORT_LIST.match(text, piece.start) or EXPORTED.match(text, piece.start)
            if match is None or piece.depth or word == "import":
                line = text.count("\n", 0, piece.start) + 1
                raise ValueError(f"{name}, line {line}: a page of one file cannot have this kind of {word}")
            if "name" in match.groupdict():
                exports[match["name"]] = match["name"]
            else:
                exports |= {outer: inner for inner, outer in _names(match["names"])}
        kept.append(text[at : piece.start])
        at = match.end()
    return Module(name, tuple(imports), tuple(needs), exports, "".join([*kept, text[at:]]))


def _names(text: str) -> list[tuple[str, str]]:
    """The names in a list such as `a, b as c`: each as it is called there, and here."""
    pairs = [part.split(" as ") for part in text.split(",") if part.strip()]
    return [(pair[0].strip(), pair[-1].strip()) for pair in pairs]


def _pair(name: str, own: str) -> str:
    return name if name == own else f"{name}: {own}"

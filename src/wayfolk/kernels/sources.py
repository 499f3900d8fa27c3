"""Sources: what machine code is made from, so that an edit is noticed wherever it is.

A kernel is made from its own file and from all files that this one imports, and they import: constants and callees may
be in any of them. The digest of a module names the present state of that closure. Only imports at the left margin count:
a kernel cannot use others.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import sys
from functools import cached_property
from pathlib import Path

IMPORT = re.compile(r"^(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE)
NAME = re.compile(r"(?:^|,)\s*([\w.]+)")
COMMENT = re.compile(r"#[^\n]*")


class Sources:
    """The files of a package; `digest("package.module")` names the state of what that module is made from."""

    def __init__(self, package: Path, name: str = "wayfolk") -> None:
        self.package, self.name = package, name
        self._texts: dict[str, str] = {}
        self._imports: dict[str, list[str]] = {}
        self._digests: dict[str, str] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """The modules of the package."""
        found = {}
        for file in self.package.rglob("*.py"):
            parts = (self.name, *file.relative_to(self.package).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
        return found

    def digest(self, module: str) -> str:
        """A name for the state of all files that `module` is made from.

        A module from elsewhere is made from its file and what it imports of the package; what has no file (typed at a
        prompt) is new in each process.
        """
        if module not in self._digests:
            if module not in self.files:
                file = getattr(sys.modules.get(module), "__file__", None)
                if file is None:
                    self._digests[module] = secrets.token_hex()
                    return self._digests[module]
                self.files[module] = Path(file)
            made = hashlib.sha256()
            for name in sorted(self._closure(module)):
                made.update(f"{name}\n{self._text(name)}\n".encode())
            self._digests[module] = made.hexdigest()
        return self._digests[module]

    def _closure(self, module: str) -> set[str]:
        met, todo = {module}, [module]
        while todo:
            new = set(self._imported(todo.pop())) - met
            met |= new
            todo += new
        return met

    def _text(self, module: str) -> str:
        if module not in self._texts:
            self._texts[module] = self.files[module].read_text(encoding="utf-8")
        return self._texts[module]

    def _imported(self, module: str) -> list[str]:
        """The modules of the package that `module` imports."""
        if module not in self._imports:
            named: list[str] = []
            for source, names, modules in IMPORT.findall(self._text(module)):
                if source:
                    base = self._absolute(module, source)
                    inside = NAME.findall(COMMENT.sub("", names).strip("()"))
                    named += [base, *(f"{base}.{name}" for name in inside)]
                else:
                    named += NAME.findall(modules)
            self._imports[module] = [name for name in named if name in self.files]
        return self._imports[module]

    def _absolute(self, module: str, source: str) -> str:
        dots = len(source) - len(source.lstrip("."))
        if not dots:
            return source
        is_package = self.files[module].name == "__init__.py"
        parts = module.split(".")
        base = parts[: len(parts) - dots + is_package]
        return ".".join([*base, *filter(None, [source[dots:]])])

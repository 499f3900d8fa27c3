"""Sources: what machine code is made from, so that an edit is noticed wherever it is.

A kernel is made from its own file and from all files that this one imports, and they import: constants and callees may
be in any of them. The digest of a module names the present state of that closure. It depends on the files alone: not on
where they are, nor on what else has been imported. Only imports at the left margin count, and KEEPERS do not.

Modules of other packages are followed too: those in the package or the folder of the module that imports them, and
those that import this package themselves, as a module with kernels does.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from functools import cached_property
from pathlib import Path

IMPORT = re.compile(r"^(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE)
NAME = re.compile(r"(?:^|,)\s*([\w.]+)")
COMMENT = re.compile(r"#[^\n]*")
STARTED = time.time()
KEEPERS = (
    "compile.code_cache",
    "compile.code_files",
    "compile.wheel_code",
    "compile.loading",
    "compile.sources",
    "machine",
)
"""Modules that keep machine code, and do not change what it is."""


class Sources:
    """The files of a package; `digest("package.module")` names the state of what that module is made from.

    `started` is when this process may have begun to import them.
    """

    def __init__(self, package: Path, name: str = "wayfolk", started: float = STARTED) -> None:
        self.package, self.name, self.started = package, name, started
        self._texts: dict[str, str] = {}
        self._marks: dict[str, bytes] = {}
        self._imports: dict[str, list[str]] = {}
        self._closures: dict[str, set[str]] = {}
        self._digests: dict[str, str] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """The modules of the package, with their files."""
        files, n = {}, len(str(self.package)) + 1
        for folder, folders, names in os.walk(self.package):
            folders[:] = [name for name in folders if name.isidentifier() and name != "__pycache__"]
            parts = [self.name, *filter(None, folder[n:].split(os.sep))]
            for name in names:
                if name == "__init__.py":
                    files[".".join(parts)] = Path(folder, name)
                elif name.endswith(".py"):
                    files[".".join([*parts, name[:-3]])] = Path(folder, name)
        return files

    def digest(self, module: str) -> str:
        """A name for the state of all files that `module` is made from, "" where that is not known.

        It is not known for what was typed at a prompt, nor for files that were edited after this process had started, which
        may have imported them before the edit.
        """
        if module not in self._digests:
            closure = sorted(self.closure(module))
            marks = [self._mark(name) for name in closure]
            digest = hashlib.sha256(repr(list(zip(closure, marks, strict=True))).encode()).hexdigest()
            self._digests[module] = digest if all(marks) else ""
        return self._digests[module]

    def closure(self, module: str) -> set[str]:
        """`module` and all modules with sources that it imports, and they import."""
        if module not in self._closures:
            closure, todo = {module}, [module]
            while todo:
                new = set(self._imported(todo.pop())) - closure
                closure |= new
                todo += new
            self._closures[module] = closure
        return self._closures[module]

    def _mark(self, module: str) -> bytes:
        """A digest of the text of one module, empty if it is not known."""
        if module not in self._marks:
            text, file = self._text(module), self._file(module)
            is_edited = file is None or self.started < file.stat().st_mtime <= time.time()
            self._marks[module] = b"" if is_edited else hashlib.sha256(text.encode()).digest()
        return self._marks[module]

    def _text(self, module: str) -> str:
        if module not in self._texts:
            file = self._file(module)
            self._texts[module] = "" if file is None else file.read_text(encoding="utf-8", errors="replace")
        return self._texts[module]

    def _file(self, module: str) -> Path | None:
        if module in self.files or module.partition(".")[0] == self.name:
            return self.files.get(module)
        file = getattr(sys.modules.get(module), "__file__", None)
        return Path(file) if file and file.endswith(".py") and Path(file).is_file() else None

    def _imported(self, module: str) -> list[str]:
        """The modules with sources that `module` imports."""
        if module not in self._imports:
            named: list[str] = []
            for source, names, modules in IMPORT.findall(self._text(module).replace("\\\n", " ")):
                if source:
                    base = self._absolute(module, source)
                    inside = NAME.findall(COMMENT.sub("", names).strip("()"))
                    named += [base, *(f"{base}.{name}" for name in inside)]
                else:
                    named += NAME.findall(modules)
            keepers = {f"{self.name}.{keeper}" for keeper in KEEPERS}
            self._imports[module] = [
                name
                for name in named
                if (name in self.files and name not in keepers) or self._is_followed(module, name)
            ]
        return self._imports[module]

    def _is_followed(self, module: str, other: str) -> bool:
        """Whether `other`, which `module` imports, is of the same package or folder, or imports this package."""
        if module in self.files:
            return False
        here, there = self._file(module), self._file(other)
        if here is None or there is None:
            return False
        is_near = other.partition(".")[0] == module.partition(".")[0] or there.parent == here.parent
        return (
            is_near or re.search(rf"^(?:from|import)[ \t]+{self.name}\b", self._text(other), re.MULTILINE) is not None
        )

    def _absolute(self, module: str, source: str) -> str:
        dots = len(source) - len(source.lstrip("."))
        if not dots:
            return source
        file = self._file(module)
        is_package = file is not None and file.name == "__init__.py"
        parts = module.split(".")
        base = parts[: len(parts) - dots + is_package]
        return ".".join([*base, *filter(None, [source[dots:]])])

"""Keeps the machine code of kernels, in a file for each kernel and signature.

numba's own cache does not notice an edit of a callee in another file, and then runs code that is out of date. Here the name
of a file is a digest of everything that its code was made from: the file of the kernel, all files that it imports
(`compile.sources`), and the same for the NamedTuple classes among its arguments and the functions chosen for them by
`specialise`.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.compile import code_files, wheel_code
from wayfolk.compile.numba_parts import CONFIG, VERSION, classes_of, dumps, is_whole, load, processor, save
from wayfolk.compile.sources import Sources
from wayfolk.machine import cache_home

FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""The options of numba's compiler for all kernels."""
SOURCES = Sources(Path(__file__).resolve().parents[1])
CHOICES: list[tuple[str, dict[type, Callable[..., Any]]]] = []
"""What `specialise` was told: the functions for classes, by the module whose kernels call them."""


@cache
def cache_folder(module: str) -> Path:
    """Where the machine code of `module` is kept: in `$WAYFOLK_CACHE`, else the user's cache folder, by digest."""
    return cache_home() / "kernels" / _folder(module)


@cache
def _folder(module: str) -> str:
    """A name for all that decides what the kernels of `module` are compiled to, but for the processor and the types."""
    flags = (sorted(FLAGS.items()), CONFIG.BOUNDSCHECK, CONFIG.DEBUGINFO_DEFAULT, CONFIG.OPT)
    made_from = repr((versions(), [str(flag) for flag in flags], SOURCES.digest(module)))
    digest = hashlib.sha256(made_from.encode()).hexdigest()[:16]
    return f"{module.rpartition('.')[2]}-{digest}"


class CodeCache:
    """Keeps what one kernel was compiled to. numba asks it before it compiles."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._is_foreign = function.__module__.partition(".")[0] != SOURCES.name

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code for `signature`, that which was installed with the package first; None if there is none."""
        here = processor(context)
        made_for, why_not = wheel_code.made_for(tuple(versions()), here[0])
        result = made_for and self._load(self._file(signature, made_for, wheel_code.FOLDER), context)
        result = result or self._load(self._file(signature, here), context)
        if result is None and why_not and not self._is_foreign:
            code_files.complain(why_not)
        return result

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what `signature` was compiled to."""
        file = self._file(signature, processor(result.target_context))
        if file is not None and is_whole(result):
            code_files.write(file, save(result))

    def _load(self, file: Path | None, context: Any) -> Any:
        contents = None if file is None else code_files.read(file, wheel_code.FOLDER in file.parents)
        if contents is None:
            return None
        try:
            return load(context, contents, self._is_foreign)
        except Exception as error:
            code_files.complain(f"cannot load the compiled code in {file} ({error!r}): compiling it again")
            return None

    def _file(self, signature: Any, made_for: tuple[str, str, str], home: Path | None = None) -> Path | None:
        """The file for the code of one signature for this processor in `home` or the cache; None if it cannot be kept."""
        function, classes = self._function, classes_of(signature)
        digests = [SOURCES.digest(module) for module in _sources(function.__module__, set(classes))]
        types = [str(kind) for kind in signature]
        # a class of the main program is another one in each process; a type with an address is a function
        if not all(digests) or any(kind.__module__ == "__main__" for kind in classes) or " at 0x" in str(types):
            return None
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        made_from = (
            function.__qualname__, function.__code__.co_firstlineno, function.__code__.co_code, dumps(cells),
            types, [f"{kind.__module__}.{kind.__qualname__}" for kind in classes], made_for, digests,
        )  # fmt: skip
        name = hashlib.sha256(repr(made_from).encode()).hexdigest()[:32]
        folder = cache_folder(function.__module__) if home is None else home / _folder(function.__module__)
        return folder / f"{function.__name__}-{name}.nbc"


def versions() -> list[str]:
    """numba, and of Python and numpy those versions between which code may differ."""
    return [VERSION, *(".".join(version.split(".")[:2]) for version in (platform.python_version(), np.__version__))]


def _sources(module: str, classes: set[type]) -> list[str]:
    """The modules that a kernel of `module` is made from, for arguments of these NamedTuple classes.

    They are its own, those of the classes, and those of the functions that were chosen for the classes. A choice counts
    only if the kernel can reach the function that it is for by imports, so that other imports make no difference.
    """
    sources = {module, *(kind.__module__ for kind in classes)}
    while True:
        reached = set().union(*map(SOURCES.closure, sources))
        chosen = {
            choices[kind].__module__
            for caller, choices in CHOICES
            if caller in reached
            for kind in classes & choices.keys()
        }
        if chosen <= sources:
            return sorted(sources)
        sources |= chosen

"""The parts of numba that `jit` uses, imported without what numba looks for and kernels do not need.

numba imports scipy and coverage where they are installed, which takes a quarter of its own time. This module hides them
while it imports numba, from its own thread only. When numba compiles, it finds scipy as always.
"""

import contextlib
import sys
import threading
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from typing import Any

UNNEEDED = ("coverage", "scipy")


class _Hiding(MetaPathFinder):
    """Tells the thread that made it that some packages are not installed, unless they have been imported already."""

    def __init__(self, *names: str) -> None:
        self.names, self.thread = names, threading.get_ident()

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name in self.names and threading.get_ident() == self.thread:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


@contextlib.contextmanager
def _hidden(*names: str) -> Iterator[None]:
    """Hide these packages from imports in this block."""
    hiding = _Hiding(*names)
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)


with _hidden(*UNNEEDED):
    import llvmlite.binding as llvm
    import numba
    from numba import _dynfunc as dynfunc  # type: ignore[attr-defined]
    from numba.core import caching, codegen, compiler, dispatcher, event, serialize, typed_passes, types
    from numba.core import compiler_machinery as passes
    from numba.core.runtime.nrt import rtsys
    from numba.core.typing import templates

__all__ = [
    "caching",
    "codegen",
    "compiler",
    "dispatcher",
    "dynfunc",
    "event",
    "llvm",
    "numba",
    "passes",
    "rtsys",
    "serialize",
    "templates",
    "typed_passes",
    "types",
]

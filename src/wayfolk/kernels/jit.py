"""The one decorator (with its twin for inner parts): `kernel` turns plain Python on arrays into native code.

This is the only module that knows numba. Why not use numba's decorator directly: its cache notices an edit of the
file that holds a function, but not of a callee in another file, and then answers with yesterday's code. Here the
cache folder of a kernel is named by a digest of its file and of all that it imports (`kernels.sources`), and what was
specialised for a NamedTuple class is known by the digests of the modules that hold the class and what was chosen for it.

The NamedTuple classes that kernels take need different names: numba takes two of the same name and the same fields for
one (a test looks for them).

Kernels make no arrays (slices are fine): what they need is handed in. Without reference counting, which takes a third of
the time of a search and some of the compiler's, they could not.

Three ways to run: compiled (the default), plain Python (`NUMBA_DISABLE_JIT=1`) and bounds-checked (`NUMBA_BOUNDSCHECK=1`).
"""

import hashlib
import inspect
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching, event
from numba.extending import overload

from wayfolk.data import cache_home
from wayfolk.kernels.sources import Sources

__all__ = [
    "cache_folder",
    "inner",
    "instance_class",
    "is_plain",
    "kernel",
    "leading_zeros",
    "on_compile",
    "specialise",
    "trailing_zeros",
]

F = TypeVar("F", bound=Callable[..., Any])
FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
INNER: dict[str, Any] = FLAGS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
CONFIG: Any = numba.config
KEEP_DAYS = 30  # cache folders of older versions are removed after this long
SOURCES = Sources(Path(__file__).resolve().parents[1])
_CHOICES: list[dict[type, Callable[..., Any]]] = []


def kernel(function: F) -> F:
    """Compile `function` on first call, release the GIL while it runs, keep the machine code on disk."""
    compiled: F = numba.njit(cache=_use_cache(function.__module__), **FLAGS)(function)
    return compiled


def inner(function: F) -> F:
    """A kernel that only kernels call: without the way in from Python it compiles about a quarter faster."""
    compiled: F = numba.njit(cache=_use_cache(function.__module__), **INNER)(function)
    return compiled


def specialise(function: Callable[..., Any], chosen: dict[type, Callable[..., Any]]) -> None:
    """Let kernels call `function`, compiled as the one of `chosen` for the NamedTuple class of its first argument.

    The functions are plain Python with the same parameter names, entered before the first call is compiled.
    """
    if is_plain():
        return
    _CHOICES.append(chosen)
    names = ", ".join(inspect.signature(function).parameters)
    first = names.split(",")[0]
    # numba reads the parameters of the chooser from its code, so it has to be written out
    source = f"def choose({names}):\n    return chosen[instance_class({first})]\n"
    scope: dict[str, Any] = {"chosen": chosen, "instance_class": instance_class}
    exec(source, scope)
    overload(function, jit_options={"error_model": "numpy"})(scope["choose"])


def is_plain() -> bool:
    """Whether kernels run as ordinary Python in this process."""
    return bool(CONFIG.DISABLE_JIT)


if is_plain():

    def trailing_zeros(word: Any) -> int:
        """The number of zeros below the lowest bit of a 64-bit word that is not 0."""
        return (int(word) & -int(word)).bit_length() - 1

    def leading_zeros(word: Any) -> int:
        """The number of zeros above the highest bit of a 64-bit word that is not 0."""
        return 64 - int(word).bit_length()

else:
    from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros  # type: ignore[assignment]


def instance_class(numba_type: Any) -> type | None:
    """The NamedTuple class behind a compile-time type, for functions that are overloaded by it."""
    return getattr(numba_type, "instance_class", None)


def cache_folder(module: str) -> Path:
    """Where the machine code of `module` is kept: in `$WAYFOLK_CACHE`, else the user's cache folder, by digest."""
    flags = (sorted(FLAGS.items()), CONFIG.BOUNDSCHECK, CONFIG.DEBUGINFO_DEFAULT)
    made_by = repr((numba.__version__, platform.python_version(), flags, SOURCES.digest(module)))
    digest = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    return cache_home() / "kernels" / f"{module.rpartition('.')[2]}-{digest}"


def _remove_old_folders(folder: Path) -> None:
    for sibling in folder.parent.glob("*/"):
        if sibling != folder and time.time() - sibling.stat().st_mtime > KEEP_DAYS * 86400:
            shutil.rmtree(sibling, ignore_errors=True)


@cache
def _prepare(module: str) -> str:
    """The folder for the code of `module`, "" where that cannot be written: then nothing is kept."""
    folder = cache_folder(module)
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # in use: not one of the old ones
        if is_new:
            (folder.parent / ".lock").touch()
            _remove_old_folders(folder)
    except OSError:
        return ""
    return str(folder)


def _use_cache(module: str) -> bool:
    """Tell numba where to keep the machine code of `module`; whether it can be kept."""
    CONFIG.CACHE_DIR = _prepare(module)
    return bool(CONFIG.CACHE_DIR)


def _save_one_at_a_time(save: Callable[..., None]) -> Callable[..., None]:
    """numba numbers its files by what it sees: two processes that save at once would take the same number."""

    def locked(self: Any, key: Any, data: Any) -> None:
        try:
            import fcntl
        except ImportError:  # not on every system
            save(self, key, data)
            return
        with open(cache_home() / "kernels" / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            save(self, key, data)

    return locked


def _or_nothing(load: Callable[..., Any]) -> Callable[..., Any]:
    """A list of kept code may name a class that has been renamed since: then nothing is kept."""

    def forgiving(self: Any) -> Any:
        try:
            return load(self)
        except (AttributeError, ImportError):
            return {}

    return forgiving


class _Once(event.Listener):  # type: ignore[misc]
    """Calls back when something is really compiled, not when it is loaded from the cache; the first time only."""

    def __init__(self, heard: Callable[[], None]) -> None:
        self.heard: Callable[[], None] | None = heard

    def on_start(self, event: Any) -> None:
        heard, self.heard = self.heard, None
        if heard is not None:
            heard()

    def on_end(self, event: Any) -> None:
        pass


def on_compile(heard: Callable[[], None]) -> None:
    """Call `heard` once, the first time this process has to compile something."""
    event.register("numba:compile", _Once(heard))


def _say_so_on_a_terminal() -> None:
    if sys.stderr.isatty():
        print("compiling, first run only ...", file=sys.stderr, flush=True)


def _modules(signature: Any) -> set[str]:
    """The modules that hold the NamedTuple classes of a signature, and the functions chosen for them."""
    found: set[str] = set()
    todo = list(signature)
    while todo:
        one = todo.pop()
        if (kind := instance_class(one)) is not None:
            found.add(kind.__module__)
            found |= {chosen[kind].__module__ for chosen in _CHOICES if kind in chosen}
        todo += getattr(one, "types", ())
    return found


def _with_classes(index_key: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel may have been specialised for a NamedTuple class: add the state of the module that holds it."""

    def extended(self: Any, signature: Any, codegen: Any) -> Any:
        digests = (SOURCES.digest(module) for module in sorted(_modules(signature)))
        return (*index_key(self, signature, codegen), *digests)

    return extended


def _our_own(save: Callable[..., None]) -> Callable[..., None]:
    """What a kernel of ours became for a class of somebody else's is not kept: to read it would import their module."""

    def chosen(self: Any, signature: Any, data: Any) -> None:
        ours = all(module.startswith("wayfolk.") for module in _modules(signature))
        if ours or not self._py_func.__module__.startswith("wayfolk."):
            save(self, signature, data)

    return chosen


_File: Any = caching.IndexDataCacheFile
_File.save = _save_one_at_a_time(_File.save)
_File._load_index = _or_nothing(_File._load_index)
_Cache: Any = caching.Cache
_Cache._index_key = _with_classes(_Cache._index_key)
_Cache._save_overload = _our_own(_Cache._save_overload)
on_compile(_say_so_on_a_terminal)

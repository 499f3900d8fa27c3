"""The one decorator (with its twin for inner parts): `kernel` turns plain Python on arrays into native code.

This is the only module that knows numba. Why not use numba's decorator directly: its cache notices an edit of the
file that holds a function, but not of a callee in another file, and then answers with yesterday's code. Here the
cache folder is named by a digest of all our sources (but for those that only use kernels), so an edit anywhere starts a
fresh folder.

Three ways to run: compiled (the default), plain Python (`NUMBA_DISABLE_JIT=1`) and bounds-checked (`NUMBA_BOUNDSCHECK=1`).
"""

import hashlib
import inspect
import platform
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching, event
from numba.extending import overload

from wayfolk.data import cache_home

__all__ = ["cache_folder", "inner", "instance_class", "is_plain", "kernel", "on_compile", "specialise"]

F = TypeVar("F", bound=Callable[..., Any])
FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
INNER: dict[str, Any] = FLAGS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
CONFIG: Any = numba.config
KEEP_DAYS = 30  # cache folders of older versions are removed after this long
WITHOUT_KERNELS = ("experiments", "play", "replay")  # folders no kernel is in or reads from


def kernel(function: F) -> F:
    """Compile `function` on first call, release the GIL while it runs, keep the machine code on disk."""
    compiled: F = numba.njit(cache=IS_CACHED, **FLAGS)(function)
    return compiled


def inner(function: F) -> F:
    """A kernel that only kernels call: without the way in from Python it compiles about a quarter faster."""
    compiled: F = numba.njit(cache=IS_CACHED, **INNER)(function)
    return compiled


def specialise(function: Callable[..., Any], chosen: dict[type, Callable[..., Any]]) -> None:
    """Let kernels call `function`, compiled as the one of `chosen` for the NamedTuple class of its first argument.

    The functions are plain Python with the same parameter names, entered before the first call is compiled.
    """
    if is_plain():
        return
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


def instance_class(numba_type: Any) -> type | None:
    """The NamedTuple class behind a compile-time type, for functions that are overloaded by it."""
    return getattr(numba_type, "instance_class", None)


def source_digest(package: Path) -> str:
    """A name for the present state of all sources that machine code can be made from, of numba and of the flags."""
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package)
        if inside.parts[0] not in WITHOUT_KERNELS and not inside.name.startswith("cli"):
            digest.update(f"{inside}\n".encode() + file.read_bytes() + b"\n")
    flags = (sorted(FLAGS.items()), CONFIG.BOUNDSCHECK, CONFIG.DEBUGINFO_DEFAULT)
    digest.update(repr((numba.__version__, platform.python_version(), flags)).encode())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where machine code is kept: `$WAYFOLK_CACHE`, else the user's cache folder, by digest."""
    return cache_home() / "kernels" / source_digest(Path(__file__).resolve().parents[1])


def _remove_old_folders(folder: Path) -> None:
    for sibling in folder.parent.glob("*/"):
        if sibling != folder and time.time() - sibling.stat().st_mtime > KEEP_DAYS * 86400:
            shutil.rmtree(sibling, ignore_errors=True)


def _use_cache() -> bool:
    """Tell numba where to keep machine code; False where that cannot be written: then nothing is kept."""
    folder = cache_folder()
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".lock").touch()
        if is_new:
            _remove_old_folders(folder)
    except OSError:
        return False
    CONFIG.CACHE_DIR = str(folder)
    return True


def _save_one_at_a_time(save: Callable[..., None]) -> Callable[..., None]:
    """numba numbers its files by what it sees: two processes that save at once would take the same number."""

    def locked(self: Any, key: Any, data: Any) -> None:
        try:
            import fcntl
        except ImportError:  # not on every system
            save(self, key, data)
            return
        with open(Path(CONFIG.CACHE_DIR) / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            save(self, key, data)

    return locked


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


IS_CACHED = _use_cache()
if IS_CACHED:
    _File: Any = caching.IndexDataCacheFile
    _File.save = _save_one_at_a_time(_File.save)
on_compile(_say_so_on_a_terminal)

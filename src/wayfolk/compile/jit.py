"""The decorators `kernel` and `inner`, which turn plain Python on arrays into machine code.

The code is kept on disk (`compile.code_cache`). A kernel is compiled for each mixture of 32-bit and 64-bit integers that it
is called with, as searches in which all cells are 64-bit integers take up to twice as long, but not for each constant.

The NamedTuple classes that kernels take need different names: numba takes two of the same name and the same fields for
one (a test looks for them).

Kernels get all arrays from their callers and make none (slices are fine): they are compiled without reference counting,
which would take a third of the time of a search and some of the compiler's.

Three ways to run: compiled (the default), plain Python (`NUMBA_DISABLE_JIT=1`) and bounds-checked (`NUMBA_BOUNDSCHECK=1`).
"""

import sys
import time
from collections.abc import Callable
from threading import get_ident
from typing import Any, TypeVar

from wayfolk.compile import numba_parts
from wayfolk.compile.code_cache import CHOICES, FLAGS, CodeCache
from wayfolk.compile.loading import LOADED
from wayfolk.compile.numba_parts import CONFIG, instance_class

__all__ = [
    "entry_point",
    "inlined",
    "inner",
    "instance_class",
    "is_plain",
    "kernel",
    "leading_zeros",
    "llvm_code",
    "on_compile",
    "specialise",
    "spliced",
    "trailing_zeros",
]

F = TypeVar("F", bound=Callable[..., Any])
INNER: dict[str, Any] = FLAGS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: F) -> F:
    """Compile `function` on first call, release the GIL while it runs, keep the machine code on disk."""
    return _compiled(function, **FLAGS)


def inner(function: F) -> F:
    """A kernel that only kernels call: it has no way in from Python."""
    return _compiled(function, **INNER)


def spliced(function: F) -> F:
    """An inner function that LLVM inlines wherever it is called, however large it is: for parts of a hot loop.

    A call that is not inlined copies the fields of all its arrays: in the loop of A* that takes a third of the time.
    """
    return _compiled(function, forceinline=True, **INNER)


def inlined(function: F) -> F:
    """A function that is written into the kernels that call it: the only kind that may return a part of an array."""
    return _compiled(function, inline="always", **INNER)


def _compiled(function: F, **options: Any) -> F:
    compiled: F = numba_parts.jit(function, **options)
    if not is_plain():
        numba_parts.keep_in(CodeCache(function), compiled, _timed)
    return compiled


def _timed(load: Callable[..., Any]) -> Callable[..., Any]:
    """Count the seconds in which a kernel is compiled or loaded; see `wayfolk.compile.loading`."""

    def counted(*arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return load(*arguments, **named)
        finally:
            LOADED.append((get_ident(), time.perf_counter() - began))

    return counted


def entry_point(compiled: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments of the types of `arguments`, loaded or compiled if need be.

    Calling the kernel itself finds the types of all arguments first, about half a microsecond for each array, which takes
    longer than a short search. The entry point skips that: it may be called with arguments of these types only.
    """
    return compiled if is_plain() else numba_parts.compiled_for(compiled, *arguments)


def llvm_code(compiled: Callable[..., Any], *arguments: Any) -> str:
    """LLVM's text of a kernel and all that it calls, for arguments of the types of `arguments`.

    Besides the kernel there is the function by which Python calls it, whose name begins with `_ZN7cpython`, and one for C,
    whose name begins with `cfunc.`. Other compilers of LLVM's turn the rest into code for other processors.
    """
    entry_point(compiled, *arguments)
    return numba_parts.llvm_code(compiled, *arguments)


def specialise(
    function: Callable[..., Any], chosen: dict[type, Callable[..., Any]], decorator: Callable[[Any], Any] = inner
) -> None:
    """Let kernels call `function`, compiled as the one of `chosen` for the NamedTuple class of its first argument.

    `decorator` is `inner` or, for a part of a loop that has one caller, `spliced`.

    The functions are plain Python with the same parameter names, entered before the first call is compiled. The first
    argument is passed by position.
    """
    if is_plain():
        return
    CHOICES.append((function.__module__, chosen))
    compiled: dict[type, Any] = {}

    def compiled_by(kind: type | None) -> Any:
        if kind not in chosen:
            return None
        if kind not in compiled:
            compiled[kind] = decorator(chosen[kind])
        return compiled[kind]

    numba_parts.choice(function, compiled_by)


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
    from wayfolk.compile.numba_parts import leading_zeros, trailing_zeros  # type: ignore[assignment]


def on_compile(react: Callable[[], None]) -> None:
    """Call `react` once, the first time this process has to compile a kernel; loading one from disk does not count."""
    waiting = [react]

    def heard(compiled: Any) -> None:
        if waiting and isinstance(getattr(compiled, "_cache", None), CodeCache):
            waiting.pop()()

    numba_parts.on_event(heard)


def _announce_on_a_terminal() -> None:
    if sys.stderr.isatty():
        print("compiling, first run only ...", file=sys.stderr, flush=True)


on_compile(_announce_on_a_terminal)

"""The decorators `kernel` and `inner`, which turn plain Python on arrays into machine code.

Only this module uses numba. It keeps machine code on disk in its own way, because numba's cache does not notice an edit of
a callee in another file, and then runs code that is out of date. Here the name of a file of machine code is a digest of
everything it was made from: the file of the kernel, all files that it imports (`compile.sources`), and the same for the
NamedTuple classes among its arguments and the functions chosen for them by `specialise`.

A kernel is compiled for each mixture of 32-bit and 64-bit integers that it is called with, as searches in which all cells
are 64-bit integers take up to twice as long, but not for each constant.

The NamedTuple classes that kernels take need different names: numba takes two of the same name and the same fields for
one (a test looks for them).

Kernels get all arrays from their callers and make none (slices are fine): they are compiled without reference counting,
which would take a third of the time of a search and some of the compiler's.

Three ways to run: compiled (the default), plain Python (`NUMBA_DISABLE_JIT=1`) and bounds-checked (`NUMBA_BOUNDSCHECK=1`).
"""

import hashlib
import pickle
import platform
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import get_ident
from typing import Any, TypeVar

import numpy as np

from wayfolk.compile import code_files, linking
from wayfolk.compile.loading import LOADED
from wayfolk.compile.numba_parts import caching, compiler, dispatcher, event, numba, rtsys, serialize, templates, types
from wayfolk.compile.sources import Sources
from wayfolk.machine import cache_home

__all__ = [
    "cache_folder",
    "entry_point",
    "inlined",
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
WAYS_IN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
INNER: dict[str, Any] = FLAGS | WAYS_IN | {"pipeline_class": linking.LinkedCompiler}
CONFIG: Any = numba.config
SOURCES = Sources(Path(__file__).resolve().parents[1])
_CHOICES: list[tuple[str, dict[type, Callable[..., Any]]]] = []  # by the module whose kernels call the chosen functions


def kernel(function: F) -> F:
    """Compile `function` on first call, release the GIL while it runs, keep the machine code on disk."""
    compiled: F = _keep(numba.njit(**FLAGS)(function), function)
    return compiled


def inner(function: F) -> F:
    """A kernel that only kernels call: it is linked into them, and has no way in from Python."""
    compiled: F = _keep(numba.njit(**INNER)(function), function)
    return compiled


def inlined(function: F) -> F:
    """A function that is written into the kernels that call it: the only kind that may return a part of an array."""
    compiled: F = _keep(numba.njit(inline="always", **INNER)(function), function)
    return compiled


def entry_point(compiled: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments of the types of `arguments`, loaded or compiled if need be.

    Calling the kernel itself finds the types of all arguments first, about half a microsecond for each array, which takes
    longer than a short search. The entry point skips that: it may be called with arguments of these types only.
    """
    if is_plain():
        return compiled
    code: Callable[..., Any] = compiled._compile_for_args(*arguments)  # type: ignore[attr-defined]
    return code


def specialise(function: Callable[..., Any], chosen: dict[type, Callable[..., Any]]) -> None:
    """Let kernels call `function`, compiled as the one of `chosen` for the NamedTuple class of its first argument.

    The functions are plain Python with the same parameter names, entered before the first call is compiled. The first
    argument is passed by position.
    """
    if is_plain():
        return
    _CHOICES.append((function.__module__, chosen))
    compiled: dict[type, Any] = {}
    entries: dict[Any, Any] = {}

    class Choice(templates.AbstractTemplate):  # type: ignore[misc]
        """numba asks it for the type of a call, then for the code to call."""

        key = function

        def generic(self, arguments: Any, named: Any) -> Any:
            kind = instance_class(arguments[0])
            if kind not in chosen:
                return None
            if kind not in compiled:
                compiled[kind] = inner(chosen[kind])
            called: Any = types.Dispatcher(compiled[kind])
            signature = called.get_call_type(self.context, arguments, named)
            entries[signature.args] = called.get_overload(signature)
            return signature

        def get_impl_key(self, signature: Any) -> Any:
            return entries[signature.args]

    templates.infer_global(function, types.Function(Choice))


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


@cache
def cache_folder(module: str) -> Path:
    """Where the machine code of `module` is kept: in `$WAYFOLK_CACHE`, else the user's cache folder, by digest."""
    flags = (sorted(FLAGS.items()), CONFIG.BOUNDSCHECK, CONFIG.DEBUGINFO_DEFAULT, CONFIG.OPT)
    versions = numba.__version__, np.__version__, platform.python_version()
    made_from = repr((versions, [str(flag) for flag in flags], SOURCES.digest(module)))
    digest = hashlib.sha256(made_from.encode()).hexdigest()[:16]
    return cache_home() / "kernels" / f"{module.rpartition('.')[2]}-{digest}"


def _keep(compiled: Any, function: Callable[..., Any]) -> Any:
    """Let a compiled function keep its machine code on disk, and be compiled once for all constants."""
    if not is_plain():
        compiled._cache = _CodeCache(function)
        compiled.get_call_template = _without_constants(compiled.get_call_template)
    return compiled


def _without_constants(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels pass constants to this one as any other value; numba would compile it again for each constant."""

    def resolved(arguments: Any, named: Any) -> Any:
        plain = {name: types.unliteral(kind) for name, kind in named.items()}
        return resolve(tuple(map(types.unliteral, arguments)), plain)

    return resolved


class _Once(event.Listener):  # type: ignore[misc]
    """Calls a function when something is compiled, not when it is loaded from disk; the first time only."""

    def __init__(self, react: Callable[[], None]) -> None:
        self.react: Callable[[], None] | None = react

    def on_start(self, event: Any) -> None:
        react, self.react = self.react, None
        if react is not None:
            react()

    def on_end(self, event: Any) -> None:
        pass


def on_compile(react: Callable[[], None]) -> None:
    """Call `react` once, the first time this process has to compile something."""
    event.register("numba:compile", _Once(react))


def _announce_on_a_terminal() -> None:
    if sys.stderr.isatty():
        print("compiling, first run only ...", file=sys.stderr, flush=True)


def _classes(signature: Any) -> list[type]:
    """The NamedTuple classes of a signature, in their order."""
    classes: list[type] = []
    todo = list(signature)[::-1]
    while todo:
        one = todo.pop()
        if (kind := instance_class(one)) is not None:
            classes.append(kind)
        todo += list(getattr(one, "types", ()))[::-1]
    return classes


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
            for caller, choices in _CHOICES
            if caller in reached
            for kind in classes & choices.keys()
        }
        if chosen <= sources:
            return sorted(sources)
        sources |= chosen


class _CodeCache(caching._Cache):  # type: ignore[misc]
    """Keeps what one kernel was compiled to, in a file for each signature. numba asks it before it compiles.

    The name of the file is a digest of all that decides what is in it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._is_ours = function.__module__.partition(".")[0] == SOURCES.name

    @property
    def cache_path(self) -> str:
        return str(cache_folder(self._function.__module__))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code for `signature`, None if it is not kept.

        numba's own cache first refreshes the context: it loads all that compiling needs, which takes longer than the rest.
        Our kernels are known to need none of it.
        """
        file = self._file(signature, context.codegen())
        contents = None if file is None else code_files.read(file)
        if contents is None:
            return None
        try:
            if not self._is_ours:
                context.refresh()
            elif b"NRT_" in contents:  # symbols of the runtime
                rtsys.initialize(context)
            kept = pickle.loads(contents)
            if kept[0][1] == linking.BITCODE:
                return linking.read_back(context, kept)
            return compiler.CompileResult._rebuild(context, *kept)
        except Exception as error:
            code_files.complain(f"cannot load the compiled code in {file} ({error!r}): compiling it again")
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what `signature` was compiled to."""
        if not isinstance(result.library, linking.Linked):
            linking.set_environments(result)
        file = self._file(signature, result.codegen)
        if file is not None and not result.library.has_dynamic_globals and not result.lifted:
            code_files.write(file, serialize.dumps(result._reduce()))

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        """The file for the code of one signature, None if it cannot be kept."""
        function, classes = self._function, _classes(signature)
        digests = [SOURCES.digest(module) for module in _sources(function.__module__, set(classes))]
        types = [str(kind) for kind in signature]
        # a class of the main program is another one in each process; a type with an address is a function
        if not all(digests) or any(kind.__module__ == "__main__" for kind in classes) or " at 0x" in str(types):
            return None
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        made_from = (
            function.__qualname__, function.__code__.co_firstlineno, function.__code__.co_code, serialize.dumps(cells),
            types, [f"{kind.__module__}.{kind.__qualname__}" for kind in classes], codegen.magic_tuple(), digests,
        )  # fmt: skip
        name = hashlib.sha256(repr(made_from).encode()).hexdigest()[:32]
        return cache_folder(function.__module__) / f"{function.__name__}-{name}.nbc"


def _timed(load: Callable[..., Any]) -> Callable[..., Any]:
    """Count the seconds in which a kernel is compiled or loaded; see `wayfolk.compile.loading`."""

    def counted(self: Any, *arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return load(self, *arguments, **named)
        finally:
            LOADED.append((get_ident(), time.perf_counter() - began))

    return counted


_Dispatcher: Any = dispatcher.Dispatcher
_Dispatcher._compile_for_args = _timed(_Dispatcher._compile_for_args)
on_compile(_announce_on_a_terminal)

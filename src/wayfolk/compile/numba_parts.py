"""All that Wayfolk uses of numba and llvmlite: the only file that imports them.

Public are `njit`, `config`, `types`, the events and llvmlite's `binding`. The rest numba may change in any version. It is
listed in UNSTABLE, was tried with the versions in TRIED, and is used through the functions below.
"""

import pickle
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import compiler, event, serialize, types
from numba.core.runtime.nrt import rtsys
from numba.core.typing import templates

__all__ = [
    "CONFIG",
    "TRIED",
    "UNSTABLE",
    "VERSION",
    "choice",
    "classes_of",
    "compiled_for",
    "dumps",
    "host_features",
    "instance_class",
    "is_whole",
    "jit",
    "keep_in",
    "leading_zeros",
    "llvm_code",
    "load",
    "on_event",
    "processor",
    "save",
    "trailing_zeros",
]

TRIED = ("0.63", "0.64", "0.65", "0.66", "0.67", "0.68")
"""The versions of numba that the tests of compiling ran with; pyproject.toml allows no others."""

UNSTABLE = {
    "numba.core.compiler:CompileResult._reduce": "what was compiled, as data that can be pickled",
    "numba.core.compiler:CompileResult._rebuild": "the way back",
    "numba.core.serialize:dumps": "pickles numba's types",
    "numba.core.runtime.nrt:rtsys": "the symbols of numba's runtime, for kernels of other packages that allocate",
    "numba.core.typing.templates:AbstractTemplate": "chooses a function by the types of a call",
    "numba.core.typing.templates:infer_global": "enters such a choice",
    "numba.core.dispatcher:Dispatcher._compile_for_args": "the machine code for the types of arguments",
    "numba.core.dispatcher:Dispatcher.get_call_template": "what a kernel calls for the types of arguments",
    "numba.core.dispatcher:Dispatcher.get_overload": "the code of a signature",
    "numba.core.dispatcher:Dispatcher.overloads": "what was compiled, by signature",
    "numba.core.types:Dispatcher.get_call_type": "the type of a call",
    "numba.core.codegen:CPUCodegen.magic_tuple": "the processor that code is made for",
    "numba.core.codegen:CodeLibrary.has_dynamic_globals": "whether code holds addresses of this process",
    "numba.core.codegen:CPUCodeLibrary._get_module_for_linking": "a function and all that it calls, as LLVM's module",
    "numba.core.cpu:CPUContext.codegen": "what makes machine code",
    "numba.core.base:BaseContext.refresh": "loads all that compiling needs",
    "numba.cpython.unsafe.numbers:leading_zeros": "counts the zeros before a number, in one instruction",
    "numba.cpython.unsafe.numbers:trailing_zeros": "counts the zeros behind a number, in one instruction",
}
"""The names that are not public, and what each is for. Besides them: the attribute `_cache` of a compiled function, and the
options `_nrt`, `no_cpython_wrapper` and `no_cfunc_wrapper` of `njit`."""

VERSION: str = numba.__version__
CONFIG: Any = numba.config


def jit(function: Callable[..., Any], **options: Any) -> Any:
    """`function`, compiled by numba when it is called."""
    return numba.njit(**options)(function)


def keep_in(cache: Any, compiled: Any, timed: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Let one compiled function ask `cache` for its machine code, and be compiled once for all constants.

    The cache has the methods `load_overload(signature, context)` and `save_overload(signature, result)`. `timed` wraps what
    loads or compiles the function when Python calls it. Functions of other programs stay as they are.
    """
    compiled._cache = cache
    compiled.get_call_template = _without_constants(compiled.get_call_template)
    compiled._compile_for_args = timed(compiled._compile_for_args)


def _without_constants(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels pass constants to this one as any other value; numba would compile it again for each constant."""

    def resolved(arguments: Any, named: Any) -> Any:
        plain = {name: types.unliteral(kind) for name, kind in named.items()}
        return resolve(tuple(map(types.unliteral, arguments)), plain)

    return resolved


def compiled_for(compiled: Any, *arguments: Any) -> Callable[..., Any]:
    """The machine code of a compiled function for arguments of these types."""
    code: Callable[..., Any] = compiled._compile_for_args(*arguments)
    return code


def choice(function: Callable[..., Any], compiled_by: Callable[[type | None], Any]) -> None:
    """Let compiled functions call `function` as what `compiled_by` returns for the NamedTuple class of its first argument.

    Where it returns None, the call is refused.
    """
    entries: dict[Any, Any] = {}

    class Choice(templates.AbstractTemplate):  # type: ignore[misc]
        """numba asks it for the type of a call, then for the code to call."""

        key = function

        def generic(self, arguments: Any, named: Any) -> Any:
            compiled = compiled_by(instance_class(arguments[0]))
            if compiled is None:
                return None
            called: Any = types.Dispatcher(compiled)
            signature = called.get_call_type(self.context, arguments, named)
            entries[signature.args] = called.get_overload(signature)
            return signature

        def get_impl_key(self, signature: Any) -> Any:
            return entries[signature.args]

    templates.infer_global(function, types.Function(Choice))


def instance_class(numba_type: Any) -> type | None:
    """The NamedTuple class behind a type of numba's, None if there is none."""
    return getattr(numba_type, "instance_class", None)


def classes_of(signature: Any) -> list[type]:
    """The NamedTuple classes of a signature, in their order."""
    classes: list[type] = []
    todo = list(signature)[::-1]
    while todo:
        one = todo.pop()
        if (kind := instance_class(one)) is not None:
            classes.append(kind)
        todo += list(getattr(one, "types", ()))[::-1]
    return classes


def load(context: Any, kept: bytes, is_foreign: bool) -> Any:
    """What `save` returned, as numba wants it.

    numba's own cache first refreshes the context: it loads all that compiling needs, which takes longer than the rest.
    Kernels of this package are known to need none of it.
    """
    if is_foreign:
        context.refresh()
    elif b"NRT_" in kept:  # symbols of the runtime
        rtsys.initialize(context)
    return compiler.CompileResult._rebuild(context, *pickle.loads(kept))


def save(result: Any) -> bytes:
    """What numba has compiled, to be kept."""
    kept: bytes = serialize.dumps(result._reduce())
    return kept


def dumps(values: Any) -> bytes:
    """Bytes that name any values of numba's and of ours."""
    named: bytes = serialize.dumps(values)
    return named


def is_whole(result: Any) -> bool:
    """Whether what was compiled can be used by another process: it has no addresses of this one."""
    return not result.library.has_dynamic_globals and not result.lifted


def processor(context: Any) -> tuple[str, str, str]:
    """The system, the processor and its features that numba compiles for."""
    system, name, features = context.codegen().magic_tuple()
    return str(system), str(name), str(features)


def host_features() -> set[str]:
    """The features of the processor of this machine."""
    return {name for name, has in llvm.get_host_cpu_features().items() if has}


def llvm_code(compiled: Any, *arguments: Any) -> str:
    """LLVM's text of a compiled function with all that it calls, for arguments of types that it has been called with."""
    signature = tuple(numba.typeof(argument) for argument in arguments)
    return str(compiled.overloads[signature].library._get_module_for_linking())


def on_event(react: Callable[[Any], None]) -> None:
    """Call `react(function)` whenever this process begins to compile a function, also one of somebody else."""
    event.register("numba:compile", _Reaction(react))


class _Reaction(event.Listener):  # type: ignore[misc]
    def __init__(self, react: Callable[[Any], None]) -> None:
        self.react = react

    def on_start(self, event: Any) -> None:
        self.react(event.data["dispatcher"])

    def on_end(self, event: Any) -> None:
        pass


if not CONFIG.DISABLE_JIT:
    from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

"""Compiles functions that only kernels call to LLVM's bitcode, which is linked into the kernels that call them.

numba makes machine code of every function, also of those that Python never calls. Here a function without a way in from
Python stays bitcode, optimised as always. Only kernels, with all that is linked into them, become machine code: the same as
before, and SDP takes an eighth less time to compile. (If only kernels are optimised, compiling takes less time still, but
LLVM inlines less, and SIPPS takes 1.6 times as long.)
"""

from typing import Any

from wayfolk.compile.numba_parts import codegen, compiler, dynfunc, llvm, passes, typed_passes

__all__ = ["BITCODE", "LinkedCompiler", "read_back", "set_environments"]

_Result: Any = compiler.CompileResult
BITCODE = "linked bitcode"  # what marks such a function in a file of compiled code


class Linked(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one function and of all that it calls, as bitcode."""

    def finalize(self) -> None:
        """Link in what the function calls, and optimise all of it. No machine code is made."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """What is kept on disk."""
        self._ensure_finalized()
        return self.name, BITCODE, self._final_module.as_bitcode()


@passes.register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """The last pass of numba's compiler, for functions that become bitcode."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower one function, and enter it among those that others may call."""
        state.library = Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        entry = _entry(state.library, lowered.fndesc, lowered.env)
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class LinkedCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """numba's compiler with another last pass."""

    def define_pipelines(self) -> list[Any]:
        """The passes, in their order."""
        builder = compiler.DefaultPassBuilder
        manager = passes.PassManager("linked")
        for define in (
            builder.define_untyped_pipeline, builder.define_typed_pipeline, builder.define_nopython_lowering_pipeline,
        ):  # fmt: skip
            for one, why in define(self.state).passes:
                manager.add_pass(LinkedLowering if one is typed_passes.NativeLowering else one, why)
        manager.finalize()
        return [manager]


def read_back(context: Any, kept: tuple[Any, ...]) -> Any:
    """The result of compiling a function to bitcode, from what was kept of it on disk."""
    (name, _, bitcode), fndesc, env, signature, objectmode, lifted, annotation, reload_init, referenced_envs = kept
    library = Linked(context.codegen(), name)
    library._final_module = llvm.parse_bitcode(bitcode)
    library._finalize_dynamic_globals()
    library._finalized = True
    return _Result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=env,
        entry_point=_entry(library, fndesc, env),
        fndesc=fndesc,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )


def set_environments(result: Any) -> None:
    """Tell machine code where the environments of the functions are that were linked into it."""
    for environment in result._find_referenced_environments():
        result.library.codegen.set_env(environment.env_name, environment)


def _entry(library: Any, fndesc: Any, env: Any) -> Any:
    """An object by which numba knows the function. It cannot be called: there is no code behind it."""
    name = fndesc.qualname.rpartition(".")[2]
    return dynfunc.make_function(fndesc.lookup_module(), name, "linked into kernels", 0, env, (library,))

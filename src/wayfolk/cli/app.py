"""The command line: `wayfolk demo | list | path | solve | run | play | compare | advise | check | convert | ...`.

Exit codes: 0 done, 1 not solved or faults found, 2 a mistake in the command or its files, explained in one
sentence. Long commands show their progress on stderr, and Ctrl-C stops them.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import typer

from wayfolk import __version__
from wayfolk.cli import agents, algorithms, choosing, ctrl_c, lab
from wayfolk.cli.brain import brain
from wayfolk.cli.examples import epilog
from wayfolk.cli.execute import execute
from wayfolk.cli.maps import maps
from wayfolk.cli.play import play
from wayfolk.cli.reproduce import reproduce
from wayfolk.cli.run import run
from wayfolk.errors import WayfolkError

MODULE = re.compile(r"(?:^|[,=])[A-Za-z_][\w.]*:[A-Za-z_]")  # `module:begin`, also in a list or as an option's value
VERBS: dict[str, Callable[..., None]] = {
    "demo": algorithms.demo,
    "list": algorithms.list_algorithms,
    "path": agents.path,
    "solve": agents.solve,
    "run": run,
    "play": play,
    "compare": choosing.compare,
    "advise": choosing.advise,
    "check": agents.check_plan,
    "convert": agents.convert,
    "execute": execute,
    "check-algorithm": algorithms.check_algorithm,
    "warm": algorithms.warm,
    "sweep": lab.sweep,
    "again": lab.again,
    "report": lab.report,
    "reproduce": reproduce,
}
"""The verbs in the order of the help."""

app = typer.Typer(add_completion=True, rich_markup_mode=None, pretty_exceptions_enable=False, epilog=epilog(""))
app.add_typer(maps, name="maps")
app.add_typer(brain, name="brain")
for name, verb in VERBS.items():
    app.command(name, epilog=epilog(name))(verb)


def main() -> None:
    """Run the command line; every mistake of the caller becomes one sentence."""
    gc.set_threshold(20_000, 50)  # loading creates many lasting objects: collect garbage less often
    atexit.register(_skip_last_collection)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may hold what cannot be printed
    try:
        _make_folder_importable()
        with ctrl_c.obeyed():
            code = app(prog_name="wayfolk", standalone_mode=False)
        if code == ctrl_c.STOPPED:  # what some versions of typer make of Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()
    except WayfolkError as error:
        code = _complain(str(error))
    except typer.Exit as leaving:
        code = leaving.exit_code
    except (typer.Abort, KeyboardInterrupt) as error:
        if isinstance(error.__cause__, EOFError):  # typer takes the end of any file for Ctrl-C
            raise error.__cause__ from None
        code = _complain("stopped", ctrl_c.STOPPED)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # discard what is still to be printed
        code = 1 if isinstance(error, BrokenPipeError) else _complain(f"{error.filename or 'output'}: {error.strerror}")
    except MemoryError:
        code = _complain("this does not fit into the memory of the machine")
    except Exception as error:
        if not hasattr(error, "format_message"):  # what the argument parser raises has it
            raise
        code = _complain(" ".join(str(error.format_message()).split()))
    sys.exit(code)


def _skip_last_collection() -> None:
    """Skip the garbage collection at the end of the process, except with DuckDB, which would report leaks."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def _make_folder_importable() -> None:
    """Let `module:begin` name a module here; the folder comes last, so that no file in it hides an installed module.

    Only a command that names a module, or trusts a file to do so, imports from the folder: its files may be anybody's.
    """
    if not any(part == "--trust" or MODULE.search(part) for part in sys.argv[1:]):
        return
    with suppress(OSError):  # the folder may have been deleted
        if os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())


def _complain(sentence: str, code: int = 2) -> int:
    print(f"wayfolk: {sentence}", file=sys.stderr)
    return code


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"wayfolk {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A workbench for multi-agent pathfinding."""
    if context.invoked_subcommand is None:
        print(context.get_help())

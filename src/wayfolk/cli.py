"""The command line: `wayfolk demo | list | path | solve | run | check | warm | sweep | report | reproduce | maps`.

Exit codes: 0 done, 1 not solved or faults found, 2 the caller's mistake, told in one sentence. Long work shows progress
on stderr and obeys Ctrl-C at once.
"""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from wayfolk import __version__, cli_run, ctrl_c
from wayfolk.cli_lab import add_to
from wayfolk.cli_maps import maps
from wayfolk.cli_parts import (
    Json,
    MapFile,
    MovesName,
    Opt,
    With,
    must_be_writable,
    options_of,
    place_of,
    print_json,
    print_table,
)
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.progress import bar, spinner

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(maps, name="maps")


def main() -> None:
    """Run the command line; every mistake of the caller becomes one sentence."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may hold what cannot be printed
    try:
        with ctrl_c.obeyed():
            code = app(prog_name="wayfolk", standalone_mode=False)
        if code == ctrl_c.STOPPED:  # what some versions of typer make of Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()
    except WayfolkError as error:
        code = _complain(str(error))
    except typer.Exit as leaving:
        code = leaving.exit_code
    except (typer.Abort, KeyboardInterrupt):
        code = _complain("stopped", ctrl_c.STOPPED)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still to be printed has nowhere to go
        code = 1 if isinstance(error, BrokenPipeError) else _complain(f"{error.filename or 'output'}: {error.strerror}")
    except MemoryError:
        code = _complain("this does not fit into the memory of the machine")
    except Exception as error:
        if not hasattr(error, "format_message"):  # what the argument parser raises has it
            raise
        code = _complain(" ".join(str(error.format_message()).split()))
    sys.exit(code)


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
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """The workbench for many agents finding their way at once."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The replay to write.")] = Path("demo.html"),
    agents: Annotated[int, typer.Option(help="How many patrol.")] = 100,
    loops: Annotated[int, typer.Option(help="How often they go there and back.")] = 5,
    seed: Annotated[int, typer.Option(help="For where they patrol.")] = 0,
    as_json: Json = False,
) -> None:
    """Watch LRA*, direction maps and WHCA* side by side."""
    must_be_writable(out)
    from wayfolk.demo import run_demo

    with spinner(f"{agents} agents patrol; the first run compiles"):
        made = run_demo(agents, loops, seed, out)
    if as_json:
        print_json(made)
    else:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table

        columns = {"time": 1, "distance": 1, "collisions": 1, "coherence": 2, "seconds": 1}  # digits behind the point
        title = f"{agents} agents, {loops} loops, thesis map (c)"
        table = Table("algorithm", "status", title=title, box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in columns:
            table.add_column(name, justify="right")
        for row in made["rows"]:
            numbers = (f"{row[name]:,.{digits}f}" for name, digits in columns.items())
            table.add_row(row["algorithm"], row["status"], *numbers)
        Console().print(table)
        print("distance and collisions are means for an agent and a loop")
        print("coherence is how well their lanes continue each other, from 0 to 1")
        print(f"open {out} in a browser to watch them")
    raise typer.Exit(0 if all(row["status"] == "solved" for row in made["rows"]) else 1)


@app.command("list")
def list_(
    family: Annotated[
        str | None, typer.Argument(metavar="FAMILY", help="search, realtime, planners or controllers.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the algorithms, their facts and options."""
    from wayfolk import catalogue

    if family is not None and family not in catalogue.FAMILIES:
        raise BadInput(f"there is no family {family!r}: choose {', '.join(catalogue.FAMILIES)}")
    found = catalogue.entries(family)
    if as_json:
        print_json([entry.as_dict() for entry in found])
        return
    width = max((len(entry.name) for entry in found), default=0)
    for folder in dict.fromkeys(entry.family for entry in found):
        print(f"{folder}: {catalogue.FAMILIES[folder]}")
        for entry in (e for e in found if e.family == folder):
            facts = ", ".join(fact.lower() for fact in ("OPTIMAL", "COMPLETE") if entry.facts.get(fact))
            print(f"  {entry.name:<{width}}  {entry.title}{f' [{facts}]' if facts else ''}")
            if entry.options:
                print(f"  {'':<{width}}  {', '.join(f'{option.name}={_shown(option)}' for option in entry.options)}")


def _shown(option: Any) -> str:
    """The default of an option, before what else it could be."""
    return "|".join(dict.fromkeys(map(str, (option.default, *option.choices))))


@app.command()
def path(
    map_file: MapFile,
    scen: Annotated[Path | None, typer.Option(help="A .scen file: every row is a query.")] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="X,Y", help="Start of one query.")] = None,
    goal: Annotated[str | None, typer.Option("--to", metavar="X,Y", help="Goal of one query.")] = None,
    algorithm: With = "astar",
    moves: MovesName = "eight",
    opt: Opt = [],  # noqa: B006 - typer reads it, nobody writes it
    seconds: Annotated[float | None, typer.Option(help="Give up a path after this long.")] = None,
    as_json: Json = False,
) -> None:
    """Find shortest paths: one, or all of a scenario.

    The costs of a scenario's paths are compared with its own; exit code 1 if one differs or a path is missing.
    """
    if (scen is None) == (start is None) or (start is None) != (goal is None):
        raise BadInput("say either --scen FILE, or both --from X,Y and --to X,Y")
    from wayfolk.catalogue import find
    from wayfolk.formats import read_map

    entry = find(algorithm, "search", "realtime")
    options = options_of(entry, opt)
    grid = read_map(map_file, moves)
    if scen is not None:
        from wayfolk.queries import run_queries

        made = run_queries(grid, scen, entry.name, options, seconds, bar("paths"))
        is_done = made["wrong_cost"] == 0 and made["solved"] == made["solvable"]
    else:
        from wayfolk.run import find_path

        result = find_path(grid, place_of(start or ""), place_of(goal or ""), entry.name, seconds=seconds, **options)
        made = {
            "algorithm": entry.name,
            "status": result.status.value,
            "cost": result.cost if result.path else None,
            "moves": len(result.path) - 1 if result.path else None,
            "expanded": result.expanded,
            "seconds": result.seconds,
            "path": result.path,
        }
        is_done = result.is_solved
    if as_json:
        print_json(made)
    else:
        steps = made.pop("path", None) or []
        print_table(made)
        if steps:
            print(" ".join(f"{x},{y}" for x, y in steps))
    raise typer.Exit(0 if is_done else 1)


@app.command()
def solve(
    map_file: MapFile,
    scen: Annotated[Path, typer.Option(help="A .scen file: the first rows are the agents.")],
    agents: Annotated[int | None, typer.Option(help="How many of its rows; all of them if not given.")] = None,
    algorithm: With = "whca",
    moves: MovesName = "four",
    opt: Opt = [],  # noqa: B006 - as above
    seconds: Annotated[float, typer.Option(help="Stop after this long; compiling does not count.")] = 30.0,
    steps: Annotated[int | None, typer.Option(help="Let a controller take at most so many steps.")] = None,
    seed: Annotated[int, typer.Option(help="For algorithms that draw lots.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the plan: .json, or .npz for large ones.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a replay: one page that needs no server.")] = None,
    as_json: Json = False,
) -> None:
    """Plan for many agents, and have the plan judged."""
    from wayfolk.catalogue import find

    entry = find(algorithm, "planners", "controllers")
    options = {"seed": seed} | options_of(entry, opt)
    if options["seed"] < 0:
        raise BadInput(f"a seed must be 0 or more, not {options['seed']}")
    if steps is not None and entry.family == "planners":
        raise BadInput(f"--steps is for controllers, and {entry.name} is a planner: limit its --seconds")
    must_be_writable(save, html)

    from wayfolk import metrics
    from wayfolk.check import check
    from wayfolk.formats import read_map, read_scen, write_bytes
    from wayfolk.run import solve as solve_problem
    from wayfolk.task import checked_limits

    checked_limits(seconds, None)
    grid = read_map(map_file, moves)
    problem = read_scen(scen, grid, agents)
    with spinner(f"{entry.name}, {problem.n_agents} agents") as tell:
        result = solve_problem(problem, entry.name, seconds=seconds, steps=steps, tell=tell, **options)
    plan = result.plan
    found = metrics.summary(plan, problem) if plan is not None else {}
    faults = check(plan, problem, arrive=result.is_solved) if plan is not None else []
    made = {
        "algorithm": entry.name,
        "status": result.status.value,
        "agents": problem.n_agents,
        **{name: found.get(name) for name in ("makespan", "sum_of_costs", "sum_of_loss")},
        "lower_bound": metrics.lower_bound(problem),
        "completion_rate": found.get("completion_rate", 0.0),
        "seconds": result.seconds,
        "first_seconds": result.first_seconds,
        "faults": len(faults),
    }
    if plan is not None and save is not None:
        plan.save(save, problem.goals)
    if plan is not None and html is not None:
        from wayfolk.replay import replay_html, track_of_plan

        numbers = {name.replace("_", " "): value for name, value in made.items() if isinstance(value, int | float)}
        facts = {name: f"{value:,}" if isinstance(value, int) else f"{value:.4g}" for name, value in numbers.items()}
        track = track_of_plan(plan, problem.goals, entry.label, facts)
        write_bytes(html, replay_html([track], f"{grid.name}: {entry.label}").encode(), BadInput)
    if as_json:
        print_json(made)
    else:
        print_table(made)
        if result.detail:
            print(result.detail)
        if plan is None and (save or html):
            print("there is no plan, so no file was written")
        _print_faults(faults)
    raise typer.Exit(0 if result.is_solved and not faults else 1)


cli_run.add_to(app)


@app.command("check")
def check_(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan written by `solve --save`.")],
    as_json: Json = False,
) -> None:
    """Judge a plan; exit code 1 if it has faults."""
    from wayfolk.check import check
    from wayfolk.formats import read_plan

    plan, goals = read_plan(plan_file)
    faults = check(plan, goals=goals)
    if as_json:
        print_json({"valid": not faults, "faults": [fault.as_dict() for fault in faults]})
    else:
        said = "no faults" if not faults else "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        print(f"{plan.n_agents} agents, {plan.n_steps} steps: {said}")
        _print_faults(faults)
    raise typer.Exit(1 if faults else 0)


def _print_faults(faults: list[Any], most: int = 20) -> None:
    for fault in faults[:most]:
        print(fault)
    if len(faults) > most:
        print(f"and {len(faults) - most} more: --json lists them")


@app.command()
def warm(as_json: Json = False) -> None:
    """Compile everything now, so that no later run has to."""
    from wayfolk.warm import warm_all

    began = time.perf_counter()
    names = warm_all(bar("compiling"))
    made = {"algorithms": len(names), "seconds": time.perf_counter() - began}
    if as_json:
        print_json(made)
    else:
        print(f"{len(names)} algorithms are ready after {made['seconds']:.1f} s")


add_to(app)  # the laboratory comes after what everybody needs

if __name__ == "__main__":
    main()

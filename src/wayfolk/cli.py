"""The command line: `wayfolk demo | list | path | solve | check | maps | warm`.

Exit codes: 0 done, 1 not solved or faults found, 2 the caller's mistake, told in one sentence. Long work shows progress on
stderr and obeys Ctrl-C at once.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from wayfolk import __version__
from wayfolk.errors import BadInput, WayfolkError

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
MapFile = Annotated[Path, typer.Argument(metavar="MAP", help="A Moving AI .map, a .txt drawing or an image.")]
With = Annotated[str, typer.Option("--with", metavar="NAME", help="The algorithm; see `wayfolk list`.")]
Opt = Annotated[list[str], typer.Option("--opt", metavar="NAME=VALUE", help="An option of the algorithm; repeatable.")]
MovesName = Annotated[str, typer.Option("--moves", help="four, eight (no corner cutting) or eight_cutting.")]
Seconds = Annotated[float | None, typer.Option("--seconds", help="Stop after this long.")]


def main() -> None:
    """Run the command line; every mistake of the caller becomes one sentence."""
    try:
        code = app(standalone_mode=False)
    except WayfolkError as error:
        code = _complain(str(error))
    except typer.Exit as leaving:
        code = leaving.exit_code
    except (typer.Abort, KeyboardInterrupt):
        code = _complain("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except MemoryError:
        code = _complain("this does not fit into the memory of the machine")
    except Exception as error:
        if not hasattr(error, "format_message"):  # what the argument parser raises has it
            raise
        code = _complain(str(error.format_message()).replace("\n", " "))
    sys.exit(code)


def _complain(sentence: str, code: int = 2) -> int:
    print(f"wayfolk: {sentence}", file=sys.stderr)
    return code


def _print(value: Any) -> None:
    print(json.dumps(value))


def _options(pairs: list[str]) -> dict[str, str]:
    made = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"an option is NAME=VALUE, not {pair!r}")
        made[name] = value
    return made


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"wayfolk {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which.")] = False,
) -> None:
    """The workbench for many agents finding their way at once."""


@app.command("list")
def list_(
    family: Annotated[str | None, typer.Argument(help="search, realtime, planners or controllers.")] = None,
    as_json: Json = False,
) -> None:
    """List the algorithms, their facts and options."""
    from wayfolk import catalogue

    if family is not None and family not in catalogue.FAMILIES:
        raise BadInput(f"there is no family {family!r}: choose {', '.join(catalogue.FAMILIES)}")
    found = catalogue.entries(family)
    if as_json:
        _print([entry.as_dict() for entry in found])
        return
    for folder in dict.fromkeys(entry.family for entry in found):
        print(f"{folder}: {catalogue.FAMILIES[folder]}")
        for entry in (e for e in found if e.family == folder):
            facts = [fact.lower() for fact in ("OPTIMAL", "COMPLETE") if entry.facts.get(fact)]
            options = ", ".join(f"{o.name}={o.default}" for o in entry.options)
            print(f"  {entry.name:<10} {entry.title}{' [' + ', '.join(facts) + ']' if facts else ''}")
            print(f"  {'':<10} {options}")


@app.command()
def path(
    map_file: MapFile,
    scen: Annotated[Path | None, typer.Option(help="A .scen file: every row is a query.")] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="X,Y", help="Start of one query.")] = None,
    goal: Annotated[str | None, typer.Option("--to", metavar="X,Y", help="Goal of one query.")] = None,
    algorithm: With = "astar",
    moves: MovesName = "eight",
    opt: Opt = [],  # noqa: B006 - typer reads it, nobody writes it
    seconds: Seconds = None,
    as_json: Json = False,
) -> None:
    """Find shortest paths; with --scen each cost is compared with the file's own."""
    from wayfolk.formats import read_map
    from wayfolk.queries import run_queries
    from wayfolk.run import find_path

    grid = read_map(map_file, moves)
    options = _options(opt)
    if scen is not None and start is None and goal is None:
        made = run_queries(grid, scen, algorithm, options, seconds, _bar("paths"))
        if as_json:
            _print(made)
        else:
            print(
                f"{made['solved']} of {made['queries']} paths, {made['wrong_cost']} of another cost than the file says; "
                f"{made['mean_us']:.0f} us a path (p99 {made['p99_us']:.0f}), {made['expanded_total']} cells expanded"
            )
        raise typer.Exit(0 if made["wrong_cost"] == 0 and made["solved"] == made["solvable"] else 1)
    if start is None or goal is None or scen is not None:
        raise BadInput("say either --scen FILE, or both --from X,Y and --to X,Y")
    result = find_path(grid, _place(start), _place(goal), algorithm, seconds=seconds, **options)
    if as_json:
        cost = result.cost if result.path else None
        _print({"algorithm": algorithm, "status": result.status.value, "cost": cost, "path": result.path,
                "expanded": result.expanded, "seconds": result.seconds})  # fmt: skip
    elif result.path:
        print(f"cost {result.cost:.4f}, {len(result.path) - 1} moves, {result.expanded} cells expanded")
        print(" ".join(f"{x},{y}" for x, y in result.path))  # type: ignore[misc]
    else:
        print(f"no path: {result.status.value}")
    raise typer.Exit(0 if result.is_solved else 1)


def _place(text: str) -> tuple[int, int]:
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"a place is X,Y, two whole numbers, not {text!r}") from None
    return x, y


@app.command()
def solve(
    map_file: MapFile,
    scen: Annotated[Path, typer.Option(help="A .scen file: the first rows are the agents.")],
    agents: Annotated[int | None, typer.Option(help="How many of its rows; all of them if not given.")] = None,
    algorithm: With = "whca",
    moves: MovesName = "four",
    opt: Opt = [],  # noqa: B006 - as above
    seconds: Annotated[float, typer.Option("--seconds", help="Stop after this long.")] = 30.0,
    steps: Annotated[int | None, typer.Option(help="Let a controller take at most so many steps.")] = None,
    seed: Annotated[int, typer.Option(help="For algorithms that draw lots.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the plan: .json, or .npz for large ones.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a replay: one page that needs no server.")] = None,
    as_json: Json = False,
) -> None:
    """Plan for many agents, let the independent judge look at the plan, and say how good it is."""
    from wayfolk import metrics
    from wayfolk.check import check
    from wayfolk.formats import read_map, read_scen
    from wayfolk.run import solve as solve_problem

    grid = read_map(map_file, moves)
    problem = read_scen(scen, grid, agents)
    with _spinner(f"{algorithm}, {problem.n_agents} agents") as tell:
        result = solve_problem(
            problem, algorithm, seconds=seconds, steps=steps, seed=seed, tell=tell, **_options(opt)
        )
    plan = result.plan
    found = metrics.summary(plan, problem) if plan is not None else {}
    faults = check(plan, problem, arrive=result.is_solved) if plan is not None else []
    made = {
        "algorithm": algorithm,
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
        from wayfolk.replay import track_of_plan, write_replay

        facts = {name.replace("_", " "): f"{value:.4g}" for name, value in made.items() if isinstance(value, int | float)}
        write_replay([track_of_plan(plan, problem.goals, algorithm, facts)], html, f"{grid.name}: {algorithm}")
    if as_json:
        _print(made)
    else:
        for name, value in made.items():
            print(f"{name.replace('_', ' '):<16} {value:.4f}" if isinstance(value, float) else f"{name:<16} {value}")
        for sentence in [result.detail] if result.detail else []:
            print(sentence)
        for fault in faults[:20]:
            print(fault)
    raise typer.Exit(0 if result.is_solved and not faults else 1)


@app.command("check")
def check_(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan written by `solve --save`.")],
    as_json: Json = False,
) -> None:
    """Let the independent judge look at a plan; exit code 1 if it finds faults."""
    from wayfolk.check import check
    from wayfolk.formats import read_plan

    plan, goals = read_plan(plan_file)
    faults = check(plan, goals=goals)
    if as_json:
        _print({"valid": not faults, "faults": [fault.as_dict() for fault in faults]})
    else:
        print(f"{plan.n_agents} agents, {plan.n_steps} steps: {'no faults' if not faults else f'{len(faults)} faults'}")
        for fault in faults[:100]:
            print(fault)
    raise typer.Exit(1 if faults else 0)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The replay to write.")] = Path("demo.html"),
    agents: Annotated[int, typer.Option(help="How many patrol.")] = 100,
    loops: Annotated[int, typer.Option(help="How often they go there and back.")] = 5,
    seed: Annotated[int, typer.Option(help="For where they patrol.")] = 0,
    as_json: Json = False,
) -> None:
    """Watch LRA* and WHCA* side by side: 100 agents patrol through a congested map."""
    from wayfolk.demo import run_demo

    with _spinner("100 agents patrol; the first run compiles") as tell:
        made = run_demo(agents, loops, seed, out, tell)
    if as_json:
        _print(made)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("algorithm", title=f"{agents} agents, {loops} loops, thesis map (c)")
    for name in ("simulation time", "distance a loop", "collisions a loop", "cells expanded a loop", "seconds"):
        table.add_column(name, justify="right")
    for row in made["rows"]:
        numbers = [row[key] for key in ("time", "distance", "collisions", "expanded", "seconds")]
        table.add_row(row["algorithm"], *(f"{number:,.1f}" for number in numbers))
    Console().print(table)
    print(f"Open {out} in a browser to watch them.")


@app.command()
def warm(as_json: Json = False) -> None:
    """Compile everything now, so that no later run has to."""
    from wayfolk.warm import warm_all

    began = time.perf_counter()
    names = warm_all(_bar("compiling"))
    made = {"algorithms": len(names), "seconds": time.perf_counter() - began}
    if as_json:
        _print(made)
    else:
        print(f"{len(names)} algorithms are ready after {made['seconds']:.1f} s")


from wayfolk.cli_maps import maps  # noqa: E402 - a verb with verbs of its own, which needs what stands above
from wayfolk.progress import bar as _bar  # noqa: E402
from wayfolk.progress import spinner as _spinner  # noqa: E402

app.add_typer(maps, name="maps", help="Make, show, scale and convert maps.")

if __name__ == "__main__":
    main()

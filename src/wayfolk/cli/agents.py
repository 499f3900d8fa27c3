"""The verbs that move agents: path, solve and check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.cli.parts import (
    Cluster,
    Format,
    Html,
    Json,
    Memory,
    Opt,
    Opts,
    PathMoves,
    PlanMoves,
    Random,
    Save,
    Seed,
    With,
    bytes_of,
    chosen_of,
    must_be_plan,
    must_be_replay,
    must_be_writable,
    name_with,
    names_of_algorithms,
    options_of,
    preset,
    print_json,
    print_table,
    with_cluster,
)
from wayfolk.cli.progress import bar, spinner
from wayfolk.cli.worlds import (
    Bodies,
    BodyOptions,
    Radius,
    Scen,
    Size,
    Speed,
    Turns,
    WorldFile,
    place_of,
    problem_of,
    read_world_file,
)
from wayfolk.errors import BadInput

MOST_SEARCHES = 4  # panels of a replay
BOUND = 0.25  # seconds for the lower bound after a deadline
SECONDS = 30.0  # the limit of `solve`, unless another one is given

if TYPE_CHECKING:
    from wayfolk.problem.result import Result


def path(
    map_file: WorldFile,
    scen: Annotated[Path | None, typer.Option(help="A .scen file: every row is a query.")] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="X,Y", help="Start of one query; on a roadmap the name of a place.")
    ] = None,
    goal: Annotated[
        str | None, typer.Option("--to", metavar="X,Y", help="Goal of one query; on a roadmap the name of a place.")
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="NAME",
            help="The algorithm: a name of `wayfolk list`, or module:begin. For one query, up to four: NAME,NAME.",
            autocompletion=names_of_algorithms("search", "realtime"),
        ),
    ] = "astar",
    moves: PathMoves = "eight",
    size: Size = None,
    radius: Annotated[
        float | None, typer.Option("--radius", help="Radius of an agent that is a disc, in cells.")
    ] = None,
    opt: Opts = [],  # noqa: B006 - typer reads it, nothing writes to it
    seconds: Annotated[float | None, typer.Option(help="Seconds after which the search for a path stops.")] = None,
    memory: Memory = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Write a replay of the search: a page (.html), a film (.gif, .mp4, .svg) or a picture (.png)."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find shortest paths: one, or all of a scenario.

    The costs of a scenario's paths are compared with those in the file. Exit code 1 if one differs or a path is missing.
    """
    if (scen is None) == (start is None) or (start is None) != (goal is None):
        raise BadInput("give either --scen FILE, or both --from X,Y and --to X,Y")
    if html is not None and scen is not None:
        raise BadInput("--html shows one query: give --from X,Y and --to X,Y instead of --scen")
    if scen is not None and (size is not None or radius is not None):
        raise BadInput("--size and --radius are for one query: give --from X,Y and --to X,Y instead of --scen")
    from wayfolk.world.grid import Grid

    chosen = chosen_of(algorithm, opt, "search", "realtime")
    if len(chosen) > 1 and scen is not None:
        raise BadInput("--scen is for one algorithm, and --with names several")
    if len(chosen) > MOST_SEARCHES:
        raise BadInput(f"--with names at most {MOST_SEARCHES} algorithms, not {len(chosen)}")
    most = bytes_of(memory)
    if most is not None and scen is not None:
        raise BadInput("--memory limits one query: give --from X,Y and --to X,Y instead of --scen")
    must_be_replay(html)
    world = read_world_file(map_file, moves)
    if scen is not None:
        from wayfolk.algorithms.queries import run_queries

        if not isinstance(world, Grid):
            raise BadInput(f"--scen is for maps of squares, not for {world!r}: give --from NAME and --to NAME")
        answer = run_queries(world, scen, *chosen[0], seconds, bar("paths"))
        is_done = answer["wrong_cost"] == 0 and answer["solved"] == answer["solvable"]
    else:
        from wayfolk.algorithms.paths import find_path, make_ready

        ends = place_of(start or "", world), place_of(goal or "", world)
        body: dict[str, Any] = {"size": 1 if size is None else size, "radius": radius or 0.0}
        start_at, end_at = ends
        answers, results = [], []
        for entry, options in chosen:
            make_ready(entry)  # compiling is not part of the seconds
            result = find_path(world, start_at, end_at, entry, seconds=seconds, memory=most, **body, **options)
            results.append(result)
            answers.append(_as_answer(name_with(entry, options if len(chosen) > 1 else {}), result))
        answer = answers[0] if len(answers) == 1 else {"searches": answers}
        is_done = all(each["status"] == "solved" for each in answers)
        if html is not None:
            _write_searches(html, world, ends, chosen, results, seconds, body)
    if as_json:
        print_json(answer)
    else:
        for k, each in enumerate(answer.get("searches", [answer])):
            if k:
                print()
            steps = each.pop("path", None) or []
            print_table(each)
            if steps:
                words = (",".join(map(str, step)) if isinstance(step, tuple) else str(step) for step in steps)
                print(" ".join(words))
    raise typer.Exit(0 if is_done else 1)


def _write_searches(
    html: Path, world: Any, ends: Any, chosen: Any, results: list[Result], seconds: float | None, body: dict[str, Any]
) -> None:
    """Write the replay of searches on a map; in other worlds, and of bodies, that of an agent that walks on each path."""
    from wayfolk.replay import search_page
    from wayfolk.replay.page import Page
    from wayfolk.replay.results import track_of_path
    from wayfolk.world.body import Body
    from wayfolk.world.grid import Grid

    if isinstance(world, Grid) and body == {"size": 1, "radius": 0.0}:
        search_page(world, *ends, *(preset(*each) for each in chosen), seconds=seconds).save(html)
        return
    tracks = [track_of_path(result, world, Body(size=body["size"])) for result in results if result.is_solved]
    if not tracks:
        print(f"wayfolk: {html} was not written, because there is no path", file=sys.stderr)
        return
    Page(tracks, f"{world.name or 'Path'}: {' and '.join(track.title for track in tracks)}").save(html)


def _as_answer(name: str, result: Result) -> dict[str, Any]:
    """What `path` prints of one query."""
    return {
        "algorithm": name,
        "status": result.status.value,
        "cost": result.cost if result.path else None,
        "moves": len(result.path) - 1 if result.path else None,
        "expanded": result.expanded,
        "seconds": result.seconds,
        "path": result.path,
    }


def solve(
    map_file: WorldFile,
    scen: Scen = None,
    agents: Annotated[int | None, typer.Option(help="Number of agents; without it, all rows of the file.")] = None,
    random: Random = None,
    algorithm: With = "auto",
    moves: PlanMoves = "four",
    size: Size = None,
    radius: Radius = None,
    turns: Turns = False,
    speed: Speed = None,
    bodies: Bodies = None,
    opt: Opt = [],  # noqa: B006 - as above
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds after which planning stops; compiling does not count. Planners that improve their plans do so "
            "until then. Without it, the first plan is the answer, and the limit is 30 seconds."
        ),
    ] = None,
    memory: Memory = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Most steps of a controller; by default 1,000 + 10 x (width + height of the map)."),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            help="What to minimise: makespan, sum_of_costs or sum_of_loss; for planners that have the choice."
        ),
    ] = None,
    seed: Seed = 0,
    cluster: Cluster = None,
    save: Save = None,
    format: Format = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Find a plan for many agents, and check it.

    If not all agents arrive, it prints which agents are in the way of which others, and which complete planners to try.
    Exit code 1 if not all agents arrive, or the plan has faults.
    """
    if (scen is None) == (random is None):
        raise BadInput("give either --scen FILE, or --random N to draw agents")
    if agents is not None and scen is None:
        raise BadInput("--agents is for the rows of --scen: --random N is the number of agents that are drawn")
    from wayfolk.algorithms.catalogue import find
    from wayfolk.algorithms.suitability import with_objective
    from wayfolk.algorithms.task import checked_limits, checked_seed
    from wayfolk.files.exchange import export_plan

    entry = find(algorithm, "planners", "controllers")
    options = with_cluster(entry, {"seed": seed} | options_of(entry, opt), cluster)
    if objective is not None:
        options = with_objective(entry, objective, options)
    checked_seed(options["seed"])
    checked_limits(seconds=seconds, steps=steps)
    most = bytes_of(memory)
    if steps is not None and entry.family == "planners":
        raise BadInput(f"--steps is for controllers, and {entry.name} is a planner: limit its --seconds")
    must_be_plan(save, format)
    must_be_replay(html)

    from wayfolk.judge import metrics
    from wayfolk.judge.plans import check
    from wayfolk.simulation.solving import solve as solve_problem

    world = read_world_file(map_file, moves)
    problem = problem_of(world, scen, random, agents, BodyOptions(size, radius, turns, speed, bodies), seed)
    with spinner(f"{entry.name}, {problem.n_agents} agents") as tell:
        limits: dict[str, Any] = {"seconds": SECONDS if seconds is None else seconds, "steps": steps, "memory": most}
        result = solve_problem(problem, entry, first_plan=seconds is None, **limits, tell=tell, **options)
    plan = result.plan
    measured = metrics.summary(plan, problem) if plan is not None else {}
    faults = check(plan, problem) if plan is not None else []
    answer: dict[str, Any] = {
        "algorithm": entry.name,
        "status": result.status.value,
        "agents": problem.n_agents,
        **{name: measured.get(name) for name in ("makespan", "sum_of_costs", "sum_of_loss")},
        "lower_bound": metrics.lower_bound(problem, None if seconds is None else max(seconds - result.seconds, BOUND)),
        "completion_rate": measured.get("completion_rate", 0.0),
        "seconds": result.seconds,
        "first_seconds": result.first_seconds,
        "faults": len(faults),
    }
    if plan is not None and save is not None:
        export_plan(plan, save, problem.goals, format=format, scenario=problem.name, lower_bound=answer["lower_bound"])
    if plan is not None and html is not None:
        from wayfolk.replay import track_of_plan, write_replay
        from wayfolk.replay.blockages import blocked_layers

        numbers = {name.replace("_", " "): value for name, value in answer.items() if isinstance(value, int | float)}
        facts = {name: f"{value:,}" if isinstance(value, int) else f"{value:.4g}" for name, value in numbers.items()}
        layers = result.layers + blocked_layers(result.blockages, plan)
        track = track_of_plan(plan, problem.goals, entry.label, facts, layers)
        write_replay([track], html, f"{world.name}: {entry.label}")
    if as_json:
        why = [blockage.as_dict() for blockage in result.blockages]
        print_json(answer | {"detail": result.detail, "why": why, "complete": list(result.complete)})
    else:
        print_table(answer)
        _print_reasons(result)
        if plan is None and (save or html):
            print("no file was written, because there is no plan")
        _print_faults(faults, "wayfolk check --json lists them")
    raise typer.Exit(0 if result.is_solved and not faults else 1)


PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN", help="A plan of `solve --save`, or of another tool together with its map.")
]
PlanMap = Annotated[
    Path | None, typer.Option("--map", help="The map, for plans of other tools, which hold none, and for --scen.")
]
PlanScen = Annotated[
    Path | None,
    typer.Option("--scen", help="The scenario, or the file of agents, for its goals and for the MAPF Tracker."),
]


def check_plan(
    plan_file: PlanFile,
    map_file: PlanMap = None,
    scen: PlanScen = None,
    moves: PlanMoves = "four",
    as_json: Json = False,
) -> None:
    """Check a plan. Exit code 1 if it has faults."""
    from wayfolk.judge.plans import check

    plan, goals = _plan_of(plan_file, map_file, scen, moves)
    faults = check(plan, goals=goals)
    if as_json:
        print_json({"valid": not faults, "faults": [fault.as_dict() for fault in faults]})
    else:
        verdict = "no faults" if not faults else "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        print(f"{plan.n_agents} agents, {plan.n_steps} steps: {verdict}")
        _print_faults(faults, "--json lists them")
    raise typer.Exit(1 if faults else 0)


def convert(
    plan_file: PlanFile,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .json, .npz, .txt or .csv.")],
    map_file: PlanMap = None,
    scen: PlanScen = None,
    moves: PlanMoves = "four",
    format: Format = None,
    as_json: Json = False,
) -> None:
    """Convert a plan to another format.

    Reads and writes the formats of Wayfolk, of PlanViz and the League of Robot Runners, of mapf-visualizer and of the MAPF
    Tracker, and CSV tables.
    """
    from wayfolk.files.exchange import export_plan, format_of

    kind = format_of(out, format)
    must_be_writable(out)
    plan, goals = _plan_of(plan_file, map_file, scen, moves)
    export_plan(plan, out, goals, format=kind, scenario="" if scen is None else scen.stem)
    if as_json:
        print_json({"file": str(out), "format": kind, "agents": plan.n_agents, "steps": plan.n_steps})
    else:
        print(f"{out}: {plan.n_agents} agents, {plan.n_steps} steps, in the format {kind}")


def _plan_of(plan_file: Path, map_file: Path | None, scen: Path | None, moves: str) -> Any:
    """A plan and its goals; the map and the scenario are read if they are given."""
    from wayfolk.files.exchange import import_plan

    if scen is not None and map_file is None:
        raise BadInput("--scen needs --map as well: a scenario is for a map")
    world = None if map_file is None else read_world_file(map_file, moves)
    problem = None if scen is None or world is None else problem_of(world, scen, None, None, BodyOptions(), 0)
    return import_plan(plan_file, world, problem)


def _print_reasons(result: Result) -> None:
    """Print why a problem is not solved, and what to try."""
    from wayfolk.judge.blockage import sentences

    for line in [result.detail, *sentences(result.blockages)]:
        if line:
            print(line)
    others = [name for name in result.complete if name != result.algorithm]
    if others:
        print(f"complete algorithms that fit, which find a plan if there is one: {', '.join(others)}")


def _print_faults(faults: list[Any], for_all: str, most: int = 20) -> None:
    """Print the first faults; `for_all` says how to see the others."""
    for fault in faults[:most]:
        print(fault)
    if len(faults) > most:
        print(f"and {len(faults) - most} more: {for_all}")

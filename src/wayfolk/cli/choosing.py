"""The verbs that help to choose an algorithm: compare and advise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wayfolk.cli.parts import (
    Json,
    Opts,
    PlanMoves,
    Seed,
    chosen_of,
    must_be_page,
    must_be_writable,
    names_of_algorithms,
    preset,
    print_json,
    print_rows,
)
from wayfolk.cli.progress import bar
from wayfolk.cli.worlds import Bodies, BodyOptions, Radius, Size, Speed, Turns, WorldFile, read_world_file
from wayfolk.errors import BadInput

MOST_SEEDS = 1000  # of a comparison, whose trials are all in its report
Agents = Annotated[int, typer.Option(help="Number of agents, drawn at random in the largest part of the map.")]


def compare(
    map_file: WorldFile,
    agents: Annotated[
        str,
        typer.Option(
            metavar="N[,N...]",
            help="Number of agents, drawn at random in the largest part of the map; or several, such as 20,50,100, for a "
            "curve.",
        ),
    ],
    algorithms: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="Planners and controllers, with commas between them. controllers/lacam is the controller of two lacam.",
            autocompletion=names_of_algorithms("planners", "controllers"),
        ),
    ] = "auto,lacam,pibt,whca",
    opt: Opts = [],  # noqa: B006 - typer reads it, nothing writes to it
    seeds: Annotated[
        int, typer.Option(help="Number of random problems. Their seeds are --seed, --seed + 1 and so on.")
    ] = 3,
    seed: Seed = 1,
    lifelong: Annotated[
        bool, typer.Option("--lifelong", help="Give agents a new task whenever they arrive; for controllers.")
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(help="Most steps of a controller; with --lifelong, the steps of work, 1,000 by default."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds for each algorithm and problem; compiling does not count. Without it, planners stop at their "
            "first plan, and the limit is 30."
        ),
    ] = None,
    moves: PlanMoves = "four",
    size: Size = None,
    radius: Radius = None,
    turns: Turns = False,
    speed: Speed = None,
    bodies: Bodies = None,
    html: Annotated[Path, typer.Option("--html", help="File of the report, with a replay in it.")] = Path(
        "compare.html"
    ),
    export: Annotated[
        Path | None, typer.Option("--export", help="Write the table of means to a .csv or .tex (LaTeX) file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare algorithms on random problems of a map.

    All algorithms get the same problems. Prints a table of means, and writes a report with this table, every trial, and a
    replay of the first problem side by side; with several numbers of agents, also curves over them. Exit code 1 if an
    algorithm refuses the map, or a fault is found.
    """
    from wayfolk.algorithms.task import checked_limits, checked_seed

    families = ("controllers",) if lifelong else ("planners", "controllers")
    entries = [preset(*each) for each in chosen_of(algorithms, opt, *families)]
    checked_limits(seconds=seconds, steps=steps, seeds=seeds)
    counts = counts_of(agents)
    if seeds > MOST_SEEDS:
        raise BadInput(f"--seeds must be at most {MOST_SEEDS:,}, not {seeds}: use `wayfolk sweep` for more")
    checked_seed(checked_seed(seed) + seeds - 1)
    must_be_page(html)
    from wayfolk.experiments.reports.table_files import check_table_file, write_table

    if export is not None:
        check_table_file(export)
        must_be_writable(export)
    from wayfolk.experiments.choosing.comparison import compare as run_all
    from wayfolk.experiments.choosing.comparison import report_html
    from wayfolk.files.raw import write_bytes
    from wayfolk.world.grid import Grid

    world = read_world_file(map_file, moves)
    options = BodyOptions(size, radius, turns, speed, bodies)
    chosen = range(seed, seed + seeds)
    comparison = run_all(
        world, entries, counts, chosen, seconds=seconds, steps=steps, lifelong=lifelong, walk=bar("comparing"),
        bodies_of=(lambda _: options.one()) if lifelong else options.each,
    )  # fmt: skip
    what = "endless tasks" if lifelong else "one goal each"
    rule = f"{world.moves.value} moves, " if isinstance(world, Grid) else ""
    how = (
        f"{', '.join(map(str, counts))} agents, {what}, {seeds} random problems from seed {seed}, "
        f"{rule}{'first plans' if seconds is None else f'{seconds:g} seconds each'}. Means over the "
        "problems; costs are means over those that the algorithm solved. The best value of a column is marked, that of "
        "costs among the algorithms that solved most."
    )
    page = report_html(comparison, f"{world.name}: {', '.join(entry.label for entry in entries)}", how)
    write_bytes(html, page.encode(), BadInput)
    if export is not None:
        write_table(comparison.rows, ["algorithm", *comparison.columns], export)
    if as_json:
        print_json(comparison.as_dict() | {"report": str(html)})
    else:
        print_rows(comparison.rows, ["algorithm", *(["agents"] if len(counts) > 1 else []), *comparison.columns])
        for row in comparison.rows:
            if "detail" in row:
                print(f"{row['algorithm']} refuses: {row['detail']}")
        print(f"open {html} in a browser for the report and the replay")
    raise typer.Exit(0 if comparison.is_sound else 1)


def counts_of(agents: str) -> list[int]:
    """The numbers of agents in a text such as 20,50,100, the smallest first."""
    from wayfolk.algorithms.task import checked_limits

    try:
        counts = sorted({int(word) for word in agents.split(",")})
    except ValueError:
        raise BadInput(f"--agents is a whole number, or several with commas between them, not {agents!r}") from None
    for count in counts:
        checked_limits(agents=count)
    return counts


def advise(
    map_file: WorldFile,
    agents: Agents,
    step_ms: Annotated[
        float | None,
        typer.Option(
            "--step-ms", help="Most milliseconds of a step, not counting the first. Only controllers are tried then."
        ),
    ] = None,
    changing: Annotated[
        bool,
        typer.Option(
            "--changing", help="The map or the goals change while agents move. Only controllers are tried then."
        ),
    ] = False,
    complete: Annotated[
        bool, typer.Option("--complete", help="Try only algorithms that find a plan if there is one.")
    ] = False,
    lifelong: Annotated[
        bool,
        typer.Option(
            "--lifelong",
            help="Agents get a new task whenever they arrive: recommend the controller that does most tasks.",
        ),
    ] = False,
    seconds: Annotated[float, typer.Option(help="Seconds of planning for all candidates together.")] = 20.0,
    moves: PlanMoves = "four",
    size: Size = None,
    radius: Radius = None,
    turns: Turns = False,
    speed: Speed = None,
    bodies: Bodies = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Recommend an algorithm for a map.

    Tries the candidates on one random problem, and prints a table of them, the best first. Candidates whose steps take at
    most --step-ms come before the others. Among them, those that bring more agents to their goals come first, then those
    with lower costs; with --lifelong, those that do more tasks.
    """
    from wayfolk.algorithms.task import checked_limits, checked_seed

    checked_limits(seconds=seconds, agents=agents)
    checked_seed(seed)
    if step_ms is not None and not step_ms > 0:
        raise BadInput(f"--step-ms must be more than 0, not {step_ms:g}")
    from wayfolk.algorithms.catalogue import entries
    from wayfolk.experiments.choosing.advice import advise as try_candidates

    options = BodyOptions(size, radius, turns, speed, bodies)
    advice = try_candidates(
        read_world_file(map_file, moves), agents, step_ms=step_ms, changing=changing, complete=complete, lifelong=lifelong,
        seconds=seconds, seed=seed, walk=bar("trying"), bodies=options.one() if lifelong else options.each(agents),
    )  # fmt: skip
    if as_json:
        print_json(advice.as_dict())
        return
    measures = ["throughput", "tasks", "service_p90"] if lifelong else ["arrived", "above_bound", "makespan"]
    columns = ["algorithm", "family", *measures, "seconds"]
    columns += ["first_step_ms", "step_p50_ms", "step_p99_ms"]
    print_rows(advice.rows, columns)
    print(f"\nuse {advice.recommended}, of the {advice.family}: {advice.why}")
    if [entry.name for entry in entries()].count(advice.recommended) > 1:
        print(
            f"another family has an algorithm of this name: {advice.family}/{advice.recommended} is the one meant here"
        )

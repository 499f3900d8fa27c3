"""The verb that executes a plan with delays: execute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from wayfolk.cli.parts import Format, Html, Json, Save, Seed, must_be_plan, must_be_replay, print_json, print_table


def execute(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A legal plan, as `solve --save` writes it.")],
    delay: Annotated[float, typer.Option(help="Probability with which an agent is delayed in a step.")] = 0.1,
    apart: Annotated[
        bool, typer.Option("--apart", help="Let an agent enter a cell only one step after another agent has left it.")
    ] = False,
    seed: Seed = 0,
    save: Save = None,
    format: Format = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Execute a plan with random delays, and check it.

    Each move begins as soon as the moves that must come before it are done. With `--delay 0` this removes needless waits.
    Exit code 1 if the judge finds a fault.
    """
    must_be_plan(save, format)
    must_be_replay(html)
    from wayfolk.files.plans import read_plan
    from wayfolk.judge.metrics import sum_of_costs
    from wayfolk.judge.plans import check
    from wayfolk.simulation.dependencies import dependencies

    plan, goals = read_plan(plan_file)
    graph = dependencies(plan)
    executed = graph.execute(delay=delay, follow=not apart, seed=seed)
    faults = check(executed, starts=plan.cells[0], goals=plan.cells[-1])
    answer: dict[str, Any] = {
        "agents": plan.n_agents,
        "moves": graph.n_actions,
        "rings": graph.n_rings,
        "planned_steps": plan.n_steps,
        "steps": executed.n_steps,
        "planned_sum_of_costs": None if goals is None else sum_of_costs(plan, goals),
        "sum_of_costs": None if goals is None else sum_of_costs(executed, goals),
        "faults": len(faults),
    }
    if save is not None:
        executed.save(save, goals, format=format)
    if html is not None:
        from wayfolk.replay import track_of_plan, write_replay

        tracks = [track_of_plan(plan, goals, "as planned"), track_of_plan(executed, goals, f"delay {delay:g}")]
        write_replay(tracks, html, f"{plan.grid.name}: executed with delays")
    if as_json:
        print_json(answer)
    else:
        print_table(answer)
        for fault in faults[:20]:
            print(fault)
    raise typer.Exit(1 if faults else 0)

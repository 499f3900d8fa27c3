"""The verb that plays scenes: run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from wayfolk.cli_parts import Json, Opt, must_be_writable, options_of, print_json, print_table
from wayfolk.errors import BadInput
from wayfolk.progress import spinner

LISTS = ("shared_goals", "waiting", "notes")  # which JSON has, and the table tells in sentences


def run(
    scene_file: Annotated[Path, typer.Argument(metavar="SCENE", help="A scene as a TOML file.")],
    algorithm: Annotated[
        str | None, typer.Option("--with", metavar="NAME", help="Another controller than the scene's.")
    ] = None,
    opt: Opt = [],  # noqa: B006 - typer reads it, nobody writes it
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds of planning.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this time of the scene.")] = None,
    seed: Annotated[int | None, typer.Option(help="For whatever is drawn.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a replay: one page that needs no server.")] = None,
    as_json: Json = False,
) -> None:
    """Play a scene: agents with errands, and what happens to them.

    Exit code 1 if somebody is not done in time, or the judge finds a fault. A scene without an end is done when its time
    is over.
    """
    for name, limit in (("seconds", seconds), ("until", until)):
        if limit is not None and not 0 < limit < float("inf"):
            raise BadInput(f"{name} must be more than 0, not {limit}")
    if seed is not None and seed < 0:
        raise BadInput(f"a seed must be 0 or more, not {seed}")
    must_be_writable(html)
    from wayfolk import catalogue
    from wayfolk.scene import play, read_scene

    scene = read_scene(scene_file, seed=seed)
    entry = catalogue.find(scene.controller if algorithm is None else algorithm, "controllers")
    given = options_of(entry, opt)
    if "seed" in given:
        raise BadInput("say --seed for the scene's seed")
    scene = replace(
        scene,
        controller=entry.name,
        options=(scene.options if entry.name == scene.controller else {}) | given,
        seconds=scene.seconds if seconds is None else seconds,
        until=scene.until if until is None else until,
    )
    with spinner(f"{scene.name}: {entry.name}, {len(scene.errands)} agents") as tell:
        played = play(scene, tell=tell)
    made = played.as_dict()
    if html is not None:
        from wayfolk.replay import Track, write_replay

        write_replay([Track(entry.label, played.run.record, _facts(made))], html, f"{scene.name}: {entry.label}")
    if as_json:
        print_json(made)
    else:
        print_table({name: value for name, value in made.items() if name not in LISTS})
        for note in played.notes:
            print(note)
    raise typer.Exit(0 if played.is_done and not made["faults"] else 1)


def _facts(made: dict[str, Any]) -> dict[str, str]:
    """The numbers, for the panel of a replay."""
    numbers = {name.replace("_", " "): value for name, value in made.items() if isinstance(value, int | float)}
    return {name: f"{value:,}" if isinstance(value, int) else f"{value:.4g}" for name, value in numbers.items()}


def add_to(app: typer.Typer) -> None:
    """Make this a verb of the command line."""
    app.command()(run)

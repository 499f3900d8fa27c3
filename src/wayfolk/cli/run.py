"""The verb that runs scenes, fleets and random agents: run."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from wayfolk.cli.parts import (
    MOVES,
    Cluster,
    Format,
    Html,
    Json,
    Memory,
    Opt,
    Random,
    Save,
    Trust,
    bytes_of,
    must_be_plan,
    must_be_replay,
    must_be_writable,
    names_of_algorithms,
    options_of,
    print_json,
    print_table,
    with_cluster,
)
from wayfolk.cli.progress import spinner
from wayfolk.cli.robots import UNTIL, Robots, run_on_map
from wayfolk.cli.worlds import BodyOptions, Radius, Size, Speed, Turns
from wayfolk.errors import BadInput
from wayfolk.machine import memory_limit

if TYPE_CHECKING:
    from wayfolk.simulation.scene.scene import Scene
    from wayfolk.simulation.scene.street_scene import StreetScene

WRITERS = (".txt", ".sqlite", ".npz")
LISTS = ("shared_goals", "waiting", "notes")  # JSON has them; the table prints the notes as sentences instead
ONLY_ENDING = ("completion_rate", "completion_time", "completion_seconds")  # of no meaning for endless work
ONLY_ENDLESS = ("tasks", "throughput", "waiting_share", "service_p50", "service_p90", "service_p99")


def run(
    scene_file: Annotated[
        Path,
        typer.Argument(
            metavar="SCENE|MAP",
            help="A scene (.toml), or a map or another world file with --random or --scen; or the name of a built-in one.",
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAME",
            help="The controller: a name of `wayfolk list`, or module:begin. By default the scene's own; on a map pibt.",
            autocompletion=names_of_algorithms("controllers"),
        ),
    ] = None,
    opt: Opt = [],  # noqa: B006 - typer reads it, nothing writes to it
    random: Random = None,
    scen: Annotated[
        Path | None,
        typer.Option(help="On a map: a .scen file, or a file of agents (.csv, .json); robots begin at their starts."),
    ] = None,
    agents: Annotated[int | None, typer.Option(help="Use the first rows of --scen only.")] = None,
    orders: Annotated[
        Path | None, typer.Option(help="On a map: pickup-and-delivery tasks, as CSV or JSON; random tasks without it.")
    ] = None,
    stations: Annotated[
        Path | None, typer.Option(help="The stations that orders name, with their places, as CSV or JSON.")
    ] = None,
    moves: Annotated[str | None, typer.Option("--moves", help=f"On a map: {MOVES} The default is four.")] = None,
    size: Size = None,
    radius: Radius = None,
    turns: Turns = False,
    speed: Speed = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds of planning after which the run stops.")] = None,
    until: Annotated[
        float | None, typer.Option(help="Time of the simulation at which it stops; on a map 1,000 by default.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed; by default that of the scene, or 0 on a map.")] = None,
    cluster: Cluster = None,
    save: Save = None,
    format: Format = None,
    html: Html = None,
    trajectory: Annotated[
        Path | None,
        typer.Option(
            help="Write the trajectories of a street: .txt or .sqlite as PedPy and JuPedSim read them, or .npz."
        ),
    ] = None,
    memory: Memory = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run a scene, or agents with tasks on a map.

    A scene is a TOML file: agents with goals and events, or a street with pedestrians and vehicles. On a map, --random
    draws agents, or --scen says where they begin; they get a new random task whenever they arrive, or carry out the
    --orders of a file. Exit code 1 if an agent or an order is not done in time (for orders, sentences say why), or if the
    judge finds a fault. Tasks without an end, and streets, are done when
    their time is over. In a street, a fault is a body that overlaps another for longer than a step, or a vehicle that
    crosses at red.
    """
    from wayfolk.algorithms import catalogue
    from wayfolk.algorithms.task import checked_limits, checked_seed
    from wayfolk.files.built_in import check_world, is_built_in

    checked_limits(seconds=seconds, until=until)
    most = bytes_of(memory)
    if until == math.inf:
        raise BadInput("--until needs a time at which the run stops, not inf")
    if seed is not None:
        checked_seed(seed)
    check_world(scene_file)
    is_scene = scene_file.suffix.lower() == ".toml" or is_built_in(scene_file, "scenes")
    given_for_map: dict[str, Any] = {"--random": random, "--scen": scen, "--agents": agents, "--moves": moves}
    given_for_map |= {"--orders": orders, "--stations": stations, "--size": size, "--radius": radius, "--speed": speed}
    given_for_map["--turns"] = turns or None
    _check_together(is_scene, given_for_map)
    must_be_plan(save, format)
    must_be_writable(trajectory)
    must_be_replay(html)
    from wayfolk.simulation.scene.reader import read_scene
    from wayfolk.simulation.scene.run import run_scene
    from wayfolk.simulation.scene.street_scene import StreetScene

    scene = read_scene(scene_file, seed=seed, trust=trust) if is_scene else None
    if isinstance(scene, StreetScene):
        if cluster is not None:
            raise BadInput("a street runs in one process: leave out --cluster")
        if save is not None:
            raise BadInput("bodies in a street have no plan: use --trajectory instead of --save")
        if memory is not None:
            raise BadInput("--memory is for agents on a grid: leave it out for a street")
        limits = {"seconds": seconds, "until": until}
        _run_street(scene, algorithm, opt, limits, html, trajectory, as_json=as_json)
    if trajectory is not None:
        raise BadInput("--trajectory is for scenes with a [street]")
    if scene is None:
        entry = catalogue.find(algorithm or "pibt", "controllers")
        given = with_cluster(entry, options_of(entry, opt), cluster)
        limits = {"seconds": seconds, "until": UNTIL if until is None else until, "seed": seed or 0}
        robots = Robots(random, scen, agents, BodyOptions(size, radius, turns, speed))
        with memory_limit(most):
            done = run_on_map(scene_file, moves or "four", robots, orders, stations, entry, given, limits)
        _write(done.run, done.answer, entry.label, save, format, html)
        _tell(done.answer, done.notes, as_json)
        raise typer.Exit(0 if done.is_done and not done.answer["faults"] else 1)
    entry = catalogue.find(scene.controller if algorithm is None else algorithm, "controllers")
    given = with_cluster(entry, options_of(entry, opt), cluster)
    if "seed" in given:
        raise BadInput("use --seed for the scene's random seed")
    scene = replace(
        scene,
        controller=entry.name,
        options=(scene.options if entry.name == scene.controller else {}) | given,
        seconds=scene.seconds if seconds is None else seconds,
        until=scene.until if until is None else until,
    )
    if save is not None:
        _must_be_plan(scene)
    with spinner(f"{scene.name}: {entry.name}, {len(scene.errands)} agents") as tell, memory_limit(most):
        ended = run_scene(scene, tell=tell)
    answer = ended.as_dict()
    _write(ended.run, answer, entry.label, save, format, html)
    _tell(answer, ended.notes, as_json)
    raise typer.Exit(0 if ended.is_done and not answer["faults"] else 1)


def _check_together(is_scene: bool, given: dict[str, Any]) -> None:
    """Raise BadInput if options are given that do not fit a scene, or a map."""
    if is_scene:
        for name, value in given.items():
            if value is not None:
                raise BadInput(f"{name} is for a map: a scene has its own agents, errands and moves")
    elif (given["--random"] is None) == (given["--scen"] is None):
        raise BadInput("a map has no agents: give either --random N or --scen FILE, or a scene as a .toml file")
    if given["--agents"] is not None and given["--scen"] is None:
        raise BadInput("--agents is for the rows of --scen: --random N is the number of agents that are drawn")
    if given["--stations"] is not None and given["--orders"] is None:
        raise BadInput("--stations names the places of --orders: give these as well")


def _must_be_plan(scene: Scene) -> None:
    """Raise BadInput if the moves of a scene are no plan, before it runs."""
    from wayfolk.kernels.codes import JOIN, LEAVE
    from wayfolk.problem.record import STEPS

    if scene.model != STEPS:
        raise BadInput(f"--save writes a plan of steps, and the scene has the time model {scene.model}")
    if any(event.kind in (JOIN, LEAVE) for event in scene.events):
        raise BadInput("--save writes a plan with the same agents throughout, and in this scene agents join or leave")


def _write(
    done: Any, answer: dict[str, Any], label: str, save: Path | None, format: str | None, html: Path | None
) -> None:
    """Write the moves of a run as a plan and as a replay."""
    if save is not None:
        from wayfolk.files.exchange import export_plan

        export_plan(done.record.plan(), save, format=format, record=done.record)
    if html is not None:
        from wayfolk.replay import Track, write_replay

        track = Track(label, done.record, _facts(answer), layers=done.layers)
        write_replay([track], html, f"{answer.get('scene', answer.get('map'))}: {label}")


def _tell(answer: dict[str, Any], notes: list[str], as_json: bool) -> None:
    """Print the numbers: those of endless work for agents without an end, those of arrivals for the others."""
    if as_json:
        print_json(answer)
        return
    hidden = set(LISTS)
    if "completion_rate" in answer:
        hidden |= set(ONLY_ENDING if answer["completion_rate"] is None else ONLY_ENDLESS)
    print_table({name: value for name, value in answer.items() if name not in hidden})
    for note in notes:
        print(note)


def _run_street(
    scene: StreetScene,
    model: str | None,
    opt: list[str],
    limits: dict[str, float | None],
    html: Path | None,
    trajectory: Path | None,
    as_json: bool,
) -> NoReturn:
    """Run a scene with a street; `model` moves its pedestrians instead of the file's own."""
    from wayfolk.algorithms import catalogue
    from wayfolk.simulation.scene.run import run_scene

    if trajectory is not None and trajectory.suffix.lower() not in WRITERS:
        raise BadInput(f"{trajectory}: the name of a trajectory ends in {', '.join(WRITERS)}")
    entry = catalogue.find(scene.model if model is None else model, "crowds")
    options = (scene.options if entry.name == scene.model else {}) | options_of(entry, opt)
    scene = replace(scene, model=entry.name, options=options, until=limits["until"] or scene.until)
    with spinner(f"{scene.name}: {entry.name}") as tell:
        done = run_scene(scene, seconds=limits["seconds"], tell=tell)
    answer = done.as_dict()
    if answer["status"] == "out_of_budget":
        answer["status"] = "ended"  # a street has no end but that of its time
    if trajectory is not None:
        done.trajectory.save(trajectory)
    if html is not None:
        from wayfolk.replay import Track, write_replay

        layers = (scene.street_map.layer(),) if scene.street_map.lanes else ()
        write_replay([Track(entry.label, done.trajectory, _facts(answer), layers=layers)], html, scene.name)
    if as_json:
        print_json(answer)
    else:
        against = answer.pop("crossed_against_signal")
        told = ", ".join(f"{n} {kind}" for kind, n in against.items()) or "nobody"
        print_table({name: value for name, value in answer.items() if name != "notes"} | {"against_the_signal": told})
        for note in done.notes:
            print(note)
    raise typer.Exit(1 if answer["faults"] or answer["status"] == "out_of_time" else 0)


def _facts(answer: dict[str, Any]) -> dict[str, str]:
    """The numbers, for the panel of a replay."""
    numbers = {name.replace("_", " "): value for name, value in answer.items() if isinstance(value, int | float)}
    return {name: f"{value:,}" if isinstance(value, int) else f"{value:.4g}" for name, value in numbers.items()}

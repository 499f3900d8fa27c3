"""The verbs of `wayfolk maps`: list, make, show, scale, convert, info, get."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.cli.examples import epilog
from wayfolk.cli.parts import Json, MapFile, must_be_writable, print_json, print_table
from wayfolk.cli.progress import byte_bar
from wayfolk.errors import BadInput

if TYPE_CHECKING:
    from wayfolk.world.grid import Grid

maps = typer.Typer(epilog=epilog("maps"))
Target = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .map, or an image such as .png.")]
SIZES = {"width": 32, "height": 32}
KINDS: dict[str, dict[str, Any]] = {  # the options of each rule, and their defaults
    "random": SIZES | {"blocked": 0.2, "seed": 0},
    "maze": SIZES | {"size": 4, "seed": 0},
    "rooms": SIZES | {"size": 4, "seed": 0},
    "warehouse": {"columns": 10, "rows": 20, "shelf": "10x2", "aisle": 1, "margin": None},
    **{f"thesis-{letter}": {} for letter in "abcd"},
}


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Add a verb to `wayfolk maps`, with its examples."""
    maps.command(epilog=epilog(f"maps {function.__name__}"))(function)
    return function


@maps.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    """Generate, show, scale, convert and download maps."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@maps.command("list", epilog=epilog("maps list"))
def list_maps(as_json: Json = False) -> None:
    """List the built-in maps, which every command takes by name.

    A file of that name in the current folder comes first.
    """
    from wayfolk.files.built_in import MAPS, named_map, names_of

    scenarios = names_of("scenarios")
    rows = [
        {
            "name": name,
            "width": named_map(name).width,
            "height": named_map(name).height,
            "scenario": name in scenarios,
            "about": about,
        }
        for name, (about, _) in MAPS.items()
    ]
    if as_json:
        print_json(rows)
        return
    width = max(map(len, MAPS))
    for row in rows:
        more = f" (with a scenario, --scen {row['name']})" if row["scenario"] else ""
        print(f"{row['name']:<{width}}  {row['width']:>3} x {row['height']:<3}  {row['about']}{more}")


@verb
def make(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help=f"The kind of map: {', '.join(KINDS)}. Or scenario, for agents on a --map."
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The file to write: .map, an image such as .png, or .scen for a scenario."),
    ],
    width: Annotated[int | None, typer.Option(help="Width of the map in cells; 32 by default.")] = None,
    height: Annotated[int | None, typer.Option(help="Height of the map in cells; 32 by default.")] = None,
    blocked: Annotated[
        float | None, typer.Option(help="Share of blocked cells of a random map; 0.2 by default.")
    ] = None,
    size: Annotated[int | None, typer.Option(help="Width of corridors in a maze, or of rooms; 4 by default.")] = None,
    columns: Annotated[int | None, typer.Option(help="Shelves in a row of a warehouse; 10 by default.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of shelves of a warehouse; 20 by default.")] = None,
    shelf: Annotated[
        str | None, typer.Option(metavar="WxH", help="Size of a shelf of a warehouse in cells; 10x2 by default.")
    ] = None,
    aisle: Annotated[int | None, typer.Option(help="Width of the aisles of a warehouse; 1 by default.")] = None,
    margin: Annotated[
        int | None, typer.Option(help="Open space left and right of the shelves; a quarter of their length by default.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the map or scenario; 0 by default.")] = None,
    map_file: Annotated[Path | None, typer.Option("--map", help="The map of a scenario.")] = None,
    agents: Annotated[int | None, typer.Option(help="Number of agents of a scenario.")] = None,
    as_json: Json = False,
) -> None:
    """Generate a map, or a scenario for one."""
    options = {
        "width": width, "height": height, "blocked": blocked, "size": size, "columns": columns, "rows": rows,
        "shelf": shelf, "aisle": aisle, "margin": margin, "seed": seed, "map": map_file, "agents": agents,
    }  # fmt: skip
    if kind == "scenario":
        _make_scenario(out, {name: value for name, value in options.items() if value is not None}, as_json)
        return
    if kind not in KINDS:
        raise BadInput(f"there is no kind of map {kind!r}: choose {', '.join(KINDS)}, or scenario")
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in KINDS[kind]:
            raise BadInput(f"a map of the kind {kind} takes no --{name}")
    must_be_writable(out)
    from wayfolk.world import generate
    from wayfolk.world.thesis_maps import thesis_map

    sizes = KINDS[kind] | given
    if kind == "random":
        grid = generate.random_map(**sizes)
    elif kind == "maze":
        grid = generate.maze(corridor=sizes.pop("size"), **sizes)
    elif kind == "rooms":
        grid = generate.rooms(**sizes)
    elif kind == "warehouse":
        grid = generate.warehouse(**sizes | {"shelf": _shelf(sizes["shelf"])})
    else:
        grid = thesis_map(kind[-1]).grid
    _write(grid, out, as_json)


def _shelf(text: str) -> tuple[int, int]:
    """The size that the text WxH names."""
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise BadInput(f"a shelf is WxH, two whole numbers such as 10x2, not {text!r}") from None
    return width, height


def _make_scenario(out: Path, given: dict[str, Any], as_json: bool) -> None:
    """Write a scenario of random agents, with the lengths of their shortest paths by eight moves."""
    for name in sorted(given.keys() - {"map", "agents", "seed"}):
        raise BadInput(f"a scenario takes no --{name}")
    for name in ("map", "agents"):
        if name not in given:
            raise BadInput(f"a scenario needs --{name}")
    if out.suffix.lower() not in (".scen", ""):
        raise BadInput(f"{out}: a scenario is a file that ends in .scen")
    must_be_writable(out)
    from wayfolk.algorithms.batch import find_many
    from wayfolk.algorithms.task import checked_seed
    from wayfolk.experiments.choosing.trials import random_problem
    from wayfolk.files.maps import read_map
    from wayfolk.files.scenarios import write_scen

    seed = checked_seed(given.get("seed", 0))
    grid = read_map(given["map"], "eight")
    problem = random_problem(grid, given["agents"], seed)
    lengths = find_many(grid, grid.places(problem.starts), grid.places(problem.goals)).costs
    write_scen(problem, out, lengths)
    if as_json:
        print_json({"file": str(out), "map": grid.name, "agents": problem.n_agents, "seed": seed})
    else:
        print(f"{out}: {problem.n_agents} agents on {grid.name}")


@verb
def show(
    map_file: MapFile,
    columns: Annotated[int, typer.Option(help="Wider maps are scaled down to this many columns.")] = 100,
    as_json: Json = False,
) -> None:
    """Print a map as text: `#` is a blocked cell."""
    from wayfolk.files.maps import ascii_map, read_map
    from wayfolk.world.generate import scale as scaled

    if columns < 1:
        raise BadInput(f"columns must be 1 or more, not {columns}")
    grid = read_map(map_file)
    if grid.width > columns:  # a letter is about twice as high as it is wide
        grid = scaled(grid, columns, max(1, grid.height * columns // grid.width // 2))
    drawing = ascii_map(grid)
    if as_json:
        print_json({"width": grid.width, "height": grid.height, "rows": drawing.split("\n")})
    else:
        print(drawing)


@verb
def scale(
    map_file: MapFile,
    out: Target,
    width: Annotated[int, typer.Option(help="Width of the new map in cells.")] = 320,
    height: Annotated[int, typer.Option(help="Height of the new map in cells.")] = 320,
    keep_walls: Annotated[
        bool,
        typer.Option("--keep-walls", help="Block a new cell if any cell under it is blocked, not only the centre."),
    ] = False,
    islands: Annotated[bool, typer.Option(help="Keep free cells that are not connected to the largest part.")] = True,
    as_json: Json = False,
) -> None:
    """Scale a map to another size: each new cell is what lies under its centre, and walls thinner than it can get lost."""
    must_be_writable(out)
    from wayfolk.files.maps import read_map
    from wayfolk.world.generate import joined_parts, without_islands
    from wayfolk.world.generate import scale as scaled

    before = read_map(map_file)
    grid = scaled(before, width, height, keep_walls=keep_walls)
    joined = joined_parts(before, grid)
    if joined:
        sentence = f"{joined} parts of {map_file} that walls separate are connected now: --keep-walls keeps thin walls"
        print(f"wayfolk: {sentence}", file=sys.stderr)
    _write(grid if islands else without_islands(grid), out, as_json, before)


@verb
def convert(
    map_file: MapFile,
    out: Target,
    unknown: Annotated[
        str, typer.Option(help="What unknown cells (grey 205 in images of ROS) become: blocked or free.")
    ] = "blocked",
    as_json: Json = False,
) -> None:
    """Convert a map to another format."""
    must_be_writable(out)
    from wayfolk.files.maps import read_map

    _write(read_map(map_file, unknown=unknown), out, as_json)


@verb
def info(map_file: MapFile, as_json: Json = False) -> None:
    """Print the size of a map, its free cells and its connected parts."""
    import numpy as np

    from wayfolk.files.maps import read_map

    grid = read_map(map_file)
    sizes = np.bincount(grid.components[grid.free_cells])[1:]  # of the connected parts, which count from 1
    facts = {
        "name": grid.name,
        "width": grid.width,
        "height": grid.height,
        "free_cells": len(grid.free_cells),
        "parts": len(sizes),
        "largest_part": int(sizes.max(initial=0)),
        "cliffs": grid.links is not None,
    }
    if as_json:
        print_json(facts)
    else:
        print_table(facts)


def _write(grid: Grid, out: Path, as_json: bool, before: Grid | None = None) -> None:
    """Write a map, and print its file and size; if it was made from one `before`, also the number of parts of both."""
    from wayfolk.files.maps import write_map

    write_map(grid, out)
    facts = {"file": str(out), "width": grid.width, "height": grid.height, "free_cells": len(grid.free_cells)}
    parts = [int(one.components.max(initial=0)) for one in (before, grid) if one is not None and before is not None]
    if as_json:
        print_json(facts | dict(zip(("parts_before", "parts"), parts, strict=False)))
    else:
        more = f", {parts[0]} -> {parts[1]} connected parts" if parts else ""
        print(f"{out}: {grid.width} x {grid.height}, {len(grid.free_cells)} free cells{more}")


@verb
def get(
    name: Annotated[
        str, typer.Argument(metavar="SET", help="A benchmark set: mapf, dao, bg512, wc3maps512, maze, room, random ...")
    ],
    as_json: Json = False,
) -> None:
    """Download a benchmark set of Moving AI; interrupted downloads resume."""
    from wayfolk.files.download import get_set

    last: list[str] = []  # what was done last
    with byte_bar(f"fetching {name}") as draw:

        def tell(what: str, done: int, total: int | None) -> None:
            last[:] = [what]
            draw(what, done, total)

        folder = get_set(name, tell=tell)
    if as_json:
        print_json({"set": name, "folder": str(folder)})
    else:
        print(last[0] if last else f"{name} is in {folder}")

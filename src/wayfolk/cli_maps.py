"""The verbs of `wayfolk maps`: make, show, scale, convert, info, get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.cli_parts import Json, MapFile, must_be_writable, print_json, print_table
from wayfolk.errors import BadInput
from wayfolk.progress import byte_bar

if TYPE_CHECKING:
    from wayfolk.grid import Grid

maps = typer.Typer()
Target = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .map, or an image by its suffix.")]
SIZES = {"width": 32, "height": 32}
KINDS: dict[str, dict[str, Any]] = {  # what each takes, and what it is if not given
    "random": SIZES | {"blocked": 0.2, "seed": 0},
    "maze": SIZES | {"size": 4, "seed": 0},
    "rooms": SIZES | {"size": 4, "seed": 0},
    "warehouse": {},
    **{f"thesis-{letter}": {} for letter in "abcd"},
}


@maps.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    """Make, show, scale and convert maps."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@maps.command()
def make(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=", ".join(KINDS))],
    out: Target,
    width: Annotated[int | None, typer.Option(help="Columns of cells, 32 if not given.")] = None,
    height: Annotated[int | None, typer.Option(help="Rows of cells, 32 if not given.")] = None,
    blocked: Annotated[float | None, typer.Option(help="Share of walls in a random map, 0.2 if not given.")] = None,
    size: Annotated[int | None, typer.Option(help="Width of a maze's corridors or of rooms, 4 if not given.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed, another map; 0 if not given.")] = None,
    as_json: Json = False,
) -> None:
    """Make a map by a rule."""
    if kind not in KINDS:
        raise BadInput(f"there is no kind of map {kind!r}: choose {', '.join(KINDS)}")
    said = {"width": width, "height": height, "blocked": blocked, "size": size, "seed": seed}
    given = {name: value for name, value in said.items() if value is not None}
    for name in given:
        if name not in KINDS[kind]:
            raise BadInput(f"a map of the kind {kind} takes no --{name}")
    must_be_writable(out)
    from wayfolk import generate

    sizes = KINDS[kind] | given
    if kind == "random":
        grid = generate.random_map(**sizes)
    elif kind == "maze":
        grid = generate.maze(corridor=sizes.pop("size"), **sizes)
    elif kind == "rooms":
        grid = generate.rooms(**sizes)
    elif kind == "warehouse":
        grid = generate.warehouse()
    else:
        grid = generate.thesis_map(kind[-1]).grid
    _write(grid, out, as_json)


@maps.command()
def show(
    map_file: MapFile,
    columns: Annotated[int, typer.Option(help="Shrink wider maps to so many columns.")] = 100,
    as_json: Json = False,
) -> None:
    """Draw a map as text: # is a wall."""
    from wayfolk.formats import ascii_map, read_map
    from wayfolk.generate import scale as scaled

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


@maps.command()
def scale(
    map_file: MapFile,
    out: Target,
    width: Annotated[int, typer.Option(help="Columns of the new map.")] = 320,
    height: Annotated[int, typer.Option(help="Rows of the new map.")] = 320,
    islands: Annotated[bool, typer.Option(help="Keep parts that cannot be reached from the largest one.")] = True,
    as_json: Json = False,
) -> None:
    """Bring a map to another size by nearest neighbour."""
    must_be_writable(out)
    from wayfolk.formats import read_map
    from wayfolk.generate import scale as scaled
    from wayfolk.generate import without_islands

    grid = scaled(read_map(map_file), width, height)
    _write(grid if islands else without_islands(grid), out, as_json)


@maps.command()
def convert(map_file: MapFile, out: Target, as_json: Json = False) -> None:
    """Read a map and write it in another format."""
    must_be_writable(out)
    from wayfolk.formats import read_map

    _write(read_map(map_file), out, as_json)


@maps.command()
def info(map_file: MapFile, as_json: Json = False) -> None:
    """Say what is in a map."""
    import numpy as np

    from wayfolk.formats import read_map

    grid = read_map(map_file)
    sizes = np.bincount(grid.components[grid.free_cells])[1:]  # of the connected parts, which count from 1
    made = {
        "name": grid.name,
        "width": grid.width,
        "height": grid.height,
        "free_cells": len(grid.free_cells),
        "parts": len(sizes),
        "largest_part": int(sizes.max(initial=0)),
        "cliffs": grid.links is not None,
    }
    if as_json:
        print_json(made)
    else:
        print_table(made)


def _write(grid: Grid, out: Path, as_json: bool) -> None:
    """Write a map, and say what it is."""
    from wayfolk.formats import write_map

    write_map(grid, out)
    made = {"file": str(out), "width": grid.width, "height": grid.height, "free_cells": len(grid.free_cells)}
    if as_json:
        print_json(made)
    else:
        print(f"{out}: {grid.width} x {grid.height}, {len(grid.free_cells)} free cells")


@maps.command()
def get(
    name: Annotated[str, typer.Argument(metavar="SET", help="mapf, dao, bg512, wc3maps512, maze, room, random ...")],
    as_json: Json = False,
) -> None:
    """Fetch a Moving AI benchmark set; a broken download goes on."""
    from wayfolk.download import get_set

    said: list[str] = []
    with byte_bar(f"fetching {name}") as draw:

        def tell(what: str, done: int, total: int | None) -> None:
            said[:] = [what]
            draw(what, done, total)

        folder = get_set(name, tell=tell)
    if as_json:
        print_json({"set": name, "folder": str(folder)})
    else:
        print(said[0] if said else f"{name} is in {folder}")

"""The verbs of `wayfolk maps`: make, show, scale, convert, info."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wayfolk.errors import BadInput

maps = typer.Typer(no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
Source = Annotated[Path, typer.Argument(metavar="MAP", help="A Moving AI .map, a .txt drawing or an image.")]
Target = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .map, or an image by its suffix.")]
KINDS = ("random", "maze", "rooms", "warehouse", "thesis-a", "thesis-b", "thesis-c", "thesis-d")


@maps.command()
def make(
    kind: Annotated[str, typer.Argument(help=", ".join(KINDS))],
    out: Target,
    width: Annotated[int, typer.Option(help="Columns of cells.")] = 32,
    height: Annotated[int, typer.Option(help="Rows of cells.")] = 32,
    blocked: Annotated[float, typer.Option(help="Share of walls in a random map.")] = 0.2,
    size: Annotated[int, typer.Option(help="Width of a maze's corridors, or of rooms.")] = 4,
    seed: Annotated[int, typer.Option(help="Another seed, another map.")] = 0,
) -> None:
    """Make a map by a rule."""
    from wayfolk import generate
    from wayfolk.formats import write_map

    if kind == "random":
        grid = generate.random_map(width, height, blocked, seed=seed)
    elif kind == "maze":
        grid = generate.maze(width, height, size, seed=seed)
    elif kind == "rooms":
        grid = generate.rooms(width, height, size, seed=seed)
    elif kind == "warehouse":
        grid = generate.warehouse()
    elif kind in KINDS:
        grid = generate.thesis_map(kind[-1]).grid
    else:
        raise BadInput(f"there is no kind of map {kind!r}: choose {', '.join(KINDS)}")
    write_map(grid, out)
    print(f"{out}: {grid.width} x {grid.height}, {len(grid.free_cells)} free cells")


@maps.command()
def show(
    source: Source,
    columns: Annotated[int, typer.Option(help="Shrink wider maps to so many columns.")] = 100,
) -> None:
    """Draw a map as text."""
    from wayfolk.formats import ascii_map, read_map
    from wayfolk.generate import scale as scaled

    grid = read_map(source)
    if columns < 1:
        raise BadInput(f"columns must be 1 or more, not {columns}")
    if grid.width > columns:
        grid = scaled(grid, columns, max(1, grid.height * columns // grid.width // 2))
    print(ascii_map(grid))


@maps.command()
def scale(
    source: Source,
    out: Target,
    width: Annotated[int, typer.Option(help="Columns of the new map.")] = 320,
    height: Annotated[int, typer.Option(help="Rows of the new map.")] = 320,
    islands: Annotated[bool, typer.Option(help="Keep parts that cannot be reached from the largest one.")] = True,
) -> None:
    """Scale a map to another size by nearest neighbour."""
    from wayfolk.formats import read_map, write_map
    from wayfolk.generate import scale as scaled
    from wayfolk.generate import without_islands

    grid = scaled(read_map(source), width, height)
    write_map(grid if islands else without_islands(grid), out)


@maps.command()
def convert(source: Source, out: Target) -> None:
    """Read a map and write it in another format."""
    from wayfolk.formats import read_map, write_map

    write_map(read_map(source), out)


@maps.command()
def info(source: Source, as_json: Json = False) -> None:
    """Say what is in a map."""
    import numpy as np

    from wayfolk.formats import read_map

    grid = read_map(source)
    sizes = np.sort(np.bincount(grid.components[grid.free_cells])[1:])[::-1] if len(grid.free_cells) else np.zeros(0)
    made = {
        "name": grid.name,
        "width": grid.width,
        "height": grid.height,
        "free_cells": len(grid.free_cells),
        "parts": len(sizes),
        "largest_part": int(sizes[0]) if len(sizes) else 0,
        "cliffs": grid.links is not None,
    }
    if as_json:
        print(json.dumps(made))
    else:
        for name, value in made.items():
            print(f"{name.replace('_', ' '):<13} {value}")

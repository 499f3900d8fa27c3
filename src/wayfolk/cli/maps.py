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
from wayfolk.problem import papers

if TYPE_CHECKING:
    from wayfolk.world.graph import Graph
    from wayfolk.world.grid import Grid
    from wayfolk.world.mesh.navmesh import Navmesh

maps = typer.Typer(epilog=epilog("maps"))
WorldFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A map (.map, .txt, an image, a .yaml of Nav2, a map of Tiled as .tmx, .tmj or .json, or the name of a "
        "built-in one), voxels (.3dmap), polygons (.geojson, .json, .wkt), or a roadmap: a building of Open-RMF or a list "
        "of edges (.yaml), a layout in LIF (.json, .lif), GraphML (.graphml, .xml).",
    ),
]
KeepOut = Annotated[
    Path | None,
    typer.Option("--keep-out", metavar="MASK", help="A mask (.yaml) that blocks cells of a map of Nav2."),
]
Speed = Annotated[
    Path | None,
    typer.Option(
        "--speed", metavar="MASK", help="A mask (.yaml) that says where robots drive slower in a map of Nav2."
    ),
]
Target = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .map, or an image such as .png.")]
SIZES = {"width": 32, "height": 32}
KINDS: dict[str, dict[str, Any]] = {  # the options of each rule, and their defaults
    "random": SIZES | {"blocked": 0.2, "seed": 0},
    "maze": SIZES | {"size": 4, "seed": 0},
    "rooms": SIZES | {"size": 4, "seed": 0},
    "warehouse": {"columns": 10, "rows": 20, "shelf": "10x2", "aisle": 1, "margin": None},
    **{name: {} for name in papers.names("MAPS")},
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
        grid = papers.paper_map(kind).grid
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
    from wayfolk.files.maps import read_map
    from wayfolk.files.scenarios import write_scen
    from wayfolk.problem.problem import random_problem

    seed = checked_seed(given.get("seed", 0))
    grid = read_map(given["map"], "eight")
    problem = random_problem(grid, given["agents"], seed=seed)
    lengths = find_many(grid, grid.places(problem.starts), grid.places(problem.goals)).costs
    write_scen(problem, out, lengths)
    if as_json:
        print_json({"file": str(out), "map": grid.name, "agents": problem.n_agents, "seed": seed})
    else:
        print(f"{out}: {problem.n_agents} agents on {grid.name}")


@verb
def show(
    file: WorldFile,
    columns: Annotated[int, typer.Option(help="Wider maps are scaled down to this many columns.")] = 100,
    svg: Annotated[Path | None, typer.Option(metavar="OUT", help="Write a picture to this .svg file instead.")] = None,
    keep_out: KeepOut = None,
    speed: Speed = None,
    as_json: Json = False,
) -> None:
    """Draw a world file of any kind, as text or as an SVG picture.

    In a map, `#` is a blocked cell. In a roadmap, `o` is a place, dots are lanes, and `<`, `>`, `^` and `v` say where a
    one-way lane leads. In a picture, darker ground costs more.
    """
    if columns < 1:
        raise BadInput(f"columns must be 1 or more, not {columns}")
    if svg is not None and svg.suffix.lower() != ".svg":
        raise BadInput(f"{svg}: a picture is a file that ends in .svg")
    from wayfolk.files.any_world import read_any_world

    world = read_any_world(file, keep_out=keep_out, speed=speed)
    if svg is not None:
        _write_picture(world, svg, as_json)
        return
    from wayfolk.replay.world_picture import text_of
    from wayfolk.world.grid import Grid

    rows = text_of(world, columns).split("\n")
    sizes = {"width": len(rows[0]), "height": len(rows)} if isinstance(world, Grid) else {}
    if as_json:
        print_json(sizes | {"rows": rows})
    else:
        print("\n".join(rows))


def _write_picture(world: Grid | Graph | Navmesh, out: Path, as_json: bool) -> None:
    must_be_writable(out)
    from wayfolk.files.raw import write_bytes
    from wayfolk.replay.world_picture import svg_of

    write_bytes(out, svg_of(world).encode(), BadInput)
    if as_json:
        print_json({"file": str(out)})
    else:
        print(f"{out}: {world!r}")


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
    keep_out: KeepOut = None,
    as_json: Json = False,
) -> None:
    """Convert a map to another format."""
    must_be_writable(out)
    from wayfolk.files.maps import read_map

    if keep_out is None:
        grid = read_map(map_file, unknown=unknown)
    else:
        from wayfolk.files.nav2 import read_nav2

        grid = read_nav2(map_file, unknown=unknown, keep_out=keep_out)
    _write(grid, out, as_json)


@verb
def info(file: WorldFile, keep_out: KeepOut = None, speed: Speed = None, as_json: Json = False) -> None:
    """Print what a world file holds: its kind, nodes, edges and connected parts.

    Edges count in each direction. The nodes of polygons are the convex polygons of their mesh.
    """
    from wayfolk.files.any_world import read_any_world

    facts = _facts(read_any_world(file, keep_out=keep_out, speed=speed))
    if as_json:
        print_json(facts)
    else:
        print_table(facts)


def _facts(world: Grid | Graph | Navmesh) -> dict[str, Any]:
    """What `info` prints."""
    import numpy as np

    from wayfolk.world.grid import Grid
    from wayfolk.world.mesh.navmesh import Navmesh
    from wayfolk.world.site_map import SiteMap

    is_grid, is_mesh = isinstance(world, Grid), isinstance(world, Navmesh)
    nodes = world.neighbours if isinstance(world, Navmesh) else world
    free = nodes.free_cells
    sizes = np.bincount(np.unique(nodes.components[free], return_inverse=True)[1])  # of the connected parts
    edges = int(np.bitwise_count(nodes.legal).sum()) if isinstance(nodes, Grid) else len(nodes.graph.target)
    facts: dict[str, Any] = {
        "name": getattr(world, "name", ""),
        "kind": "grid" if is_grid else "mesh" if is_mesh else type(world).__name__.lower(),
        "nodes": len(free),
        "edges": edges,
        "parts": len(sizes),
        "largest_part": int(sizes.max(initial=0)),
    }
    if isinstance(world, Navmesh):
        facts["area"] = world.area
    if isinstance(world, Grid):
        facts |= {
            "width": world.width,
            "height": world.height,
            "free_cells": len(free),
            "cliffs": world.links is not None,
            "terrain": world.costs is not None,
        }
    if isinstance(world, SiteMap):
        facts |= {f"stations_{kind}": len(cells) for kind, cells in world.stations.items()}
        if world.frame is not None:
            facts |= {"metres_per_cell": world.frame.metres, "origin": list(world.frame[1:])}
    return facts


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

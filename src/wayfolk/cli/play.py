"""`wayfolk play`: the playground in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.errors import BadInput, NotSupported

if TYPE_CHECKING:
    from socket import socket

    from wayfolk.world.grid import Grid

MOST_BESIDE = 4


def play(
    begin_with: Annotated[
        str | None,
        typer.Argument(
            metavar="[MAP]",
            help="What to begin with: a map or a scene (.toml), as a file or by the name of a built-in one.",
        ),
    ] = None,
    algorithms: Annotated[
        list[str] | None, typer.Option("--with", metavar="NAME", help="An algorithm; repeat it to compare up to four.")
    ] = None,
    agents: Annotated[int | None, typer.Option(help="How many agents.", min=1, max=10_000)] = None,
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=65535)] = 8765,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's own needs a --token.")
    ] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="A secret of 16 characters or more that pages need.")] = None,
    pages: Annotated[int, typer.Option(help="How many pages may be open at the same time.", min=1, max=100)] = 8,
    memory: Annotated[
        float | None,
        typer.Option(help="Memory for all algorithms together, in GB; half of what is free if not given.", min=0.1),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the agents' places.", min=0)] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """Open the playground in the browser."""
    try:
        from wayfolk.playground.connections import server_of
        from wayfolk.playground.server import make_app
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("wayfolk"):
            raise
        raise NotSupported(f"the playground needs {error.name}: pip install 'wayfolk[play]'") from None
    from wayfolk.playground.addresses import EVERY, check_address, reached_at, url
    from wayfolk.playground.workers import Workers

    check_address(host, token)
    workers = Workers(pages, None if memory is None else 1e9 * memory)
    _choose(begin_with, algorithms or [], agents, seed)
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    first, *others = [url(each, port, token) for each in reached_at(host)]
    print(f"playground at {first} (Ctrl-C ends it)", *(f"or at {other}" for other in others), sep="\n", flush=True)
    if not no_browser:
        import webbrowser
        from threading import Timer

        Timer(0.5, webbrowser.open, (url("127.0.0.1" if host in EVERY else host, port, token),)).start()
    server_of(make_app(host=host, port=port, token=token, workers=workers)).run(sockets=[listener])


def _choose(begin_with: str | None, names: list[str], agents: int | None, seed: int | None) -> None:
    """Decide what the page begins with."""
    from wayfolk.files.built_in import MAPS, check_world, is_built_in, is_name
    from wayfolk.playground.limits import check_size
    from wayfolk.playground.maps import FIRST, YOURS

    if begin_with is not None and begin_with in MAPS and is_name(begin_with):
        FIRST["map"] = {"name": begin_with}
    elif begin_with is not None:
        file = Path(begin_with)
        check_world(file)
        if file.suffix.lower() == ".toml" or is_built_in(file, "scenes"):
            grid = _read_scene(file)
        else:
            from wayfolk.files.maps import read_map

            grid = read_map(file)
        if grid is not None:
            check_size(grid.width, grid.height)
            YOURS[grid.name or "yours"] = grid
            FIRST["map"] = {"name": grid.name or "yours"}
    if agents is not None:
        FIRST["agents"] = agents
    if seed is not None:
        FIRST["seed"] = seed
    if names:
        FIRST.update(_algorithms(names))


def _read_scene(file: Path) -> Grid | None:
    """Let the page begin with a scene; its map, or None if it has a street."""
    from wayfolk.files.toml import read_toml
    from wayfolk.playground.algorithms import known
    from wayfolk.playground.maps import FIRST
    from wayfolk.playground.scene_files import agents_scene, street_scene
    from wayfolk.simulation.scene.reader import read_scene
    from wayfolk.simulation.scene.scene import Scene

    document = read_toml(file, "scene")
    if "street" in document.data:
        FIRST.update(street_scene(document.data))
        return None
    controller = document.data.get("controller")
    if isinstance(controller, dict) and isinstance(controller.get("name"), str):
        known(controller["name"], "controllers")
    scene = read_scene(file)
    assert isinstance(scene, Scene), "it has no street"
    FIRST.update(agents_scene(scene))
    return scene.grid


def _algorithms(names: list[str]) -> dict[str, Any]:
    """The algorithms that are named, and what they are for."""
    from wayfolk.algorithms import catalogue
    from wayfolk.playground.algorithms import FAMILIES

    if len(names) > MOST_BESIDE:
        raise BadInput(f"the playground compares up to {MOST_BESIDE} algorithms, not {len(names)}")
    entries = [catalogue.find(name) for name in names]
    kinds = {kind for kind, families in FAMILIES.items() for entry in entries if entry.family in families}
    if len(kinds) > 1 or any(entry not in catalogue.entries(entry.family) for entry in entries):
        raise BadInput("algorithms side by side must be Wayfolk's own, and all for one agent, for many, or for crowds")
    return {
        "kind": kinds.pop(),
        "algorithms": [{"name": f"{each.family}/{each.name}", "options": {}} for each in entries],
    }


def _listen(host: str, port: int) -> socket:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # a page that is asked for while the server starts waits instead of being refused
    except OSError as error:
        raise BadInput(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    return listener

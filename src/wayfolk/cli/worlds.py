"""Worlds and bodies of the command line: world files of all kinds, the bodies of agents, and where agents begin."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.errors import BadInput, BadProblem

if TYPE_CHECKING:
    from wayfolk.problem.problem import Problem
    from wayfolk.world.body import Body
    from wayfolk.world.graph import Graph
    from wayfolk.world.grid import Grid

KEYS = ("size", "radius", "turns", "speed")
WorldFile = Annotated[
    Path,
    typer.Argument(
        metavar="MAP",
        help="A map (.map, .txt, an image, a .yaml of Nav2, a map of Tiled, or the name of one of `wayfolk maps list`), "
        "voxels (.3dmap), or a roadmap (.yaml of Open-RMF or a list of edges, LIF, GraphML).",
    ),
]
Scen = Annotated[
    Path | None,
    typer.Option(
        help="A .scen file: each of its first rows is an agent. Or starts and goals by names of places, as .csv, .json, "
        ".yaml or .xml."
    ),
]
Size = Annotated[int | None, typer.Option("--size", help="Side of agents that are squares, in cells of a map.")]
Radius = Annotated[
    float | None, typer.Option("--radius", help="Radius of agents that are discs, in the unit of a roadmap.")
]
Turns = Annotated[bool, typer.Option("--turns", help="Agents have a heading, and need a step to turn.")]
Speed = Annotated[
    str | None, typer.Option("--speed", help="Share of full speed: 1/2, 1/3 and so on; moves take 2 steps, 3 ...")
]
Bodies = Annotated[
    str | None,
    typer.Option(
        "--bodies",
        metavar="LIST",
        help="Bodies of several kinds, such as 10:size=2,20:turns:speed=1/2, for the first 10 agents and the next 20; or a "
        ".json file, a list of tables with agents, size, radius, turns and speed. The others have --size and so on.",
    ),
]


@dataclass(frozen=True)
class BodyOptions:
    """What the options say about bodies: one kind for all, and kinds for the first agents."""

    size: int | None = None
    radius: float | None = None
    turns: bool = False
    speed: str | None = None
    bodies: str | None = None

    @property
    def is_given(self) -> bool:
        """Whether any option is about bodies."""
        return self != BodyOptions()

    def kind(self) -> Body:
        """The body of agents about which nothing else is said."""
        from wayfolk.files.agents import body_value
        from wayfolk.world.body import Body

        said: dict[str, Any] = {"size": self.size, "radius": self.radius, "turns": self.turns}
        said["speed"] = None if self.speed is None else body_value("speed", self.speed)
        return Body(**{name: value for name, value in said.items() if value is not None})

    def one(self) -> Body | None:
        """The one kind of body of all agents, None for points; for work that knows one kind only."""
        if self.bodies is not None:
            raise BadInput("--bodies is for agents with one goal each; agents with tasks have one kind of body")
        return self.kind() if self.is_given else None

    def each(self, n_agents: int) -> list[Body] | None:
        """The bodies of so many agents; None if all are points."""
        if not self.is_given:
            return None
        kind = self.kind()
        listed = [] if self.bodies is None else _listed(self.bodies, kind)
        if len(listed) > n_agents:
            raise BadInput(f"--bodies is for {len(listed)} agents, and there are {n_agents}")
        return listed + [kind] * (n_agents - len(listed))


def read_world_file(file: Path, moves: str) -> Grid | Graph:
    """The world in a file; `moves` are those of maps of squares."""
    from wayfolk.files.any_world import read_world_for_agents

    return read_world_for_agents(file, moves)


def problem_of(
    world: Grid | Graph, scen: Path | None, random: int | None, agents: int | None, options: BodyOptions, seed: int
) -> Problem:
    """The agents of a file, or so many random ones."""
    from wayfolk.algorithms.task import checked_limits
    from wayfolk.files.agents import SUFFIXES, read_agents
    from wayfolk.files.scenarios import read_scen
    from wayfolk.problem.problem import one_shot, random_problem
    from wayfolk.world.grid import Grid

    if scen is None:
        checked_limits(agents=random)
        try:
            return random_problem(world, random or 0, seed=seed, bodies=options.each(random or 0))
        except BadProblem as why:
            raise BadInput(f"{world.name}: {why}") from None
    if scen.suffix.lower() in SUFFIXES:
        if not options.is_given:
            return read_agents(scen, world, agents)
        n_agents = read_agents(scen, world, agents).n_agents if agents is None else agents
        return read_agents(scen, world, agents, options.each(n_agents))
    if not isinstance(world, Grid):
        raise BadInput(f"{scen}: a .scen file is for maps of squares, not for {world!r}: name places in a .csv file")
    problem = read_scen(scen, world, agents)
    if not options.is_given:
        return problem
    ends = world.places(problem.starts), world.places(problem.goals)
    return one_shot(world, *ends, bodies=options.each(problem.n_agents), name=problem.name)


def place_of(text: str, world: Grid | Graph) -> Any:
    """The place of `world` that a text names: X,Y in a map, X,Y,Z among voxels, a name in a roadmap."""
    from wayfolk.cli.parts import place_of as cell_of
    from wayfolk.files.agents import place_in
    from wayfolk.world.grid import Grid

    return cell_of(text) if isinstance(world, Grid) else place_in(world, text)


def _listed(text: str, others: Body) -> list[Body]:
    """The bodies that the text of --bodies says, or the .json file it names."""
    from dataclasses import replace

    from wayfolk.files.agents import body_value

    bodies: list[Body] = []
    for k, (count, said) in enumerate(_from_file(Path(text)) if text.lower().endswith(".json") else _parts(text)):
        if not 1 <= count <= 1_000_000:
            raise BadInput(f"--bodies {text}: part {k + 1} is for {count} agents: there should be 1 or more")
        values = {name: body_value(name, value) if isinstance(value, str) else value for name, value in said.items()}
        bodies += [replace(others, **values)] * count
    return bodies


def _parts(text: str) -> list[tuple[int, dict[str, Any]]]:
    """Parts such as 10:size=2:turns, with commas between them."""
    parts = []
    for part in text.split(","):
        number, *fields = part.strip().split(":")
        said = {}
        for field in fields:
            name, equals, value = field.partition("=")
            if name not in KEYS or not (equals or name == "turns"):
                raise BadInput(f"--bodies: {part.strip()!r} is not like 10:size=2 or 5:radius=0.3:turns:speed=1/2")
            said[name] = value if equals else "true"
        if not number.isdecimal() or not said:
            raise BadInput(f"--bodies: {part.strip()!r} is not like 10:size=2 or 5:radius=0.3:turns:speed=1/2")
        parts.append((int(number), said))
    return parts


def _from_file(file: Path) -> list[tuple[int, dict[str, Any]]]:
    from wayfolk.files.raw import read_bytes, shown

    try:
        content = json.loads(bytes(read_bytes(file, BadInput)))
    except (ValueError, RecursionError):
        raise BadInput(f"{file}: not JSON that can be read") from None
    if not isinstance(content, list):
        raise BadInput(f"{file}: should be a list of tables, not {shown(content)}")
    parts = []
    for k, entry in enumerate(content):
        known = isinstance(entry, dict) and set(entry) <= {"agents", *KEYS}
        if not known or type(entry.get("agents", 1)) is not int:
            raise BadInput(
                f"{file}: item {k} should be a table with {', '.join(('agents', *KEYS))}, not {shown(entry)}"
            )
        parts.append((entry.get("agents", 1), {name: entry[name] for name in KEYS if name in entry}))
    return parts

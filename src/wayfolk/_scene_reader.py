"""Reads a scene: world, groups, events, controller. Everything that is wrong with the file is told at once."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk import catalogue, events, generate
from wayfolk._scene_ground import NONE, Cells, Ground
from wayfolk._scene_table import Complaints, Place, Table, said
from wayfolk.data import find_data
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.events import Event
from wayfolk.formats import parse_ascii, read_map
from wayfolk.grid import Grid, Moves
from wayfolk.problem import ENDLESS, Problem
from wayfolk.record import DISTANCE, JOIN, STEPS
from wayfolk.run import refuse
from wayfolk.scene import Errand, Scene

MAKERS: dict[str, Callable[..., Grid]] = {
    "random": generate.random_map,
    "maze": generate.maze,
    "rooms": generate.rooms,
    "warehouse": generate.warehouse,
}
SCENE = ("name", "about", "seed", "until", "seconds", "model", "vision", "world", "controller", "group", "event")
GROUP = ("name", "count", "places", "area", "goals", "goal_area", "patrol", "loops", "tasks", "task_area", "ours")
ERRANDS = ("goals", "goal_area", "patrol", "tasks", "task_area")
EVENTS = {
    "retask": ("group", "agents", "goal", "goals", "goal_area"),
    "join": ("start", "goal"),
    "leave": ("group", "agents"),
    "release": ("group", "agents"),
    "block": ("places", "area"),
    "free": ("places", "area"),
}


def read(file: str | Path, seed: int | None = None) -> Scene:
    """The scene in `file`, with another seed if one is given, or one error that lists everything that is wrong."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: cannot be read as text: {getattr(error, 'strerror', None) or error}") from None
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = place[1] if place else str(text.count("\n") + 1)
        raise BadInput(f"{file}, line {line}: not TOML: {str(error).split(' (')[0]}") from None
    complaints = Complaints(str(file), text.splitlines())
    made = _Reader(Path(file), Table(told, complaints), seed).read()
    if complaints.found or made is None:
        raise BadInput(str(complaints))
    return made


class _Reader:
    """Goes through the file once; what needs a map is left out if there is none."""

    def __init__(self, file: Path, root: Table, seed: int | None) -> None:
        self.file, self.root = file, root
        told = root.whole("seed", 0, 0)
        self.seed = told if seed is None else seed
        self.errands: list[Errand] = []
        self.groups: dict[str, range] = {}
        self.events: list[Event] = []
        self.begun: set[Place] = set()
        """Where agents start that are told, be it possible or not."""
        self.ground = Ground(Grid([[True]]))

    def read(self) -> Scene | None:
        """The scene, or None; what is wrong has been complained about."""
        root = self.root
        root.known(*SCENE)
        grid = self.world(root.table("world"))
        name, options = self.controller(root.table("controller"), grid)
        model = root.text("model", STEPS, (STEPS, DISTANCE))
        limits = {key: root.number_of(key, None, above=True) for key in ("until", "seconds")}
        vision = root.number_of("vision", None, 1.0)
        title, about = root.text("name", self.file.stem), root.text("about")
        groups, happenings = list(root.tables("group")), list(root.tables("event"))
        if not groups:
            root.complain("group", "a scene needs agents: at least one [[group]]")
        for table in groups:
            table.known(*GROUP)
        if grid is None:
            for table in happenings:
                self.kind_of(table)
            return None
        self.ground = Ground(grid, opens=any(table.data.get("do") == "free" for table in happenings))
        told = [self.told_starts(table) for table in groups]
        for table in groups:
            for key in ("goals", "patrol", "tasks"):
                if key in table:  # nobody is drawn where others have to go
                    self.ground.taken[self.ground.free(table, key, table.places(key))] = True
        for number, (table, starts) in enumerate(zip(groups, told, strict=True)):
            self.group(table, starts, np.random.default_rng([self.seed, number]))
        for number, table in sorted(enumerate(happenings), key=lambda pair: _when(pair[1])):
            self.event(table, np.random.default_rng([self.seed, len(groups), number]))
        return Scene(
            title, grid, tuple(self.errands), tuple(self.events), name, options, groups=dict(self.groups),
            vision=vision, model=model, until=limits["until"], seconds=limits["seconds"], seed=self.seed, about=about,
        )  # fmt: skip

    def world(self, table: Table) -> Grid | None:
        """The map: a drawing, a file, or made by a rule."""
        ways = [key for key in ("map", "file", "make") if key in table]
        if len(ways) != 1:
            table.complain("".join(ways[1:2]), "a world is one of: map (a drawing), file, or make (a rule)")
            return None
        moves = table.text("moves", "eight", [rule.value for rule in Moves])
        maker = MAKERS.get(table.text("make", "", MAKERS)) if "make" in table else None
        settings = [key for key in inspect.signature(maker).parameters if key != "moves"] if maker else []
        if maker or "make" not in table:
            table.known(*ways, "moves", "terrain", *settings)
        try:
            if "map" in table:
                grid = parse_ascii("\n" + table.text("map"), moves)
            elif "file" in table:
                grid = read_map(find_data(table.text("file"), self.file.parent), moves)
            elif maker is None:
                return None
            else:
                told = {key: table.data[key] for key in settings if key in table}
                grid = maker(**({"seed": self.seed} if "seed" in settings else {}) | told, moves=moves)
        except (WayfolkError, TypeError, ValueError) as error:
            self.complain_of_map(table, ways[0], error)
            return None
        return self.with_terrain(table, grid)

    def complain_of_map(self, table: Table, way: str, error: Exception) -> None:
        """Name the line of the drawing, if it is one."""
        at = table.complaints.line_of("world", 0, way)
        drawn = re.match(r"drawing, line (\d+)(.*)", str(error)) if way == "map" else None
        if drawn:
            table.complaints.add(at + int(drawn[1]) - 1, f"the map{drawn[2]}")
        else:
            said = str(error) if isinstance(error, WayfolkError) else f"the map cannot be made: {error}"
            table.complaints.add(at, said)

    def with_terrain(self, world: Table, grid: Grid) -> Grid:
        """`grid` with the costs of [[world.terrain]]."""
        if "terrain" not in world:
            return grid
        costs = np.ones((grid.height, grid.width))
        for table in world.tables("terrain"):
            table.known("places", "area", "cost")
            if "cost" not in table:
                table.complain("cost", "terrain needs a cost")
            cost = table.number_of("cost", 1.0, above=True)
            x, y = grid.places(Ground(grid).area_or_places(table, walls=True)).reshape(-1, 2).T
            costs[y, x] = cost
        return Grid(grid.free, grid.moves, costs=costs, links=grid.links, diagonal=grid.diagonal, name=grid.name)

    def controller(self, table: Table, grid: Grid | None) -> tuple[str, dict[str, Any]]:
        """Who decides, and its options."""
        table.known("name", "options")
        name, options = table.text("name", "whca"), table.table("options").data
        try:
            entry = catalogue.find(name, "controllers")
            if grid is not None:
                refuse(entry, grid)
        except WayfolkError as error:
            table.complain("name", str(error))
            return name, {}
        checked: dict[str, Any] = {}
        for key, value in options.items():
            if key == "seed":
                table.complain("options", "the seed is the scene's own: write it above the tables")
                continue
            try:
                checked |= entry.checked({key: value})
                entry.load()(_tiny(entry), **entry.checked({key: value}))
            except WayfolkError as error:
                table.complain("options", str(error))
        return entry.name, checked

    def told_starts(self, table: Table) -> Cells | None:
        """The starts that a group tells; None if they are to be drawn."""
        if not table.only_one("places", "area") or "places" not in table:
            return None
        told = table.places("places")
        if told and "count" in table and table.data["count"] != len(told):
            table.complain("count", f"count is {said(table.data['count'])}, and there are {len(told)} places")
        for place in told:
            if place in self.begun:
                table.complain("places", f"two agents start at {place}")
            self.begun.add(place)
        cells = self.ground.free(table, "places", told)
        self.ground.taken[cells] = True
        return cells

    def group(self, table: Table, starts: Cells | None, rng: np.random.Generator) -> None:
        """Agents that start somewhere and have something to do."""
        name = table.text("name", f"group {len(self.groups) + 1}")
        if name in self.groups:
            table.complain("name", f"there are two groups {name!r}")
        if starts is None:
            if "count" not in table:
                table.complain("count", "a group says where its agents start (places), or how many there are (count)")
            starts = self.ground.draw_starts(table, table.whole("count", 1, 1), rng)
        first = len(self.errands)
        self.groups[name] = range(first, first + len(starts))
        if not table.flag("ours", True):
            for key in (key for key in (*ERRANDS, "loops") if key in table):
                table.complain(key, f"agents that are not ours wander about: they have no {key}")
            self.errands += [Errand(cell, (cell,)) for cell in starts.tolist()]
            self.events += [events.release(0, agent) for agent in self.groups[name]]
        elif table.only_one(*ERRANDS):
            self.errands += self.errands_of(table, starts, rng)

    def errands_of(self, table: Table, starts: Cells, rng: np.random.Generator) -> list[Errand]:
        """What each agent of a group has to do."""
        loops = table.data.get("loops", ENDLESS if "patrol" in table else 1)
        loops = ENDLESS if loops == "endless" else loops
        if type(loops) is not int or loops < 1:
            table.complain("loops", f'loops must be a whole number from 1, or "endless", not {said(loops)}')
            loops = 1
        if "tasks" in table or "task_area" in table:
            if "loops" in table:
                table.complain("loops", "tasks have no loops: they never end")
            return self.streams(table, starts)
        if "patrol" in table:
            way = self.ground.free(table, "patrol", table.places("patrol"))
            if way.size and (len(way) < 2 or (way == np.roll(way, 1)).any()):
                table.complain("patrol", "a patrol needs two places or more, no two in a row the same")
            for start in starts.tolist():
                self.ground.must_reach(table, "patrol", start, way)
            return [Errand(start, tuple(way.tolist()), loops, home=True) for start in starts.tolist()]
        goals = self.told_goals(table, starts) if "goals" in table else self.ground.draw_goals(table, starts, rng)
        pairs = list(zip(starts.tolist(), goals.tolist(), strict=True))
        if loops == 1:
            return [Errand(start, (goal,)) for start, goal in pairs]
        for start in (start for start, goal in pairs if start == goal):
            table.complain("goals", f"there and back needs a goal other than the start {self.ground.grid.place(start)}")
        return [Errand(start, (goal, start), loops) for start, goal in pairs]

    def told_goals(self, table: Table, starts: Cells) -> Cells:
        """A goal for each agent, or one for all; the starts if that is not what is told."""
        goals = self.each(table, "goals", self.ground.free(table, "goals", table.places("goals")), len(starts))
        if not goals.size:
            return starts
        for start, goal in zip(starts.tolist(), goals, strict=True):
            self.ground.must_reach(table, "goals", start, np.array([goal], np.int32))
        return goals

    def each(self, table: Table, key: str, goals: Cells, n_agents: int) -> Cells:
        """`goals` for so many agents, none if they are too few or too many."""
        if len(goals) == 1:
            return np.repeat(goals, n_agents)
        if goals.size and n_agents and len(goals) != n_agents:
            table.complain(key, f"there are {len(goals)} goals for {n_agents} agents: tell one for all, or each")
        return goals if len(goals) == n_agents else NONE

    def streams(self, table: Table, starts: Cells) -> list[Errand]:
        """Tasks without an end, drawn from the places that each agent can reach."""
        key = "tasks" if "tasks" in table else "task_area"
        pool = self.ground.free(table, key, table.places(key)) if key == "tasks" else self.ground.area(table, key)
        made = []
        for start in starts.tolist():
            fits = self.ground.reachable(start, np.unique(pool))
            if pool.size and len(fits) < 2:
                table.complain(key, f"tasks need two places or more that can be reached, {key} has {len(fits)}")
            made.append(Errand(start, pool=tuple(fits.tolist())))
        return made

    def kind_of(self, table: Table) -> tuple[str, float]:
        """What an event does, and when; it has no keys that this does not need."""
        kind = table.text("do", "", EVENTS) if "do" in table else ""
        if "do" not in table:
            table.complain("do", f"an event needs `do`: one of {', '.join(EVENTS)}")
        table.known("at", "do", *(EVENTS[kind] if kind else dict.fromkeys(sum(EVENTS.values(), ()))))
        if "at" not in table:
            table.complain("at", "an event needs `at`, the time when it happens")
        return kind, table.number_of("at", 0.0) or 0.0

    def event(self, table: Table, rng: np.random.Generator) -> None:
        """Note the events of a table, for each agent and each place one."""
        kind, when = self.kind_of(table)
        ground, place = self.ground, self.ground.grid.place
        if kind in ("block", "free"):
            make = events.block if kind == "block" else events.free
            cells = ground.area_or_places(table, walls=kind == "free")
            made = [make(when, [place(cell)]) for cell in cells.tolist()]
            ground.edits += made
            self.events += made
        elif kind == "join":
            start, goal = (ground.free(table, key, [table.place(key)], when) for key in ("start", "goal"))
            self.events += [
                events.join(when, place(one), place(other)) for one, other in zip(start, goal, strict=False)
            ]
        elif kind in ("leave", "release"):
            happens = events.leave if kind == "leave" else events.release
            self.events += [happens(when, agent) for agent in self.agents(table)]
        elif kind == "retask":
            agents, goals = self.agents(table), self.new_goals(table, when, rng)
            self.events += [events.retask(when, agent, place(g)) for agent, g in zip(agents, goals, strict=False)]

    def new_goals(self, table: Table, when: float, rng: np.random.Generator) -> Cells:
        """The goals of those who are retasked."""
        n_agents = len(self.agents(table))
        given = [key for key in ("goal", "goals", "goal_area") if key in table]
        if not given:
            table.complain("do", "to retask needs a goal, goals or a goal_area")
        if len(given) != 1 or not table.only_one(*given):
            return NONE
        if given == ["goal_area"]:
            cells = rng.permutation(self.ground.area(table, "goal_area"))[:n_agents]
            if cells.size < n_agents:
                table.complain("goal_area", f"{n_agents} goals do not fit: there are {cells.size} free cells")
            return cells
        told = [table.place("goal")] if given == ["goal"] else table.places("goals")
        return self.each(table, given[0], self.ground.free(table, given[0], told, when), n_agents)

    def agents(self, table: Table) -> list[int]:
        """Whom an event is about: a group, or agents by number."""
        if not table.only_one("group", "agents"):
            return []
        if "group" in table:
            return list(self.groups.get(table.text("group", "", self.groups), ()))
        told = table.data.get("agents")
        if type(told) is not list or not told or set(map(type, told)) != {int}:
            table.complain("agents", f"say whom: group, or agents as a list of numbers, not {said(told)}")
            return []
        n_agents = len(self.errands) + sum(event.kind == JOIN for event in self.events)
        for agent in told:
            if not 0 <= agent < n_agents:
                table.complain("agents", f"there is no agent {agent}: they are 0 to {n_agents - 1} then")
        return [agent for agent in told if 0 <= agent < n_agents]


def _tiny(entry: catalogue.Entry) -> Problem:
    """Something to try options on."""
    grid = Grid(np.ones((4, 4)), entry.facts.get("MOVES", ["eight"])[0])
    return Problem(grid, grid.free_cells[:1], grid.free_cells[-1:, None])


def _when(table: Table) -> float:
    at = table.data.get("at")
    return float(at) if isinstance(at, int | float) else 0.0

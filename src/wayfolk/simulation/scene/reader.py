"""Reads a scene: world, groups, events, controller. One error lists everything that is wrong with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import refuse
from wayfolk.algorithms.trust import check_options, find_named
from wayfolk.errors import BadInput, WayfolkError, hint
from wayfolk.files.toml import Document, Place, Table, as_written, read_toml
from wayfolk.kernels.codes import JOIN
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.problem.problem import ENDLESS, Problem, delivery_pools
from wayfolk.problem.record import STEPS
from wayfolk.simulation.scene.ground import NONE, AnyTable, Cells, Ground
from wayfolk.simulation.scene.scene import Errand, Scene
from wayfolk.simulation.scene.street import is_street
from wayfolk.simulation.scene.tables import EVENTS, ControllerTable, EventTable, GroupTable, SceneTable, WorldTable
from wayfolk.simulation.scene.world import read_world
from wayfolk.world.grid import Grid

MOST_EVENTS = 1 << 18
"""Events of a scene; an area that becomes a wall has one for each cell."""
ERRANDS = ("goals", "goal_area", "patrol", "tasks", "task_area", "pickups")


def read_scene(file: str | Path, *, seed: int | None = None, trust: bool = False) -> Scene:
    """The scene in `file`; `seed` replaces the file's own random seed. Raises one error for all that is wrong.

    With `trust` the file may run code: name a controller as `module:begin`, or a cluster.
    """
    document = read_toml(file, "scene")
    if is_street(document):
        raise BadInput(f"{file}: this scene has a [street]: read it with read_street")
    scene = _Reader(Path(file), document, seed, trust).read()
    document.raise_complaints()
    assert scene is not None, "without complaints there is a scene"
    return scene


class _Reader:
    """Goes through the file once; what needs a map is left out if there is none."""

    def __init__(self, file: Path, document: Document, seed: int | None, trust: bool) -> None:
        self.file, self.root, self.trust = file, document.root(SceneTable), trust
        self.seed = (self.root.values.seed or 0) if seed is None else seed
        self.errands: list[Errand] = []
        self.groups: dict[str, range] = {}
        self.events: list[Event] = []
        self.given_starts: set[Place] = set()
        """Where agents start by the file, whether that is possible or not."""
        self.ground = Ground(Grid([[True]]))

    def read(self) -> Scene | None:
        """The scene; None if it has no map. What is wrong has been complained about."""
        root, values = self.root, self.root.values
        grid = read_world(root.table("world", WorldTable), self.file.parent, self.seed)
        name, options = self.controller(root.table("controller", ControllerTable), grid)
        groups = root.tables("group", GroupTable)
        happenings = root.tables("event", EventTable)
        if not groups and "group" not in root.malformed:
            root.complain("group", "a scene needs agents: at least one [[group]]")
        for happening in happenings:
            self.check_keys(happening)
        if grid is None:
            return None
        self.ground = Ground(grid, opens=any(table.values.do == "free" for table in happenings))
        starts_of = [self.given_places(table) for table in groups]
        for table in groups:
            for key in ("goals", "patrol", "tasks", "pickups", "dropoffs"):
                # no agent starts where others have to go
                self.ground.taken[self.ground.free(table, key)] = True
        for number, (table, starts) in enumerate(zip(groups, starts_of, strict=True)):
            self.group(table, starts, np.random.default_rng([self.seed, number]))
        for number, happening in sorted(enumerate(happenings), key=lambda pair: pair[1].values.at or 0.0):
            self.event(happening, np.random.default_rng([self.seed, len(groups), number]))
        return Scene(
            values.name or self.file.stem, grid, tuple(self.errands), tuple(self.events), name, options,
            groups=dict(self.groups), vision=values.vision, model=values.model or STEPS, until=values.until,
            seconds=values.seconds, seed=self.seed, about=values.about or "",
        )  # fmt: skip

    def controller(self, table: Table[ControllerTable], grid: Grid | None) -> tuple[str, dict[str, Any]]:
        """The name of the controller, and its options."""
        name, options = table.values.name or "whca", table.values.options or {}
        try:
            entry = find_named(name, "controllers", trust=self.trust)
            if grid is not None:
                refuse(entry, grid)
        except WayfolkError as error:
            table.complain("name", str(error))
            return name, {}
        checked: dict[str, Any] = {}
        for key, value in options.items():
            if key == "seed":
                table.document.complain(
                    (*table.loc, "options", key), "the seed is the scene's own: write it above the tables"
                )
                continue
            try:
                check_options({key: value}, self.trust)
                checked |= entry.checked({key: value})
                entry.load()(_tiny(entry), **entry.checked({key: value}))
            except WayfolkError as error:
                table.document.complain((*table.loc, "options", key), str(error))
        return entry.name, checked

    def given_places(self, table: Table[GroupTable]) -> Cells | None:
        """The starts that a group lists; None if they are to be drawn."""
        if not table.only_one("places", "area") or "places" not in table:
            return None
        places, count = table.values.places or [], table.values.count
        if places and count is not None and count != len(places):
            table.complain("count", f"count is {count}, and there are {len(places)} places")
        for place in places:
            if place in self.given_starts:
                table.complain("places", f"two agents start at {place}")
            self.given_starts.add(place)
        cells = self.ground.free(table, "places")
        self.ground.taken[cells] = True
        return cells

    def group(self, table: Table[GroupTable], starts: Cells | None, rng: np.random.Generator) -> None:
        """Agents that start somewhere and have something to do."""
        name = table.values.name or f"group {len(self.groups) + 1}"
        if name in self.groups:
            table.complain("name", f"there are two groups {name!r}")
        if starts is None:
            if "count" not in table:
                table.complain("count", "a group says where its agents start (places), or how many there are (count)")
            starts = self.ground.draw_starts(table, table.values.count or 1, rng)
        first = len(self.errands)
        self.groups[name] = range(first, first + len(starts))
        if table.values.ours is False:
            for key in (key for key in (*ERRANDS, "loops") if key in table):
                table.complain(key, f"agents that are not ours wander about: they have no {key}")
            self.errands += [Errand(cell, (cell,)) for cell in starts.tolist()]
            self.events += [events.release(0, agent) for agent in self.groups[name]]
        elif table.only_one(*ERRANDS):
            self.errands += self.errands_of(table, starts, rng)

    def errands_of(self, table: Table[GroupTable], starts: Cells, rng: np.random.Generator) -> list[Errand]:
        """What each agent of a group has to do."""
        loops = table.values.loops or (ENDLESS if "patrol" in table else 1)
        n_loops = ENDLESS if loops == "endless" else loops
        if "tasks" in table or "task_area" in table:
            if "loops" in table:
                table.complain("loops", "tasks have no loops: they never end")
            return self.streams(table, starts)
        if "pickups" in table or "dropoffs" in table:
            if "loops" in table:
                table.complain("loops", "deliveries have no loops: they never end")
            return self.deliveries(table, starts)
        if "patrol" in table:
            way = self.ground.free(table, "patrol")
            if way.size and (len(way) < 2 or (way == np.roll(way, 1)).any()):
                table.complain("patrol", "a patrol needs two places or more, no two in a row the same")
            for start in self.ground.parts_of(starts).values():
                self.ground.must_reach(table, "patrol", start, way)
            visits = tuple(way.tolist())
            return [Errand(start, visits, n_loops, home=True) for start in starts.tolist()]
        goals = self.given_goals(table, starts) if "goals" in table else self.ground.draw_goals(table, starts, rng)
        pairs = list(zip(starts.tolist(), goals.tolist(), strict=True))
        if n_loops == 1:
            return [Errand(start, (goal,)) for start, goal in pairs]
        for start in (start for start, goal in pairs if start == goal):
            table.complain("goals", f"there and back needs a goal other than the start {self.ground.grid.place(start)}")
        return [Errand(start, (goal, start), n_loops) for start, goal in pairs]

    def given_goals(self, table: Table[GroupTable], starts: Cells) -> Cells:
        """A goal for each agent, or one for all; the starts if the file lists neither."""
        goals = self.each(table, "goals", self.ground.free(table, "goals"), len(starts))
        if not goals.size:
            return starts
        for start, goal in zip(starts.tolist(), goals, strict=True):
            self.ground.must_reach(table, "goals", start, np.array([goal], np.int32))
        return goals

    def each(self, table: AnyTable, key: str, goals: Cells, n_agents: int) -> Cells:
        """`goals` for so many agents, none if they are too few or too many."""
        if len(goals) == 1:
            return np.repeat(goals, n_agents)
        if goals.size and n_agents and len(goals) != n_agents:
            table.complain(
                key, f"there are {len(goals)} goals for {n_agents} agents: give one for all, or one for each"
            )
        return goals if len(goals) == n_agents else NONE

    def streams(self, table: Table[GroupTable], starts: Cells) -> list[Errand]:
        """Tasks without an end, drawn from the places that each agent can reach."""
        key = "tasks" if "tasks" in table else "task_area"
        pool = self.ground.free(table, key) if key == "tasks" else self.ground.area(table, key)
        pools = {}
        for part, start in self.ground.parts_of(starts).items():
            fits = pools[part] = self.ground.reachable(start, np.unique(pool))
            if pool.size and len(fits) < 2:
                table.complain(key, f"tasks need two places or more that can be reached, {key} has {len(fits)}")
        return [Errand(start, pool=pools[self.ground.part(start)]) for start in starts.tolist()]

    def deliveries(self, table: Table[GroupTable], starts: Cells) -> list[Errand]:
        """Deliveries without an end, from places to others that each agent can reach."""
        places = [np.unique(self.ground.free(table, key)) for key in ("pickups", "dropoffs") if key in table]
        if len(places) < 2:
            table.complain("pickups" if "pickups" in table else "dropoffs", "deliveries need pickups and dropoffs")
            return [Errand(start, (start,)) for start in starts.tolist()]
        pools = {}
        for part, start in self.ground.parts_of(starts).items():
            pool, drops = pools[part] = delivery_pools(*(self.ground.reachable(start, cells) for cells in places))
            if all(cells.size for cells in places) and not (len(pool) and len(drops)):
                place = self.ground.grid.place(start)
                table.complain("pickups", f"an agent at {place} can reach no pickup and another place as dropoff")
        shared = [(start, *pools[self.ground.part(start)]) for start in starts.tolist()]
        return [Errand(start, pool=pool, drops=drops) for start, pool, drops in shared]

    def check_keys(self, table: Table[EventTable]) -> None:
        """Complain if an event lacks what each event has, or has keys that this one does not need."""
        kind = table.values.do
        if "do" not in table:
            table.complain("", f"an event needs `do`: one of {', '.join(EVENTS)}")
        if kind is not None:
            table.allow(("at", "do", *EVENTS[kind]), f"an event that does {kind!r}")
        if "at" not in table:
            table.complain("", "an event needs `at`, the time when it happens")

    def event(self, table: Table[EventTable], rng: np.random.Generator) -> None:
        """Add the events of a table, one for each agent and each place."""
        kind, when = table.values.do, table.values.at or 0.0
        ground, place = self.ground, self.ground.grid.place
        if kind in ("block", "free"):
            change = events.block if kind == "block" else events.free
            cells = ground.area_or_places(table, walls=kind == "free")
            if len(self.events) + len(cells) > MOST_EVENTS:
                table.complain("area" if "area" in table else "places", f"a scene has up to {MOST_EVENTS:,} events")
                return
            changes = [change(when, [place(cell)]) for cell in cells.tolist()]
            ground.edits += changes
            self.events += changes
        elif kind == "join":
            self.join(table, when)
        elif kind in ("leave", "release"):
            happens = events.leave if kind == "leave" else events.release
            self.events += [happens(when, agent) for agent in self.agents(table)]
        elif kind == "retask":
            agents = self.agents(table)
            goals = self.new_goals(table, len(agents), when, rng)
            self.events += [events.retask(when, agent, place(g)) for agent, g in zip(agents, goals, strict=False)]

    def join(self, table: Table[EventTable], when: float) -> None:
        """Add the event of an agent that joins."""
        place = self.ground.grid.place
        table.need("an agent that joins", "start", "goal")
        start, goal = (self.ground.free(table, key, when) for key in ("start", "goal"))
        self.events += [events.join(when, place(one), place(other)) for one, other in zip(start, goal, strict=False)]

    def new_goals(self, table: Table[EventTable], n_agents: int, when: float, rng: np.random.Generator) -> Cells:
        """The goals of those who are retasked."""
        given = [key for key in ("goal", "goals", "goal_area") if key in table]
        if not given:
            table.complain("do", "to retask needs a goal, goals or a goal_area")
        if len(given) != 1 or not table.only_one(*given):
            return NONE
        if given == ["goal_area"]:
            area = self.ground.area(table, "goal_area")
            if 0 < area.size < n_agents:
                table.complain("goal_area", f"{n_agents} goals do not fit: there are {area.size} free cells")
            return rng.permutation(area)[:n_agents]
        return self.each(table, given[0], self.ground.free(table, given[0], when), n_agents)

    def agents(self, table: Table[EventTable]) -> list[int]:
        """The agents that an event is about: a group, or agents by number."""
        if not table.only_one("group", "agents"):
            return []
        if "group" in table:
            name = table.values.group
            if name is not None and name not in self.groups:
                table.complain("group", f"group cannot be {as_written(name)}{hint(name, self.groups)}")
            return list(self.groups.get(name or "", ()))
        if "agents" not in table:
            table.complain("", f"to {table.values.do} needs a group, or agents as a list of numbers")
        n_agents = len(self.errands) + sum(event.kind == JOIN for event in self.events)
        agents = table.values.agents or []
        for agent in agents:
            if not 0 <= agent < n_agents:
                table.complain("agents", f"there is no agent {agent}: they are 0 to {n_agents - 1} then")
        return [agent for agent in agents if 0 <= agent < n_agents]


def _tiny(entry: catalogue.Entry) -> Problem:
    """A small problem to try options on."""
    grid = Grid(np.ones((4, 4)), entry.facts.get("MOVES", ["eight"])[0])
    return Problem(grid, grid.free_cells[:1], grid.free_cells[-1:, None])

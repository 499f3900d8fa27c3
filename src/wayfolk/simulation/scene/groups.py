"""The groups of a scene: where their agents start, and the errands that these have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from wayfolk.files.toml import Table
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.problem.problem import ENDLESS, delivery_pools
from wayfolk.simulation.scene.scene import Errand
from wayfolk.simulation.scene.scene_map import NONE, AnyTable, Cells, SceneMap
from wayfolk.simulation.scene.tables import GroupTable

ERRANDS = ("goals", "goal_area", "patrol", "tasks", "task_area", "pickups")


class GroupReader:
    """Reads [[group]] tables: `errands` has one for each agent, `groups` the numbers of the agents by name.

    `kind_of` has the number of each agent's kind of body, and `releases` are the events by which agents that are not ours
    go their own ways.
    """

    def __init__(self, scene_map: SceneMap) -> None:
        self.scene_map = scene_map
        self.errands: list[Errand] = []
        self.kind_of: list[int] = []
        self.groups: dict[str, range] = {}
        self.releases: list[Event] = []
        self._given_starts: set[Any] = set()
        """Where agents start by the file, whether that is possible or not."""

    def read(self, tables: list[Table[GroupTable]], seed: int) -> None:
        """Read all groups of a scene with the random seed `seed`."""
        starts_of = [self._given_places(table) for table in tables]
        for table in tables:
            for key in ("goals", "patrol", "tasks", "pickups", "dropoffs"):
                # no agent starts where others have to go
                self.scene_map.take(self.scene_map.free(table, key))
        for number, (table, starts) in enumerate(zip(tables, starts_of, strict=True)):
            self._group(table, starts, np.random.default_rng([seed, number]))

    def _given_places(self, table: Table[GroupTable]) -> Cells | None:
        """The starts that a group lists; None if they are to be drawn."""
        if not table.only_one("places", "area") or "places" not in table:
            return None
        places, count = table.values.places or [], table.values.count
        if places and count is not None and count != len(places):
            table.complain("count", f"count is {count}, and there are {len(places)} places")
        for place in places:
            if place in self._given_starts:
                table.complain("places", f"two agents start at {place}")
            self._given_starts.add(place)
        cells = self.scene_map.free(table, "places")
        self.scene_map.begin(table, cells)
        return cells

    def _group(self, table: Table[GroupTable], starts: Cells | None, rng: np.random.Generator) -> None:
        """Agents that start somewhere and have something to do."""
        name = table.values.name or f"group {len(self.groups) + 1}"
        if name in self.groups:
            table.complain("name", f"there are two groups {name!r}")
        if starts is None:
            if "count" not in table:
                table.complain("count", "a group says where its agents start (places), or how many there are (count)")
            starts = self.scene_map.draw_starts(table, table.values.count or 1, rng)
        first = len(self.errands)
        self.groups[name] = range(first, first + len(starts))
        self.kind_of += [self.scene_map.kind(table)] * len(starts)
        nodes, starts = starts, self.scene_map.stands(starts)
        errands: list[Errand] = []
        if table.values.ours is False:
            for key in (key for key in (*ERRANDS, "loops") if key in table):
                table.complain(key, f"agents that are not ours wander about: they have no {key}")
            errands = [Errand(cell, (cell,)) for cell in starts.tolist()]
            self.releases += [events.release(0, agent) for agent in self.groups[name]]
        elif table.only_one(*ERRANDS):
            errands = self._errands_of(table, starts, rng)
        ends = zip(errands, nodes.tolist(), strict=False)
        self.errands += [errand if errand.start == node else replace(errand, first=node) for errand, node in ends]

    def _errands_of(self, table: Table[GroupTable], starts: Cells, rng: np.random.Generator) -> list[Errand]:
        """What each agent of a group has to do."""
        loops = table.values.loops or (ENDLESS if "patrol" in table else 1)
        n_loops = ENDLESS if loops == "endless" else loops
        if "tasks" in table or "task_area" in table:
            if "loops" in table:
                table.complain("loops", "tasks have no loops: they never end")
            return self._streams(table, starts)
        if "pickups" in table or "dropoffs" in table:
            if "loops" in table:
                table.complain("loops", "deliveries have no loops: they never end")
            return self._deliveries(table, starts)
        if "patrol" in table:
            way = self._goals(table, "patrol")
            if way.size and (len(way) < 2 or (way == np.roll(way, 1)).any()):
                table.complain("patrol", "a patrol needs two places or more, no two in a row the same")
            for start in self.scene_map.parts_of(starts).values():
                self.scene_map.must_reach(table, "patrol", start, way)
            visits = tuple(way.tolist())
            return [Errand(start, visits, n_loops, home=True) for start in starts.tolist()]
        goals = self._given_goals(table, starts) if "goals" in table else self.scene_map.draw_goals(table, starts, rng)
        pairs = list(zip(starts.tolist(), goals.tolist(), strict=True))
        if n_loops == 1:
            return [Errand(start, (goal,)) for start, goal in pairs]
        for start in (start for start, goal in pairs if start == goal):
            table.complain("goals", f"there and back needs a goal other than the start {self.scene_map.place(start)}")
        return [Errand(start, (goal, start), n_loops) for start, goal in pairs]

    def _given_goals(self, table: Table[GroupTable], starts: Cells) -> Cells:
        """A goal for each agent, or one for all; the starts if the file lists neither."""
        goals = goal_for_each(table, "goals", self._goals(table, "goals"), len(starts))
        if not goals.size:
            return starts
        for start, goal in zip(starts.tolist(), goals, strict=True):
            self.scene_map.must_reach(table, "goals", start, np.array([goal], np.int32))
        return goals

    def _goals(self, table: Table[GroupTable], key: str) -> Cells:
        """The goals of the places `key`."""
        return self.scene_map.stands(self.scene_map.free(table, key))

    def _streams(self, table: Table[GroupTable], starts: Cells) -> list[Errand]:
        """Tasks without an end, drawn from the places that each agent can reach."""
        key = "tasks" if "tasks" in table else "task_area"
        pool = self._goals(table, key) if key == "tasks" else self.scene_map.stands(self.scene_map.area(table, key))
        pools = {}
        for part, start in self.scene_map.parts_of(starts).items():
            fits = pools[part] = self.scene_map.reachable(start, np.unique(pool))
            if pool.size and len(fits) < 2:
                table.complain(key, f"tasks need two places or more that can be reached, {key} has {len(fits)}")
        return [Errand(start, pool=pools[self.scene_map.part(start)]) for start in starts.tolist()]

    def _deliveries(self, table: Table[GroupTable], starts: Cells) -> list[Errand]:
        """Deliveries without an end, from places to others that each agent can reach."""
        places = [np.unique(self._goals(table, key)) for key in ("pickups", "dropoffs") if key in table]
        if len(places) < 2:
            table.complain("pickups" if "pickups" in table else "dropoffs", "deliveries need pickups and dropoffs")
            return [Errand(start, (start,)) for start in starts.tolist()]
        pools = {}
        for part, start in self.scene_map.parts_of(starts).items():
            pool, drops = pools[part] = delivery_pools(*(self.scene_map.reachable(start, cells) for cells in places))
            if all(cells.size for cells in places) and not (len(pool) and len(drops)):
                place = self.scene_map.place(start)
                table.complain("pickups", f"an agent at {place} can reach no pickup and another place as dropoff")
        shared = [(start, *pools[self.scene_map.part(start)]) for start in starts.tolist()]
        return [Errand(start, pool=pool, drops=drops) for start, pool, drops in shared]


def goal_for_each(table: AnyTable, key: str, goals: Cells, n_agents: int) -> Cells:
    """`goals` for so many agents, none if they are too few or too many."""
    if len(goals) == 1:
        return np.repeat(goals, n_agents)
    if goals.size and n_agents and len(goals) != n_agents:
        table.complain(key, f"there are {len(goals)} goals for {n_agents} agents: give one for all, or one for each")
    return goals if len(goals) == n_agents else NONE

"""The events of a scene: what happens to its agents and to its map, and when."""

from __future__ import annotations

import numpy as np

from wayfolk.errors import hint
from wayfolk.files.toml import Table, as_written
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.simulation.scene.groups import GroupReader, goal_for_each
from wayfolk.simulation.scene.scene_map import SceneMap
from wayfolk.simulation.scene.tables import EVENTS, EventTable
from wayfolk.world.grid import Grid

MOST_EVENTS = 1 << 18
"""Events of a scene; an area that becomes a wall has one for each cell if all agents are points on a map of squares."""
CHANGES = ("block", "free", "close", "open")


def check_keys(table: Table[EventTable]) -> None:
    """Complain if an event lacks what each event has, or has keys that this one does not need."""
    kind = table.values.do
    if "do" not in table:
        table.complain("", f"an event needs `do`: one of {', '.join(EVENTS)}")
    if kind is not None:
        table.allow(("at", "do", *EVENTS[kind]), f"an event that does {kind!r}")
    if "at" not in table:
        table.complain("", "an event needs `at`, the time when it happens")


class EventReader:
    """Reads [[event]] tables, in the order of their times: `events` has one for each agent or edit."""

    def __init__(self, scene_map: SceneMap, agents: GroupReader) -> None:
        self.scene_map, self.agents = scene_map, agents
        self.events: list[Event] = list(agents.releases)
        self._joined: list[int] = []

    def read(self, table: Table[EventTable], rng: np.random.Generator) -> None:
        """Add the events of a table, one for each agent and each edit of the world."""
        kind, when = table.values.do, table.values.at or 0.0
        if kind in CHANGES:
            if kind in ("close", "open"):
                table.need(f"to {kind}", "lanes")
            changes = self.scene_map.changes(table, kind, when)
            if len(self.events) + len(changes) > MOST_EVENTS:
                table.complain("area" if "area" in table else "places", f"a scene has up to {MOST_EVENTS:,} events")
                return
            self.scene_map.edits += changes
            self.events += changes
        elif kind == "join":
            self._join(table, when)
        elif kind in ("leave", "release"):
            happens = events.leave if kind == "leave" else events.release
            self.events += [happens(when, agent) for agent in self._chosen(table)]
        elif kind == "retask":
            agents = self._chosen(table)
            goals = self._new_goals(table, [self._kinds[agent] for agent in agents], when, rng)
            place = self.scene_map.place
            self.events += [events.retask(when, agent, place(g)) for agent, g in zip(agents, goals, strict=False)]

    def _join(self, table: Table[EventTable], when: float) -> None:
        """Add the event of an agent that joins."""
        place, states = self.scene_map.place, self.scene_map.states
        table.need("an agent that joins", "start", "goal")
        start, goal = (self.scene_map.free(table, key, when) for key in ("start", "goal"))
        kind = self.scene_map.kind(table)
        body = None if isinstance(states, Grid) else states.kinds[kind]
        joining = [events.join(when, place(one), place(to), body) for one, to in zip(start, goal, strict=False)]
        self._joined += [kind] * len(joining)
        self.events += joining

    @property
    def _kinds(self) -> list[int]:
        """The number of the kind of body of each agent, those included who have joined so far."""
        return self.agents.kind_of + self._joined

    def _new_goals(
        self, table: Table[EventTable], kinds: list[int], when: float, rng: np.random.Generator
    ) -> list[int]:
        """The goals of those who are retasked, by the kinds of their bodies."""
        given = [key for key in ("goal", "goals", "goal_area") if key in table]
        if not given:
            table.complain("do", "to retask needs a goal, goals or a goal_area")
        if len(given) != 1 or not table.only_one(*given):
            return []
        if given == ["goal_area"]:
            drawn: list[int] = self.scene_map.scatter(table, "goal_area", kinds, rng).tolist()
            return drawn
        goals = {}
        for kind in sorted({*kinds}) or [0]:
            goals[kind] = goal_for_each(table, given[0], self.scene_map.free(table, given[0], when, kind), len(kinds))
        return [int(goals[kind][k]) for k, kind in enumerate(kinds)] if all(map(len, goals.values())) else []

    def _chosen(self, table: Table[EventTable]) -> list[int]:
        """The agents that an event is about: a group, or agents by number."""
        if not table.only_one("group", "agents"):
            return []
        if "group" in table:
            name = table.values.group
            if name is not None and name not in self.agents.groups:
                table.complain("group", f"group cannot be {as_written(name)}{hint(name, self.agents.groups)}")
            return list(self.agents.groups.get(name or "", ()))
        if "agents" not in table:
            table.complain("", f"to {table.values.do} needs a group, or agents as a list of numbers")
        n_agents = len(self._kinds)
        agents = table.values.agents or []
        for agent in agents:
            if not 0 <= agent < n_agents:
                table.complain("agents", f"there is no agent {agent}: they are 0 to {n_agents - 1} then")
        return [agent for agent in agents if 0 <= agent < n_agents]

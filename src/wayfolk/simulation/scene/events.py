"""The events of a scene: what happens to its agents and to its map, and when."""

from __future__ import annotations

import numpy as np

from wayfolk.errors import hint
from wayfolk.files.toml import Table, as_written
from wayfolk.kernels.codes import JOIN
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.simulation.scene.groups import GroupReader, goal_for_each
from wayfolk.simulation.scene.scene_map import NONE, Cells, SceneMap
from wayfolk.simulation.scene.tables import EVENTS, EventTable

MOST_EVENTS = 1 << 18
"""Events of a scene; an area that becomes a wall has one for each cell."""


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
    """Reads [[event]] tables, in the order of their times: `events` has one for each agent and each place."""

    def __init__(self, scene_map: SceneMap, agents: GroupReader) -> None:
        self.scene_map, self.agents = scene_map, agents
        self.events: list[Event] = list(agents.releases)

    def read(self, table: Table[EventTable], rng: np.random.Generator) -> None:
        """Add the events of a table, one for each agent and each place."""
        kind, when = table.values.do, table.values.at or 0.0
        scene_map, place = self.scene_map, self.scene_map.grid.place
        if kind in ("block", "free"):
            change = events.block if kind == "block" else events.free
            cells = scene_map.area_or_places(table, walls=kind == "free")
            if len(self.events) + len(cells) > MOST_EVENTS:
                table.complain("area" if "area" in table else "places", f"a scene has up to {MOST_EVENTS:,} events")
                return
            changes = [change(when, [place(cell)]) for cell in cells.tolist()]
            scene_map.edits += changes
            self.events += changes
        elif kind == "join":
            self._join(table, when)
        elif kind in ("leave", "release"):
            happens = events.leave if kind == "leave" else events.release
            self.events += [happens(when, agent) for agent in self._chosen(table)]
        elif kind == "retask":
            agents = self._chosen(table)
            goals = self._new_goals(table, len(agents), when, rng)
            self.events += [events.retask(when, agent, place(g)) for agent, g in zip(agents, goals, strict=False)]

    def _join(self, table: Table[EventTable], when: float) -> None:
        """Add the event of an agent that joins."""
        place = self.scene_map.grid.place
        table.need("an agent that joins", "start", "goal")
        start, goal = (self.scene_map.free(table, key, when) for key in ("start", "goal"))
        self.events += [events.join(when, place(one), place(other)) for one, other in zip(start, goal, strict=False)]

    def _new_goals(self, table: Table[EventTable], n_agents: int, when: float, rng: np.random.Generator) -> Cells:
        """The goals of those who are retasked."""
        given = [key for key in ("goal", "goals", "goal_area") if key in table]
        if not given:
            table.complain("do", "to retask needs a goal, goals or a goal_area")
        if len(given) != 1 or not table.only_one(*given):
            return NONE
        if given == ["goal_area"]:
            area = self.scene_map.area(table, "goal_area")
            if 0 < area.size < n_agents:
                table.complain("goal_area", f"{n_agents} goals do not fit: there are {area.size} free cells")
            return rng.permutation(area)[:n_agents]
        return goal_for_each(table, given[0], self.scene_map.free(table, given[0], when), n_agents)

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
        n_agents = len(self.agents.errands) + sum(event.kind == JOIN for event in self.events)
        agents = table.values.agents or []
        for agent in agents:
            if not 0 <= agent < n_agents:
                table.complain("agents", f"there is no agent {agent}: they are 0 to {n_agents - 1} then")
        return [agent for agent in agents if 0 <= agent < n_agents]

"""The world of a scene whose agents have bodies, or are not on a map of squares: places are nodes of their states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.files.agents import place_in
from wayfolk.files.toml_lines import Loc
from wayfolk.kernels.codes import BLOCK, FREE
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.simulation import nodes
from wayfolk.simulation.scene.scene_grid import cells_of_area, says_where
from wayfolk.simulation.scene.scene_map import NONE, AnyTable, Cells, SceneMap
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

CHANGES = {"block": events.block, "free": events.free, "close": events.close_lanes, "open": events.open_lanes}


class SceneStates(SceneMap):
    """The states of agents with bodies; `kinds_of` has the number of the kind of body of each table that names one."""

    def __init__(self, states: StateGraph, kinds_of: dict[Loc, int], *, opens: bool = False) -> None:
        self.states: StateGraph = states
        self.world, self.kinds_of, self.opens = states.world, kinds_of, opens
        self.taken = np.zeros(states.occupancy.n_places, np.bool_)
        """The places of starts and goals, so that no other is drawn there."""
        self.starts: list[tuple[int, Any]] = []
        """The nodes at which agents start by the file, and what it calls them."""
        self.edits: list[Event] = []
        self._edited: tuple[int, StateGraph] = (0, states)
        """The states after so many edits."""

    def kind(self, table: AnyTable) -> int:
        """The number of the kind of body that a table is about."""
        return self.kinds_of.get(table.loc, 0)

    def stands(self, cells: Cells) -> Cells:
        """The goals of agents that are to be on these nodes: for a body that turns, in any heading."""
        return self.states.stand_of[cells]

    def take(self, cells: Cells) -> None:
        """Let no start or goal be drawn there."""
        for node in cells.tolist():
            self.taken[nodes.places_of(self.states, node)] = True

    def begin(self, table: AnyTable, cells: Cells) -> None:
        """Take the starts that a group lists, which must not overlap any other."""
        known = len(self.starts)
        self.starts += zip(cells.tolist(), table.values.places, strict=True) if cells.size else ()
        listed = np.array([node for node, _ in self.starts], np.int32)
        for _, (one, *others) in self.states.clashes(listed) if listed.size else ():
            for other in others:
                here, there = (self.starts[row][1] for row in (one, other))
                if other >= known and here != there:
                    table.complain("places", f"agents overlap at their starts {here} and {there}")
        self.take(cells)

    def area(self, table: AnyTable, key: str, kind: int | None = None) -> Cells:
        """The nodes of an area at which the body can stand, in all headings; there must be some."""
        kind = self.kind(table) if kind is None else kind
        if not isinstance(self.world, Grid):
            table.complain(key, f"{key} is a part of a map of squares: in this world, name places")
            return NONE
        cells = cells_of_area(self.world, table, key)
        stands = self.states.stands(kind)
        kept: Cells = stands[np.isin(self.states.cells[stands], cells)]
        if cells.size and not kept.size:
            body, area = self.states.kinds[kind], list(getattr(table.values, key))
            table.complain(key, f"{key} {area} has no room for the body {body}")
        return kept

    def draw_starts(self, table: AnyTable, count: int, rng: np.random.Generator) -> Cells:
        """`count` nodes of the area, or of the whole world, in the largest part of the world that is there."""
        every = self.states.stands(self.kind(table))
        pool = self.area(table, "area") if "area" in table else every
        where = "area" if "area" in table else "count"
        if pool.size:
            parts = self.states.components
            sizes = np.bincount(parts[every])
            part = max(np.unique(parts[pool]).tolist(), key=lambda part: int(sizes[part]))
            pool = pool[parts[pool] == part]
        elif "area" in table:
            return NONE
        cells = self._spread(rng.permutation(pool), count, self.taken)
        if cells.size < count:
            table.complain(where, f"{count} agents do not fit: there is room for {cells.size} of them")
            return NONE
        return cells

    def draw_goals(self, table: AnyTable, starts: Cells, rng: np.random.Generator) -> Cells:
        """Another goal for each start, in `goal_area` or anywhere, that can be reached; the starts if there is no room."""
        pool = self.area(table, "goal_area") if "goal_area" in table else self.states.stands(self.kind(table))
        pool = rng.permutation(np.unique(self.stands(pool)))
        where = "goal_area" if "goal_area" in table else "count"
        parts, goals = self.states.components, starts.copy()
        for part in np.unique(parts[starts]):
            whose = parts[starts] == part
            cells = self._spread(pool[parts[pool] == part], int(whose.sum()), self.taken)
            if len(cells) < whose.sum():
                table.complain(where, f"{whose.sum()} goals are needed, and {len(cells)} can be reached")
                return starts
            goals[whose] = cells
        return goals

    def scatter(self, table: AnyTable, key: str, kinds: list[int], rng: np.random.Generator) -> Cells:
        """Random goals in an area for agents of these kinds, fewer if they do not fit."""
        taken = np.zeros_like(self.taken)
        pools = {kind: rng.permutation(self.area(table, key, kind)) for kind in sorted({*kinds})}
        goals = [self._spread(pools[kind], 1, taken) for kind in kinds]
        if all(pool.size for pool in pools.values()) and not all(goal.size for goal in goals):
            table.complain(key, f"{len(kinds)} goals do not fit: there is no room for all of them")
        return np.concatenate([NONE, *goals])

    def changes(self, table: AnyTable, kind: str, when: float) -> list[Event]:
        """One event for all cells or lanes of a table."""
        is_about_lanes = kind in ("close", "open")
        places = self._lanes(table) if is_about_lanes else self._cells(table)
        event = CHANGES[kind](when, places)
        try:
            nodes.cells_or_edges(self.states, event.kind, event.places)
        except BadInput as why:
            table.complain("lanes" if is_about_lanes else "area" if "area" in table else "places", str(why))
            return []
        return [event] if event.places else []

    def _lanes(self, table: AnyTable) -> list[Any]:
        """The lanes of a table, each by the places at its ends."""
        lanes = [[self._known(table, "lanes", place) for place in lane] for lane in table.values.lanes or []]
        return [lane for lane in lanes if None not in lane]

    def _cells(self, table: AnyTable) -> list[Any]:
        """The cells of `places` or `area`; they may be walls."""
        if not says_where(table):
            return []
        if "area" not in table:
            places = [self._known(table, "places", place) for place in table.values.places or []]
            return [place for place in places if place is not None]
        if isinstance(self.world, Grid):
            return [self.world.place(cell) for cell in cells_of_area(self.world, table, "area").tolist()]
        self.area(table, "area")
        return []

    def _known(self, table: AnyTable, key: str, place: Any) -> Any:
        """What the world calls a place of the file; None, and a complaint, if there is none."""
        try:
            return place_in(self.world, place)
        except BadInput as why:
            table.complain(key, str(why))
            return None

    def _node(self, table: AnyTable, key: str, place: Any, when: float, kind: int) -> int | None:
        known, body = self._known(table, key, place), self.states.kinds[kind]
        if known is None:
            return None
        try:
            if isinstance(known, tuple) and isinstance(known[-1], str) and not body.turns:
                raise BadInput(f"{known} has a heading, which is for bodies that turn")
            node = self.states.node(known, kind)
        except BadInput as why:
            table.complain(key, str(why))
            return None
        if self._at(when).is_free(node):
            return node
        then = f" at time {when:g}" if self.edits else ""
        is_wall = not self._at(when).world.is_free(int(self.states.cells[node]))
        fault = "is in a wall" if is_wall else f"has no room for the body {body}"
        table.complain(key, f"{place} of {key} {fault}{then}")
        return None

    def _at(self, when: float) -> StateGraph:
        """The states at a time; events are read in the order of their times."""
        edits = [event for event in self.edits if event.time <= when and event.kind in (BLOCK, FREE)]
        if len(edits) != self._edited[0]:
            last = {place: event.kind for event in edits for place in event.places}
            blocked, freed = ([self.world.cell(one) for one in last if last[one] == kind] for kind in (BLOCK, FREE))
            states = self.states.with_blocked(blocked).with_freed(freed)
            self._edited = len(edits), states
        return self._edited[1]

    def _spread(self, pool: Iterable[int], count: int, taken: Any) -> Cells:
        """Up to `count` nodes of the pool, in its order, that share no place with what is taken or with each other."""
        chosen: list[int] = []
        for node in np.asarray(pool).tolist():
            if len(chosen) == count:
                break
            places = nodes.places_of(self.states, node)
            if not taken[places].any():
                taken[places] = True
                chosen.append(node)
        return np.array(chosen, np.int32)

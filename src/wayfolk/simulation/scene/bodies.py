"""The bodies of a scene: what the agents of each group are, and those who join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wayfolk.errors import BadInput, WayfolkError
from wayfolk.files.agents import body_value
from wayfolk.files.toml import Table
from wayfolk.files.toml_lines import Loc
from wayfolk.simulation.scene.scene_grid import SceneGrid
from wayfolk.simulation.scene.scene_map import AnyTable, SceneMap
from wayfolk.simulation.scene.scene_states import SceneStates
from wayfolk.simulation.scene.tables import BODY, EventTable, GroupTable, WorldTable
from wayfolk.world.body import POINT, Body
from wayfolk.world.body_layers import check_body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import states_of


@dataclass(frozen=True)
class SceneBodies:
    """The kinds of bodies in a world, and the number of the kind for each table of the file that is about one."""

    world: Grid | Graph
    kinds: tuple[Body, ...]
    kinds_of: dict[Loc, int]

    def scene_map(self, table: Table[WorldTable], opens: bool) -> SceneMap | None:
        """The world for those who read the scene; None, and a complaint, if it does not fit into the memory."""
        try:
            states = states_of(self.world, self.kinds)
            return (
                SceneGrid(states, opens=opens)
                if isinstance(states, Grid)
                else SceneStates(states, self.kinds_of, opens=opens)
            )
        except WayfolkError as error:
            table.complain("", str(error))
            return None


def read_bodies(
    world: Grid | Graph, groups: Sequence[Table[GroupTable]], happenings: Sequence[Table[EventTable]]
) -> SceneBodies:
    """The bodies of all groups and of those who join; these are by default like the first group."""
    bodies: dict[Loc, Body] = {table.loc: _body(table, POINT, world) for table in groups}
    first = next(iter(bodies.values()), POINT)
    for table in happenings:
        if table.values.do == "join":
            is_said = any(key in table for key in BODY)
            bodies[table.loc] = _body(table, POINT, world) if is_said else first
    kinds = tuple(dict.fromkeys(bodies.values())) or (POINT,)
    return SceneBodies(world, kinds, {loc: kinds.index(body) for loc, body in bodies.items()})


def _body(table: AnyTable, default: Body, world: Grid | Graph) -> Body:
    """The body that a table describes; `default`, and complaints, if there can be none such in this world."""
    said: dict[str, Any] = {}
    for key in BODY:
        value = getattr(table.values, key)
        if value is None:
            continue
        try:
            value = body_value(key, value) if isinstance(value, str) else value
            check_body(world, Body(**{key: value}))
            said[key] = value
        except BadInput as why:
            table.complain(key, str(why))
    return Body(**said) if said else default

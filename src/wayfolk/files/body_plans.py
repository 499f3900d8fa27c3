"""Plan files for every world and body: the world, the bodies, where every agent is at every step, and perhaps the goals.

JSON names places as the world does, and `.npz` holds numbers of nodes. Everything is checked: a plan may hold collisions,
jumps and walls walked through, which the judge finds, but no place that is not one of the world.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadPlan
from wayfolk.files.arrays import Arrays
from wayfolk.files.raw import check_room, shown
from wayfolk.files.world_json import body_as_dict, body_from_dict, name_of, world_as_dict, world_from_dict
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.plan import Plan
from wayfolk.world.body_layers import count_nodes
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import OnTheWay, StateGraph, states_of
from wayfolk.world.tiling import Tiling

Nodes = NDArray[np.int32]
MOST_NODES = 1 << 25


def about_states(states: StateGraph) -> dict[str, Any]:
    """The world and the bodies, as JSON."""
    return {"world": world_as_dict(states.world), "bodies": [body_as_dict(body) for body in states.kinds]}


def states_from(about: dict[str, Any]) -> StateGraph:
    """The graph of states that `about_states` has written."""
    bodies = about.get("bodies")
    if not isinstance(bodies, list) or not bodies:
        raise BadPlan(f"the bodies should be a list of one body or more, not {shown(bodies)}")
    world, kinds = world_from_dict(about.get("world")), tuple(body_from_dict(body) for body in bodies)
    n_nodes = sum(count_nodes(world, body) for body in kinds)
    if n_nodes > MOST_NODES:
        raise BadPlan(f"the bodies have {n_nodes:,} nodes in this world, more than {MOST_NODES:,}")
    states = states_of(world, kinds)
    if not isinstance(states, StateGraph):
        raise BadPlan("points on a square grid have a 'map', not a 'world' and 'bodies'")
    return states


def as_json(plan: Plan, goals: Nodes | None, head: dict[str, Any]) -> str:
    """The plan as text, with a line for each agent."""
    states = plan.states
    assert isinstance(states, StateGraph)
    kinds = _kinds_of_agents(states, plan.cells)
    content = head | about_states(states) | {"kind_of": kinds}
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    ends = None if goals is None else [_name(states, int(goal)) for goal in goals]
    parts.append(f'"goals": {json.dumps(ends)}')
    paths = [json.dumps([_name(states, node) for node in path]) for path in plan.cells.T.tolist()]
    parts.append('"paths": [\n' + ",\n".join(paths) + "]")
    return "{\n" + ",\n".join(parts) + "}\n"


def as_npz(plan: Plan, goals: Nodes | None, head: dict[str, Any]) -> bytes:
    """The plan as compressed arrays."""
    assert isinstance(plan.states, StateGraph)
    arrays: dict[str, Any] = {"about": np.array(json.dumps(head | about_states(plan.states))), "nodes": plan.cells}
    stream = BytesIO()
    np.savez_compressed(stream, **(arrays if goals is None else arrays | {"goal_nodes": goals}))
    return stream.getvalue()


def from_json(content: dict[str, Any]) -> tuple[Plan, Nodes | None]:
    """The plan in the content of a file, and its goals."""
    states = states_from(content)
    paths, kinds = content.get("paths"), content.get("kind_of")
    if not isinstance(paths, list) or not isinstance(kinds, list) or len(kinds) != len(paths):
        raise BadPlan("'paths' and 'kind_of' should be lists with an item for each agent")
    for agent, (kind, path) in enumerate(zip(kinds, paths, strict=True)):
        if type(kind) is not int or not 0 <= kind < len(states.kinds):
            raise BadPlan(f"agent {agent} has the body number {shown(kind)}, of {len(states.kinds)} bodies")
        if not isinstance(path, list) or not path:
            raise BadPlan(f"agent {agent} should have a list of places that begins with its start, not {shown(path)}")
    n_places = max(map(len, paths), default=1)
    check_room(n_places * len(paths), sum(map(len, paths)))
    cells = np.full((n_places, len(paths)), NOWHERE, np.int32)
    known: dict[tuple[int, str], int] = {}
    for agent, path in enumerate(paths):
        for step, place in enumerate(path):
            cells[step, agent] = _node(states, place, kinds[agent], known, f"agent {agent}, step {step}")
    goals = content.get("goals")
    if goals is None:
        return Plan(states, cells), None
    if not isinstance(goals, list) or len(goals) != len(paths):
        raise BadPlan(f"'goals' should be a list with {len(paths)} places")
    ends = [_node(states, goal, kinds[agent], known, f"the goal of agent {agent}") for agent, goal in enumerate(goals)]
    return Plan(states, cells), _stands(states, np.array(ends, np.int32))


def from_arrays(about: dict[str, Any], arrays: Arrays) -> tuple[Plan, Nodes | None]:
    """The plan in checked arrays, and its goals."""
    states = states_from(about)
    cells = arrays["nodes"].astype(np.int64)
    goals = arrays.get("goal_nodes")
    if not len(cells):
        raise BadPlan(f"the array 'nodes' has the shape {cells.shape}, it should have steps and agents")
    for what, nodes in (("nodes", cells), ("goal_nodes", np.zeros(0, np.int64) if goals is None else goals)):
        wrong = ((nodes < 0) | (nodes >= states.n_cells)) & (nodes != NOWHERE)
        if wrong.any():
            raise BadPlan(f"the array {what!r} holds {nodes[wrong][0]}, of {states.n_cells} nodes")
    if goals is not None and goals.shape != cells.shape[1:]:
        raise BadPlan(f"the array 'goal_nodes' has the shape {goals.shape}, not {cells.shape[1:]}")
    return Plan(states, cells.astype(np.int32)), None if goals is None else _stands(states, goals.astype(np.int32))


def _kinds_of_agents(states: StateGraph, cells: Nodes) -> list[int]:
    """The kind of each agent at its first place."""
    first = np.where(cells != NOWHERE, cells, -1).argmax(0) * 0
    nodes = cells[first, np.arange(cells.shape[1])]
    return [0 if node == NOWHERE else states.kind_of(node) for node in nodes.tolist()]


def _name(states: StateGraph, node: int) -> Any:
    """The place of a node for JSON."""
    if node == NOWHERE:
        return None
    place = states.place(node)
    return place._asdict() if isinstance(place, OnTheWay) else place


def _node(states: StateGraph, place: Any, kind: int, known: dict[tuple[int, str], int], where: str) -> int:
    """The node of a body of this kind at a place of JSON; NOWHERE for null."""
    if place is None:
        return int(NOWHERE)
    key = kind, json.dumps(place)
    if key not in known:
        try:
            if isinstance(place, dict):
                way = OnTheWay(_called(states, place["start"]), _called(states, place["end"]), float(place["share"]))
                known[key] = states.way(way, kind)
            else:
                known[key] = states.node(_called(states, place), kind)
        except BadInput as why:
            raise BadPlan(f"{where}: {why}") from None
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            raise BadPlan(f"{where}: {shown(place)} is no place") from None
    return known[key]


def _called(states: StateGraph, place: Any) -> Any:
    """The name of a place of JSON in the world; cells have whole numbers, and perhaps a heading."""
    name: Any = name_of(place)
    if isinstance(states.world, Grid | Tiling):
        axes = name[:-1] if isinstance(name[-1], str) else name
        if any(type(axis) is not int for axis in axes):
            raise TypeError
    return name


def _stands(states: StateGraph, goals: Nodes) -> Nodes:
    if (goals == NOWHERE).any():
        raise BadPlan(f"the goal of agent {(goals == NOWHERE).argmax()} is nowhere")
    stands: Nodes = states.stand_of[goals]
    return stands

"""Nodes of a simulation: cells of a grid on which agents are points, or states of bodies in any other world.

What differs between both for the state of a simulation and those who change it is here; the referee has `crew_moves`.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import CLOSE, FREE, NOBODY, OPEN
from wayfolk.kernels.crew import ANSWER, AnyCrew, Crew, StateCrew
from wayfolk.problem.record import DISTANCE, TURNS
from wayfolk.world.body import Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import OnTheWay, StateGraph

States = Grid | StateGraph


def new_crew(states: States, agents: NDArray[np.void], model: str, tick: float, lookahead: int) -> AnyCrew:
    """The crew of `agents`, whose routes have room for `lookahead` nodes."""
    n = len(agents)
    rest: tuple[Any, ...] = (
        occupants(states, agents), agents, np.zeros(n, np.int32), np.zeros(2, np.int64),
        np.zeros((n, lookahead), np.int32), np.zeros(n, ANSWER),
    )  # fmt: skip
    if not isinstance(states, Grid):
        return StateCrew(states.occupancy, states.stand_of, *rest)
    lasts = np.full(9, tick if model == TURNS else 1.0)
    if model == DISTANCE:
        lasts[:8] = states.lengths
    return Crew(states.offsets, lasts, *rest)


def occupants(states: States, agents: NDArray[np.void]) -> NDArray[np.int32]:
    """Who holds each place."""
    present = np.flatnonzero(agents["present"])
    if isinstance(states, Grid):
        occupant = np.full(states.n_cells, NOBODY, np.int32)
        occupant[agents["here"][present]] = present
        return occupant
    occupant = np.full(states.occupancy.n_places, NOBODY, np.int32)
    for agent in present.tolist():
        occupant[places_of(states, int(agents["here"][agent]))] = agent
    return occupant


def places_of(states: States, node: int) -> NDArray[np.int32]:
    """The places that an agent on `node` holds."""
    if isinstance(states, Grid):
        return np.array([node], np.int32)
    table = states.occupancy
    return table.node_places[table.node_first[node] : table.node_first[node + 1]]


def holders(states: States, occupant: NDArray[np.int32], node: int) -> list[int]:
    """The agents that hold places of `node`."""
    held = occupant[places_of(states, node)]
    agents: list[int] = np.unique(held[held != NOBODY]).tolist()
    return agents


def n_places(states: States) -> int:
    """How many places there are."""
    return states.n_cells if isinstance(states, Grid) else states.occupancy.n_places


def node_of(states: States, place: Any, kind: int) -> int:
    """The node of an agent with a body of this kind at `place`."""
    return states.cell(place) if isinstance(states, Grid) else states.node(place, kind)


def stand(states: States, node: int) -> int:
    """The goal of an agent that is to be on `node`: for a body that turns, in any heading."""
    return node if isinstance(states, Grid) else int(states.stand_of[node])


def stands(states: States, at: NDArray[np.int32]) -> NDArray[np.int32]:
    """The goals of agents that are on these nodes."""
    return at if isinstance(states, Grid) else states.stand_of[at]


def kind_of(states: States, node: int) -> int:
    """The number of the kind of body that is on `node`."""
    return 0 if isinstance(states, Grid) else states.kind_of(node)


def kind_number(states: States, body: Body | None) -> int:
    """The number of the kind of an agent that joins: the first one if it says nothing of its body."""
    kinds = (Body(),) if isinstance(states, Grid) else states.kinds
    if body is None:
        return 0
    if body not in kinds:
        raise BadProblem(
            f"an agent that joins has a body of the problem's agents: {'; '.join(map(str, kinds))}; not {body}"
        )
    return kinds.index(body)


def cells_or_edges(states: States, kind: int, places: tuple[Any, ...]) -> list[int]:
    """The cells that an edit blocks or frees, or the edges of the lanes that it closes or opens."""
    world = states if isinstance(states, Grid) else states.world
    if kind in (CLOSE, OPEN):
        if isinstance(states, Grid):
            raise BadProblem("this world has no lanes to close and open: block and free its cells")
        return [states.edge(start, end) for start, end in places]
    if not hasattr(world, "with_blocked"):
        raise BadProblem("cells of this world cannot be blocked or freed: close and open its lanes")
    return [world.cell(place) for place in places]


def cells_of(states: States, kind: int, where: list[int]) -> list[int]:
    """The cells of the world that an edit concerns: of lanes, those at both ends."""
    if kind not in (CLOSE, OPEN):
        return where
    sources, targets = _ends(states)
    return [*sources[where].tolist(), *targets[where].tolist()]


def in_use(states: States, kind: int, where: list[int], crew: AnyCrew) -> list[bool]:
    """Whether an edit of each of these cells or edges has to wait, as an agent is on it."""
    if kind in (FREE, OPEN):
        return [False] * len(where)
    if isinstance(states, Grid):
        return [bool(crew.occupant[cell] != NOBODY) for cell in where]
    nodes = crew.agents["here"][crew.agents["present"]]
    at = states.whereabouts(nodes)
    if kind == CLOSE:
        sources, targets = _ends(states)
        moving = at.share > 0.0
        ways = set(zip(at.cell[moving].tolist(), at.ahead[moving].tolist(), strict=True))
        return [(int(sources[edge]), int(targets[edge])) in ways for edge in where]
    covered = _covered(states, nodes)
    return [cell in covered for cell in where]


def _ends(states: States) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both ends of each edge of the world in which the agents began."""
    assert isinstance(states, StateGraph)
    assert isinstance(states.first, Graph)
    return states.first.sources, states.first.graph.target


def _covered(states: StateGraph, nodes: NDArray[np.int32]) -> set[int]:
    """The cells of the world that bodies cover or pass: on a grid the whole rectangle around both ends of a way."""
    at = states.whereabouts(nodes)
    if not isinstance(states.world, Grid):
        return set(at.cell.tolist()) | set(at.ahead.tolist())
    cells: set[int] = set()
    stride = states.world.stride
    for kind, one, other in zip(at.kind.tolist(), at.cell.tolist(), at.ahead.tolist(), strict=True):
        rows = sorted((one // stride, other // stride))
        columns = sorted((one % stride, other % stride))
        size = states.kinds[kind].size
        down, across = range(rows[0], rows[1] + size), range(columns[0], columns[1] + size)
        cells.update(y * stride + x for y, x in itertools.product(down, across))
    return cells


def step_to(states: States, here: int, place: Any) -> int | None:
    """The node to which one step from `here` leads towards `place`: `here` if it is there; None if no step does."""
    if isinstance(states, Grid):
        there = states.cell(place)
        ways = [k for k in range(8) if here + states.offsets[k] == there and states.legal[here] >> k & 1]
        return there if ways or here == there else None
    target = states.graph.target[states.graph.first[here] : states.graph.first[here + 1]]
    place = tuple(place) if isinstance(place, list) else place
    for node in [here, *target.tolist()]:
        at = states.place(node)
        end = at.end if isinstance(at, OnTheWay) and node != here else at
        if place in _names(end, states, node):
            return int(node)
    return None


def _names(at: Any, states: StateGraph, node: int) -> tuple[Any, ...]:
    """What the place of a node may be called: that of a body that turns also without its heading."""
    return (at, at[:2]) if states.kinds[states.kind_of(node)].turns else (at,)

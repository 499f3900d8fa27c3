"""Problem: a world, its agents, and the goals of each. All checks of the input are here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem, NotSupported
from wayfolk.world.body import POINT, Body, bodies_of, in_words
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.world.graph import Graph
    from wayfolk.world.state_graph import StateGraph

    World = Grid | Graph
Bodies = Body | Iterable[Body] | None

ENDLESS = 1 << 30
"""The number of loops of agents that never finish."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Agents in a world, where they start, and which goals they have.

    `starts[agent]` is a node of `states`: a cell of a grid, or what the agent's body makes of it. `routes[agent, k]` are
    the goals an agent visits in turn, and it does so `loops` times: one goal and one loop is the classical problem, two
    goals (there and back) and 20 loops a patrol. With a `pool` of nodes there is no end: an agent that reaches its goal
    gets a random one from the pool, by the random seed `seed`. With `drops` as well, a task has two places: one of the
    pool, where something is picked up, then one of `drops`, where it is delivered. An agent's first task is in `routes`.

    `kinds` are the bodies of the agents, and `kind_of[agent]` is the number of each agent's; it is empty if all are of the
    first kind. A body that turns has reached its goal in every heading.
    """

    world: World
    starts: NDArray[np.int32]
    routes: NDArray[np.int32]
    loops: int = 1
    pool: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    seed: int = 0
    name: str = ""
    drops: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    kinds: tuple[Body, ...] = (POINT,)
    kind_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def states(self) -> Grid | StateGraph:
        """The nodes on which agents are: the grid itself if they are points on one."""
        return _states(self.world, self.kinds)

    @property
    def is_plain(self) -> bool:
        """Whether agents are points on a square grid."""
        return isinstance(self.states, Grid)

    @property
    def grid(self) -> Grid:
        """The square grid on which all agents are points; other problems have `world` and `states`."""
        states = self.states
        if isinstance(states, Grid):
            return states
        bodies = in_words(self.kinds)
        raise NotSupported(f"this works for points on square grids, not for the bodies {bodies} in {self.world!r}")

    def body(self, agent: int) -> Body:
        """The body of an agent."""
        return self.kinds[int(self.kind_of[agent])] if self.kind_of.size else self.kinds[0]

    @property
    def n_agents(self) -> int:
        """How many agents there are at the beginning."""
        return len(self.starts)

    @property
    def goals(self) -> NDArray[np.int32]:
        """Each agent's first goal."""
        return self.routes[:, 0]

    @property
    def is_one_shot(self) -> bool:
        """Whether each agent has one goal and is done there."""
        return self.routes.shape[1] == 1 and self.loops == 1 and not self.pool.size

    @property
    def shared_goals(self) -> list[tuple[int, list[int]]]:
        """The goals on which several agents should stay, each with its agents: only one of them can."""
        if not self.is_one_shot:
            return []
        states = self.states
        return _twins(self.goals) if isinstance(states, Grid) else states.clashes(self.goals)

    def first(self, n_agents: int) -> Problem:
        """The same problem with only its first `n_agents`."""
        if not 1 <= n_agents <= self.n_agents:
            raise BadProblem(f"{n_agents} agents were asked for, there are 1 to {self.n_agents}")
        return replace(
            self, starts=self.starts[:n_agents], routes=self.routes[:n_agents], kind_of=self.kind_of[:n_agents]
        )

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import problem_html

        return problem_html(self)

    def __repr__(self) -> str:
        if self.drops.size:
            task = "a stream of deliveries"
        elif self.pool.size:
            task = "a stream of tasks"
        elif self.is_one_shot:
            task = "one goal each"
        else:
            task = f"{self.routes.shape[1]} goals in turn, {self.loops} loops"
        bodies = "" if self.kinds == (POINT,) else f" ({in_words(self.kinds)})"
        return f"Problem({self.world!r}, {self.n_agents} agents{bodies}, {task})"


def one_shot(world: World, starts: ArrayLike, goals: ArrayLike, *, bodies: Bodies = None, name: str = "") -> Problem:
    """A problem in which agents at `starts` have one goal each.

    Both are places of the world: `(x, y)` on a grid, `(x, y, z)` among voxels, names of nodes on a graph. A body that turns
    starts facing east, or as `(x, y, "N")` says. `bodies` is one `Body` for all agents, or one for each. Agents may share a
    goal, though only one of them can be there at the end: controllers accept this, planners do not.
    """
    if isinstance(world, Grid) and bodies is None:
        return _checked(world, world.cells(starts), world.cells(goals)[:, None], name=name)
    begin, end = _listed(world, starts), _listed(world, goals)
    kinds, kind_of = bodies_of(bodies, len(begin))
    states = _states(world, kinds)
    if len(begin) != len(end):
        raise BadProblem(f"there are {len(begin)} starts and {len(end)} goals")
    here, there = _nodes(states, begin, kind_of), _nodes(states, end, kind_of)
    return _checked(world, here, _stands(states, there)[:, None], name=name, **_bodies(kinds, kind_of))


def _states(world: World, kinds: tuple[Body, ...]) -> Grid | StateGraph:
    """Where agents with these bodies can be."""
    if isinstance(world, Grid) and kinds == (POINT,):
        return world
    from wayfolk.world.state_graph import states_of

    return states_of(world, kinds)


def _drawn_states(
    states: StateGraph, kind_of: NDArray[np.int32], seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Random starts and goals."""
    from wayfolk.world.state_graph import draw_states

    return draw_states(states, kind_of, seed=seed)


def _bodies(kinds: tuple[Body, ...], kind_of: Sequence[int]) -> dict[str, Any]:
    return {"kinds": kinds, "kind_of": np.array(kind_of if len(kinds) > 1 else [], np.int32)}


def _listed(world: World, places: ArrayLike) -> list[Any]:
    """Places as a list; those of graphs may be any names."""
    if not isinstance(world, Grid) and isinstance(places, (list, tuple)):
        return [tuple(place) if isinstance(place, list) else place for place in places]
    rows: list[Any] = places if isinstance(places, list) else np.asarray(places).tolist()
    return [tuple(row) if isinstance(row, (list, np.ndarray)) else row for row in rows]


def _nodes(states: Grid | StateGraph, places: list[Any], kind_of: Sequence[int]) -> NDArray[np.int32]:
    """The node of each agent at its place."""
    if isinstance(states, Grid):
        return states.cells(np.array(places, np.int64).reshape(-1, 2))
    nodes = [states.node(place, kind) for place, kind in zip(places, kind_of, strict=True)]
    return np.array(nodes, np.int32)


def _stands(states: Grid | StateGraph, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The nodes that stand for goals: of a body that turns, the first of its cell."""
    return nodes if isinstance(states, Grid) else states.stand_of[nodes]


def patrol(
    world: World,
    agents: int = 100,
    loops: int = 20,
    *,
    seed: int = 0,
    zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    checkerboard: bool = True,
    bodies: Bodies = None,
    name: str = "",
) -> Problem:
    """A problem in which agents walk to a place and back, `loops` times.

    Starts are random cells of the first of `zones` (masks of the map), far ends of the second; without zones both are
    from the whole map. With `checkerboard`, x + y of every start and far end is even, so that agents that stand on
    theirs cannot enclose another one. No two agents share a start or a far end, and no far end is another's start. Zones
    and the checkerboard are for points on a grid; elsewhere starts and far ends are random.
    """
    from wayfolk.world.generate import draw_pairs

    if isinstance(world, Grid) and bodies is None:
        starts, far = draw_pairs(world, agents, seed=seed, zones=zones, checkerboard=checkerboard, disjoint=True)
        return patrol_between(world, starts, far, loops, seed=seed, name=name)
    if zones is not None:
        raise BadProblem("zones are masks of a grid on which agents are points")
    drawn = random_problem(world, agents, seed=seed, bodies=bodies, name=name)
    back = _stands(drawn.states, drawn.starts)
    return replace(drawn, routes=np.stack([drawn.goals, back], 1), loops=_positive("loops", loops), seed=seed)


def patrol_between(
    grid: Grid, starts: NDArray[np.int32], far: NDArray[np.int32], loops: int = 20, *, seed: int = 0, name: str = ""
) -> Problem:
    """A problem in which each agent walks from its cell of `starts` to its cell of `far` and back, `loops` times."""
    routes = np.stack([far, starts], 1).astype(np.int32)
    return _checked(grid, starts.astype(np.int32), routes, loops=_positive("loops", loops), seed=seed, name=name)


def random_problem(world: World, agents: int = 100, *, seed: int = 0, bodies: Bodies = None, name: str = "") -> Problem:
    """A problem with random starts and goals: no two agents share a place at the start, nor at the end.

    Points on a grid are in the largest part of it. Without a `name` it is that of the world, of the agents and of the seed.
    """
    from wayfolk.world.generate import draw_pairs

    if agents < 1:
        raise BadProblem("a problem needs at least one agent")
    kinds, kind_of = bodies_of(bodies, agents)
    states = _states(world, kinds)
    if isinstance(states, Grid):
        starts, goals = draw_pairs(states, agents, seed=seed)
    else:
        starts, goals = _drawn_states(states, np.array(kind_of, np.int32), seed)
    name = name or f"{getattr(world, 'name', '') or 'map'}-{agents}-{seed}"
    return _checked(world, starts, goals[:, None], name=name, **_bodies(kinds, kind_of))


def tasks(
    world: World,
    agents: int = 100,
    *,
    seed: int = 0,
    pool: ArrayLike | None = None,
    starts: ArrayLike | None = None,
    bodies: Body | None = None,
    name: str = "",
) -> Problem:
    """A problem in which an agent that arrives gets a random new goal: from `pool` (places), or anywhere.

    With `starts`, a list of places, there are as many agents as these; otherwise `agents` starts are drawn. All agents have
    one kind of body.
    """
    states, here, goals = _first_places(world, agents, seed, starts, bodies)
    part = states.components[here[0]]
    nodes = _all_or(states, world, pool, part)
    if pool is not None or starts is not None:
        goals = np.random.default_rng(seed).choice(nodes, len(here)).astype(np.int32)
    if pool is not None:
        if (states.components[nodes] != part).any():
            lost = nodes[states.components[nodes] != part][0]
            raise BadProblem(f"the pool of tasks holds {states.place(lost)}, which the agents cannot reach")
    rest = {"loops": ENDLESS, "pool": nodes, "seed": seed, "name": name, "kinds": (bodies or POINT,)}
    return _checked(world, here, goals[:, None], **rest)


def deliveries(
    world: World,
    agents: int = 100,
    *,
    pickups: ArrayLike | None = None,
    dropoffs: ArrayLike | None = None,
    seed: int = 0,
    starts: ArrayLike | None = None,
    bodies: Body | None = None,
    name: str = "",
) -> Problem:
    """A problem in which each task has two places: an agent walks to a pickup, then to a dropoff, then gets the next task.

    The places are drawn at random from `pickups` and `dropoffs`, or from the whole world; so are `starts`. All agents have
    one kind of body.
    """
    states, here, _ = _first_places(world, agents, seed, starts, bodies)
    part = states.components[here[0]]
    pools = []
    for what, places in (("pickups", pickups), ("dropoffs", dropoffs)):
        nodes = _all_or(states, world, places, part)
        if not nodes.size:
            raise BadProblem(f"deliveries need one place or more among the {what}")
        if (states.components[nodes] != part).any():
            lost = nodes[states.components[nodes] != part][0]
            raise BadProblem(f"the {what} hold {states.place(lost)}, which the agents cannot reach")
        pools.append(np.unique(nodes))
    pool, drops = delivery_pools(*pools)
    if not len(pool) or not len(drops):
        raise BadProblem("deliveries need a pickup and a dropoff that are not the same place")
    rng = np.random.default_rng(seed)
    first = _drawn(rng, pool, _stands(states, here))
    routes = np.stack([first, _drawn(rng, drops, first)], 1)
    rest = {"pool": pool, "drops": drops, "seed": seed, "name": name, "kinds": (bodies or POINT,)}
    return _checked(world, here, routes, loops=ENDLESS, **rest)


def _all_or(states: Grid | StateGraph, world: World, places: ArrayLike | None, part: int) -> NDArray[np.int32]:
    """The nodes of the given places, or all in which a body of the first kind can stand in this part of the world."""
    if places is not None:
        listed = _listed(world, places)
        return _stands(states, _nodes(states, listed, [0] * len(listed)))
    stands = states.free_cells if isinstance(states, Grid) else np.unique(states.stand_of[states.stands(0)])
    nodes: NDArray[np.int32] = stands[states.components[stands] == part]
    return nodes


def _first_places(
    world: World, agents: int, seed: int, starts: ArrayLike | None, body: Body | None
) -> tuple[Grid | StateGraph, NDArray[np.int32], NDArray[np.int32]]:
    """The states, and the nodes of the given `starts`, or random starts and goals, all in one part of a grid."""
    from wayfolk.world.generate import draw_pairs

    states = _states(world, (body or POINT,))
    if starts is not None:
        listed = _listed(world, starts)
        if not listed:
            raise BadProblem("a problem needs at least one agent")
        here = _nodes(states, listed, [0] * len(listed))
        return states, here, here
    if isinstance(states, Grid):
        return states, *draw_pairs(states, agents, seed=seed)
    return states, *_drawn_states(states, np.zeros(agents, np.int32), seed)


def delivery_pools(
    pickups: NDArray[np.int32], dropoffs: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both, without the only place of one of them in the other: no agent gets a goal where it stands."""
    if len(dropoffs) == 1:
        pickups = pickups[pickups != dropoffs[0]]
    if len(pickups) == 1:
        dropoffs = dropoffs[dropoffs != pickups[0]]
    return pickups, dropoffs


def _drawn(rng: np.random.Generator, pool: NDArray[np.int32], but: NDArray[np.int32]) -> NDArray[np.int32]:
    """A random cell of `pool` for each agent, other than its cell in `but` if there is a choice."""
    spots = rng.integers(len(pool), size=len(but))
    spots = np.where(pool[spots] == but, spots + 1, spots) % len(pool)
    return pool[spots].astype(np.int32)


def _checked(world: World, starts: NDArray[np.int32], routes: NDArray[np.int32], **rest: Any) -> Problem:
    """The problem, if it has no contradictions; else BadProblem names the first one."""
    states = _states(world, rest.get("kinds", (POINT,)))
    if not len(starts):
        raise BadProblem("a problem needs at least one agent")
    if len(starts) != len(routes):
        raise BadProblem(f"there are {len(starts)} starts and {len(routes)} goals")
    is_free = states._free
    for what, nodes in (("starts", starts), ("has a goal", routes.T.ravel())):
        blocked = ~is_free[nodes]
        if blocked.any():
            spot = int(blocked.argmax())
            agent = spot % len(starts)
            raise BadProblem(f"agent {agent} {what} {_no_room(states, nodes[spot])}", agent)
    twins = _twins(starts) if isinstance(states, Grid) else states.clashes(starts)
    if twins:
        (cell, (one, other, *_)), *_ = twins
        if isinstance(states, Grid) or starts[one] == starts[other]:
            raise BadProblem(f"agents {one} and {other} share the start {states.place(cell)}", other)
        here, there = states.place(cell), states.place(int(starts[other]))
        raise BadProblem(f"agents {one} and {other} overlap at their starts {here} and {there}", other)
    apart = states.components[routes] != states.components[starts][:, None]
    if apart.any():
        agent, k = np.argwhere(apart)[0]
        raise BadProblem(
            f"agent {agent} cannot get from {states.place(starts[agent])} to its goal {states.place(routes[agent, k])}: "
            "they are in different parts of the map",
            int(agent),
        )
    starts.flags.writeable = routes.flags.writeable = False
    return Problem(world, starts, routes, **rest)


def _no_room(states: Grid | StateGraph, node: int) -> str:
    """Why a body cannot be at a node, in the words that follow an agent's name."""
    if isinstance(states, Grid):
        return f"in a wall at {states.place(node)}"
    body, cell = states.kinds[states.kind_of(node)], int(states.cells[node])
    if states.world.is_free(cell):
        needs = f"radius of {body.radius:g}" if body.radius > 0.0 else f"size of {body.size} x {body.size}"
        return f"at {states.place(node)}, where there is no room for its {needs}"
    return f"in a wall at {states.place(node)}"


def _twins(cells: NDArray[np.int32]) -> list[tuple[int, list[int]]]:
    """The cells that appear more than once, each with its agents."""
    order = np.argsort(cells, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(cells[order])) + 1)
    return [(int(cells[part[0]]), part.tolist()) for part in parts if len(part) > 1]


def _positive(what: str, value: int) -> int:
    if value < 1:
        raise BadProblem(f"{what} must be 1 or more, not {value}")
    return int(value)


def agents_of(rows: Sequence[Any], count: int | None, where: str) -> int:
    """The number of agents: that of `rows`, or `count`, which must not be larger."""
    if count is None:
        return len(rows)
    if not 1 <= count <= len(rows):
        raise BadProblem(f"{count} agents were asked for, {where} has 1 to {len(rows)}")
    return count

"""The agents of a simulation as arrays: what controllers see of them, and where they answer.

`Crew` is for points on a square grid, `StateCrew` for all other worlds and bodies. The functions here work on both, and
other kernels are specialised for the class of the crew where they have to be.

A compiled controller is a function `plan_routes(arrays, crew, log, now)` (see `wayfolk.kernels.planning`). It reads the
`Crew`, and answers by the functions here and by nothing else:

    for agent in asked(crew):                 who needs a route
        give_route(crew, agent, cells, n)     the next `n` cells; a cell equal to the present one is a wait
        wait(crew, agent, n)                  a route that stays for `n` steps
        report(crew, agent, expansions)       the agent has planned; the referee writes this to the log
    is_goal(crew, node, goal)             whether an agent at `node` has reached `goal`
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inlined, inner, kernel, specialise, spliced
from wayfolk.kernels.occupancy import Occupancy

N_ASKED, TICK = range(2)  # places in `Crew.counts`
AGENT = np.dtype(
    [
        ("ready", np.float64),  # when the last action is over
        ("here", np.int32),
        ("came", np.int32),  # the cell it was in before its last action
        ("goal", np.int32),
        ("present", np.bool_),
        ("done", np.bool_),  # has made all its visits, and stays for good
        ("ours", np.bool_),  # under control
        ("refused", np.bool_),  # its last move was refused
    ],
    align=True,
)
ANSWER = np.dtype(
    [
        ("n_route", np.int32),
        ("at", np.int32),  # how much of the route is used
        ("spent", np.int32),  # expansions that are not in the log yet
        ("planned", np.bool_),  # whether there is something for the log
    ],
    align=True,
)
ROW = np.dtype([("time", np.float64), ("agent", np.int32), ("cell", np.int32), ("kind", np.uint8)], align=True)


class Crew(NamedTuple):
    """What controllers see, and where they answer. `lasts[k]` is how long move k takes, `lasts[8]` a wait.

    Controllers do not write `occupant` (who is in a cell), `agents`, `asked` and `counts`. The first `counts[N_ASKED]` of
    `asked` need a route: a row of `route`, whose length and use are in `answers`.
    """

    offsets: NDArray[np.int32]
    lasts: NDArray[np.float64]
    occupant: NDArray[np.int32]
    agents: NDArray[np.void]
    asked: NDArray[np.int32]
    counts: NDArray[np.int64]
    route: NDArray[np.int32]
    answers: NDArray[np.void]


class StateCrew(NamedTuple):
    """The crew of a problem on states: all cells of agents and routes are nodes, and every action takes one step.

    `occupant[place]` is who holds a place of `occupancy`, or NOBODY. Places have other numbers after an edit of the world,
    nodes the same. `stand[node]` is the first node of its cell in all headings: an agent has reached a goal whose stand is
    that of its node. Controllers do not write what those of a `Crew` do not write.
    """

    occupancy: Occupancy
    stand: NDArray[np.int32]
    occupant: NDArray[np.int32]
    agents: NDArray[np.void]
    asked: NDArray[np.int32]
    counts: NDArray[np.int64]
    route: NDArray[np.int32]
    answers: NDArray[np.void]


AnyCrew = Crew | StateCrew

_IS_GOAL: dict[type, Callable[..., Any]] = {}


def is_goal(crew: Any, node: Any, goal: Any) -> Any:
    """Whether an agent at `node` has reached `goal`: a body that turns has, in every heading."""
    return _IS_GOAL[type(crew)](crew, node, goal)


specialise(is_goal, _IS_GOAL, spliced)


def _cell_is_goal(crew, node, goal):  # type: ignore[no-untyped-def]
    return node == goal


def _node_is_goal(crew, node, goal):  # type: ignore[no-untyped-def]
    return crew.stand[node] == goal


_IS_GOAL[Crew], _IS_GOAL[StateCrew] = _cell_is_goal, _node_is_goal


@inlined
def asked(crew):
    """The numbers of the agents that need a route."""
    return crew.asked[: crew.counts[N_ASKED]]


@inner
def give_route(crew, agent, cells, n):
    """Let the first `n` of `cells`, as many as there is room for, be the route of `agent`."""
    n = min(n, crew.route.shape[1])
    for k in range(n):
        crew.route[agent, k] = cells[k]
    answer = crew.answers[agent]
    answer["n_route"], answer["at"] = n, 0


@inner
def wait(crew, agent, n):
    """Let `agent` stay where it is for `n` steps, or as many as there is room for."""
    n = min(n, crew.route.shape[1])
    for k in range(n):
        crew.route[agent, k] = crew.agents[agent]["here"]
    answer = crew.answers[agent]
    answer["n_route"], answer["at"] = n, 0


@inner
def report(crew, agent, expansions):
    """Say that `agent` has planned, and how many nodes that expanded. Reports of one tick are added up."""
    answer = crew.answers[agent]
    answer["spent"] += expansions
    answer["planned"] = True


@kernel
def drop_routes(crew, legal, first, last):
    """Drop every route with a move that `legal` does not have and that starts between the cells `first` and `last`."""
    for number in range(crew.agents.size):
        answer = crew.answers[number]
        here = crew.agents[number]["here"]
        for k in range(answer["at"], answer["n_route"]):
            there = crew.route[number, k]
            if first <= here <= last and here != there and not _has_move(crew.offsets, legal[here], there - here):
                answer["n_route"] = answer["at"] = 0
                break
            here = there


@kernel
def drop_routes_over(crew, is_dearer):
    """Drop every route with a step into a cell that `is_dearer` marks."""
    for number in range(crew.agents.size):
        answer = crew.answers[number]
        for k in range(answer["at"], answer["n_route"]):
            if is_dearer[crew.route[number, k]]:
                answer["n_route"] = answer["at"] = 0
                break


@kernel
def drop_node_routes(crew):
    """Drop every route with a move that the nodes of a `StateCrew` do not have."""
    first, target = crew.occupancy.first, crew.occupancy.target
    for number in range(crew.agents.size):
        answer = crew.answers[number]
        here = crew.agents[number]["here"]
        for k in range(answer["at"], answer["n_route"]):
            there = crew.route[number, k]
            edge = first[here]
            while edge < first[here + 1] and target[edge] != there:
                edge += 1
            if here != there and edge == first[here + 1]:
                answer["n_route"] = answer["at"] = 0
                break
            here = there


@inner
def _has_move(offsets, bits, step):
    for k in range(8):
        if offsets[k] == step:
            return (bits >> k) & 1 != 0
    return False

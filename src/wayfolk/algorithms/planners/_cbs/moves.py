"""What a conflict-based search knows of moves and places: functions that are chosen for the world while kernels compile.

A *step* is a move, or to stay where one is; it has a number. While it lasts and when it is over, an agent holds places, and
two agents that hold one place in the same step are in conflict. `CbsCells` are points on a square grid, where the step to a
cell holds the cell, and where moves along one edge or across each other are in conflict as well. `CbsStates` are all other
worlds and bodies: nothing but places counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wayfolk.compile.jit import specialise, spliced


class MoveFunctions(NamedTuple):
    """The functions of one class of moves: plain Python to be compiled, described below under the same names."""

    n_moves: Callable[..., Any]
    target: Callable[..., Any]
    is_home: Callable[..., Any]
    stay: Callable[..., Any]
    step_by: Callable[..., Any]
    step_between: Callable[..., Any]
    span: Callable[..., Any]
    place_at: Callable[..., Any]
    lag: Callable[..., Any]
    entry: Callable[..., Any]
    agent_of: Callable[..., Any]
    applies: Callable[..., Any]
    scope: Callable[..., Any]
    has_opposites: Callable[..., Any]
    crossed: Callable[..., Any]
    collide: Callable[..., Any]
    has_words: Callable[..., Any]
    node_size: Callable[..., Any]
    has_move: Callable[..., Any]
    most_moves: Callable[..., Any]
    most_places: Callable[..., Any]
    is_in_corridor: Callable[..., Any]
    corridor: Callable[..., Any]
    rectangle: Callable[..., Any]


_CHOSEN: dict[str, dict[type, Callable[..., Any]]] = {name: {} for name in MoveFunctions._fields}


def enter_moves(kind: type, ways: MoveFunctions) -> None:
    """Enter the functions of moves of the class `kind`."""
    for name, function in ways._asdict().items():
        _CHOSEN[name][kind] = function


def n_moves(moves: Any, node: Any) -> Any:
    """How many numbers the moves of a node have, used or not; the last one is to stay."""
    return _CHOSEN["n_moves"][type(moves)](moves, node)


def target(moves: Any, node: Any, k: Any) -> Any:
    """Where move `k` of a node leads; NOWHERE if there is no such move."""
    return _CHOSEN["target"][type(moves)](moves, node, k)


def is_home(moves: Any, node: Any, goal: Any) -> Any:
    """Whether an agent on `node` has reached `goal`: a body that turns, in every heading."""
    return _CHOSEN["is_home"][type(moves)](moves, node, goal)


def stay(moves: Any, node: Any) -> Any:
    """The number of the step in which an agent stays on a node."""
    return _CHOSEN["stay"][type(moves)](moves, node)


def step_by(moves: Any, node: Any, k: Any, there: Any) -> Any:
    """The number of the step that is move `k` of a node, which leads `there`."""
    return _CHOSEN["step_by"][type(moves)](moves, node, k, there)


def step_between(moves: Any, here: Any, there: Any) -> Any:
    """The number of the step from `here` to `there`, which is a legal one."""
    return _CHOSEN["step_between"][type(moves)](moves, here, there)


def span(moves: Any, step: Any) -> Any:
    """The first of the numbers that `place_at` takes for the places of a step, and the one after the last."""
    return _CHOSEN["span"][type(moves)](moves, step)


def place_at(moves: Any, k: Any) -> Any:
    """A place that an agent holds in a step."""
    return _CHOSEN["place_at"][type(moves)](moves, k)


def lag(moves: Any, place: Any) -> Any:
    """How many steps after its arrival an agent that rests holds a place of its goal: 0, or 1 for a place of its stay."""
    return _CHOSEN["lag"][type(moves)](moves, place)


def entry(moves: Any, agent: Any, j: Any) -> Any:
    """The number of the entry for the j-th place of an agent in the lists of the occupancy table."""
    return _CHOSEN["entry"][type(moves)](moves, agent, j)


def agent_of(moves: Any, number: Any) -> Any:
    """The agent to which an entry belongs."""
    return _CHOSEN["agent_of"][type(moves)](moves, number)


def applies(moves: Any, origin: Any, here: Any, there: Any) -> Any:
    """Whether a rule with this origin, which is not ANYWHERE, holds for a step from `here` to `there`."""
    return _CHOSEN["applies"][type(moves)](moves, origin, here, there)


def scope(moves: Any, goal: Any) -> Any:
    """The origin of a rule for a place of a goal, so that it holds on that goal only; ANYWHERE where it does anyway."""
    return _CHOSEN["scope"][type(moves)](moves, goal)


def has_opposites(moves: Any, here: Any, there: Any) -> Any:
    """Whether there may be conflicts with the step from `there` to `here`, or with one that crosses this step."""
    return _CHOSEN["has_opposites"][type(moves)](moves, here, there)


def crossed(moves: Any, here: Any, there: Any) -> Any:
    """The ends of the diagonal that crosses a step; NOWHERE, NOWHERE if none does."""
    return _CHOSEN["crossed"][type(moves)](moves, here, there)


def collide(moves: Any, here: Any, there: Any, here2: Any, there2: Any) -> Any:
    """Whether two steps of two agents are in conflict."""
    return _CHOSEN["collide"][type(moves)](moves, here, there, here2, there2)


def has_words(moves: Any) -> Any:
    """Whether the nodes of diagrams have words of their own for their moves."""
    return _CHOSEN["has_words"][type(moves)](moves)


def node_size(moves: Any) -> Any:
    """How many numbers a node of a diagram has."""
    return _CHOSEN["node_size"][type(moves)](moves)


def has_move(moves: Any, mdd: Any, at: Any, k: Any) -> Any:
    """Whether the node of a diagram at place `at` has move `k`."""
    return _CHOSEN["has_move"][type(moves)](moves, mdd, at, k)


def most_moves(moves: Any) -> Any:
    """No node has more moves, to stay included."""
    return _CHOSEN["most_moves"][type(moves)](moves)


def most_places(moves: Any) -> Any:
    """No step has more places."""
    return _CHOSEN["most_places"][type(moves)](moves)


def is_in_corridor(moves: Any, s: Any, row: Any) -> Any:
    """Whether a conflict may be in a corridor."""
    return _CHOSEN["is_in_corridor"][type(moves)](moves, s, row)


def corridor(moves: Any, s: Any, node: Any, row: Any) -> Any:
    """Write the constraints of both children to `split` if a conflict is in a corridor; DONE, or what is full."""
    return _CHOSEN["corridor"][type(moves)](moves, s, node, row)


def rectangle(moves: Any, s: Any, row: Any, below: Any) -> Any:
    """Write two sides of a rectangle to `split` if they have a rank less than `below`; the rank, or 3 if there is none."""
    return _CHOSEN["rectangle"][type(moves)](moves, s, row, below)


specialise(n_moves, _CHOSEN["n_moves"], spliced)
specialise(target, _CHOSEN["target"], spliced)
specialise(is_home, _CHOSEN["is_home"], spliced)
specialise(stay, _CHOSEN["stay"], spliced)
specialise(step_by, _CHOSEN["step_by"], spliced)
specialise(span, _CHOSEN["span"], spliced)
specialise(place_at, _CHOSEN["place_at"], spliced)
specialise(lag, _CHOSEN["lag"], spliced)
specialise(entry, _CHOSEN["entry"], spliced)
specialise(agent_of, _CHOSEN["agent_of"], spliced)
specialise(applies, _CHOSEN["applies"], spliced)
specialise(scope, _CHOSEN["scope"], spliced)
specialise(has_opposites, _CHOSEN["has_opposites"], spliced)
specialise(crossed, _CHOSEN["crossed"], spliced)
specialise(has_words, _CHOSEN["has_words"], spliced)
specialise(node_size, _CHOSEN["node_size"], spliced)
specialise(has_move, _CHOSEN["has_move"], spliced)
specialise(most_moves, _CHOSEN["most_moves"], spliced)
specialise(most_places, _CHOSEN["most_places"], spliced)
specialise(step_between, _CHOSEN["step_between"])
specialise(collide, _CHOSEN["collide"])
specialise(is_in_corridor, _CHOSEN["is_in_corridor"])
specialise(corridor, _CHOSEN["corridor"])
specialise(rectangle, _CHOSEN["rectangle"])

"""What moves and collisions are in a window: functions that are chosen for the class of its arrays by the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.compile.jit import specialise, spliced

ENOUGH = 1 << 12  # expansions after which a window counts as having no path
WAIT = 8  # the move after the eight directions
COLLISIONS, HOLDS, SEARCHES, TOTAL = range(4)  # places in `counts`
HELD_BITS, IS_THERE = 9, np.int64(1 << 8)
ARRIVES = 16  # added to the move by which an agent comes to its goal

_CHOSEN: dict[str, dict[type, Callable[..., Any]]] = {
    name: {}
    for name in (
        "shut_off",
        "n_moves",
        "turned",
        "move_to",
        "is_home",
        "is_used",
        "count_step",
        "pointer",
        "origin",
        "is_arrival",
        "is_open",
        "keep_off",
        "keep_against",
        "note_rule",
        "keep_rule",
        "collide_at",
        "pair_at",
    )
}


def moves_of(kind: type, **functions: Callable[..., Any]) -> None:
    """Enter the functions for arrays of the class `kind`, plain Python to be compiled: one for each name below."""
    for name, chosen in _CHOSEN.items():
        chosen[kind] = functions[name]


def shut_off(arrays: Any, here: Any) -> Any:
    """Let nobody come to where an agent stands at `here`, until `shut` is cleared."""
    return _CHOSEN["shut_off"][type(arrays)](arrays, here)


def n_moves(arrays: Any, cell: Any) -> Any:
    """How many numbers the moves from `cell` have, used or not; the last one is to wait."""
    return _CHOSEN["n_moves"][type(arrays)](arrays, cell)


def turned(arrays: Any, cell: Any, turn: Any, agent: Any) -> Any:
    """The move that `agent` tries in its turn number `turn`."""
    return _CHOSEN["turned"][type(arrays)](arrays, cell, turn, agent)


def move_to(arrays: Any, cell: Any, k: Any) -> Any:
    """Where move `k` from `cell` leads, or NOWHERE."""
    return _CHOSEN["move_to"][type(arrays)](arrays, cell, k)


def is_home(arrays: Any, cell: Any, goal: Any) -> Any:
    """Whether an agent at `cell` has reached `goal`."""
    return _CHOSEN["is_home"][type(arrays)](arrays, cell, goal)


def is_used(arrays: Any, cell: Any, step: Any) -> Any:
    """Whether another path is at `cell` at `step`."""
    return _CHOSEN["is_used"][type(arrays)](arrays, cell, step)


def count_step(arrays: Any, before: Any, cell: Any, step: Any, change: Any) -> Any:
    """Add `change` to `used` for an agent that is at `cell` at `step`, and comes from `before` if that is a cell."""
    return _CHOSEN["count_step"][type(arrays)](arrays, before, cell, step, change)


def pointer(arrays: Any, cell: Any, k: Any, arrives: Any) -> Any:
    """What `moves` holds for move `k` from `cell`."""
    return _CHOSEN["pointer"][type(arrays)](arrays, cell, k, arrives)


def origin(arrays: Any, cell: Any, pointer: Any) -> Any:
    """The cell from which the move that `moves` holds leads to `cell`."""
    return _CHOSEN["origin"][type(arrays)](arrays, cell, pointer)


def is_arrival(arrays: Any, pointer: Any) -> Any:
    """Whether an agent came to its goal by the move that `moves` holds."""
    return _CHOSEN["is_arrival"][type(arrays)](arrays, pointer)


def is_open(arrays: Any, here: Any, there: Any, k: Any, step: Any) -> Any:
    """Whether move `k` at `step` keeps out of the way of the present set of reservations."""
    return _CHOSEN["is_open"][type(arrays)](arrays, here, there, k, step)


def keep_off(arrays: Any, cell: Any, step: Any) -> Any:
    """Let nobody be in `cell` at `step`, in the present set of reservations."""
    return _CHOSEN["keep_off"][type(arrays)](arrays, cell, step)


def keep_against(arrays: Any, here: Any, there: Any, step: Any) -> Any:
    """Let nobody collide with a move from `here` to `there` after `step`, in the present set of reservations."""
    return _CHOSEN["keep_against"][type(arrays)](arrays, here, there, step)


def note_rule(arrays: Any, paths: Any, rule: Any, agent: Any, other: Any, step: Any) -> Any:
    """Write to `rule` what `agent` must not do after `step`, so that it does not collide with `other`."""
    return _CHOSEN["note_rule"][type(arrays)](arrays, paths, rule, agent, other, step)


def keep_rule(arrays: Any, rule: Any) -> Any:
    """Let the present set of reservations forbid what a rule forbids."""
    return _CHOSEN["keep_rule"][type(arrays)](arrays, rule)


def collide_at(arrays: Any, paths: Any, agent: Any, other: Any, step: Any) -> Any:
    """Whether two agents collide in the move after `step`."""
    return _CHOSEN["collide_at"][type(arrays)](arrays, paths, agent, other, step)


def pair_at(arrays: Any, paths: Any, agents: Any, step: Any) -> Any:
    """The two agents that collide in the move after `step`, the first found; NOBODY twice if none do."""
    return _CHOSEN["pair_at"][type(arrays)](arrays, paths, agents, step)


_FUNCTIONS: list[Callable[..., Any]] = [
    shut_off, count_step, origin, is_arrival, is_open, keep_off, keep_against, note_rule, keep_rule, collide_at, pair_at
]  # fmt: skip
_SPLICED: list[Callable[..., Any]] = [n_moves, turned, move_to, is_home, is_used, pointer]
for _function in _FUNCTIONS:
    specialise(_function, _CHOSEN[_function.__name__])
for _function in _SPLICED:
    specialise(_function, _CHOSEN[_function.__name__], spliced)

"""The strategies of Salient Search: whether the next subgoal is the best open cell or the best salient one.

Vermette, "Salient Search", University of Windsor, 2011.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from wayfolk.compile.jit import specialise


class Seen(NamedTuple):
    """What a strategy may use: the best open cell, the best salient one, and the agent."""

    open_f: float
    open_g: float
    open_away: float
    """The heuristic of the cost from the agent to the open cell."""
    salient_f: float
    salient_g: float
    salient_away: float
    agent_g: float
    is_following: bool
    """Whether the agent is on the path it follows."""


_PREFERS: dict[type, Callable[..., Any]] = {}


def prefers_open(strategy: Any, seen: Any) -> Any:
    """Whether the next subgoal is the best open cell (True) or the best salient one."""
    return _PREFERS[type(strategy)](strategy, seen)


specialise(prefers_open, _PREFERS)


STRATEGIES: dict[str, Any] = {}
"""The strategies by their names."""


def add_strategy(name: str, strategy: Any, prefers_open: Callable[[Any, Seen], bool]) -> None:
    """Add a strategy to Salient Search, under a name for its option `strategy`.

    `strategy` is a NamedTuple with its settings. `prefers_open(strategy, seen)` is a function that will be compiled: it
    returns whether the next subgoal is the best open cell (True) or the best salient one.
    """
    STRATEGIES[name] = strategy
    _PREFERS[type(strategy)] = prefers_open


class BestOpen(NamedTuple):
    """Always the best open cell, as in TBA*."""

    nothing: int = 0


class TieBreak(NamedTuple):
    """The salient cell unless its f is larger."""

    nothing: int = 0


class AgentDistance(NamedTuple):
    """The one whose heuristic distance from the agent is smaller."""

    nothing: int = 0


class Commit(NamedTuple):
    """The salient cell as long as there is one: the agent goes on until it is in a dead end."""

    committed: int = 0


class SunkCost(NamedTuple):
    """The one with less left to walk, counted from the agent and not from the start."""

    sunk: int = 0


def _is_less_to_walk(strategy, seen):  # type: ignore[no-untyped-def]
    return seen.open_away + seen.open_f - seen.open_g < seen.salient_f - seen.agent_g and seen.open_f < seen.salient_f


add_strategy("commit", Commit(), lambda strategy, seen: False)
add_strategy("sunk_cost", SunkCost(), _is_less_to_walk)
add_strategy("best_open", BestOpen(), lambda strategy, seen: True)
add_strategy("tie_break", TieBreak(), lambda strategy, seen: seen.open_f < seen.salient_f)
add_strategy("agent_distance", AgentDistance(), lambda strategy, seen: seen.open_away < seen.salient_away)

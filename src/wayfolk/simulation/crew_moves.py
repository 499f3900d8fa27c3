"""Moves of a crew, for the referee: the rules are those of points on a square grid, or those of nodes and places.

Which of both is chosen at compile time for the class of the crew, so that points on a grid pay for nothing else.
"""

from collections.abc import Callable
from typing import Any

from wayfolk.compile.jit import specialise, spliced
from wayfolk.kernels.crew import Crew, StateCrew
from wayfolk.simulation import node_moves, point_moves

Chosen = dict[type, Callable[..., Any]]

_JUDGE: Chosen = {Crew: point_moves.judge, StateCrew: node_moves.judge}
_GO_OVER: Chosen = {Crew: point_moves.go_over, StateCrew: node_moves.go_over}
_IN_THE_WAY: Chosen = {Crew: point_moves.in_the_way, StateCrew: node_moves.in_the_way}
_IS_CLEAR: Chosen = {Crew: point_moves.is_clear, StateCrew: node_moves.is_clear}
_STRAY: Chosen = {Crew: point_moves.stray, StateCrew: node_moves.stray}
_WAIT_LASTS: Chosen = {Crew: point_moves.wait_lasts, StateCrew: node_moves.wait_lasts}


def judge(crew: Any, court: Any, n_due: Any, now: Any, rings: Any) -> Any:
    """Decide which of the due agents may move; all moves of a tick are judged together."""
    return _JUDGE[type(crew)](crew, court, n_due, now, rings)


def go_over(crew: Any, number: Any, there: Any) -> Any:
    """Let an agent hold the places of `there` and no others; how long the move lasts."""
    return _GO_OVER[type(crew)](crew, number, there)


def in_the_way(crew: Any, there: Any) -> Any:
    """The agent that must go over before another one goes to `there`, or NOBODY."""
    return _IN_THE_WAY[type(crew)](crew, there)


def is_clear(crew: Any, court: Any, number: Any, there: Any) -> Any:
    """Whether an agent that acts alone can move to `there`: a legal move to where nobody else is."""
    return _IS_CLEAR[type(crew)](crew, court, number, there)


def stray(crew: Any, court: Any, number: Any) -> Any:
    """Where an agent goes that moves at random: beside it, where nobody is, or nowhere."""
    return _STRAY[type(crew)](crew, court, number)


def wait_lasts(crew: Any) -> Any:
    """How long it takes to stay."""
    return _WAIT_LASTS[type(crew)](crew)


specialise(judge, _JUDGE)
specialise(go_over, _GO_OVER, spliced)
specialise(in_the_way, _IN_THE_WAY, spliced)
specialise(is_clear, _IS_CLEAR)
specialise(stray, _STRAY)
specialise(wait_lasts, _WAIT_LASTS, spliced)

"""What the predicates of Jansen's claims are made of: the columns, the settings, and numbers that must be there.

N is nodes expanded, D distance and C collisions, all for an agent and a loop; T is the time of a run; K is coherence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wayfolk.experiments.papers import Claim, Measured, Verdict, in_order, rank_correlation

Predicate = Callable[[Measured], Verdict]

N, T, D, C = "nodes_expanded", "simulation_time", "distance", "collisions"
ALL = (N, T, D, C)
K_FIRST, K_QUARTER, K_MID = "coherence_first_quarter", "coherence_quarter", "coherence_mid"
K_LAST, K_END = "coherence_last_tenth", "coherence_end"
K_LEAST, K_MOST = "coherence_least", "coherence_most"
FIGURES = tuple(f"fig4.{n}" for n in (6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 19, 20))

W_MAX = tuple(range(2, 21, 2))
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RADII = tuple(range(2, 11))
AGENTS = tuple(range(20, 161, 20))
WEIGHTS = (1, 2, 4, 6)
SECTORS = (4, 8, 12, 16)
SURROUND = (0, 0.3, 0.5, 0.7)
LOCAL = (3, 5, 7)  # windows, and radii of copies


class Gap(Exception):
    """A number that a judge needs was not measured."""


def book(claims: list[Claim]) -> Callable[..., Callable[[Predicate], Predicate]]:
    """A decorator that enters a predicate in `claims`; where it meets a gap, the claim is not measured."""

    def claim(
        name: str, text: str, *tables: str, mark: str = "", own: bool | None = None
    ) -> Callable[[Predicate], Predicate]:
        def enter(predicate: Predicate) -> Predicate:
            def judge(measured: Measured) -> Verdict:
                try:
                    return predicate(measured)
                except Gap as gap:
                    return Verdict(None, str(gap))

            claims.append(Claim(name, text, tables, judge, mark, own))
            return predicate

        return enter

    return claim


def one(measured: Measured, table: str, metric: str, **where: Any) -> float:
    """A number that must be there."""
    found = measured.value(table, metric, **where)
    if found is None:
        setting = ", ".join(f"{name} {value}" for name, value in where.items())
        raise Gap(f"not measured: {metric} in {table}" + f" for {setting}" * bool(setting))
    return found


def curve(
    measured: Measured, table: str, metric: str, over: str, keys: Iterable[Any], **where: Any
) -> dict[Any, float]:
    """Numbers by `over`, all of which must be there."""
    return {key: one(measured, table, metric, **where, **{over: key}) for key in keys}


def rho(numbers: Mapping[Any, float]) -> float:
    """The rank correlation of a curve."""
    found = rank_correlation(list(numbers.items()))
    if found is None:
        raise Gap("not measured: too few settings")
    return found


def rising(numbers: Iterable[float]) -> bool:
    """Whether numbers strictly rise."""
    return bool(in_order(*numbers))


def falling(numbers: Sequence[float]) -> bool:
    """Whether numbers strictly fall."""
    return rising(numbers[::-1])


def within(numbers: Iterable[float], factor: float) -> bool:
    """Whether the largest is at most `factor` times the least."""
    found = list(numbers)
    return max(found) <= factor * min(found)

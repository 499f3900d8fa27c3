"""The contract of options, for all families: each says what it means, and the edges of its range are safe.

Beyond the range, and for values of another type, there is an error of one sentence. Within, a deadline is kept.
"""

from __future__ import annotations

import time
from typing import Any

from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.options import MOST_INT, Option
from wayfolk.algorithms.paths import find_path, make_ready
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.contracts import crowds
from wayfolk.contracts.check import Broken, Case, Check, expect, moves_of, registered_in
from wayfolk.errors import WayfolkError
from wayfolk.problem.problem import one_shot
from wayfolk.simulation import solving
from wayfolk.world.generate import draw_pairs, random_map

SECONDS, GRACE = 0.2, 10.0
"""The deadline that is tried, and the processor time that may come on top of it, for preparing the map."""
SENSELESS: tuple[Any, ...] = ([], {}, object(), b"1", 1j)
"""Values of types that no option has."""
CHECKS: list[Check] = []
check = registered_in(CHECKS)


@check("every option says what it means, and every number its range")
def every_option_is_explained(case: Case) -> None:
    """`Annotated[int, Range(1, 9), "One sentence."]`; see `wayfolk.algorithms.options`."""
    for option in case.entry.options:
        expect(option.meaning.endswith("."), f"option {option.name} has no sentence that says what it means")
        is_number = option.type.split(" | ")[0] in ("int", "float") and not option.choices
        expect(option.range is not None or not is_number, f"option {option.name} has no range")


@check("values beyond the range of an option are refused in one sentence")
def values_beyond_are_refused(case: Case) -> None:
    """Also 2 ** 63, 10 ** 20, nan, infinity where it is not allowed, and values of another type."""
    for option in case.entry.options:
        for value in beyond(option):
            try:
                case.entry.checked({option.name: value})
            except WayfolkError as error:
                expect("\n" not in str(error) and option.name in str(error), f"{option.name}={value!r}: {error}")
            else:
                raise Broken(f"{option.name}={value!r} is not refused")


@check("at the edges of every option, a deadline is kept")
def edges_keep_a_deadline(case: Case) -> None:
    """The least and the most that each option may be, one at a time."""
    for option in case.entry.options:
        for value in within(option):
            try_option(case.entry, {option.name: value})


def within(option: Option) -> list[Any]:
    """Values that an option may have: its choices, or the edges of its range."""
    if option.choices:
        return list(option.choices)
    kind = option.type.split(" | ")[0]
    if kind == "bool":
        return [False, True]
    if kind not in ("int", "float"):
        return [option.default]
    span = option.range
    least = option.default if span is None or span.least is None else span.least
    most = option.default if span is None else span.most
    if most is None:
        most = MOST_INT if kind == "int" else float("inf")
    edges = [least, most] if kind == "int" else [float(least), float(most)]
    tiny = 1 if kind == "int" else 1e-9 * (edges[1] - edges[0] if edges[1] - edges[0] < 1e12 else 1.0)
    if span is not None and span.open in ("low", "both"):
        edges[0] += tiny
    if span is not None and span.open in ("high", "both"):
        edges[1] -= tiny
    return edges


def beyond(option: Option) -> list[Any]:
    """Values that an option cannot have."""
    values: list[Any] = list(SENSELESS)
    kinds = option.type.split(" | ")
    if "None" not in kinds:
        values.append(None)
    if kinds[0] in ("int", "float") and not option.choices:
        values += ["wide", "", float("nan"), "nan", True, *_past_the_edges(option, kinds[0])]
    elif option.choices:
        values += ["no such choice", 10**20]
    elif kinds[0] == "bool":
        values += ["perhaps", 2, 0.5]
    return values


def _past_the_edges(option: Option, kind: str) -> list[Any]:
    span = option.range
    values: list[Any] = [2**63, 10**20, -(2**63), float("inf"), "inf", 2.5] if kind == "int" else [10**400]
    least, most = (None, None) if span is None else (span.least, span.most)
    if most is not None:
        values += [most + 1 if kind == "int" else most * 1.001 + 0.001, float("inf"), 10**20]
        values += [most] if span is not None and span.open in ("high", "both") else []
    if least is not None:
        values += [least - 1 if kind == "int" else least - 0.001, float("-inf"), -(10**20)]
        values += [least] if span is not None and span.open in ("low", "both") else []
    return values


def try_option(entry: Entry, options: dict[str, Any]) -> None:
    """Run the algorithm with `options` for SECONDS: it ends in time, with a result or an error of one sentence."""
    if entry.family == "crowds":
        crowds.try_for(entry, options, SECONDS)
        return
    rules = [moves.value for moves in moves_of(entry)]
    grid = random_map(32, 32, 0.2, seed=1, moves="eight" if "eight" in rules else rules[0])
    starts, goals = draw_pairs(grid, 8, seed=1)
    is_path = entry.family in ("search", "realtime")
    (make_ready if is_path else solving.make_ready)(entry)
    loaded = len(LOADED)  # compiling and loading kernels does not count
    began = time.process_time()  # others may keep the machine busy
    try:
        if is_path:
            find_path(grid, grid.place(starts[0]), grid.place(goals[0]), entry, seconds=SECONDS, **options)
        else:
            problem = one_shot(grid, grid.places(starts), grid.places(goals))
            solving.solve(problem, entry, seconds=SECONDS, **options)
    except WayfolkError as error:
        expect("\n" not in str(error), f"{options}: the error is not one sentence: {error}")
    except Exception as error:
        raise Broken(f"{options}: {type(error).__name__}: {error}") from error
    took = time.process_time() - began - loading_seconds(loaded)
    expect(took < SECONDS + GRACE, f"{options}: a deadline of {SECONDS} s was kept after {took:.1f} s")

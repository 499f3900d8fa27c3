"""Contracts: what every algorithm of a family must keep, as checks that can be run on one of them.

    for verdict in run_checks(entry):
        print(verdict.name, verdict.holds, verdict.detail)

`wayfolk check-algorithm` runs them on one algorithm, and the tests on all of ours, with worlds drawn by Hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wayfolk.algorithms.catalogue import Entry
from wayfolk.contracts import adaptation, controllers, crowds, options, planners, realtime, search
from wayfolk.contracts.check import Case, Check, DrawnByRandom
from wayfolk.errors import NotSupported

FAMILIES: dict[str, list[Check]] = {
    "search": search.CHECKS + options.CHECKS,
    "realtime": realtime.CHECKS + adaptation.CHECKS + options.CHECKS,
    "planners": planners.CHECKS + options.CHECKS,
    "controllers": controllers.CHECKS + options.CHECKS,
    "crowds": crowds.CHECKS + options.CHECKS,
}
"""The checks of each family."""
WORLDS = 60
"""How many worlds are drawn for a check that draws them."""


@dataclass(frozen=True)
class CheckResult:
    """Whether a check holds: True, False, or None where it does not apply or its promise is not made.

    `detail` says what is broken, and `world` draws the map on which it is.
    """

    name: str
    holds: bool | None
    detail: str = ""
    world: str = ""

    def as_dict(self) -> dict[str, str | bool | None]:
        """For JSON."""
        return dict(vars(self))


def run_checks(entry: Entry, worlds: int = WORLDS) -> Iterator[CheckResult]:
    """Run the checks of its family on an algorithm, one after another."""
    if entry.once:
        raise NotSupported(f"{entry.name} is one controller, for one run: check its class, or a `begin` that makes it")
    case = Case(entry, {})
    for check in FAMILIES[entry.family]:
        yield run_check(check, case, worlds)


def run_check(check: Check, case: Case, worlds: int = WORLDS) -> CheckResult:
    """Run one check, on so many worlds if it draws them."""
    if not check.applies(case):
        return CheckResult(check.name, None, "does not apply")
    for seed in range(worlds if check.drawn else 1):
        draw = DrawnByRandom(seed)
        try:
            check.run(case, draw) if check.drawn else check.run(case)
        except AssertionError as error:
            problem = str(error) or "an assertion fails"
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        else:
            continue
        if check.needs and not case.entry.facts.get(check.needs):
            return CheckResult(check.name, None, f"not promised by {check.needs}; {problem}")
        return CheckResult(check.name, False, problem, "\n".join(draw.notes[-1:]))
    return CheckResult(check.name, True)

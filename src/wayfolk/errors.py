"""What can go wrong because of the caller, as a tree.

    WayfolkError
    ├── BadInput          a file or an argument is not what it should be
    │   ├── BadMap        a map file: names file, line and offender
    │   ├── BadScenario   a .scen file: names file, line and offender
    │   ├── BadPlan       a plan file
    │   └── BadProblem    starts, goals or limits that make no sense together
    ├── UnknownName       an algorithm or option that does not exist; the nearest name is offered
    ├── NotSupported      the algorithm does not support what was asked of it
    ├── Missing           a package of an extra, or a data file, is not there
    └── TooLarge          the job would need more memory than the machine has

Not finding a path or a plan is not an error: it is a `Status`.
"""

import difflib
from typing import Any


class WayfolkError(Exception):
    """A caller's mistake, described in one sentence."""


class BadInput(WayfolkError):
    """A file or an argument is not what it should be."""


class BadMap(BadInput):
    """A map file that cannot be read; names file, line and offender."""


class BadScenario(BadInput):
    """A scenario file that cannot be read; names file, line and offender."""


class BadPlan(BadInput):
    """A plan file that cannot be read."""


class BadProblem(BadInput):
    """Starts, goals or limits that make no sense together; `agent` is the one it is about, if it is about one."""

    def __init__(self, sentence: str, agent: int | None = None) -> None:
        super().__init__(sentence)
        self.agent = agent


class UnknownName(WayfolkError):
    """An algorithm or option that does not exist."""


class NotSupported(WayfolkError):
    """The algorithm does not support what was asked of it."""


class Missing(WayfolkError):
    """A package of an extra, or a data file, is not there."""


class TooLarge(WayfolkError):
    """The job would need more memory than the machine has."""


def hint(name: str, known: Any) -> str:
    """The end of an error message about an unknown `name`: the nearest of the `known` names, or all of them."""
    known = list(known)
    close = difflib.get_close_matches(name, known, 1, 0.5)
    if close:
        return f": did you mean {close[0]!r}?"
    return f": choose one of {', '.join(sorted(known))}" if known else ": it has none"

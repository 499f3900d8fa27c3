"""Options of algorithms: their type, default, range and meaning, written once, where `begin` declares them.

    def begin(
        problem: Problem,
        *,
        window: Annotated[int, Range(1, 10_000), "Steps ahead that each agent plans."] = 16,
        order: Annotated[Literal["random", "fixed"], "Who plans first."] = "fixed",
    ) -> Controller:

The catalogue reads this from the source text, checks every value a caller gives, and shows range and meaning in `wayfolk
list`, in the docs and in error messages. So `begin` itself need not check them again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from wayfolk.errors import BadInput, UnknownName, hint

MOST_INT = 1 << 62
"""The largest whole number an option without an upper bound may have: kernels count with 64 bits."""
MOST_SPELLED = 10**9  # larger real numbers are shown as 1e+12


@dataclass(frozen=True)
class Range:
    """The numbers an option may have, from `least` to `most`; None is no bound. An `open` end does not belong to it.

    Infinity belongs to the range of a real number that has no upper bound; "not a number" belongs to none.
    """

    least: float | None = None
    most: float | None = None
    open: Literal["", "low", "high", "both"] = ""

    def __post_init__(self) -> None:
        for bound in (self.least, self.most):
            if not (bound is None or isinstance(bound, int | float)):
                raise ValueError(f"a bound of a range is a number, not {bound!r}")

    def holds(self, value: float) -> bool:
        """Whether `value` is in the range."""
        if abs(value) > MOST_INT if isinstance(value, int) else math.isnan(value):
            return False
        above = self.least is None or value > self.least or (value == self.least and self.open not in ("low", "both"))
        below = self.most is None or value < self.most or (value == self.most and self.open not in ("high", "both"))
        return above and below

    def __str__(self) -> str:
        """As a sentence says it: "from 1 to 10", "above 0 and at most 1", "1 or more"."""
        low, high = self.open in ("low", "both"), self.open in ("high", "both")
        if self.least is None and self.most is None:
            return "any number"
        if self.most is None or self.most >= MOST_INT:
            return f"above {_shown(self.least)}" if low else f"{_shown(self.least)} or more"
        if self.least is None:
            return f"below {_shown(self.most)}" if high else f"at most {_shown(self.most)}"
        if not low and not high:
            return f"from {_shown(self.least)} to {_shown(self.most)}"
        first = f"above {_shown(self.least)}" if low else f"at least {_shown(self.least)}"
        return f"{first} and {'below' if high else 'at most'} {_shown(self.most)}"


@dataclass(frozen=True)
class Option:
    """A keyword of `begin`: its default, the values it may have, and what it means."""

    name: str
    default: Any
    type: str
    choices: tuple[Any, ...] = ()
    range: Range | None = None
    meaning: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; `least` and `most` where there are bounds."""
        facts = {"name": self.name, "default": self.default, "type": self.type}
        if self.choices:
            facts["choices"] = list(self.choices)
        if self.range is not None:
            facts["range"] = str(self.range)
            bounds = {"least": self.range.least, "most": self.range.most}
            facts |= {name: bound for name, bound in bounds.items() if bound is not None}
        return facts | ({"meaning": self.meaning} if self.meaning else {})

    def checked(self, value: Any) -> Any:
        """`value` with the right type (text is converted) and within the range, or an error that names the option."""
        kind, *others = self.type.split(" | ")
        if type(value).__module__ == "numpy" and hasattr(value, "item"):
            value = value.item()
        if "None" in others and (value is None or value == "None"):
            return None
        if kind in _READERS:
            value = self._converted(kind, value)
        if self.choices and value not in self.choices:
            raise UnknownName(f"option {self.name} cannot be {value!r}{hint(str(value), map(str, self.choices))}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            span = self.range or Range()
            if not span.holds(value):
                is_huge = isinstance(value, int) and value > MOST_INT and span.most is None
                raise BadInput(self._complaint(f"at most {MOST_INT:,}" if is_huge else str(span), value))
        return value

    def _converted(self, kind: str, value: Any) -> Any:
        reader, kinds = _READERS[kind]
        try:
            read: Any = reader(value) if isinstance(value, str) else value
            if isinstance(read, kinds) and (kind == "bool" or type(read) is not bool):
                return float(value) if kind == "float" else read
        except (ValueError, OverflowError):
            pass
        raise BadInput(self._complaint(f"of type {self.type}", repr(value)))

    def _complaint(self, wanted: str, value: Any) -> str:
        """The sentence about a wrong value, with the meaning of the option, if it states one."""
        text = self.meaning.rstrip(".")
        meaning = text[:1].lower() + text[1:] if text[1:2].islower() else text
        shown = str(value) if len(str(value)) <= 40 else f"{str(value)[:30]}..."
        return f"option {self.name} must be {wanted}, not {shown}" + (f" ({meaning})" if meaning else "")


def _shown(bound: float | None) -> str:
    if bound is None:
        return ""
    is_whole = isinstance(bound, int) or (bound.is_integer() and abs(bound) < MOST_SPELLED)
    return f"{int(bound):,}" if is_whole else f"{bound:g}"


def _real(text: str) -> float:
    """The number that `text` writes; digits that no number of 64 bits can hold are not infinity."""
    value = float(text)
    if math.isinf(value) and "inf" not in text.lower():
        raise ValueError(text)
    return value


def _truth(text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise ValueError(text)


_READERS: dict[str, tuple[Callable[[str], Any], tuple[type, ...]]] = {
    "int": (int, (int,)),
    "float": (_real, (int, float)),
    "str": (str, (str,)),
    "bool": (_truth, (bool,)),
}

"""Brain: a finite state machine in plain Python, written as a class.

    class Pedestrian(Brain):
        '''Walks, and waits at a crossing while cars may drive.'''

        senses = ("signal", "at_crossing")
        first = "walking"
        walking = State(pace=1.0)
        waiting = State(pace=0.0)

        @walking.to("waiting")
        def cars_may_drive(self, see):
            return see.at_crossing and see.signal != "red"

        @waiting.to("walking")
        def cars_must_stop(self, see):
            return see.signal == "red"

A state says at which pace its body moves, as a share of its own speed. A transition leads from one state to another as soon
as its function returns True; those of a state are tried in the order in which they are written. With `after`, a
transition also needs that many seconds in its state, and may do without a function: `green.to("orange", after=8.0)`.

A transition knows nothing but its senses: the same senses give the same answer, so the answer is found once for all
agents that sense the same. A brain that counts or draws random numbers itself says `pure = False`. Every brain may
name these senses: `seconds` in its state, `luck` (a number from 0 to 1 that an agent has for life) and `dice` (another one,
drawn whenever a state is entered).

Attributes of the class with a number are its settings: `Signal(green_seconds=5.0)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, ClassVar

from wayfolk.errors import BadInput, hint

OWN_SENSES = ("seconds", "luck", "dice")
"""What every brain may sense, wherever it is."""
RESERVED = ("senses", "first", "pure", "every", "states", "transitions")


@dataclass(frozen=True)
class Transition:
    """Leads from `source` to `target` when `test` returns True, not before `after` seconds in `source`."""

    source: str
    target: str
    test: Callable[[Any, Any], object] | None
    after: float | str | None

    @property
    def label(self) -> str:
        """What a diagram writes beside the arrow; `{}` stands for the seconds."""
        words = "" if self.test is None else self.test.__name__.strip("_").replace("_", " ")
        return words if self.after is None else f"{words}, after {{}} s" if words else "after {} s"


class State:
    """One state: at which `pace` the body moves, as a share of its own speed, and whether it may be the last."""

    def __init__(self, pace: float = 1.0, *, final: bool = False) -> None:
        if isinstance(pace, bool) or not isinstance(pace, int | float) or not 0 <= pace <= 10:
            raise BadInput(f"the pace of a state is a number from 0 to 10, not {pace!r}")
        self.pace, self.final, self.name = float(pace), final, ""
        self._ways: list[tuple[str, Callable[[Any, Any], object] | None, float | str | None]] = []

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def to(self, target: str, *, after: float | str | None = None) -> Callable[[Any], Any]:
        """A transition to the state called `target`: use it above a function, or alone with `after`.

        `after` is a number of seconds, or the name of a setting of the brain that holds it.
        """
        place = len(self._ways)
        self._ways.append((target, None, after))

        def decorate(test: Callable[[Any, Any], object]) -> Callable[[Any, Any], object]:
            self._ways[place] = (target, test, after)
            return test

        return decorate


class Brain:
    """The base of all brains. Its states and transitions are checked when the class is written."""

    senses: ClassVar[tuple[str, ...]] = ()
    first: ClassVar[str] = ""
    pure: ClassVar[bool] = True
    every: ClassVar[float | None] = None
    """Seconds after which a brain is asked again though its senses are the same; None: only when they change."""
    states: ClassVar[dict[str, State]] = {}
    transitions: ClassVar[tuple[Transition, ...]] = ()

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        found: dict[str, State] = {}
        for base in reversed(cls.__mro__):
            found |= {name: value for name, value in vars(base).items() if isinstance(value, State)}
        cls.states = found
        cls.transitions = tuple(Transition(name, *way) for name, state in found.items() for way in state._ways)
        _check(cls)

    def __init__(self, **settings: float) -> None:
        for name, value in settings.items():
            if name not in self.settings():
                raise BadInput(f"the brain {self.name} has no setting {name!r}{hint(name, self.settings())}")
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise BadInput(f"{name} of the brain {self.name} must be a number, not {value!r}")
            setattr(self, name, type(getattr(self, name))(value))
        for transition in self.transitions:
            if (seconds := self.seconds(transition)) is not None and not 0 < seconds < math.inf:
                raise BadInput(
                    f"{transition.source} of the brain {self.name} must last more than 0 seconds, not {seconds:g}"
                )

    @property
    def name(self) -> str:
        """The name of the class, in small letters."""
        return _name(type(self))

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return (type(self).__doc__ or "").strip().split("\n")[0]

    @classmethod
    def settings(cls) -> dict[str, float]:
        """The settings and their defaults: the public attributes that are numbers."""
        found: dict[str, float] = {}
        for base in reversed(cls.__mro__):
            found |= {
                name: value
                for name, value in vars(base).items()
                if isinstance(value, int | float)
                and not (isinstance(value, bool) or name.startswith("_") or name in RESERVED)
            }
        return found

    def seconds(self, transition: Transition) -> float | None:
        """How long the source of `transition` lasts at least; None if it has no such limit."""
        after = transition.after
        return float(getattr(self, after)) if isinstance(after, str) else None if after is None else float(after)

    def label(self, transition: Transition) -> str:
        """The label of `transition`, with the seconds of this brain."""
        seconds = self.seconds(transition)
        return transition.label.format("" if seconds is None else f"{seconds:g}")


def _name(brain: type[Brain]) -> str:
    return brain.__name__.lower()


def _is_name(sense: object) -> bool:
    return isinstance(sense, str) and sense.isidentifier() and not (sense.startswith("_") or iskeyword(sense))


def _check(brain: type[Brain]) -> None:
    """Raise BadInput if the states and transitions do not make a machine."""
    name, states = _name(brain), brain.states
    if not states:
        raise BadInput(f"the brain {name} has no states: write, for example, walking = State(pace=1.0)")
    if brain.first not in states:
        raise BadInput(f"the brain {name} begins with {brain.first!r}, which is no state{hint(brain.first, states)}")
    if isinstance(brain.senses, str) or not all(map(_is_name, brain.senses)):
        raise BadInput(f"the senses of the brain {name} must be a tuple of names, not {brain.senses!r}")
    if brain.every is not None and not (isinstance(brain.every, int | float) and 0 < brain.every < math.inf):
        raise BadInput(f"`every` of the brain {name} must be a number of seconds above 0, not {brain.every!r}")
    for way in brain.transitions:
        if way.target not in states:
            raise BadInput(
                f"the brain {name} has a transition from {way.source} to {way.target!r}, which is no state"
                f"{hint(way.target, states)}"
            )
        if way.test is None and way.after is None:
            raise BadInput(
                f"the transition of the brain {name} from {way.source} to {way.target} has no function and no `after`"
            )
        if isinstance(way.after, str) and way.after not in brain.settings():
            raise BadInput(
                f"the transition of the brain {name} from {way.source} waits for {way.after!r}, which is no setting of it"
                f"{hint(way.after, brain.settings())}"
            )
        if not isinstance(way.after, str | int | float | None) or (
            isinstance(way.after, int | float) and not 0 < way.after < math.inf
        ):
            raise BadInput(
                f"the transition of the brain {name} from {way.source} waits for {way.after!r}: write seconds above 0"
            )
    for state in states.values():
        if not state.final and len(states) > 1 and all(way.source != state.name for way in brain.transitions):
            raise BadInput(
                f"the brain {name} can never leave {state.name!r}: a transition is missing,"
                " or the state should say final=True"
            )
    reached, ends = {brain.first}, [brain.first]
    while ends:
        here = ends.pop()
        for way in brain.transitions:
            if way.source == here and way.target not in reached:
                reached.add(way.target)
                ends.append(way.target)
    for lost in states:
        if lost not in reached:
            raise BadInput(f"the brain {name} can never enter {lost!r}: no transition leads to it")

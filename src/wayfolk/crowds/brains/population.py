"""Population: many agents with one brain, each in its own state, whose transitions are tried in batches.

A brain is asked for the next state of an agent only if one of the agent's senses has changed, if it has just entered its
state, if a time that its transitions wait for has come, or if `every` seconds of the brain have passed. Agents that are in
the same state and sense the same get the same answer, which is remembered; a brain that is not `pure` is asked for each
agent.

A brain that raises or takes longer than `limit` seconds is contained: the log names it, and its agent waits and is asked
again later. After MOST_FAILURES failures of an agent it waits for good; after MOST_SLOW slow calls all agents of the
brain do. If all calls of a step need more than `budget` seconds of a core, the remaining agents are asked in the next step.
"""

from __future__ import annotations

import time as clocks
from bisect import bisect_right
from collections import namedtuple
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.crowds.brains.brain import OWN_SENSES, Brain, Transition
from wayfolk.crowds.brains.call_limit import NEVER, CallLimit, TooSlow
from wayfolk.errors import BadInput, hint

MOST_ANSWERS = 1 << 16
MOST_FAILURES = 5
MOST_SLOW = 3
RETRY = 1.0
"""Seconds of the simulation that an agent waits after a failure of its brain."""
MOST_SENTENCES = 100
CHECKED = 64  # agents between two looks at the budget


class Words(NamedTuple):
    """A sense that is a word for each agent: `names[codes]`."""

    codes: NDArray[Any]
    names: tuple[str, ...]


Sense = NDArray[Any] | Words


def _view_of(senses: tuple[str, ...]) -> Any:
    """The type of what a transition sees: its fields are known only now."""
    return namedtuple("Senses", senses)


class Population:
    """The states of agents that have the same `brain`; `offers` are the senses that their world has."""

    def __init__(self, brain: Brain, offers: tuple[str, ...], *, limit: float = 0.25, budget: float = 0.25) -> None:
        for sense in brain.senses:
            if sense not in offers and sense not in OWN_SENSES:
                raise BadInput(
                    f"the brain {brain.name} senses {sense!r}, which is not offered here{hint(sense, offers)}"
                )
        self.brain, self.budget = brain, budget
        self.names = tuple(brain.states)
        self.log: list[str] = []
        """What went wrong, a sentence for each kind of failure."""
        self.asked = 0
        """How many agents have been asked so far; `calls` of them were not answered from memory."""
        self.calls = 0
        self.states = np.zeros(0, np.uint8)
        self.paces = np.zeros(0)
        self._entered = np.zeros(0)
        self._due = np.zeros(0)
        self._luck = np.zeros(0)
        self._dice = np.zeros(0)
        self._failures = np.zeros(0, np.int32)
        self._fresh = np.zeros(0, np.bool_)
        self._seen: list[NDArray[Any]] = [np.zeros(0) for _ in brain.senses]
        self._pace_of = np.array([state.pace for state in brain.states.values()])
        self._first = self.names.index(brain.first)
        self._ways = [[way for way in brain.transitions if way.source == name] for name in self.names]
        self._targets = [[self.names.index(way.target) for way in ways] for ways in self._ways]
        self._waits = [sorted({s for way in ways if (s := brain.seconds(way)) is not None}) for ways in self._ways]
        self._needs = [[brain.seconds(way) or 0.0 for way in ways] for ways in self._ways]
        self._answers: dict[Any, int] = {}
        self._view = _view_of(brain.senses)
        self._call_limit = CallLimit(limit)
        self._current: Transition | None = None
        self._slow = 0
        self._blamed: set[str] = set()
        self._failed: set[int] = set()

    def __len__(self) -> int:
        return len(self.states)

    @property
    def is_suspended(self) -> bool:
        """Whether the whole brain was too slow, too often: its agents wait."""
        return self._slow >= MOST_SLOW

    def add(self, count: int, time: float, rng: np.random.Generator) -> None:
        """Add `count` agents at the end, in the first state."""
        self.states = np.append(self.states, np.full(count, self._first, np.uint8))
        self.paces = np.append(self.paces, np.full(count, self._pace_of[self._first] * (not self.is_suspended)))
        self._entered = np.append(self._entered, np.full(count, time))
        self._due = np.append(self._due, np.full(count, time))
        self._luck = np.append(self._luck, rng.random(count))
        self._dice = np.append(self._dice, rng.random(count))
        self._failures = np.append(self._failures, np.zeros(count, np.int32))
        self._fresh = np.append(self._fresh, np.ones(count, np.bool_))
        self._seen = [np.append(column, np.zeros(count, column.dtype)) for column in self._seen]

    def keep(self, chosen: ArrayLike) -> None:
        """Forget all agents but the `chosen`, which stay in this order."""
        rows = np.asarray(chosen)
        for name in ("states", "paces", "_entered", "_due", "_luck", "_dice", "_failures", "_fresh"):
            setattr(self, name, getattr(self, name)[rows])
        self._seen = [column[rows] for column in self._seen]

    def think(self, time: float, senses: Mapping[str, Sense], rng: np.random.Generator) -> NDArray[np.intp]:
        """Ask whoever has to be asked at `time`, and return those whose state has changed."""
        if not len(self) or self.is_suspended:
            return np.zeros(0, np.intp)
        columns, words = self._columns(time, senses)
        changed = self._fresh | (time >= self._due - 1e-9)
        for name, column, seen in zip(self.brain.senses, columns, self._seen, strict=True):
            if name != "seconds" or self.brain.every is None:
                changed |= column != seen
        changed &= self._failures < MOST_FAILURES
        changed[self._failures > 0] &= time >= self._due[self._failures > 0] - 1e-9
        rows = np.flatnonzero(changed)
        if not rows.size:
            return rows
        targets = self._ask(rows, time, columns, words)
        answered = rows[: len(targets)]
        for place, column in enumerate(columns):
            if self._seen[place].dtype != column.dtype:
                self._seen[place] = self._seen[place].astype(column.dtype)
            self._seen[place][answered] = column[answered]
        self._fresh[answered] = False
        self._fresh[rows[len(targets) :]] = True
        return self._enter(answered, np.array(targets, np.int64), time, rng)

    def _columns(self, time: float, senses: Mapping[str, Sense]) -> tuple[list[NDArray[Any]], list[tuple[str, ...]]]:
        """The senses of the brain as columns, and the words that their codes stand for."""
        own = {"seconds": time - self._entered, "luck": self._luck, "dice": self._dice}
        columns: list[NDArray[Any]] = []
        words: list[tuple[str, ...]] = []
        for name in self.brain.senses:
            sense = own[name] if name in own else senses[name]
            columns.append(np.asarray(sense.codes if isinstance(sense, Words) else sense))
            words.append(sense.names if isinstance(sense, Words) else ())
        return columns, words

    def _ask(
        self, rows: NDArray[np.intp], time: float, columns: list[NDArray[Any]], words: list[tuple[str, ...]]
    ) -> list[int]:
        """The next states of the agents `rows`; fewer than there are rows if the budget is used up."""
        lists = [
            [names[code] for code in column[rows].tolist()] if names else column[rows].tolist()
            for column, names in zip(columns, words, strict=True)
        ]
        views = list(map(self._view._make, zip(*lists, strict=True))) if lists else [self._view()] * len(rows)
        states = self.states[rows].tolist()
        phases = [
            bisect_right(self._waits[state], elapsed + 1e-9) if self._waits[state] else 0
            for state, elapsed in zip(states, (time - self._entered[rows]).tolist(), strict=True)
        ]
        targets: list[int] = []
        self._failed.clear()
        asked = (rows, views, states, phases)
        deadline = clocks.thread_time() + self.budget
        while len(targets) < len(rows):
            try:
                with self._call_limit:
                    if not self._answer(targets, asked, time, deadline):
                        break
            except TooSlow:  # it came while another failure was being written down
                self._call_limit.answered()
        self.asked += len(targets)
        return targets

    def _answer(self, targets: list[int], asked: tuple[Any, ...], time: float, deadline: float) -> bool:
        """Append the next states to `targets`; False if the budget is used up."""
        rows, views, states, phases = asked
        answers, call_limit = self._answers, self._call_limit
        is_pure = self.brain.pure and "seconds" not in self.brain.senses
        for at in range(len(targets), len(rows)):
            if at % CHECKED == 0 and at and clocks.thread_time() > deadline:
                self._blame("budget", f"the brain {self.brain.name} needs more than {self.budget:g} s for a step")
                return False
            state = states[at]
            key = (state, phases[at], views[at])
            target = answers.get(key) if is_pure else None
            if target is None:
                try:
                    call_limit.began = clocks.perf_counter()
                    target = self._call(state, phases[at], views[at])
                    call_limit.began = NEVER
                    if is_pure:
                        if len(answers) >= MOST_ANSWERS:
                            answers.clear()
                        answers[key] = target
                except TooSlow:
                    call_limit.answered()
                    self._slow += 1
                    self._fail(int(rows[at]), time, f"took longer than {call_limit.limit:g} s")
                    target = state
                except Exception as error:
                    call_limit.began = NEVER
                    self._fail(int(rows[at]), time, f"raised {type(error).__name__}: {error}")
                    target = state
            targets.append(target)
            if self.is_suspended:
                self._blame("slow", f"the brain {self.brain.name} is suspended: {MOST_SLOW} of its calls were too slow")
                return False
        return True

    def _call(self, state: int, phase: int, view: Any) -> int:
        """The next state of an agent that is in `state` and has passed `phase` of its waiting times."""
        self.calls += 1
        passed = self._waits[state][phase - 1] if phase else 0.0
        for way, target, needs in zip(self._ways[state], self._targets[state], self._needs[state], strict=True):
            if needs > passed:
                continue
            self._current = way
            if way.test is None or way.test(self.brain, view):
                return target
        return state

    def _enter(
        self, rows: NDArray[np.intp], targets: NDArray[np.int64], time: float, rng: np.random.Generator
    ) -> NDArray[np.intp]:
        """Put the agents `rows` into their next states and find out when each has to be asked again."""
        entering = self.states[rows] != targets
        moved: NDArray[np.intp] = rows[entering]
        self.states[moved] = targets[entering]
        self._entered[moved] = time
        self._dice[moved] = rng.random(len(moved))
        self._fresh[moved] = True
        failed = np.isin(rows, list(self._failed))
        fine = rows[~failed]
        self._failures[fine] = 0
        self._due[fine] = np.inf if self.brain.every is None else time + self.brain.every
        for state in np.unique(self.states[fine]).tolist():
            whose = fine[self.states[fine] == state]
            for seconds in reversed(self._waits[state]):
                at = self._entered[whose] + seconds
                self._due[whose] = np.where(at > time + 1e-9, np.minimum(self._due[whose], at), self._due[whose])
        waits = (self._failures > 0) | self.is_suspended
        self.paces = np.where(waits, 0.0, self._pace_of[self.states])
        return moved

    def _fail(self, agent: int, time: float, what: str) -> None:
        """Write down a failure: the agent waits until its brain is asked again."""
        way = self._current
        where = (
            "" if way is None or way.test is None else f" in {way.test.__name__}, from {way.source} to {way.target},"
        )
        self._failed.add(agent)
        self._failures[agent] += 1
        self._due[agent] = time + RETRY
        self._blame(f"{where}{what}", f"the brain {self.brain.name}{where} {what}: its agents wait where this happens")

    def _blame(self, key: str, sentence: str) -> None:
        if key not in self._blamed and len(self._blamed) < MOST_SENTENCES:
            self._blamed.add(key)
            self.log.append(sentence)

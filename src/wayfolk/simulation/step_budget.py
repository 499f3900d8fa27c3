"""The budget of a step: which agents a step may plan for, so that it takes no longer than it was given.

How long an agent's plan takes is learned from the steps before. At first a step plans for one agent; as long as it takes
less time than it has, the next one plans for up to twice as many. Agents that have waited longest come first. The others
stand where they are until the next tick, as they do behind another agent, and are planned for then.

A controller that plans for all agents together is asked for all or for none. It is asked when the time that former steps
left over is as long as it takes.

Invariants  with any time above 0 every agent is planned for again and again; with 0, none is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadInput
from wayfolk.kernels.crew import AnyCrew
from wayfolk.kernels.crossing import SOON
from wayfolk.kernels.rows import with_rows

if TYPE_CHECKING:
    from wayfolk.simulation.simulation import Simulation


class StepBudget:
    """What steps have learned about the seconds that plans take; `clock` is where the time is read."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self.each: float | None = None  # seconds for one agent
        self.saved = 0.0  # seconds that are left over, for controllers that plan for all agents together
        self.asked: NDArray[np.float64] = np.zeros(0)  # when each agent was last planned for

    def lap(self, world: Simulation, within: float) -> None:
        """Let one tick of `world` pass, in which as many agents plan as there is time for after the events."""
        loaded, began = len(LOADED), self.clock()
        if world.events.next_time <= world.time + 1e-9:
            world.apply_events()
        before = self.clock()
        left = within - (before - began - loading_seconds(loaded)) if within else 0.0
        n = self.choose(world.crew, world.time, world.tick, left, world.controller.together)
        loaded = len(LOADED)
        world.lap(leaps=False)
        self.learn(n, self.clock() - before - loading_seconds(loaded))

    def choose(self, crew: AnyCrew, now: float, tick: float, seconds: float, together: bool) -> int:
        """Let all agents that need a route stand until the next tick, but those for which `seconds` suffice: how many."""
        agents, answers = crew.agents, crew.answers
        if len(self.asked) < len(agents):
            self.asked = with_rows(self.asked, len(agents))
        acts = agents["present"] & agents["ours"] & ~agents["done"] & (agents["ready"] <= now + SOON)
        due = np.flatnonzero(acts & (answers["at"] >= answers["n_route"]))
        n = self._all_or_none(len(due), seconds) if together else self._affordable(seconds)
        order = due[np.argsort(self.asked[due], kind="stable")]
        self.asked[order[:n]] = now + tick
        late = order[n:]
        agents["came"][late] = agents["here"][late]
        agents["ready"][late] = now + tick
        return min(n, len(due))

    def learn(self, n: int, seconds: float) -> None:
        """A step has planned for `n` agents and taken `seconds`: slower at once, faster little by little."""
        if n:
            each = seconds / n
            self.each = each if self.each is None or each > self.each else (self.each + each) / 2
            self.saved = max(0.0, self.saved - seconds)

    def _affordable(self, seconds: float) -> int:
        """For how many agents there is time, at least one if there is any."""
        if seconds <= 0.0 or self.each is None:
            return int(seconds > 0.0)
        return max(1, int(min(seconds / self.each, 1e9))) if self.each > 0.0 else int(1e9)

    def _all_or_none(self, n: int, seconds: float) -> int:
        self.saved += max(0.0, seconds)
        if seconds <= 0.0 or (self.each is not None and self.saved < self.each * n):
            return 0
        return n


def checked_within(within: float) -> float:
    """`within` if it is a number of seconds, 0 or more."""
    if isinstance(within, bool) or not isinstance(within, int | float) or not within >= 0:
        raise BadInput(f"within must be a number of seconds, 0 or more, not {within!r}")
    return float(within)

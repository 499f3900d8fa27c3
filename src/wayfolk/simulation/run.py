"""Run: what a simulation recorded, and its metrics by agent and by loop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.judge import metrics
from wayfolk.kernels.codes import ARRIVE, MOVE, REFUSED, THOUGHT
from wayfolk.problem.layers import Layer
from wayfolk.problem.record import STEPS, Record
from wayfolk.problem.result import Counters, Result, Status

if TYPE_CHECKING:
    from wayfolk.problem.plan import Plan
    from wayfolk.replay import Track
    from wayfolk.replay.page import Page


SAMPLES = 200  # of the coherence that a replay plots
LAP = np.dtype([("time", np.float64), ("seconds", np.float64), ("agents", np.int64)])


@dataclass
class Thoughts(Counters):
    """What controllers do; `expanded_most` is the most nodes that one agent expanded when it planned once."""

    expanded_most: int = 0


@dataclass(eq=False)
class Run:
    """The outcome of a simulation: its record, its status, and measures of it. `legs` is the number of goals in a loop.

    With a clock, `laps` has a row for each tick: what time it is after it, the seconds of planning and moving, and
    how many agents were under control. `detail` says that a run has reached the limit of memory. `layers` are what the
    controller lets a replay show of itself.
    """

    record: Record
    algorithm: str
    options: dict[str, Any]
    seed: int
    status: Status
    seconds: float
    legs: int = 1
    laps: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, LAP))
    layers: tuple[Layer, ...] = ()
    is_endless: bool = False
    """Whether agents get tasks without an end, so that the run is over when its time is."""
    detail: str = ""

    @property
    def outcome(self) -> str:
        """How it ended: `ended` for endless tasks whose time is over, else the status."""
        is_over = self.is_endless and self.status is Status.OUT_OF_BUDGET and not self.detail
        return "ended" if is_over else self.status.value

    @property
    def n_agents(self) -> int:
        """How many agents there have been."""
        return len(self.record.starts)

    @property
    def time(self) -> float:
        """Simulation time from the first start to the last arrival (planning takes none)."""
        return self.record.end

    @cached_property
    def _loops(self) -> NDArray[np.int64]:
        """For each row of the record, the loop its agent was in: how often it had come back before."""
        rows = self.record.of(ARRIVE)
        loops = np.zeros(len(self.record), np.int64)
        order = np.lexsort((np.arange(len(self.record)), self.record.agent))
        arrived = np.zeros(len(self.record), np.int64)
        arrived[rows] = 1
        total = np.cumsum(arrived[order])
        agents = self.record.agent[order]
        first = np.searchsorted(agents, agents)
        before = np.where(first > 0, total[first - 1], 0)
        loops[order] = (total - before - arrived[order]) // self.legs
        return loops

    def _table(self, agents: Any, loops: Any, weights: Any = None) -> NDArray[np.float64]:
        """Sums by agent (rows) and loop (columns)."""
        n_loops = self.n_loops
        inside = np.asarray(loops) < n_loops
        spots = np.asarray(agents)[inside] * n_loops + np.asarray(loops)[inside]
        values = None if weights is None else np.asarray(weights)[inside]
        return np.bincount(spots, values, self.n_agents * n_loops).reshape(-1, n_loops).astype(np.float64)

    @cached_property
    def n_loops(self) -> int:
        """The number of loops that any agent has begun; at least one."""
        arrivals = self.record.of(ARRIVE)
        ended = int(self._loops[arrivals].max(initial=0)) + 1
        return max(ended, 1)

    @cached_property
    def collisions(self) -> NDArray[np.float64]:
        """Refused moves, by agent and loop."""
        rows = self.record.of(REFUSED)
        return self._table(self.record.agent[rows], self._loops[rows])

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        """How far they went, by agent and loop; diagonals count as long as they are."""
        return self._table(self.record.agent[self._moves], self._loops[self._moves], self._lengths)

    @cached_property
    def _moves(self) -> NDArray[np.intp]:
        return self.record.of(MOVE)

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        return metrics.move_lengths(self.record)

    @cached_property
    def expanded(self) -> NDArray[np.float64]:
        """Cells expanded, by agent and loop."""
        rows = self.record.of(THOUGHT)
        return self._table(self.record.agent[rows], self._loops[rows], self.record.cell[rows])

    @cached_property
    def replans(self) -> NDArray[np.float64]:
        """Searches, by agent and loop."""
        rows = self.record.of(THOUGHT)
        return self._table(self.record.agent[rows], self._loops[rows])

    def per_loop(self, values: NDArray[np.float64]) -> float:
        """The mean over agents and loops, the first and the last loop left out where there are three or more."""
        kept = values[:, 1:-1] if values.shape[1] >= 3 else values
        return float(kept.mean())

    def summary(self) -> dict[str, float]:
        """The metrics of Jansen 2008: per agent and loop, without the first and the last loop; and those of tasks."""
        means = {"time": self.time, "agents": float(self.n_agents)}
        for name in ("expanded", "replans", "distance", "collisions"):
            means[name] = self.per_loop(getattr(self, name))
        means["seconds"] = self.seconds
        return means | self.service.summary()

    @cached_property
    def service(self) -> metrics.Service:
        """The tasks that have ended, their service times and the share of waiting; a loop is a task."""
        return metrics.service(self.record, self.legs)

    def result(self) -> Result:
        """As a result: a plan if it is one, and the counts."""
        thoughts = self.record.of(THOUGHT)
        spent = self.record.cell[thoughts]
        counters = Thoughts(
            expanded=int(spent.sum(dtype=np.int64)), replans=len(thoughts), collisions=len(self.record.of(REFUSED)),
            expanded_most=int(spent.max(initial=0)),
        )  # fmt: skip
        result = Result(self.status, self.algorithm, counters=counters, options=dict(self.options), seed=self.seed)
        if self.record.is_plan:
            result.plan = self.record.plan()
            result.layers = self.layers
        return result

    def plan(self) -> Plan:
        """The plan, if the time model is `steps` and no agent joined or left."""
        return self.record.plan()

    def track(self, title: str = "", *, alpha: float | None = None, **facts: str) -> Track:
        """A panel for the replay; with `alpha`, one of the lanes that are learned at this rate, and their coherence."""
        from wayfolk.replay import Track

        track = Track(title or self.algorithm, self.record, facts, layers=self.layers)
        if alpha is None or not self.time:
            return track
        from wayfolk.judge.coherence import coherence_over_time

        _, values = coherence_over_time(self.record, alpha, every=self.time / SAMPLES)
        return replace(track, alpha=alpha, coherence=tuple(values.tolist()))

    def save_replay(self, file: str | Path) -> None:
        """Write the run as one HTML page that needs no server."""
        from wayfolk.replay import write_replay

        write_replay([self.track()], file, title=f"Wayfolk: {self.algorithm}")

    def show(self) -> Page:
        """Watch the run: in a notebook at the end of a cell, elsewhere in the browser."""
        from wayfolk.replay.page import Page, show_page

        return show_page(Page([self.track()], f"Wayfolk: {self.algorithm}"))

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import record_html

        return record_html(self.record, run=self)

    def __repr__(self) -> str:
        unit = "steps" if self.record.model == STEPS else "time units"
        return f"Run({self.algorithm}, {self.n_agents} agents, {self.time:.0f} {unit}, {self.outcome})"

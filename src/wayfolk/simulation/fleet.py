"""Fleet: robots that carry out a list of orders, each given to the nearest robot that is idle when it is released.

    fleet = Fleet(grid, starts, read_orders("orders.csv", grid), "pibt")
    fleet.advance(2000)
    fleet.report()

Orders are given in the order of their release. A robot visits the stops of its order in turn; without another order it
returns to where it started, and gives way there if the controller lets it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import GOAL, REFUSED
from wayfolk.kernels.crew import TICK
from wayfolk.problem.events import Event
from wayfolk.problem.orders import Order
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.grid import Grid

PERCENTILES = (50, 90, 99)


@dataclass
class Progress:
    """How far an order is: who has it since when, how many stops are done, and when the last was."""

    order: Order
    agent: int | None = None
    assigned: float = 0.0
    n_done: int = 0
    ended: float | None = None


class Fleet(Simulation):
    """A simulation whose agents get their goals from a list of orders; it is SOLVED when all of them are done."""

    def __init__(
        self, grid: Grid, starts: ArrayLike, orders: Sequence[Order], controller: Any = "pibt", **options: Any
    ) -> None:
        super().__init__(one_shot(grid, starts, starts), controller, **options)
        parts = grid.components[self.problem.starts]
        for order in orders:
            lost = [stop for stop in order.stops if (parts != grid.components[stop]).any()]
            if lost:
                raise BadProblem(f"{order.name}: not every robot can get to {grid.place(lost[0])}")
        self.progress = [Progress(order) for order in sorted(orders, key=lambda order: order.release)]
        self._queue = deque(self.progress)
        self._busy: dict[int, Progress] = {}

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass; it ends when all orders are done."""
        stop = min(int(self.crew.counts[TICK]) + budget, NO_LIMIT)
        self._dispatch()
        while self.crew.counts[TICK] < stop and not self.status.is_final:
            self._lap(leaps=False)
            self._dispatch()
        return self.status

    def step(self) -> Status:
        """Let one tick pass."""
        self._dispatch()
        super().step()
        self._dispatch()
        return self.status

    def _dispatch(self) -> None:
        """Note which stops are reached, and give goals to robots that need one."""
        for agent in list(self._busy):
            self._go_on(agent)
        while self._queue and self._queue[0].order.release <= self.time + 1e-9:
            nearest = self._nearest_idle(self._queue[0].order.stops[0])
            if nearest is None:
                break
            progress = self._queue.popleft()
            progress.agent, progress.assigned = nearest, self.time
            self._busy[nearest] = progress
            self._aim(nearest, progress.order.stops[0])
            self._go_on(nearest)
        is_done = not self._queue and not self._busy
        self.status = Status.SOLVED if is_done else Status.RUNNING

    def _go_on(self, agent: int) -> None:
        """Let a robot that stands on a stop of its order go to the next one, or home after the last."""
        progress, here = self._busy[agent], int(self.crew.agents["here"][agent])
        stops, first = progress.order.stops, progress.n_done
        while progress.n_done < len(stops) and stops[progress.n_done] == here:
            progress.n_done += 1
        if progress.n_done == len(stops):
            progress.ended = self.time
            del self._busy[agent]
            self._aim(agent, int(self.problem.starts[agent]))
        elif progress.n_done > first:
            self._aim(agent, stops[progress.n_done])

    def _aim(self, agent: int, goal: int) -> None:
        self._await(Event(self.time, GOAL, agent, (self.grid.place(goal),)))

    def _nearest_idle(self, stop: int) -> int | None:
        """The idle robot from which `stop` would be nearest if there were no walls."""
        agents = self.crew.agents
        idle = [k for k in np.flatnonzero(agents["present"] & agents["ours"]).tolist() if k not in self._busy]
        if not idle:
            return None
        apart = np.abs(self.grid.places(agents["here"][idle]) - self.grid.place(stop))
        return idle[int((apart.max(1) + (self.grid.diagonal - 1.0) * apart.min(1)).argmin())]

    def report(self) -> dict[str, Any]:
        """Orders done, how long they waited for a robot, and how long they took from their release to their end."""
        done = [progress for progress in self.progress if progress.ended is not None]
        begun = [progress for progress in self.progress if progress.agent is not None]
        waits = [progress.assigned - progress.order.release for progress in begun]
        times = [float(progress.ended or 0.0) - progress.order.release for progress in done]
        record = self.record()
        return {
            "orders": len(self.progress),
            "orders_done": len(done),
            "orders_begun": len(begun),
            "throughput": len(done) / self.time if self.time else 0.0,
            **{f"waiting_p{share}": float(np.percentile(waits, share)) if waits else None for share in PERCENTILES},
            **{f"service_p{share}": float(np.percentile(times, share)) if times else None for share in PERCENTILES},
            "refused_moves": len(record.of(REFUSED)),
        }

"""Fleet: robots that carry out a list of orders, each given to the nearest robot that is idle when it is released.

    fleet = Fleet(grid, starts, read_orders("orders.csv", grid), "pibt")
    fleet.advance(2000)
    fleet.report()

Robots drive in any world: on a roadmap, stops of orders are names of its nodes. Orders are given in the order of their
release. A robot visits the stops of its order in turn. Without another order it returns to where it started, if it is in
nobody's way there, or else parks at the nearest place where it is not (`wayfolk.simulation.parking_places`). A robot that
is pushed away from there, or does not get there, parks elsewhere.

Every controller works, though none of them knows which robots have orders. The fleet looks after every PATIENCE steps which
robots with an order have not come nearer to their next stop, and gives one of them the right of way: those on its way make
room (`wayfolk.simulation.right_of_way`). Robots that are larger than a cell, turn or are slow get no right of way, as more
than one cell must be empty for them. Else every order ends, unless robots that are not under control are in the way or the
map is almost full; then `why` says who waits for whom.

When a robot leaves, or is no longer under control, its order is given to another.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem
from wayfolk.judge.blockage import Blockage, sentences, why
from wayfolk.kernels.codes import GOAL, REFUSED
from wayfolk.kernels.crew import TICK
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.problem.orders import Order
from wayfolk.problem.problem import Bodies, one_shot
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.simulation.adjacency import Adjacency
from wayfolk.simulation.fleet_map import FleetMap
from wayfolk.simulation.parking_places import covers_none, is_dispensable, parking_place
from wayfolk.simulation.right_of_way import RightOfWay, right_of_way
from wayfolk.simulation.simulation import Simulation

if TYPE_CHECKING:
    from wayfolk.problem.problem import World

PERCENTILES = (50, 90, 99)
PATIENCE = 16
"""Units of time after which the fleet looks who has come nearer to the next stop."""
CROWD = 8
"""Of so many stuck robots one gets the right of way, the others wait behind it; if all are few, one of them."""
REACH = 16
"""For so many steps a robot first gets the right of way; twice as many each time that this was not enough."""
LONG = 8 * PATIENCE
"""A robot that has been on its way to a stop for so long must come nearer from look to look, also if it moves far."""


@dataclass
class OrderProgress:
    """How far an order is: who has it since when, how many of its `stops` are done, and when the last was.

    `n_returned` counts the robots that have left it undone. `left` are the fewest steps to the next stop that the fleet has
    seen; `leg_began` is when the robot set out for it, and `n_rights` how often it has got the right of way since then.
    """

    order: Order
    stops: tuple[int, ...]
    agent: int | None = None
    assigned: float = 0.0
    n_done: int = 0
    ended: float | None = None
    n_returned: int = 0
    left: int = NO_LIMIT
    leg_began: float = 0.0
    n_rights: int = 0

    @property
    def next_stop(self) -> int:
        """The stop to which the robot goes."""
        return self.stops[self.n_done]

    @property
    def stops_left(self) -> tuple[int, ...]:
        """The stops that are not done."""
        return self.stops[self.n_done :]


@dataclass
class Parking:
    """The place at which a robot without an order waits, and whether it has been there."""

    cell: int
    reached: bool = False


class Fleet(Simulation):
    """A simulation whose agents get their goals from a list of orders; it is SOLVED when all of them are done.

    With `loads_stay`, an order whose robot fails after its first stop is continued where that was: the next robot fetches
    the load there, or from the nearest cell beside it if the robot still stands there. Otherwise the order begins again.
    """

    def __init__(
        self,
        world: World,
        starts: ArrayLike,
        orders: Sequence[Order],
        controller: Any = "pibt",
        *,
        loads_stay: bool = False,
        bodies: Bodies = None,
        **options: Any,
    ) -> None:
        super().__init__(one_shot(world, starts, starts, bodies=bodies), controller, **options)
        self._map = FleetMap(self.states)
        self.loads_stay = loads_stay
        self.progress = [
            OrderProgress(order, self._stops_of(order)) for order in sorted(orders, key=lambda order: order.release)
        ]
        here = np.unique(self.problem.starts).tolist()
        for progress in self.progress:
            lost = [stop for stop in progress.stops if not all(self._map.can_reach(node, stop) for node in here)]
            if lost:
                raise BadProblem(f"{progress.order.name}: not every robot can get to {self._map.place(lost[0])}")
        self._queue = deque(self.progress)
        self._busy: dict[int, OrderProgress] = {}
        self._homes = self._map.cells(self.problem.starts).tolist()
        self._parkings: dict[int, Parking] = {agent: Parking(cell, True) for agent, cell in enumerate(self._homes)}
        self._stops = Counter(stop for progress in self.progress for stop in progress.stops)
        self._stops_now: Counter[int] = Counter()
        self._rights: list[RightOfWay] = []
        self._looked = 0.0
        self._then: NDArray[np.int32] = self.problem.starts.copy()

    @property
    def map(self) -> FleetMap:
        """The cells of the world as it is now."""
        if self._map.states is not self.states:
            self._map = FleetMap(self.states)
        return self._map

    def _stops_of(self, order: Order) -> tuple[int, ...]:
        return tuple(self._map.cell_of(stop) for stop in order.stops)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass, fewer if `until` comes first; it ends when all orders are done."""
        self.unspent = 0
        stop = min(int(self.crew.counts[TICK]) + budget, NO_LIMIT)
        self._dispatch()
        while self.crew.counts[TICK] < stop and not self.status.is_final:
            self._direct()
            self.lap(leaps=False)
            self._dispatch()
            if time.perf_counter() >= self.until:
                self.unspent = max(0, stop - int(self.crew.counts[TICK]))
                break
        return self.status

    def step(self, within: float | None = None) -> Status:
        """Let one tick pass; `within` so many seconds, as `Simulation.step` does."""
        self._dispatch()
        self._direct()
        super().step(within)
        self._dispatch()
        return self.status

    # Orders

    def _dispatch(self) -> None:
        """Note which stops are reached, give orders to idle robots, and places to park to those without one.

        In the middle of a step nothing happens, nor in `_direct`.
        """
        if self.is_within_step:
            return
        agents = self.crew.agents
        for agent in [agent for agent in self._busy if not agents["present"][agent] or not agents["ours"][agent]]:
            self._give_back(agent)
        for agent in list(self._busy):
            self._go_on(agent)
        while self._queue and self._queue[0].order.release <= self.time + 1e-9:
            nearest = self._nearest_idle(self._queue[0].next_stop)
            if nearest is None:
                break
            self._give(nearest, self._queue.popleft())
        self._park()
        is_done = not self._queue and not self._busy
        self.status = Status.SOLVED if is_done else Status.RUNNING

    def _give(self, agent: int, progress: OrderProgress) -> None:
        """Let a robot that is idle carry out an order."""
        progress.agent, progress.assigned = agent, self.time
        self._busy[agent] = progress
        self._parkings.pop(agent, None)
        self._stops_now.update(progress.stops_left)
        self._set_out(agent)
        self._go_on(agent)

    def _go_on(self, agent: int) -> None:
        """Let a robot that stands on a stop of its order go to the next one; after the last it is idle."""
        progress, here = self._busy[agent], int(self.crew.agents["here"][agent])
        first = progress.n_done
        while progress.n_done < len(progress.stops) and self.map.stands_on(here, progress.next_stop):
            _count_down(self._stops_now, [progress.next_stop])
            _count_down(self._stops, [progress.next_stop])
            progress.n_done += 1
        if progress.n_done == len(progress.stops):
            progress.ended = self.time
            del self._busy[agent]
        elif progress.n_done > first:
            self._set_out(agent)

    def _set_out(self, agent: int) -> None:
        """Send a robot to the next stop of its order."""
        progress = self._busy[agent]
        progress.leg_began, progress.left, progress.n_rights = self.time, NO_LIMIT, 0
        self._aim(agent, progress.next_stop)

    def _give_back(self, agent: int) -> None:
        """Put the order of a robot that has left, or is not under control, back among those that wait for a robot."""
        progress = self._busy.pop(agent)
        _count_down(self._stops_now, progress.stops_left)
        _count_down(self._stops, progress.stops_left)
        if self.loads_stay and progress.n_done:
            progress.stops = (self._where_load_is(agent), *progress.stops_left)
        else:
            progress.stops = self._stops_of(progress.order)
        progress.n_done, progress.agent = 0, None
        progress.n_returned += 1
        self._stops.update(progress.stops)
        self._queue.append(progress)
        self._queue = deque(sorted(self._queue, key=lambda waiting: waiting.order.release))

    def _where_load_is(self, agent: int) -> int:
        """The cell where `agent` has stopped, or the nearest one on which no robot stands that is not under control."""
        here, fixed = self._cell(agent), self._fixed()
        near = self._beside(agent).nearest_first(here, lambda cell: True, self.states.n_cells)
        return next((cell for cell in near if cell not in fixed), here)

    def _aim(self, agent: int, goal: int) -> None:
        if self.crew.agents["goal"][agent] != self.map.node(goal, self._kind(agent)):
            self.add_event(Event(self.time, GOAL, agent, (self.map.place(goal),)))

    def _idle(self) -> list[int]:
        agents = self.crew.agents
        return [k for k in np.flatnonzero(agents["present"] & agents["ours"]).tolist() if k not in self._busy]

    def _nearest_idle(self, stop: int) -> int | None:
        """The idle robot that is nearest to `stop`."""
        idle = self._idle()
        return idle[self.map.nearest(self.crew.agents["here"][idle], stop)] if idle else None

    def _cell(self, agent: int) -> int:
        """The cell at which a robot is."""
        return int(self.map.cells(self.crew.agents["here"][agent : agent + 1])[0])

    def _kind(self, agent: int) -> int:
        return self.map.kind(int(self.crew.agents["here"][agent]))

    # Parking

    def _park(self) -> None:
        """Find a place for every idle robot that has none, was pushed away from it, or is in the way of an order."""
        here, idle = self.crew.agents["here"], self._idle()
        self._parkings = {agent: self._parkings[agent] for agent in idle if agent in self._parkings}
        for agent in idle:
            parking = self._parkings.get(agent)
            if parking is not None:
                is_there = self.map.stands_on(int(here[agent]), parking.cell)
                is_free = covers_none(self._beside(agent), parking.cell, self._stops_now)
                if is_free and (is_there or not parking.reached):
                    parking.reached |= is_there
                    continue
            self._find_parking(agent, may_go_home=parking is None)

    def _find_parking(self, agent: int, may_go_home: bool, around: frozenset[int] = frozenset()) -> None:
        """Give an idle robot a place to park: its home, or the nearest one; ways do not lead through cells `around`."""
        while len(self._homes) < self.n_agents:  # it has joined, and starts here
            self._homes.append(self._cell(len(self._homes)))
        self._parkings.pop(agent, None)
        adjacency, here, home = self._beside(agent), self._cell(agent), self._homes[agent]
        parked = (self._beside(one).around(parking.cell) for one, parking in self._parkings.items())
        taken = self._fixed().union(*parked)
        is_at_no_stop = covers_none(adjacency, home, self._stops)
        if may_go_home and is_at_no_stop and is_dispensable(adjacency, home, taken):
            place: int | None = home
        else:
            place = parking_place(
                adjacency, here, taken=taken, stops=self._stops, stops_now=self._stops_now,
                is_open=lambda cell: cell not in around,
            )  # fmt: skip
        self._parkings[agent] = Parking(here if place is None else place)
        self._aim(agent, self._parkings[agent].cell)

    # Right of way

    def _direct(self) -> None:
        """Before a tick: look who is stuck from time to time, and let robots make room for those with right of way."""
        if self.is_within_step:
            return
        if not self._rights and self.time - self._looked >= PATIENCE:
            self._look_around()
        if self._rights:  # robots near them wait, and others behind these: nobody is judged until all have ended
            self._rights = [right for right in self._rights if self._lead(right)]
            self._looked, self._then = self.time, self.crew.agents["here"].copy()

    def _look_around(self) -> None:
        """Give the right of way to robots that have not come nearer to their stops, and other places to idle ones."""
        here = self.crew.agents["here"]
        n = len(self._then)
        apart = self.map.moved(here[:n], self._then)
        stuck = sorted(self._stuck(apart), key=lambda one: (one.assigned, one.order.release))
        most = 1 + len(stuck) // CROWD
        for progress in stuck[: 2 * most]:
            if len(self._rights) < most:
                self._give_way_to(progress)
        still = frozenset(self.map.cells(here[:n][apart <= 1]).tolist())
        for agent, parking in list(self._parkings.items()):
            if agent < n and apart[agent] <= 1 and not self.map.stands_on(int(here[agent]), parking.cell):
                self._find_parking(agent, may_go_home=False, around=still)
        self._looked, self._then = self.time, here.copy()

    def _stuck(self, apart: NDArray[np.float64]) -> list[OrderProgress]:
        """The orders whose robots have not come nearer to their next stop since the fleet last looked."""
        slow = {
            agent: progress
            for agent, progress in self._busy.items()
            if agent < len(apart) and (apart[agent] <= PATIENCE // 4 or self.time - progress.leg_began > LONG)
        }
        if not slow:
            return []
        here = self.crew.agents["here"][list(slow)]
        stops = np.array([progress.next_stop for progress in slow.values()], np.int32)
        stuck = []
        for progress, left in zip(slow.values(), self.map.steps(here, stops).tolist(), strict=True):
            if left >= progress.left:
                stuck.append(progress)
            progress.left = min(left, progress.left)
        return stuck

    def _give_way_to(self, progress: OrderProgress) -> None:
        """Give the robot of an order the right of way, if there is one beside those that others have."""
        if not self.map.has_rights:
            return
        here = self.map.cells(self.crew.agents["here"])
        reserved = self._fixed().union(*(right.area for right in self._rights))
        robots = {int(here[agent]): agent for agent in (*self._busy, *self._parkings)}
        robots = {cell: agent for cell, agent in robots.items() if cell not in reserved}
        agent = progress.agent
        if agent is not None and int(here[agent]) in robots and progress.next_stop not in reserved:
            right = right_of_way(
                self._beside(agent), robots, reserved, int(here[agent]), progress.next_stop,
                now=self.time, reach=REACH << progress.n_rights,
            )  # fmt: skip
            if right is not None:
                self._rights.append(right)
                progress.n_rights += 1

    def _lead(self, right: RightOfWay) -> bool:
        """Let the robots of a right of way take their next steps, and others near it wait; whether it goes on."""
        agents = self.crew.agents
        while right.steps and all(self._cell(agent) == cell for agent, cell in right.steps[0].items()):
            right.steps.popleft()
            right.since = self.time
        if not right.steps or self.time - right.since > PATIENCE or not self._can_go_on(right.steps[0]):
            return False
        for agent in self.map.holders(self.crew.occupant, list(right.area)):
            if agents["ours"][agent]:
                cell = right.steps[0].get(agent, self._cell(agent))
                self.add_event(events.move(self.time, agent, self.map.place(cell)))
        return True

    def _can_go_on(self, step: dict[int, int]) -> bool:
        """Whether the robots of a step are under control and beside their next cells, and nobody else is there."""
        agents = self.crew.agents
        for agent, cell in step.items():
            here, others = self._cell(agent), self.map.holders(self.crew.occupant, [cell])
            is_beside = here == cell or cell in self._beside(agent)[here]
            if not (agents["present"][agent] and agents["ours"][agent] and is_beside):
                return False
            if any(other not in step for other in others):
                return False
        return True

    def _beside(self, agent: int) -> Adjacency:
        """The cells beside each other for a robot."""
        return self.map.adjacency(self._kind(agent))

    def _fixed(self) -> frozenset[int]:
        """The cells that robots take which are not under control."""
        agents = self.crew.agents
        robots = np.flatnonzero(agents["present"] & ~agents["ours"]).tolist()
        return frozenset().union(*(self._beside(agent).around(self._cell(agent)) for agent in robots))

    # Numbers

    def why(self) -> list[Blockage]:
        """Why robots with an order are not at their stops: who waits for whom, and since when."""
        return [one for one in why(self.record()) if any(agent in self._busy for agent in one.missing)]

    def reasons(self) -> list[str]:
        """Why orders are not done, in sentences; none if all are."""
        lines = sentences(self.why()) if self._busy else []
        waiting = [progress for progress in self._queue if progress.order.release <= self.time + 1e-9]
        if waiting and not self._busy and not self._idle():
            lines.append(f"{len(waiting)} orders wait for a robot: none is under control")
        elif waiting:
            lines.append(f"{len(waiting)} orders wait until a robot is idle")
        later = len(self._queue) - len(waiting)
        return [*lines, f"{later} orders are not released yet"] if later else lines

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


def _count_down(counts: Counter[int], cells: Sequence[int]) -> None:
    """Take each of `cells` out of `counts` once."""
    for cell in cells:
        counts[cell] -= 1
        if not counts[cell]:
            del counts[cell]

"""The controller of RWT: which part of its route an agent is on, and the window that it plans in a band around it."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, View
from wayfolk.algorithms.controllers._seats import take_seats
from wayfolk.algorithms.controllers.rwt.bands import enclose, locate, open_up
from wayfolk.algorithms.controllers.rwt.passages import (
    EDITS,
    FREED,
    LEG,
    NEEDS,
    NODE,
    OPEN,
    ROUTES,
    TREE,
    find_passages,
    is_blocked,
)
from wayfolk.algorithms.controllers.rwt.routes import (
    book,
    find_route,
    is_near_passage,
    is_walkable,
    next_passage,
    unbook,
)
from wayfolk.algorithms.controllers.whca import (
    LAST,
    TOKENS,
    WindowArrays,
    Windowed,
    begin_round,
    next_round,
    plan_window,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels import heap, reservations, rra
from wayfolk.kernels.codes import FULL, NOWHERE
from wayfolk.kernels.crew import N_ASKED, report
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.reservations import Reservations
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

WIDEST = 16  # rings of cells around a route
OPEN_RINGS = 8  # so far from its route an agent may go where no passage is near
BESIDE = 1  # and so far before a passage; one that gets farther away plans another route
PATIENCE = 4  # plans by which an agent has not got on, before it plans another route
FINE = 85  # parts of a slot, if it is a twelfth of a step
SMALL = ("waits", "edits", "freed", "slot", "since", "spent", "effort")  # counters of a leg, and slots
COARSE = 1024  # and if it is a step: more than any number of diagonals that is compared


class Splitting(Windowed):
    """Gives each agent a route by expected waiting times, and a reserved way through the next window along it."""

    def __init__(self, problem: Problem, window: int, narrow: int, expansions: int) -> None:
        super().__init__(problem, window, resume=True)
        self.narrow, self.expansions = narrow, expansions

    def prepare(self, view: View) -> None:
        """Begin with empty reservations and without routes."""
        self.grid = view.grid
        grid, n = view.grid, len(view.here)
        window, inside = self._new_band(view)
        wide, tall = np.zeros((2, grid.n_cells), np.uint8)
        self.arrays = PassageArrays(
            window=window,
            legal=grid.legal,
            inside=inside,
            wide=wide,
            tall=tall,
            queue=reservations.new_reservations(64 * n),
            near=np.zeros(grid.n_cells, np.int32),
            nodes=np.zeros(grid.n_cells, NODE),
            rows=np.zeros(4096, heap.ROW),
            routes=np.zeros((n, 256), np.int32),
            steps=np.zeros((n, 256), np.int32),
            legs=_new_legs(n),
            due=np.zeros(n, heap.ROW),
            listed=np.zeros(grid.n_cells, np.int32),
            marks=np.zeros(grid.n_cells, np.int64),
            counts=np.zeros(5, np.int64),
            n_steps=self.window,
            narrow=self.narrow,
            expansions=self.expansions,
            sub=COARSE if window.per_step == 1 else FINE,
        )
        self.arrays.counts[EDITS] = 1  # the map itself, which has not been measured yet

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; count the edits of the map."""
        arrays: PassageArrays = self.arrays
        n, n_old = len(view.here), len(arrays.legs)
        if n > n_old:
            arrays = arrays._replace(
                window=self._enlarged(arrays.window, view.grid, n),
                routes=with_rows(arrays.routes, n),
                steps=with_rows(arrays.steps, n),
                legs=np.concatenate([arrays.legs, _new_legs(n - n_old)]),
                due=with_rows(arrays.due, n),
            )
        if change.cells.size:
            self.grid = view.grid
            arrays = arrays._replace(legal=view.grid.legal)
            arrays.counts[EDITS] += 1
            arrays.counts[FREED] += change.freed(view.grid)
        self.arrays = arrays

    def remember(self, memory: "Memory") -> None:
        """What WHCA* remembers, the routes and who is expected where, and what was measured of the map."""
        arrays: PassageArrays = self.arrays
        n, most = len(arrays.legs), len(arrays.legal)
        length = memory.number("length", arrays.routes.shape[1], (1, 2 * most + 256))
        routes, steps = (
            (np.zeros((n, length), np.int32) for _ in range(2)) if memory.is_read else (arrays.routes, arrays.steps)
        )
        memory.records(
            "legs", arrays.legs, goal=memory.cells_or_none, n=(0, length), booked=(0, length), at=(0, length - 1),
            end=(0, length - 1), was=memory.cells_or_none, rings=(0, WIDEST), **dict.fromkeys(SMALL, memory.small),
        )  # fmt: skip
        legs = arrays.legs
        if memory.is_read and (np.maximum(legs["at"], legs["end"]) >= np.maximum(legs["n"], 1)).any():
            memory.refuse("legs", "has an agent behind the end of its route")
        used = np.arange(length) < legs["n"][:, None]
        used[:, 0] = True
        routes[...] = memory.numbers("routes", np.where(used, routes, 0), memory.cells)
        steps[...] = memory.numbers("steps", np.where(used, steps, 0), memory.small)
        memory.numbers("wide", arrays.wide, (0, 255))
        memory.numbers("tall", arrays.tall, (0, 255))
        memory.numbers("near", arrays.near, (0, int(NOWHERE)))
        memory.numbers("counts", arrays.counts, memory.small)
        self.arrays = arrays._replace(
            window=self._remembered(memory, arrays.window), routes=routes, steps=steps,
            queue=memory.reservations("queue", arrays.queue),
        )  # fmt: skip

    def make_room(self, view: View) -> None:
        """Enlarge what was full: the tree of the search in the window, the open list, the routes, or the queues."""
        arrays: PassageArrays = self.arrays
        needs = arrays.counts[NEEDS]
        if needs == TREE:
            self.arrays = arrays.window
            super().make_room(view)
            arrays = arrays._replace(window=self.arrays)
        elif needs == OPEN:
            arrays = arrays._replace(rows=np.concatenate([arrays.rows, np.zeros_like(arrays.rows)]))
        elif needs == ROUTES:
            arrays = arrays._replace(
                routes=np.concatenate([arrays.routes, np.zeros_like(arrays.routes)], axis=1),
                steps=np.concatenate([arrays.steps, np.zeros_like(arrays.steps)], axis=1),
            )
        else:
            arrays = arrays._replace(queue=reservations.with_room(arrays.queue, len(arrays.queue.entries)))
        self.arrays = arrays


def _new_legs(n: int) -> NDArray[np.void]:
    """Agents without a route."""
    legs = np.zeros(n, LEG)
    legs["goal"] = legs["was"] = NOWHERE
    return legs


class PassageArrays(NamedTuple):
    """A window, the routes of all agents, and the expected queues.

    `queue` holds who enters a cell of a passage in which step; `steps[agent, k]` is that step for place k of its route.
    `wide` and `tall` are how many cells there are side by side between walls in the row and the column of a cell, 255 at
    most; `near` is how many steps it is to a passage. They are known for the map after the edit `counts[KNOWN]`.
    Expected times count slots, in `sub` parts each. `inside` are the moves in the band of who plans just now.
    """

    window: WindowArrays
    legal: NDArray[np.uint8]
    inside: NDArray[np.uint8]
    wide: NDArray[np.uint8]
    tall: NDArray[np.uint8]
    near: NDArray[np.int32]
    queue: Reservations
    nodes: NDArray[np.void]
    rows: NDArray[np.void]
    routes: NDArray[np.int32]
    steps: NDArray[np.int32]
    legs: NDArray[np.void]
    due: NDArray[np.void]
    listed: NDArray[np.int32]
    marks: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_steps: int
    narrow: int
    expansions: int
    sub: int


def _plan_routes(arrays, crew, log, now):
    """Plan a window for the asked agents, another one of them first each time; how many have a route."""
    window, agents, n_asked = arrays.window, crew.agents, crew.counts[N_ASKED]
    order = window.order[:n_asked]
    take_seats(crew, window.seats, window.turn, order)
    slot = begin_round(window, crew, order, now)
    until = next_round(window, slot)
    for agent in range(agents.size):
        if not agents[agent]["present"] or agents[agent]["done"] or not agents[agent]["ours"]:
            unbook(arrays, agent)
    if not _assign(arrays, crew, order, slot):
        return 0
    _sort(arrays, crew, order)
    for k in range(n_asked):
        agent = order[k]
        leg, here = arrays.legs[agent], agents[agent]["here"]
        if not _take_leg(arrays, agent, here, slot):
            return k
        n_inside = enclose(arrays, agent, here)
        end = arrays.routes[agent, leg["end"]]
        is_planned = plan_window(window, crew, agent, end, slot, until if leg["n"] > 0 else slot + 1)
        open_up(arrays, n_inside)
        if not is_planned:
            arrays.counts[NEEDS] = TREE
            return k
        report(crew, agent, leg["spent"])
        leg["spent"] = 0
    return n_asked


planned_by(PassageArrays, _plan_routes)


@inner
def _assign(arrays, crew, order, slot):
    """Give new routes to those who need one, first to who is nearest to a passage; False if there was no room.

    Who comes too late for the expansions of this round has no route yet.
    """
    due, n_due = arrays.due, 0
    for agent in order:
        if _is_due(arrays, crew, agent, slot):
            due[n_due]["item"] = agent
            n_due += 1
    if n_due > 0:
        find_passages(arrays)
    for k in range(n_due):
        agent = due[k]["item"]
        heap.push(due, k, arrays.near[crew.agents[agent]["here"]], k, agent)
    left = arrays.expansions
    while n_due > 0 and left > 0:
        agent = due[0]["item"]
        n_due = heap.pop(due, n_due)
        is_done, spent = _reroute(arrays, crew, agent, slot * arrays.sub)
        if not is_done:
            return False
        left -= spent
    return True


@inner
def _is_due(arrays, crew, agent, slot):
    """Find where `agent` is on its route, and how far from it it may go; whether it needs another one."""
    leg, window, counts = arrays.legs[agent], arrays.window, arrays.counts
    here, goal = crew.agents[agent]["here"], crew.agents[agent]["goal"]
    is_known = leg["slot"] == slot and leg["goal"] == goal  # it has been here when there was no room
    leg["slot"] = slot
    if leg["n"] == 0 or is_known:
        return leg["n"] == 0
    off = locate(arrays, agent, here)
    is_due = leg["goal"] != goal or off > (OPEN_RINGS if leg["is_open"] else BESIDE)
    leg["is_open"] = not is_near_passage(arrays, agent)
    rings = OPEN_RINGS if leg["is_open"] else max(BESIDE, off)
    if arrays.routes[agent, leg["n"] - 1] == here:
        rings = WIDEST  # who rests goes out of the way of others, and comes back after them
        leg["since"] = slot
    elif leg["was"] == here:
        rings = min(2 * max(leg["rings"], rings) + 1, WIDEST)
        leg["waits"] += 1
        is_due = is_due or leg["waits"] % PATIENCE == 0 or _meets_rester(arrays, crew, agent)
    if leg["was"] != here:
        leg["was"], leg["waits"] = here, 0
    if leg["rings"] != rings or leg["edits"] != counts[EDITS]:
        rra.forget(window.searches, agent)
        is_due = is_due or (leg["edits"] != counts[EDITS] and not is_walkable(arrays, agent))
        leg["rings"], leg["edits"] = rings, counts[EDITS]
    if leg["freed"] != counts[FREED] and window.clock[TOKENS] > 0.0:
        window.clock[TOKENS] -= leg["effort"]
        is_due = True
    if is_due:
        unbook(arrays, agent)
        leg["n"] = leg["booked"] = 0
    return is_due


@inner
def _meets_rester(arrays, crew, agent):
    """Whether another agent rests in a passage, within a window on the route of `agent`."""
    leg = arrays.legs[agent]
    for k in range(leg["at"] + 1, min(leg["at"] + arrays.n_steps, leg["n"])):
        if is_blocked(arrays, crew, agent, arrays.routes[agent, k]):
            return True
    return False


@inner
def _reroute(arrays, crew, agent, time):
    """Give `agent` a new route; False if there was no room, and how many nodes it expanded."""
    leg, goal = arrays.legs[agent], crew.agents[agent]["goal"]
    code, spent = find_route(arrays, crew, agent, time)
    leg["spent"] += spent
    if code == FULL or not book(arrays, agent, 0, time):
        leg["n"] = 0
        return False, spent
    leg["effort"] = spent
    if leg["goal"] != goal:
        leg["since"] = leg["slot"]
    leg["goal"], leg["at"], leg["end"], leg["rings"] = goal, 0, 0, max(leg["rings"], BESIDE)
    leg["is_open"] = not is_near_passage(arrays, agent)
    leg["edits"], leg["freed"] = arrays.counts[EDITS], arrays.counts[FREED]
    return True, spent


@inner
def _sort(arrays, crew, order):
    """Let those plan first who are in a passage or have none ahead, then who is expected in one earlier.

    Of equal ones, who has had its goal for longer plans first: in a passage, it pushes the others back. Who rests is last.
    """
    due = arrays.due
    for k in range(order.size):
        agent = order[k]
        rests = crew.agents[agent]["here"] == crew.agents[agent]["goal"]
        step = next_passage(arrays, agent)
        longest = (np.int64(arrays.legs[agent]["since"]) << 31) + agent
        heap.push(due, k, LAST if rests else 0 if step == NOWHERE else step, longest, agent)
    for k in range(order.size):
        order[k] = due[0]["item"]
        heap.pop(due, order.size - k)


@inner
def _take_leg(arrays, agent, here, slot):
    """Choose the part of its route that `agent` walks next; False if there was no room to expect it there."""
    leg = arrays.legs[agent]
    if leg["n"] == 0:  # it has no route yet, and stays until it has
        arrays.routes[agent, 0] = here
        leg["at"] = leg["end"] = 0
        leg["rings"] = WIDEST
        return True
    if leg["at"] != leg["end"] and (leg["end"] == leg["n"] - 1 or leg["end"] - leg["at"] > arrays.n_steps):
        return True
    if leg["at"] > leg["booked"]:
        unbook(arrays, agent)
        if not book(arrays, agent, leg["at"], slot * arrays.sub):
            leg["booked"] = 0  # so that it is booked when there is room
            return False
    leg["end"] = min(leg["n"] - 1, leg["at"] + 2 * arrays.n_steps)
    rra.forget(arrays.window.searches, agent)
    return True

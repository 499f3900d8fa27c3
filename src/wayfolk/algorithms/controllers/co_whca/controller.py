"""The controller of CO-WHCA*: its arrays, and a round from the first ways to the routes that are handed out."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, View
from wayfolk.algorithms.controllers._seats import ROUND, take_seats
from wayfolk.algorithms.controllers.co_whca.conflicts import extend_way, fall_back, settle_conflicts
from wayfolk.algorithms.controllers.co_whca.state import (
    AT,
    BEGIN,
    BOUNDARY,
    FIXED,
    FREE,
    IS_AGAIN,
    N_ACTIVE,
    N_CONFLICTS,
    PLAN,
    SEAT,
    SETTLE,
    SLOT,
    SPENT,
    STAGE,
    STATE,
    UNTIL,
    begin_way,
    copy_way,
    lay_track,
    stand,
    take_rest,
)
from wayfolk.algorithms.controllers.whca import WindowArrays, Windowed, drop_way, next_round, park_idle
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, NOWHERE, RUNNING
from wayfolk.kernels.crew import N_ASKED, give_route, report, wait
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.kernels.planning import SLICE, planned_by
from wayfolk.kernels.reservation_rules import Rules
from wayfolk.kernels.reservations import holder, reserve
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory


class ConflictOriented(Windowed):
    """Each agent with a way through the next window, reserved only around conflicts."""

    def __init__(self, problem: Problem, window: int) -> None:
        super().__init__(problem, window, resume=True)

    @property
    def n_conflicts(self) -> int:
        """How many conflicts have been resolved so far."""
        return int(self.arrays.counts[N_CONFLICTS])

    def prepare(self, view: View) -> None:
        """Begin with empty reservations and without ways."""
        self.states = view.states
        window = self._new_window(view)
        assert isinstance(window.rules, Rules)
        n, per_step, diagonal = len(view.here), window.per_step, int(window.rules.lasts[4])
        n_nodes, n_slots = window.cells.shape[1], window.span + 2 * max(diagonal, per_step) + 2
        self.arrays = ConflictArrays(
            window=window,
            states=_new_states(n),
            track=np.zeros((n, n_slots), np.int32),
            last_states=_new_states(n),
            last_cells=np.zeros((n, n_nodes), np.int32),
            last_slots=np.zeros((n, n_nodes), np.int32),
            last_n=np.zeros(n, np.int32),
            trial_cells=np.zeros((2, n_nodes), np.int32),
            trial_slots=np.zeros((2, n_nodes), np.int32),
            trial_n=np.zeros(2, np.int32),
            scratch=np.zeros(n_slots, np.int32),
            added=np.zeros(n_slots, np.uint8),
            active=np.zeros(n, np.int32),
            seats=lazy_zeros((2, view.grid.n_cells), SEAT),
            counts=np.zeros(10, np.int64),
            half=self.window // 2 * per_step,
            slack=0 if per_step == 1 else 2 * diagonal,
        )

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; note where moves have changed. A round that has paused begins again."""
        arrays: ConflictArrays = self.arrays
        _give_up_round(arrays)
        self.arrays = arrays.window
        super().update(view, change)
        arrays, n, n_old = arrays._replace(window=self.arrays), len(view.here), len(arrays.states)
        if n > n_old:
            states, last_states = with_rows(arrays.states, n), with_rows(arrays.last_states, n)
            states[n_old:] = last_states[n_old:] = _new_states(n - n_old)
            arrays = arrays._replace(
                states=states,
                track=with_rows(arrays.track, n),
                last_states=last_states,
                last_cells=with_rows(arrays.last_cells, n),
                last_slots=with_rows(arrays.last_slots, n),
                last_n=with_rows(arrays.last_n, n),
                active=with_rows(arrays.active, n),
            )
        self.arrays = arrays

    def remember(self, memory: "Memory") -> None:
        """What WHCA* remembers, what is known of the ways, and the ways before them."""
        arrays: ConflictArrays = self.arrays
        _give_up_round(arrays)
        window = self._remembered(memory, arrays.window)
        arrays = arrays._replace(window=window)
        now, span = round(memory.view.time * window.per_step), 2 * window.span + 64
        slots = (-2, now + span)
        for name, states in (("states", arrays.states), ("last_states", arrays.last_states)):
            memory.records(
                name, states, began=(0, now), goal=memory.cells_or_none, owns=slots, until=slots, turn=memory.agents,
                losses=memory.small, spent=memory.small, rank=(FREE, FIXED),
            )  # fmt: skip
        memory.ways("last_ways", arrays.last_cells, arrays.last_slots, arrays.last_n, now, span)
        memory.numbers("track", arrays.track, memory.cells)
        memory.numbers("n_conflicts", arrays.counts[N_CONFLICTS : N_CONFLICTS + 1], memory.count)
        memory.numbers("is_again", arrays.counts[IS_AGAIN : IS_AGAIN + 1], (0, 1))
        self.arrays = arrays

    def make_room(self, view: View) -> None:
        """Enlarge the tree of the search, unless planning has only paused."""
        arrays: ConflictArrays = self.arrays
        if arrays.counts[STAGE] != BEGIN:
            return
        self.arrays = arrays.window
        super().make_room(view)
        self.arrays = arrays._replace(window=self.arrays)


def _give_up_round(arrays: "ConflictArrays") -> None:
    """Let a round that has paused begin again."""
    if arrays.counts[STAGE] != BEGIN:
        arrays.counts[STAGE], arrays.counts[IS_AGAIN] = BEGIN, 1
        arrays.window.turn[ROUND] -= 1


def _new_states(n: int) -> NDArray[np.void]:
    """Agents that have not planned yet."""
    states = np.zeros(n, STATE)
    states["goal"] = NOWHERE
    return states


class ConflictArrays(NamedTuple):
    """The ways of WHCA*, of which only windows are reserved; the ways before this round; and who is where in a slot.

    `track[agent, k]` is the cell that the agent holds k - 1 slots after its way began. `last_*` are the ways before this
    round and what was known of them. `trial_*` are two ways that are compared. `seats[slot % 2, cell]` says who is there.
    """

    window: WindowArrays
    states: NDArray[np.void]
    track: NDArray[np.int32]
    last_states: NDArray[np.void]
    last_cells: NDArray[np.int32]
    last_slots: NDArray[np.int32]
    last_n: NDArray[np.int32]
    trial_cells: NDArray[np.int32]
    trial_slots: NDArray[np.int32]
    trial_n: NDArray[np.int32]
    scratch: NDArray[np.int32]
    added: NDArray[np.uint8]
    active: NDArray[np.int32]
    seats: NDArray[np.void]
    counts: NDArray[np.int64]
    half: int
    slack: int


def _plan_routes(arrays, crew, log, now):
    """Plan a round for the asked agents; how many have a route, which is none if it has paused or the tree was full."""
    window, counts, n_asked = arrays.window, arrays.counts, crew.counts[N_ASKED]
    order = window.order[:n_asked]
    counts[SPENT] = 0
    if counts[STAGE] == BEGIN:
        take_seats(crew, window.seats, window.turn, order)
        slot = park_idle(window, crew, now)
        counts[SLOT], counts[BOUNDARY] = slot, next_round(window, slot)
        counts[UNTIL] = min(counts[BOUNDARY] + arrays.slack, slot + window.span)
        _begin_round(arrays, crew, order)
        counts[STAGE], counts[AT] = PLAN, 0
    if counts[STAGE] == PLAN and not _plan_ways(arrays, crew, order):
        return 0
    if not settle_conflicts(arrays, crew, order):
        return 0
    counts[IS_AGAIN], counts[STAGE] = 0, BEGIN
    for agent in order:
        _hand_out(arrays, crew, agent)
    return n_asked


planned_by(ConflictArrays, _plan_routes)


@inner
def _begin_round(arrays, crew, order):
    """Drop the ways of those who plan, but for the windows that they own; the others stay as they have planned."""
    window, agents, slot = arrays.window, crew.agents, arrays.counts[SLOT]
    n_active = 0
    for agent in range(agents.size):
        arrays.states[agent]["rank"] = FIXED
        if agents[agent]["present"] and agents[agent]["ours"] and not agents[agent]["done"]:
            arrays.active[n_active] = agent
            n_active += 1
            if window.n_way[agent] == 0:
                begin_way(window.cells[agent], window.slots[agent], agents[agent]["here"], slot)
                window.n_way[agent] = 2
                stand(arrays, agent, slot)
    arrays.counts[N_ACTIVE] = n_active
    for k in range(order.size):
        agent = order[k]
        state, last = arrays.states[agent], arrays.last_states[agent]
        if not arrays.counts[IS_AGAIN]:
            copy_way(
                window.cells[agent], window.slots[agent], window.n_way[agent],
                arrays.last_cells[agent], arrays.last_slots[agent],
            )  # fmt: skip
            arrays.last_n[agent] = window.n_way[agent]
            last["owns"], last["goal"], last["until"] = state["owns"], state["goal"], state["until"]
        drop_way(window, agent)
        state["rank"], state["turn"], state["losses"], state["spent"], state["owns"] = FREE, k, 0, 0, 0
        state["goal"], state["until"], state["is_stuck"] = agents[agent]["goal"], arrays.counts[BOUNDARY], False
    for agent in order:
        last = arrays.last_states[agent]
        if last["owns"] >= slot and last["goal"] == agents[agent]["goal"]:
            _keep_window(arrays, crew, agent, last["owns"])


@inner
def _keep_window(arrays, crew, agent, owns):
    """Let `agent` begin with the part of its last way that it has reserved, up to the slot `owns`."""
    window, slot = arrays.window, arrays.counts[SLOT]
    if not take_rest(arrays, crew, agent, owns):
        return
    lay_track(arrays, agent, slot)
    arrays.states[agent]["owns"] = owns
    n = window.n_way[agent]
    for k in range(1, n):
        for t in range(window.slots[agent, k - 1], window.slots[agent, k]):
            if holder(window.table, window.cells[agent, k], t) == NOBODY:
                reserve(window.table, window.cells[agent, k], t, agent)


@inner
def _plan_ways(arrays, crew, order):
    """Plan a way for each of `order` as if alone, around what is reserved; False if it has paused or the tree was full."""
    window, counts, slot = arrays.window, arrays.counts, arrays.counts[SLOT]
    for k in range(counts[AT], order.size):
        agent = order[k]
        if counts[SPENT] >= SLICE:
            counts[AT] = k
            return False
        cells, slots = window.cells[agent], window.slots[agent]
        n, code = window.n_way[agent], EXHAUSTED
        if n > 0:
            n, code = extend_way(arrays, crew, agent, cells, slots, n)
        if code in (EXHAUSTED, RUNNING):
            drop_way(window, agent)
            arrays.states[agent]["owns"] = 0
            begin_way(cells, slots, crew.agents[agent]["here"], slot)
            n, code = extend_way(arrays, crew, agent, cells, slots, 2)
        if code == FULL:
            counts[IS_AGAIN], counts[STAGE] = 1, BEGIN
            return False
        if code == FOUND:
            window.n_way[agent] = n
            lay_track(arrays, agent, slot)
        else:
            fall_back(arrays, crew, agent)
    counts[STAGE], counts[AT] = SETTLE, slot
    return True


@inner
def _hand_out(arrays, crew, agent):
    """Give `agent` its way up to the next round; the first move alone if it has found none and goes on as before."""
    window, state = arrays.window, arrays.states[agent]
    slots, n = window.slots[agent], window.n_way[agent]
    report(crew, agent, state["spent"])
    used = 0
    while used < n - 2 and slots[used + 1] < arrays.counts[BOUNDARY] and not (state["is_stuck"] and used > 0):
        used += 1
    if used > 0:
        give_route(crew, agent, window.cells[agent, 2:], used)
    else:
        wait(crew, agent, 1)

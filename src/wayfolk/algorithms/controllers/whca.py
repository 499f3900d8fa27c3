"""WHCA*: each agent plans the next few steps in space and time, around what the others have reserved.

Silver, "Cooperative pathfinding", 2005, "Windowed Hierarchical Cooperative A*";
Jansen, "Direction Maps", 2008, section 2.5.

Guarantees  for each agent the cheapest way to spend the next `window` steps, counted with the true distance that is left.
            An agent on its goal plans too, so that it steps aside and comes back. Nothing is guaranteed for all of them.
Invariants  in the `steps` time model no move is ever refused as long as every agent finds a way: reserved ways do not
            collide.
Cost        a search of bounded depth for each agent every half window; Reverse Resumable A*, kept from window to window.
            After an edit of the map an agent searches back from its goal again only if its distance has changed; all of
            them together expand at most 64 nodes for each agent and step for that (more only to end a search), and use
            their old distances until it is their turn.
Deviations  an agent without a way stays where it is, keeps its cell for the whole window and tries again after one step.
            Who plans first moves on by one agent at each round. Where moves take as long as they are far, a slot is a
            twelfth of a step, and a diagonal takes 17: reservations then fit only to within a slot, and in a crowd some
            moves are refused.
            In other worlds than square grids, and for other bodies than points, reserved are all places that a move or a
            wait occupies, and a restored world plans anew.
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._seats import PAUSED, take_seats
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.codes import FOUND, FULL, NOBODY
from wayfolk.kernels.crew import N_ASKED, Crew, give_route, report, wait
from wayfolk.kernels.edits import Edits, no_edits, with_changed_edges, with_changes
from wayfolk.kernels.field_store import limit_of
from wayfolk.kernels.occupancy import has_move
from wayfolk.kernels.planning import SLICE, planned_by
from wayfolk.kernels.reservation_rules import (
    AnyRules,
    Rules,
    give_back,
    keep,
    most_places,
    new_rules,
    new_state_rules,
    park,
    unpark,
)
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory
    from wayfolk.world.state_graph import StateGraph

PAPER = "Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"
WORLDS = "any"

FINE = 12  # slots of a step where a diagonal takes longer than a straight move
LAST = np.int32(2**31 - 3)
ENOUGH = 1 << 15  # expansions after which a window counts as having no way
EFFORT = 64.0  # expansions for each agent and step that go into distances which an edit has changed
SAVED = 8.0  # steps for which unused effort is kept
SINCE, TOKENS = range(2)  # places in `clock`


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed. Nothing here is random."] = 0,
    window: Annotated[int, Range(2, 1000), "Steps ahead that agents reserve; after half of them they plan again."] = 16,
    resume: Annotated[bool, "Keep the searches back from goals from window to window; Jansen does not."] = True,
) -> Controller:
    """A controller that lets the agents of `problem` reserve their ways through the next `window` steps."""
    return Windowed(problem, window, resume)


class Windowed(Controller):
    """Each agent with a reserved way through the next window."""

    def __init__(self, problem: Problem, window: int, resume: bool) -> None:
        super().__init__(problem.n_agents)
        self.window, self.lookahead, self.resume = window, window, resume

    def prepare(self, view: View) -> None:
        """Begin with empty reservations."""
        self.states = view.states
        self.arrays = self._new_window(view)

    def _new_window(self, view: View) -> "WindowArrays":
        n = len(view.here)
        rules, searches, per_step = _new_parts(view)
        return WindowArrays(
            rules=rules,
            table=reservations.new_reservations(2 * n * self._most_entries(rules, per_step)),
            nodes=space_time.new_nodes(1 << 13),
            searches=searches,
            cells=np.zeros((n, self.window + 3), np.int32),
            slots=np.zeros((n, self.window + 3), np.int32),
            n_way=np.zeros(n, np.int32),
            parked_at=np.full(n, NOBODY, np.int32),
            seats=np.zeros(2 * n, np.int32),
            order=np.zeros(n, np.int32),
            turn=np.zeros(2, np.int64),
            goal=np.zeros(1, np.int32),
            edits=no_edits(),
            seen=np.zeros(n, np.int64),
            clock=np.array([view.time, 0.0]),
            per_step=per_step,
            span=self.window * per_step,
            resume=self.resume,
        )

    def _most_entries(self, rules: AnyRules, per_step: int) -> int:
        """The most reservations that an agent has."""
        return (self.window + 3) * per_step * most_places(rules)

    def _new_band(self, view: View) -> "tuple[WindowArrays, NDArray[np.uint8]]":
        """A window in which agents have only the moves of the second array, which is empty at first."""
        inside = np.zeros(view.grid.n_cells, np.uint8)
        seen = inside.view()
        seen.flags.writeable = False  # as the map is: else kernels would be compiled for either
        window = self._new_window(view)
        rules, searches = window.rules, window.searches
        assert isinstance(rules, Rules)
        assert isinstance(searches, rra.Rra)
        return window._replace(rules=rules._replace(legal=seen), searches=searches._replace(legal=seen)), inside

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; note where moves have changed, for searches to be compared with."""
        window: WindowArrays = self.arrays
        window.turn[PAUSED] = 0
        if len(view.here) > len(window.n_way):
            window = self._enlarged(window, view.states, len(view.here))
        if change.cells.size:
            window = self._on_edited(window, view.states)
            self.states = view.states
        self.arrays = window

    def _on_edited(self, window: "WindowArrays", states: "Grid | StateGraph") -> "WindowArrays":
        """The same window on an edited world: ways are reserved again where places have other numbers."""
        before, rules, searches = self.states, window.rules, window.searches
        if isinstance(states, Grid):
            assert isinstance(before, Grid)
            assert isinstance(rules, Rules)
            assert isinstance(searches, rra.Rra)
            return window._replace(
                rules=rules._replace(legal=states.legal),
                searches=searches._replace(legal=states.legal),
                edits=with_changes(window.edits, before.legal, states.legal),
            )
        assert not isinstance(before, Grid)
        assert isinstance(searches, rra.StateRra)
        rules = new_state_rules(states)
        table = reservations.new_reservations(2 * len(window.n_way) * self._most_entries(rules, window.per_step))
        window.parked_at[:] = NOBODY
        _hold_again(rules, table, window.cells, window.slots, window.n_way)
        return window._replace(
            rules=rules,
            table=table,
            searches=rra.on_edited(searches, states),
            edits=with_changed_edges(window.edits, before.graph, states.graph),
        )

    def _enlarged(self, window: "WindowArrays", states: "Grid | StateGraph", n: int) -> "WindowArrays":
        """The arrays for `n` agents."""
        n_old, searches = len(window.n_way), window.searches
        if n > len(searches.state):  # all begin to search back from their goals again
            memory = limit_of(searches.store)
            if isinstance(states, Grid) and isinstance(searches, rra.Rra):
                straight, diagonal = int(searches.costs[0]), int(searches.costs[4])
                searches = rra.new_rra(states, _with_spare(n), straight, diagonal, memory)._replace(
                    legal=searches.legal
                )
            elif not isinstance(states, Grid):
                searches = rra.new_state_rra(states, _with_spare(n), memory)
        parked_at = with_rows(window.parked_at, n)
        parked_at[n_old:] = NOBODY
        return window._replace(
            table=reservations.with_room(
                window.table, 2 * (n - n_old) * self._most_entries(window.rules, window.per_step)
            ),
            searches=searches,
            cells=with_rows(window.cells, n),
            slots=with_rows(window.slots, n),
            n_way=with_rows(window.n_way, n),
            parked_at=parked_at,
            seats=with_rows(window.seats, 2 * n),
            order=with_rows(window.order, n),
            seen=with_rows(window.seen, n),
        )

    def remember(self, memory: "Memory") -> None:
        """Ways, reservations, whose turn it is, and the searches back from goals. On states all begins anew."""
        if not isinstance(self.states, Grid):
            memory.begins_anew = True
            return
        self.arrays = self._remembered(memory, self.arrays)

    def _remembered(self, memory: "Memory", window: "WindowArrays") -> "WindowArrays":
        """The arrays of a window, with what was noted if there is anything."""
        now = round(memory.view.time * window.per_step)
        assert isinstance(window.searches, rra.Rra)
        memory.ways("ways", window.cells, window.slots, window.n_way, now, 2 * window.span + 64)
        memory.numbers("parked_at", window.parked_at, memory.cells_or_none)
        memory.numbers("turn", window.turn[:PAUSED], memory.count)
        memory.numbers("paused", window.turn[PAUSED:], (0, 1))
        memory.numbers("since", window.clock[SINCE : SINCE + 1], (0.0, memory.view.time))
        memory.numbers("tokens", window.clock[TOKENS : TOKENS + 1], memory.any)
        memory.searches("searches", window.searches)
        if memory.is_read:
            window.rules.parked[window.parked_at[window.parked_at != NOBODY]] = 0
        return window._replace(
            table=memory.reservations("table", window.table), edits=memory.edits("edits", window.edits, window.seen)
        )

    def make_room(self, view: View) -> None:
        """Enlarge the tree of the search, unless planning has only paused."""
        if not self.arrays.turn[PAUSED]:
            self.arrays = self.arrays._replace(nodes=space_time.grown(self.arrays.nodes))


def _new_parts(view: View) -> tuple[AnyRules, rra.AnyRra, int]:
    """What agents may do, their searches back from goals, and how many slots a step has."""
    states, n = view.states, _with_spare(len(view.here))
    if not isinstance(states, Grid):
        return new_state_rules(states), rra.new_state_rra(states, n, view.memory), 1
    assert isinstance(view.crew, Crew)
    lasts = view.crew.lasts
    per_step = 1 if lasts[4] == lasts[0] else FINE
    diagonal = 2 * per_step if states.moves is Moves.FOUR else round(per_step * lasts[4])
    slots = np.array([per_step] * 4 + [diagonal] * 4 + [per_step], np.int32)
    return new_rules(states)._replace(lasts=slots), rra.new_rra(states, n, per_step, diagonal, view.memory), per_step


def _with_spare(n: int) -> int:
    """Places for `n` agents, and for some who join."""
    return n + n // 4 + 16


class WindowArrays(NamedTuple):
    """Reservations, searches, and each agent's way through the window, with the slot before it.

    `seen[agent]` counts the edits of the map that the search of the agent has been compared with.
    """

    rules: AnyRules
    table: reservations.Reservations
    nodes: space_time.Nodes
    searches: rra.AnyRra

    cells: NDArray[np.int32]
    slots: NDArray[np.int32]
    n_way: NDArray[np.int32]
    parked_at: NDArray[np.int32]

    seats: NDArray[np.int32]
    order: NDArray[np.int32]
    turn: NDArray[np.int64]
    goal: NDArray[np.int32]

    edits: Edits
    seen: NDArray[np.int64]
    clock: NDArray[np.float64]

    per_step: int
    span: int
    resume: bool


def _plan_routes(arrays, crew, log, now):
    """Plan a window for the asked agents, another one of them first each time; how many have a route."""
    n_asked = crew.counts[N_ASKED]
    order = arrays.order[:n_asked]
    take_seats(crew, arrays.seats, arrays.turn, order)
    slot = begin_round(arrays, crew, order, now)
    spent = 0
    for k in range(n_asked):
        agent = order[k]
        if spent >= SLICE:
            arrays.turn[PAUSED] = 1
            return k
        if not plan_window(arrays, crew, agent, crew.agents[agent]["goal"], slot, slot + arrays.span // 2):
            return k
        spent += crew.answers[agent]["spent"]
    return n_asked


planned_by(WindowArrays, _plan_routes)


@inner
def begin_round(arrays, crew, order, now):
    """Drop the reservations of agents that plan now or are idle, reserve the cell of each agent; the slot of `now`."""
    slot = park_idle(arrays, crew, now)
    for agent in order:
        drop_way(arrays, agent)
    for agent in order:
        _stay(arrays, crew.agents[agent]["here"], slot - 1, slot + arrays.per_step, agent)
    return slot


@inner
def park_idle(arrays, crew, now):
    """Let time go on to `now`: idle agents stand for good and hold nothing, nor do absent ones; the slot of `now`."""
    agents = crew.agents
    effort = EFFORT * agents.size
    arrays.clock[TOKENS] = min(SAVED * effort, arrays.clock[TOKENS] + effort * (now - arrays.clock[SINCE]))
    arrays.clock[SINCE] = now
    for agent in range(agents.size):
        if arrays.parked_at[agent] != NOBODY:
            unpark(arrays.rules, arrays.parked_at[agent])
            arrays.parked_at[agent] = NOBODY
    for agent in range(agents.size):
        idle = agents[agent]["done"] or not agents[agent]["ours"]
        if idle or not agents[agent]["present"]:
            drop_way(arrays, agent)
        if idle and agents[agent]["present"]:
            arrays.parked_at[agent] = agents[agent]["here"]
            park(arrays.rules, agents[agent]["here"], 0)
    return np.int64(now * arrays.per_step + 0.5)


@inner
def next_round(arrays, slot):
    """The slot of the next round if all agents plan together every half window; it is a step away at least."""
    cycle = arrays.span // (2 * arrays.per_step) * arrays.per_step
    boundary = (slot // cycle + 1) * cycle
    return boundary if boundary - slot >= arrays.per_step else boundary + cycle


@inner
def drop_way(arrays, agent):
    """Release what `agent` has reserved along its way, and forget the way."""
    space_time.let_go(arrays.rules, arrays.table, arrays.cells[agent], arrays.slots[agent], arrays.n_way[agent], agent)
    arrays.n_way[agent] = 0


@inner
def plan_window(arrays, crew, agent, goal, slot, until):
    """Find and reserve a way towards `goal` for one agent that plans again at the slot `until`; False if the tree was full.

    It reserves its way to the end of the window, and gets the moves that begin before `until` as its route.
    """
    table, nodes = arrays.table, arrays.nodes
    cells, slots = arrays.cells[agent], arrays.slots[agent]
    start = crew.agents[agent]["here"]
    code, spent = search_window(arrays, agent, goal, start, slot, slot + arrays.span)
    if code == FULL:
        return False
    report(crew, agent, spent)
    for t in range(slot - 1, slot + arrays.per_step):
        give_back(arrays.rules, table, start, start, t, agent)
    # a way begins with the slot before it, so that others see who comes from where
    cells[0], slots[0] = start, slot - 1
    if code == FOUND:
        n = space_time.trace(nodes, cells[1:], slots[1:]) + 1
        space_time.hold(arrays.rules, table, cells, slots, n, agent)
        used = 0
        while used < n - 2 and slots[used + 1] < until:
            used += 1
        give_route(crew, agent, cells[2:], used)
    else:
        n = 2
        cells[1], slots[1] = start, slot + arrays.span
        _stay(arrays, start, slot - 1, slot + arrays.span, agent)
        wait(crew, agent, 1)
    arrays.n_way[agent] = n
    return True


@inner
def search_window(arrays, agent, goal, start, slot, end):
    """Search a way of one agent from `start` at `slot` until `end`; the outcome, and how many nodes it expanded."""
    searches = arrays.searches
    is_wrong = not arrays.resume or _is_wrong(arrays, agent, start, goal)
    if is_wrong:
        rra.forget(searches, agent)
    if rra.goal_of(searches, agent) != goal:
        arrays.seen[agent] = arrays.edits.counts[0]
    rra.aim(searches, agent, goal, start)
    before = rra.expansions(searches, agent)
    space_time.open_start(arrays.nodes, start, slot, LAST)
    arrays.goal[0] = goal
    query = space_time.Query(agent, arrays.goal, 1, end, True, True)
    code = space_time.advance(arrays.rules, arrays.table, arrays.nodes, searches, query, ENOUGH)
    if is_wrong:
        arrays.clock[TOKENS] -= rra.expansions(searches, agent) - before
    return code, arrays.nodes.counts[space_time.EXPANDED] + rra.expansions(searches, agent) - before


@inner
def _is_wrong(arrays, agent, start, goal):
    """Whether an edit has changed the distance of an agent, and there is effort left to search again."""
    searches, edits, first = arrays.searches, arrays.edits, arrays.seen[agent]
    if first == edits.counts[0] or rra.goal_of(searches, agent) != goal:
        return False
    if not rra.is_touched(searches, agent, edits, first):
        arrays.seen[agent] = edits.counts[0]
        return False
    return arrays.clock[TOKENS] > 0.0 and not rra.is_right(searches, agent, start, edits, first)


@inner
def _stay(arrays, cell, slot, end, agent):
    """Reserve what staying on `cell` holds wherever nobody holds it."""
    for t in range(slot, end):
        keep(arrays.rules, arrays.table, cell, t, agent)


@kernel
def _hold_again(rules, table, cells, slots, n_way):
    """Reserve all ways on an edited graph of states, each up to the first of its moves that is there no more."""
    for agent in range(n_way.size):
        n = min(n_way[agent], 1)
        while 0 < n < n_way[agent] and has_move(rules.occupancy, cells[agent, n - 1], cells[agent, n]):
            n += 1
        n_way[agent] = n
        space_time.hold(rules, table, cells[agent], slots[agent], n, agent)

"""Joint search: all agents of a small part of a map together, breadth first, for what no other rule decides.

Guarantees  the moves to the goals with the fewest steps, or the proof that there are none, unless it gives up.
Invariants  a state (the cells of all agents) is expanded once.
Cost        exponential in the number of agents; it gives up after `MOST_STATES`, and at once with more than `MOST_AGENTS`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from wayfolk.algorithms.planners._pebble_graph import middles, pebble_graph
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour
from wayfolk.problem.result import Status
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.state_graph import StateGraph

MOST_STATES = 200_000
MOST_AGENTS = 8  # with more, the successors of one state are too many
State = tuple[int, ...]


class JointBfs:
    """A search from `starts` to `goals`; `advance` expands states."""

    def __init__(self, states: Grid | StateGraph, starts: State, goals: State, most_states: int = MOST_STATES) -> None:
        self.states, self.goals, self.most_states = states, goals, most_states
        self.graph = pebble_graph(states)
        self.came: dict[State, State] = {starts: starts}
        self.queue = deque([starts])
        self.status = Status.SOLVED if starts == goals else Status.RUNNING
        self._around: dict[int, list[int]] = {}
        self._middle: dict[tuple[int, int], int] = {}  # of each move, where others meet it
        self._at_middle: dict[int, list[tuple[int, int]]] = {}
        if isinstance(states, StateGraph):
            for move, middle in zip(states.edges, middles(states).tolist(), strict=True):
                if middle != NOWHERE:
                    self._middle[move] = middle
                    self._at_middle.setdefault(middle, []).append(move)

    def expand(self) -> Status:
        """Expand one state. IMPOSSIBLE: there is no plan; GAVE_UP: there are too many states."""
        if len(self.goals) > MOST_AGENTS:
            self.status = Status.GAVE_UP
            return self.status
        here = self.queue.popleft()
        for there in self._next(here):
            if there not in self.came:
                self.came[there] = here
                self.queue.append(there)
                if there == self.goals:
                    self.status = Status.SOLVED
                    return self.status
        if not self.queue:
            self.status = Status.IMPOSSIBLE
        elif len(self.came) > self.most_states:
            self.status = Status.GAVE_UP
        return self.status

    def plan(self) -> list[State]:
        """The states from the start to the goals."""
        states = [self.goals]
        while self.came[states[-1]] != states[-1]:
            states.append(self.came[states[-1]])
        return states[::-1]

    def _next(self, here: State) -> Iterator[State]:
        """All states one step later: agents choose one after another, around the choices before."""
        stood_by = {cell: agent for agent, cell in enumerate(here)}
        n_agents = len(here)
        there: list[int] = []
        options = [iter(self._moves(here[0]))]
        while options:
            cell = next(options[-1], None)
            agent = len(options) - 1
            if len(there) > agent:
                there.pop()
            if cell is None:
                options.pop()
                continue
            if cell in there or self._collides(here, there, stood_by, agent, cell):
                continue
            there.append(cell)
            if agent + 1 == n_agents:
                yield tuple(there)
            else:
                options.append(iter(self._moves(here[agent + 1])))

    def _collides(self, here: State, there: list[int], stood_by: dict[int, int], agent: int, cell: int) -> bool:
        """Whether the agent's move to `cell` swaps or crosses with one of an agent that has chosen already."""
        other = stood_by.get(cell, agent)
        if other < agent and there[other] == here[agent]:
            return True
        for begin, end in self._crossing(here[agent], cell):
            other = stood_by.get(begin, agent)
            if other < agent and there[other] == end:
                return True
        return False

    def _crossing(self, here: int, there: int) -> Iterable[tuple[int, int]]:
        """The moves that cross the one from `here` to `there`."""
        if not isinstance(self.states, Grid):
            return self._at_middle.get(self._middle.get((here, there), int(NOWHERE)), ())
        stride = self.states.stride
        if self.states.moves is Moves.FOUR or abs(there - here) in (0, 1, stride):
            return ()
        dx = there % stride - here % stride
        return (here + dx, there - dx), (there - dx, here + dx)

    def _moves(self, cell: int) -> list[int]:
        """The cell and its neighbours."""
        if cell not in self._around:
            ends = [int(neighbour(self.graph, cell, k)) for k in range(slots(self.graph, cell))]
            self._around[cell] = [cell, *(end for end in ends if end != NOWHERE)]
        return self._around[cell]

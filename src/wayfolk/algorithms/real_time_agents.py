"""RealTimeAgents: many agents that each move by RTAA*, all of them in one call.

Agents ignore each other. What they learn is kept in tables of only those cells that an agent has learned about, so that
memory grows with what is learned and not with agents times cells.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from mmap import mmap
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.batch import _cells
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime import _hints as hints
from wayfolk.algorithms.realtime._hints import MOVED, USED
from wayfolk.algorithms.realtime._look_ahead import plans
from wayfolk.algorithms.realtime._look_ahead.agent import new_ahead
from wayfolk.algorithms.realtime._state import AGENT, ARRIVED, WALKING
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels import buckets
from wayfolk.kernels.table import EMPTY
from wayfolk.machine import n_cores
from wayfolk.world.grid import Grid

FEW = 128  # agents that are not worth another thread
MOST_EXPANSIONS = (
    10_000  # for each plan: a round of thousands of agents has to end, and their routes to fit into memory
)
MOST_ENTRIES = 1 << 21  # of a new table, 64 bytes each; it grows
NO_TABLE = np.zeros(0, hints.ENTRY)


class RealTimeAgents:
    """Many RTAA* agents that one call moves; they do not see each other.

    `starts` and `goals` are places or cells of a grid, one for each agent.

    Each plans with up to `expansions` (from 1 to 10,000) and moves to the end of its plan, or `moves` steps of it if that
    is not 0, before it plans again. All cores work, or `threads` of them; the outcome is the same.
    """

    def __init__(
        self, world: Grid, starts: Any, goals: Any, *, expansions: int = 32, moves: int = 0, threads: int | None = None
    ) -> None:
        if not isinstance(world, Grid):
            raise NotSupported("real-time agents move on grids, not on graphs")
        first, last = _cells(world, starts, "start"), _cells(world, goals, "goal")
        if len(first) != len(last):
            raise BadInput(f"{len(first)} starts do not fit {len(last)} goals")
        for name, value, least, most in (
            ("expansions", expansions, 1, MOST_EXPANSIONS),
            ("moves", moves, 0, None),
            ("threads", 1 if threads is None else threads, 1, None),
        ):
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise BadInput(f"{name} must be a whole number, not {value!r}")
            if not Range(least, most).holds(int(value)):
                raise BadInput(f"{name} must be {Range(least, most)}, not {value}")
        apart = world.components[first] != world.components[last]
        if apart.any():
            agent = int(apart.argmax())
            ends = world.place(first[agent]), world.place(last[agent])
            raise BadProblem(f"agent {agent} cannot get from {ends[0]} to {ends[1]}: there is no way", agent)
        self.world = world
        self.agents = np.zeros(len(first), AGENT)
        self.agents["here"], self.agents["goal"] = first, last
        self.agents["code"][first == last] = ARRIVED
        n_parts = min(threads or n_cores(), max(1, len(first) // FEW))
        self._parts = [
            _Part(world, agents, new_ahead(world, "rtaa", expansions, moves))
            for agents in np.array_split(self.agents, n_parts)
        ]
        self._pool = ThreadPoolExecutor(n_parts) if n_parts > 1 else None

    def advance(self, rounds: int = 1) -> int:
        """Let every agent on its way plan if it must and move, `rounds` times; returns how many are still on the way."""
        if self._pool is None:
            self._parts[0].advance(rounds)
        else:
            list(self._pool.map(lambda part: part.advance(rounds), self._parts))
        return self.n_walking

    @property
    def n_walking(self) -> int:
        """The number of agents on their way."""
        return int((self.agents["code"] == WALKING).sum())

    @property
    def here(self) -> NDArray[np.int32]:
        """The cell of each agent."""
        return self.agents["here"].astype(np.int32)

    @property
    def has_arrived(self) -> NDArray[np.bool_]:
        """Whether each agent is at its goal."""
        return np.asarray(self.agents["code"] == ARRIVED)

    @property
    def travelled(self) -> NDArray[np.float64]:
        """The cost of the moves of each agent so far."""
        return self.agents["travel"].copy()

    @property
    def steps(self) -> NDArray[np.int64]:
        """The number of moves of each agent so far."""
        return self.agents["moves"].copy()

    @property
    def expanded(self) -> NDArray[np.int64]:
        """The number of cells that each agent has expanded so far."""
        return self.agents["expanded"].copy()

    def __len__(self) -> int:
        return len(self.agents)

    def __repr__(self) -> str:
        return f"RealTimeAgents({len(self)} agents, {self.n_walking} on the way)"


class _Part:
    """Some of the agents, with arrays of their own, for one thread.

    The arrays are touched and the kernel is loaded at once, so that the first round is not slower than others.
    """

    def __init__(self, world: Grid, agents: NDArray[np.void], ahead: plans.Ahead) -> None:
        self.world, self.agents, self.ahead = world, agents, ahead
        self.table, self.old = (
            hints.new_table(max(4 * ahead.budget, min(4 * len(agents) * ahead.budget, MOST_ENTRIES))),
            NO_TABLE,
        )
        self.counts = np.zeros(2, np.int64)
        self.routes = np.zeros((len(agents), ahead.budget + 2), np.int32)
        self.table["key"] = EMPTY
        ahead.memory.cells["mark"] = 0
        self._move(len(agents))

    def advance(self, rounds: int) -> None:
        while rounds > 0 and (self.agents["code"] == WALKING).any():
            done = self._move(0)
            while done < len(self.agents):
                self._grow()
                done = self._move(done)
            if self.counts[MOVED] == len(self.old):
                self.old, self.counts[MOVED] = NO_TABLE, 0
            rounds -= 1

    def _move(self, first: int) -> int:
        return int(plans.move_all(
            self.world.graph, self.table, self.old, self.counts, self.ahead, self.agents, self.routes, first
        ))  # fmt: skip

    def _grow(self) -> None:
        if 2 * (int(self.counts[USED]) + self.ahead.budget) > len(self.table):
            pages = mmap(-1, 2 * self.table.nbytes)  # numpy would ask for large ones, which are slow to come
            self.table, self.old, self.counts[MOVED] = np.frombuffer(pages, hints.ENTRY), self.table, 0
        else:
            self.ahead = self.ahead._replace(queue=buckets.grown(self.ahead.queue))

"""Herd: many agents that walk at once, each with RTAA*, all of them moved in one call.

Agents do not see each other. What they learn lies in tables that hold only cells somebody has learned about, so that
memory grows with what is learned and not with agents times cells.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.grid import Grid
from wayfolk.kernels import buckets, hints, look_ahead
from wayfolk.kernels.hints import MOVED, USED
from wayfolk.kernels.look_ahead import ARRIVED, WALKER, WALKING
from wayfolk.machine import n_cores
from wayfolk.many import _cells
from wayfolk.realtime._look_ahead import new_ahead

FEW = 128  # agents that are not worth another thread
NO_TABLE = np.zeros(0, hints.ENTRY)


class Herd:
    """Agents on their way from `starts` to `goals`: places or cells of a grid.

    Each plans with up to `expansions` and walks to the end of its plan, or `moves` steps of it, before it plans again.
    All cores work, or `threads`; the outcome is the same.
    """

    def __init__(
        self, world: Grid, starts: Any, goals: Any, *, expansions: int = 32, moves: int = 0, threads: int | None = None
    ) -> None:
        if not isinstance(world, Grid):
            raise NotSupported("a herd walks on grids, not on graphs")
        first, last = _cells(world, starts, "start"), _cells(world, goals, "goal")
        if len(first) != len(last):
            raise BadInput(f"{len(first)} starts do not fit {len(last)} goals")
        if threads is not None and threads < 1:
            raise BadInput(f"threads must be 1 or more, not {threads}")
        apart = world.components[first] != world.components[last]
        if apart.any():
            agent = int(apart.argmax())
            ends = world.place(first[agent]), world.place(last[agent])
            raise BadProblem(f"agent {agent} cannot get from {ends[0]} to {ends[1]}: there is no way", agent)
        self.world = world
        self.walkers = np.zeros(len(first), WALKER)
        self.walkers["here"], self.walkers["goal"] = first, last
        self.walkers["code"][first == last] = ARRIVED
        n_parts = min(threads or n_cores(), max(1, len(first) // FEW))
        self._parts = [
            _Part(world, walkers, new_ahead(world, "rtaa", expansions, moves))
            for walkers in np.array_split(self.walkers, n_parts)
        ]
        self._pool = ThreadPoolExecutor(n_parts) if n_parts > 1 else None

    def advance(self, rounds: int = 1) -> int:
        """Let everyone on the way plan if need be and take a step, `rounds` times; how many are still on the way."""
        if self._pool is None:
            self._parts[0].advance(rounds)
        else:
            list(self._pool.map(lambda part: part.advance(rounds), self._parts))
        return self.n_walking

    @property
    def n_walking(self) -> int:
        """How many are on their way."""
        return int((self.walkers["code"] == WALKING).sum())

    @property
    def here(self) -> NDArray[np.int32]:
        """The cell of each agent."""
        return self.walkers["here"].astype(np.int32)

    @property
    def has_arrived(self) -> NDArray[np.bool_]:
        """Who is at the goal."""
        return np.asarray(self.walkers["code"] == ARRIVED)

    @property
    def travelled(self) -> NDArray[np.float64]:
        """What the steps of each agent have cost so far."""
        return self.walkers["travel"].copy()

    @property
    def steps(self) -> NDArray[np.int64]:
        """How many steps each has taken so far."""
        return self.walkers["moves"].copy()

    @property
    def expanded(self) -> NDArray[np.int64]:
        """How many cells each has expanded so far."""
        return self.walkers["expanded"].copy()

    def __len__(self) -> int:
        return len(self.walkers)

    def __repr__(self) -> str:
        return f"Herd({len(self)} agents, {self.n_walking} on the way)"


class _Part:
    """Some of the agents, with arrays of their own, for one thread.

    They are written to here, and the kernel is loaded, so that the first round need not wait for that.
    """

    def __init__(self, world: Grid, walkers: NDArray[np.void], ahead: look_ahead.Ahead) -> None:
        self.world, self.walkers, self.ahead = world, walkers, ahead
        self.table, self.old = hints.new_table(4 * len(walkers) * ahead.budget), NO_TABLE
        self.counts = np.zeros(2, np.int64)
        self.routes = np.zeros((len(walkers), ahead.budget + 2), np.int32)
        self.table["key"] = hints.EMPTY
        ahead.memory.cells["mark"] = 0
        self._walk(len(walkers))

    def advance(self, rounds: int) -> None:
        while rounds > 0 and (self.walkers["code"] == WALKING).any():
            done = self._walk(0)
            while done < len(self.walkers):
                self._grow()
                done = self._walk(done)
            if self.counts[MOVED] == len(self.old):
                self.old, self.counts[MOVED] = NO_TABLE, 0
            rounds -= 1

    def _walk(self, first: int) -> int:
        return int(look_ahead.walk_all(
            self.world.graph, self.table, self.old, self.counts, self.ahead, self.walkers, self.routes, first
        ))  # fmt: skip

    def _grow(self) -> None:
        if 2 * (int(self.counts[USED]) + self.ahead.budget) > len(self.table):
            pages = mmap(-1, 2 * self.table.nbytes)  # numpy would ask for large ones, which are slow to come
            self.table, self.old, self.counts[MOVED] = np.frombuffer(pages, hints.ENTRY), self.table, 0
        else:
            self.ahead = self.ahead._replace(queue=buckets.grown(self.ahead.queue))

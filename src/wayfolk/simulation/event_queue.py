"""The events to come, in the order of their times."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import BLOCK, FREE, GOAL, JOIN, PUT
from wayfolk.problem.events import ABOUT_AGENTS, Event
from wayfolk.world.grid import Grid


class EventQueue:
    """Events that wait until they are due. Of those due at the same time, the one that was added first comes first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Event]] = []
        self._n = 0

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Event]:
        """The events in their order."""
        return (event for _, _, event in sorted(self._heap, key=lambda waiting: waiting[:2]))

    @property
    def next_time(self) -> float:
        """When the next event is due; infinite if there is none."""
        return self._heap[0][0] if self._heap else float("inf")

    @property
    def n_joining(self) -> int:
        """How many agents will join."""
        return sum(event.kind == JOIN for _, _, event in self._heap)

    def add(self, event: Event) -> None:
        """Let `event` wait for its time."""
        self.put_back(float(event.time), self._n, event)
        self._n += 1

    def put_back(self, due: float, number: int, event: Event) -> None:
        """Let an event that was taken out wait until `due`, in its former order."""
        heapq.heappush(self._heap, (due, number, event))

    def take(self, now: float) -> Iterator[tuple[int, Event]]:
        """Take out the events that are due, each with its number in the order."""
        while self.next_time <= now + 1e-9:
            _, number, event = heapq.heappop(self._heap)
            yield number, event

    def check(self, event: Event, grid: Grid, n_agents: int) -> None:
        """Raise BadProblem unless `event` is possible on `grid`, with so many agents now, after the events before it."""
        for place in event.places:
            cell = grid.cell(place)
            if event.kind in (GOAL, JOIN, PUT) and not self._will_be_free(grid, cell, event.time):
                what = "an agent" if event.kind == PUT else "a start or goal"
                raise BadProblem(f"an event at time {event.time} puts {what} into a wall at {place}")
        if event.kind in ABOUT_AGENTS and not 0 <= event.agent < n_agents + self.n_joining:
            raise BadProblem(f"an event at time {event.time} is about agent {event.agent}, who does not exist")

    def _will_be_free(self, grid: Grid, cell: int, when: float) -> bool:
        """Whether `cell` of `grid` is free after the events that are due by then."""
        edits = [
            (due, number, event.kind == FREE)
            for due, number, event in self._heap
            if due <= when and event.kind in (BLOCK, FREE) and cell in map(grid.cell, event.places)
        ]
        return max(edits)[2] if edits else grid.is_free(cell)

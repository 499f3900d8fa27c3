"""The events to come, in the order of their times."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import BLOCK, FREE, GOAL, JOIN, PUT
from wayfolk.problem.events import ABOUT_AGENTS, Event
from wayfolk.simulation import nodes
from wayfolk.world.edits import EDITS, edited
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph


class EventQueue:
    """Events that wait until they are due. Of those due at the same time, the one that was added first comes first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Event]] = []
        self._n = 0

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Event]:
        """The events in their order."""
        return (event for _, _, event in sorted(self._heap, key=_order))

    def as_added(self) -> list[Event]:
        """The events in the order in which they were added, each with the time at which it is tried next."""
        return [replace(event, time=due) for due, _, event in sorted(self._heap, key=lambda waiting: waiting[1])]

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

    def check(self, event: Event, states: Grid | StateGraph, agents: NDArray[np.void]) -> None:
        """Raise BadProblem unless `event` is possible on `states`, with these agents now, after the events before it."""
        at = zip(event.places, self.nodes_of(event, states, agents), strict=False)
        for place, node in at:
            if event.kind in (GOAL, JOIN, PUT) and not self._will_be_free(states, node, event.time):
                what = "an agent" if event.kind == PUT else "a start or goal"
                where = f"into a wall at {place}" if isinstance(states, Grid) else f"at {place}, where there is no room"
                raise BadProblem(f"an event at time {event.time} puts {what} {where}")

    def nodes_of(self, event: Event, states: Grid | StateGraph, agents: NDArray[np.void]) -> list[int]:
        """The nodes of the places of `event`, or the cells or lanes that it edits; BadProblem if one is not there."""
        if event.kind in EDITS:
            return nodes.cells_or_edges(states, event.kind, event.places)
        n, joining = len(agents), [one.body for one in self if one.kind == JOIN]
        if event.kind in ABOUT_AGENTS and not 0 <= event.agent < n + len(joining):
            raise BadProblem(f"an event at time {event.time} is about agent {event.agent}, who does not exist")
        if event.kind == JOIN or event.agent >= n:
            kind = nodes.kind_number(states, event.body if event.kind == JOIN else joining[event.agent - n])
        else:
            kind = nodes.kind_of(states, int(agents["here"][event.agent]))
        return [nodes.node_of(states, place, kind) for place in event.places]

    def _will_be_free(self, states: Grid | StateGraph, node: int, when: float) -> bool:
        """Whether `node` is free after the events that are due by then."""
        edits = [edit for edit in self._heap if edit[0] <= when and edit[2].kind in (BLOCK, FREE)]
        if isinstance(states, Grid):
            edits = [edit for edit in edits if node in map(states.cell, edit[2].places)]
            return max(edits, key=_order)[2].kind == FREE if edits else states.is_free(node)
        for _, _, event in sorted(edits, key=_order):
            states = edited(states, event.kind, nodes.cells_or_edges(states, event.kind, event.places))
        return states.is_free(node)


def _order(waiting: tuple[float, int, Event]) -> tuple[float, int]:
    """By the time, then by which was added first."""
    return waiting[:2]

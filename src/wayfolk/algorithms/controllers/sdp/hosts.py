"""A host runs the controllers of some areas. Hosts send each other parcels of messages after each phase of a tick.

Hosts may be in one process or in many: what they know of agents in other areas they know from messages. An agent that asks
for a place on another host brings the rest of its route along. All hosts hear of goals that change and of agents that
leave.

Invariants  the outcome is that of one host with all areas. A phase reads messages in the order of `since` and `agent`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import Areas
from wayfolk.algorithms.controllers.sdp.host import pass_phase
from wayfolk.algorithms.controllers.sdp.memory import enlarged, new_arrays, with_agents, with_larger_table
from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.algorithms.controllers.sdp.places import note_changes, place_agents
from wayfolk.algorithms.controllers.sdp.state import (
    ASK,
    FULL,
    MESSAGE,
    MOVED,
    N_MESSAGES,
    N_ORDER,
    RESPOND,
    REST,
    SIDE,
    THINK,
    SdpSettings,
)
from wayfolk.algorithms.controllers.sdp.ticks import SdpArrays
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.grid import Grid

_HEAD = 4  # numbers before the areas of a route in a parcel: agent, `strays`, the first place, the end


class Setup(NamedTuple):
    """What hosts begin with: the map, how it is divided into areas, the agents, and which host runs which area.

    `keep_free` are cells that lie in rooms, `agents` those of a `Crew`. With `record` hosts return all messages.
    """

    grid: Grid
    buffer: int
    keep_free: NDArray[np.int32]
    settings: SdpSettings
    agents: NDArray[np.void]
    owner: NDArray[np.int32]
    now: int
    record: bool


class Parcel(NamedTuple):
    """What one host sends to another: messages, and the routes of the agents that ask."""

    messages: NDArray[np.void]
    routes: NDArray[np.int32]

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.messages.nbytes + self.routes.nbytes


class Sent(NamedTuple):
    """What a phase leaves: parcels by the number of the host they are for, and all messages if they are recorded."""

    parcels: dict[int, Parcel]
    recorded: NDArray[np.void]


class TickMoves(NamedTuple):
    """What a tick leaves: which agents have moved where, which have planned, and how many nodes that expanded."""

    moved: NDArray[np.int32]
    cells: NDArray[np.int32]
    planned: NDArray[np.int32]
    spent: NDArray[np.int32]
    is_full: bool

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.moved.nbytes + self.cells.nbytes + self.planned.nbytes + self.spent.nbytes


class Host:
    """The controllers of the areas whose `owner` is this host's number."""

    arrays: SdpArrays

    def __init__(self, number: int) -> None:
        self.number = number

    def begin(self, setup: Setup, areas: Areas | None = None) -> bool:
        """Put the agents into their areas, which are made if they are not given; whether arrays must be enlarged."""
        if areas is None:
            areas = partition(setup.grid, buffer=setup.buffer, keep_free=setup.keep_free)
        self.owner, self.record = setup.owner, setup.record
        self.arrays = new_arrays(setup.grid, areas, setup.settings, len(setup.agents))
        self.arrays.mine[:] = setup.owner == self.number
        place_agents(self.arrays, setup.agents, 0, setup.now)
        return self._is_full

    def join(self, agents: NDArray[np.void], now: int) -> tuple[bool, bool]:
        """Add agents; whether they are in nobody's way, and whether arrays must be enlarged."""
        n = len(self.arrays.rooms.states)
        self.arrays = with_agents(self.arrays, n + len(agents))
        is_placed = bool(place_agents(self.arrays, agents, n, now))
        return is_placed, self._is_full

    @property
    def _is_full(self) -> bool:
        return bool(self.arrays.rooms.counts[FULL])

    def enlarge(self) -> None:
        """Make room for longer plans and routes. All hosts do this together, so that they accept the same ways."""
        self.arrays = enlarged(self.arrays)

    def note(
        self, parcels: list[Parcel], numbers: NDArray[np.int32], agents: NDArray[np.void], now: int
    ) -> tuple[Sent, bool]:
        """Take note of agents that have changed, before `think`; whether each is where it should be."""
        self._receive(parcels, now)
        is_in_step = bool(note_changes(self.arrays, numbers, agents, now))
        return self._sent(), is_in_step

    def think(self, parcels: list[Parcel], now: int) -> Sent:
        """First phase of a tick: plan, and ask."""
        self._receive(parcels, now)
        while not pass_phase(self.arrays, THINK, now):
            self.arrays = with_larger_table(self.arrays)
        return self._sent()

    def respond(self, parcels: list[Parcel], now: int) -> Sent:
        """Second phase: answer."""
        self._receive(parcels, now)
        while not pass_phase(self.arrays, RESPOND, now):
            self.arrays = with_larger_table(self.arrays)
        return self._sent()

    def act(self, parcels: list[Parcel], now: int) -> tuple[Sent, TickMoves]:
        """Third phase: move."""
        self._receive(parcels, now)
        arrays, states = self.arrays, self.arrays.rooms.states
        here = arrays.order[: arrays.counts[N_ORDER]]
        before = states["cell"][here]
        pass_phase(arrays, REST, now)
        moved = here[arrays.next[here] != before]
        planned = np.flatnonzero(states["spent"]).astype(np.int32)
        outcome = TickMoves(moved, arrays.next[moved], planned, states["spent"][planned], self._is_full)
        states["spent"][planned] = 0
        return self._sent(), outcome

    def _sent(self) -> Sent:
        """Take the messages for other hosts out of the box."""
        counts = self.arrays.counts
        box = self.arrays.boxes[counts[SIDE], : counts[N_MESSAGES]]
        recorded = box.copy() if self.record else np.zeros(0, MESSAGE)
        host = self.owner[box["to"]]
        parcels = {}
        for other in np.unique(host[host != self.number]).tolist():
            messages = box[host == other]
            parcels[other] = Parcel(messages, self._routes(messages["agent"][messages["kind"] == ASK]))
        if parcels:
            kept = box[host == self.number]
            box[: len(kept)] = kept
            counts[N_MESSAGES] = len(kept)
        return Sent(parcels, recorded)

    def _routes(self, agents: NDArray[np.int32]) -> NDArray[np.int32]:
        """What is left of the routes of `agents`, one after another."""
        states, routes = self.arrays.rooms.states, self.arrays.routes
        parts = [np.zeros(0, np.int32)]
        for agent in agents.tolist():
            first, end = int(states[agent]["at"]), int(routes.n_route[agent])
            parts.append(np.array([agent, states[agent]["strays"], first, end], np.int32))
            parts.append(routes.route[agent, first:end])
        return np.concatenate(parts)

    def _receive(self, parcels: list[Parcel], now: int) -> None:
        """Put the messages of other hosts among our own, and note what they tell of agents that are not here."""
        if not parcels:
            return
        for parcel in parcels:
            self._read_routes(parcel.routes)
        counts, states = self.arrays.counts, self.arrays.rooms.states
        came = np.concatenate([parcel.messages for parcel in parcels])
        asks, moved = came[came["kind"] == ASK], came[came["kind"] == MOVED]
        states["area"][asks["agent"]] = asks["sender"]
        states["leaves"][asks["agent"]] = NOWHERE
        states["asked"][asks["agent"]] = False
        states["cell"][moved["agent"]] = moved["cells"][:, 0]
        states["area"][moved["agent"]] = moved["to"]
        states["at"][moved["agent"]] = moved["at"]
        states["since"][moved["agent"]] = now
        box = self.arrays.boxes[counts[SIDE]]
        together = np.concatenate([box[: counts[N_MESSAGES]], came])
        order = np.lexsort((together["to"], together["kind"], together["agent"], together["since"]))
        box[: len(together)] = together[order]
        counts[N_MESSAGES] = len(together)

    def _read_routes(self, rows: NDArray[np.int32]) -> None:
        states, routes = self.arrays.rooms.states, self.arrays.routes
        at = 0
        while at < len(rows):
            agent, strays, first, end = rows[at : at + _HEAD].tolist()
            states[agent]["strays"] = bool(strays)
            routes.n_route[agent] = end
            routes.route[agent, first:end] = rows[at + _HEAD : at + _HEAD + end - first]
            at += _HEAD + end - first

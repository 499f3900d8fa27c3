"""SDP with its areas divided among hosts: Python passes messages on between the phases of a tick."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.sdp.areas import ROOM, Areas
from wayfolk.algorithms.controllers.sdp.division import areas_for, divide
from wayfolk.algorithms.controllers.sdp.hosts import Host, Parcel, Sent, Setup
from wayfolk.algorithms.controllers.sdp.layers import ShownAreas, message_layer
from wayfolk.algorithms.controllers.sdp.state import MESSAGE, SdpSettings
from wayfolk.kernels.crew import N_ASKED, TICK, asked, give_route, report
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.layers import Layer

RECORDED = np.dtype(
    [("tick", np.int64), *((name, MESSAGE[name]) for name in MESSAGE.names or ())],
    align=True,
)
"""A message and the tick in which it was sent."""


class HostedArrays(NamedTuple):
    """The next cells of agents, the nodes expanded for each, and before which tick all is known."""

    next: NDArray[np.int32]
    spent: NDArray[np.int32]
    ticks: NDArray[np.int64]


class Team(Protocol):
    """Hosts, here or elsewhere."""

    n_hosts: int

    def begin(self, setup: Setup, areas: Areas) -> list[bool]:
        """Let all hosts begin; whether each must enlarge its arrays."""

    def call(self, method: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call a method of all hosts, each with its own arguments; what they return."""


class LocalTeam:
    """Hosts in this process."""

    def __init__(self, n_hosts: int) -> None:
        self.n_hosts = n_hosts
        self.hosts = [Host(number) for number in range(n_hosts)]

    def begin(self, setup: Setup, areas: Areas) -> list[bool]:
        """Let all hosts begin."""
        return [host.begin(setup, areas) for host in self.hosts]

    def call(self, method: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call a method of all hosts."""
        return [getattr(host, method)(*given) for host, given in zip(self.hosts, arguments, strict=True)]


class Hosted(Controller):
    """Rooms and lanes with their agents on a team of hosts.

    `messages` are those that were sent, if they are recorded; `n_bytes` counts what hosts and this process sent each other.
    """

    lookahead = 1

    def __init__(
        self, n_agents: int, settings: SdpSettings, buffer: int, accepts: bool, team: Team, record: bool
    ) -> None:  # fmt: skip
        super().__init__(n_agents)
        self.settings, self.buffer, self.accepts, self.team, self.record = settings, buffer, accepts, team, record
        self.n_bytes = 0
        self._recorded: list[NDArray[np.void]] = []
        self.shown = ShownAreas(keeps_all=record)

    def prepare(self, view: View) -> None:
        """Divide the map into areas and these among hosts, who put the agents into them."""
        now, agents = int(view.time), view.crew.agents.copy()
        here = agents["here"][agents["present"]]
        self.areas, keep_free = areas_for(view.grid, view.goals[view.present], self.buffer, self.accepts)
        self.shown.add(self.areas, view.time)
        self.owner = divide(self.areas, view.grid.stride, here, self.team.n_hosts)
        setup = Setup(view.grid, self.buffer, keep_free, self.settings, agents, self.owner, now, self.record)
        self._is_full = any(self.team.begin(setup, self.areas))
        self._known = agents
        self._post: list[list[Parcel]] = [[] for _ in range(self.team.n_hosts)]
        self.arrays = HostedArrays(agents["here"].copy(), np.zeros(len(agents), np.int32), np.array([now]))

    def update(self, view: View, change: Change) -> None:
        """Begin anew if the map has changed, before the first tick, and where a new agent is in the way of plans."""
        n = len(self._known)
        is_begun = not change.cells.size and view.crew.counts[TICK] > 0
        has_new = len(view.here) > n
        if not is_begun or (has_new and not self._join(view.crew.agents[n:].copy(), int(view.time))):
            self.prepare(view)

    def _join(self, agents: NDArray[np.void], now: int) -> bool:
        """Tell all hosts of new agents; False if one is in the way of plans, or its goal is inside a corridor."""
        if (self.areas.part[agents["goal"]] != ROOM).any():
            return False
        answers = self.team.call("join", [(agents, now)] * self.team.n_hosts)
        self._is_full |= any(is_full for _, is_full in answers)
        self._known = np.concatenate([self._known, agents])
        next_cells = np.concatenate([self.arrays.next, agents["here"]])
        self.arrays = self.arrays._replace(next=next_cells, spent=with_rows(self.arrays.spent, len(next_cells)))
        return all(is_placed for is_placed, _ in answers)

    def make_room(self, view: View) -> None:
        """Let a tick pass on all hosts; begin anew if agents are not where they should be."""
        now = int(view.time)
        if self._is_full:
            self.team.call("enlarge", [()] * self.team.n_hosts)
        if not self._note_changes(view.crew.agents, now):
            self.prepare(view)
            return
        self._deliver(now, self._call("think", now))
        self._deliver(now, self._call("respond", now))
        answers = self._call("act", now)
        self._deliver(now, [sent for sent, _ in answers])
        self._take(outcome for _, outcome in answers)
        self.arrays.ticks[0] = now + 1

    def _note_changes(self, agents: NDArray[np.void], now: int) -> bool:
        """Tell all hosts which agents have changed; False if one is not where it should be."""
        known, present = self._known, agents["present"]
        if (present & ~known["present"]).any() or (agents["here"] != self.arrays.next)[present].any():
            return False
        differs = np.zeros(len(agents), np.bool_)
        for name in ("goal", "done", "ours"):
            differs |= agents[name] != known[name]
        changed = np.flatnonzero((differs & present) | (present != known["present"])).astype(np.int32)
        if not changed.size:
            return True
        rows = agents[changed]
        known[changed] = rows
        answers = self._call("note", changed, rows, now)
        self._deliver(now, [sent for sent, _ in answers])
        return all(is_in_step for _, is_in_step in answers)

    def _call(self, phase: str, *arguments: Any) -> list[Any]:
        """Let all hosts go through a phase, with the parcels that there are for each."""
        post, self._post = self._post, [[] for _ in range(self.team.n_hosts)]
        self.n_bytes += sum(parcel.nbytes for parcels in post for parcel in parcels)
        return self.team.call(phase, [(parcels, *arguments) for parcels in post])

    def _deliver(self, now: int, sent: list[Sent]) -> None:
        """Keep the parcels for the next phase, and all messages if they are recorded."""
        for one in sent:
            for number, parcel in one.parcels.items():
                self._post[number].append(parcel)
                self.n_bytes += parcel.nbytes
        if self.record:
            together = np.concatenate([one.recorded for one in sent])
            rows = np.zeros(len(together), RECORDED)
            rows["tick"] = now
            for name in MESSAGE.names or ():
                rows[name] = together[name]
            self._recorded.append(rows[np.lexsort((rows["to"], rows["kind"], rows["agent"], rows["since"]))])

    def _take(self, outcomes: Any) -> None:
        """Note where agents go, and what was expanded for them."""
        self._is_full = False
        for outcome in outcomes:
            self.arrays.next[outcome.moved] = outcome.cells
            self.arrays.spent[outcome.planned] += outcome.spent
            self._is_full |= outcome.is_full
            self.n_bytes += outcome.nbytes

    @property
    def messages(self) -> NDArray[np.void]:
        """All messages in the order in which they were sent, rows of RECORDED."""
        return np.concatenate([np.zeros(0, RECORDED), *self._recorded])

    def layers(self) -> tuple[Layer, ...]:
        """The areas as they are now; if messages are recorded, these, and the areas as they were at each time."""
        if not self.record:
            return tuple(self.shown.layers)
        return *self.shown.layers, message_layer(self.messages, self.shown.layers)


def _hand_out(arrays, crew, log, now):
    """Give the asked agents their next cells, if the hosts have found them; else Python asks the hosts."""
    if arrays.ticks[0] <= now:
        return 0
    for agent in asked(crew):
        give_route(crew, agent, arrays.next[agent : agent + 1], 1)
        if arrays.spent[agent] > 0:
            report(crew, agent, arrays.spent[agent])
            arrays.spent[agent] = 0
    return crew.counts[N_ASKED]


planned_by(HostedArrays, _hand_out)

"""Why agents did not arrive: who stands in whose way at the end of a plan or a record, and since when.

    for blockage in why(plan, problem):
        print(blockage)  # since step 3 agents 0 and 1 wait for each other at (3, 1) and (4, 1)

An agent that is not on its goal wants to enter a cell beside it that is nearer to the goal. It waits for another agent if
it has come no nearer within the last steps (RECENT), and all these cells were taken in at least half of them: the agent
that took them most often is in its way. It also waits if agents that stood still in all these steps are on all of the
shortest ways to its goal, as under controllers that plan around others and find no path.

From agent to agent this leads to the cause: a cycle, an agent that rests on its goal, one that is not under control, or one
in whose way nobody is. Agents that have come nearer within the last steps are late: with more time they may arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.judge.last_steps import LastSteps, of_plan, of_record
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import Record
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

Kind = Literal["cycle", "parked", "released", "walled", "strayed", "wandering", "idle", "late"]
KINDS_OF_BLOCKAGE: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Blockage:
    """One cause for which agents did not arrive.

    kind       agents                                                           since when
    cycle      wait for each other, each for the next, the last for the first   all of them wait
    parked     rests on its goal, in the way of others                          it rests there, and one of them waits
    released   is not under control, and in the way of others                   one of them waits
    walled     has no way to its goal on the map at the end                     it was nearest to its goal
    strayed    was on its goal, and has left it                                 it left
    wandering  moves, but comes no nearer to its goal                           it was nearest to its goal
    idle       stands, though a way to its goal is free                         it came to stand there
    late       has come nearer to its goal in the last steps                    it was nearest to its goal

    An agent that waits has waited since it came to stand there; one that moves back and forth, since it was nearest to its
    goal. `places` are those of `agents` at the end. `waits` has a pair (agent, whom it waits for) for each agent that
    waits, those of a cycle included; an agent may wait for one that waits itself.
    """

    kind: Kind
    since: float
    agents: tuple[int, ...]
    places: tuple[Any, ...]
    waits: tuple[tuple[int, int], ...] = ()

    @property
    def waiting(self) -> tuple[int, ...]:
        """The agents that wait for `agents`, or for others that do; the nearest first."""
        return tuple(agent for agent, _ in self.waits if agent not in self.agents)

    @property
    def missing(self) -> tuple[int, ...]:
        """The agents that did not arrive for this reason."""
        return self.waiting if self.kind in ("parked", "released") else self.agents + self.waiting

    def as_dict(self) -> dict[str, Any]:
        """The blockage as plain lists and numbers, for JSON."""
        return {
            "kind": self.kind,
            "since": self.since,
            "agents": list(self.agents),
            "places": [list(place) if isinstance(place, tuple) else place for place in self.places],
            "waits": [list(pair) for pair in self.waits],
            "text": str(self),
        }

    def __str__(self) -> str:
        behind = _named(self.waiting)
        who, where = _named(self.agents), _listed([str(place) for place in self.places])
        since = f"since {'step ' if isinstance(self.since, int) else 'time '}{self.since:.10g}"
        if self.kind == "late":
            since = "at the end"
        if self.kind == "parked":
            return f"{since} {who}, on its goal {where}, is in the way of {behind}"
        if self.kind == "released":
            return f"{since} {who}, not under control, at {where}, is in the way of {behind}"
        sentence = f"{since} {who} wait for each other at {where}"
        if self.kind != "cycle":
            sentence = f"{since} {who} {_DOES[self.kind][0]}; it is at {where}"
        verb, them = "waits" if len(self.waiting) == 1 else "wait", "them" if self.kind == "cycle" else "it"
        return sentence + (f"; {behind} {verb} behind {them}" if behind else "")


_DOES = {  # what one agent does, and what several do
    "walled": ("has no way to its goal", "have no way to their goals"),
    "strayed": ("is off its goal, on which it was before", "are off their goals, on which they were before"),
    "wandering": ("moves, but comes no nearer to its goal", "move, but come no nearer to their goals"),
    "idle": ("stands, though a way to its goal is free", "stand, though ways to their goals are free"),
    "late": ("is on its way", "are on their way"),
}


def why(run: Plan | Record, problem: Problem | None = None) -> list[Blockage]:
    """Return why agents are not on their goals at the end of `run`, the cause that stops most agents first.

    The goals of a plan are those of `problem`, which has one for each agent. A record has its own, and the list leaves out
    agents that have left or are not under control. The list is empty if all agents have arrived.
    """
    if isinstance(run, Record):
        end = of_record(run)
    elif problem is None or not problem.is_one_shot:
        raise NotSupported("a plan needs a problem with one goal for each agent; ask about the record of a simulation")
    else:
        end = of_plan(run, problem.goals)
    around = _Around.of(end)
    states = {agent: _state(end, around, agent) for agent in np.flatnonzero(end.missing).tolist()}
    blockages = _causes(end, states)
    rank = {kind: number for number, kind in enumerate(KINDS_OF_BLOCKAGE)}
    return sorted(blockages, key=lambda one: (one.kind == "late", -len(one.missing), rank[one.kind], one.agents))


def sentences(blockages: Sequence[Blockage], most: int = 10) -> list[str]:
    """Return the `most` important blockages as sentences; agents of one kind for which nobody waits share one."""
    alone = {kind: [one for one in blockages if one.kind == kind and not one.waits] for kind in _DOES}
    shared = {kind: group for kind, group in alone.items() if len(group) > 1}
    others = [one for one in blockages if one.waits or one.kind not in shared]
    lines = [str(one) for one in others[:most]]
    if len(others) > most:
        lines.append(f"{sum(len(one.missing) for one in others[most:])} more agents do not arrive for like reasons")
    for kind, group in shared.items():
        lines.append(f"{_named([agent for one in group for agent in one.agents])} {_DOES[kind][1]}")
    return lines


def in_short(blockages: Sequence[Blockage]) -> str:
    """Return how many agents did not arrive and why, in a few words: `5 missing: 2 cycle, 3 parked`."""
    missing = {kind: sum(len(one.missing) for one in blockages if one.kind == kind) for kind in KINDS_OF_BLOCKAGE}
    listed = ", ".join(f"{count} {kind}" for kind, count in missing.items() if count)
    return f"{sum(missing.values())} missing: {listed}" if listed else ""


@dataclass(frozen=True)
class _State:
    """What one agent does at the end: it waits for `blocker`, or does what `kind` says."""

    kind: Kind
    since: float
    blocker: int | None = None


@dataclass(frozen=True, eq=False)
class _Around:
    """Who held which place: `taken[row, place]` in each of the last steps, `standing[place]` in all; room for searches."""

    taken: NDArray[np.int32]
    standing: NDArray[np.int32]
    seen: NDArray[np.int32]
    queue: NDArray[np.int32]

    @classmethod
    def of(cls, end: LastSteps) -> _Around:
        taken = end.occupants()
        standing = np.where((taken == taken[-1]).all(0), taken[-1], NOBODY)
        return cls(taken, standing, *np.zeros((2, end.states.n_cells), np.int32))

    def others_at(self, end: LastSteps, agent: int) -> NDArray[np.int32]:
        """Return for each cell or node another agent that holds a place of it in all of the last steps."""
        if isinstance(end.states, Grid):
            return self.standing
        return _at_nodes(end.states, self.standing, agent, np.arange(end.states.n_cells))


def _state(end: LastSteps, around: _Around, agent: int) -> _State:
    """Return what `agent` does."""
    from wayfolk.judge.blocked_ways import in_all_ways
    from wayfolk.kernels.distances import UNREACHED
    from wayfolk.world.spots import steps_to

    cells = end.recent[:, agent]
    cells = np.where(cells == NOBODY, cells[-1], cells)  # an agent that has joined in the last steps
    left = steps_to(end.states, int(end.goals[agent]))
    times, entered = end.trail(agent)
    away = left[entered]
    nearest, stands = times[int(away.argmin())], bool((cells == cells[-1]).all())
    if left[cells[-1]] == UNREACHED:
        return _State("walled", end.number(nearest))
    if end.time - nearest < len(end.recent) - 1:
        return _State("late", end.number(nearest))
    since = times[-1] if stands else nearest
    nearer = _nearer(end, left, cells)
    is_nearer = nearer != NOWHERE
    who = _who(end, around, agent, nearer)
    is_blocked = (is_nearer & (who != NOBODY)).any(1) & ~(is_nearer & (who == NOBODY)).any(1)
    if is_blocked.mean() >= 0.5:
        names, counts = np.unique(who[is_nearer & is_blocked[:, None]], return_counts=True)
        return _State("idle", end.number(since), int(names[counts.argmax()]))
    blocker = in_all_ways(
        graph=end.states.graph, left=left, standing=around.others_at(end, agent), cell=int(cells[-1]),
        stamp=agent + 1, seen=around.seen, queue=around.queue,
    )  # fmt: skip
    ahead = None if blocker == NOBODY else int(blocker)
    if ahead is None and (away == 0).any():
        return _State("strayed", end.number(times[np.flatnonzero(away == 0)[-1] + 1]))
    return _State("idle" if stands else "wandering", end.number(since), ahead)


def _nearer(end: LastSteps, left: NDArray[np.int32], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of `cells` those beside it from which fewer steps are `left`, and NOWHERE up to a number."""
    if isinstance(end.states, Grid):
        legal = (end.states.legal[cells][:, None] >> np.arange(8)) & 1 == 1
        beside = np.where(legal, cells[:, None] + end.states.offsets, cells[:, None])
    else:
        from wayfolk.world.spots import spots_of

        beside = spots_of(end.states).near[cells].astype(np.int64)
        beside = np.where(beside == NOWHERE, cells[:, None], beside)
    return np.where(left[beside] < left[cells][:, None], beside, NOWHERE)


def _who(end: LastSteps, around: _Around, agent: int, nodes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return for each node of each of the last steps another agent that held a place of it then, NOBODY if none did."""
    used = np.where(nodes == NOWHERE, 0, nodes)
    if isinstance(end.states, Grid):
        who = around.taken[np.arange(len(nodes))[:, None], used]
    else:
        rows = zip(around.taken, used, strict=True)
        who = np.stack([_at_nodes(end.states, taken, agent, row) for taken, row in rows])
    return np.where(nodes == NOWHERE, NOBODY, who).astype(np.int32)


def _at_nodes(states: StateGraph, taken: NDArray[np.int32], agent: int, nodes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return for each node another agent that holds one of its places, the one with the smallest number."""
    table = states.occupancy
    held = np.where(taken == agent, NOBODY, taken)
    begins, ends = table.node_first[nodes], table.node_first[nodes + 1]
    counts = ends - begins
    row = np.repeat(np.arange(len(nodes)), counts)
    places = table.node_places[np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
    who = np.full(len(nodes), NOBODY, np.int32)
    np.minimum.at(who, row, held[places])
    return who


def _causes(end: LastSteps, states: dict[int, _State]) -> list[Blockage]:
    """Follow everyone who waits to the cause, and gather those who share it."""
    root_of: dict[int, int] = {}
    cycles: dict[int, tuple[int, ...]] = {}
    for first in states:
        chain, agent = [], first
        while agent not in root_of and agent not in chain and agent in states and states[agent].blocker is not None:
            chain.append(agent)
            agent = states[agent].blocker or 0
        if agent in chain:
            cycle = chain[chain.index(agent) :]
            lowest = cycle.index(min(cycle))
            cycles[min(cycle)] = tuple(cycle[lowest:] + cycle[:lowest])
            agent = min(cycle)
        root = root_of.setdefault(agent, agent)
        root_of |= dict.fromkeys(chain, root)
    followers: dict[int, list[int]] = {}
    for agent in states:
        followers.setdefault(root_of[agent], []).append(agent)
    return [_blockage(end, states, cycles.get(root, (root,)), group) for root, group in followers.items()]


def _blockage(end: LastSteps, states: dict[int, _State], agents: tuple[int, ...], group: list[int]) -> Blockage:
    """Return the blockage that `agents` cause for the `group`, in which all are that did not arrive."""
    kind: Kind
    waiting = _nearest_first(states, agents, [agent for agent in group if agent not in agents])
    if len(agents) > 1:
        kind, since = "cycle", max(states[agent].since for agent in agents)
    elif agents[0] in states:
        kind, since = states[agents[0]].kind, states[agents[0]].since
    else:
        kind = "parked" if end.ours[agents[0]] else "released"
        since = max(end.number(end.resting[agents[0]]), states[waiting[0]].since)
    waits = [agent for agent in (*agents, *waiting) if agent in states and states[agent].blocker is not None]
    places = tuple(end.states.place(int(end.recent[-1, agent])) for agent in agents)
    return Blockage(kind, since, agents, places, tuple((agent, states[agent].blocker or 0) for agent in waits))


def _nearest_first(states: dict[int, _State], agents: tuple[int, ...], group: list[int]) -> list[int]:
    """Return the `group` in the order in which its members wait for `agents`: those directly behind them first."""

    def depth(agent: int) -> int:
        n = 0
        while agent not in agents:
            agent, n = states[agent].blocker or 0, n + 1
        return n

    return sorted(group, key=lambda agent: (depth(agent), agent))


def _named(agents: Sequence[int]) -> str:
    if len(agents) == 1:
        return f"agent {agents[0]}"
    return f"agents {_listed([str(agent) for agent in agents])}" if agents else ""


def _listed(words: Sequence[str]) -> str:
    """Return the first words, with "and" before the last."""
    shown = [*words[:5], f"{len(words) - 5} more"] if len(words) > 6 else list(words)
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)

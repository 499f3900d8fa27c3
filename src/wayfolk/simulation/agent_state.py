"""What an agent of a simulation does at the moment, and for whom it waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.problem.events import Place
from wayfolk.simulation import nodes
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.simulation.state import WorldState
    from wayfolk.world.state_graph import StateGraph

Doing = Literal["moving", "waiting", "blocked", "arrived", "held", "gone"]


@dataclass(frozen=True)
class AgentState:
    """What an agent does, where it is, and where it wants to be.

    doing     since the last tick it
    moving    has moved, or is on a move that takes longer
    waiting   has stayed; `agents` are those beside it on cells or nodes that are nearer to its goal
    blocked   wanted to move and was refused, or has no way to its goal; `agents` are those in its way, `why` says it
    arrived   is on its goal
    held      is not under control: the caller moves it, or nobody does
    gone      has left
    """

    doing: Doing
    place: Place
    goal: Place
    agents: tuple[int, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        names = ", ".join(map(str, self.agents))
        for_whom = f" for {'agent' if len(self.agents) == 1 else 'agents'} {names}" if self.doing == "waiting" else ""
        return f"{self.doing}{for_whom if self.agents else ''}" + (f": {self.why}" if self.why else "")


def state_of(world: WorldState, number: int) -> AgentState:
    """What agent `number` of `world` does."""
    agent, states = world.crew.agents[number], world.states
    here, goal = int(agent["here"]), int(agent["goal"])
    at, to = states.place(here), states.place(goal)
    if not agent["present"]:
        return AgentState("gone", at, to)
    if agent["refused"] and world.court.states[number]["want"] != here:
        return _refused(world, number, at, to)
    if not agent["ours"]:
        return AgentState("held", at, to)
    if nodes.stand(states, here) == goal or agent["done"]:
        return AgentState("arrived", at, to)
    if agent["came"] != here and agent["ready"] >= world.time - 1e-9:
        return AgentState("moving", at, to)
    if not states.is_free(goal):
        return AgentState("blocked", at, to, why=f"its goal {to} is in a wall")
    if states.components[goal] != states.components[here]:
        return AgentState("blocked", at, to, why=f"there is no way to its goal {to}")
    return AgentState("waiting", at, to, _nearer(world, number))


def _refused(world: WorldState, number: int, at: Place, to: Place) -> AgentState:
    """The state of an agent whose last move was refused."""
    want = int(world.court.states[number]["want"])
    where = world.states.place(want)
    if not world.states.is_free(want):
        return AgentState("blocked", at, to, why=f"there is a wall at {where}")
    others = [other for other in world.holders(want) if other != number]
    if not others:
        return AgentState("blocked", at, to, why=f"another agent was in the way to {where}")
    names = ", ".join(map(str, others))
    who = f"agents {names} are" if len(others) > 1 else f"agent {names} is"
    return AgentState("blocked", at, to, tuple(others), f"{who} at {where}")


def _nearer(world: WorldState, number: int) -> tuple[int, ...]:
    """The agents beside agent `number` on nodes from which the goal, if there were no walls, is not as far."""
    here, goal = int(world.crew.agents[number]["here"]), int(world.crew.agents[number]["goal"])
    beside, far = _beside(world.states, here, goal)
    near = [node for node, distance in zip(beside, far[1:].tolist(), strict=True) if distance < far[0]]
    return tuple(sorted({other for node in near for other in world.holders(node)} - {number}))


def _beside(states: Grid | StateGraph, here: int, goal: int) -> tuple[list[int], NDArray[np.float64]]:
    """The nodes to which moves lead, and how far `here` and these are from the goal; without positions, all are nearer."""
    if isinstance(states, Grid):
        beside = [here + int(states.offsets[k]) for k in range(8) if states.legal[here] >> k & 1]
        apart = np.abs(states.places([here, *beside]) - states.place(goal))
        return beside, apart.max(1) + (states.diagonal - 1.0) * apart.min(1)
    beside = states.graph.target[states.graph.first[here] : states.graph.first[here + 1]].tolist()
    if states.positions is None:
        return beside, np.append(1.0, np.zeros(len(beside)))
    return beside, np.linalg.norm(states.positions[[here, *beside]] - states.positions[goal], axis=1)

"""What an agent of a simulation does at the moment, and for whom it waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from wayfolk.kernels.codes import NOBODY
from wayfolk.problem.events import Place

if TYPE_CHECKING:
    from wayfolk.simulation.state import WorldState

Doing = Literal["moving", "waiting", "blocked", "arrived", "held", "gone"]


@dataclass(frozen=True)
class AgentState:
    """What an agent does, where it is, and where it wants to be.

    doing     since the last tick it
    moving    has moved, or is on a move that takes longer
    waiting   has stayed; `agents` are those on the cells beside it that are nearer to its goal
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
    agent, grid = world.crew.agents[number], world.grid
    here, goal = int(agent["here"]), int(agent["goal"])
    at, to = grid.place(here), grid.place(goal)
    if not agent["present"]:
        return AgentState("gone", at, to)
    if agent["refused"] and world.court.states[number]["want"] != here:
        return _refused(world, number, at, to)
    if not agent["ours"]:
        return AgentState("held", at, to)
    if here == goal or agent["done"]:
        return AgentState("arrived", at, to)
    if agent["came"] != here and agent["ready"] >= world.time - 1e-9:
        return AgentState("moving", at, to)
    if not grid.is_free(goal):
        return AgentState("blocked", at, to, why=f"its goal {to} is in a wall")
    if grid.components[goal] != grid.components[here]:
        return AgentState("blocked", at, to, why=f"there is no way to its goal {to}")
    return AgentState("waiting", at, to, _nearer(world, here, goal))


def _refused(world: WorldState, number: int, at: Place, to: Place) -> AgentState:
    """The state of an agent whose last move was refused."""
    want = int(world.court.states[number]["want"])
    where = world.grid.place(want)
    if not world.grid.is_free(want):
        return AgentState("blocked", at, to, why=f"there is a wall at {where}")
    other = int(world.crew.occupant[want])
    if other in (NOBODY, number):
        return AgentState("blocked", at, to, why=f"another agent was in the way to {where}")
    return AgentState("blocked", at, to, (other,), f"agent {other} is at {where}")


def _nearer(world: WorldState, here: int, goal: int) -> tuple[int, ...]:
    """The agents beside `here` on cells from which the goal, if there were no walls, is not as far."""
    grid, occupant = world.grid, world.crew.occupant
    beside = [here + int(grid.offsets[k]) for k in range(8) if grid.legal[here] >> k & 1]
    apart = np.abs(grid.places([here, *beside]) - grid.place(goal))
    far = apart.max(1) + (grid.diagonal - 1.0) * apart.min(1)
    near = [cell for cell, distance in zip(beside, far[1:], strict=True) if distance < far[0]]
    return tuple(sorted(int(occupant[cell]) for cell in near if occupant[cell] != NOBODY))

"""The state of a simulation: the map, where agents are, what the referee knows of them, and the log of what has happened.

A `Simulation` lets time pass. Here is what happens to agents and to the map at once: events, and changes by the caller.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.files.arrays import Arrays
from wayfolk.kernels.codes import GOAL, HOLD, JOIN, LEAVE, NOBODY, PUT, RELEASE, RESUME
from wayfolk.kernels.crew import AGENT, ROW, TICK, AnyCrew, StateCrew
from wayfolk.kernels.random import new_random
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.events import Event
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import STEPS, TURNS, Record
from wayfolk.simulation import nodes, referee
from wayfolk.simulation.court import STATE, Court, RefereeRules
from wayfolk.simulation.log import ALL, Beginning, Log, Reader, beginning
from wayfolk.simulation.world_maps import Maps, map_arrays
from wayfolk.world.body import Body
from wayfolk.world.edits import EDITS, edited
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph


@dataclass
class Changes:
    """The agents and the cells of the world that an event is about, of which the controller hears."""

    agents: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)


class WorldState:
    """Agents of `problem` on a map, at the start.

    `lookahead` is how many cells a route has room for, `span` how much of the log is kept, and `reader` the controller.
    """

    def __init__(
        self, problem: Problem, model: str, tick: float, *, lookahead: int, reader: Reader, span: float = ALL
    ) -> None:
        states, n = problem.states, problem.n_agents
        self.states, self.model, self.tick = states, model, tick
        agents = np.zeros(n, AGENT)
        agents["here"] = agents["came"] = problem.starts
        agents["goal"] = problem.goals
        agents["present"] = agents["ours"] = True
        self.crew: AnyCrew = nodes.new_crew(states, agents, model, tick, lookahead)
        self.court = Court(
            _legal(states), np.zeros(nodes.n_places(states), np.int64), np.zeros(n, STATE), problem.routes.copy(),
            problem.pool, new_random(problem.seed), np.zeros(3, np.int64), problem.drops,
        )  # fmt: skip
        self.rules = RefereeRules(tick, problem.loops, problem.is_one_shot, model == STEPS, model == TURNS)
        goals = np.zeros(n, ROW)
        goals["agent"], goals["cell"], goals["kind"] = np.arange(n), problem.goals, GOAL
        self.log = Log(self.court.counts, beginning(states, problem.starts), span, tick, reader, goals)

    @property
    def grid(self) -> Grid:
        """The square grid on which all agents are points."""
        if isinstance(self.states, Grid):
            return self.states
        raise NotSupported(f"this works for points on square grids, not for agents in {self.states!r}")

    @property
    def ticks(self) -> int:
        """How many ticks have passed."""
        return int(self.crew.counts[TICK])

    @ticks.setter
    def ticks(self, ticks: int) -> None:
        self.crew.counts[TICK] = ticks

    @property
    def time(self) -> float:
        """What the clock shows."""
        return float(self.crew.counts[TICK] * self.tick)

    @property
    def n_agents(self) -> int:
        """How many agents there have been."""
        return len(self.crew.agents)

    def record(self, is_over: bool) -> Record:
        """The log up to now, or until the last move has ended if all `is_over`."""
        last = float(self.crew.agents["ready"].max(initial=0.0))
        return self.log.record(self.time, max(self.time, last) if is_over else self.time, self.model)

    def note(self, agent: int, kind: int, cell: int) -> None:
        """Add a row to the log."""
        self.log.note(self.time, agent, kind, cell)

    def apply(self, event: Event, changes: Changes) -> Event | None:
        """Let `event` happen, and add who and what changes to `changes`; return what of it must wait for a cell."""
        if event.kind == JOIN:
            start, goal = (self._node(place, event.body) for place in event.places)
            if not self._is_empty(start):
                return event
            changes.agents.append(self.n_agents)
            self._join(start, nodes.stand(self.states, goal))
        elif event.kind in EDITS:
            where = nodes.cells_or_edges(self.states, event.kind, event.places)
            in_use = nodes.in_use(self.states, event.kind, where, self.crew)
            self._edit(event.kind, [cell for cell, waits in zip(where, in_use, strict=True) if not waits], changes)
            taken = [place for place, waits in zip(event.places, in_use, strict=True) if waits]
            return replace(event, places=tuple(taken)) if taken else None
        elif event.agent < self.n_agents and self.crew.agents[event.agent]["present"]:
            if event.kind == PUT:
                there = self.node_at(event.agent, event.places[0])
                if not self._is_empty(there, event.agent):
                    return event
                self.put(event.agent, there)
            else:
                where = [nodes.stand(self.states, self.node_at(event.agent, place)) for place in event.places]
                self._order(event.agent, event.kind, where)
            changes.agents.append(event.agent)
        return None

    def node_at(self, agent: int, place: Any) -> int:
        """The node of `agent` when it is at `place`."""
        kind = nodes.kind_of(self.states, int(self.crew.agents[agent]["here"]))
        return nodes.node_of(self.states, place, kind)

    def holders(self, node: int) -> list[int]:
        """The agents that hold places of `node`."""
        return nodes.holders(self.states, self.crew.occupant, node)

    def _node(self, place: Any, body: Body | None) -> int:
        return nodes.node_of(self.states, place, nodes.kind_number(self.states, body))

    def _is_empty(self, node: int, agent: int | None = None) -> bool:
        """Whether `node` is free, and nobody but `agent` holds a place of it."""
        return self.states.is_free(node) and self.holders(node) in ([], [agent])

    def _take(self, agent: int, node: int) -> None:
        self.crew.occupant[nodes.places_of(self.states, node)] = agent

    def _order(self, number: int, kind: int, where: list[int]) -> None:
        """Give agent `number` another goal, let it leave, or change who moves it."""
        agent = self.crew.agents[number]
        here = agent["here"]
        if kind == GOAL:
            agent["goal"], agent["done"] = where[0], False
            self.note(number, GOAL, where[0])
        elif kind == LEAVE:
            agent["present"] = False
            self._take(int(NOBODY), int(here))
            self.note(number, LEAVE, here)
        elif kind in (RELEASE, HOLD):
            agent["ours"], agent["done"] = False, False
            self.court.states[number]["held"] = kind == HOLD
            self.note(number, RELEASE, here)
        elif kind == RESUME and not agent["ours"]:
            agent["ours"], self.court.states[number]["held"] = True, False
            for row in (LEAVE, JOIN):  # the log says in this way that it is ours from now on
                self.note(number, row, here)

    def put(self, number: int, there: int) -> None:
        """Take agent `number` away and let it appear at `there`, which is free; the log says that it leaves and joins."""
        agent = self.crew.agents[number]
        self.note(number, LEAVE, agent["here"])
        self._take(int(NOBODY), int(agent["here"]))
        agent["here"] = agent["came"] = there
        agent["ready"], agent["refused"], agent["done"] = self.time, False, False
        self._take(number, there)
        self.note(number, JOIN, there)
        if not agent["ours"]:
            self.note(number, RELEASE, there)
        elif nodes.stand(self.states, there) == agent["goal"]:
            self.log.need_room(2, self.time)
            referee.arrive(
                crew=self.crew, court=self.court, log=self.log.rows, number=number, now=self.time, rules=self.rules
            )

    def _edit(self, kind: int, where: list[int], changes: Changes) -> None:
        """Block or free the cells `where`, or close or open the lanes of these edges."""
        if not where:
            return
        self.states = edited(self.states, kind, where)
        self._use_states()
        for cell in where:
            self.note(0, kind, cell)
        changes.cells += nodes.cells_of(self.states, kind, where)

    def _use_states(self) -> None:
        """Let the referee judge by the nodes as they are."""
        self.crew = self.crew._replace(occupant=nodes.occupants(self.states, self.crew.agents))
        if isinstance(self.states, Grid):
            self.court = self.court._replace(legal=self.states.legal)
            return
        assert isinstance(self.crew, StateCrew)
        self.crew = self.crew._replace(occupancy=self.states.occupancy)
        self.court = self.court._replace(claimed=np.zeros(nodes.n_places(self.states), np.int64))

    def _join(self, start: int, goal: int) -> None:
        """Add an agent that walks between `goal` and `start` as often as the others do, or once."""
        crew, court, number = self.crew, self.court, self.n_agents
        self.crew = crew._replace(
            agents=with_rows(crew.agents, number + 1),
            route=with_rows(crew.route, number + 1),
            answers=with_rows(crew.answers, number + 1),
            asked=with_rows(crew.asked, number + 1),
        )
        self.court = court._replace(
            states=with_rows(court.states, number + 1), visits=with_rows(court.visits, number + 1)
        )
        agent = self.crew.agents[number]
        agent["here"] = agent["came"] = start
        agent["goal"], agent["ready"] = goal, self.time
        agent["present"] = agent["ours"] = True
        self.court.visits[number] = start
        self.court.visits[number, 0] = goal
        self._take(number, start)
        self.log.beginning = self.log.beginning.with_one_more()
        self.note(number, JOIN, start)
        self.note(number, GOAL, goal)

    def save(self, first_map: Grid | StateGraph) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays from which `load` makes this state again, some of them None, and the numbers and texts.

        `first_map` is that on which the agents began.
        """
        first = self.log.beginning
        arrays, about = map_arrays(Maps(first_map, first.states, self.states))
        arrays |= {
            "agents": self.crew.agents, "route": self.crew.route, "answers": self.crew.answers,
            "states": self.court.states, "visits": self.court.visits, "luck": self.court.luck,
            "log": self.log.used, "record_starts": first.starts, "record_goals": first.goals, "record_ours": first.ours,
        }  # fmt: skip
        about |= {
            "model": self.model, "tick": self.tick, "ticks": self.ticks,
            "kept": None if self.log.span == ALL else self.log.span, "began": first.time,
        }  # fmt: skip
        return arrays, about

    def load(self, arrays: Arrays, about: dict[str, Any], maps: Maps, *, goes_on: bool) -> None:
        """Become the state that `save` has described, whose arrays are checked.

        A controller that has no memory of the past does not go on with its routes, nor with the log.
        """
        agents = arrays["agents"]
        n, lookahead = len(agents), self.crew.route.shape[1]
        self.states = maps.now
        self.crew = self.crew._replace(
            agents=agents, asked=np.zeros(n, np.int32), answers=arrays["answers"],
            route=arrays["route"] if goes_on else np.zeros((n, lookahead), np.int32),
        )  # fmt: skip
        self.ticks = about["ticks"]
        self.court = self.court._replace(states=arrays["states"], visits=arrays["visits"], luck=arrays["luck"])
        self._use_states()
        first = Beginning(
            float(about["began"]), maps.at_record, *(arrays[f"record_{name}"] for name in ("starts", "goals", "ours"))
        )
        rows = arrays["log"]
        if not goes_on:
            first, rows = first.after(rows, self.time), rows[:0]
            self.crew.answers["n_route"] = self.crew.answers["at"] = 0
        self.log = Log(self.court.counts, first, self.log.span, self.tick, self.log.reader, rows)


def _legal(states: Grid | StateGraph) -> NDArray[np.uint8]:
    """The moves of cells, of which a graph of states has none."""
    return states.legal if isinstance(states, Grid) else np.zeros(0, np.uint8)

"""The truth of a simulation: where agents are, what happens to them and to the map, and the log of all that.

Events are told to the controller as what has changed (see `wayfolk.algorithms.controllers`). Only the routes that an event
makes wrong are dropped: those of the agents it is about, and those with a move that a new wall forbids.
"""

from __future__ import annotations

import heapq
from abc import abstractmethod
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.task import Task
from wayfolk.errors import BadProblem
from wayfolk.kernels import crew as crew_kernel
from wayfolk.kernels.codes import BLOCK, FREE, GOAL, HOLD, JOIN, LEAVE, MOVE, NOBODY, PUT, RELEASE, RESUME
from wayfolk.kernels.crew import TICK
from wayfolk.kernels.random import new_random
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.events import Event
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import DISTANCE, STEPS, TURNS, Record
from wayfolk.problem.result import Status
from wayfolk.simulation import referee
from wayfolk.simulation.history import ALL, Beginning, beginning
from wayfolk.simulation.referee import N_LOG
from wayfolk.world.grid import Grid
from wayfolk.world.vision import Vision

ABOUT_AGENTS = (GOAL, LEAVE, RELEASE, HOLD, RESUME, MOVE, PUT)


class Truth(Task):
    """Agents on a map, and what happens to them. A `Simulation` lets time pass."""

    problem: Problem
    controller: Controller
    grid: Grid
    model: str
    tick: float
    vision: Vision | None
    kept: float = ALL
    """The units of time of the log that are kept."""
    base: Beginning
    """The world where the kept part of the log begins."""

    def _build(self) -> None:
        problem, grid, n = self.problem, self.grid, self.problem.n_agents
        lasts = np.full(9, self.tick if self.model == TURNS else 1.0)
        if self.model == DISTANCE:
            lasts[:8] = grid.lengths
        occupant = np.full(grid.n_cells, NOBODY, np.int32)
        occupant[problem.starts] = np.arange(n, dtype=np.int32)

        agents = np.zeros(n, crew_kernel.AGENT)
        agents["here"] = agents["came"] = problem.starts
        agents["goal"] = problem.goals
        agents["present"] = agents["ours"] = True
        self.crew = crew_kernel.Crew(
            grid.offsets, lasts, occupant, agents, np.zeros(n, np.int32), np.zeros(2, np.int64),
            np.zeros((n, self.controller.lookahead), np.int32), np.zeros(n, crew_kernel.ANSWER),
        )  # fmt: skip
        self.court = referee.Court(
            grid.legal, np.zeros(grid.n_cells, np.int64), np.zeros(n, referee.STATE), problem.routes.copy(),
            problem.pool, new_random(problem.seed), np.zeros(3, np.int64), problem.drops,
        )  # fmt: skip
        self.rules = referee.RefereeRules(
            self.tick, problem.loops, problem.is_one_shot, self.model == STEPS, self.model == TURNS
        )
        self.base = beginning(grid, problem.starts)
        self.log = np.zeros(max(4096, 16 * n), crew_kernel.ROW)
        self._events: list[tuple[float, int, Event]] = []
        self._n_events = 0
        self._given: dict[int, int] = {}  # steps that the caller has given, which a controller must not replace
        first = self.log[:n]
        first["agent"], first["cell"], first["kind"] = np.arange(n), problem.goals, GOAL
        self.court.counts[N_LOG] = n

    @property
    def time(self) -> float:
        """What the clock shows."""
        return float(self.crew.counts[TICK] * self.tick)

    @property
    def n_agents(self) -> int:
        """How many agents there have been."""
        return len(self.crew.agents)

    @abstractmethod
    def _view(self) -> View:
        """What the controller sees."""

    def happen(self, event: Event) -> None:
        """Let `event` happen when its time comes, or now if that has passed."""
        self._check(event)
        self._await(event)

    def _await(self, event: Event) -> None:
        heapq.heappush(self._events, (float(event.time), self._n_events, event))
        self._n_events += 1
        if self.status.is_final:
            self.status = Status.RUNNING

    def _check(self, event: Event) -> None:
        for place in event.places:
            cell = self.grid.cell(place)
            if event.kind in (GOAL, JOIN, PUT) and not self._will_be_free(cell, event.time):
                what = "an agent" if event.kind == PUT else "a start or goal"
                raise BadProblem(f"an event at time {event.time} puts {what} into a wall at {place}")
        joining = sum(waiting.kind == JOIN for _, _, waiting in self._events)
        if event.kind in ABOUT_AGENTS and not 0 <= event.agent < self.n_agents + joining:
            raise BadProblem(f"an event at time {event.time} is about agent {event.agent}, who does not exist")

    def _will_be_free(self, cell: int, when: float) -> bool:
        """Whether `cell` is free after the events that are due by then."""
        edits = [
            (due, number, event.kind == FREE)
            for due, number, event in self._events
            if due <= when and event.kind in (BLOCK, FREE) and cell in map(self.grid.cell, event.places)
        ]
        return max(edits)[2] if edits else self.grid.is_free(cell)

    def _tell(self, agents: list[int], cells: list[int]) -> None:
        """Drop the routes that a change makes wrong, those of `agents` and through walls, and tell the controller."""
        view = self._view()
        change = Change(np.unique(np.array(agents, np.int32)), np.unique(np.array(cells, np.int32)))
        self.crew.answers["n_route"][change.agents] = self.crew.answers["at"][change.agents] = 0
        if change.cells.size:
            reach = self.grid.stride + 1  # a new wall takes away moves of the cells beside it
            first, last = int(change.cells[0]) - reach, int(change.cells[-1]) + reach
            crew_kernel.drop_routes(self.crew, view.grid.legal, first, last)
        self.controller.update(view, change)

    def _apply_events(self) -> None:
        """Let everything happen that is due, and tell the controller. What cannot happen yet is tried again."""
        late: list[tuple[float, int, Event]] = []
        agents: list[int] = []
        cells: list[int] = []
        steps: list[Event] = []
        while self._events and self._events[0][0] <= self.time + 1e-9:
            _, number, event = heapq.heappop(self._events)
            if event.kind == MOVE:
                steps.append(event)
                continue
            waiting = self._apply(event, agents, cells)
            if waiting is not None:
                late.append((self.time + self.tick, number, waiting))
        for entry in late:
            heapq.heappush(self._events, entry)
        steps = [event for event in steps if event.agent < self.n_agents]
        agents += [event.agent for event in steps if self.crew.agents[event.agent]["ours"]]
        if agents or cells:
            self._tell(agents, cells)
        for event in steps:
            self._take_step(event.agent, self.grid.cell(event.places[0]))

    def _take_step(self, agent: int, there: int) -> None:
        """Let the next move of `agent` be the one to `there`; an agent that had stopped moving for good goes on."""
        if self.crew.agents[agent]["present"]:
            self.crew.agents[agent]["done"] = False
            self.crew.route[agent, 0] = there
            self.crew.answers[agent]["n_route"], self.crew.answers[agent]["at"] = 1, 0
            self._given[agent] = there

    def _apply(self, event: Event, agents: list[int], cells: list[int]) -> Event | None:
        """Let `event` happen, and add who and what changes to `agents` and `cells`; what of it must wait for a cell."""
        crew = self.crew
        where = [self.grid.cell(place) for place in event.places]
        if event.kind == JOIN:
            if crew.occupant[where[0]] != NOBODY or not self.grid.is_free(where[0]):
                return event
            agents.append(self.n_agents)
            self._join(*where)
        elif event.kind == BLOCK:
            is_empty = [crew.occupant[cell] == NOBODY for cell in where]
            self._edit(BLOCK, [cell for cell, empty in zip(where, is_empty, strict=True) if empty], cells)
            taken = [place for place, empty in zip(event.places, is_empty, strict=True) if not empty]
            return replace(event, places=tuple(taken)) if taken else None
        elif event.kind == FREE:
            self._edit(FREE, where, cells)
        elif event.agent < self.n_agents and crew.agents[event.agent]["present"]:
            if event.kind == PUT:
                if crew.occupant[where[0]] not in (NOBODY, event.agent) or not self.grid.is_free(where[0]):
                    return event
                self._put(event.agent, where[0])
            else:
                self._order(event.agent, event.kind, where)
            agents.append(event.agent)
        return None

    def _order(self, number: int, kind: int, where: list[int]) -> None:
        """Give agent `number` another goal, let it leave, or change who moves it."""
        agent = self.crew.agents[number]
        here = agent["here"]
        if kind == GOAL:
            agent["goal"], agent["done"] = where[0], False
            self._note(number, GOAL, where[0])
        elif kind == LEAVE:
            agent["present"] = False
            self.crew.occupant[here] = NOBODY
            self._note(number, LEAVE, here)
        elif kind in (RELEASE, HOLD):
            agent["ours"], agent["done"] = False, False
            self.court.states[number]["held"] = kind == HOLD
            self._note(number, RELEASE, here)
        elif kind == RESUME and not agent["ours"]:
            agent["ours"], self.court.states[number]["held"] = True, False
            for row in (LEAVE, JOIN):  # the log says in this way that it is ours from now on
                self._note(number, row, here)

    def _put(self, number: int, there: int) -> None:
        """Take agent `number` away and let it appear at `there`, which is free; the log says that it leaves and joins."""
        agent, occupant = self.crew.agents[number], self.crew.occupant
        self._note(number, LEAVE, agent["here"])
        occupant[agent["here"]] = NOBODY
        agent["here"] = agent["came"] = there
        agent["ready"], agent["refused"], agent["done"] = self.time, False, False
        occupant[there] = number
        self._note(number, JOIN, there)
        if not agent["ours"]:
            self._note(number, RELEASE, there)
        elif there == agent["goal"]:
            if self.court.counts[N_LOG] + 2 > len(self.log):
                self._make_room()
            referee.arrive(
                crew=self.crew, court=self.court, log=self.log, number=number, now=self.time, rules=self.rules
            )

    def _edit(self, kind: int, where: list[int], cells: list[int]) -> None:
        """Block or free the cells `where`; those that change the map controllers know are added to `cells`."""
        if not where:
            return
        self.grid = self.grid.with_blocked(where) if kind == BLOCK else self.grid.with_freed(where)
        self.court = self.court._replace(legal=self.grid.legal)
        for cell in where:
            self._note(0, kind, cell)
        if self.vision is None:
            cells.extend(where)
        else:
            self.vision.truth = self.grid

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
        self.crew.occupant[start] = number
        self.base = self.base.with_one_more()
        self._note(number, JOIN, start)
        self._note(number, GOAL, goal)

    def _note(self, agent: int, kind: int, cell: int) -> None:
        if self.court.counts[N_LOG] == len(self.log):
            self._make_room()
        row = int(self.court.counts[N_LOG])
        self.log[row] = (self.time, agent, cell, kind)
        self.court.counts[N_LOG] = row + 1

    def _make_room(self) -> None:
        """Drop the rows of the log that are not kept, and enlarge it if that leaves less than half of it empty."""
        self._forget()
        while 2 * self.court.counts[N_LOG] > len(self.log) or 16 * self.n_agents > len(self.log):
            self.log = np.concatenate([self.log, np.zeros_like(self.log)])

    def _forget(self) -> None:
        """Drop the rows of the log that are not kept, as far as the controller does not need them."""
        if self.kept == ALL or self.time <= self.kept:
            return
        first = float((self.crew.counts[TICK] - np.ceil(self.kept / self.tick)) * self.tick)
        n = int(self.court.counts[N_LOG])
        times, needed = self.log["time"][:n], self.controller.first_row()
        old = int(np.searchsorted(times, first - 1e-9))
        if needed is not None and needed < old:  # what has happened at one time stays together
            old = int(np.searchsorted(times, times[needed]))
            first = float(times[old])
        if not old:
            return
        self.controller.forget_rows(old)
        self.base = self.base.after(self.log[:old], first)
        self.log[: n - old] = self.log[old:n].copy()
        self.court.counts[N_LOG] = n - old

    def record(self) -> Record:
        """The log up to now, or the part of it that is kept; its times count from `began`."""
        self._forget()
        n = int(self.court.counts[N_LOG])
        over = float(self.crew.agents["ready"].max(initial=0.0))
        end = max(self.time, over) if self.status.is_final else self.time
        log: NDArray[np.void] = self.log[:n]
        if self.base.time > 0:
            log = np.concatenate([self.base.rows(), log])
        time = log["time"] - self.base.time
        return Record(
            grid=self.base.grid,
            starts=self.base.starts.copy(),
            time=np.rint(time) if self.model == STEPS else time,
            agent=log["agent"].copy(),
            kind=log["kind"].copy(),
            cell=log["cell"].copy(),
            end=end - self.base.time,
            model=self.model,
            tick=self.tick,
            began=self.base.time,
        )

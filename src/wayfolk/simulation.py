"""Simulation: the clock and the referee. It owns the truth; controllers only propose.

    simulate(patrol(grid, agents=100), "lra", radius=5) -> Run

Time models: in `steps` every action takes one step and all agents act at once; in `distance` agents move at unit speed, so
that a diagonal takes 1.41, the clock ticks in small increments, and a refused move takes no time but drops the route.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wayfolk import catalogue
from wayfolk.controllers import NOBODY, Controller, View
from wayfolk.errors import BadInput, BadProblem
from wayfolk.events import Event
from wayfolk.grid import Grid
from wayfolk.kernels import crew as crew_kernel
from wayfolk.kernels import referee
from wayfolk.kernels.crew import N_LOG, TICK
from wayfolk.kernels.mind import AskPython
from wayfolk.kernels.random import new_random
from wayfolk.problem import Problem
from wayfolk.record import BLOCK, DISTANCE, FREE, GOAL, JOIN, LEAVE, REFUSED, RELEASE, STEPS, THOUGHT, Record
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.runs import LAP, Run
from wayfolk.task import Task, checked_limits, finish
from wayfolk.vision import Vision

TICKS = {STEPS: 1.0, DISTANCE: 0.03}


@dataclass
class Thoughts(Counters):
    """What controllers do; `expanded_most` is the most that an agent expanded when it planned once."""

    expanded_most: int = 0


class Simulation(Task):
    """Agents under a controller, advanced tick by tick. Events come from a list or, at any pause, from `happen`.

    Other options are the controller's. Those that are called like one of the simulation's go into `own`: `vision` here is
    how far agents see of a map that is not known, and may be something else to the controller.
    """

    def __init__(
        self,
        problem: Problem,
        controller: str = "whca",
        *,
        model: str = STEPS,
        tick: float | None = None,
        events: Iterable[Event] = (),
        vision: float | None = None,
        seed: int = 0,
        clock: bool = False,
        own: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if model not in TICKS:
            raise BadInput(f"there is no time model {model!r}: choose {' or '.join(TICKS)}")
        if tick is not None and not (model == DISTANCE and 0 < tick <= 1):
            raise BadInput(f"tick must be above 0 and at most 1, in the model {DISTANCE}; not {tick}")
        entry = catalogue.find(controller, "controllers")
        self.problem, self.algorithm, self.model, self.seed = problem, entry.name, model, seed
        self.options = entry.checked(options | dict(own or {}))
        self.grid = problem.grid
        self.tick = TICKS[model] if tick is None else tick
        self.vision = None if vision is None else Vision(problem.grid, vision)
        self.laps: list[tuple[float, float, int]] | None = [] if clock else None
        self.brain: Controller = entry.load()(problem, seed=seed, **self.options)
        self._build()
        self._events: list[tuple[float, int, Event]] = []
        self._n_events = 0
        self.brain.prepare(self._view())
        for event in sorted(events, key=lambda event: event.time):
            self.happen(event)

    def _build(self) -> None:
        problem, grid, n = self.problem, self.grid, self.problem.n_agents
        lasts = np.ones(9)
        if self.model == DISTANCE:
            lasts[:8] = grid.lengths
        occupant = np.full(grid.n_cells, NOBODY, np.int32)
        occupant[problem.starts] = np.arange(n, dtype=np.int32)

        agents = np.zeros(n, crew_kernel.AGENT)
        agents["here"] = agents["came"] = problem.starts
        agents["goal"] = problem.goals
        agents["present"] = agents["ours"] = True
        self.crew = crew_kernel.Crew(
            grid.legal, grid.offsets, lasts, occupant, np.zeros(grid.n_cells, np.int64), agents,
            problem.routes.copy(), problem.pool, new_random(problem.seed),
            np.zeros((n, self.brain.lookahead), np.int32), np.zeros(n, np.int32), np.zeros(4, np.int64),
        )  # fmt: skip
        self.starts = problem.starts.copy()
        self.log = np.zeros(max(4096, 16 * n), crew_kernel.ROW)
        for agent in range(n):
            self._note(agent, GOAL, problem.goals[agent])
        self._changed: list[int] = []
        self._seconds = 0.0

    @property
    def time(self) -> float:
        """What the clock shows."""
        return float(self.crew.counts[TICK] * self.tick)

    @property
    def n_agents(self) -> int:
        """How many agents there have been."""
        return len(self.crew.agents)

    def happen(self, event: Event) -> None:
        """Let `event` happen when its time comes, or now if that has passed."""
        self._check(event)
        heapq.heappush(self._events, (float(event.time), self._n_events, event))
        self._n_events += 1
        if self.status.is_final:
            self.status = Status.RUNNING

    def _check(self, event: Event) -> None:
        for place in event.places:
            cell = self.grid.cell(place)
            if event.kind in (GOAL, JOIN) and not self._will_be_free(cell, event.time):
                raise BadProblem(f"an event at time {event.time} puts a start or goal into a wall at {place}")
        joining = sum(waiting.kind == JOIN for _, _, waiting in self._events)
        if event.kind in (GOAL, LEAVE, RELEASE) and not 0 <= event.agent < self.n_agents + joining:
            raise BadProblem(f"an event at time {event.time} is about agent {event.agent}, who does not exist")

    def _will_be_free(self, cell: int, when: float) -> bool:
        """Whether `cell` is free after the events that are due by then."""
        edits = [
            (due, number, event.kind == FREE)
            for due, number, event in self._events
            if due <= when and event.kind in (BLOCK, FREE) and cell in map(self.grid.cell, event.places)
        ]
        return max(edits)[2] if edits else self.grid.is_free(cell)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass. With a clock they pass one by one, and the seconds of each are noted."""
        if self.laps is None:
            return self._advance(budget)
        stop = min(int(self.crew.counts[TICK]) + budget, NO_LIMIT)
        while self.crew.counts[TICK] < stop and not self.status.is_final:
            n_ours = int((self.crew.agents["present"] & self.crew.agents["ours"]).sum())
            before = self._seconds
            self._advance(1)
            self.laps.append((self.time, self._seconds - before, n_ours))
        return self.status

    def _advance(self, budget: int) -> Status:
        began = time.perf_counter()
        stop = min(int(self.crew.counts[TICK]) + budget, NO_LIMIT)
        while not self.status.is_final:
            code = referee.run(
                self.crew, self.log, self.brain.mind, self.tick, self.problem.loops,
                self.problem.is_one_shot, self.model == STEPS, self._next_stop(stop),
                self._events[0][0] if self._events else np.inf,
            )  # fmt: skip
            if self.vision is not None:
                self._look()
            if code == referee.ASK:
                self._ask()
            elif code == referee.LOG_FULL:
                self._grow_log()
            elif code == referee.EVENT:
                self._apply_events()
            elif code == referee.FINISHED:
                self.status = Status.RUNNING if self._events else Status.SOLVED
                if self._events:  # nobody has anything to do until the next event
                    self.crew.counts[TICK] = int(np.ceil(self._events[0][0] / self.tick))
                    self._apply_events()
            elif self.crew.counts[TICK] >= stop:
                break
        self._seconds += time.perf_counter() - began
        return self.status

    def _next_stop(self, stop: int) -> int:
        """With limited sight somebody must look around after every tick."""
        return stop if self.vision is None else min(stop, int(self.crew.counts[TICK]) + 1)

    def _look(self) -> None:
        """Reveal what agents see; whoever relied on a wall being free must think again."""
        assert self.vision is not None
        found = self.vision.look(self.crew.agents["here"][self.crew.agents["present"]])
        if found.size:
            self._changed.extend(found.tolist())
            self._think_anew()

    def _ask(self) -> None:
        """Let the controller decide in Python, or make room for its mind."""
        view, crew = self._view(), self.crew
        if not isinstance(self.brain.mind, AskPython):
            self.brain.decide(view)
        else:
            asked = view.asked.copy()
            before = self.brain.expanded[asked]
            self.brain.decide(view)
            for agent, spent in zip(asked.tolist(), (self.brain.expanded[asked] - before).tolist(), strict=True):
                self._note(agent, THOUGHT, spent)
            silent = asked[crew.agents["n_route"][asked] == 0]
            crew.route[silent, 0] = crew.agents["here"][silent]
            crew.agents["n_route"][silent] = 1
        self._changed.clear()

    def _view(self) -> View:
        known = self.grid if self.vision is None else self.vision.known
        return View(self.time, known, self.crew, np.array(self._changed, np.int32))

    def _think_anew(self) -> None:
        """Something has changed: drop all routes."""
        self.crew.agents["n_route"] = self.crew.agents["at"] = 0
        self.brain.prepare(self._view())

    def _apply_events(self) -> None:
        """Let everything happen that is due; afterwards everybody thinks anew. What cannot happen yet is tried again."""
        late, happened = [], False
        while self._events and self._events[0][0] <= self.time + 1e-9:
            _, number, event = heapq.heappop(self._events)
            if self._apply(event):
                happened = True
            else:
                late.append((self.time + self.tick, number, event))
        for waiting in late:
            heapq.heappush(self._events, waiting)
        if happened:
            self._think_anew()

    def _apply(self, event: Event) -> bool:
        """Whether `event` could happen; a cell may be occupied."""
        crew = self.crew
        cells = [self.grid.cell(place) for place in event.places]
        if event.kind == JOIN:
            if crew.occupant[cells[0]] != NOBODY or not self.grid.is_free(cells[0]):
                return False
            self._join(*cells)
        elif event.kind == BLOCK:
            if any(crew.occupant[cell] != NOBODY for cell in cells):
                return False
            self._edit(self.grid.with_blocked(cells), BLOCK, cells)
        elif event.kind == FREE:
            self._edit(self.grid.with_freed(cells), FREE, cells)
        elif event.agent < self.n_agents and crew.agents[event.agent]["present"]:
            agent = crew.agents[event.agent]
            if event.kind == GOAL:
                agent["goal"], agent["done"] = cells[0], False
                self._note(event.agent, GOAL, cells[0])
            elif event.kind == LEAVE:
                agent["present"] = False
                crew.occupant[agent["here"]] = NOBODY
                self._note(event.agent, LEAVE, agent["here"])
            elif event.kind == RELEASE:
                agent["ours"], agent["done"] = False, False
                self._note(event.agent, RELEASE, agent["here"])
        return True

    def _edit(self, grid: Grid, kind: int, cells: list[int]) -> None:
        self.grid = grid
        self.crew = self.crew._replace(legal=grid.legal)
        for cell in cells:
            self._note(0, kind, cell)
        if self.vision is None:
            self._changed.extend(cells)
        else:
            self.vision.truth = grid

    def _join(self, start: int, goal: int) -> None:
        """Add an agent that walks between `goal` and `start` as often as the others do, or once."""
        crew, number = self.crew, self.n_agents
        agent = np.zeros(1, crew_kernel.AGENT)
        agent["here"] = agent["came"] = start
        agent["goal"], agent["ready"] = goal, self.time
        agent["present"] = agent["ours"] = True
        visits = np.full((1, crew.visits.shape[1]), start, np.int32)
        visits[0, 0] = goal
        self.crew = crew._replace(
            agents=np.concatenate([crew.agents, agent]),
            visits=np.concatenate([crew.visits, visits]),
            route=np.concatenate([crew.route, np.zeros_like(crew.route[:1])]),
            asked=np.zeros(number + 1, np.int32),
        )
        self.crew.occupant[start] = number
        self.starts = np.append(self.starts, NOBODY)
        self._note(number, JOIN, start)
        self._note(number, GOAL, goal)

    def _grow_log(self) -> None:
        self.log = np.concatenate([self.log, np.zeros_like(self.log)])

    def _note(self, agent: int, kind: int, cell: int) -> None:
        row = int(self.crew.counts[N_LOG])
        if row == len(self.log):
            self._grow_log()
        self.log[row] = (self.time, agent, cell, kind)
        self.crew.counts[N_LOG] = row + 1

    def record(self) -> Record:
        """The log up to now."""
        n = int(self.crew.counts[N_LOG])
        over = float(self.crew.agents["ready"].max(initial=0.0))
        end = max(self.time, over) if self.status.is_final else self.time
        log = self.log[:n]
        return Record(
            self.problem.grid, self.starts, log["time"].copy(), log["agent"].copy(), log["kind"].copy(),
            log["cell"].copy(), end, self.model, self.tick,
        )  # fmt: skip

    def run(self) -> Run:
        """What has happened up to now, with its metrics."""
        return Run(
            self.record(), self.algorithm, self.options, self.seed, self.status, self._seconds,
            self.problem.routes.shape[1], np.array(self.laps or [], LAP),
        )  # fmt: skip

    def result(self) -> Result:
        """As a result: a plan if it is one, and the counts."""
        run = self.run()
        thoughts = run.record.of(THOUGHT)
        spent = run.record.cell[thoughts]
        counters = Thoughts(
            expanded=int(spent.sum(dtype=np.int64)), replans=len(thoughts), collisions=len(run.record.of(REFUSED)),
            expanded_most=int(spent.max(initial=0)),
        )  # fmt: skip
        made = Result(self.status, self.algorithm, counters=counters, options=self.options, seed=self.seed)
        if self.model == STEPS and not np.isin(run.record.kind, (JOIN, LEAVE)).any():
            made.plan = run.record.plan()
        return made


def simulate(
    problem: Problem,
    controller: str = "whca",
    *,
    until: float | None = None,
    seconds: float | None = None,
    tell: Callable[[Task], None] | None = None,
    **options: Any,
) -> Run:
    """Let `controller` move the agents until all are done, the clock shows `until`, or `seconds` have passed.

    Other options go to the simulation (`model`, `tick`, `events`, `vision`, `seed`, `clock`, `own`) and to the controller.
    """
    checked_limits(seconds, None)
    if problem.pool.size and until is None and seconds is None:
        raise BadProblem("tasks never end: say until which time, or for how many seconds, to simulate")
    if until is not None and not until > 0:
        raise BadProblem(f"until must be more than 0, not {until}")
    if seconds is not None:
        from wayfolk.run import make_ready

        make_ready(controller)
    world = Simulation(problem, controller, **options)
    ticks = None if until is None else max(1, int(np.ceil(until / world.tick)))
    result = finish(world, seconds=seconds, expansions=ticks, tell=tell, portion=8)
    run = world.run()
    run.status = result.status
    return run

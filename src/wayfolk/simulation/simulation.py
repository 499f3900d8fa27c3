"""Simulation: lets time pass. It owns the state of the world; controllers only propose moves.

    simulate(patrol(grid, agents=100), "lra", radius=5) -> Run

    world = Simulation(problem, "bmaa_plus", record=False)     a world in a game's loop
    world.step(), world.places(), world.state(3), world.move(0, (4, 5)), world.send(range(8), (20, 20))

Time models: in `steps` every action takes one step and all agents act at once; in `distance` agents move at unit speed, so
that a diagonal takes 1.41, the clock ticks in small increments, and a refused move takes no time but drops the route. In
`turns` agents act one after another, in the order of their numbers, one action each in a turn of 1.5 units of time;
diagonals may cross. That is the clock of Jansen 2008 on direction maps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers._begin import begin_controller
from wayfolk.algorithms.refusals import check_states
from wayfolk.algorithms.task import Task, checked_seed
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import GOAL, MOVE
from wayfolk.kernels.crew import AnyCrew
from wayfolk.problem import events as happenings
from wayfolk.problem.events import Event, Place
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import STEPS, Record
from wayfolk.problem.result import NO_LIMIT, Result, Status
from wayfolk.simulation import nodes, referee
from wayfolk.simulation.agent_state import AgentState, state_of
from wayfolk.simulation.control import Control
from wayfolk.simulation.event_queue import EventQueue
from wayfolk.simulation.group_goals import goals_around
from wayfolk.simulation.log import span_of
from wayfolk.simulation.run import LAP, Run
from wayfolk.simulation.state import Changes, WorldState
from wayfolk.simulation.step_budget import StepBudget, checked_within
from wayfolk.simulation.time_models import checked_tick
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph
from wayfolk.world.vision import Vision

LOOK_SECONDS = 0.002  # between two looks at the clock, unless one tick takes longer


class Simulation(Task):
    """Agents under a controller, advanced tick by tick. Events come from a list or, at any pause, from `happen`.

    `record` says how much of the log is kept: all of it, none (False), or that of the last units of time ("last 1000"); a
    controller with an option of that name gets it if it is True. Other options are the controller's. An
    option of the controller that has the name of one of the simulation's goes into `own`, such as `own={"vision": 4}`.
    `vision` of the simulation is how far agents see of a map that is not known. `memory` is how many bytes the distance
    fields of a controller may take, by default a quarter of the memory that is free and at most 2 GB. With less, fields
    are searched again more often; agents move the same.
    """

    def __init__(
        self,
        problem: Problem,
        controller: Any = "whca",
        *,
        model: str = STEPS,
        tick: float | None = None,
        events: Iterable[Event] = (),
        vision: float | None = None,
        seed: int = 0,
        clock: bool = False,
        record: bool | str | None = None,
        memory: int | None = None,
        own: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        entry = catalogue.find(controller, "controllers")
        check_states(entry, problem)
        tick = checked_tick(model, tick, entry, problem)
        own_options = options | dict(own or {})
        if record is True and any(option.name == "record" for option in entry.options):
            own_options = {"record": True} | own_options
        seed = checked_seed(seed)
        begun, given = begin_controller(entry, problem, seed, own_options)
        state = WorldState(problem, model, tick, lookahead=begun.lookahead, reader=begun, span=span_of(record))
        sight = None if vision is None else Vision(problem.grid, vision)
        if sight is not None:
            sight.look(problem.starts)
        self._put_together(problem, entry, Control(begun, state, sight, memory), given, seed, clock)
        self.controller.prepare(self.control.view())
        for event in sorted(events, key=lambda event: event.time):
            self.happen(event)

    def _put_together(
        self, problem: Problem, entry: Entry, control: Control, options: dict[str, Any], seed: int, clock: bool = False
    ) -> None:
        self.problem, self.control, self.world_state, self.seed = problem, control, control.state, seed
        self.algorithm, self.options = entry.name, options
        self.has_a_name = not entry.once  # a controller that is an object cannot be begun again
        self.events = EventQueue()
        self.laps: list[tuple[float, float, int]] | None = [] if clock else None
        self.seconds = 0.0
        """Seconds of planning and moving so far."""
        self._lap_began = 0.0  # those before this tick
        self.is_within_step = False
        """Whether `until` has come while agents planned, so that the last step is not over."""

    @classmethod
    def restored(
        cls, problem: Problem, entry: Entry, control: Control, options: dict[str, Any], seed: int
    ) -> Simulation:
        """A simulation that goes on from the state of `control`; its controller is not prepared yet."""
        world = cls.__new__(cls)
        world._put_together(problem, entry, control, options, seed)
        return world

    @property
    def controller(self) -> Controller:
        """What decides."""
        return self.control.controller

    @property
    def crew(self) -> AnyCrew:
        """The agents, as controllers and kernels see them."""
        return self.world_state.crew

    @property
    def states(self) -> Grid | StateGraph:
        """The nodes on which agents are, as they are now: the map itself if these are points on a square grid."""
        return self.world_state.states

    @property
    def grid(self) -> Grid:
        """The map as it is now, if agents are points on a square grid."""
        return self.world_state.grid

    @property
    def tick(self) -> float:
        """The time between two ticks."""
        return self.world_state.tick

    @property
    def time(self) -> float:
        """What the clock shows."""
        return self.world_state.time

    @property
    def n_agents(self) -> int:
        """How many agents there have been."""
        return self.world_state.n_agents

    def step(self, within: float | None = None) -> Status:
        """Let one tick pass, also if no agent has anything to do: what a game calls again and again.

        With `within`, a number of seconds, the step plans for as many agents as fit into that time; the others stand, and
        the next steps plan for them. What happens then depends on how fast the machine is; without it, it does not.
        """
        state = self.world_state
        stop = state.ticks + 1
        if within is None:
            self.lap(leaps=False)
        else:
            self.step_budget.lap(self, checked_within(within))
        state.ticks = max(state.ticks, stop)
        return self.status

    @cached_property
    def step_budget(self) -> StepBudget:
        """What steps with a limit of time have learned."""
        return StepBudget()

    def places(self) -> Any:
        """The place of each agent, as rows of x and y; of an agent that has left, its last place.

        In other worlds than square grids, and for other bodies than points, it is a list of places.
        """
        return self.states.places(self.crew.agents["here"])

    def state(self, agent: int) -> AgentState:
        """What `agent` does: it is moving, waiting (and for whom), blocked (by what), arrived, held, or gone."""
        return state_of(self.world_state, self._known(agent))

    def move(self, agent: int, place: Place) -> None:
        """Let `agent` take a step to `place` at the next tick; raises BadProblem if it is no step from where it is."""
        here = int(self._present(agent)["here"])
        there = nodes.step_to(self.states, here, place)
        if not self.states.is_free(self.world_state.node_at(agent, place)):
            raise BadProblem(f"agent {agent} cannot move to {place}: there is a wall", agent)
        if there is None:
            raise BadProblem(f"agent {agent} cannot move from {self.states.place(here)} to {place} in one step", agent)
        for other in self._others(agent, there):
            if self.world_state.court.states[other]["held"]:
                raise BadProblem(f"agent {agent} cannot move to {place}: agent {other} is held there", agent)
        self.add_event(happenings.move(self.time, agent, place))

    def put(self, agent: int, place: Place) -> None:
        """Take `agent` from where it is and put it to `place`, now; raises BadProblem if that is not free and empty."""
        self._present(agent)
        there = self.world_state.node_at(agent, place)
        if not self.states.is_free(there):
            raise BadProblem(f"agent {agent} cannot be put to {place}: there is a wall", agent)
        others = self._others(agent, there)
        if others:
            raise BadProblem(f"agent {agent} cannot be put to {place}: agent {others[0]} is there", agent)
        self.world_state.put(agent, there)
        self._changed(agent)

    def hold(self, agent: int) -> None:
        """Let nobody but the caller move `agent` from now on, by `move` and `put`; until then it stands still."""
        self._present(agent)
        self.world_state.apply(happenings.hold(self.time, agent), Changes())
        self._changed(agent)

    def resume(self, agent: int) -> None:
        """Give `agent`, which was held or released, back to the controller."""
        self._present(agent)
        self.world_state.apply(happenings.resume(self.time, agent), Changes())
        self._changed(agent)

    def close(self, lanes: Sequence[tuple[Place, Place]]) -> None:
        """Close lanes, each from the first to the second place of a pair; one with a slow agent on it, when that is off."""
        self.happen(happenings.close_lanes(self.time, lanes))

    def open(self, lanes: Sequence[tuple[Place, Place]]) -> None:
        """Open lanes again that were closed."""
        self.happen(happenings.open_lanes(self.time, lanes))

    def send(self, agents: Iterable[int], place: Place) -> Any:
        """Send `agents` to `place`: each gets a cell of its own around it as its goal. Returns the goals, as `places` does.

        The goals are the free cells that are fewest steps from `place`; each goes to the nearest agent that has none.
        """
        chosen = [int(agent) for agent in agents]
        if len(set(chosen)) < len(chosen):
            raise BadProblem("an agent is named twice in one order")
        here = np.array([self._present(agent)["here"] for agent in chosen], np.int32)
        goals = goals_around(self.states, place, here)
        for agent, goal in zip(chosen, goals.tolist(), strict=True):
            self.add_event(Event(self.time, GOAL, agent, (self.states.place(goal),)))
        return self.states.places(goals)

    def save(self, file: str | Path) -> None:
        """Write the world to a file, from which `read_world` lets it go on."""
        from wayfolk.simulation.world_file import write_world

        write_world(self, file)

    def _known(self, agent: int) -> int:
        if not 0 <= agent < self.n_agents:
            raise BadProblem(f"there is no agent {agent}: they are 0 to {self.n_agents - 1}")
        return int(agent)

    def _present(self, agent: int) -> np.void:
        row: np.void = self.crew.agents[self._known(agent)]
        if not row["present"]:
            raise BadProblem(f"agent {agent} has left", agent)
        return row

    def _others(self, agent: int, node: int) -> list[int]:
        """The agents other than this one that hold places of `node`."""
        return [other for other in self.world_state.holders(node) if other != agent]

    def _changed(self, agent: int) -> None:
        """Tell the controller that something has happened to `agent`, and let time pass again if all was done."""
        self.control.tell(Changes([agent]))
        self.status = Status.RUNNING

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass, fewer if `until` comes first; `unspent` are left then.

        With a clock they pass one by one, and the seconds of each are noted.
        """
        self.unspent = 0
        if self.laps is None and self.until == math.inf:
            return self._advance(budget)
        stop = min(self.world_state.ticks + budget, NO_LIMIT)
        portion = 1
        while self.world_state.ticks < stop and not self.status.is_final:
            if self.laps is None:
                began = time.perf_counter()
                self._advance(min(portion, stop - self.world_state.ticks))
                portion = 2 * portion if time.perf_counter() - began < LOOK_SECONDS else max(1, portion // 2)
            else:
                self.lap()
            if time.perf_counter() >= self.until:
                self.unspent = max(0, stop - self.world_state.ticks)
                break
        return self.status

    def lap(self, leaps: bool = True) -> None:
        """Let one tick pass, and note its seconds if there is a clock."""
        if self.laps is None or self.status.is_final:
            self._advance(1, leaps)
            return
        n_ours = int((self.crew.agents["present"] & self.crew.agents["ours"]).sum())
        ticks = self.world_state.ticks
        self._advance(1, leaps)
        if self.world_state.ticks > ticks or self.status.is_final:  # else the step goes on later
            self.laps.append((self.time, self.seconds - self._lap_began, n_ours))
            self._lap_began = self.seconds

    def _advance(self, budget: int, leaps: bool = True) -> Status:
        """Let up to `budget` ticks pass; with `leaps`, the clock goes on to the next event if there is nothing to do."""
        began, loaded = time.perf_counter(), len(LOADED)  # compiling and loading kernels does not count
        state, controller, vision = self.world_state, self.controller, self.control.vision
        stop = min(state.ticks + budget, NO_LIMIT)
        self.is_within_step = False
        while not self.status.is_final:
            code = referee.run(
                crew=state.crew, court=state.court, log=state.log.rows, arrays=controller.arrays, rules=state.rules,
                stop_tick=stop if vision is None else min(stop, state.ticks + 1), next_event=self.events.next_time,
            )  # fmt: skip
            if vision is not None:
                self.control.look()
            if code == referee.ASK:
                self.control.ask()
                if time.perf_counter() >= self.until:  # the step goes on where it is when this is called again
                    self.is_within_step = True
                    break
            elif code == referee.LOG_FULL:
                state.log.make_room(self.time)
            elif code == referee.EVENT:
                self.apply_events()
            elif code == referee.FINISHED:
                self.status = Status.RUNNING if self.events else Status.SOLVED
                if self.events and leaps:  # no agent has anything to do until the next event
                    state.ticks = int(np.ceil(self.events.next_time / self.tick))
                    self.apply_events()
                elif self.events:
                    state.ticks = stop
            elif state.ticks >= stop:
                break
        self.seconds += time.perf_counter() - began - loading_seconds(loaded)
        return self.status

    def happen(self, event: Event) -> None:
        """Let `event` happen when its time comes, or now if that has passed."""
        self.events.check(event, self.states, self.crew.agents)
        self.add_event(event)

    def add_event(self, event: Event) -> None:
        """Let `event`, which is known to be possible, happen when its time comes."""
        self.events.add(event)
        if self.status.is_final:
            self.status = Status.RUNNING

    def apply(self, event: Event, changes: Changes) -> Event | None:
        """Let `event` happen now, and add to `changes` what the controller hears; return what of it must wait."""
        waiting = self.world_state.apply(event, changes)
        vision = self.control.vision
        if vision is not None and changes.cells:  # agents must see it first
            vision.truth = self.grid
            changes.cells.clear()
        return waiting

    def apply_events(self) -> None:
        """Let everything happen that is due, and tell the controller. What cannot happen yet is tried again."""
        late: list[tuple[int, Event]] = []
        changes, steps = Changes(), []
        for number, event in self.events.take(self.time):
            if event.kind == MOVE:
                steps.append(event)
                continue
            waiting = self.apply(event, changes)
            if waiting is not None:
                late.append((number, waiting))
        for number, event in late:
            self.events.put_back(self.time + self.tick, number, event)
        steps = [event for event in steps if event.agent < self.n_agents]
        changes.agents += [event.agent for event in steps if self.crew.agents[event.agent]["ours"]]
        if changes.agents or changes.cells:
            self.control.tell(changes)
        for event in steps:
            here = int(self.crew.agents["here"][event.agent])
            there = nodes.step_to(self.states, here, event.places[0])
            if there is None:  # the referee refuses it
                there = self.world_state.node_at(event.agent, event.places[0])
            self.control.take_step(event.agent, there)

    def record(self) -> Record:
        """The log up to now, or the part of it that is kept; its times count from `began`."""
        return self.world_state.record(self.status.is_final)

    def run(self) -> Run:
        """What has happened up to now, with its metrics."""
        return Run(
            record=self.record(),
            algorithm=self.algorithm,
            options=dict(self.options),
            seed=self.seed,
            status=self.status,
            seconds=self.seconds,
            legs=self.problem.routes.shape[1],
            laps=np.array(self.laps or [], LAP),
            layers=self.controller.layers(),
            is_endless=self.problem.pool.size > 0,
        )

    def result(self) -> Result:
        """As a result: a plan if it is one, and the counts."""
        return self.run().result()

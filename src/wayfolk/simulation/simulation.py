"""Simulation: the clock and the referee. It owns the truth; controllers only propose.

    simulate(patrol(grid, agents=100), "lra", radius=5) -> Run

    world = Simulation(problem, "bmaa_plus", record=False)     a world in a game's loop
    world.step(), world.places(), world.state(3), world.move(0, (4, 5)), world.send(range(8), (20, 20))

Time models: in `steps` every action takes one step and all agents act at once; in `distance` agents move at unit speed, so
that a diagonal takes 1.41, the clock ticks in small increments, and a refused move takes no time but drops the route. In
`turns` agents act one after another, in the order of their numbers, one action each in a turn of 1.5 units of time;
diagonals may cross. That is the clock of the Direction Map thesis.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.controllers import View
from wayfolk.algorithms.controllers._begin import begin_controller
from wayfolk.algorithms.task import checked_seed
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels.codes import GOAL, NOBODY, REFUSED, THOUGHT
from wayfolk.kernels.crew import TICK
from wayfolk.kernels.planning import AskPython
from wayfolk.problem import events as happenings
from wayfolk.problem.events import Event, Place
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import DISTANCE, STEPS, TURNS
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.simulation import referee
from wayfolk.simulation.groups import goals_around
from wayfolk.simulation.history import kept_time
from wayfolk.simulation.pace import Pace, checked_within
from wayfolk.simulation.run import LAP, Run
from wayfolk.simulation.states import AgentState, state_of
from wayfolk.simulation.truth import Truth
from wayfolk.world.vision import Vision

LOOK_SECONDS = 0.002  # between two looks at the clock, unless one tick takes longer
TICKS = {STEPS: 1.0, DISTANCE: 0.03, TURNS: 1.5}


def models_of(entry: Entry) -> tuple[str, ...]:
    """The time models in which a controller works: its fact MODELS, or those in which agents act at the same time."""
    models: tuple[str, ...] = entry.facts.get("MODELS", (STEPS, DISTANCE))
    return models


def checked_memory(memory: int | None) -> int | None:
    """`memory` if it is a number of bytes, or None."""
    if memory is not None and (isinstance(memory, bool) or not isinstance(memory, int) or memory < 1):
        raise BadInput(f"memory must be a whole number of bytes above 0, not {memory!r}")
    return memory


@dataclass
class Thoughts(Counters):
    """What controllers do; `expanded_most` is the most nodes that one agent expanded when it planned once."""

    expanded_most: int = 0


class Simulation(Truth):
    """Agents under a controller, advanced tick by tick. Events come from a list or, at any pause, from `happen`.

    `record` says how much of the log is kept: all of it, none (False), or that of the last units of time ("last 1000"); a
    controller with an option of that name gets it if it is True. Other options are the controller's. An
    option of the controller that has the name of one of the simulation's goes into `own`, such as `own={"vision": 4}`.
    `vision` of the simulation is how far agents see of a map that is not known. `memory` is how many bytes the distance
    fields of a controller may take, by default a quarter of the memory that is free and at most 2 GB. With less, fields
    are searched again more often; agents move the same.
    """

    memory: int | None = None

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
        if model not in TICKS:
            raise BadInput(f"there is no time model {model!r}: choose {', '.join(TICKS)}")
        if tick is not None and not (model == DISTANCE and 0 < tick <= 1):
            raise BadInput(f"tick must be above 0 and at most 1, in the model {DISTANCE}; not {tick}")
        entry = catalogue.find(controller, "controllers")
        if model not in models_of(entry):
            raise NotSupported(f"{entry.name} knows the time model {' and '.join(models_of(entry))} only, not {model}")
        self.problem, self.algorithm, self.model, self.seed = problem, entry.name, model, checked_seed(seed)
        self.has_a_name = not entry.once  # a controller that is an object cannot be begun again
        self.grid = problem.grid
        self.tick = TICKS[model] if tick is None else tick
        self.vision = None if vision is None else Vision(problem.grid, vision)
        self.laps: list[tuple[float, float, int]] | None = [] if clock else None
        self.kept = kept_time(record)
        self.memory = checked_memory(memory)
        own_options = options | dict(own or {})
        if record is True and any(option.name == "record" for option in entry.options):
            own_options = {"record": True} | own_options
        self.controller, self.options = begin_controller(entry, problem, self.seed, own_options)
        self._build()
        self._seconds = 0.0
        self.controller.prepare(self._view())
        for event in sorted(events, key=lambda event: event.time):
            self.happen(event)

    def step(self, within: float | None = None) -> Status:
        """Let one tick pass, also if no agent has anything to do: what a game calls again and again.

        With `within`, a number of seconds, the step plans for as many agents as fit into that time; the others stand, and
        the next steps plan for them. What happens then depends on how fast the machine is; without it, it does not.
        """
        stop = self.crew.counts[TICK] + 1
        if within is None:
            self._lap(leaps=False)
        else:
            self._lap_within(checked_within(within))
        self.crew.counts[TICK] = max(self.crew.counts[TICK], stop)
        return self.status

    @cached_property
    def pace(self) -> Pace:
        """What steps with a limit of time have learned."""
        return Pace()

    def _lap_within(self, within: float) -> None:
        """Let one tick pass, in which as many agents plan as there is time for after the events."""
        pace, loaded = self.pace, len(LOADED)
        began = pace.clock()
        if self._events and self._events[0][0] <= self.time + 1e-9:
            self._apply_events()
        before = pace.clock()
        left = within - (before - began - loading_seconds(loaded)) if within else 0.0
        n = pace.choose(self.crew, self.time, self.tick, left, self.controller.together)
        loaded = len(LOADED)
        self._lap(leaps=False)
        pace.learn(n, pace.clock() - before - loading_seconds(loaded))

    def places(self) -> NDArray[np.int32]:
        """The place of each agent, as rows of x and y; of an agent that has left, its last place."""
        return self.grid.places(self.crew.agents["here"])

    def state(self, agent: int) -> AgentState:
        """What `agent` does: it is moving, waiting (and for whom), blocked (by what), arrived, held, or gone."""
        return state_of(self, self._known(agent))

    def move(self, agent: int, place: Place) -> None:
        """Let `agent` take a step to `place` at the next tick; raises BadProblem if it is no step from where it is."""
        here, there = self._present(agent)["here"], self.grid.cell(place)
        if not self.grid.is_free(there):
            raise BadProblem(f"agent {agent} cannot move to {place}: there is a wall", agent)
        ways = [k for k in range(8) if here + self.grid.offsets[k] == there and self.grid.legal[here] >> k & 1]
        if not ways and here != there:
            raise BadProblem(f"agent {agent} cannot move from {self.grid.place(here)} to {place} in one step", agent)
        other = self.crew.occupant[there]
        if other not in (NOBODY, agent) and self.court.states[other]["held"]:
            raise BadProblem(f"agent {agent} cannot move to {place}: agent {other} is held there", agent)
        self._await(happenings.move(self.time, agent, place))

    def put(self, agent: int, place: Place) -> None:
        """Take `agent` from where it is and put it to `place`, now; raises BadProblem if that is not free and empty."""
        self._present(agent)
        there = self.grid.cell(place)
        if not self.grid.is_free(there):
            raise BadProblem(f"agent {agent} cannot be put to {place}: there is a wall", agent)
        other = self.crew.occupant[there]
        if other not in (NOBODY, agent):
            raise BadProblem(f"agent {agent} cannot be put to {place}: agent {other} is there", agent)
        self._put(agent, there)
        self._changed(agent)

    def hold(self, agent: int) -> None:
        """Let nobody but the caller move `agent` from now on, by `move` and `put`; until then it stands still."""
        self._present(agent)
        self._apply(happenings.hold(self.time, agent), [], [])
        self._changed(agent)

    def resume(self, agent: int) -> None:
        """Give `agent`, which was held or released, back to the controller."""
        self._present(agent)
        self._apply(happenings.resume(self.time, agent), [], [])
        self._changed(agent)

    def send(self, agents: Iterable[int], place: Place) -> NDArray[np.int32]:
        """Send `agents` to `place`: each gets a cell of its own around it as its goal. Returns the goals, as x and y.

        The goals are the free cells that are fewest steps from `place`; each goes to the nearest agent that has none.
        """
        chosen = [int(agent) for agent in agents]
        if len(set(chosen)) < len(chosen):
            raise BadProblem("an agent is named twice in one order")
        here = np.array([self._present(agent)["here"] for agent in chosen], np.int32)
        goals = goals_around(self.grid, self.grid.cell(place), here)
        for agent, goal in zip(chosen, goals.tolist(), strict=True):
            self._await(Event(self.time, GOAL, agent, (self.grid.place(goal),)))
        return self.grid.places(goals)

    def save(self, file: str | Path) -> None:
        """Write the world to a file, from which `read_world` lets it go on."""
        from wayfolk.simulation.saved import write_world

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

    def _changed(self, agent: int) -> None:
        """Tell the controller that something has happened to `agent`, and let time pass again if all was done."""
        self._tell([agent], [])
        self.status = Status.RUNNING

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass, fewer if `until` comes first; `unspent` are left then.

        With a clock they pass one by one, and the seconds of each are noted.
        """
        self.unspent = 0
        if self.laps is None and self.until == math.inf:
            return self._advance(budget)
        stop = min(int(self.crew.counts[TICK]) + budget, NO_LIMIT)
        portion = 1
        while self.crew.counts[TICK] < stop and not self.status.is_final:
            if self.laps is None:
                began = time.perf_counter()
                self._advance(min(portion, stop - int(self.crew.counts[TICK])))
                portion = 2 * portion if time.perf_counter() - began < LOOK_SECONDS else max(1, portion // 2)
            else:
                self._lap()
            if time.perf_counter() >= self.until:
                self.unspent = max(0, stop - int(self.crew.counts[TICK]))
                break
        return self.status

    def _lap(self, leaps: bool = True) -> None:
        """Let one tick pass, and note its seconds if there is a clock."""
        if self.laps is None or self.status.is_final:
            self._advance(1, leaps)
            return
        n_ours = int((self.crew.agents["present"] & self.crew.agents["ours"]).sum())
        before = self._seconds
        self._advance(1, leaps)
        self.laps.append((self.time, self._seconds - before, n_ours))

    def _advance(self, budget: int, leaps: bool = True) -> Status:
        """Let up to `budget` ticks pass; with `leaps`, the clock goes on to the next event if there is nothing to do."""
        began, loaded = time.perf_counter(), len(LOADED)  # compiling and loading kernels does not count
        stop = min(int(self.crew.counts[TICK]) + budget, NO_LIMIT)
        while not self.status.is_final:
            code = referee.run(
                crew=self.crew, court=self.court, log=self.log, arrays=self.controller.arrays, rules=self.rules,
                stop_tick=self._next_stop(stop), next_event=self._events[0][0] if self._events else np.inf,
            )  # fmt: skip
            if self.vision is not None:
                self._look()
            if code == referee.ASK:
                self._ask()
            elif code == referee.LOG_FULL:
                self._make_room()
            elif code == referee.EVENT:
                self._apply_events()
            elif code == referee.FINISHED:
                self.status = Status.RUNNING if self._events else Status.SOLVED
                if self._events and leaps:  # no agent has anything to do until the next event
                    self.crew.counts[TICK] = int(np.ceil(self._events[0][0] / self.tick))
                    self._apply_events()
                elif self._events:
                    self.crew.counts[TICK] = stop
            elif self.crew.counts[TICK] >= stop:
                break
        self._seconds += time.perf_counter() - began - loading_seconds(loaded)
        return self.status

    def _next_stop(self, stop: int) -> int:
        """With limited vision, agents must look around after every tick."""
        return stop if self.vision is None else min(stop, int(self.crew.counts[TICK]) + 1)

    def _look(self) -> None:
        """Reveal what agents see, and tell the controller which cells are other than it thought."""
        assert self.vision is not None
        seen = self.vision.look(self.crew.agents["here"][self.crew.agents["present"]])
        if seen.size:
            self._tell([], seen.tolist())

    def _ask(self) -> None:
        """Let the controller decide in Python, or make room in its arrays."""
        view, answers = self._view(), self.crew.answers
        if not isinstance(self.controller.arrays, AskPython):
            self.controller.make_room(view)
            return
        asked = view.asked.copy()
        before = self.controller.expanded[asked]
        given, self._given = self._given, {}
        given = {agent: there for agent, there in given.items() if answers["at"][agent] < answers["n_route"][agent]}
        self.controller.decide(view)
        for agent, there in given.items():  # some controllers plan for all agents
            self._take_step(agent, there)
        for agent, spent in zip(asked.tolist(), (self.controller.expanded[asked] - before).tolist(), strict=True):
            self._note(agent, THOUGHT, spent)
        silent = asked[answers["n_route"][asked] == 0]
        self.crew.route[silent, 0] = self.crew.agents["here"][silent]
        answers["n_route"][silent] = 1

    def _view(self) -> View:
        return View(self.time, self.grid if self.vision is None else self.vision.known, self.crew, self.memory)

    def run(self) -> Run:
        """What has happened up to now, with its metrics."""
        return Run(
            record=self.record(),
            algorithm=self.algorithm,
            options=dict(self.options),
            seed=self.seed,
            status=self.status,
            seconds=self._seconds,
            legs=self.problem.routes.shape[1],
            laps=np.array(self.laps or [], LAP),
            layers=self.controller.layers(),
            is_endless=self.problem.pool.size > 0,
        )

    def result(self) -> Result:
        """As a result: a plan if it is one, and the counts."""
        run = self.run()
        thoughts = run.record.of(THOUGHT)
        spent = run.record.cell[thoughts]
        counters = Thoughts(
            expanded=int(spent.sum(dtype=np.int64)), replans=len(thoughts), collisions=len(run.record.of(REFUSED)),
            expanded_most=int(spent.max(initial=0)),
        )  # fmt: skip
        result = Result(self.status, self.algorithm, counters=counters, options=dict(self.options), seed=self.seed)
        if run.record.is_plan:
            result.plan = run.record.plan()
            result.layers = run.layers
        return result

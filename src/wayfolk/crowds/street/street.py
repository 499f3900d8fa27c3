"""Street: pedestrians and vehicles with brains, which respond to traffic signals and to each other.

    street = Street(read_street_map(drawing), [Spawn(Pedestrian(), rate=0.5), Spawn(Car(), rate=0.2, is_vehicle=True)])
    trajectory = street.run(60)

Arun, "Pathfinding algorithms in multi-agent systems", chapter 3: agents come in at the edges, walk or drive along their
paths, wait where their brains tell them to, and disappear at their goals. Pedestrians are bodies of a `Crowd`, moved by
any of its models; vehicles drive along lanes (`Vehicles`).

Invariants  nobody steps onto a crossing whose brain did not see it ahead and choose to go on. No vehicle overlaps another
            or moves into a pedestrian; a pedestrian that a step has brought into a vehicle stays where it was.
            The same seed gives the same trajectory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.brains.brain import Brain
from wayfolk.crowds.brains.built_in.signal import Signal
from wayfolk.crowds.brains.population import Population
from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.street.junctions import Junctions
from wayfolk.crowds.street.newcomers import let_in
from wayfolk.crowds.street.parties import Spawn, party_of
from wayfolk.crowds.street.senses import driver_senses, held_by_vehicles, metres_to_persons, walker_senses
from wayfolk.crowds.street.separation import separate
from wayfolk.crowds.street.street_map import NONE, StreetMap
from wayfolk.crowds.street.vehicles import Vehicles
from wayfolk.crowds.trajectory import Recorder, Trajectory
from wayfolk.errors import BadInput, hint

STEP = 0.05
COLOURS = ("green", "orange", "red")
HEAVY = 1e5
"""The mass in kilograms of a pedestrian who stands: others do not push it."""


class CrossingEntry(NamedTuple):
    """Somebody stepped or drove onto a crossing: when, who, of which kind, in which state, at which signal of the cars."""

    time: float
    number: int
    kind: str
    crossing: int
    signal: str
    state: str
    is_vehicle: bool


class Street:
    """A street; `advance` moves it on. `signals` are the brains of the lamps by crossing, the default for others.

    model     moves pedestrians: a name of `wayfolk list crowds`, with its `options`
    step      seconds of a step; the model may take several shorter ones within it
    """

    def __init__(
        self,
        street_map: StreetMap,
        spawns: Sequence[Spawn],
        *,
        signals: Mapping[int, Brain] | None = None,
        model: Any = "orca",
        step: float = STEP,
        seed: int = 0,
        name: str = "",
        **options: Any,
    ) -> None:
        if not 0.005 <= step <= 0.2:
            raise BadInput(f"a step of a street lasts 0.005 to 0.2 seconds, not {step}")
        self.street_map, self.name, self.seed = street_map, name, seed
        self.rng = np.random.default_rng([seed, 16])
        self.crowd = Crowd(
            street_map.walkable, model, ways="flow", cell=street_map.cell, step=None, seed=seed, **options
        )
        self.substeps = max(1, round(step / self.crowd.step_seconds))
        self.crowd.step_seconds = step / self.substeps
        self.step_seconds = step
        self.parties = [party_of(spawn, street_map) for spawn in spawns]
        self.walkers = [party for party in self.parties if not party.spawn.is_vehicle]
        self.drivers = [party for party in self.parties if party.spawn.is_vehicle]
        self.vehicles, self.junctions = Vehicles(), Junctions()
        self.lamps = [_lamp((signals or {}).get(k) or Signal()) for k in range(street_map.n_crossings)]
        for lamp in self.lamps:
            lamp.add(1, 0.0, self.rng)
        self.tick = 0
        self.n_agents = 0
        self.kind_names = tuple(dict.fromkeys(party.spawn.kind for party in self.parties))
        names = [
            name
            for population in (*(party.population for party in self.parties), *self.lamps)
            for name in population.names
        ]
        self.state_names = tuple(dict.fromkeys(names))
        self.kinds: list[int] = []
        self.radii: list[float] = []
        self.entries: list[CrossingEntry] = []
        self.emergencies: list[tuple[float, int]] = []
        self.arrived = 0
        self.number_of = np.zeros(0, np.int64)  # in the street, of each agent of the crowd

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.tick * self.step_seconds

    @property
    def log(self) -> list[str]:
        """What went wrong in brains, a sentence for each kind of failure."""
        return [
            line
            for population in (*self.lamps, *(party.population for party in self.parties))
            for line in population.log
        ]

    @property
    def n_present(self) -> int:
        """How many pedestrians and vehicles are there."""
        return sum(len(party.numbers) for party in self.parties)

    def signal_of(self, crossing: int) -> str:
        """The signal of the cars at a crossing."""
        return str(self.lamps[crossing].names[self.lamps[crossing].states[0]])

    def run(self, seconds: float, *, every: float | None = None) -> Trajectory:
        """Advance for so many seconds and return what was recorded, a frame about `every` seconds (every step)."""
        between = 1 if every is None else max(1, round(every / self.step_seconds))
        recorder = Recorder(
            self.step_seconds * between, grid=self.street_map.open, cell=self.street_map.cell, name=self.name
        )
        self.record(recorder)
        for k in range(1, max(1, round(seconds / self.step_seconds)) + 1):
            self.advance()
            if k % between == 0:
                self.record(recorder)
        return self.trajectory(recorder)

    def advance(self, steps: int = 1) -> None:
        """Move everybody for so many steps."""
        for _ in range(steps):
            let_in(self)
            colours = self._think()
            self._walk(colours)
            self._drive(colours)
            self._leave()
            self.tick += 1

    def record(self, recorder: Recorder) -> None:
        """Let `recorder` keep where everybody is now."""
        numbers, places, headings, states = [], [], [], []
        on_lanes, turned = self.vehicles.places(self.street_map.lanes)
        rows = {int(number): row for row, number in enumerate(self.vehicles.numbers)}
        for party in self.parties:
            codes = [self.state_names.index(name) for name in party.population.names]
            states.append(np.array(codes, np.uint8)[party.population.states])
            numbers.append(party.numbers)
            if party.spawn.is_vehicle:
                chosen = [rows[int(number)] for number in party.numbers]
                places.append(on_lanes[chosen].reshape(-1, 2))
                headings.append(turned[chosen])
            else:
                places.append(self.crowd.places[party.agents])
                headings.append(self.crowd.headings[party.agents])
        lit = [self.state_names.index(self.signal_of(k)) for k in range(len(self.lamps))]
        recorder.add(
            np.concatenate([np.zeros(0, np.int64), *numbers]),
            np.concatenate([np.zeros((0, 2)), *places]),
            np.concatenate([np.zeros(0), *headings]),
            np.concatenate([np.zeros(0, np.uint8), *states]),
            lit,
        )

    def trajectory(self, recorder: Recorder) -> Trajectory:
        """What `recorder` has kept."""
        return recorder.trajectory(
            np.array(self.radii),
            state_names=self.state_names,
            kinds=np.array(self.kinds, np.uint8),
            kind_names=self.kind_names or ("agent",),
            lamps=[self._lamp_place(k) for k in range(len(self.lamps))],
        )

    def _lamp_place(self, crossing: int) -> tuple[float, float]:
        """Beside the first cell of a crossing."""
        y, x = np.argwhere(self.street_map.crossing_of == crossing)[0]
        return (float(x) - 0.1) * self.street_map.cell, (float(y) - 0.1) * self.street_map.cell

    def _think(self) -> NDArray[np.int64]:
        """Let lamps, pedestrians and drivers think; return the signals of the cars, as indices in COLOURS."""
        for lamp in self.lamps:
            lamp.think(self.time, {}, self.rng)
        colours = np.array([COLOURS.index(self.signal_of(k)) for k in range(len(self.lamps))], np.int64)
        self.crowd.ways.aim(self.crowd)
        for party in self.walkers:
            party.population.think(self.time, walker_senses(self, party, colours), self.rng)
        for party in self.drivers:
            party.population.think(self.time, driver_senses(self, party, colours), self.rng)
        return colours

    def _walk(self, colours: NDArray[np.int64]) -> None:
        """Move the pedestrians; take back steps onto a crossing that nobody decided on, and steps into vehicles."""
        crowd, street_map = self.crowd, self.street_map
        agents = np.concatenate([np.zeros(0, np.int64), *(party.agents for party in self.walkers)])
        if not agents.size:
            return
        paces = np.concatenate([party.population.paces for party in self.walkers])
        speeds = np.concatenate([party.own_speeds for party in self.walkers]) * paces
        may_enter = np.concatenate([np.asarray(party.sees_crossing) for party in self.walkers]) & (paces > 0)
        held = held_by_vehicles(self, agents, speeds)
        speeds[held] = 0.0
        crowd.set_speeds(agents, speeds)
        crowd.bodies.masses[agents] = np.where(speeds > 0, 80.0, HEAVY)
        before = crowd.places[agents].copy()
        was_on = street_map.crossings_at(before)
        crowd.advance(self.substeps)
        is_on = street_map.crossings_at(crowd.places[agents])
        enters = (was_on == NONE) & (is_on != NONE)
        refused = enters & ~may_enter
        on_lanes, _ = self.vehicles.places(street_map.lanes)
        crossing = np.flatnonzero(is_on != NONE)
        reach = crowd.radii[agents[crossing]][:, None] + self.vehicles.radii
        apart = ((crowd.places[agents[crossing]][:, None] - on_lanes) ** 2).sum(-1)
        refused[crossing] |= (apart < reach**2).any(1)
        back = agents[refused]
        crowd.bodies.places[back], crowd.bodies.velocities[back] = before[refused], 0.0
        crowd.bodies.masses[back] = HEAVY
        allowed = np.zeros(crowd.n_agents, np.bool_)
        allowed[agents] = (was_on != NONE) | (may_enter & ~refused)
        separate(crowd, street_map, allowed, on_lanes, self.vehicles.radii)
        for row in np.flatnonzero(enters & ~refused):
            self._entered(int(self.number_of[agents[row]]), int(is_on[row]), colours, False)

    def _drive(self, colours: NDArray[np.int64]) -> None:
        """Move the vehicles."""
        vehicles, lanes = self.vehicles, self.street_map.lanes
        if not len(vehicles):
            return
        row_of = {int(number): row for row, number in enumerate(vehicles.numbers)}
        targets, lines = np.zeros(len(vehicles)), np.full(len(vehicles), np.inf)
        for party in self.drivers:
            rows = [row_of[int(number)] for number in party.numbers]
            targets[rows] = party.own_speeds * party.population.paces
            rolls = (party.population.paces == 0) & party.sees_crossing  # up to the line
            lines[rows] = np.minimum(np.where(rolls, party.line_ahead, np.inf), party.stop_ahead)
            targets[rows] = np.where(rolls, party.own_speeds, targets[rows])
        soft, hard = metres_to_persons(self)
        before = vehicles.along.copy()
        lines = np.minimum(lines, self.junctions.lines(vehicles, lanes, self.time))
        vehicles.advance(lanes, self.step_seconds, targets, np.minimum(lines, soft), hard)
        self.emergencies += [(self.time, int(number)) for number in vehicles.numbers[vehicles.emergency]]
        for row in range(len(vehicles)):
            for crossing, begin, _ in lanes[vehicles.lanes[row]].crossings:
                front = vehicles.radii[row]
                if before[row] + front < begin <= vehicles.along[row] + front:
                    self._entered(int(vehicles.numbers[row]), crossing, colours, True)

    def _entered(self, number: int, crossing: int, colours: NDArray[np.int64], is_vehicle: bool) -> None:
        for party in self.parties:
            row = np.flatnonzero(party.numbers == number)
            if row.size:
                state = party.population.names[party.population.states[row[0]]]
                signal = COLOURS[colours[crossing]]
                entry = CrossingEntry(self.time, number, party.spawn.kind, crossing, signal, state, is_vehicle)
                self.entries.append(entry)

    def _leave(self) -> None:
        """Let those disappear who are at their goals or at the ends of their lanes."""
        crowd = self.crowd
        for party in self.walkers:
            apart = np.hypot(*(crowd.places[party.agents] - crowd.goals[party.agents]).T)
            there = apart < max(0.35 * self.street_map.cell, 2 * party.spawn.radius)
            if party.exit is not None:
                there = party.exit.contains(crowd.places[party.agents])
            if there.any():
                crowd.remove(party.agents[there])
                self.arrived += int(there.sum())
                party.keep(~there)
        if not len(self.vehicles):
            return
        lengths = np.array([lane.length for lane in self.street_map.lanes])[self.vehicles.lanes]
        gone = self.vehicles.along >= lengths - 1e-9
        if gone.any():
            numbers = self.vehicles.numbers[gone]
            self.vehicles.keep(~gone)
            self.arrived += len(numbers)
            for party in self.drivers:
                party.keep(~np.isin(party.numbers, numbers))


def _lamp(brain: Brain) -> Population:
    """The mind of a traffic signal, whose states are the colours that drivers and pedestrians know."""
    for state in brain.states:
        if state not in COLOURS:
            raise BadInput(f"the signal {brain.name} has a state {state!r}{hint(state, COLOURS)}")
    return Population(brain, ())

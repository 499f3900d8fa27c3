"""Parties: those who come to a street by one rule and have the same brain."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.brains.brain import Brain
from wayfolk.crowds.brains.population import Population
from wayfolk.crowds.street.roads import Place
from wayfolk.crowds.street.street_map import StreetMap
from wayfolk.errors import BadInput
from wayfolk.world.area import Area

WALKER_SENSES = ("signal", "at_crossing", "on_crossing", "car_near")
"""What pedestrians sense: the signal of the cars at the crossing ahead ("green", "orange", "red"), whether a crossing is a
step ahead, whether they are on one, and whether a car comes near it."""
DRIVER_SENSES = ("signal", "at_crossing", "on_crossing", "can_stop", "way_clear", "at_stop", "gap")
"""What drivers sense: the signal of the crossing ahead, whether one is ahead, whether they are on one, whether they can
brake before it, whether nobody is on it and there is room behind it, whether they are at a bus stop, and the metres to the
next vehicle, in steps of a half."""
MARGIN = 0.02  # metres from the border of its first cell to a pedestrian
SPREAD = 0.2  # of the speeds of pedestrians around their mean, as a share of it


@dataclass(frozen=True)
class Spawn:
    """Who comes: `rate` agents a second with this brain, until `most` have come.

    starts   cells where pedestrians come in, or first cells of lanes; all edges by default
    goals    cells where pedestrians go to; for each another edge than the one where it came by default
    exit     whether the goals are one area: then pedestrians walk to its nearest part, and leave as soon as they are in it
    """

    brain: Brain
    rate: float
    is_vehicle: bool = False
    kind: str = ""
    most: int | None = None
    speed: float = 0.0
    radius: float = 0.0
    starts: tuple[Place, ...] = ()
    goals: tuple[Place, ...] = ()
    exit: bool = False

    def __post_init__(self) -> None:
        defaults = (8.0, 1.0) if self.is_vehicle else (1.34, 0.22)
        for name, default in (("speed", defaults[0]), ("radius", defaults[1])):
            if getattr(self, name) == 0.0:
                object.__setattr__(self, name, default)
            if not 0 < getattr(self, name) < math.inf:
                raise BadInput(f"the {name} of a {self.brain.name} must be above 0, not {getattr(self, name)}")
        if not 0 < self.rate < math.inf:
            raise BadInput(f"the rate of a {self.brain.name} must be above 0 a second, not {self.rate}")
        if not self.kind:
            object.__setattr__(self, "kind", self.brain.name)


@dataclass
class Party:
    """Those who came by one rule. Rows of `minds`, `numbers` (in the street) and `agents` (in the crowd) match."""

    spawn: Spawn
    population: Population
    starts: NDArray[np.int64]
    """The rows are x, y of cells; for vehicles, numbers of lanes."""
    goals: NDArray[np.int64]
    exit: Area | None = None
    """The goals, if they are one area."""
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    agents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    own_speeds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    sees_crossing: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    line_ahead: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    stop_ahead: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """What was sensed in this step: a crossing ahead, and the metres to the next stop line and bus stop."""
    next_at: float = 0.0
    waiting: int = 0
    """How many have come and found no room yet."""
    came: int = 0

    def arrivals(self, time: float, rng: np.random.Generator) -> int:
        """How many want to come in now; the times between them are random."""
        spawn = self.spawn
        while self.next_at <= time and (spawn.most is None or self.came < spawn.most):
            self.waiting += 1
            self.came += 1
            self.next_at += float(rng.exponential(1.0 / spawn.rate))
        return self.waiting

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Forget all but the chosen."""
        self.population.keep(chosen)
        self.numbers, self.agents = self.numbers[chosen], self.agents[chosen]
        self.own_speeds = self.own_speeds[chosen]


def party_of(spawn: Spawn, street_map: StreetMap) -> Party:
    """A party without members; checks that its starts and goals make sense on the ground."""
    if spawn.is_vehicle:
        if not street_map.lanes:
            raise BadInput(f"a {spawn.kind} needs a lane, and the map has none")
        firsts = [lane.cells[0] for lane in street_map.lanes]
        for place in spawn.starts:
            if place not in firsts:
                raise BadInput(f"no lane begins at {place}: a {spawn.kind} cannot come in there")
        lanes = [number for number, place in enumerate(firsts) if not spawn.starts or place in spawn.starts]
        if 2 * spawn.radius >= street_map.cell:
            raise BadInput(f"a {spawn.kind} of radius {spawn.radius:g} m does not fit a lane of {street_map.cell:g} m")
        return Party(spawn, Population(spawn.brain, DRIVER_SENSES), np.array(lanes), np.zeros((0, 2), np.int64))
    edges = street_map.edges()
    starts, goals = list(spawn.starts) or edges, list(spawn.goals) or edges
    grid = street_map.walkable
    for what, places in (("start", starts), ("goal", goals)):
        if not places:
            raise BadInput(f"a {spawn.kind} has no {what}: no pavement reaches the edge of the map")
        for x, y in places:
            if not (0 <= x < grid.width and 0 <= y < grid.height and grid.free[y, x]):
                raise BadInput(f"the {what} {(x, y)} of a {spawn.kind} is not on a pavement")
    parts = {grid.components[grid.cell(place)] for place in starts}
    if 2 * (spawn.radius + MARGIN) >= street_map.cell:
        raise BadInput(f"a {spawn.kind} of radius {spawn.radius:g} m does not fit a cell of {street_map.cell:g} m")
    cut_off = [place for place in goals if grid.components[grid.cell(place)] not in parts]
    if cut_off and spawn.goals and (not spawn.exit or len(cut_off) == len(goals)):
        raise BadInput(f"a {spawn.kind} cannot walk to {cut_off[0]}: no pavement or crossing connects it with a start")
    area = Area.of_cells(np.array(goals), cell=street_map.cell) if spawn.exit else None
    return Party(spawn, Population(spawn.brain, WALKER_SENSES), np.array(starts), np.array(goals), area)

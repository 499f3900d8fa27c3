"""Ways: how the agents of a crowd find the way to their goals; `bodies.aims` is the point that each heads for now.

    "straight"         straight to the goal, whatever stands between
    "flow"             one flow field for each goal, and for each width of bodies
    "navmesh"          paths on a navigation mesh, on a grid or among polygons, pulled taut
    "astar", "jps"...  a search of the catalogue, smoothed
    "lrta", "rtaa"...  a real-time search: each agent plans one move at a time, with the few cells that it sees

All but straight ways are as wide as bodies: an agent without a way that is wide enough is refused, in one sentence.
Objects of `wayfolk.crowds.ways` take options: `Routes(space, "theta", patience=5.0)`, `DirectionMapWays(space, map)`.
"""

from __future__ import annotations

from wayfolk.algorithms import catalogue
from wayfolk.crowds.ways.base import Ways
from wayfolk.crowds.ways.direction_map import DirectionMapWays
from wayfolk.crowds.ways.flow import FlowWays
from wayfolk.crowds.ways.realtime import RealTimeWays
from wayfolk.crowds.ways.routes import Routes
from wayfolk.world.space import Space

__all__ = ["DirectionMapWays", "FlowWays", "RealTimeWays", "Routes", "Ways", "ways_of"]


def ways_of(ways: str | Ways, space: Space) -> Ways:
    """The ways that are called `ways`, which may be ways already."""
    if isinstance(ways, Ways):
        return ways
    if ways == "straight":
        return Ways(space)
    if ways == "flow":
        return FlowWays(space)
    if ways == "navmesh":
        return Routes(space, "navmesh")
    entry = catalogue.find(ways, "search", "realtime")
    return RealTimeWays(space, ways) if entry.family == "realtime" else Routes(space, ways)

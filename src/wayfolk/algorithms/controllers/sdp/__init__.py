"""SDP: corridors and rooms have controllers of their own, which pass agents on to each other by messages.

Wilt and Botea, "Spatially distributed multiagent path planning", ICAPS 2014; Renukamurthy, "Improving spatially distributed
multiagent pathfinding using Cooperative JPS", 2016, chapters 3 and 4.

Guarantees  agents that are accepted somewhere arrive there when promised, unless their room becomes crowded and cancels
            that. Nothing is guaranteed for all of them: an agent fails if rooms are too full to pass it on.
Invariants  in the `steps` time model no move is ever refused. The outcome does not depend on which process runs which area.
Cost        a JPS path for each agent to begin with, and one for each 200 cells in each room that it comes to; times for 48
            cells of it at once; a simulation of a lane, its agents times the ticks that it looks ahead, for each agent that
            asks to enter it. An agent that waits for its turn costs nothing, one in a crowded room a few cells a tick.
Deviations  moves between areas, and inside lanes, are straight, so that agents of two areas cannot cross. If a lane cannot
            take an agent at once, it may promise a later time, up to 24 ticks later. A room that takes an agent over plans
            its own part only, and asks the next lane when the agent is there; the agent asks when it is less than 24 ticks
            away, and stays where it is until its turn comes at the entrance (`turns`). Cooperative JPS gives times to the
            next 48 cells of a path at once, not to all of it. An agent that stands, on its goal or before it begins, steps
            aside for others, also for those who leave a lane. If it had to leave its goal three times, it looks for a way
            around others by Cooperative A* before it pushes them in turn. A room in which many agents find no way, or one
            finds none again and again, becomes crowded: it drops all plans, and its agents push each other on by PIBT until
            few are under way (`crowds`). Only the time model `steps` is known: promises are for whole steps.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.sdp.areas import ROOM
from wayfolk.algorithms.controllers.sdp.cluster import ClusterTeam
from wayfolk.algorithms.controllers.sdp.division import areas_for
from wayfolk.algorithms.controllers.sdp.host_controller import Hosted, LocalTeam
from wayfolk.algorithms.controllers.sdp.layers import ShownAreas
from wayfolk.algorithms.controllers.sdp.memory import enlarged, new_arrays, with_agents, with_larger_table
from wayfolk.algorithms.controllers.sdp.places import place_agents
from wayfolk.algorithms.controllers.sdp.rooms import is_crowded
from wayfolk.algorithms.controllers.sdp.state import RESTART, SdpSettings
from wayfolk.algorithms.options import Range
from wayfolk.kernels.crew import TICK
from wayfolk.problem.layers import Layer
from wayfolk.problem.problem import Problem

PAPER = "Wilt and Botea 2014; Renukamurthy 2016"
OPTIMAL = False
COMPLETE = False
SEES = "all"
MODELS = ("steps",)


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed. Nothing here is random."] = 0,
    search: Annotated[Literal["cjps", "ca"], "How rooms plan: Cooperative JPS or Cooperative A*."] = "cjps",
    high_level: Annotated[Literal["jps", "astar"], "High-level paths: JPS on the map, or A* over areas."] = "jps",
    sideways: Annotated[bool, "Cooperative JPS may evade others by a side-way move; else it waits."] = True,
    crowds: Annotated[bool, "In rooms where agents find no way, let them push each other on by PIBT."] = True,
    rescue: Annotated[bool, "Where Cooperative JPS finds no way, search by Cooperative A*."] = False,
    effort: Annotated[int, Range(1, 10_000_000), "Nodes that Cooperative A* expands at most for one way."] = 20_000,
    buffer: Annotated[int, Range(1, 1000), "Cells of a buffer at the end of a lane; Renukamurthy has 13."] = 13,
    goals_inside: Annotated[Literal["accept", "refuse"], "Goals in corridors: make these rooms, or refuse."] = "accept",
    cluster: Annotated[str, "Address of a Dask scheduler whose workers run the areas; `local`: processes here."] = "",
    hosts: Annotated[int, Range(0, 1024), "Hosts among which areas are divided; 0: one, or one for each worker."] = 0,
    record: Annotated[bool, "Keep all messages, as `messages` of the controller, and show them in replays."] = False,
) -> Controller:  # fmt: skip
    """A controller that divides the map of `problem` into areas, and lets the agents of each be controlled apart."""
    settings = SdpSettings(search == "cjps", sideways, rescue, high_level == "jps", effort, crowds)
    accepts = goals_inside == "accept"
    if cluster:
        return Hosted(problem.n_agents, settings, buffer, accepts, ClusterTeam(cluster, hosts), record)
    if hosts > 0 or record:
        return Hosted(problem.n_agents, settings, buffer, accepts, LocalTeam(max(hosts, 1)), record)
    return SpatiallyDistributed(problem, settings, buffer, accepts)


class SpatiallyDistributed(Controller):
    """Rooms and lanes with their agents, all of them in one process."""

    lookahead = 1

    def __init__(self, problem: Problem, settings: SdpSettings, buffer: int, accepts: bool) -> None:
        super().__init__(problem.n_agents)
        self.settings, self.buffer, self.accepts = settings, buffer, accepts
        self.shown = ShownAreas(keeps_all=False)

    def prepare(self, view: View) -> None:
        """Divide the map into areas and put the agents into them."""
        self.areas, _ = areas_for(view.grid, view.goals[view.present], self.buffer, self.accepts)
        self.shown.add(self.areas, view.time)
        self.arrays = new_arrays(view.grid, self.areas, self.settings, len(view.here))
        place_agents(self.arrays, view.crew.agents, 0, int(view.time))

    def update(self, view: View, change: Change) -> None:
        """Begin anew if the map has changed, before the first tick, and where a new agent is in the way of plans.

        Goals and agents that are gone are noticed when the next tick begins.
        """
        n = len(self.arrays.rooms.states)
        if change.cells.size or view.crew.counts[TICK] == 0:
            self.prepare(view)
        elif len(view.here) > n:
            self.arrays = with_agents(self.arrays, len(view.here))
            goals = view.goals[n:]
            is_inside = (self.areas.part[goals] != ROOM).any()
            if is_inside or not place_agents(self.arrays, view.crew.agents[n:], n, int(view.time)):
                self.prepare(view)

    def make_room(self, view: View) -> None:
        """Enlarge the arrays that were full; begin anew if agents are not where they should be."""
        if self.arrays.counts[RESTART]:
            self.prepare(view)
        elif is_crowded(self.arrays.rooms.table):
            self.arrays = with_larger_table(self.arrays)
        else:
            self.arrays = enlarged(self.arrays)

    def layers(self) -> tuple[Layer, ...]:
        """The areas as they are now."""
        return tuple(self.shown.layers)

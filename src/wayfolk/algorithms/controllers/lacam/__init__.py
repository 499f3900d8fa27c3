"""Real-time LaCAM: the search of LaCAM is kept from step to step, and the agents follow it as far as it has come.

Okumura, "LaCAM: search-based algorithm for quick multi-agent pathfinding", 2023; Liang et al., "Real-time LaCAM for
real-time MAPF", 2025.

Guarantees  in a problem with one goal for each agent, on a map that is known and does not change, all agents reach their
            goals if that is possible, as long as memory lasts. The work of a step is bounded by `expansions`.
Invariants  in such a problem no move is refused. The agents always stand on a node of the search tree, and all parents lead
            to this node.
Cost        `expansions` visits of nodes in a step, each O(agents). A distance field for each agent, 2 bytes for each free
            cell, searched anew when the agent gets another goal; all of them are when the map changes, somebody comes or
            goes, or an agent of a patrol is done. 8 bytes for each agent and node.
Deviations  the search begins anew, with the priorities of the present step, whenever a goal or the map changes, somebody
            comes, goes or is moved, or the tree takes 512 MB. So with endless tasks it is PIBT with swaps that looks ahead.
            An agent that cannot reach its goal, or that shares it with a nearer one, makes its own cell its goal. Agents
            that are not under control are walls for one step. In other worlds and for other bodies than points on a square
            grid, all distances are searched again after an edit, and lead through agents of a patrol that are done: these
            are walls of the search only. Where not every move can be undone at once (one-way lanes, headings, slow bodies),
            agents with one goal each wait until there is a plan; others follow the newest node, and the search begins anew
            where it turns elsewhere.
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.lacam.repair import take_over
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners.lacam import config_search, trees
from wayfolk.algorithms.planners.lacam.pibt import n_moves_of, new_generator
from wayfolk.algorithms.state_pushes import StateMoves, claim
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import EXHAUSTED, FULL, NOWHERE
from wayfolk.kernels.random import new_random
from wayfolk.machine import available_bytes
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid
from wayfolk.world.spots import AnySpots, DistanceTable, StateSpots, spots_of

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory
    from wayfolk.world.state_graph import StateGraph

PAPER = "Okumura 2023; Liang et al. 2025"
OPTIMAL = False
COMPLETE = True
SEES = "all"
MODELS = ("steps",)
WORLDS = "any"

ALWAYS = np.int64(2**63 - 1)  # the step for which a cell is taken that nobody may enter
MOST_BYTES = 1 << 29
MOST_VISITS = 1 << 18  # of nodes, in a search that is repeated for a restored world


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed that decides between equally good cells."] = 0,
    expansions: Annotated[int, Range(1, 1_000_000), "Nodes of the search that are visited in a step."] = 32,
) -> Controller:
    """A controller that searches while the agents of `problem` walk."""
    return RealTimeLacam(problem, seed, expansions)


class Planted(NamedTuple):
    """How a search began: where agents were, in which order, the random state, and the visits of its first step.

    `followed` says for each later step whether agents had gone on to the next node. All else follows from that.
    """

    here: NDArray[np.int32]
    rows: NDArray[np.int32]
    luck: int
    visits: int
    followed: list[bool]


class RealTimeLacam(Controller):
    """A search tree whose root is where the agents are; `members` are the agents it plans for."""

    lookahead = 1
    together = True
    spot_map: AnySpots
    fields: DistanceTable

    def __init__(self, problem: Problem, seed: int, expansions: int) -> None:
        super().__init__(problem.n_agents)
        self.is_one_shot, self.expansions, self.luck = problem.is_one_shot, expansions, new_random(seed)
        self.order = np.zeros(0, np.int64)

    def prepare(self, view: View) -> None:
        """Begin without a tree; the order of priority stays."""
        super().prepare(view)
        self.states, self.members, self.parked = view.states, np.zeros(0, np.int64), np.zeros(0, np.int32)
        self.goals, self.strangers = np.zeros(0, np.int32), np.zeros(0, np.int32)
        self.root = self.ahead = 0
        self.planted: Planted | None = None

    def update(self, view: View, change: Change) -> None:
        """Make room for who has joined. All else is seen before the next decision."""
        super().prepare(view)

    def decide(self, view: View) -> None:
        """Search on, and send the agents one step towards the newest node, or along the plan once there is one."""
        is_new = self._notice(view)
        if not len(self.members):
            return
        here = self.spot_map.spot_of[view.here[self.members]]
        if is_new or not self._stands_on_tree(here):
            self._plant(here, self.expansions)
        self._search(self.expansions)
        crew, rows = view.crew, np.searchsorted(self.members, view.asked)  # others have a step that the caller gave
        crew.route[view.asked, 0] = self.spot_map.cells[self.tree.configs[self.ahead][rows]]
        crew.answers["n_route"][view.asked], crew.answers["at"][view.asked] = 1, 0

    def _notice(self, view: View) -> bool:
        """See what has changed; whether the search has to begin anew."""
        agents = view.crew.agents
        present, ours, done = agents["present"], agents["ours"], agents["done"]
        members = np.flatnonzero(present & ours & ~done)
        parked = agents["here"][present & done]
        strangers = agents["here"][present & ~ours & ~done]
        goals = agents["goal"][members]
        same_map = view.states is self.states and np.array_equal(parked, self.parked)
        same_members = np.array_equal(members, self.members)
        is_new = not (same_map and same_members and np.array_equal(strangers, self.strangers))
        if not (same_map and same_members):
            self._begin_again(view, members, parked)
        elif not np.array_equal(goals, self.goals):
            self._aim(view, np.flatnonzero(goals != self.goals))
            is_new = True
        self.states, self.members, self.parked, self.strangers = view.states, members, parked, strangers
        self.goals = goals.copy()
        return is_new

    def _begin_again(self, view: View, members: NDArray[np.int64], parked: NDArray[np.int32]) -> None:
        """The map or the agents are others: search the distances again that this changes."""
        before = (self.spot_map, self.fields) if self.members.size else None
        self.spot_map = _spots_without(view.states, parked)
        if not members.size:
            return
        if before is not None and before[1].steps.nbytes > available_bytes() // 2:  # there is no room for both
            before = None
            del self.fields
        known = self.order[np.isin(self.order, members)]
        new = members[~np.isin(members, known)]
        here = self.spot_map.spot_of[view.here[members]]
        self.fields = DistanceTable(self.spot_map, self._spots_of_goals(view, members))
        if before is None:
            self.fields.fill(len(members))
        else:
            _, rows, old_rows = np.intersect1d(members, self.members, return_indices=True)
            is_right = np.zeros(len(members), bool)
            is_right[rows] = take_over(self.fields, self.spot_map, rows, before[1], before[0], old_rows)
            self.fields.fill_rows(np.flatnonzero(~is_right))
        self.gen = new_generator(self.fields, self.luck)
        self.tree = trees.new_tree(len(members), 256, n_moves_of(self.gen))
        away = dict(zip(members.tolist(), self.fields.steps[np.arange(len(members)), here].tolist(), strict=True))
        new = np.array(sorted(new.tolist(), key=lambda agent: -away[agent]), np.int64)
        self.order = np.concatenate([known, new])
        self._settle_aims(members, here, np.arange(len(members)))

    def _aim(self, view: View, rows: NDArray[np.intp]) -> None:
        """The agents in `rows` of the members have other goals: search their distances again, and put them last.

        Agents that have given up a goal to a nearer one may have it now, if that one has another.
        """
        goals = self._spots_of_goals(view, self.members)
        other = np.flatnonzero(goals != self.fields.goals)
        self.fields.aim(goals)
        for row in other.tolist():
            self.fields.fill_rows(np.array([row]))
        changed = self.members[rows]
        self.order = np.concatenate([self.order[~np.isin(self.order, changed)], changed])
        self._settle_aims(self.members, self.spot_map.spot_of[view.here[self.members]], np.union1d(rows, other))

    def _spots_of_goals(self, view: View, members: NDArray[np.int64]) -> NDArray[np.int32]:
        """The goals of `members`; an agent whose goal is in a wall stays where it is."""
        goals, here = (self.spot_map.spot_of[cells[members]] for cells in (view.goals, view.here))
        if isinstance(self.spot_map, StateSpots):
            is_free = self.spot_map.states._free[goals]
            return np.where(is_free, goals, self.spot_map.states.stand_of[here]).astype(np.int32)
        return np.where(goals == NOWHERE, here, goals).astype(np.int32)

    def _rivals(self, row: int) -> NDArray[np.intp]:
        """The rows of the members that cannot be on their goals while the one in `row` is, with its own."""
        goals = self.fields.goals
        if not isinstance(self.spot_map, StateSpots):
            return np.flatnonzero(goals == goals[row])
        table = self.spot_map.states.occupancy
        places = [table.node_places[table.node_first[goal] : table.node_first[goal + 1]] for goal in goals]
        return np.flatnonzero([np.isin(each, places[row]).any() for each in places])

    def _settle_aims(self, members: NDArray[np.int64], here: NDArray[np.int32], rows: NDArray[np.intp]) -> None:
        """An agent that cannot have its goal stays where it is: it is out of reach, or that of a nearer agent."""
        fields = self.fields
        away = fields.steps[np.arange(len(members)), here]
        for row in rows.tolist():
            is_taken = False
            if self.is_one_shot:
                rivals = self._rivals(row)
                is_taken = rivals[np.argmin(away[rivals])] != row
            if away[row] == fields.far or is_taken:
                goals = fields.goals.copy()
                goals[row] = self.spot_map.stands(here[row : row + 1])[0]
                fields.aim(goals)
                fields.fill_rows(np.array([row]))

    def _stands_on_tree(self, here: NDArray[np.int32]) -> bool:
        """Whether the agents have done what they were told, or nothing; the root is where they are."""
        for node in (self.ahead, self.root):
            if np.array_equal(here, self.tree.configs[node]):
                self._stand_on(node)
                return True
        return False

    def _stand_on(self, node: int) -> None:
        """Let `node`, which is the root or the one ahead, be the root."""
        if self.planted is not None:
            self.planted.followed.append(node == self.ahead)
            if len(self.planted.followed) * self.expansions > MOST_VISITS:
                self.planted = None
        reroot(self.tree.nodes, self.root, node, self.spot_map.can_return)
        self.root = self.tree.counts[trees.ROOT] = node

    def _plant(self, here: NDArray[np.int32], visits: int) -> None:
        """Begin a tree where the agents are, for `visits` in this step: those on their goals have the lowest priority."""
        rows = np.searchsorted(self.members, self.order)
        at_goal = self.spot_map.stands(here[rows]) == self.fields.goals[rows]
        turns: NDArray[np.int32] = np.concatenate([rows[~at_goal], rows[at_goal]]).astype(np.int32)
        self.order = self.members[turns]
        if trees.bytes_of(self.tree) > MOST_BYTES // 8:
            self.tree = trees.new_tree(len(self.members), 256, n_moves_of(self.gen))
        self._begin(Planted(here.copy(), turns, int(self.luck[0]), visits, []))

    def _begin(self, planted: Planted) -> None:
        self.planted = planted
        config_search.plant(self.gen, self.tree, planted.here, planted.rows, False)
        self.root = self.ahead = 0

    def _search(self, visits: int) -> None:
        """Visit up to `visits` nodes, fewer if there is a plan, and choose the next node."""
        left, counts = visits, self.tree.counts
        policy = config_search.Policy(1 << 60, 1, False, False, False, 0.001, 0.0)
        self._shut(ALWAYS)
        while left > 0 and counts[trees.GOAL] == trees.NONE:
            before = int(counts[trees.EXPANDED])
            code = config_search.explore(self.gen, self.tree, policy, left)
            left -= int(counts[trees.EXPANDED]) - before
            if code == EXHAUSTED:
                break
            if code == FULL:
                if 2 * trees.bytes_of(self.tree) > MOST_BYTES:
                    here = self.tree.configs[self.root].copy()
                    self.tree = trees.new_tree(len(self.members), 256, n_moves_of(self.gen))
                    self._plant(here, left)
                    counts = self.tree.counts
                else:
                    self.tree = trees.grown(self.tree)
        self.expanded[self.members] += visits - left
        self._shut(np.int64(0))
        nodes, target, can_return = self.tree.nodes, self._target(), self.spot_map.can_return
        if can_return or is_below(nodes, self.root, target):
            waits = self.is_one_shot and not can_return and counts[trees.GOAL] == trees.NONE
            self.ahead = self.root if waits else next_towards(nodes, self.root, target)
        else:
            self._plant(self.tree.configs[self.root].copy(), 0)

    def _shut(self, step: np.int64) -> None:
        """Let nobody enter up to `step` where agents stand that are not planned for."""
        if not isinstance(self.gen.nodes, StateMoves):
            self.gen.claims[self.spot_map.spot_of[self.strangers]] = step
            return
        for node in (*self.strangers.tolist(), *self.parked.tolist()):
            claim(self.gen.nodes, self.gen.claims, node, len(self.gen.nodes.target) + node, step)

    def remember(self, memory: "Memory") -> None:
        """Priorities, random numbers, and how the search began, which a restored world repeats.

        A search of more than MOST_VISITS is not repeated: a new one begins.
        """
        n = len(self.expanded)
        memory.luck("luck", self.luck)
        self.order = memory.listed("order", self.order, n, memory.agents)
        planted = self.planted if self.states is memory.view.states else None
        spent = memory.numbers("expanded", self.expanded.copy(), memory.count)
        if memory.number("is_known", int(planted is not None), (0, 1)):
            self._remember_search(memory, planted)
        if memory.is_read:
            self.expanded[:] = spent
            if len(np.unique(self.order)) < len(self.order):
                memory.refuse("order", "names an agent twice")

    def _remember_search(self, memory: "Memory", planted: Planted | None) -> None:
        n, now = len(self.expanded), self.luck.copy()
        members = self.members = memory.listed("members", self.members, n, memory.agents)
        self.parked = memory.listed("parked", self.parked, n, memory.places)
        self.strangers = memory.listed("strangers", self.strangers, n, memory.places)
        self.goals = memory.listed("goals", self.goals, n, memory.places)
        if memory.is_read:
            if not len(members) or (np.diff(members) <= 0).any() or len(self.goals) != len(members):
                memory.refuse("members", "does not name each agent once")
            self.spot_map = _spots_without(memory.view.states, self.parked)
            if not np.isin(members, self.order).all() or (self.spot_map.spot_of[self.strangers] == NOWHERE).any():
                memory.refuse("strangers", "does not fit the map and the order of agents")
            self.fields = DistanceTable(self.spot_map, np.zeros(len(members), np.int32))
            planted = Planted(self.fields.goals.copy(), np.zeros(len(members), np.int32), 0, 0, [])
        assert planted is not None
        n_spots, most = len(self.spot_map.cells), MOST_VISITS // self.expansions
        memory.numbers("aims", self.fields.goals, (0, n_spots - 1))
        memory.numbers("planted.here", planted.here, (0, n_spots - 1))
        memory.numbers("planted.rows", planted.rows, (0, len(members) - 1))
        start = memory.numbers("planted.luck", np.array([planted.luck], np.uint64), memory.any)
        visits = memory.number("planted.visits", planted.visits, (0, self.expansions))
        followed = memory.listed("planted.followed", np.array(planted.followed, np.bool_), most, (0, 1))
        if not memory.is_read:
            return
        if any(len(np.unique(each)) < len(members) for each in (planted.here, planted.rows)):
            memory.refuse("planted.here", "has two agents in one cell or in one place of the order")
        self.fields.aim(self.fields.goals.copy())
        self.fields.fill(len(members))
        self.gen = new_generator(self.fields, self.luck)
        self.tree = trees.new_tree(len(members), 256, n_moves_of(self.gen))
        self.luck[:] = start
        self._begin(planted._replace(luck=int(start[0]), visits=visits))
        self._search(visits)
        for goes_on in followed.tolist():
            self._stand_on(self.ahead if goes_on else self.root)
            self._search(self.expansions)
        self.luck[:] = now

    def _target(self) -> int:
        """The node to walk to: the goal if it is known, else the one that is visited next."""
        counts = self.tree.counts
        if counts[trees.GOAL] != trees.NONE:
            return int(counts[trees.GOAL])
        return int(self.tree.open[counts[trees.N_OPEN] - 1]) if counts[trees.N_OPEN] else self.root


def _spots_without(states: "Grid | StateGraph", parked: NDArray[np.int32]) -> AnySpots:
    """The spots that are not walls because of agents that are done; of other worlds than grids all nodes."""
    return spots_of(states.with_blocked(parked) if isinstance(states, Grid) and parked.size else states)


@kernel
def next_towards(nodes, root, target):
    """The node after `root` on the way to `target`; `root` if they are one."""
    at = target
    while at != root and nodes[at]["parent"] != root:
        at = nodes[at]["parent"]
    return at


@kernel
def is_below(nodes, root, target):
    """Whether the parents of `target` lead to `root`."""
    at = target
    while at != root and nodes[at]["parent"] != trees.NONE:
        at = nodes[at]["parent"]
    return at == root


@kernel
def reroot(nodes, root, node, can_return):
    """Let `node`, whose parent is `root`, or which is the root already, be the root.

    All parents lead there if agents `can_return`, else only those of the nodes after it.
    """
    if node != root:
        if can_return:
            nodes[root]["parent"] = node
        nodes[node]["parent"] = trees.NONE

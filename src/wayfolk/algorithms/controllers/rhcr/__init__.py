"""RHCR: all agents plan together every few steps, and avoid collisions only within the next steps.

Li, Tinka, Kiesel, Durham, Kumar and Koenig, "Lifelong multi-agent path finding in large-scale warehouses", 2021.

Guarantees  paths of all agents that do not collide within the window. Nothing is guaranteed beyond it, nor that agents
            arrive.
Invariants  no move of ours is refused, unless agents that are not ours move or the map changes.
Cost        every `horizon` steps a search of `window` steps for each agent, and by priority-based search or ECBS a few
            more for each collision, up to `nodes` collisions; Reverse Resumable A* for distances; an edit of the
            map drops those of agents that have searched there.
Deviations  an agent is told its next goal when it arrives, not before, so that the rest of the window counts nothing for
            it. It plans that rest when it has arrived, around the paths of all others, and keeps its old path if there is
            no other. Where the solver finds no paths for the next `horizon` steps, the paths are those of PIBT (Okumura et
            al. 2022), and then each agent in turn plans its own again around all others. In other worlds than square
            grids, and for other bodies than points, they wait in place of PIBT. ECBS first
            finds the cheapest path of an agent, and then the one with the fewest collisions within the bound. Only the time
            model `steps` is known.

If fewer than `progress` agents come nearer to their goals within the window, it is doubled, up to eight times its length:
the paper's guard against deadlocks.
"""

from collections.abc import Generator
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View, pibt
from wayfolk.algorithms.controllers.rhcr.ecbs import EcbsTree, new_ecbs_tree, search_ecbs
from wayfolk.algorithms.controllers.rhcr.fallback import push_along
from wayfolk.algorithms.controllers.rhcr.paths import (
    count_paths,
    forget_touched,
    n_nearer,
    search_distances,
    shut_all,
)
from wayfolk.algorithms.controllers.rhcr.priorities import (
    LOG_IS_FULL,
    PAUSED,
    improve,
    new_priorities,
    plan_in_order,
    search_orders,
)
from wayfolk.algorithms.controllers.rhcr.rolling import new_rolling, new_rolling_states, with_steps
from wayfolk.algorithms.controllers.rhcr.rolling_cells import RollingArrays
from wayfolk.algorithms.options import Range
from wayfolk.kernels import rra
from wayfolk.kernels.edits import no_edits, with_changed_edges, with_changes
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Li et al. 2021"
OPTIMAL = False
COMPLETE = False
SEES = "all"
MODELS = ("steps",)
WORLDS = "any"

LOG = 1 << 12  # paths of children of priority-based search for which there is room at first
GROWTH = 8  # times the window, if agents do not come nearer to their goals


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed of the order in prioritised planning."] = 0,
    window: Annotated[int, Range(1, 200), "Steps without collisions; `horizon` of them if that is more."] = 10,
    horizon: Annotated[int, Range(1, 200), "Steps after which all agents plan again."] = 5,
    solver: Annotated[Literal["pbs", "ecbs", "pp"], "Priority-based search, ECBS, or prioritised planning."] = "pbs",
    w: Annotated[float, Range(1.0, 1000.0), "The paths of ECBS cost at most this many times the least."] = 1.1,
    nodes: Annotated[int, Range(1, 1_000_000), "Nodes of priority-based search or ECBS in one window."] = 1024,
    progress: Annotated[int, Range(0, 1_000_000), "Agents that must come nearer to goals; else the window grows."] = 1,
) -> Controller:  # fmt: skip
    """A controller that plans the next `window` steps of all agents of `problem` together, every `horizon` steps."""
    return Rhcr(problem, seed, max(window, horizon), horizon, solver, w, nodes, progress)


class Rhcr(Controller):
    """All agents with their `paths` from the step `since` on; at the step `until` they plan again.

    `n_pushed` is the number of windows in which the solver found no paths.
    """

    together = True

    def __init__(
        self, problem: Problem, seed: int, window: int, horizon: int, solver: str, w: float, nodes: int, progress: int
    ) -> None:
        super().__init__(problem.n_agents)
        self.window, self.horizon, self.lookahead = window, horizon, horizon
        self.solver, self.w, self.nodes, self.progress = solver, w, nodes, progress
        self.stays = problem.is_one_shot
        self.random = np.random.default_rng(seed)
        self.pushing = pibt.begin(problem, seed=seed) if problem.is_plain else None
        self.n_log = LOG
        self._planning: Generator[None, None, None] | None = None  # of a window, if it takes more than a slice

    def prepare(self, view: View) -> None:
        """Begin without paths and distances."""
        if self.pushing is not None:
            self.pushing.prepare(view)
        self._forget(view)

    def _forget(self, view: View) -> None:
        """Begin again without paths and distances; the arrays of PIBT stay."""
        super().prepare(view)
        self.states = view.states
        self.rolling = new_rolling(view.states, self.expanded, self.window, self.stays, view.memory)
        self.tree = new_priorities(len(view.here), self.nodes, self.window, self.n_log)
        self.ecbs: EcbsTree | None = None
        self.paths: NDArray[np.int32] = np.zeros((0, 0), np.int32)
        self.members: NDArray[np.int32] = np.zeros(0, np.int32)
        self.steps = self.since = self.until = 0
        self.n_pushed = 0

    def update(self, view: View, change: Change) -> None:
        """Let agents with new goals plan again, or all if others than those of the last plan can act, or the map is new.

        Distances stay unless a cell that was searched has changed, or an agent has joined.
        """
        self._give_up()
        if self.pushing is not None:
            self.pushing.update(view, change)
        if len(view.here) > len(self.expanded):
            self._forget(view)
        elif change.cells.size:
            self._repair(view)
        acts = view.present & view.ours & ~view.crew.agents["done"]
        if not np.array_equal(np.flatnonzero(acts), self.members):
            self.until = 0

    def _repair(self, view: View) -> None:
        """Plan again on the changed map, with the distances that are still right."""
        rolling, states = self.rolling, view.states
        if isinstance(rolling, RollingArrays):
            legal = view.grid.legal
            forget_touched(rolling, with_changes(no_edits(), rolling.legal, legal))
            self.rolling = rolling._replace(legal=legal, searches=rolling.searches._replace(legal=legal))
        else:  # places have other numbers now
            assert isinstance(states, StateGraph)
            assert isinstance(self.states, StateGraph)
            forget_touched(rolling, with_changed_edges(no_edits(), self.states.graph, states.graph))
            searches = rra.on_edited(rolling.searches, states)
            self.rolling = new_rolling_states(states, searches, self.expanded, self.window, self.stays)
            self.ecbs = None
            self._drop_paths()
        self.states = states
        self.until = 0

    def remember(self, memory: "Memory") -> None:
        """The paths of the present window, random numbers, and what PIBT remembers.

        Distances are searched again: searches of a window have a list for each cost, which must be right. On states, all
        begins anew.
        """
        self._give_up()
        if self.pushing is None:
            memory.begins_anew = True
            return
        n, now = len(self.expanded), round(memory.view.time)
        self.pushing.remember(memory.part("pushing"))
        memory.generator("random", self.random)
        memory.numbers("expanded", self.expanded, memory.count)
        memory.numbers("shut", self.rolling.shut, (0, 1))
        self.members = memory.listed("members", self.members, n, memory.agents)
        self.steps = memory.number("steps", self.steps, (0, GROWTH * self.window))
        self.since = memory.number("since", self.since, (0, now))
        self.until = memory.number("until", self.until, (0, self.since + self.horizon))
        self.n_pushed = memory.number("n_pushed", self.n_pushed, memory.count)
        width = memory.number("width", self.paths.shape[1], (0, GROWTH * self.window + 1))
        paths = self.paths if not memory.is_read else np.zeros((0, width), np.int32)
        self.paths = memory.listed("paths", paths, n, memory.places)
        if not memory.is_read:
            return
        is_empty = not width and not self.steps and not len(self.members) and now >= self.until
        fits = len(self.paths) == n and width > self.steps and (now >= self.until or now - self.since < self.horizon)
        if not (is_empty or fits) or len(np.unique(self.members)) < len(self.members):
            memory.refuse("paths", "does not hold the paths of the window")
        self.rolling = with_steps(self.rolling, self.steps)
        count_paths(self.rolling, self.paths, self.members, self.steps, 1)

    def think(self, view: View) -> bool:
        """Plan for all agents if it is time to, slice by slice."""
        now = round(view.time)
        if self._planning is None:
            if now < self.until and (self.paths[view.asked, now - self.since] == view.here[view.asked]).all():
                return True
            self._planning = self._plan_all(view, now)
        for _ in self._planning:
            return False
        self._planning = None
        return True

    def decide(self, view: View) -> None:
        """Plan for those that have arrived, if the window is not new."""
        asked = view.asked[view.crew.answers["n_route"][view.asked] == 0]
        if asked.size:
            self._go_on(view, asked, round(view.time) - self.since)

    def _give_up(self) -> None:
        """Let planning of a window that has not ended begin again."""
        if self._planning is not None:
            self._planning.close()
            self._planning = None
            self._drop_paths()

    def _drop_paths(self) -> None:
        """Forget the paths of the present window."""
        self.paths, self.members = np.zeros((0, 0), np.int32), np.zeros(0, np.int32)
        self.steps = self.until = 0

    def _plan_all(self, view: View, now: int) -> Generator[None, None, None]:
        """Plan a window for all agents that can act, a longer one while too few of them come nearer to their goals."""
        count_paths(self.rolling, self.paths, self.members, self.steps, -1)
        acts = view.present & view.ours & ~view.crew.agents["done"]
        self.members = members = np.flatnonzero(acts).astype(np.int32)
        self.rolling.shut[:] = 0
        shut_all(self.rolling, view.here[view.present & ~acts])
        goals, n_known = view.goals.copy(), 0
        while (n_known := search_distances(self.rolling, members, view.here, goals, n_known)) < len(members):
            yield
        here = view.here if isinstance(self.states, Grid) else self.states.stand_of[view.here]
        away = int((here[members] != goals[members]).sum())
        steps = self.window
        while True:
            paths, n_clear = yield from self._solve(view.here, goals, steps)
            if n_clear < self.horizon:
                paths, steps = self._push(view, goals), self.window
                self.n_pushed += 1
                break
            nearer = n_nearer(self.rolling, paths, members, goals, steps)
            if nearer >= min(self.progress, away) or 2 * steps > GROWTH * self.window:
                break
            steps *= 2
        count_paths(self.rolling, paths, members, steps, 1)
        self.paths, self.steps, self.since, self.until = paths, steps, now, now + self.horizon
        view.crew.route[members, : self.horizon] = paths[members, 1 : self.horizon + 1]
        view.crew.answers["n_route"][members] = self.horizon
        view.crew.answers["at"][members] = 0

    def _solve(
        self, here: NDArray[np.int32], goals: NDArray[np.int32], steps: int
    ) -> Generator[None, None, tuple[NDArray[np.int32], int]]:
        """Paths for a window of `steps` steps, and how many of these are free of collisions."""
        self.rolling = with_steps(self.rolling, steps)
        start = np.repeat(here[:, None], steps + 1, 1)
        while True:
            paths, best = start.copy(), start.copy()
            count_paths(self.rolling, paths, self.members, steps, 1)
            try:
                if self.solver == "pp":
                    queue = self.random.permutation(self.members)
                    n_clear = steps if plan_in_order(self.rolling, paths, queue, goals, steps) else 0
                    best = paths
                elif self.solver == "ecbs":
                    if self.ecbs is None or steps >= self.ecbs.kept.shape[1]:
                        self.ecbs = new_ecbs_tree(self.rolling, len(here), self.nodes, steps)
                    n_clear = search_ecbs(
                        arrays=self.rolling, tree=self.ecbs, paths=paths, best=best, agents=self.members, goals=goals,
                        last=steps, w=self.w, limit=self.nodes,
                    )  # fmt: skip
                else:
                    n_clear = yield from self._search_orders(paths, best, goals, steps)
            finally:
                count_paths(self.rolling, paths, self.members, steps, -1)
            if n_clear != LOG_IS_FULL:
                return best, int(n_clear)
            self.n_log *= 2

    def _search_orders(
        self, paths: NDArray[np.int32], best: NDArray[np.int32], goals: NDArray[np.int32], steps: int
    ) -> Generator[None, None, int]:
        """Priority-based search, with a pause after each slice."""
        if steps >= self.tree.kept.shape[1] or self.n_log > len(self.tree.log):
            self.tree = new_priorities(len(paths), self.nodes, steps, self.n_log)
        n_clear, is_new = int(PAUSED), True
        while n_clear == PAUSED:
            n_clear = search_orders(
                arrays=self.rolling, tree=self.tree, paths=paths, best=best, agents=self.members, goals=goals,
                last=steps, limit=self.nodes, is_new=is_new,
            )  # fmt: skip
            is_new = False
            if n_clear == PAUSED:
                yield
        return n_clear

    def _push(self, view: View, goals: NDArray[np.int32]) -> NDArray[np.int32]:
        """Paths for a window by PIBT, after which each agent in turn plans around the paths of all others.

        On states all agents wait before they plan.
        """
        if self.pushing is None:
            paths = np.repeat(view.here[:, None], self.window + 1, 1)
        else:
            paths = push_along(self.pushing.arrays, view, self.members, self.window)
        count_paths(self.rolling, paths, self.members, self.window, 1)
        improve(self.rolling, paths, self.random.permutation(self.members), self.members, goals, 0, self.window)
        count_paths(self.rolling, paths, self.members, self.window, -1)
        return paths

    def _go_on(self, view: View, asked: NDArray[np.int32], at: int) -> None:
        """Plan the rest of the window for the agents `asked`, one after another, around the paths of all others."""
        asked = asked[~view.crew.agents["done"][asked]]
        improve(self.rolling, self.paths, asked, self.members, view.goals, at, self.steps)
        for agent in asked.tolist():
            view.answer(agent, self.paths[agent, at + 1 : self.until - self.since + 1].tolist())

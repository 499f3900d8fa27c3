"""A crowd in a worker: bodies on a grid, each with a goal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.new_agents import numbers_of
from wayfolk.crowds.trajectory import NO_STATE
from wayfolk.errors import BadProblem, NotSupported, WayfolkError
from wayfolk.playground.limits import check_agents
from wayfolk.playground.maps import inside
from wayfolk.playground.panel_scene import Edit
from wayfolk.playground.worlds.bodies import FRAME_SECONDS, BodyStates, BodyWorld, Floats
from wayfolk.world.generate import draw_pairs
from wayfolk.world.grid import Grid

METRES = 0.5  # of the side of a cell on which bodies walk
RADIUS = 0.2
MANY_FIELDS = 20_000_000  # goals times cells, from which on agents have paths instead of flow fields


class CrowdWorld(BodyWorld):
    """A crowd on a grid: each body has a goal, goes there and back, or gets new goals without end."""

    cell = METRES

    def begin(self, grid: Grid) -> None:
        """Begin with bodies at their starts; after a change of options, where they are."""
        known = getattr(self, "crowd", None)
        check_agents(max(self.scene.agents, len(self.scene.journeys)))
        if known is not None:
            there = known.active
            starts, goals = known.places[there].copy(), known.goals[there].copy()
        else:
            starts, goals = (self._middles(each) for each in self._journeys(grid))
        ways = "flow" if len(goals) * grid.n_cells < MANY_FIELDS else "astar"
        crowd = Crowd(
            grid, self.entry, cell=METRES, ways=ways, seed=self.scene.seed, threads=1, **self.options
        )  # fmt: skip
        crowd.add(starts, goals, radius=RADIUS, overlap=known is not None)
        self.crowd, self.ground = crowd, grid
        self.homes = starts.copy()
        self.per_frame = max(1, round(FRAME_SECONDS / crowd.step_seconds))
        crowd.step_seconds = FRAME_SECONDS / self.per_frame
        self.rng = np.random.default_rng([self.scene.seed, 5])
        self.held: dict[int, Floats] = {}
        self.walls: list[tuple[int, int]] = []
        self.sent_goals = np.zeros((0, 2))

    def _journeys(self, grid: Grid) -> tuple[Any, Any]:
        """The cells where bodies start and want to be, as places."""
        if self.scene.journeys:
            places = np.array(self.scene.journeys, np.int64)
            return places[:, :2], places[:, 2:]
        starts, goals = draw_pairs(grid, self.scene.agents, seed=self.scene.seed)
        return grid.places(starts), grid.places(goals)

    def _middles(self, places: Any) -> Floats:
        middles: Floats = (np.asarray(places, np.float64).reshape(-1, 2) + 0.5) * METRES
        return middles

    @property
    def radii(self) -> Any:
        """The radius of every body that ever was there, in metres."""
        return self.crowd.radii

    @property
    def kinds(self) -> Any:
        """The kind of every body."""
        return np.zeros(self.crowd.n_agents, np.int64)

    @property
    def is_over(self) -> bool:
        """Whether nobody is left."""
        return self.crowd.n_active == 0

    def walk(self) -> None:
        """Let the crowd walk; who is there gets another goal or leaves."""
        crowd = self.crowd
        for _ in range(self.per_frame):
            crowd.step()
            there = [agent for agent in np.flatnonzero(crowd.is_there).tolist() if agent not in self.held]
            if not there:
                continue
            self.arrived += len(there)
            if self.scene.errand == "one_shot":
                crowd.remove(there)
            else:
                self._send_on(there)

    def _send_on(self, agents: list[int]) -> None:
        """Give agents another goal: back, or anywhere."""
        back, self.homes[agents] = self.homes[agents].copy(), self.crowd.goals[agents]
        for agent, home in zip(agents, back, strict=True):
            if self.scene.errand == "tasks":
                home = self._middles(self.ground.place(int(self.rng.choice(self._part(agent)))))[0]
            try:
                self.crowd.set_goals([agent], [home])
            except WayfolkError:  # a wall has come between
                self.crowd.set_goals([agent], [self.crowd.places[agent]])

    def _part(self, agent: int) -> NDArray[np.int32]:
        """The cells that an agent can reach."""
        grid = self.ground
        x, y = (int(each) for each in self.crowd.places[agent] // METRES)
        cells: NDArray[np.int32] = grid.free_cells
        mine: NDArray[np.int32] = cells[grid.components[cells] == grid.components[grid.cell((x, y))]]
        return mine

    def moment(self) -> BodyStates:
        """Who is where."""
        crowd = self.crowd
        agents = crowd.active
        states = np.full(len(agents), NO_STATE, np.uint8)
        return BodyStates(
            agents.astype(np.int64), crowd.places[agents].copy(), crowd.headings[agents].copy(), states,
            np.zeros(0, np.uint8),
        )  # fmt: skip

    def new_goals(self) -> NDArray[np.int32]:
        """The cells of goals that have changed."""
        goals = self.crowd.goals
        known = len(self.sent_goals)
        changed = np.flatnonzero((goals[:known] != self.sent_goals).any(1)).tolist()
        changed += range(known, len(goals))
        self.sent_goals = goals.copy()
        cells = [self.ground.cell((int(x), int(y))) for x, y in goals[changed] // METRES]
        return np.array([changed, cells], np.int32).T

    def head(self) -> dict[str, Any]:
        """What the page has to know before the first frame."""
        self.sent_goals = np.zeros((0, 2))
        return super().head()

    def new_walls(self) -> NDArray[np.int32]:
        """The walls that were painted."""
        walls, self.walls = self.walls, []
        return np.array(walls, np.int32).reshape(-1, 2)

    def change(self, edit: Edit) -> None:
        """Change walls, goals, bodies."""
        crowd = self.crowd
        if edit.do not in ("block", "free", "join", "add", "terrain"):
            numbers_of(crowd, [edit.agent])  # refuses agents that are not there
        if edit.do in ("block", "free"):
            self._build(edit)
        elif edit.do == "goal":
            crowd.set_goals([edit.agent], self._free(edit.place))
        elif edit.do == "put":
            self._put(edit.agent, self._free(edit.place))
        elif edit.do == "leave":
            crowd.remove([edit.agent])
        elif edit.do == "hold":
            self.held.setdefault(edit.agent, crowd.goals[[edit.agent]].copy())
            crowd.set_goals([edit.agent], crowd.places[[edit.agent]])
        elif edit.do == "move":
            crowd.set_goals([edit.agent], self._free(edit.place))
        elif edit.do == "resume":
            if edit.agent in self.held:
                crowd.set_goals([edit.agent], self.held.pop(edit.agent))
        elif edit.do in ("join", "add"):
            check_agents(crowd.n_agents + max(edit.count, len(edit.journeys)))
            places = np.array(edit.journeys, np.int64).reshape(-1, 4)
            if edit.do == "add":
                places = self._room_for(edit.count)
            self._add(places)
        else:
            raise NotSupported(f"{edit.do} cannot be done to a crowd: bodies walk at the same pace everywhere")

    def _add(self, places: NDArray[np.int64]) -> None:
        starts = self._middles(places[:, :2])
        self.crowd.add(starts, self._middles(places[:, 2:]), radius=RADIUS)
        self.homes = np.concatenate([self.homes, starts])

    def _room_for(self, count: int) -> NDArray[np.int64]:
        """Journeys for `count` more bodies, from cells where nobody is."""
        grid = self.ground
        parts = grid.components[grid.free_cells]
        cells = grid.free_cells[parts == np.bincount(parts[parts >= 0]).argmax()]
        starts = self.rng.permutation(cells)
        clear = starts[self.crowd.is_clear(self._middles(grid.places(starts)), 1.1 * RADIUS)][:count]
        if len(clear) < count:
            raise BadProblem(f"there is no room for {count} more bodies")
        return np.concatenate([grid.places(clear), grid.places(self.rng.choice(cells, count))], 1)

    def _free(self, place: tuple[int, int]) -> Floats:
        """The middle of a cell, if it is free."""
        if not inside(self.ground, [place]) or not self.ground.is_free(self.ground.cell(place)):
            raise BadProblem(f"there is a wall at {place}")
        return self._middles(place)

    def _put(self, agent: int, place: Floats) -> None:
        """Put a body elsewhere."""
        crowd = self.crowd
        goal = crowd.goals[[agent]].copy()
        others = crowd.active[crowd.active != agent]
        if (((crowd.places[others] - place[0]) ** 2).sum(1) < (2 * RADIUS) ** 2).any():
            raise BadProblem("there is no room: somebody stands there")
        crowd.bodies.places[agent], crowd.bodies.velocities[agent] = place[0], 0.0
        crowd.set_goals([agent], goal)

    def _build(self, edit: Edit) -> None:
        """Build walls where nobody stands, or take them away."""
        grid = self.ground
        places = inside(grid, edit.cells)
        if edit.do == "block":
            crowd = self.crowd
            apart: Floats = np.abs(self._middles(places)[:, None] - crowd.places[crowd.active]).max(2)
            taken = (apart < METRES / 2 + RADIUS).sum(1).tolist()
            places = [place for place, bodies in zip(places, taken, strict=True) if not bodies]
        cells = [grid.cell(place) for place in places]
        changed = grid.with_blocked(cells) if edit.do == "block" else grid.with_freed(cells)
        self.crowd.set_walls(changed)
        self.ground = changed
        self.walls += [(cell, int(edit.do == "block")) for cell in cells]

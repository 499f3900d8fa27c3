"""The environment of PettingZoo's parallel API, and that of Gymnasium for one agent. They need the extra `env`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import ParallelEnv

from wayfolk.errors import BadInput, BadProblem
from wayfolk.simulation.env.arena import Arena, Turn

FAR = 1 << 20  # more than any distance in a map


class WayfolkEnv(ParallelEnv):  # type: ignore[misc]
    """Agents of an arena, each called `agent_0`, `agent_1` ...; those who are done leave `agents`."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "wayfolk_v0",
        "render_modes": ["ansi", "rgb_array"],
        "is_parallelizable": True,
    }

    def __init__(self, arena: Arena, observation: str = "window", render_mode: str | None = None) -> None:
        if observation not in ("window", "dict"):
            raise BadInput(f"observation must be window or dict, not {observation!r}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise BadInput(f"render_mode must be ansi or rgb_array, not {render_mode!r}")
        self.arena, self.render_mode, self.is_dict = arena, render_mode, observation == "dict"
        self.possible_agents = [f"agent_{k}" for k in range(arena.n_agents)]
        self.agents: list[str] = []
        self._space, self._actions = observation_space(arena, self.is_dict), Discrete(arena.n_actions)
        self._spaces = {name: observation_space(arena, self.is_dict) for name in self.possible_agents}
        self._action_spaces = {name: Discrete(arena.n_actions) for name in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """What `agent` sees."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What `agent` can do."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
        """Begin an episode; `seed` draws its problem, if the environment was made of a function."""
        windows = self.arena.reset(seed)
        if self.arena.n_agents != len(self.possible_agents):
            raise BadProblem(f"every problem must have {len(self.possible_agents)} agents, not {self.arena.n_agents}")
        self.agents = list(self.possible_agents)
        self._who = np.arange(self.arena.n_agents)
        return self._observed(windows), {name: {} for name in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[Any, ...]:
        """Move all agents; return observations, rewards, terminations, truncations and infos, by agent."""
        names, who, arena = self.agents, self._who, self.arena
        is_all = len(who) == arena.n_agents
        given = np.array([*map(actions.__getitem__, names)], np.int64)
        wanted = given if is_all else np.zeros(arena.n_agents, np.int64)
        wanted[who] = given
        turn = arena.step(wanted)
        turn = turn if is_all else Turn(turn.windows[who], turn.rewards[who], turn.terminated[who], turn.truncated[who])
        answer: tuple[Any, ...] = (
            self._observed(turn.windows),
            _by_name(names, turn.rewards, 0.0),
            _by_name(names, turn.terminated, False),
            _by_name(names, turn.truncated, False),
            {name: {} for name in names},
        )
        gone = turn.terminated | turn.truncated
        if gone.any():
            self._who = who[~gone]
            self.agents = [self.possible_agents[k] for k in self._who.tolist()]
        return answer

    def _observed(self, windows: Any) -> dict[str, Any]:
        if not self.is_dict:
            return dict(zip(self.agents, list(windows), strict=True))
        return dict(zip(self.agents, as_dicts(self.arena, windows, self._who), strict=True))

    def render(self) -> Any:
        """The world now, as text or as pixels."""
        if self.render_mode is None:
            return None
        return self.arena.text() if self.render_mode == "ansi" else self.arena.picture()

    def state(self) -> Any:
        """The whole world: a map of walls, of agents and of goals, all in the same units."""
        grid = self.arena.problem.grid
        maps = np.zeros((3, grid.n_cells), np.float32)
        maps[0] = ~grid._free
        maps[1, self.arena.cells[self.arena.active]] = 1.0
        maps[2, self.arena.goals[self.arena.active]] = 1.0
        return maps.reshape(3, -1, grid.stride)[:, 1:-1, 1:-1]

    def close(self) -> None:
        """Nothing is kept open."""


class SingleEnv(Env):  # type: ignore[misc]
    """One agent alone, for libraries that know Gymnasium only."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 8}  # type: ignore[misc]

    def __init__(self, arena: Arena, render_mode: str | None = None) -> None:
        if arena.n_agents != 1:
            raise BadProblem(f"a Gymnasium environment has one agent, not {arena.n_agents}: use parallel_env")
        self.arena, self.render_mode = arena, render_mode
        self.observation_space, self.action_space = observation_space(arena, False), Discrete(arena.n_actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        return self.arena.reset(seed)[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move the agent."""
        turn = self.arena.step([action])
        return turn.windows[0], float(turn.rewards[0]), bool(turn.terminated[0]), bool(turn.truncated[0]), {}

    def render(self) -> Any:
        """The world now, as text or as pixels."""
        if self.render_mode is None:
            return None
        return self.arena.text() if self.render_mode == "ansi" else self.arena.picture()


def _by_name(names: list[str], values: Any, usual: Any) -> dict[str, Any]:
    """`values` by agent; a dictionary of one value is made in less time."""
    if not values.any():
        return dict.fromkeys(names, usual)
    return dict(zip(names, values.tolist(), strict=True))


def observation_space(arena: Arena, is_dict: bool) -> Any:
    """What an agent sees, as a space."""
    side = 2 * arena.vision + 1
    if not is_dict:
        return Box(0.0, 1.0, (3, side, side), np.float32)
    window, place = Box(0.0, 1.0, (side, side), np.float32), Box(-FAR, FAR, (2,), np.int64)
    return Dict(obstacles=window, agents=window, xy=place, target_xy=Box(-FAR, FAR, (2,), np.int64))


def as_dicts(arena: Arena, windows: Any, who: Any) -> list[dict[str, Any]]:
    """Observations as dictionaries: two maps, and places relative to the agent's start, rows first."""
    stride, starts = arena.problem.grid.stride, arena.problem.starts[who]

    def away(cells: Any) -> Any:
        return np.stack([cells // stride - starts // stride, cells % stride - starts % stride], 1).astype(np.int64)

    here, there = away(arena.cells[who]), away(arena.goals[who])
    return [
        {"obstacles": window[0], "agents": window[1], "xy": here[k], "target_xy": there[k]}
        for k, window in enumerate(windows)
    ]

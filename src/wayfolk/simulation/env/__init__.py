"""Environments for reinforcement learning: many agents on a map, each of which sees the cells around it.

    env = wayfolk.env.parallel_env(problem, vision=5)      PettingZoo's parallel API
    env = wayfolk.env.gym_env(problem)                     Gymnasium, for one agent
    arena = wayfolk.env.Arena(problem, vision=5)           arrays for all agents at once, without either package
    begin = wayfolk.env.policy_controller(policy)          a policy as a controller of any simulation

Observations, actions and rewards are those of pogema (Skrynnik et al., "POGEMA: partially observable grid environment for
multiple agents", 2022) unless options say otherwise. See `Arena` for the options.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wayfolk.errors import NotSupported
from wayfolk.problem.problem import Problem
from wayfolk.simulation.env.arena import ACTIONS, Arena, Turn
from wayfolk.simulation.env.policies import policy_controller

if TYPE_CHECKING:
    from wayfolk.simulation.env.parallel import SingleEnv, WayfolkEnv

__all__ = ["ACTIONS", "Arena", "Turn", "gym_env", "parallel_env", "policy_controller"]


def parallel_env(
    problem: Problem | Callable[[int], Problem],
    *,
    vision: int = 5,
    observation: str = "window",
    render_mode: str | None = None,
    **options: Any,
) -> WayfolkEnv:
    """An environment of PettingZoo's parallel API; `options` are those of `Arena`.

    An `observation` is a "window" of three maps, or a "dict" with two maps and the places of agent and goal.
    """
    return _parts().WayfolkEnv(Arena(problem, vision=vision, **options), observation, render_mode)  # type: ignore[no-any-return]


def gym_env(
    problem: Problem | Callable[[int], Problem], *, vision: int = 5, render_mode: str | None = None, **options: Any
) -> SingleEnv:
    """A Gymnasium environment of a problem with one agent; `options` are those of `Arena`."""
    return _parts().SingleEnv(Arena(problem, vision=vision, **options), render_mode)  # type: ignore[no-any-return]


def _parts() -> Any:
    try:
        return import_module("wayfolk.simulation.env.parallel")
    except ImportError:
        raise NotSupported("environments need gymnasium and pettingzoo: pip install 'wayfolk[env]'") from None

"""Steps by PIBT, for a window in which the solver finds no paths.

Invariants  the paths do not collide with each other.
"""

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import View
from wayfolk.algorithms.controllers.pibt import PushArrays
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crew import N_ASKED, ROW, Crew
from wayfolk.kernels.planning import plan_routes


def push_along(arrays: PushArrays, view: View, members: NDArray[np.int32], steps: int) -> NDArray[np.int32]:
    """The paths of all agents for the next steps, if PIBT decides for `members` and all others stay."""
    crew = view.crew
    future = Crew(
        offsets=crew.offsets,
        lasts=crew.lasts,
        occupant=crew.occupant.copy(),
        agents=crew.agents.copy(),
        asked=members,
        counts=crew.counts.copy(),
        route=crew.route.copy(),
        answers=crew.answers.copy(),
    )
    future.counts[N_ASKED] = len(members)
    paths = np.repeat(view.here[:, None], steps + 1, 1)
    _take_steps(arrays, future, np.zeros(0, ROW), paths, float(view.time))
    return paths


@kernel
def _take_steps(arrays, crew, log, paths, now):
    """Decide and move, step by step, and write the cells to `paths`."""
    agents, asked = crew.agents, crew.asked
    for step in range(1, paths.shape[1]):
        for agent in asked:
            agents[agent]["came"], agents[agent]["ready"] = agents[agent]["here"], now
        plan_routes(arrays, crew, log, now)
        for agent in asked:
            crew.occupant[agents[agent]["here"]] = NOBODY
        for agent in asked:
            there = crew.route[agent, 0]
            crew.occupant[there] = agent
            agents[agent]["here"] = paths[agent, step] = there
        now += 1.0

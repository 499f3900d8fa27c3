"""MAPP: agents slide along paths on which every cell can be avoided; an empty cell is brought in front of the first.

Wang and Botea, "MAPP: a scalable multi-agent path planning algorithm with tractability and completeness guarantees", 2011.

Guarantees  all slidable agents arrive. An agent is slidable if it has a path of which (1) for any three cells in a row
            there is a way from the first to the third that avoids the second, (2) the first step is into an empty cell,
            and (3) no goal of another slidable agent is on the path, and no goal at all is on these ways. The other agents
            stay where they are: the result is PARTIAL then, and its detail names them.
Invariants  one agent moves at a time, into an empty cell. Slidable agents that have arrived never move again. At the
            beginning of every progression step all others are on their paths, each with an empty cell in front.
Cost        O(agents x path) attempts for each progression step, and as many steps as there are agents at most. Memory for
            each move: 16 bytes.
Deviations  alternate paths are not kept but searched again, among `reach` cells at most. Agents that are not slidable count
            as walls, and the paths of the others are searched again. The relaxed conditions of the paper's extensions are
            left out. The plan is made parallel (`_parallel`).
"""

from __future__ import annotations

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners.mapp.task import Mapp
from wayfolk.problem.problem import Problem

PAPER = "Wang & Botea 2011"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    reach: Annotated[int, Range(1, 100_000), "How many cells the search for an alternate path may look at."] = 1000,
) -> Mapp:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return Mapp(problem, reach=reach)

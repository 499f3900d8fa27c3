"""Push and Rotate: agents walk to their goals in turn, push others aside, and change places with those who are done.

de Wilde, ter Mors and Witteveen, "Push and Rotate: a complete multi-agent pathfinding algorithm", 2014.

Guarantees  a plan for every solvable problem in which each connected part of the map has two empty cells or more. That is
            the theorem of the paper; ours rotates full rings too, for which it is tested: 8,000 small maps with up to 28
            cells were all solved in the first round. With one empty cell or none, it solves what walks solve and small
            parts by a joint search (up to 8 agents and 200,000 states), and else says GAVE_UP. It says IMPOSSIBLE only if
            that is proved, for any number of agents (`_solvable`). Hexagons, triangles, voxels and graphs whose moves all
            have a reverse are solved as grids are: 3,500 problems in tiny ones agree with exhaustive searches. Where rings
            of moves cross themselves, as on maps with cliffs and diagonals, there is no guarantee.
Invariants  moves happen one at a time, into empty cells, or in rings. Between two agents' walks all agents that are done
            are on their goals. After a swap only two agents have changed places. Agents of a subproblem walk one after
            another, and after those that need to pass their goals (`_subproblems`).
Cost        O(agents x path x cells) in the worst case; usually a few searches near the agent for each step. Memory for each
            move: 16 bytes; for the plan 4 bytes for each agent and step.
Deviations  full rings rotate, so that subproblems are larger than in the paper. Agents that meet in an open block of 2 x 3
            cells (2 x 2 with diagonals) change places by two to five rotations, which needs no empty cells; beside a ring
            one empty cell is enough. Blocks are for grids only, rings for any world. With `blocks=False` neither is used,
            but the subproblems stay the same. Paths avoid agents that are done where a short detour exists, and pushes
            avoid the next cells of the path. Within a subproblem, agents with the same direction walk together, which makes
            the parallel plan several times shorter. An agent that stands on the goal of a walk is brought back through the
            trail by swaps, not by a rotation along the trail. An agent that is stuck walks again in the next round. The
            plan is made parallel (`_parallel`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._blocks import blocks_of, no_blocks
from wayfolk.algorithms.planners.push_and_rotate.task import PushAndRotate
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid

PAPER = "de Wilde, ter Mors & Witteveen 2014"
OPTIMAL = False
COMPLETE = True
WORLDS = "graph"
ONE_WAY = False


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, for the order \"random\"."] = 0,
    order: Annotated[
        Literal["direction", "outside", "given", "random"],
        "Who walks first: agents with the same direction together, goals far from the middle of the map, as given, random.",
    ] = "direction",
    blocks: Annotated[bool, "Let agents change places by rotations, in open blocks of cells and in rings."] = True,
    done_cost: Annotated[int, Range(0, 60), "How many steps of detour a path takes to avoid an agent that is done."] = 8,
    rounds: Annotated[int, Range(1, 1000), "How often all agents walk again when some are stuck."] = 6,
) -> PushAndRotate:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    states = problem.states
    tables = blocks_of(states) if blocks and isinstance(states, Grid) else no_blocks(states)
    rings = blocks and not (isinstance(states, Grid) and states.links is not None)
    return PushAndRotate(problem, tables, rings, seed=seed, order=order, done_cost=done_cost, rounds=rounds)

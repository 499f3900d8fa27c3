"""BMAA*: everybody looks a few cells ahead, learns from it, and steps if the way is free.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", CIG 2018;
Bakos, slides of the same title, 2022.

Finds    for each agent, by RTAA* of its own, a way that leads to the goal in the end if the agent is alone. Nothing is
         promised for all of them: agents can be in each other's way for ever, and learn from it what is not so.
Keeps    at most `expansions` cells are expanded in a search, and nobody farther away than `vision` is looked at. No move
         is ever refused as long as all agents are under control.
Takes    a search for an agent every `moves` steps, or when its path ends. Memory grows with the cells that each
         agent has learned about (about 30 bytes for one), and is freed when it gets another goal.
Differs  the paper moves agents one after another in the same step. This is worked out in the agents' `order`, and handed
         to the simulation as moves at once, which it then has no reason to refuse; only that two agents cannot cross on
         diagonals is added. An agent moves, or is pushed, once in a step: who has just reached its goal is pushed from the
         next step on. It is pushed to the first empty cell of east, south, west, north and the diagonals, but to the one
         where the pusher goes next only if there is no other. Where the others and one-way streets leave an agent no way
         out, it searches with all moves. When a wall is removed all forget what they have learned; an agent whose goal
         has become a wall waits.

         Beyond the paper: with `initial="sectors"` the first guess leads by the centres of regions 16 cells wide, worked
         out for 64 agents in a step (the others guess as on an empty map until it is their turn). With `yielding` an
         agent plans through whoever is younger, counted from when it was last on its goal, or rests, and those between
         it and the nearest empty cell go on by one, so that the oldest are let through.
"""

from typing import Literal

import numpy as np

from wayfolk.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.flow import flow_of
from wayfolk.grid import Moves
from wayfolk.kernels import bmaa, bmaa_fields, bmaa_search, bmaa_tiles
from wayfolk.kernels.crew import NOBODY
from wayfolk.kernels.heap import ROW
from wayfolk.kernels.random import new_random
from wayfolk.problem import Problem

PAPER = "Sigurdson, Bulitko, Yeoh, Hernandez and Koenig 2018"
OPTIMAL = False
COMPLETE = False
SEES = "vision"

ORDERS = {"fixed": bmaa.FIXED, "rotated": bmaa.ROTATED, "shuffled": bmaa.SHUFFLED}
GUESSES = ("octile", "sectors")


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    expansions: int = 32,
    moves: int = 32,
    vision: float = 1.4142135623730951,
    push: bool = False,
    flow: bool = False,
    order: Literal["fixed", "rotated", "shuffled"] = "fixed",
    avoid: bool = False,
    initial: Literal["octile", "sectors"] = "octile",
    yielding: bool = False,
) -> Controller:
    """Agents that search with `expansions` and see others within `vision`, and search again after `moves` steps.

    With `push` whoever rests on its goal is pushed out of the way; with `flow` rows and columns are one-way streets.
    Agents move in the `order` of their numbers, with another one first in each step, or shuffled by `seed`.

    The last three are not the paper's: `avoid` goes where least was learned (daRTAA*), `initial` guesses by sectors of the
    map, and with `yielding` agents give way to those who have been under way for longer, in chains.
    """
    for name, value in (("expansions", expansions), ("moves", moves), ("vision", vision)):
        if not 1 <= value < 1e6:
            raise BadInput(f"{name} must be from 1 to a million, not {value}")
    for name, choice, choices in (("order", order, ORDERS), ("initial", initial, GUESSES)):
        if choice not in choices:
            raise BadInput(f"{name} must be one of {', '.join(choices)}, not {choice!r}")
    grid, n = problem.grid, problem.n_agents
    expansions = min(expansions, len(grid.free_cells))
    mind = bmaa.BoundedMind(
        grid.graph, grid.legal, np.zeros(0, bmaa.WALKER), np.zeros((0, min(moves, expansions)), np.int32),
        bmaa_tiles.new_tiles(n, grid.stride), bmaa_fields.no_fields(), np.zeros(grid.n_cells, bmaa_search.CELL),
        np.zeros(8 * expansions + 1, ROW), np.zeros(expansions, np.int32), np.zeros(0, np.int32),
        np.zeros(grid.n_cells, np.int32), np.zeros(5, np.int32), new_random(seed), expansions, float(moves),
        float(vision * vision), 1.0 if grid.moves is Moves.FOUR else grid.diagonal - 1.0, ORDERS[order],
        push, flow, avoid, yielding,
    )  # fmt: skip
    return Bounded(n, mind, initial == "sectors")


class Bounded(Controller):
    """Everyone with a path of a few steps, and a table of what it has learned."""

    lookahead = 1

    def __init__(self, n_agents: int, mind: bmaa.BoundedMind, by_sectors: bool) -> None:
        super().__init__(n_agents)
        self.mind, self.by_sectors = mind, by_sectors

    def prepare(self, view: View) -> None:
        """Look at the map anew, and make places for those who have come."""
        super().prepare(view)
        mind, n = self.mind, len(view.here)
        walkers = np.zeros(n, bmaa.WALKER)
        walkers["goal"] = walkers["was"] = NOBODY  # whoever has another goal forgets what it has learned
        if not view.grid._free[view.changed].any():
            for name in ("goal", "since"):
                walkers[name][: len(mind.walkers)] = mind.walkers[name]
        self.mind = mind._replace(
            graph=flow_of(view.grid).graph if mind.flow else view.grid.graph,
            legal=view.grid.legal,
            walkers=walkers,
            paths=np.zeros((n, mind.paths.shape[1]), np.int32),
            tiles=bmaa_tiles.with_agents(mind.tiles, n),
            fields=bmaa_fields.new_fields(view.grid, n) if self.by_sectors else mind.fields,
            order=np.zeros(n, np.int32),
        )

    def decide(self, view: View) -> None:
        """Make room."""
        self.mind = self.mind._replace(tiles=bmaa_tiles.grown(self.mind.tiles, 4 * self.mind.expansions))

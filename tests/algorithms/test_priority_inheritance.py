"""The chain of pushes against a recursive one, and that there is no second chain in the sources."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import wayfolk
from wayfolk.algorithms.priority_inheritance import BODY, STAY, Cells, choose, has_decided, pushes, settle
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

plain = pytest.mark.plain


class ListParty(NamedTuple):
    """Agents whose choices are given: `wishes[agent]` are moves, the best first."""

    nodes: Cells
    bodies: NDArray[np.void]
    occupant: NDArray[np.int32]
    claims: NDArray[np.int64]
    step: NDArray[np.int64]
    is_strict: bool
    wishes: NDArray[np.int64]
    n_wishes: NDArray[np.int64]
    forbidden: NDArray[np.uint8]


def _prefer(party, agent):  # type: ignore[no-untyped-def]
    choose(party.nodes, party.bodies[agent], party.wishes[agent], party.n_wishes[agent])


def _may_move(party, root, agent, k, there, other):  # type: ignore[no-untyped-def]
    return party.forbidden[there] == 0 or k == STAY


pushes(ListParty, _prefer, _may_move)


@kernel
def decide(party, order):  # type: ignore[no-untyped-def]
    """Decide for all agents."""
    for agent in order:
        if not has_decided(party, agent):
            settle(party, agent)


def recursive(grid: Grid, here: list[int], wishes: list[list[int]], order: list[int], forbidden: set[int]) -> list[int]:
    """PIBT as the paper has it: a function that calls itself for the agent that is pushed."""
    there: dict[int, int] = {}
    at = {cell: agent for agent, cell in enumerate(here)}

    def goes(agent: int | None, cell: int) -> bool:
        return agent is not None and there.get(agent) == cell

    def finds(agent: int) -> bool:
        there[agent] = -1
        for k in wishes[agent]:
            step = 0 if k == STAY else int(grid.offsets[k])
            cell = here[agent] + step
            if cell in there.values() or (cell in forbidden and step):
                continue
            if step and goes(at.get(cell), here[agent]):
                continue
            if 4 <= k < STAY:
                one, two = here[agent] + int(grid.offsets[k - 4]), cell - int(grid.offsets[k - 4])
                if goes(at.get(one), two) or goes(at.get(two), one):
                    continue
            there[agent] = cell
            other = at.get(cell)
            if other is None or other in there or finds(other):
                return True
        there[agent] = here[agent]
        return False

    for agent in order:
        if agent not in there:
            finds(agent)
    return [there[agent] for agent in range(len(here))]


@plain
@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("seed", range(30))
def test_the_chain_decides_like_recursion(moves: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    grid = random_map(6, 6, 0.2, seed=seed, moves=moves)
    agents = len(grid.free_cells) * 3 // 5
    here = np.sort(random.choice(grid.free_cells, agents, replace=False))
    forbidden = np.zeros(grid.n_cells, np.uint8)
    forbidden[random.choice(grid.free_cells, 2)] = 1
    wishes = [
        [int(k) for k in random.permutation(9) if k == STAY or (int(grid.legal[cell]) >> int(k)) & 1] for cell in here
    ]
    order = random.permutation(agents).astype(np.int32)
    bodies = np.zeros(agents, np.dtype(BODY, align=True))
    bodies["here"] = here
    occupant = np.full(grid.n_cells, NOBODY, np.int32)
    occupant[here] = np.arange(agents)
    table = np.zeros((agents, 9), np.int64)
    for agent, row in enumerate(wishes):
        table[agent, : len(row)] = row
    party = ListParty(
        nodes=Cells(grid.legal, grid.offsets, np.zeros(grid.n_cells, np.uint8)),
        bodies=bodies,
        occupant=occupant,
        claims=np.zeros(grid.n_cells, np.int64),
        step=np.ones(1, np.int64),
        is_strict=True,
        wishes=table,
        n_wishes=np.array([len(row) for row in wishes], np.int64),
        forbidden=forbidden,
    )
    decide(party, order)
    closed = set(np.flatnonzero(forbidden).tolist())
    assert bodies["next"].tolist() == recursive(grid, here.tolist(), wishes, order.tolist(), closed)
    assert len(set(bodies["next"].tolist())) == agents


def test_there_is_one_chain_of_pushes() -> None:
    root = Path(wayfolk.__file__).parent
    found = [f"{file.relative_to(root)}: {name}" for file in root.rglob("*.py") for name in _chains(file)]
    assert found == ["algorithms/priority_inheritance.py: settle"]


def _chains(file: Path) -> list[str]:
    """The functions with a loop over the tries of an agent that goes back to who pushed it, and that knows NOBODY."""
    return [
        function.name
        for function in ast.walk(ast.parse(file.read_text()))
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.Name) and node.id == "NOBODY" for node in ast.walk(function))
        and any(_goes_back(loop) for loop in ast.walk(function) if isinstance(loop, ast.While))
    ]


def _goes_back(loop: ast.While) -> bool:
    nodes = list(ast.walk(loop))
    returns = any(isinstance(node, ast.Assign) and _field(node.value) == "parent" for node in nodes)
    returns |= any(isinstance(node, ast.Call) and getattr(node.func, "id", "") == "give_up" for node in nodes)
    tries = any(isinstance(node, ast.AugAssign) and _field(node.target) is not None for node in nodes)
    return returns and tries


def _field(node: ast.expr) -> object:
    """The name of a field of a record, or None."""
    return node.slice.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else None

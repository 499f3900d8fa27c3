"""What the page shows of agents besides their moves: what they have reserved, who waits for whom, one-way maps."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.judge.blockage import why
from wayfolk.judge.last_steps import RECENT
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.crew import AnyCrew
from wayfolk.kernels.reservations import Reservations
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid

DEPTH = 32  # steps ahead that are shown
MOST_ROWS = 60_000  # of them, for all agents
KEPT_STEPS = RECENT + 2
MOST_WORK = 1 << 26  # agents times cells for which waits are looked for
SLOT_BITS = 31  # of the key of a reservation, see `wayfolk.kernels.reservations`

Cells = NDArray[np.int32]


def tables_of(arrays: Any) -> list[Reservations]:
    """The reservations among the arrays of a controller, however deep they lie; they are called `table` everywhere."""
    found = []
    for name in getattr(arrays, "_fields", ()):
        part = getattr(arrays, name)
        if isinstance(part, Reservations):
            found += [part] if name == "table" else []
        else:
            found += tables_of(part)
    return found


def reserved(tables: list[Reservations], step: int) -> Cells:
    """Reservations from `step` on. What is reserved for the time t is in slot t - 1, everywhere."""
    parts = []
    for table in tables:
        entries = table.entries[table.entries["key"] != 0]
        keys = entries["key"] - 1
        ahead = (keys & ((1 << SLOT_BITS) - 1)) + 1 - step
        rows = np.stack([entries["holder"], keys >> SLOT_BITS, ahead], 1)
        parts.append(rows[(ahead > 0) & (ahead <= DEPTH)])
    rows = np.concatenate([np.zeros((0, 3), np.int64), *parts])
    return rows[np.lexsort((rows[:, 2], rows[:, 0]))][:MOST_ROWS].astype(np.int32)


def routes_ahead(crew: AnyCrew) -> Cells:
    """The routes that controllers have handed out, from now on."""
    width = crew.route.shape[1]
    at, n = crew.answers["at"].astype(np.int64), crew.answers["n_route"].astype(np.int64)
    steps = np.arange(1, min(width, DEPTH) + 1)
    place = at[:, None] + steps - 1
    known = (place < n[:, None]) & crew.agents["present"][:, None]
    agent, k = np.nonzero(known)
    rows = np.stack([agent, crew.route[agent, place[agent, k]], steps[k]], 1)
    return rows[:MOST_ROWS].astype(np.int32)


def plan_ahead(plan: NDArray[np.int32] | None, at: int) -> Cells:
    """The next rows of a plan."""
    coming = np.zeros((0, 0), np.int32) if plan is None else plan[at + 1 : at + 1 + DEPTH]
    k, agent = np.indices(coming.shape).reshape(2, -1)
    rows = np.stack([agent, coming.ravel(), k + 1], 1)
    return rows[:MOST_ROWS].astype(np.int32)


def waits(grid: Grid, last: list[tuple[Cells, Cells]]) -> dict[str, Any]:
    """Who waits for whom, as the judge finds out from the last steps: pairs, and the cycles among them.

    Agents that have joined or got another goal in these steps are on their way.
    """
    if len(last) < KEPT_STEPS:
        return {"pairs": [], "cycles": []}
    n = len(last[0][0])
    cells = np.stack([here[:n] for here, _ in last])
    goals = np.stack([wanted[:n] for _, wanted in last])
    there = np.flatnonzero((cells != NOWHERE).all(0))
    if len(there) * grid.n_cells > MOST_WORK:
        raise TooLarge(f"who waits for whom is not looked for with {len(there):,} agents on a map of this size")
    steady = (goals == goals[-1]).all(0) & (goals[-1] != NOWHERE)
    wanted = np.where(steady, goals[-1], cells[-1])[there]
    plan = Plan(grid, np.ascontiguousarray(cells[:, there]))
    found = why(plan, Problem(grid, plan.cells[0], wanted[:, None].astype(np.int32)))
    names = there.tolist()
    return {
        "pairs": [[names[one], names[other]] for each in found for one, other in each.waits],
        "cycles": [[names[agent] for agent in each.agents] for each in found if each.kind == "cycle"],
    }


def moves_of(legal: NDArray[np.uint8], grid: Grid) -> str:
    """The moves that are left in each cell of the map, a byte each, in base64."""
    return base64.b64encode(legal.reshape(-1, grid.stride)[1:-1, 1:-1].tobytes()).decode()

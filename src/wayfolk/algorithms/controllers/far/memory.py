"""What FAR and A*-Replan remember of each agent: its plan as a list of moves, and the cells that it holds.

Who owns a cell, and which cells are closed for good, follows from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.far.paths import SIZE, MoveStacks, push, with_room
from wayfolk.algorithms.controllers.far.state import LOST, PLANNED, UNPLANNED
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory


def remember_members(memory: Memory, arrays: Any) -> MoveStacks:
    """The members, what they hold, and the stacks with the moves of their plans."""
    members, held, room = arrays.members, arrays.held, arrays.held.shape[1]
    noted = members if memory.is_read else members.copy()
    if not memory.is_read:
        noted["seen"] = noted["followers"] = noted["n_before"] = noted["top"] = 0
    memory.records(
        "members", noted, own=memory.cells_or_none, walled=memory.cells_or_none, goal=memory.cells_or_none,
        plan=memory.small, top=(0, 0), n_left=memory.small, main=memory.small, n_held=(0, room), walked=(0, room),
        waits_for=memory.agents_or_none, yields_to=memory.agents_or_none, host_plan=memory.small,
        host_left=(-room, 1 << 30), seen=(0, 0), followers=(0, 0), n_before=(0, 0), spent=memory.small,
        state=(UNPLANNED, LOST),
    )  # fmt: skip
    used = np.arange(room) < noted["n_held"][:, None]
    cells = memory.numbers("held", np.where(used, held, 0), memory.cells)
    moves = memory.listed("moves", _all_moves(arrays), 1 << 28, (0, 7))
    if not memory.is_read:
        return arrays.stacks  # type: ignore[no-any-return]
    held[...] = cells
    moves = _checked(memory, arrays, moves)
    _own(arrays)
    lengths = members["n_left"].copy()
    members["n_left"], members["top"] = 0, NOWHERE
    stacks = with_room(arrays.stacks, int(((lengths + SIZE - 1) // SIZE).sum(dtype=np.int64)) + 2 * len(members) + 2)
    _push_all(stacks, members, lengths, moves)
    return stacks


def _all_moves(arrays: Any) -> NDArray[np.uint8]:
    """The moves of all plans, those of an agent from the last to the next one."""
    plans = [np.zeros(0, np.uint8)]
    for member in arrays.members:
        block, left, parts = int(member["top"]), int(member["n_left"]), []
        while left > 0:
            n = (left - 1) % SIZE + 1
            parts.append(arrays.stacks.moves[block, :n])
            block, left = int(arrays.stacks.below[block]), left - n
        plans += parts[::-1]
    return np.concatenate(plans)


def _checked(memory: Memory, arrays: Any, moves: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The moves of plans that stay inside the map; one that was put elsewhere has none. BadInput if steps do not follow."""
    members, offsets, here = arrays.members, arrays.graph.offsets, memory.view.here
    if members["n_left"].sum(dtype=np.int64) != len(moves):
        memory.refuse("moves", "has a length that does not fit the plans")
    inside = memory.places
    ends, plans = np.cumsum(members["n_left"], dtype=np.int64), [np.zeros(0, np.uint8)]
    for number, member in enumerate(members):
        walked, n_held = int(member["walked"]), int(member["n_held"])
        chain = arrays.held[number, walked:n_held].astype(np.int64)
        if len(chain):
            way = np.append(member["own"], chain)
            if way[0] == NOWHERE or not inside.holds(way).all() or not np.isin(np.diff(way), offsets).all():
                memory.refuse("held", f"does not hold the next steps of agent {number}")
            if member["waits_for"] != NOBODY:
                memory.refuse("members", f"lets agent {number} wait though it has cells to walk")
        if walked > n_held or (member["fleeing"] and member["state"] == PLANNED and member["n_left"] < len(chain)):
            memory.refuse("members", f"does not know where agent {number} is on its way")
        plan = moves[ends[number] - member["n_left"] : ends[number]]
        start = chain[-1] if len(chain) else here[number]
        if inside.holds(start + np.cumsum(offsets[plan[::-1]], dtype=np.int64)).all():
            plans.append(plan)
        else:
            member["n_left"], member["state"] = 0, UNPLANNED
    return np.concatenate(plans)


def _own(arrays: Any) -> None:
    """Let members own the cells that they are in and hold; those who are done are walls."""
    owner = arrays.spots["owner"]
    for number, member in enumerate(arrays.members):
        cells = arrays.held[number, member["walked"] : member["n_held"]]
        owner[cells] = number
        if member["own"] != NOWHERE:
            owner[member["own"]] = number
        if member["walled"] != NOWHERE:
            arrays.walls[member["walled"]] = number


@kernel
def _push_all(stacks, members, lengths, moves):
    """Put the moves of all agents on their stacks, for which there is room."""
    at = 0
    for number in range(members.size):
        for _ in range(lengths[number]):
            push(stacks, members[number], moves[at])
            at += 1

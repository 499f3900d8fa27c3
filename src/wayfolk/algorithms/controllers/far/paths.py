"""The paths of many agents, as stacks of moves in blocks of one shared array.

A move is one byte, the next one is on top: a path that is traced backwards from its goal is pushed as it comes, and the
moves back from a detour are pushed on top of the rest. Blocks that are used up go to the next agent that needs one, so that
memory grows with the moves that are left to all agents together.

Invariants  move i of an agent, counted from the bottom, is at place i % SIZE of its block; `top` is the block of the last
            one. Every block is on one stack, or free.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY

SIZE = 64  # moves in a block
FREE, N_FREE = range(2)  # places in `counts`


class MoveStacks(NamedTuple):
    """Blocks of moves; `below` links each to the one under it, or a free one to the next free one."""

    moves: NDArray[np.uint8]
    below: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_stacks(n_blocks: int) -> MoveStacks:
    """Return stacks of `n_blocks` free blocks."""
    below = np.arange(1, n_blocks + 1, dtype=np.int32)
    below[-1] = NOBODY
    return MoveStacks(np.zeros((n_blocks, SIZE), np.uint8), below, np.array([0, n_blocks], np.int64))


def with_room(stacks: MoveStacks, n_blocks: int) -> MoveStacks:
    """Return the same stacks with at least `n_blocks` free ones, and at least twice as large if they have to grow."""
    n_old, n_free = len(stacks.below), int(stacks.counts[N_FREE])
    if n_free >= n_blocks:
        return stacks
    n_new = max(n_old, n_blocks - n_free)
    more = new_stacks(n_new)
    below = np.concatenate([stacks.below, more.below + np.int32(n_old)])
    below[-1] = stacks.counts[FREE]
    counts = np.array([n_old, n_free + n_new], np.int64)
    return MoveStacks(np.concatenate([stacks.moves, more.moves]), below, counts)


@inner
def blocks_for(n_moves):
    """How many blocks a path of that length takes."""
    return (n_moves + SIZE - 1) // SIZE


@inner
def push(stacks, member, move):
    """Put a move on top of the stack of `member`, whose `top` and `n_left` are changed; there must be room."""
    n = member["n_left"]
    if n % SIZE == 0:
        block = stacks.counts[FREE]
        stacks.counts[FREE] = stacks.below[block]
        stacks.counts[N_FREE] -= 1
        stacks.below[block] = member["top"]
        member["top"] = block
    stacks.moves[member["top"], n % SIZE] = move
    member["n_left"] = n + 1


@inner
def pop(stacks, member):
    """Take the top move, which must be there, off the stack."""
    n = member["n_left"] - 1
    block = member["top"]
    move = stacks.moves[block, n % SIZE]
    if n % SIZE == 0:
        member["top"] = stacks.below[block]
        stacks.below[block] = stacks.counts[FREE]
        stacks.counts[FREE] = block
        stacks.counts[N_FREE] += 1
    member["n_left"] = n
    return move


@inner
def clear(stacks, member):
    """Forget the path of `member`."""
    while member["n_left"] > 0:
        member["n_left"] -= (member["n_left"] - 1) % SIZE  # to the lowest move of the block
        pop(stacks, member)


@inner
def read(stacks, member, n, moves):
    """Write the next `n` moves, of which there must be as many, to `moves`."""
    block = member["top"]
    at = member["n_left"] - 1
    for k in range(n):
        moves[k] = stacks.moves[block, at % SIZE]
        if at % SIZE == 0:
            block = stacks.below[block]
        at -= 1


@inner
def move_between(offsets, here, there):
    """The number of the move from `here` to `there`, which must be neighbours."""
    move = 0
    while offsets[move] != there - here:
        move += 1
    return move

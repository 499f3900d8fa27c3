"""Deterministic random numbers inside kernels: the state is an array that the caller owns.

SplitMix64 (Steele, Lea and Flood, 2014): one 64-bit word of state, good enough for shuffles and choices, and the same
numbers on every machine, thread and numba version.
"""

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel


def new_random(seed: int) -> NDArray[np.uint64]:
    """The state for `seed`."""
    return np.array([seed % (1 << 64)], np.uint64)


@kernel
def next_word(state):
    """64 random bits."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    word = state[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def below(state, n):
    """A whole number from 0 to n - 1."""
    return np.int64(uniform(state) * n)


@kernel
def uniform(state):
    """A number from 0 up to, not including, 1."""
    return np.float64(next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def shuffle(state, values):
    """Put `values` in random order, in place."""
    for last in range(values.size - 1, 0, -1):
        chosen = below(state, last + 1)
        values[last], values[chosen] = values[chosen], values[last]

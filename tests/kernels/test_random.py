"""SplitMix64 against Python's own whole numbers; the same in compiled and plain runs, as both meet this file."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.kernels import random

pytestmark = pytest.mark.plain

WORD = 1 << 64
SEEDS = st.integers(-(1 << 70), 1 << 70)


def words(seed, n):
    """SplitMix64 as published, without machine words."""
    state = seed % WORD
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        yield z ^ (z >> 31)


def test_the_published_numbers_of_seed_zero():
    state = random.new_random(0)
    assert [int(random.next_word(state)) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@given(SEEDS)
def test_words_and_numbers_follow_from_the_seed(seed):
    state = random.new_random(seed)
    assert [int(random.next_word(state)) for _ in range(5)] == list(words(seed, 5))
    state = random.new_random(seed)
    assert [float(random.uniform(state)) for _ in range(5)] == [(word >> 11) / 2**53 for word in words(seed, 5)]


@given(SEEDS, st.integers(1, 2**53))
def test_below_stays_below(seed, n):
    state = random.new_random(seed)
    expected = [int((word >> 11) / 2**53 * n) for word in words(seed, 5)]
    assert [int(random.below(state, n)) for _ in range(5)] == expected
    assert all(0 <= number < n for number in expected)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 2**31 - 1, 2**52 + 1, 2**53])
def test_the_largest_word_is_below_too(n):
    # undo the mixing of SplitMix64, so that the next word is all ones
    word = WORD - 1
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        once = word ^ (word >> shift)
        word = (once ^ (word >> (2 * shift))) * pow(factor, -1, WORD) % WORD
    state = random.new_random(word - 0x9E3779B97F4A7C15)
    assert random.next_word(state.copy()) == WORD - 1
    assert random.below(state, n) == n - 1


@given(SEEDS, st.lists(st.integers(0, 99), max_size=12))
def test_a_shuffle_is_the_one_of_fisher_and_yates(seed, values):
    shuffled, expected = np.array(values, np.int32), list(values)
    random.shuffle(random.new_random(seed), shuffled)
    for last, word in zip(range(len(values) - 1, 0, -1), words(seed, len(values)), strict=False):
        chosen = (word >> 11) * (last + 1) >> 53
        expected[last], expected[chosen] = expected[chosen], expected[last]
    assert shuffled.tolist() == expected
    assert sorted(expected) == sorted(values)


def test_all_orders_of_three_come_about_as_often():
    state = random.new_random(1)
    seen = Counter()
    for _ in range(1200):
        values = np.arange(3)
        random.shuffle(state, values)
        seen[tuple(values.tolist())] += 1
    assert set(seen) == set(itertools.permutations(range(3)))
    assert all(140 < times < 260 for times in seen.values())  # 200 each, five deviations to both sides

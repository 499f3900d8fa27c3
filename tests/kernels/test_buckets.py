"""The bucket queue against a dict of lists."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wayfolk.kernels import buckets
from wayfolk.kernels.buckets import CURRENT, N_ENTRIES, N_USED
from wayfolk.kernels.codes import NOBODY

pytestmark = pytest.mark.plain


def take_all(queue):
    """Everything that is left, as (bucket, item, g)."""
    taken = []
    while queue.counts[N_ENTRIES] > 0:
        bucket = int(buckets.settle(queue))
        item = int(buckets.peek(queue))
        entry = buckets.take(queue)
        assert queue.entries[entry]["item"] == item
        taken.append((bucket, item, float(queue.entries[entry]["g"])))
    return taken


class AgainstADict(RuleBasedStateMachine):
    """The model is {bucket: items in the order of arrival}; all buckets lie within one turn of the ring."""

    @initialize(oldest_first=st.booleans(), n_lists=st.sampled_from([2, 3, 8]))
    def start(self, oldest_first, n_lists):
        self.oldest_first = oldest_first
        self.queue = buckets.new_buckets(n_lists, 2)
        self.model, self.current, self.n_items, self.most = {}, 0, 0, 0

    @rule(ahead=st.integers(-3, 40))
    def push(self, ahead):
        if not buckets.has_room(self.queue, 1):
            self.queue = buckets.grown(self.queue)
        bucket = self.current + min(ahead, len(self.queue.lists) - 1)
        buckets.push(self.queue, bucket, self.n_items, self.n_items / 2, self.oldest_first)
        self.model.setdefault(max(bucket, self.current), []).append(self.n_items)
        self.n_items += 1
        self.most = max(self.most, self.size())

    @precondition(lambda self: self.model)
    @rule()
    def pop(self):
        self.current = min(self.model)
        items = self.model[self.current]
        expected = items.pop(0 if self.oldest_first else -1)
        if not items:
            del self.model[self.current]
        assert buckets.settle(self.queue) == self.current
        assert buckets.peek(self.queue) == expected
        entry = self.queue.entries[buckets.take(self.queue)]
        assert (entry["item"], entry["g"]) == (expected, expected / 2)

    @rule()
    def clear(self):
        buckets.clear(self.queue)
        self.model, self.current, self.most = {}, 0, 0

    @precondition(lambda self: len(self.queue.entries) < 64)
    @rule()
    def grow(self):
        before = len(self.queue.entries)
        self.queue = buckets.grown(self.queue)
        assert len(self.queue.entries) == 2 * before

    def size(self):
        return sum(map(len, self.model.values()))

    @invariant()
    def counts_its_entries(self):
        assert self.queue.counts[N_ENTRIES] == self.size()
        assert buckets.has_room(self.queue, len(self.queue.entries) - self.size())
        assert not buckets.has_room(self.queue, len(self.queue.entries) - self.size() + 1)

    @invariant()
    def uses_no_more_places_than_it_ever_held(self):
        assert self.queue.counts[N_USED] <= self.most

    def teardown(self):
        if hasattr(self, "queue"):
            left = [
                item
                for bucket in sorted(self.model)
                for item in (self.model[bucket] if self.oldest_first else self.model[bucket][::-1])
            ]
            assert [item for _, item, _ in take_all(self.queue)] == left


TestAgainstADict = AgainstADict.TestCase


@pytest.mark.parametrize(("oldest_first", "order"), [(True, [1, 2, 3]), (False, [3, 2, 1])])
def test_entries_of_a_bucket_come_newest_or_oldest_first(oldest_first, order):
    queue = buckets.new_buckets(4, 4)
    for item in (1, 2, 3):
        buckets.push(queue, 2, item, 0.0, oldest_first)
    assert [item for _, item, _ in take_all(queue)] == order


def test_what_comes_too_late_goes_into_the_current_bucket():
    queue = buckets.new_buckets(8, 4)
    buckets.push(queue, 5, 1, 0.0, True)
    buckets.push(queue, 6, 2, 0.0, True)
    buckets.settle(queue)
    buckets.push(queue, 3, 3, 0.0, True)
    assert take_all(queue) == [(5, 1, 0.0), (5, 3, 0.0), (6, 2, 0.0)]


def test_the_ring_turns_many_times_in_little_memory():
    queue = buckets.new_buckets(4, 3)
    for bucket in range(0, 3000, 3):  # three buckets ahead each time: never where the last one was
        buckets.push(queue, bucket, bucket, 0.0, False)
        assert buckets.settle(queue) == bucket
        buckets.push(queue, bucket + 1, 7, 0.0, False)
        assert queue.entries[buckets.take(queue)]["item"] == bucket
        assert buckets.settle(queue) == bucket + 1
        assert queue.entries[buckets.take(queue)]["item"] == 7
    assert queue.counts[N_USED] == 2


def test_a_cleared_queue_forgets_where_it_was():
    queue = buckets.new_buckets(4, 4)
    for item in range(4):
        buckets.push(queue, item, item, 0.0, False)
    buckets.take(queue)
    buckets.clear(queue)
    assert (queue.counts[N_ENTRIES], queue.counts[CURRENT], queue.counts[N_USED]) == (0, 0, 0)
    buckets.push(queue, 1, 9, 0.5, False)
    assert take_all(queue) == [(1, 9, 0.5)]


@pytest.mark.parametrize("n_lists", [1, 2, 3, 4, 5, 63, 64, 65])
def test_the_ring_is_a_power_of_two_and_large_enough(n_lists):
    size = buckets.ring_size(n_lists)
    assert n_lists <= size < max(2 * n_lists, 3)
    assert np.log2(size) % 1 == 0


def test_clearing_touches_only_the_lists_in_use():
    """A queue of thousands of lists is cleared for each search: that must not take longer than a short search."""
    queue = buckets.new_buckets(4096, 8)
    for bucket in (5, 9):
        buckets.push(queue, bucket, 1, 0.0, False)
    queue.lists[4000]["head"] = 7  # a list that is not in use
    buckets.clear(queue)
    assert queue.lists[4000]["head"] == 7
    queue.lists[4000]["head"] = NOBODY
    assert (queue.lists["head"] == NOBODY).all()

"""What algorithms keep with a world: made once, for that world alone, and left behind when it is sent elsewhere."""

import copy
import pickle
import threading

import numpy as np
import pytest

from wayfolk import find_path
from wayfolk.world.cache import cached, pool
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain


def grid():
    return Grid(np.ones((4, 5)))


def worlds():
    return {"grid": grid(), "graph": Graph.from_grid(grid())}


class Size:
    """Something that can be updated: it remembers for how many worlds it has been."""

    def __init__(self, world, age=0):
        self.n_free, self.age = len(world.free_cells), age

    def edited(self, world):
        return Size(world, self.age + 1)


@pytest.mark.parametrize("kind", ["grid", "graph"])
def test_it_is_made_once_for_each_world_and_key(kind):
    world, other = worlds()[kind], worlds()[kind]
    calls = []

    def build(world):
        calls.append(world)
        return len(calls)

    assert [cached(world, "one", build), cached(world, "one", build), cached(world, ("one", 2), build)] == [1, 1, 2]
    assert cached(other, "one", build) == 3
    assert [call is world for call in calls] == [True, True, False]


def test_false_things_are_kept_too():
    world = grid()
    assert [cached(world, "none", lambda world: None), cached(world, "none", lambda world: 1)] == [None, None]


def test_an_error_keeps_nothing():
    world = grid()
    with pytest.raises(ZeroDivisionError):
        cached(world, "one", lambda world: 1 // 0)
    assert cached(world, "one", lambda world: 1) == 1


def test_an_edited_copy_has_only_what_can_be_updated():
    original = grid()
    pool(original, "arrays").append(1)
    first = cached(original, "size", Size)
    edited = original.with_blocked([original.cell((0, 0))])
    assert pool(edited, "arrays") == []
    assert pool(original, "arrays") == [1]
    again = edited.with_blocked([original.cell((1, 0))])  # has never been asked: updates what its grandparent had
    assert [(thing.n_free, thing.age) for thing in (cached(again, "size", Size), cached(edited, "size", Size))] == [
        (18, 1),
        (19, 1),
    ]
    assert cached(original, "size", Size) is first
    assert cached(edited, "size", Size) is cached(edited, "size", Size)
    assert cached(edited.with_freed([original.cell((0, 0))]), "size", Size).age == 2


def test_what_has_been_updated_is_let_go_of():
    world = grid()
    cached(world, "size", Size)
    for _ in range(3):
        world = world.with_blocked([world.cell((0, 0))])
        cached(world, "size", Size)
    assert not world._outdated


@pytest.mark.parametrize("kind", ["grid", "graph"])
@pytest.mark.parametrize("sent", [lambda world: pickle.loads(pickle.dumps(world)), copy.copy, copy.deepcopy])
def test_it_is_left_behind_by_copies_of_the_object(kind, sent):
    world = worlds()[kind]
    assert find_path(world, (0, 0), (3, 3)).is_solved
    cached(world, "lock", lambda world: threading.Lock())  # which cannot be pickled
    other = sent(world)
    assert not other._cache
    assert cached(other, "lock", lambda world: 1) == 1
    assert find_path(other, (0, 0), (3, 3)).cost == find_path(world, (0, 0), (3, 3)).cost


def test_what_a_grid_has_computed_of_itself_is_not_sent():
    world = grid()
    assert (world.components > 0).sum() == 20
    assert "components" not in world.__getstate__()
    assert "components" not in vars(world.with_blocked([world.cell((0, 0))]))


def test_threads_that_ask_at_once_get_the_same_thing():
    world, ready = grid(), threading.Barrier(4)

    def build(world):
        ready.wait(10)  # all four are building
        return object()

    things = []
    threads = [threading.Thread(target=lambda: things.append(cached(world, "one", build))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(things) == 4
    assert len(set(things)) == 1

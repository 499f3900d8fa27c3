"""The cache of a world: tables and abstractions computed for it, and arrays that the next search can use again.

A grid or a graph never changes, so what was computed from it stays right. `cached(world, key, build)` computes it once. The
world knows nothing of what is in its cache, so a new algorithm can put something there without an edit elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

_OWN = ("_cache", "_outdated")


class World:
    """What grids and graphs have in common: a cache, which is neither copied nor pickled."""

    def __init__(self) -> None:
        self._cache: dict[Hashable, Any] = {}
        self._outdated: dict[Hashable, Any] = {}
        """The cache of the world that this is an edited copy of: what has not been updated yet."""

    def _own_state(self) -> dict[str, Any]:
        """All attributes that are not computed from others."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in _OWN and not isinstance(getattr(type(self), name, None), cached_property)
        }

    def _edit_of(self, original: World) -> None:
        """Become an edited copy of `original`: share its attributes, and what can be `edited` of its cache."""
        self.__dict__.update(original._own_state())
        self._cache = {}
        editable = {key: thing for key, thing in original._cache.copy().items() if hasattr(thing, "edited")}
        self._outdated = {**original._outdated, **editable}

    def __getstate__(self) -> dict[str, Any]:
        return self._own_state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        World.__init__(self)
        self.__dict__.update(state)


W = TypeVar("W", bound=World)
T = TypeVar("T")


def cached(world: W, key: Hashable, build: Callable[[W], T]) -> T:
    """What the cache of `world` has for `key`; the first call makes it with `build(world)`.

    The key is a name that no other module uses, or a tuple of such a name and the settings of `build`. Things belong to one
    world. Only what has a method `edited(world)` is passed on to edited copies of a grid, which call it when they need it.
    """
    try:
        thing: T = world._cache[key]
    except KeyError:
        return _make(world, key, build)
    return thing


def pool(world: World, key: Hashable) -> list[Any]:
    """The arrays of searches that have ended in `world`, in a list: take them with `pop`, leave them with `append`."""
    return cached(world, key, _empty)


def _make(world: W, key: Hashable, build: Callable[[W], T]) -> T:
    outdated = world._outdated.get(key)
    thing: T = build(world) if outdated is None else outdated.edited(world)
    thing = world._cache.setdefault(key, thing)  # another thread may have been faster
    world._outdated.pop(key, None)
    return thing


def _empty(world: World) -> list[Any]:
    return []

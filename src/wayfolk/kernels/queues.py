"""Open lists behind one protocol, chosen at compile time: what the best-first loop asks of a queue.

    clear(queue), open_first(queue, start)      empty it; put the start into it
    n_open(queue)                               how many entries it has
    settle(queue)                               turn to the first entry, and return its rank
    final_rank(queue)                           the rank from which on nothing is better than the entry taken last
    has_room(queue, more)                       whether `more` entries fit
    peek(queue)                                 the item of the first entry
    take(queue, cells)                          remove the first entry; its item, and g as it was when it was put in

`Buckets` of `buckets.py` order f to within the width of a bucket, `HeapQueue` of `heap.py` exactly. Searches push in their
own way, as keys differ.
"""

from collections.abc import Callable
from typing import Any

from wayfolk.compile.jit import specialise, spliced

_CLEAR: dict[type, Callable[..., Any]] = {}
_OPEN_FIRST: dict[type, Callable[..., Any]] = {}
_N_OPEN: dict[type, Callable[..., Any]] = {}
_SETTLE: dict[type, Callable[..., Any]] = {}
_FINAL_RANK: dict[type, Callable[..., Any]] = {}
_HAS_ROOM: dict[type, Callable[..., Any]] = {}
_PEEK: dict[type, Callable[..., Any]] = {}
_TAKE: dict[type, Callable[..., Any]] = {}


def clear(queue: Any) -> Any:
    """Remove all entries."""
    return _CLEAR[type(queue)](queue)


def open_first(queue: Any, start: Any) -> Any:
    """Put the start into an empty queue."""
    return _OPEN_FIRST[type(queue)](queue, start)


def n_open(queue: Any) -> Any:
    """The number of entries."""
    return _N_OPEN[type(queue)](queue)


def settle(queue: Any) -> Any:
    """Turn to the first entry, and return its rank."""
    return _SETTLE[type(queue)](queue)


def final_rank(queue: Any) -> Any:
    """The rank from which on nothing is better than the entry taken last."""
    return _FINAL_RANK[type(queue)](queue)


def has_room(queue: Any, more: Any) -> Any:
    """Whether `more` entries fit."""
    return _HAS_ROOM[type(queue)](queue, more)


def peek(queue: Any) -> Any:
    """The item of the first entry."""
    return _PEEK[type(queue)](queue)


def take(queue: Any, cells: Any) -> Any:
    """Remove the first entry; its item and g."""
    return _TAKE[type(queue)](queue, cells)


specialise(clear, _CLEAR)
specialise(open_first, _OPEN_FIRST)
specialise(n_open, _N_OPEN, spliced)
specialise(settle, _SETTLE, spliced)
specialise(final_rank, _FINAL_RANK, spliced)
specialise(has_room, _HAS_ROOM, spliced)
specialise(peek, _PEEK, spliced)
specialise(take, _TAKE, spliced)


def queueing(
    kind: type,
    *,
    clear: Callable[..., Any],
    open_first: Callable[..., Any],
    n_open: Callable[..., Any],
    settle: Callable[..., Any],
    final_rank: Callable[..., Any],
    has_room: Callable[..., Any],
    peek: Callable[..., Any],
    take: Callable[..., Any],
) -> None:
    """Register the functions, plain Python to be compiled, for queues of the type `kind`."""
    _CLEAR[kind], _OPEN_FIRST[kind], _N_OPEN[kind], _SETTLE[kind] = clear, open_first, n_open, settle
    _FINAL_RANK[kind], _HAS_ROOM[kind], _PEEK[kind], _TAKE[kind] = final_rank, has_room, peek, take

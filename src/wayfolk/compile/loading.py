"""The time that was spent on compiling kernels and on loading compiled ones.

Timings of searches leave it out. This module imports no compiler: `wayfolk.compile.jit` does the counting.
"""

from threading import get_ident

LOADED: list[tuple[int, float]] = []
"""For each kernel that was compiled or loaded: the thread that waited for it, and for how many seconds."""


def loading_seconds(first: int) -> float:
    """The seconds this thread has waited for kernels, those before number `first` of LOADED not counted."""
    if len(LOADED) == first:
        return 0.0
    thread = get_ident()
    return sum(seconds for waited, seconds in LOADED[first:] if waited == thread)

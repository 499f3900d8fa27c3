"""Large arrays of zeros of which little will be visited: memory is claimed page by page, where it is touched.

numpy asks the system for huge pages, so that one touched cell claims and clears two megabytes. A distance field for each of
thousands of agents would then take all of its memory at once, and milliseconds at its first use. The system would also
refuse arrays that are larger than the memory, whatever is touched of them. For arrays below four megabytes numpy does not
ask for huge pages. Those are numpy's own, whose memory is used again without new pages.
"""

import math
import mmap
import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LARGE = 1 << 22  # bytes from which on numpy asks for huge pages
NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)  # named since Python 3.13


def lazy_zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros like `numpy.zeros`, on pages of the ordinary size where the system has a choice."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    if n_bytes < LARGE or not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return np.zeros(shape, dtype)
    try:
        pages = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
        pages.madvise(mmap.MADV_NOHUGEPAGE)
    except OSError:  # numpy says what it is that does not fit
        return np.zeros(shape, dtype)
    return np.frombuffer(pages, dtype).reshape(shape)

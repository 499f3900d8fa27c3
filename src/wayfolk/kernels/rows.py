"""Arrays with a row for each agent, which grow when agents join."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)


def with_rows(array: NDArray[S], n: int) -> NDArray[S]:
    """The first `n` rows of `array`; if it has fewer, with rows of zeros after them.

    The result is the beginning of a larger array, so that adding one row after another copies little.
    """
    whole: Any = array if array.base is None else array.base
    if not isinstance(whole, np.ndarray) or whole.shape[1:] != array.shape[1:] or len(whole) < n:
        whole = np.zeros((n + n // 2 + 16, *array.shape[1:]), array.dtype)
        whole[: len(array)] = array
    rows: NDArray[S] = whole[:n]
    return rows

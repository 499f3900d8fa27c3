"""Arrays of zeros that take memory where they are touched."""

import sys

import numpy as np
import pytest

from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.machine import available_bytes


@pytest.mark.parametrize("shape", [(3, 5), (1 << 12, 1 << 10)])
def test_zeros_that_can_be_written(shape: tuple[int, int]) -> None:
    zeros = lazy_zeros(shape, np.int32)
    assert zeros.shape == shape
    assert zeros.dtype == np.int32
    zeros[-1, -1] = 7
    assert zeros.sum() == 7


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may want to have memory for all of an array")
def test_an_array_may_be_larger_than_the_memory() -> None:
    rows = 4 * available_bytes() >> 20
    zeros = lazy_zeros((rows, 1 << 20), np.uint8)
    zeros[::1000, 0] = 1
    assert zeros[rows - 1 - (rows - 1) % 1000, 0] == 1

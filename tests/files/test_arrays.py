"""Archives of arrays that are not what they should be: refused in one sentence, before memory is taken."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from wayfolk.errors import BadInput
from wayfolk.files.arrays import about_of, read_arrays
from wayfolk.kernels.crew import AGENT

EXPECTED = {"about": ("U", ()), "free": (np.bool_, (None, 4)), "cells": ("iu", (None,)), "kept.*": ("f", None)}


def good():
    return {
        "about": np.array('{"format": "wayfolk-test", "version": 1}'),
        "free": np.ones((3, 4), bool),
        "cells": np.arange(5, dtype=np.int32),
    }


def packed(arrays, how=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", how) as archive:
        for name, array in arrays.items():
            body = io.BytesIO()
            np.save(body, array)
            archive.writestr(f"{name}.npy", body.getvalue())
    return stream.getvalue()


def with_header(name, shape, descr="<i4", body=b"", size=None):
    """The good arrays, and another that claims to have `shape`; its directory entry says that it has `size` bytes."""
    stream = io.BytesIO(packed({key: array for key, array in good().items() if key != name}))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"shape": shape, "fortran_order": False, "descr": descr})
        archive.writestr(f"{name}.npy", head.getvalue() + body)
        if size is not None:
            archive.getinfo(f"{name}.npy").file_size = size
    return stream.getvalue()


def test_arrays_come_back_contiguous_and_aligned():
    written = good() | {"free": np.asfortranarray(good()["free"]), "kept.x": np.float64(3), "kept.y": np.ones((2, 3))}
    arrays = read_arrays(packed(written), EXPECTED)
    assert set(arrays) == set(written)
    assert all(np.array_equal(arrays[name], array) for name, array in written.items())
    assert all(array.flags.c_contiguous for array in arrays.values())
    assert about_of(arrays, "wayfolk-test", 1)["version"] == 1
    agents = read_arrays(packed({"agents": np.zeros(3, AGENT)}), {"agents": (AGENT, (3,))})["agents"]
    assert agents.dtype.isalignedstruct


def test_optional_arrays_may_be_missing():
    arrays = {name: array for name, array in good().items() if name != "cells"}
    with pytest.raises(BadInput, match="the array 'cells' is missing"):
        read_arrays(packed(arrays), EXPECTED)
    assert set(read_arrays(packed(arrays), EXPECTED, optional={"cells"})) == set(arrays)


odd = np.ones((3, 4), bool)
odd.view(np.uint8)[1, 1] = 200
odd_agents = np.zeros(3, AGENT)
odd_agents["present"].view(np.uint8)[1] = 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\3\4" + bytes(99), "not an archive"),
        (b"nothing", "not an archive"),
        (packed(good())[:-40], "not an archive"),
        (packed(good() | {"more": np.zeros(3)}), "'more.npy', which does not belong there"),
        (packed(good() | {"kept.x": np.zeros(3, int)}), "'kept.x' has the type int64, not numbers"),
        (packed(good() | {"cells": np.zeros(3)}), "'cells' has the type float64, not integers"),
        (packed(good() | {"cells": np.zeros((3, 1), int)}), r"'cells' has the shape \(3, 1\), not \(any\)"),
        (packed(good() | {"free": np.ones((3, 5), bool)}), r"'free' has the shape \(3, 5\), not \(any, 4\)"),
        (packed(good() | {"free": odd}), "'free' holds Booleans that are neither 0 nor 1"),
        (packed(good() | {"cells": np.zeros(3, ">i4")}), "another byte order"),
        (packed(good(), zipfile.ZIP_LZMA), "packed in an unusual way"),
        (with_header("cells", (10**12,)), "which its size does not fit"),
        (with_header("cells", (0,), body=bytes(4)), "which its size does not fit"),
        (with_header("cells", (-1,)), "has the shape"),
        (with_header("free", (10**15, 4), "|b1"), "which its size does not fit"),
        (with_header("kept.x", (0, 10**15), "<f8"), "which its size does not fit"),
        (with_header("kept.x", (3,), "|O", b"cos\nsystem\n(S'exit'\ntR."), "has the type object"),
        (with_header("cells", (2,), [("x", "|O"), ("y", "<f8")]), "has the type"),
        (with_header("cells", (3,), size=1 << 40, body=bytes(12)), "unpack to"),
    ],
)
def test_archives_that_are_refused(data, words):
    with pytest.raises(BadInput, match=words) as caught:
        read_arrays(data, EXPECTED)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_fields_of_records_are_checked():
    with pytest.raises(BadInput, match="neither 0 nor 1"):
        read_arrays(packed({"agents": odd_agents}), {"agents": (AGENT, (None,))})


def test_memory_is_taken_only_for_what_is_allowed():
    """1 MB of zeros for each array, 100 of them: nothing of it is unpacked."""
    data = packed({f"kept.{k}": np.zeros(1 << 17) for k in range(100)})
    assert len(data) < 1 << 18
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="the arrays unpack to 1048"):
            read_arrays(data, {"kept.*": ("f", None)}, limit=50 << 20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20


def test_a_directory_of_many_entries_is_not_read():
    with pytest.raises(BadInput, match="holds 20000 files"):
        read_arrays(b"PK\1\2" * 20_000, EXPECTED)


@pytest.mark.parametrize(
    "about", ["[" * 10**5, "{", '{"format": "other"}', "[1]", '{"format": "wayfolk-test", "version": 2}']
)
def test_what_the_file_says_about_itself(about):
    with pytest.raises(BadInput):
        about_of({"about": np.array(about)}, "wayfolk-test", 1)

"""Trajectories are recorded frame by frame, saved and read back; wrong files are one sentence."""

import io
import json
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from wayfolk.crowds.trajectory import NO_STATE, Recorder, read_trajectory
from wayfolk.errors import BadInput
from wayfolk.files.maps import parse_ascii

pytestmark = pytest.mark.plain


def recorded():
    recorder = Recorder(0.5, grid=parse_ascii("...\n.#."), cell=2.0, name="two")
    recorder.add([0], [(0.5, 0.5)], [0.0], [1], [0])
    recorder.add([0, 1], [(1.0, 0.5), (3.0, 3.0)], [0.0, 1.5], [0, 1], [1])
    recorder.add([1], [(3.0, 2.0)], [1.5], [1], [1])
    return recorder.trajectory([0.3, 0.4], state_names=("walking", "waiting"), lamps=[(1.0, 1.0)])


def test_an_agent_that_is_not_there_has_no_place():
    trajectory = recorded()
    assert repr(trajectory) == "Trajectory(2 agents, 3 frames, 1 s)"
    assert trajectory.present.tolist() == [[True, False], [True, True], [False, True]]
    assert trajectory.states.tolist() == [[1, NO_STATE], [0, 1], [NO_STATE, 1]]
    assert trajectory.lamp_states.ravel().tolist() == [0, 1, 1]


def test_velocities_are_differences_of_places():
    velocities = recorded().velocities()
    assert velocities[:, 0, 0].tolist()[:2] == [1.0, 1.0]
    assert velocities[1:, 1, 1].tolist() == [-2.0, -2.0]
    assert np.isnan(velocities[2, 0]).all()


def test_a_saved_trajectory_is_read_back(tmp_path):
    trajectory, file = recorded(), tmp_path / "two.npz"
    trajectory.save(file)
    again = read_trajectory(file)
    for name in ("places", "headings", "states", "radii", "kinds", "walls", "lamps", "lamp_states"):
        np.testing.assert_array_equal(getattr(trajectory, name), getattr(again, name))
    assert (again.seconds, again.cell, again.name, again.state_names) == (0.5, 2.0, "two", ("walking", "waiting"))
    assert (again.grid.free == trajectory.grid.free).all()


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x03\x04 broken"])
def test_another_file_is_refused_by_name(tmp_path, content):
    file = tmp_path / "other.npz"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=r"other\.npz"):
        read_trajectory(file)


WRONG = {
    "infinite": ("places", lambda array: array * np.inf, "half there, or farther"),
    "far": ("places", lambda array: array + 1e9, "farther away than"),
    "half": ("places", lambda array: np.where([True, False], array, np.nan), "half there"),
    "turned": ("headings", lambda array: array + np.inf, "heading"),
    "radii": ("radii", lambda array: -array, "the radii"),
    "walls": ("walls", lambda array: np.full((2, 4), np.nan, np.float32), "the walls"),
    "lamps": ("lamps", lambda array: np.full((1, 2), np.inf, np.float32), "the lamps"),
    "kinds": ("kinds", lambda array: array + 7, "one of the kinds of this trajectory is 7, of 1 names"),
    "states": ("states", lambda array: array * 0 + 200, "one of the states of this trajectory is 200, of 2 names"),
    "lamp states": ("lamp_states", lambda array: array[:1], "lamp_states"),
}


@pytest.mark.parametrize("name", WRONG)
def test_numbers_that_no_trajectory_has_are_refused(tmp_path, name):
    """Also if they are in a file that is right otherwise."""
    array, change, words = WRONG[name]
    good, file = recorded(), tmp_path / "wrong.npz"
    wrong = change(getattr(good, array)).astype(getattr(good, array).dtype)
    with pytest.raises(BadInput, match=words):
        replace(good, **{array: wrong})
    object.__setattr__(good, array, wrong)
    good.save(file)
    with pytest.raises(BadInput, match=rf"wrong\.npz: this is no trajectory: .*{words}"):
        read_trajectory(file)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seconds", 0),
        ("seconds", None),
        ("cell", -1.0),
        ("cell", 1e300),
        ("kind_names", 3),
        ("map", None),
        ("version", 2),
    ],
)
def test_what_a_trajectory_says_about_itself_is_checked(tmp_path, key, value):
    file = tmp_path / "wrong.npz"
    recorded().save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["about"] = np.array(json.dumps(json.loads(str(arrays["about"])) | {key: value}))
    np.savez(file, **arrays)
    with pytest.raises(BadInput, match=r"wrong\.npz: this is no trajectory"):
        read_trajectory(file)


def test_a_trajectory_that_unpacks_to_too_much_is_not_unpacked(tmp_path):
    file = tmp_path / "bomb.npz"
    recorded().save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"shape": (1 << 27, 1, 2), "fortran_order": False, "descr": "<f4"})
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in arrays.keys() - {"places"}:
            with archive.open(f"{name}.npy", "w") as stream:
                np.save(stream, arrays[name])
        with archive.open("places.npy", "w", force_zip64=True) as stream:
            stream.write(head.getvalue())
            for _ in range(1 << 10):
                stream.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="the arrays unpack to"):
            read_trajectory(file)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()

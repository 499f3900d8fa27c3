"""Trajectories are recorded frame by frame, saved and read back; wrong files are one sentence."""

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

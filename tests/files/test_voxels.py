"""Voxel maps: what is read, and what is refused with its line."""

import pytest

from wayfolk.errors import BadMap
from wayfolk.files.voxels import read_voxels


def test_blocked_voxels_are_blocked(tmp_path):
    file = tmp_path / "small.3dmap"
    file.write_text("voxel 4 3 2\n1 2 0\r\n\n3 0 1\n")
    world = read_voxels(file, 6)
    assert world.free.shape == (2, 3, 4)
    assert [world.place(cell) for cell in range(24) if not world.is_free(cell)] == [(1, 2, 0), (3, 0, 1)]
    assert repr(world) == "Voxels('small', 4 x 3 x 2, 22 free)"
    file.write_text("voxel 1 1 1\n")
    assert read_voxels(file).free.all()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("octile 4 3 2\n", "line 1: should be 'voxel' and three sizes, not 'octile 4 3 2'"),
        ("voxel 4 3\n", "line 1: should be 'voxel' and three sizes"),
        ("voxel 99999 99999 9\n", "line 1: a map has from 1 to"),
        ("voxel 0 1 1\n", "line 1: a map has from 1 to"),
        ("voxel 4 3 2\n0 0 0\n1 x 0\n", "line 3: should be x, y and z of a blocked voxel, not '1 x 0'"),
        ("voxel 4 3 2\n0 0\n0 1 1 1\n", "line 2: should be x, y and z of a blocked voxel, not '0 0'"),
        ("voxel 4 3 2\n\n0 0 0\n4 0 0\n", "line 4: '4 0 0' is outside 4 x 3 x 2 voxels"),
        ("voxel 4 3 2\n0 -1 0\n", "line 2: should be x, y and z of a blocked voxel, not '0 -1 0'"),
        ("voxel 4 3 2\n0 0 99999999999999999999999\n", "line 2: should be x, y and z of a blocked voxel"),
    ],
)
def test_what_is_refused_is_named_with_its_line(tmp_path, text, sentence):
    (tmp_path / "bad.3dmap").write_text(text)
    with pytest.raises(BadMap) as error:
        read_voxels(tmp_path / "bad.3dmap")
    assert sentence in str(error.value)

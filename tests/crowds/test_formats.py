"""Files of pedestrian dynamics: written, read back, read by PedPy, and refused in one sentence."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from wayfolk.crowds import formats
from wayfolk.crowds.measures import density, flow, times
from wayfolk.crowds.trajectory import Recorder, read_trajectory
from wayfolk.errors import BadInput
from wayfolk.files.maps import parse_ascii

MAP = "..........\n....##....\n....##....\n.........."


def walked():
    """Ten people walk to the right past a pillar; the last two come later."""
    recorder = Recorder(0.1, grid=parse_ascii(MAP), name="ten people")
    rows = np.array([(0.5 + 0.4 * k, 0.2 + 0.07 * k) for k in range(10)])
    for frame in range(40):
        there = np.arange(8 if frame < 5 else 10)
        recorder.add(there, rows[there] + [0.1 * frame, 0.0], np.zeros(len(there)))
    return recorder.trajectory(np.full(10, 0.2))


@pytest.mark.plain
@pytest.mark.parametrize("suffix", ["txt", "sqlite"])
def test_what_is_written_is_read_back(tmp_path, suffix):
    trajectory, file = walked(), tmp_path / f"walk.{suffix}"
    trajectory.save(file)
    again = read_trajectory(file)
    assert again.seconds == pytest.approx(0.1)
    shifted = again.places + np.array([0.0, 4.0])
    np.testing.assert_allclose(shifted, trajectory.places, atol=1e-3)


@pytest.mark.plain
@pytest.mark.parametrize("suffix", ["txt", "sqlite", "npz"])
def test_a_file_tells_when_all_have_left(tmp_path, suffix):
    """Nobody is there in the first frame and in the last two."""
    recorder = Recorder(0.5)
    for there in ([], [0], [0, 1], [1], [], []):
        recorder.add(there, [(1.0, 2.0)] * len(there), np.zeros(len(there)))
    trajectory, file = recorder.trajectory(np.full(2, 0.2)), tmp_path / f"walk.{suffix}"
    trajectory.save(file)
    again = read_trajectory(file)
    assert again.present.tolist() == trajectory.present.tolist()
    assert times.evacuation_time(again) == times.evacuation_time(trajectory) == 2.0


@pytest.mark.plain
def test_the_walkable_area_has_the_outline_and_its_holes():
    text = formats.walkable_area(walked())
    assert text.startswith("POLYGON ((")
    assert text.count("(") == 3
    shapely = pytest.importorskip("shapely", reason="shapely is not installed")
    area = shapely.from_wkt(text)
    assert area.is_valid
    assert area.area == pytest.approx(36.0)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("1 0 1.0 1.0\n", "how many frames there are in a second"),
        ("# framerate: 10\n", "there are no places"),
        ("# framerate: 10\n1 0 1.0\n", "line 2: a line is `id frame x y`"),
        ("# framerate: 10\n1 0 1.0 here\n", "line 2: a line is `id frame x y`"),
        ("# framerate: 10\n1 0 nan 1.0\n", "a place is no number"),
        ("# framerate: 10\n1 0 1 1\n1 2e9 1 1\n", "too many"),
        ("# framerate: 10\n# frames: 2e9\n1 0 1 1\n", "too many"),
    ],
)
def test_a_wrong_text_file_is_one_sentence(tmp_path, content, sentence):
    file = tmp_path / "walk.txt"
    file.write_text(content)
    with pytest.raises(BadInput) as caught:
        formats.read_text(file)
    assert sentence in str(caught.value)


@pytest.mark.plain
def test_a_wrong_database_is_one_sentence(tmp_path):
    file = tmp_path / "walk.sqlite"
    file.write_bytes(b"no database")
    with pytest.raises(BadInput, match="no database of JuPedSim"):
        formats.read_sqlite(file)
    file.unlink()
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE other (x)")
    base.close()
    with pytest.raises(BadInput, match="no such table"):
        formats.read_sqlite(file)


def pedpy():
    return pytest.importorskip("pedpy", reason="PedPy is not installed; it is in the extra `peers`")


def test_pedpy_reads_both_files(tmp_path):
    reader, trajectory = pedpy(), walked()
    formats.write_text(trajectory, tmp_path / "walk.txt")
    formats.write_sqlite(trajectory, tmp_path / "walk.sqlite")
    text = reader.load_trajectory(trajectory_file=tmp_path / "walk.txt")
    base = reader.load_trajectory_from_jupedsim_sqlite(trajectory_file=tmp_path / "walk.sqlite")
    area = reader.load_walkable_area_from_jupedsim_sqlite(trajectory_file=tmp_path / "walk.sqlite")
    assert text.frame_rate == pytest.approx(10.0)
    assert base.frame_rate == pytest.approx(10.0)
    assert area.polygon.area == pytest.approx(36.0)
    n_rows = int(trajectory.present.sum())
    assert (len(text.data), len(base.data)) == (n_rows, n_rows)
    first = base.data[(base.data.id == 3) & (base.data.frame == 7)].iloc[0]
    assert (first.x, 4.0 - first.y) == pytest.approx(tuple(trajectory.places[7, 3]), abs=1e-3)


def test_pedpy_measures_the_same_voronoi_density_and_passages(tmp_path):
    reader, trajectory = pedpy(), walked()
    formats.write_sqlite(trajectory, tmp_path / "walk.sqlite")
    loaded = reader.load_trajectory_from_jupedsim_sqlite(trajectory_file=tmp_path / "walk.sqlite")
    area = reader.load_walkable_area_from_jupedsim_sqlite(trajectory_file=tmp_path / "walk.sqlite")
    cells = reader.compute_individual_voronoi_polygons(traj_data=loaded, walkable_area=area)
    box = reader.MeasurementArea([(1, 2), (4, 2), (4, 4), (1, 4)])
    theirs, _ = reader.compute_voronoi_density(individual_voronoi_data=cells, measurement_area=box)
    ours = density.voronoi_density(trajectory, (1, 0, 4, 2), spacing=0.05).density
    assert ours == pytest.approx(theirs.density.to_numpy(), rel=0.05, abs=0.02)
    line = reader.MeasurementLine([(4.5, 4), (4.5, 3)])
    counts, _ = reader.compute_n_t(traj_data=loaded, measurement_line=line)
    assert counts.cumulative_pedestrians.max() == len(flow.passages(trajectory, (4.5, 0.0, 4.5, 1.0)).times)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            "CREATE TABLE metadata (key TEXT, value TEXT); INSERT INTO metadata VALUES ('fps', '10');"
            "CREATE VIEW trajectory_data AS WITH RECURSIVE endless(id, frame, pos_x, pos_y) AS"
            " (VALUES (1, 0, 1.0, 1.0) UNION ALL SELECT id, frame + 1, pos_x, pos_y FROM endless) SELECT * FROM endless",
            "its tables are computed",
        ),
        (
            "CREATE TABLE metadata (key TEXT, value TEXT); INSERT INTO metadata VALUES ('fps', 'many');"
            "CREATE TABLE trajectory_data (id, frame, pos_x, pos_y); INSERT INTO trajectory_data VALUES (1, 0, 1, 1)",
            "how many frames",
        ),
        (
            "CREATE TABLE metadata (key TEXT, value TEXT); INSERT INTO metadata VALUES ('fps', '10');"
            "CREATE TABLE trajectory_data (id, frame, pos_x, pos_y); INSERT INTO trajectory_data VALUES (1, 0, NULL, 1)",
            "no database of JuPedSim",
        ),
        (
            "CREATE TABLE metadata (key TEXT, value TEXT); INSERT INTO metadata VALUES ('fps', '10');"
            "CREATE TABLE trajectory_data (id, frame, pos_x, pos_y);"
            "INSERT INTO trajectory_data VALUES (1, 0, 1, 1), (1, 1e300, 1, 1)",
            "a place is no number",
        ),
        (
            "CREATE TABLE metadata (key TEXT, value TEXT); INSERT INTO metadata VALUES ('fps', '10');"
            "CREATE TABLE trajectory_data (id, frame, pos_x, pos_y);"
            "INSERT INTO trajectory_data VALUES (1, 0, 1, 1), (1, 400000000, 1, 1)",
            "too many: 2 values",
        ),
    ],
    ids=["endless", "rate", "null", "late", "gap"],
)
def test_a_hostile_database_is_one_sentence(tmp_path, statements, words):
    file = tmp_path / "walk.sqlite"
    with closing(sqlite3.connect(file)) as base:
        base.executescript(statements)
    with pytest.raises(BadInput, match=words) as caught:
        formats.read_sqlite(file)
    assert str(caught.value).startswith(f"{file}: ")

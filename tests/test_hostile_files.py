"""The table of SECURITY.md, walked: a hostile file of each kind is refused in one sentence, runs nothing, and stays small.

A trap leaves a mark if it is run: a module that is imported, a Python file, or a pickle that is loaded.
"""

import base64
import io
import json
import pickle
import re
import sqlite3
import struct
import tracemalloc
import zipfile
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wayfolk as wf
from command import program
from wayfolk.algorithms.paths import begin_path
from wayfolk.compile import code_files
from wayfolk.crowds.trajectory import Recorder, read_trajectory
from wayfolk.errors import WayfolkError
from wayfolk.experiments.reports.report import write_report
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.spec import read_spec
from wayfolk.experiments.sweeps.store import Store
from wayfolk.files.archive import unpack
from wayfolk.files.exchange import import_plan
from wayfolk.files.orders import read_orders
from wayfolk.files.plans import read_plan
from wayfolk.playground.uploads import read_upload
from wayfolk.simulation.scene.reader import read_scene
from wayfolk.world.direction_map import DirectionMap

SECURITY = Path(__file__).parents[1] / "SECURITY.md"
MOST_BYTES = 64 << 20
GRID = wf.Grid(np.ones((6, 6)))
SCENE = '[world]\nmap = """\n...\n...\n"""\n[[group]]\nplaces = [[0, 0]]\ngoals = [[2, 1]]\n'
STREET = "[street]\nmap = '''\n.....\n>>x>>\n.....\n'''\n[[spawn]]\nbrain = \"pedestrian\"\nrate = 0.5\n"
SWEEP = (
    '[[sweep]]\nmaps = [{make = "random", width = 9, height = 9}]\nproblems = [{kind = "pairs", count = 2}]\n'
    "algorithms = [NAME]\n"
)
LEAGUE = (
    '{"mapFile": "m.map", "agentFile": "a.agents", "taskFile": "t.tasks", "teamSize": 1, "numTasksReveal": 1.5, '
    '"version": "2024 LoRR"}'
)
LEAGUE_RUN = (
    '{"actionModel": "MAPF_T", "version": "2026 LoRR", "agentMaxCounter": 3, "start": [[0, 0, "E"]], '
    '"numTaskFinished": 0, "actualPaths": ["[(0,0,0,0,0):(F 1)]"], "actualSchedule": ["0:0"]}'
)
EVIL = '</script><img src=x onerror="window.hacked=1">'


def read_run(file):
    """Read the output of a program of the League, for an instance with one robot."""
    return wf.read_league_run(file, wf.League(GRID, np.array([9], np.int32), [np.array([9], np.int32)], 1, 2026))


class Trap:
    """A pickle of it writes the file `mark` when it is loaded."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return open, (str(self.mark), "w")


def pickled(folder):
    return np.frombuffer(pickle.dumps(Trap(folder / "mark")), np.uint8)


def bomb(shape=(1 << 31, 2), descr="<i4"):
    """The bytes of an array that says it is large, and the size that its archive claims."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"shape": shape, "fortran_order": False, "descr": descr})
    return head.getvalue()


def changed(file, **arrays):
    """Write other arrays into an archive; bytes are written as they are."""
    with np.load(file) as archive:
        held = dict(archive)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in (held | arrays).items():
            with archive.open(f"{name}.npy", "w") as stream:
                if isinstance(array, bytes):
                    stream.write(array)
                else:
                    np.save(stream, array)
    return file


def text_file(name, text):
    def make(folder):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder / name

    return make


def saved_plan(folder):
    wf.Plan(GRID, GRID.cells([[(0, 0)]]).reshape(1, 1)).save(folder / "a.npz")
    return folder / "a.npz"


def saved_world(folder):
    wf.Simulation(wf.one_shot(GRID, [(0, 0)], [(5, 5)]), "lra").save(folder / "world.npz")
    return folder / "world.npz"


def world_by(name):
    def make(folder):
        file = saved_world(folder)
        with np.load(file) as archive:
            about = json.loads(str(archive["about"]))
        return changed(file, about=np.array(json.dumps(about | {"algorithm": name})))

    return make


def database(**changes):
    def make(folder):
        made = begin_path(GRID, (0, 0), (5, 5), "knn_lrta", records=5).database
        arrays = made.arrays | {name: change(made.arrays[name]) for name, change in changes.items()}
        replace(made, arrays=arrays).save(folder / "some.npz")
        return folder / "some.npz"

    return make


def read_database(file):
    return begin_path(GRID, (0, 0), (5, 5), "knn_lrta", database=str(file))


def saved_directions(folder):
    map_ = DirectionMap(GRID)
    map_.learn((0, 0), (1, 0))
    map_.save(folder / "lanes.npz")
    return folder / "lanes.npz"


def saved_trajectory(folder):
    recorder = Recorder(0.5)
    recorder.add([0], [(0.5, 0.5)], [0.0])
    recorder.trajectory([0.3]).save(folder / "walk.npz")
    return folder / "walk.npz"


def endless(folder):
    with closing(sqlite3.connect(folder / "walk.sqlite")) as base:
        base.executescript(
            "CREATE TABLE metadata (key, value); INSERT INTO metadata VALUES ('fps', 10);"
            "CREATE VIEW trajectory_data AS WITH RECURSIVE more(id, frame, pos_x, pos_y) AS"
            " (VALUES (1, 0, 1, 1) UNION ALL SELECT id, frame + 1, 1, 1 FROM more) SELECT * FROM more"
        )
    return folder / "walk.sqlite"


def store_with(change):
    def make(folder):
        job = Job({"make": "random"}, {"kind": "pairs", "count": 1}, "trap:begin")
        row = {"key": job.key, "status": "solved", "agents": [], "loops": []}
        with Store(folder / "runs.duckdb") as store:
            store.add([(job, row)], store.provenance({}))
            store.base.execute(change)
        return folder / "runs.duckdb"

    return make


def read_store(file):
    with Store(file, read_only=True) as store:
        (row,) = store.rows("SELECT key FROM runs")
        store.job(row["key"])


def zipped(name, content=b"x"):
    def make(folder):
        with zipfile.ZipFile(folder / "set.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)
        return folder / "set.zip"

    return make


def read_archive(file):
    (file.parent / "staged").mkdir()
    unpack(str(file), file, file.parent / "staged", {}, {"a.map": "0" * 64}, lambda *_: None)


def evil_names(folder):
    file = folder / "evil.json"
    grid = wf.Grid(np.ones((2, 2)), name=EVIL)
    wf.Plan(grid, grid.cells([(0, 0)])[None]).save(file)
    return file


def write_page(file):
    """A page that can be hurt by what is in its plan would hold the text as it is."""
    from wayfolk.replay import track_of_plan, write_replay

    plan, goals = read_plan(file)
    page = file.with_suffix(".html")
    write_replay([track_of_plan(plan, goals, EVIL)], page, EVIL)
    text = page.read_text()
    assert EVIL not in text
    assert "<img src=x" not in text
    policy = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', text)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    raise WayfolkError(f"{file}: the page is harmless")


def foreign_code(folder):
    """A file that has the right digest and a pickle in it, and that everybody can write to."""
    file = folder / "kernels" / "some-folder" / "f-123.nbc"
    code_files.write(file, pickle.dumps(Trap(folder / "mark")))
    file.chmod(0o666)
    return file


def read_code(file):
    contents = code_files.read(file)
    if contents is None:
        raise WayfolkError(f"{file}: is not loaded")
    pickle.loads(contents)


LAUGHS = '<!ENTITY a "haha">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


def site(folder, image, content=b"x"):
    """A map of Nav2 whose image has this name, and if that is a plain one these contents."""
    if image.endswith(".gif"):
        (folder / image).write_bytes(content)
    about = "resolution: 1\norigin: [0, 0, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"
    return text_file("a.yaml", f"image: {image}\n{about}")(folder)


def tiles(packed):
    data = base64.b64encode(packed).decode()
    return f'<layer width="4" height="4"><data encoding="base64" compression="zlib">{data}</data></layer>'


HOSTILE = {
    "map": [
        (text_file("a.map", "type octile\nheight 99999999\nwidth 99999999\nmap\n..\n"), wf.read_map),
        (text_file("a.txt", "..\n\x00\n"), wf.read_map),
    ],
    "image": [
        (
            text_file(
                "a.webp",
                b"RIFF\x18\0\0\0WEBPVP8L\x0c\0\0\0\x2f" + struct.pack("<I", 16382 | 16382 << 14) + bytes(7),
            ),
            wf.read_map,
        ),
        (text_file("a.gif", b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0)), wf.read_map),
    ],
    "map of Nav2": [
        (lambda folder: site(folder, "!!python/object/apply:trap.begin []"), wf.read_map),
        (lambda folder: site(folder, "../../../../../../../../etc/passwd"), wf.read_map),
        (lambda folder: site(folder, "/dev/zero"), wf.read_map),
        (lambda folder: site(folder, "a.gif", b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0)), wf.read_map),
        (lambda folder: site(folder, "no.pgm"), wf.read_map),
    ],
    "map of Tiled": [
        (text_file("a.tmx", f'<!DOCTYPE m [{LAUGHS}]><map width="1" height="1">&j;</map>'), wf.read_tiled),
        (text_file("a.tmx", f"<!DOCTYPE m [{LAUGHS}]><map>&j;</map>".encode("utf-16")), wf.read_tiled),
        (
            text_file("a.tmx", '<map width="4" height="4">' + tiles(zlib.compress(bytes(1 << 27))) + "</map>"),
            wf.read_tiled,
        ),
        (text_file("a.tmx", '<map width="16384" height="16384">' + "<layer/>" * 1000 + "</map>"), wf.read_tiled),
        (
            text_file("a.tmx", '<map width="4" height="4"><tileset firstgid="1" source="/etc/passwd"/></map>'),
            wf.read_tiled,
        ),
        (text_file("a.tmx", "<map>" + "<a/>" * 3_000_000 + "</map>"), wf.read_tiled),
        (text_file("a.tmj", "[" * 10**5), wf.read_tiled),
        (
            text_file(
                "a.tmj", '{"width": 1, "height": 1, "orientation": "x", "layers": ' + "[" * 900 + "]" * 900 + "}"
            ),
            wf.read_tiled,
        ),
    ],
    "polygons": [
        (text_file("a.geojson", '{"type": "GeometryCollection", "geometries": [' * 200 + "]}" * 200), wf.read_polygons),
        (text_file("a.geojson", '{"type": "Polygon", "coordinates": ' + "[" * 10**5), wf.read_mesh),
        (text_file("a.geojson", '{"type": "Polygon", "coordinates": [' + "[]," * 3_000_000 + "[]]}"), wf.read_mesh),
        (text_file("a.wkt", "POLYGON " + "(" * 10**6), wf.read_space),
        (text_file("a.wkt", "POLYGON (" + "\n" * 10**6), wf.read_space),
        (text_file("a.wkt", "POLYGON ((0 0, 1e999 0, 1 1, 0 0))"), wf.read_space),
    ],
    "voxels": [
        (text_file("a.3dmap", "voxel 99999999 99999999 99999999\n"), wf.read_voxels),
        (text_file("a.3dmap", "voxel 4 4 4\n0 0 -1\n"), wf.read_voxels),
    ],
    "roadmap": [
        (
            lambda folder: text_file("a.yaml", f"roadmap: !!python/object/apply:trap.begin [{folder}]")(folder),
            wf.read_roadmap,
        ),
        (text_file("a.yaml", "[" * 10**5), wf.read_roadmap),
        (text_file("a.json", "[" * 10**5), wf.read_roadmap),
        (
            text_file("a.graphml", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>'),
            wf.read_roadmap,
        ),
        (text_file("a.xml", f"<!DOCTYPE x [{LAUGHS}]><graphml>&j;</graphml>".encode("utf-16")), wf.read_roadmap),
        (text_file("a.yaml", "a: &a [x, x]\nroadmap: {edges: [" + "*a, " * 99_999 + "*a]}"), wf.read_roadmap),
    ],
    "scenario": [
        (text_file("a.scen", "version 1\n0 a.map 6 6 0 0 999999 0 1\n"), lambda file: wf.read_scen(file, GRID)),
    ],
    "plan": [
        (lambda folder: changed(saved_plan(folder), paths=bomb((1 << 40, 1, 2))), read_plan),
        (lambda folder: changed(saved_plan(folder), paths=np.full((1, 1, 2), 10**8)), read_plan),
        (lambda folder: changed(saved_plan(folder), memory=pickled(folder)), read_plan),
        (
            lambda folder: changed(saved_plan(folder), paths=np.full((1, 1, 2), Trap(folder / "mark"), object)),
            read_plan,
        ),
        (text_file("a.json", "[" * 10**5), read_plan),
    ],
    "plan of another tool": [
        (text_file("p.csv", f"step,agent,x,y\n{1 << 62},3,0,0\n"), lambda file: import_plan(file, GRID)),
        (text_file("p.txt", "0:" + "(1,1)  " * 40 + "x\n"), lambda file: import_plan(file, GRID)),
        (
            text_file(
                "p.json", '{"actionModel": "MAPF", "start": [[0, 0]], "actualPaths": ["w"], "tasks": [[0, 0, 99999]]}'
            ),
            lambda file: import_plan(file, GRID),
        ),
    ],
    "orders": [
        (text_file("o.csv", "release,pickup,delivery\n0,9999999 0,0 0\n"), lambda file: read_orders(file, GRID)),
        (
            text_file("o.json", f'[{{"release": 1{"0" * 400}, "stops": [[0, 0]]}}]'),
            lambda file: read_orders(file, GRID),
        ),
    ],
    "League instance": [
        (text_file("i.json", LEAGUE.replace("m.map", "../../../../etc/hostname")), wf.read_lorr),
        (text_file("i.json", LEAGUE.replace("1.5", "1e400")), wf.read_lorr),
        (text_file("i.json", "[" * 10**5), wf.read_lorr),
    ],
    "League output": [
        (text_file("o.json", LEAGUE_RUN.replace("F 1", "F 4194304,W 4194304")), read_run),
        (text_file("o.json", LEAGUE_RUN.replace('["', '["' + '","' * 10**4 + "[(0,0,0,0,0):(F 4000000)]")), read_run),
        (text_file("o.json", LEAGUE_RUN.replace("0:0", f"{1 << 40}:0")), read_run),
        (text_file("o.json", LEAGUE_RUN.replace("[0, 0,", f"[{1 << 62}, 0,")), read_run),
    ],
    "scene": [
        (text_file("a.toml", f'{SCENE}[controller]\nname = "trap:begin"\n'), wf.read_scene),
        (
            text_file("a.toml", f'{SCENE}[controller]\nname = "sdp"\noptions = {{ cluster = "tcp://127.0.0.1:9" }}\n'),
            wf.read_scene,
        ),
    ],
    "street": [
        (text_file("a.toml", STREET.replace("pedestrian", "trap.py")), read_scene),
        (
            lambda folder: text_file("a.toml", STREET.replace("pedestrian", f"{folder}/trap.py:Name"))(folder),
            read_scene,
        ),
        (text_file("a.toml", STREET.replace("[street]", '[street]\nmodel = "trap:begin"')), read_scene),
    ],
    "dropped scene": [
        (text_file("a.toml", text), lambda file: read_upload("a.toml", file.read_bytes()))
        for text in (
            f'{SCENE}[controller]\nname = "trap:begin"\n',
            f'{SCENE}[controller]\nname = "sdp"\noptions = {{ cluster = "tcp://127.0.0.1:9" }}\n',
            f'{SCENE}[controller]\nname = "direction_map"\noptions = {{ saved = "/etc/passwd" }}\n',
            SCENE.replace('map = """\n...\n...\n"""', 'file = "/etc/passwd"'),
            STREET.replace("pedestrian", "trap.py"),
        )
    ],
    "sweep": [
        (text_file("a.toml", SWEEP.replace("NAME", '"trap:begin"')), read_spec),
        (text_file("a.toml", SWEEP.replace("NAME", '{name = "lns", options = {first = "trap:begin"}}')), read_spec),
    ],
    "store": [
        (store_with("SELECT 1"), read_store),
        (store_with("UPDATE runs SET cell = '[1]'"), read_store),
        (
            store_with("""UPDATE runs SET cell = '{"problem": 3}', options = '7'"""),
            lambda file: write_report(file, None),
        ),
        (store_with("DROP TABLE loops; CREATE VIEW loops AS SELECT * FROM read_text('/etc/passwd')"), read_store),
    ],
    "saved world": [
        (lambda folder: changed(saved_world(folder), memory=pickled(folder)), wf.read_world),
        (lambda folder: changed(saved_world(folder), routes=np.full((1, 1), 10**8, np.int32)), wf.read_world),
        (world_by("trap:begin"), wf.read_world),
    ],
    "database": [
        (database(subgoals=lambda array: array + 10**8), read_database),
        (database(first=lambda array: array * 10**9), read_database),
        (lambda folder: changed(database()(folder), subgoals=bomb()), read_database),
        (lambda folder: changed(database()(folder), memory=pickled(folder)), read_database),
    ],
    "direction map": [
        (
            lambda folder: changed(saved_directions(folder), cells=np.array([0, 10**8], np.int32)),
            lambda file: DirectionMap.load(file, GRID),
        ),
        (
            lambda folder: changed(saved_directions(folder), lanes=bomb((1 << 40, 4), "<f8")),
            lambda file: DirectionMap.load(file, GRID),
        ),
    ],
    "trajectory": [
        (
            lambda folder: changed(saved_trajectory(folder), places=np.full((1, 1, 2), np.inf, np.float32)),
            read_trajectory,
        ),
        (lambda folder: changed(saved_trajectory(folder), places=bomb((1 << 40, 1, 2), "<f4")), read_trajectory),
        (text_file("walk.txt", "# framerate: 10\n1 0 1 1\n1 400000000 1 1\n"), read_trajectory),
        (endless, read_trajectory),
    ],
    "benchmark archive": [
        (zipped("../../a.map"), read_archive),
        (zipped("a.map"), read_archive),  # it is not the map that we know by that name
        (zipped("trap.py"), read_archive),
    ],
    "replay page": [(evil_names, write_page)],
    "machine code": [(foreign_code, read_code)],
}


def kinds():
    """The first column of the table."""
    table = SECURITY.read_text().partition("\n## What reading a file may do\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if line.startswith("| ")]
    return rows[2:]


def test_each_kind_of_file_has_a_hostile_one():
    assert kinds() == list(HOSTILE)


@pytest.mark.parametrize(
    ("kind", "number"), [(kind, number) for kind, cases in HOSTILE.items() for number in range(len(cases))]
)
def test_a_hostile_file_is_refused(tmp_path, monkeypatch, capsys, kind, number):
    make, read = HOSTILE[kind][number]
    mark = tmp_path / "mark"
    (tmp_path / "trap.py").write_text(f"open({str(mark)!r}, 'w')\nbegin = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    file = make(tmp_path)
    tracemalloc.start()
    try:
        with pytest.raises(WayfolkError) as caught:
            read(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    assert str(file) in sentence or kind == "dropped scene"
    assert peak < MOST_BYTES
    assert not mark.exists()


def test_the_traps_work(tmp_path, monkeypatch):
    """So that a trap which is not sprung says something."""
    pickle.loads(pickled(tmp_path).tobytes()).close()
    assert (tmp_path / "mark").exists()
    (tmp_path / "sprung.py").write_text(f"open({str(tmp_path / 'other')!r}, 'w').close()\nbegin = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    file = text_file("a.toml", f'{SCENE}[controller]\nname = "sprung:begin"\n')(tmp_path)
    with pytest.raises(WayfolkError):
        wf.read_scene(file, trust=True)
    assert (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("args", "is_sprung"),
    [(["list", "search"], False), (["list", "trap:begin"], True), (["path", "--with", "jps,trap:begin"], True)],
)
def test_a_command_imports_from_the_current_folder_only_what_it_names(tmp_path, args, is_sprung):
    """The folder has a module, and says that it is installed and adds an algorithm."""
    info = tmp_path / "trap-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trap\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[wayfolk.algorithms]\ntrap = trap:begin\n")
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w').close()\nbegin = print\n")
    args += [] if args[0] == "list" else ["rooms", "--from", "2,2", "--to", "5,5"]
    program(*args, cwd=tmp_path)
    assert (tmp_path / "mark").exists() == is_sprung

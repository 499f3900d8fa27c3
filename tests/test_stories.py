"""Five stories: a game's loop, a fleet's day, an evacuation, a notebook, a thesis. Each follows its pages word for word."""

import ast
import importlib.util
import io
import json
import re
import subprocess
import sys

import pytest

from test_docs import DOCS, ROOT, blocks_of, desk, run_blocks  # noqa: F401 - desk is a fixture
from wayfolk.experiments.sweeps.store import read_runs
from wayfolk.files.exchange import import_plan
from wayfolk.files.maps import read_map
from wayfolk.judge.plans import check
from wayfolk.simulation.world_file import read_world


def scripts_of(page):
    """The commands `python ...` of a page."""
    lines = [line for block in blocks_of(page) if block.language == "sh" for line in block.text.splitlines()]
    return [line.split()[1:] for line in lines if line.startswith("python ")]


def test_a_game_developer_follows_the_page(desk):  # noqa: F811
    page = DOCS / "game-loop.md"
    run_blocks(blocks_of(page), page, desk)
    again = read_world(desk / "evening.world")
    assert again.algorithm == "bmaa_plus"
    assert again.n_agents == 5
    scripts = scripts_of(page)
    assert [script[0] for script in scripts] == ["examples/game_loop.py", "examples/game_asyncio.py"]
    for script in scripts:
        done = subprocess.run(
            [sys.executable, *script], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        assert re.search(r"\d+(\.\d+)? ms for a step|\d+ steps; ", done.stdout)


def test_the_window_opens_if_pygame_is_there(monkeypatch):
    pytest.importorskip("pygame", reason="pygame-ce is optional")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    spec = importlib.util.spec_from_file_location("game_pygame", ROOT / "examples" / "game_pygame.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(12)


def test_a_warehouse_engineer_follows_the_page(desk, capsys):  # noqa: F811
    page = DOCS / "fleet-day.md"
    printed = run_blocks(blocks_of(page), page, desk)
    hall = read_map(desk / "hall.map", "four")
    table = next(text for text in printed if text.startswith("algorithm  solved"))
    assert [line.split()[0] for line in table.splitlines()[1:5]] == ["whca", "pibt", "lacam", "hca"]
    lifelong = next(text for text in printed if text.startswith("algorithm  throughput"))
    assert [line.split()[0] for line in lifelong.splitlines()[1:3]] == ["pibt", "whca"]
    for name in ("compare.html", "day.html"):
        report = (desk / name).read_text()
        assert "<iframe" in report
        assert "collision" not in report.split("<iframe")[0].lower()
    day = next(text for text in printed if "refused moves" in text and "throughput" in text and "ended" in text)
    assert "completion" not in day
    assert "out_of_budget" not in day
    curve = next(text for text in printed if text.startswith("algorithm  agents  throughput"))
    assert [line.split()[1] for line in curve.splitlines()[1:7]] == ["10", "10", "20", "20", "40", "40"]
    assert (desk / "robots.html").read_text().count("<svg") >= 2
    twin = capsys.readouterr().out.splitlines()  # what the blocks in Python print: the same numbers as the commands
    assert twin[0] == "Run(pibt, 20 agents, 300 steps, ended)"
    assert number_of(day, "tasks") == int(twin[1].split()[0])
    assert number_of(day, "throughput") == pytest.approx(float(twin[2].split()[0]), abs=1e-4)
    orders = next(text for text in printed if "orders done" in text)
    report = ast.literal_eval(twin[3])
    assert (report["orders"], report["orders_done"]) == (3, 3)
    for name in ("orders_done", "service_p90", "throughput"):
        assert number_of(orders, name) == pytest.approx(report[name], abs=1e-4)
    plan, _ = import_plan(desk / "day.csv", hall)
    assert (plan.n_agents, plan.n_steps) == (20, 300)
    assert json.loads((desk / "day.json").read_text())["actionModel"] == "MAPF"
    plan, goals = import_plan(desk / "tracker.csv", problem=scenario(desk, hall))
    assert check(plan, goals=goals) == []
    example = next(block.text for block in blocks_of(page) if block.language == "json")
    (desk / "orders.json").write_text(example)
    from wayfolk.files.orders import read_orders

    assert [len(order.stops) for order in read_orders(desk / "orders.json", hall)] == [2, 3]


def test_a_safety_engineer_follows_the_page(desk, capsys):  # noqa: F811
    """The numbers of the page are those that its code prints."""
    page = DOCS / "evacuation.md"
    told = run_blocks(blocks_of(page), page, desk)
    printed = capsys.readouterr().out
    text = page.read_text()
    for name in ("one door", "two doors"):
        row = re.search(rf"^{name} ([\d.]+) ([\d.]+) ([\d.]+)$", printed, re.MULTILINE)
        said = re.search(rf"^\| {name} \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        assert [float(number) for number in row.groups()] == pytest.approx([float(n) for n in said.groups()], rel=0.1)
    assert "that is wide enough for its radius of 0.6 m" in printed
    assert "inf" not in printed
    assert "<script" in (desk / "evacuation.html").read_text()
    assert re.search(r"^arrived +20$", told[0], re.MULTILINE)


def test_a_student_follows_the_page(desk):  # noqa: F811
    """tests/test_notebooks.py runs the notebooks that the page names."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    page = DOCS / "watch.md"
    text = page.read_text()
    printed = run_blocks(blocks_of(page), page, desk)
    expanded = [int(number) for number in re.findall(r"^expanded +(\d+)$", printed[0], re.MULTILINE)]
    assert f"A* expands {expanded[0]} cells, jump point search {expanded[1]}" in " ".join(text.split())
    search = (desk / "search.html").read_text()
    assert all(title in search for title in ("A*", "Jump point search"))
    for name in ("search.svg", "agents.svg"):
        assert "<animate" in (desk / name).read_text()
    assert image.open(io.BytesIO((desk / "plan.gif").read_bytes())).n_frames > 10
    assert image.open(io.BytesIO((desk / "street.gif").read_bytes())).n_frames > 10
    listed = [file.stem for file in sorted((ROOT / "examples").glob("*.ipynb"))]
    assert listed == ["1-first-steps", "2-search", "3-crowds-with-lanes", "4-a-fleet", "5-a-papers-table"]
    assert "first steps, search, crowds with lanes, a fleet, and a paper's table" in " ".join(text.split())


@pytest.mark.filterwarnings("ignore")  # those of pandas, Dask and PettingZoo
def test_a_researcher_follows_the_pages(desk):  # noqa: F811
    pytest.importorskip("duckdb", reason="the laboratory needs wayfolk[lab]")
    page = DOCS / "laboratory.md"
    blocks = blocks_of(page)
    (spec,) = [block for block in blocks if block.language == "toml"]
    (desk / "windows.toml").write_text(spec.text)
    again = next(block for block in blocks if "KEY" in block.text)
    printed = run_blocks([block for block in blocks if block is not again], page, desk)
    assert printed[0].startswith("16 jobs, 16 of them not in the store")
    assert printed[1].startswith("16 jobs run, 0 were in the store, 0 failed")
    assert "whca" in printed[2]
    assert "windows.html" in printed[4]
    assert (desk / "windows.html").exists()
    assert (desk / "runs.parquet").stat().st_size > 1000
    assert r"whca & " in (desk / "t.tex").read_text()
    (key,) = read_runs(desk / "runs.duckdb", kind="pandas")["key"][:1]
    again.text = again.text.replace("KEY", key[:8])
    (told,) = run_blocks([again], page, desk)
    assert told.startswith(f"whca on random, key {key}")
    store = DOCS / "store.md"
    run_blocks(blocks_of(store), store, desk)
    assert (desk / "agents.csv").read_text().count("\n") == 1 + 8 * 5 + 8 * 10


@pytest.mark.filterwarnings("ignore")  # those of PettingZoo
def test_a_researcher_trains_a_policy(desk):  # noqa: F811
    page = DOCS / "environment.md"
    run_blocks(blocks_of(page), page, desk)
    (script,) = scripts_of(page)
    done = subprocess.run([sys.executable, *script], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    share = re.search(r"(\d+)% of the agents have reached their goals", done.stdout)
    assert share
    assert int(share[1]) > 50


def number_of(table, name):
    """A number of a table with a name and a value in each line."""
    return float(re.search(rf"^{name.replace('_', ' ')} +([\d.]+)$", table, re.MULTILINE)[1])


def scenario(folder, grid):
    from wayfolk.files.scenarios import read_scen

    return read_scen(folder / "hall.scen", grid)

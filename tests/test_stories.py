"""A game developer's and a warehouse engineer's story: each follows its page of the docs word for word."""

import importlib.util
import json
import re
import subprocess
import sys

import pytest

from test_docs import DOCS, ROOT, blocks_of, desk, run_blocks  # noqa: F401 - desk is a fixture
from wayfolk.files.exchange import import_plan
from wayfolk.files.maps import read_map
from wayfolk.judge.plans import check
from wayfolk.simulation.saved import read_world


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


def test_a_warehouse_engineer_follows_the_page(desk):  # noqa: F811
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
    plan, _ = import_plan(desk / "day.csv", hall)
    assert (plan.n_agents, plan.n_steps) == (20, 300)
    assert json.loads((desk / "day.json").read_text())["actionModel"] == "MAPF"
    plan, goals = import_plan(desk / "tracker.csv", problem=scenario(desk, hall))
    assert check(plan, goals=goals) == []
    example = next(block.text for block in blocks_of(page) if block.language == "json")
    (desk / "orders.json").write_text(example)
    from wayfolk.files.orders import read_orders

    assert [len(order.stops) for order in read_orders(desk / "orders.json", hall)] == [2, 3]


def scenario(folder, grid):
    from wayfolk.files.scenarios import read_scen

    return read_scen(folder / "hall.scen", grid)

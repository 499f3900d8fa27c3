"""What tests do with the playground's page in a browser."""

from __future__ import annotations

import json
import time
from typing import Any

PATIENCE = 150
SEARCH = {
    "map": {"name": "empty"}, "kind": "search", "start": [4, 10], "goal": [26, 10],
    "algorithms": [{"name": "search/astar", "options": {}}],
}  # fmt: skip
AGENTS = {
    "map": {"name": "jansen-c"}, "kind": "agents", "agents": 100, "errand": "patrol",
    "algorithms": [{"name": "controllers/direction_map", "options": {}}],
}  # fmt: skip


def until(page: Any, expression: str, seconds: float = PATIENCE) -> None:
    """Wait until something is true in the page."""
    stop = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < stop, f"{expression} did not come true; it said {page.evaluate('wayfolk.said()')!r}"
        time.sleep(0.05)


def begin(page: Any, scene: dict[str, Any], tmp_path: Any) -> None:
    """Open a scene from a file."""
    until(page, "'wayfolk' in window && wayfolk.state() !== 'connecting' && wayfolk.state() !== 'ready'")
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(scene))
    page.set_input_files("#file", str(file))
    names = [each["name"].split("/")[1] for each in scene["algorithms"]]
    until(page, f"wayfolk.scene().algorithms.map(({{name}}) => name.split('/')[1]).join() === '{','.join(names)}'")
    until(page, f"wayfolk.state() !== 'loading' && wayfolk.panels() === {len(names)}")


def choose(page: Any, preset: str) -> None:
    """Start one of the scenes of the list."""
    until(page, "'wayfolk' in window && wayfolk.state() === 'running'")
    page.select_option("#preset", label=preset)
    until(page, "wayfolk.state() === 'loading'")
    until(page, "wayfolk.state() === 'running'")


def drag(page: Any, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag with the mouse from one cell to another."""
    page.mouse.move(*page.evaluate(f"wayfolk.pixel({start[0]}, {start[1]})"))
    page.mouse.down()
    page.mouse.move(*page.evaluate(f"wayfolk.pixel({end[0]}, {end[1]})"), steps=12)
    page.mouse.up()


def let_play(page: Any, is_wanted: bool) -> None:
    """Let time pass on the page, or stop it, by the space bar.

    A run that has come to its end has stopped by itself, and goes on when it is changed. The button shows it a frame later.
    """
    if page.evaluate("wayfolk.isPlaying()") != is_wanted:
        page.keyboard.press(" ")

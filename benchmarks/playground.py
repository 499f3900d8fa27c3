"""The playground in a headless browser: frames a second, slow frames and memory, with many agents and a large search.

    python -m benchmarks.playground [SECONDS]

Frames are those of the page's own `requestAnimationFrame`; a long task keeps the page busy for more than 50 ms.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PATIENCE = 300.0
SCENES: dict[str, dict[str, Any]] = {
    "1,000 agents": {"map": {"name": "large-rooms"}, "kind": "agents", "agents": 1000, "errand": "tasks",
                     "algorithms": [{"name": "controllers/pibt", "options": {}}]},
    "10,000 agents": {"map": {"name": "large-rooms"}, "kind": "agents", "agents": 10_000, "errand": "patrol",
                      "algorithms": [{"name": "controllers/lra", "options": {}}]},
    "A* on 512 x 512": {"map": {"name": "large-rooms"}, "kind": "search",
                        "algorithms": [{"name": "search/astar", "options": {}}]},
}  # fmt: skip
COUNT = """(seconds) => new Promise((done) => {
  const gaps = [], long = [];
  const watch = new PerformanceObserver((list) => list.getEntries().forEach((entry) => long.push(entry.duration)));
  watch.observe({ entryTypes: ["longtask"] });
  const first = performance.now();
  let last = first;
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    if (now - first < 1000 * seconds) return requestAnimationFrame(frame);
    watch.disconnect();
    gaps.sort((a, b) => a - b);
    const memory = performance.memory ? performance.memory.usedJSHeapSize / 1e6 : 0;
    done({ fps: (1000 * gaps.length) / (last - first), p95: gaps[Math.floor(0.95 * gaps.length)], longTasks: long.length,
           longest: Math.max(0, ...long), memory, time: wayfolk.time() });
  };
  requestAnimationFrame(frame);
})"""


def main(seconds: float) -> None:
    """Print a row for each scene."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "wayfolk", "play", "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            began = time.perf_counter()
            page.goto(address[0])
            paint = page.evaluate("performance.getEntriesByType('paint').map(({name, startTime}) => [name, startTime])")
            print(f"load {time.perf_counter() - began:.2f} s, {paint}", flush=True)
            for name, scene in SCENES.items():
                wait(page, "'wayfolk' in window && !['connecting', 'ready'].includes(wayfolk.state())")
                file = Path(folder) / "scene.json"
                file.write_text(json.dumps(scene))
                page.set_input_files("#file", str(file))
                name_of = scene["algorithms"][0]["name"]
                wait(page, f"wayfolk.scene().algorithms[0].name === '{name_of}' && wayfolk.state() === 'running'")
                wait(page, f"wayfolk.agents() >= {scene.get('agents', 0)} && wayfolk.time() > 2")
                print(name, json.dumps(page.evaluate(COUNT, seconds)), flush=True)
            browser.close()
    finally:
        server.terminate()
        server.wait(10)


def wait(page: Any, expression: str) -> None:
    stop = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        if time.monotonic() > stop:
            raise SystemExit(f"{expression} did not come true: {page.evaluate('wayfolk.said()')}")
        time.sleep(0.02)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)

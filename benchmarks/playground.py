"""The playground in a headless browser: first paint, frames a second, long tasks, and memory over minutes.

    python -m benchmarks.playground [SECONDS]          frames, with many agents, a crowd and a large search
    python -m benchmarks.playground memory [MINUTES]   memory of page, server and worker, while 1,000 agents move

Frames are those of the page's own `requestAnimationFrame`; a long task keeps the page busy for more than 50 ms. On a
machine that others use too, frames are lost to them. `busy` is the processor time of the page's main thread for each frame:
with less than 16.7 ms there are 60 frames a second on a core of its own. Memory is taken after a collection: objects, and
the arrays behind them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 300.0
EVERY = 15.0  # seconds between two looks at memory
FIELD = {"name": "field", "width": 200, "height": 200, "walls": b64encode(bytes(200 * 200 // 8)).decode()}
MANY = {"map": {"name": "large-rooms"}, "kind": "agents", "agents": 1000, "errand": "tasks",
        "algorithms": [{"name": "controllers/pibt", "options": {}}]}  # fmt: skip
SCENES: dict[str, dict[str, Any]] = {
    "1,000 agents": MANY,
    "1,000 agents, density": MANY | {"show": ["density"]},
    "10,000 agents": {
        "map": FIELD, "kind": "agents", "agents": 10_000, "errand": "patrol",
        "algorithms": [{"name": "controllers/lra", "options": {}}],
    },
    "a crowd of 300": {"map": {"name": "rooms"}, "kind": "crowd", "agents": 300, "errand": "patrol",
                       "algorithms": [{"name": "crowds/orca", "options": {}}]},
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
    done({ frames: gaps.length, fps: (1000 * gaps.length) / (last - first), p95: gaps[Math.floor(0.95 * gaps.length)],
           longTasks: long.length, longest: Math.max(0, ...long), time: wayfolk.time() });
  };
  requestAnimationFrame(frame);
})"""


@contextmanager
def opened() -> Iterator[tuple[Any, Any, int]]:
    """The page of a running playground, the connection to its browser, and the server's process."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "wayfolk", "play", "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto(address[0])
            yield page, page.context.new_cdp_session(page), server.pid
            browser.close()
    finally:
        server.terminate()
        server.wait(10)


def frames(seconds: float) -> None:
    """Print a row for each scene."""
    with opened() as (page, tools, _):
        wait(page, "performance.getEntriesByType('paint').length > 0")
        print("first paint, ms", page.evaluate("performance.getEntriesByType('paint')[0].startTime"), flush=True)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        for name, scene in SCENES.items():
            start(page, {key: value for key, value in scene.items() if key != "show"})
            for switch in scene.get("show", []):
                page.click(f"[data-show={switch}]")
            before = busy(tools)
            row = page.evaluate(COUNT, seconds)
            row["busy"] = 1000 * (busy(tools) - before) / row["frames"]
            print(name, json.dumps({key: round(value, 1) for key, value in row.items()}), flush=True)


def memory(minutes: float) -> None:
    """Print the memory of the page, the server and its workers now and then, in MB."""
    with opened() as (page, tools, server):
        start(page, MANY)
        page.evaluate("wayfolk.speed(64)")
        began = time.monotonic()
        while time.monotonic() < began + 60 * minutes:
            page.wait_for_timeout(1000 * EVERY)
            tools.send("HeapProfiler.collectGarbage")
            used = tools.send("Runtime.getHeapUsage")
            row = {"seconds": time.monotonic() - began, "objects": used["usedSize"] / 1e6}
            row["arrays"] = used.get("backingStorageSize", 0) / 1e6
            row["step"], row["kept steps"] = page.evaluate("[wayfolk.end(), wayfolk.cached()]")
            row["server"], *workers = (resident(pid) for pid in [server, *children(server)])
            row["workers"] = sum(workers)
            print(json.dumps({key: round(value, 1) for key, value in row.items()}), flush=True)


def start(page: Any, scene: dict[str, Any]) -> None:
    """Open a scene, and wait until it runs."""
    wait(page, "'wayfolk' in window && !['connecting', 'ready'].includes(wayfolk.state())")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scene.json"
        file.write_text(json.dumps(scene))
        page.set_input_files("#file", str(file))
        name = scene["algorithms"][0]["name"]
        wait(page, f"wayfolk.scene().algorithms[0].name === '{name}' && wayfolk.state() === 'running'")
    wait(page, f"wayfolk.agents() >= {scene.get('agents', 0)} && wayfolk.time() > 2")


def busy(tools: Any) -> float:
    """Seconds of processor time that the page's main thread has used for tasks."""
    found = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"])


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in listed.splitlines()[1:]]
    return [child for child, parent in rows if parent == pid]


def resident(pid: int) -> float:
    """MB of a process that are in memory."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1000 if found else 0.0


def wait(page: Any, expression: str) -> None:
    stop = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        if time.monotonic() > stop:
            raise SystemExit(f"{expression} did not come true: {page.evaluate('wayfolk.said()')}")
        time.sleep(0.02)


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        memory(float(sys.argv[2]) if len(sys.argv) > 2 else 10.0)
    else:
        frames(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)

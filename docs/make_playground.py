"""Takes the pictures of docs/playground.md: images/play-*.png, of a running playground in a browser.

    python docs/make_playground.py            take all
    python docs/make_playground.py lanes      take some, by the names in SHOTS

Needs the extra `play`, playwright and Chromium.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).resolve().parent / "images"
PATIENCE = 300.0  # seconds: the first use of an algorithm compiles it
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 800}
SHOTS: dict[str, dict[str, Any]] = {
    "agents": {"scene": "A fleet in a warehouse", "time": 12},
    "lanes": {"scene": "Lanes form", "time": 150, "speed": 16},
    "searches": {"scene": "A* against JPS", "time": 120},
    "dead-end": {"scene": "A dead end", "time": 900, "dark": True},
    "reserved": {"scene": "WHCA* at a crossing", "time": 20},
    "jam": {"scene": "A jam", "time": 60, "speed": 8},
    "messages": {"scene": "Controllers that talk", "time": 24},
    "one-way": {"scene": "One-way map", "time": 30, "click": ["[data-show=density]"], "dark": True},
    "street": {"scene": "The street", "time": 40, "speed": 4},
    "compare": {"scene": "Two corridors", "time": 60, "speed": 8},
    "phone": {"scene": "WHCA* at a crossing", "time": 20, "viewport": PHONE},
}


def main(names: list[str]) -> None:
    """Start the playground, and take the pictures."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "wayfolk", "play", "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            for name in names or SHOTS:
                take(browser, address[0], name, **SHOTS[name])
            browser.close()
    finally:
        server.terminate()
        server.wait(10)


def take(
    browser: Any,
    address: str,
    name: str,
    scene: str,
    time: float,
    speed: float | None = None,
    click: tuple[str, ...] = (),
    dark: bool = False,
    viewport: dict[str, int] = WIDE,
) -> None:
    """Start a scene of the list, and take its picture when its clock shows `time`."""
    context = browser.new_context(viewport=viewport, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.goto(address)
    wait(page, "'wayfolk' in window && ['loading', 'running'].includes(wayfolk.state())")
    page.evaluate("document.querySelector('#scene').open = true")
    page.select_option("#preset", label=scene)
    wait(page, "wayfolk.state() === 'loading'")
    wait(page, "wayfolk.state() === 'running'")
    page.evaluate("document.querySelector('#scene').open = innerWidth > 720")
    if speed is not None:
        page.evaluate(f"wayfolk.speed({speed})")
    for selector in click:
        page.click(selector)
    wait(page, f"wayfolk.time() >= {time} || wayfolk.state() !== 'running'")
    page.screenshot(path=IMAGES / f"play-{name}.png")
    context.close()
    print(f"images/play-{name}.png")


def wait(page: Any, expression: str) -> None:
    """Wait until something is true in the page."""
    stop = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        if time.monotonic() > stop:
            raise SystemExit(f"{expression} did not come true: {page.evaluate('wayfolk.said()')}")
        time.sleep(0.05)


if __name__ == "__main__":
    main(sys.argv[1:])

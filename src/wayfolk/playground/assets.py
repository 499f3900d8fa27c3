"""The files of the page, all of them read from the package when the server starts: no request opens a file.

The scripts that draw are those of the replay, joined to one module: `engine.js`.
"""

from __future__ import annotations

import re
from importlib.resources import files

from wayfolk.replay import ENGINE

TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
MODULES = (
    "main.js", "link.js", "frames.js", "live.js", "learning.js", "walkers.js", "charts.js", "stage.js", "panels.js",
    "insight.js", "tools.js", "scene.js", "python.js", "menu.js", "inspection.js", "preview.js", "states.js",
)  # fmt: skip
STYLES = ("play.css",)


def assets() -> dict[str, tuple[str, bytes]]:
    """The media type and the bytes of each file, by its name in addresses."""
    texts = {"": page(), "engine.js": engine(), "replay.css": _text("replay", "page.css")}
    texts |= {name: _text("playground", name) for name in (*MODULES, *STYLES)}
    return {
        name: (f"{TYPES[(name or 'index.html').rsplit('.', 1)[1]]}; charset=utf-8", text.encode())
        for name, text in texts.items()
    }


def page() -> str:
    """The page; its deck, its list of keys and the template of its panels are those of the replay."""
    replay = _text("replay", "page.html")
    parts = {
        "deck": re.search(r'<section id="deck".*?</section>', replay, re.DOTALL),
        "keys": re.search(r"<dl>(.*?)</dl>", replay[replay.index('<dialog id="keys"') :], re.DOTALL),
        "panel": re.search(r'<template id="panel">.*?</template>', replay, re.DOTALL),
    }
    text = _text("playground", "index.html")
    for name, part in parts.items():
        assert part is not None, name
        text = text.replace("{{" + name + "}}", part[1] if name == "keys" else part[0])
    return text


def engine() -> str:
    """The scripts of the replay as one module, which exports what they declare."""
    text = "\n".join(_text("replay", name) for name in ENGINE)
    names = re.findall(r"^(?:async )?(?:class|function) (\w+)", text, re.MULTILINE)
    for line in re.findall(r"^const (\[.*?\]|\w+) =", text, re.MULTILINE):
        names += re.findall(r"\w+", line)
    return f"{text}\nexport {{ {', '.join(names)} }};\n"


def _text(folder: str, name: str) -> str:
    return (files("wayfolk") / folder / name).read_text(encoding="utf-8")

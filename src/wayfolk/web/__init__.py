"""Web: the scripts, styles and pages that browsers run, as files; and what makes one page of them.

    replay/       a recorded run or a watched search: timelines, painters, the deck with the controls
    playground/   the page of `wayfolk play`, which draws with the modules of replay/

The scripts are ES modules. The playground's server hands them out as they are; a page that opens from disk has them in one
script, which `modules.bundle` makes.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def web_text(name: str) -> str:
    """The text of a file of this package, such as `replay/main.js`."""
    return (files(__name__) / name).read_text(encoding="utf-8")


def web_files(folder: str, suffix: str) -> list[str]:
    """The names of all files in `folder` that end in `suffix`, sorted."""
    names = [entry.name for entry in (files(__name__) / folder).iterdir()]
    return sorted(f"{folder}/{name}" for name in names if name.endswith(suffix))

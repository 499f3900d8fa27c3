"""Page: a replay as a value: it shows itself in a notebook, opens in a browser, and can be written to a file."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wayfolk.replay import Track

NOTEBOOK_BYTES = 8_000_000
"""A page that is larger than this is not put into a notebook, which keeps every page it shows."""


class Page:
    """A replay of one to four panels. At the end of a notebook's cell it shows itself."""

    def __init__(self, tracks: Sequence[Track], title: str, height: str = "38rem") -> None:
        self.tracks, self.title, self.height = list(tracks), title, height

    @property
    def html(self) -> str:
        """The page as text."""
        from wayfolk.replay import replay_html

        return replay_html(self.tracks, self.title)

    def save(self, file: str | Path) -> None:
        """Write the replay to `file`: a page (`.html`), a film (`.gif`, `.mp4`, animated `.svg`) or a picture (`.png`)."""
        from wayfolk.replay import write_replay

        write_replay(self.tracks, file, self.title)

    def open(self) -> Path:
        """Open the page in the browser, from a file in the system's folder for temporary files, which is returned."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.html)
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        page = self.html
        if len(page) > NOTEBOOK_BYTES:
            size = f"{len(page) / 1e6:.0f} MB"
            return f"<p>{escape(self.title)}: {size} are too many for a notebook; <code>.save(file)</code> writes them.</p>"
        # the frame has no origin of its own: its script reaches neither the notebook nor its kernel
        return (
            f'<iframe title="{escape(self.title)}" sandbox="allow-scripts allow-forms" srcdoc="{escape(page)}" '
            f'style="width:100%;height:{self.height};border:0;border-radius:8px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {len(self.tracks)} panel{'' if len(self.tracks) == 1 else 's'})"


def show_page(page: Page) -> Page:
    """Return `page`, which a notebook shows; outside of notebooks it is opened in the browser."""
    if not in_notebook():
        page.open()
    return page


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter, which shows what a cell returns."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")

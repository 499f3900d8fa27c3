"""A browser that opens replays from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wayfolk.replay import Track, write_replay


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open tracks as a page from disk; afterwards, nothing must have complained or been asked of a network."""
    complaints: list[str] = []
    asked: list[str] = []
    pages = []

    def visit(tracks: list[Track], title: str = "t", *, width: int = 1200, height: int = 800, **look: Any) -> Any:
        file = tmp_path / "page.html"
        write_replay(tracks, file, title)
        return visit_file(file, width, height, **look)

    def visit_file(file: Path, width: int = 1200, height: int = 800, **look: Any) -> Any:
        page = browser.new_page(viewport={"width": width, "height": height}, **look)
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        return page

    visit.file = visit_file  # type: ignore[attr-defined]
    yield visit
    for page in pages:
        page.close()
    assert complaints == []
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked)

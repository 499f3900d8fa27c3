"""The files of the page, all of them read from the package when the server starts: no request opens a file."""

from __future__ import annotations

from wayfolk.web import web_files, web_text
from wayfolk.web.pages import page

TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def assets() -> dict[str, tuple[str, bytes]]:
    """The media type and the bytes of each file, by its name in addresses. The scripts are modules, served as they are."""
    texts = {"": page("playground/index.html", {})}
    for folder in ("replay", "playground"):
        texts |= {name: web_text(name) for suffix in (".js", ".css") for name in web_files(folder, suffix)}
    return {
        name: (f"{TYPES[(name or 'index.html').rsplit('.', 1)[1]]}; charset=utf-8", text.encode())
        for name, text in texts.items()
    }

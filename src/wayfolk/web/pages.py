"""Pages: HTML files of this package with their places filled, and pages of one file that open from disk."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache

from wayfolk.web import web_text
from wayfolk.web.modules import bundle

FRAGMENTS = {"deck": "replay/deck.html", "keys": "replay/keys.html", "panel": "replay/panel.html"}
"""What several pages have: the controls, the list of keys, the template of a panel."""


def page(name: str, parts: Mapping[str, str]) -> str:
    """The page in the file `name`, with each `{{place}}` filled by `parts`, or by a fragment that several pages have."""
    fragments = {place: web_text(file).rstrip("\n") for place, file in FRAGMENTS.items()}
    return _filled(_filled(web_text(name), fragments), parts)


def one_file_page(name: str, style: str, entry: str, parts: Mapping[str, str]) -> str:
    """The page in the file `name` with its style sheet and the module `entry`: it opens from disk and loads nothing.

    Its content security policy names the digests of its style and its script: no other script in it runs, whatever `parts`
    contain.
    """
    css, script = web_text(style), script_of(entry)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src '{_digest(css)}'; script-src '{_digest(script)}'"
    )
    return page(name, {**parts, "policy": policy, "style": css, "script": script})


@cache
def script_of(entry: str) -> str:
    """The module `entry` as one script, made once in a process."""
    return bundle(entry)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _filled(text: str, parts: Mapping[str, str]) -> str:
    """Return `text` with each `{{place}}` of `parts` replaced, in one pass: inserted text is not searched for places."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts.get(match[1], match[0]), text)

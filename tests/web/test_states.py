"""The page's states are those that states.md draws."""

from __future__ import annotations

import json
import re

from wayfolk.web import web_text


def drawn() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    for line in web_text("playground/states.md").splitlines():
        row = re.match(r"\| (\w+) \| (\w+) \| (\w+) \|", line)
        if row and row[1] != "state":
            table.setdefault(row[1], {})[row[2]] = row[3]
    return table


def coded() -> dict[str, dict[str, str]]:
    body = re.search(r"TABLE = (\{.*?\n\});", web_text("playground/states.js"), re.DOTALL)
    assert body
    return json.loads(re.sub(r",(\s*\})", r"\1", re.sub(r"(\w+):", r'"\1":', body[1])))


def test_the_code_has_the_states_that_the_page_draws():
    assert coded() == drawn()


def test_every_state_can_be_reached_and_left():
    table = drawn()
    assert {then for row in table.values() for then in row.values()} | {"connecting"} == set(table)

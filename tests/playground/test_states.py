"""The page's states are those that states.md draws, and its own files are all that it has."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files

import pytest

PLAY = files("wayfolk") / "playground"


def drawn() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    for line in (PLAY / "states.md").read_text().splitlines():
        row = re.match(r"\| (\w+) \| (\w+) \| (\w+) \|", line)
        if row and row[1] != "state":
            table.setdefault(row[1], {})[row[2]] = row[3]
    return table


def coded() -> dict[str, dict[str, str]]:
    text = (PLAY / "states.js").read_text()
    body = re.search(r"TABLE = (\{.*?\n\});", text, re.DOTALL)
    assert body
    return json.loads(re.sub(r",(\s*\})", r"\1", re.sub(r"(\w+):", r'"\1":', body[1])))


def test_the_code_has_the_states_that_the_page_draws():
    assert coded() == drawn()


def test_every_state_can_be_reached_and_left():
    table = drawn()
    assert {then for row in table.values() for then in row.values()} | {"connecting"} == set(table)


def test_every_script_of_the_page_is_served_and_parses(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to parse scripts with")
    from wayfolk.playground.assets import assets

    served = assets()
    for name, (kind, data) in served.items():
        if kind.startswith("text/javascript"):
            file = tmp_path / name.replace(".js", ".mjs")
            file.write_bytes(data)
            assert subprocess.run([node, "--check", file], capture_output=True, timeout=60).returncode == 0, name
            for other in re.findall(rb'from "\./([\w.]+)"', data):
                assert other.decode() in served
    on_disk = {path.name for path in PLAY.iterdir() if path.name.endswith((".js", ".css"))}
    assert on_disk == {name for name in served if name.endswith((".js", ".css"))} - {"engine.js", "replay.css"}


def test_imports_between_scripts_name_what_the_others_export():
    from wayfolk.playground.assets import assets

    served = {name: data.decode() for name, (_, data) in assets().items() if name.endswith(".js")}
    exported = {
        name: set(re.findall(r"^export (?:async )?(?:class|function|const) (\w+)", text, re.MULTILINE))
        | {
            part
            for line in re.findall(r"^export const \[(.*?)\]", text, re.MULTILINE)
            for part in re.findall(r"\w+", line)
        }
        | {part for line in re.findall(r"^export \{(.*?)\};", text, re.MULTILINE) for part in re.findall(r"\w+", line)}
        for name, text in served.items()
    }
    for name, text in served.items():
        for names, other in re.findall(r'^import \{(.*?)\} from "\./([\w.]+)"', text, re.MULTILINE):
            missing = set(re.findall(r"\w+", names)) - exported[other]
            assert not missing, f"{name} imports {missing} from {other}"


def test_the_types_of_the_scripts_fit(tmp_path):
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("there is no tsc: `.ci/run` installs typescript if there is npm")
    from wayfolk.playground.assets import assets

    for name, (_, data) in assets().items():
        if name.endswith(".js") and name != "engine.js":
            (tmp_path / name).write_bytes(data)
    names = re.search(r"export \{ (.*?) \};", assets()["engine.js"][1].decode())
    assert names
    # what the replay's scripts declare is of any type here: they are plain scripts
    (tmp_path / "engine.d.ts").write_text("".join(f"export const {name}: any;\n" for name in names[1].split(", ")))
    rules = "--noEmit --allowJs --checkJs --target es2023 --module esnext --moduleResolution bundler --strict false"
    command = [tsc, *rules.split(), "--lib", "es2023,dom,dom.iterable", "main.js"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stdout

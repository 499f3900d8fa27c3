"""Modules are real ones: their graph has no circles, their types fit, and one script of them does what they do."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from wayfolk import web
from wayfolk.web import modules, web_files, web_text
from wayfolk.web.modules import bundle, module_graph, read_module
from wayfolk.web.scanner import pieces, without_comments

ENTRIES = ("replay/main.js", "playground/main.js")
SCRIPTS = web_files("replay", ".js") + web_files("playground", ".js")


def run_node(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to run scripts with")
    return subprocess.run([node, *arguments], capture_output=True, text=True, timeout=60, **more)


@pytest.fixture
def tree(monkeypatch):
    """A function that puts scripts in place of those of the package."""
    texts: dict[str, str] = {}
    monkeypatch.setattr(modules, "web_text", texts.__getitem__)
    read_module.cache_clear()
    yield texts.update
    read_module.cache_clear()


@pytest.mark.parametrize("entry", ENTRIES)
def test_each_module_stands_after_those_it_imports(entry):
    order = [module.name for module in module_graph(entry)]
    assert order[-1] == entry
    assert len(order) == len(set(order))
    for module in module_graph(entry):
        assert all(order.index(need) < order.index(module.name) for need in module.needs)


def test_every_script_belongs_to_a_page():
    assert {module.name for entry in ENTRIES for module in module_graph(entry)} == set(SCRIPTS)


def test_the_scripts_of_a_replay_need_nothing_of_the_playground():
    assert all(need.startswith("replay/") for name in web_files("replay", ".js") for need in read_module(name).needs)


@pytest.mark.parametrize("entry", ENTRIES)
def test_one_script_of_all_modules_parses(entry, tmp_path):
    file = tmp_path / "one.js"
    file.write_text(bundle(entry), encoding="utf-8")
    assert run_node("--check", str(file)).stderr == ""


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_pieces_of_a_script_are_the_script(name):
    text = web_text(name)
    assert "".join(text[piece.start : piece.end] for piece in pieces(text)) == text
    assert all(text[piece.start] not in "\"'`" for piece in pieces(text) if piece.kind == "sign")


TREE = {
    "a/main.js": """
import { double as twice, text } from "./numbers.js";
import { NAME, make } from "../b/made.js";
import "./effect.js";
const count = 1; // the same name in another module is another one
console.log(twice(count), text, NAME, new (make())().value, globalThis.effects);
""",
    "a/numbers.js": r"""
export function double(x) { return 2 * x; }
const count = 20, inner = `a ${`import { x } from "y"; ${count / 2}`} // no comment`;
const slash = /[/"']import\//.test('/import/') ? "'" : '"'; /* import "z"; */
export { inner as text };
""",
    "a/effect.js": "globalThis.effects = (globalThis.effects ?? 0) + 1;\n",
    "b/made.js": 'import "../a/effect.js";\nexport const NAME = "b";\nexport const make = () => class { value = 7; };\n',
}


def test_one_script_does_what_its_modules_do(tree, tmp_path):
    tree(TREE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "one.cjs").write_text(bundle("a/main.js"))
    as_modules = run_node(str(tmp_path / "a" / "main.js"))
    assert as_modules.stdout == '2 a import { x } from "y"; 10 // no comment b 7 1\n'
    assert run_node(str(tmp_path / "one.cjs")).stdout == as_modules.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("export default 1;", "main.js, line 2: .* this kind of export"),
        ("export let n = 1;", "this kind of export"),
        ('export * from "./x.js";', "this kind of export"),
        ('import x from "./x.js";', "this kind of import"),
        ('import * as x from "./x.js";', "this kind of import"),
        ("const x = import.meta.url;", "this kind of import"),
        ("function f() { return import('./x.js'); }", "this kind of import"),
        ('import { nothing } from "./x.js";', "main.js imports nothing from x.js, which does not export it"),
        ('import { y } from "./y.js";', "in a circle: main.js -> y.js -> main.js"),
        ("const x = `a ${1`;", "has no end|ends inside"),
        ("const x = (1;", "ends inside of 1 brackets"),
        ("const x = 1);", "closes nothing"),
    ],
)
def test_what_cannot_be_one_script_is_refused(tree, text, why):
    tree({"main.js": f"\n{text}\n", "x.js": "export const x = 1;", "y.js": 'import "./main.js";\nexport const y = 1;'})
    with pytest.raises(ValueError, match=why):
        bundle("main.js")


def test_comments_go_and_strings_stay():
    text = "// one\nconst a = 'x // y'; /* two\n */\n\n  f(a /* three */, `\n\n// four ${b /* five */}`); // six\n"
    assert without_comments(text) == "const a = 'x // y';\n  f(a , `\n\n// four ${b }`);\n"


def test_the_types_of_the_scripts_fit():
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("there is no tsc: `.ci/run` installs typescript if there is npm")
    checked = subprocess.run([tsc, "-p", web.__path__[0]], capture_output=True, text=True, timeout=600)
    assert checked.returncode == 0, checked.stdout


def test_no_file_is_too_long():
    lines = {name: web_text(name).count("\n") for name in SCRIPTS}
    assert {name: n for name, n in lines.items() if n > 310} == {}

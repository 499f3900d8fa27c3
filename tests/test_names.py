"""One word, one thing: classes have names of their own, modules are named by nouns, and the glossary is true."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import wayfolk

HOME = Path(wayfolk.__file__).parent
ROOT = Path(__file__).parents[1]
RIDDLES = {
    "asked", "shown", "kept", "declared", "saved", "found", "made", "told", "given", "crowded",  # participles
    "talks", "herd", "between", "fitting", "beside", "roomy", "doubt", "parting",  # pictures
}  # fmt: skip
ADJECTIVES = {
    "astar_smoothed": "the name of a search, as users write it",
    "biased": "biased cost pathfinding, the paper's word",
    "hurried": "the name of a brain, as users write it",
}
"""Modules named by a participle or an adjective, and why."""
TWICE = {
    "_Field": "an array of a database's file, and one of a landmark's: each is private to its module",
    "_Size": "the columns of a paper's table: each is private to its module",
}
"""Private classes that have the name of another one, and why."""


def classes() -> dict[str, list[str]]:
    """The modules of each class that stands at the left margin of one."""
    found = defaultdict(list)
    for file in sorted(HOME.rglob("*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(file.relative_to(HOME)))
    return found


def glossary() -> list[tuple[str, str]]:
    """The nouns of CONTRIBUTING.md and their modules."""
    text = (ROOT / "CONTRIBUTING.md").read_text().split("## Glossary")[1].split("\n## ")[0]
    return re.findall(r"^\| ([a-z- ]+) \| [^|]+ \| ([a-z_/]+) \|$", text.split("| --- |")[-1], re.MULTILINE)


def test_each_class_has_a_name_of_its_own():
    twice = {name: files for name, files in classes().items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in TWICE} == {}
    assert all(name.startswith("_") for name in TWICE)


def test_modules_are_named_by_nouns():
    names = {str(file.relative_to(HOME)): file.stem.strip("_") for file in HOME.rglob("*.py")}
    assert [file for file, name in names.items() if name in RIDDLES] == []
    participles = {name for name in names.values() if name.endswith("ed") and not name.endswith("_ed")}
    assert participles <= ADJECTIVES.keys()


def test_the_glossary_is_long_enough_and_has_each_noun_once():
    nouns = [noun for noun, _ in glossary()]
    assert len(nouns) == len(set(nouns)) > 40


@pytest.mark.parametrize(("noun", "module"), glossary())
def test_a_noun_of_the_glossary_is_found_in_its_module(noun, module):
    file = HOME / f"{module}.py"
    package = HOME / module / "__init__.py"
    text = (file if file.is_file() else package).read_text()
    assert re.search(rf"\b{noun.replace('-', '.').replace(' ', '.')}s?\b", text, re.IGNORECASE)

"""The catalogue: everything there is to know about an algorithm is read from its file, and a new file is enough."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wayfolk
from wayfolk.algorithms import catalogue, foreign
from wayfolk.algorithms.catalogue import Entry, Option
from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, UnknownName
from wayfolk.world.grid import Grid

ENTRIES = catalogue.entries()
every = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)

NEW = '''"""Detour: walks to the goal as A* does, and takes credit for it.

Nobody, "A path not taken", 2026.

Finds    what A* finds.
Keeps    nothing.
Takes    what A* takes.
Differs  in name.
"""

from typing import Literal

from wayfolk.algorithms.search import astar

PAPER = "Nobody 2026"
OPTIMAL = True
COMPLETE = True
MOVES = ["four", "eight"]


def begin(world, start, goal, *, pride: float = 1.5, mood: Literal["good", "bad"] = "good", watch: bool = False):
    """Begin."""
    return astar.begin(world, start, goal, watch=watch)
'''


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Empty family folders in which a test can put files."""
    for family in catalogue.FAMILIES:
        (tmp_path / family).mkdir()
    monkeypatch.setattr(catalogue, "_ROOT", tmp_path)
    monkeypatch.setattr(foreign, "of_papers", dict)
    for cached in (catalogue._files, catalogue._read):
        cached.cache_clear()
    yield tmp_path
    for cached in (catalogue._files, catalogue._read):
        cached.cache_clear()


def run(folder, *words):
    """What Python prints with the package in `folder`, without compiling."""
    env = os.environ | {"PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1", "WAYFOLK_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-B", *words], env=env, cwd=folder, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@every
def test_a_file_says_what_it_is(entry):
    name, colon, sentence = entry.title.partition(": ")
    assert entry.label == name
    assert colon
    assert sentence.endswith(".")
    parts = "Guarantees", "Invariants", "Cost", "Deviations"
    assert tuple(line.split()[0] for line in entry.doc.splitlines() if line.startswith(parts)) == parts
    blank, origin = entry.doc.splitlines()[1:3]
    assert (blank, bool(origin)) == ("", True)
    assert entry.facts["PAPER"]
    for fact in ("OPTIMAL", "COMPLETE"):
        assert isinstance(entry.facts[fact], bool)
    if entry.family == "controllers":
        assert entry.facts["SEES"] == "all" or entry.facts["SEES"] in [option.name for option in entry.options]


@every
def test_what_is_read_is_what_begin_takes(entry):
    parameters = inspect.signature(entry.load()).parameters.values()
    keywords = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    for name, value in entry.facts.get("SETS", {}).items():
        assert keywords.pop(name) == value
    assert {option.name: option.default for option in entry.options} == keywords
    assert all(option.type in ("int", "float", "str", "bool") for option in entry.options)
    assert entry.checked(keywords) == keywords
    assert entry.checked({name: str(value) for name, value in keywords.items()}) == keywords


@every
def test_an_entry_goes_into_json(entry):
    answer = json.loads(json.dumps(entry.as_dict()))
    assert {"name", "family", "paper", "optimal", "complete", "options"} <= set(answer)
    assert answer["optimal"] is entry.facts.get("OPTIMAL", False)
    assert [option["name"] for option in answer["options"]] == [option.name for option in entry.options]


def test_names_are_found_in_any_spelling_and_no_two_of_a_family_are_alike():
    assert len({(entry.family, entry.name) for entry in ENTRIES}) == len(ENTRIES)
    assert catalogue.find("AStar").name == "astar"
    assert catalogue.families() == list(dict.fromkeys(entry.family for entry in ENTRIES))
    folder = Path(catalogue.__file__).parent / "search"
    files = [path.stem for path in folder.glob("[!_]*.py")]
    packages = [path.parent.name for path in folder.glob("[!_]*/__init__.py")]
    assert [entry.name for entry in catalogue.entries("search")] == sorted(files + packages)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match=r"there is no algorithm 'djikstra': did you mean 'dijkstra'\?"):
        catalogue.find("djikstra")
    with pytest.raises(UnknownName, match=r"there is no algorithm 'zzz': choose one of .*astar.*whca"):
        catalogue.find("zzz")
    with pytest.raises(UnknownName, match=r"'whca' is of the family controllers .*, which does not fit here"):
        catalogue.find("whca", "search")


def test_an_unknown_option_is_answered_with_the_nearest():
    grid = Grid(np.ones((3, 3)))
    with pytest.raises(UnknownName, match=r"astar has no option 'wieght': did you mean 'weight'\?"):
        find_path(grid, (0, 0), (2, 2), "astar", wieght=2)
    with pytest.raises(UnknownName, match="dijkstra has no option 'qqq': choose one of watch"):
        find_path(grid, (0, 0), (2, 2), "dijkstra", qqq=2)
    with pytest.raises(UnknownName, match="bare has no option 'x': it has none"):
        Entry("bare", "search", "", {}, ()).checked({"x": 1})


TOY = Entry(
    "toy",
    "search",
    "",
    {},
    (
        Option("steps", 1, "int"),
        Option("far", 1.0, "float"),
        Option("loud", False, "bool"),
        Option("word", "a", "str"),
        Option("ties", "new", "str", ("new", "old")),
        Option("ways", 4, "int", (4, 8)),
    ),
)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("steps", "-3", -3),
        ("far", "2", 2.0),
        ("far", "1e-3", 0.001),
        ("word", "12", "12"),
        ("loud", "Yes", True),
        ("loud", "on", True),
        ("loud", "0", False),
        ("loud", "false", False),
        ("ties", "old", "old"),
        ("ways", "8", 8),
    ],
)
def test_text_is_converted(name, text, value):
    converted = TOY.checked({name: text})[name]
    assert converted == value
    assert type(converted) is type(value)


@pytest.mark.parametrize(
    ("name", "value"), [("steps", "2.5"), ("steps", ""), ("far", "wide"), ("loud", "maybe"), ("ways", "many")]
)
def test_text_of_the_wrong_type_is_named(name, value):
    with pytest.raises(BadInput, match=f"option {name} must be of type (int|float|bool), not '{value}'"):
        TOY.checked({name: value})


@pytest.mark.parametrize(("name", "value"), [("steps", 2.5), ("steps", None), ("far", [1.0]), ("word", 3), ("loud", 7)])
def test_a_value_of_the_wrong_type_is_named(name, value):
    with pytest.raises(BadInput, match=f"option {name} must be of type"):
        TOY.checked({name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("steps", np.int64(3)), ("far", 2), ("far", np.float32(0.5)), ("loud", np.True_)]
)
def test_numbers_of_numpy_are_numbers(name, value):
    assert TOY.checked({name: value})[name] == value


def test_a_choice_that_there_is_not_is_answered_with_those_there_are():
    with pytest.raises(UnknownName, match=r"option ties cannot be 'nev': did you mean 'new'\?"):
        TOY.checked({"ties": "nev"})
    with pytest.raises(UnknownName, match="option ties cannot be 'zzz': choose one of new, old"):
        TOY.checked({"ties": "zzz"})
    with pytest.raises(UnknownName, match="option ways cannot be 5: choose one of 4, 8"):
        TOY.checked({"ways": 5})


def test_everything_is_read_from_the_text_of_a_file(shelf):
    (shelf / "search" / "detour.py").write_text(NEW)
    (shelf / "search" / "_helper.py").write_text("1 / 0")
    (shelf / "planners" / "large").mkdir()
    (shelf / "planners" / "large" / "__init__.py").write_text("1 / 0\ndef begin(problem): ...\n")
    small, large = catalogue.entries()
    assert (large.name, large.family, large.options) == ("large", "planners", ())
    assert small.label == "Detour"
    assert small.facts == {
        "PAPER": "Nobody 2026",
        "OPTIMAL": True,
        "COMPLETE": True,
        "MOVES": ["four", "eight"],
    }
    assert small.options == (
        Option("pride", 1.5, "float"),
        Option("mood", "good", "str", ("good", "bad")),
        Option("watch", False, "bool"),
    )
    assert catalogue.families() == ["search", "planners"]


def test_a_fact_may_be_annotated(shelf):
    (shelf / "search" / "shy.py").write_text('MOVES: list[str] = ["four"]\ndef begin(world, start, goal): ...\n')
    assert catalogue.find("shy").facts == {"MOVES": ["four"]}


def test_a_file_without_begin_is_named(shelf):
    (shelf / "realtime" / "lost.py").write_text('"""Lost."""\n')
    with pytest.raises(BadInput, match=r"lost\.py in realtime has no function `begin`"):
        catalogue.entries()


def test_listing_imports_no_algorithm():
    code = "import sys; from wayfolk.algorithms import catalogue; catalogue.entries(); print(*sys.modules)"
    loaded = run(Path(wayfolk.__file__).parents[1], "-c", code).split()
    ours = {name for name in loaded if name.startswith("wayfolk")}
    shelves = Path(wayfolk.__file__).parent.glob("experiments/papers/*/__init__.py")
    papers = {"wayfolk.experiments.papers"} | {f"wayfolk.experiments.papers.{file.parent.name}" for file in shelves}
    assert ours - papers == {"wayfolk", "wayfolk.errors", "wayfolk.algorithms", "wayfolk.experiments"} | {
        f"wayfolk.algorithms.{name}" for name in ("catalogue", "declarations", "entry", "foreign", "options")
    } | {"wayfolk.problem", "wayfolk.problem.papers"}
    assert "numba" not in loaded


def test_a_new_file_is_all_it_takes(tmp_path):
    home = Path(wayfolk.__file__).parent
    shutil.copytree(home, tmp_path / "wayfolk", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "wayfolk" / "algorithms" / "search" / "detour.py").write_text(NEW)
    listed = {entry["name"]: entry for entry in json.loads(run(tmp_path, "-m", "wayfolk.cli", "list", "--json"))}
    assert set(listed) == {entry.name for entry in ENTRIES} | {"detour"}
    assert listed["detour"]["paper"] == "Nobody 2026"
    assert [option["name"] for option in listed["detour"]["options"]] == ["pride", "mood", "watch"]
    ask = "wf.find_path(wf.Grid([[1, 1, 1]]), (0, 0), (2, 0), 'detour', mood='bad')"
    code = f"import wayfolk as wf; print({ask}.path)"
    assert run(tmp_path, "-c", code).strip() == "[(0, 0), (1, 0), (2, 0)]"

"""Other people's algorithms: as objects, as module:begin, and by the entry points of an installed package."""

import importlib
import json
import os
import subprocess
import sys
from functools import partial
from typing import Annotated, Literal

import numpy as np
import pytest

import command
import wayfolk as wf
from wayfolk.algorithms import catalogue, foreign
from wayfolk.algorithms.options import Option, Range
from wayfolk.contracts import run_checks
from wayfolk.errors import BadInput, NotSupported, UnknownName, WayfolkError

SEARCH = '''"""Wave: expands nodes in order of their number of moves from the start.

An example of another's package.
"""

from collections import deque
from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.task import Task
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, slots, there
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status

PAPER = ""
OPTIMAL = False
COMPLETE = True


def begin(
    world,
    start,
    goal,
    *,
    width: Annotated[int, Range(1, 9), "Nothing, but an option."] = 3,
    watch: Annotated[bool, "Record the expanded cells."] = False,
):
    """A search from `start` to `goal`."""
    return Wave(world, start, goal, watch)


class Wave(Task):
    def __init__(self, world, start, goal, watch):
        self.world, self.goal = world, goal
        self.came_from, self.queue = {start: None}, deque([start])
        self.expanded, self.watch = [], watch

    def advance(self, budget=NO_LIMIT):
        graph = self.world.graph
        while budget > 0 and not self.status.is_final:
            budget -= 1
            if not self.queue:
                self.status = Status.IMPOSSIBLE
            elif self.queue[0] == self.goal:
                self.status = Status.SOLVED
            else:
                cell = self.queue.popleft()
                self.expanded.append(cell)
                for k in range(slots(graph, cell)):
                    other = int(there(graph, cell, k))
                    if other != NOWHERE and other not in self.came_from:
                        self.came_from[other] = cell
                        self.queue.append(other)
        return self.status

    def result(self):
        result = Result(self.status, "", counters=Counters(expanded=len(self.expanded)))
        if self.status is Status.SOLVED:
            graph, cells, result.cost = self.world.graph, [self.goal], 0.0
            while self.came_from[cells[-1]] is not None:
                before = self.came_from[cells[-1]]
                ways = [k for k in range(slots(graph, before)) if there(graph, before, k) == cells[-1]]
                result.cost += float(min(cost(graph, before, k) for k in ways))
                cells.append(before)
            result.path = [self.world.place(cell) for cell in cells[::-1]]
        if self.watch:
            import numpy as np

            result.events = np.array(self.expanded, np.int32)
        return result
'''
CONTROLLER = '''"""Polite: everybody takes the first step of a shortest path, if nobody is there.

An example of another's package.
"""

from typing import Annotated

from wayfolk import find_path
from wayfolk.algorithms.controllers import NOBODY, Controller
from wayfolk.algorithms.options import Range

PAPER = ""
OPTIMAL = False
COMPLETE = False
SEES = "all"


def begin(problem, *, seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0):
    """A controller for all agents."""
    return Polite(problem.n_agents)


class Polite(Controller):
    """Everybody goes ahead if the next cell is empty."""

    COMPLETE = False

    def decide(self, view):
        for agent in view.asked.tolist():
            place = view.grid.place
            if not view.grid.is_free(int(view.goals[agent])):
                continue
            path = find_path(view.grid, place(view.here[agent]), place(view.goals[agent])).path or []
            step = [view.grid.cell(place) for place in path[1:2]]
            if step and view.occupant[step[0]] == NOBODY:
                view.answer(agent, step)
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of somebody else's in a folder on the path, with its entry points."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "__init__.py").write_text("raise RuntimeError('listing must not import this')\n")
    (tmp_path / "wave_algorithm.py").write_text(SEARCH)
    (tmp_path / "polite_algorithm.py").write_text(CONTROLLER)
    add_points(tmp_path, "Their-Package", "wave = wave_algorithm:begin\nPolite-One = polite_algorithm:begin")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield tmp_path
    for name in ("wave_algorithm", "polite_algorithm"):
        sys.modules.pop(name, None)
    forget()


def add_points(folder, package, lines):
    info = folder / f"{package.lower().replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[wayfolk.algorithms]\n{lines}\n")
    forget()


def forget():
    importlib.invalidate_caches()
    for cached in (foreign.points, foreign.added_as, catalogue._find):
        cached.cache_clear()


def room():
    return wf.Grid(np.ones((6, 6)))


def pair():
    return wf.one_shot(room(), [(0, 0), (5, 0)], [(5, 5), (0, 5)])


def test_a_package_adds_a_search_and_a_controller(package):
    path = wf.find_path(room(), (0, 0), (5, 5), "wave", width=4)
    assert (path.status, path.algorithm, path.options) == (wf.Status.SOLVED, "wave", {"width": 4})
    assert len(path.path) == 6
    result = wf.solve(pair(), "polite_one", seconds=30)
    assert (result.status, result.algorithm) == (wf.Status.SOLVED, "polite_one")
    assert wf.check(result.plan, pair()) == []
    assert wf.simulate(pair(), "Polite-One").algorithm == "polite_one"


def test_what_a_package_adds_is_checked_as_ours_is(package):
    with pytest.raises(UnknownName, match=r"wave has no option 'widht': did you mean 'width'\?"):
        wf.find_path(room(), (0, 0), (5, 5), "wave", widht=4)
    with pytest.raises(BadInput, match=r"option width must be from 1 to 9, not 10 \(nothing, but an option\)"):
        wf.find_path(room(), (0, 0), (5, 5), "wave", width=10)
    with pytest.raises(UnknownName, match=r"'polite_one' is of the family controllers .*, which does not fit here"):
        wf.find_path(room(), (0, 0), (5, 5), "polite_one")
    with pytest.raises(UnknownName, match=r"there is no algorithm 'wav': did you mean 'wave'\?"):
        wf.find_path(room(), (0, 0), (5, 5), "wav")
    with pytest.raises(BadInput, match="a seed must be 0 or more"):
        wf.simulate(pair(), "polite_one", seed=-1)


@pytest.mark.parametrize("name", ["wave", "polite_one", "wave_algorithm:begin", "polite_algorithm:Polite"])
def test_it_passes_check_algorithm(package, name):
    done = command.program("check-algorithm", name, "--json", env=os.environ | {"PYTHONPATH": pythonpath(package)})
    assert done.code == 0, done.out + done.err
    answer = json.loads(done.out)
    assert (answer["algorithm"], answer["holds"]) == (name, True)
    assert {verdict["holds"] for verdict in answer["checks"]} <= {True, None}
    assert sum(verdict["holds"] is True for verdict in answer["checks"]) >= 5


def pythonpath(*folders):
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def test_objects_pass_the_checks(package):
    from polite_algorithm import Polite
    from wave_algorithm import begin

    for thing in (begin, Polite):
        verdicts = list(run_checks(catalogue.find(thing), worlds=5))
        assert [verdict for verdict in verdicts if verdict.holds is False] == []
    with pytest.raises(NotSupported, match="is one controller, for one run"):
        list(run_checks(catalogue.find(Polite(2))))


def test_objects_are_taken_wherever_names_are(package):
    from polite_algorithm import Polite
    from polite_algorithm import begin as begin_polite
    from wave_algorithm import begin

    assert wf.find_path(room(), (0, 0), (5, 5), begin, width=9).algorithm == "wave_algorithm:begin"
    assert wf.begin_path(room(), (0, 0), (5, 5), begin).algorithm == "wave_algorithm:begin"
    assert wf.find_path(room(), (0, 0), (5, 5), partial(begin, watch=True)).events.size
    with pytest.raises(BadInput, match="option width must be from 1 to 9, not 0"):
        wf.find_path(room(), (0, 0), (5, 5), begin, width=0)
    for controller in (begin_polite, Polite, Polite(2)):
        assert wf.solve(pair(), controller, steps=50).is_solved
    for controller in (begin_polite, Polite, Polite(2)):
        assert wf.simulate(pair(), controller, until=50).status is wf.Status.SOLVED
    assert wf.Simulation(pair(), Polite(2)).algorithm == "polite_algorithm:Polite"
    assert wf.begin_plan(pair(), Polite).algorithm == "polite_algorithm:Polite"


def test_module_begin_works_on_the_command_line(package):
    (package / "room.map").write_text(command.MAP)
    (package / "room.scen").write_text(command.SCEN)
    words = ["path", "room.map", "--from", "0,0", "--to", "5,2", "--with", "wave_algorithm:begin", "--json"]
    done = command.program(*words, cwd=package)
    assert done.code == 0, done.err
    assert json.loads(done.out)["algorithm"] == "wave_algorithm:begin"
    words = ["solve", "room.map", "--scen", "room.scen", "--agents", "2", "--with", "polite_algorithm:Polite", "--json"]
    done = command.program(*words, cwd=package)
    assert done.code == 0, done.err
    assert json.loads(done.out)["algorithm"] == "polite_algorithm:Polite"
    done = command.program("path", "room.map", "--from", "0,0", "--to", "5,2", "--with", "nowhere:begin", cwd=package)
    assert (done.code, done.err) == (2, "wayfolk: there is no module 'nowhere', so no algorithm 'nowhere:begin'\n")
    done = command.program(*words[:-2], "wave_algorithm:begin", cwd=package)
    assert done.code == 2
    assert "is of the family search" in done.err


def test_sweeps_take_module_begin(package):
    from wayfolk.experiments.sweeps.spec import read_spec

    (package / "sweep.toml").write_text(
        '[[sweep]]\nmaps = [{make = "random", width = 9, height = 9}]\nproblems = [{kind = "pairs", count = 2}]\n'
        'algorithms = [{name = "wave_algorithm:begin", options = {width = [2, 3]}}, {name = "wave"}]\n'
    )
    assert read_spec(package / "sweep.toml", trust=True).algorithms == ["wave", "wave_algorithm:begin"]


def test_listing_imports_nothing_of_a_package(package):
    add_points(package, "heavy", "heavy = elsewhere.inner:begin")
    (package / "elsewhere" / "inner.py").write_text('"""Heavy: work."""\nimport numba\ndef begin(world): ...\n')
    code = (
        "import sys; from wayfolk.algorithms import catalogue as c;"
        "print(*[f'{e.name}={e.family}={e.package}' for e in c.added()], c.complaints(), 'numba' in sys.modules)"
    )
    env = os.environ | {"PYTHONPATH": pythonpath(package)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    listed = "heavy=search=heavy polite_one=controllers=Their-Package wave=search=Their-Package [] False"
    assert done.stdout.strip() == listed
    done = command.program("list", "search", "--json", env=env)
    entry = {entry["name"]: entry for entry in json.loads(done.out)}["wave"]
    assert (entry["package"], entry["options"][0]["range"]) == ("Their-Package", "from 1 to 9")
    assert "  wave  Wave: expands nodes" in command.program("list", "search", env=env).out


def test_names_that_clash_are_told(package):
    add_points(package, "rival", "wave = wave_algorithm:begin_too\nastar = wave_algorithm:begin")
    add_points(package, "broken", "lost = nowhere_at_all:begin\nbent = wave_algorithm:bgin")
    assert catalogue.find("astar").package == ""
    complaints = "\n".join(catalogue.complaints())
    assert (
        "rival adds an algorithm 'astar', but there is one of that name: use it as wave_algorithm:begin" in complaints
    )
    assert "the algorithm 'lost' of broken cannot be used: there is no module 'nowhere_at_all'" in complaints
    with pytest.raises(BadInput, match=r"Their-Package and rival|rival and Their-Package"):
        catalogue.find("wave")
    with pytest.raises(
        UnknownName, match=r"'bent' of broken cannot be used: wave_algorithm has no 'bgin': did you mean"
    ):
        catalogue.find("bent")
    assert [entry.name for entry in catalogue.added()] == ["polite_one"]
    done = command.program("list", env=os.environ | {"PYTHONPATH": pythonpath(package)})
    assert done.code == 0
    assert done.err.count("wayfolk: ") == 4


HEAD = (
    "from __future__ import annotations\nfrom typing import Annotated\nfrom wayfolk.algorithms.options import Range\n"
)
BROKEN = {
    "range": (
        "def begin(world, start, goal, *, size: Annotated[int, Range(0, 'many')] = 1): ...",
        "a bound of a range is a number",
    ),
    "import": ("import nowhere_at_all\ndef begin(*world): ...", "cannot be imported: No module named"),
    "leave": ("import sys\nsys.exit(3)", "cannot be imported: SystemExit"),
    "default": ("def begin(world, start, goal, *, size: object = object()): ...\nbegin = (lambda f: f)(begin)", None),
    "syntax": ("def begin(world", "SyntaxError"),
    "deep": ("x = " + "(" * 500 + ")" * 500, "SyntaxError"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_algorithm_is_left_out_and_named_in_one_line(package, name):
    text, complaint = BROKEN[name]
    (package / f"broken_{name}.py").write_text(HEAD + text)
    add_points(package, "broken", f"bad = broken_{name}:begin\nbent =")
    assert [entry.name for entry in catalogue.added() if entry.name != "bad"] == ["polite_one", "wave"]
    told = [line for line in catalogue.complaints() if "'bad'" in line]
    if complaint is None:  # its text says all there is to list
        assert told == []
        return
    assert len(told) == 1
    assert told[0].startswith("the algorithm 'bad' of broken cannot be used: ")
    assert complaint in told[0]
    assert "\n" not in told[0]
    with pytest.raises(WayfolkError, match="the algorithm 'bad' of broken cannot be used"):
        catalogue.find("bad")
    said = command.wayfolk("list", "bad")
    assert (said.code, said.err.count("\n")) == (2, 1)
    said = command.wayfolk("list", "--json")
    assert said.code == 0
    assert "wave" in [entry["name"] for entry in json.loads(said.out)]


def test_a_bound_may_be_an_expression(package):
    """As 2**62 is, which the text of a module does not tell: then the module is imported."""
    text = "def begin(world, start, goal, *, size: Annotated[int, Range(0, 2**62)] = 1): ..."
    (package / "far_algorithm.py").write_text(HEAD + text)
    add_points(package, "far", "farther = far_algorithm:begin")
    entry = catalogue.find("farther")
    assert (entry.family, str(entry.options[0].range)) == ("search", "0 or more")
    assert catalogue.complaints() == []
    assert "  farther  " in command.wayfolk("list", "search").out


@pytest.mark.parametrize(
    ("algorithm", "complaint"),
    [
        (5, "an algorithm is a name, module:begin, a function like `begin` or a Controller, not 5"),
        (None, "an algorithm is a name"),
        ("math:", "there is no algorithm 'math:': an algorithm of another module is module:begin"),
        ("math:pi", "math:pi is no function like `begin`, but a float"),
        (lambda grid, start, goal: None, "the family of .* is not known: its module must say FAMILY"),
        (lambda world, start, goal: None, "must begin a Task, not a NoneType"),
        (lambda world, start, goal, *, size: None, "the option size of .* must have a default"),
        (dict, "dict is a class, but not one of controllers"),
    ],
)
def test_what_is_no_algorithm_is_named(algorithm, complaint):
    with pytest.raises((BadInput, UnknownName), match=complaint):
        wf.find_path(room(), (0, 0), (5, 5), algorithm)


def test_a_controller_that_is_none_is_named():
    with pytest.raises(BadInput, match="must begin a Controller, not a NoneType"):
        wf.simulate(pair(), lambda problem: None)


def begin_toy(
    world: "wf.Grid",
    start: int,
    goal: int,
    *,
    far: Annotated[float | None, Range(0, most=2.5, open="low"), "How far."] = None,
    way: "Annotated[Literal['left', 'right'], 'Which way.']" = "left",
    tries=3,
    anything: object = (),
) -> None:
    """Only its options are read."""


def test_options_are_read_from_the_signature():
    assert catalogue.find(begin_toy).options == (
        Option("far", None, "float | None", (), Range(0, most=2.5, open="low"), "How far."),
        Option("way", "left", "str", ("left", "right"), None, "Which way."),
        Option("tries", 3, "int"),
        Option("anything", (), "object"),
    )
    entry = catalogue.find(begin_toy)
    assert entry.checked({"far": "None", "way": "right", "tries": "4"}) == {"far": None, "way": "right", "tries": 4}
    assert entry.doc == "Only its options are read."
    assert catalogue.find(begin_toy) is entry

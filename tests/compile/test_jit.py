"""The one decorator: yesterday's code is never run, nothing is compiled twice, and plain Python answers the same."""

import importlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

import wayfolk
from fresh_python import HOME, edit, run, start
from wayfolk.algorithms import catalogue
from wayfolk.compile import code_cache, jit

ONE_MORE = "from wayfolk.compile.jit import kernel\n\n\n@kernel\ndef one_more(row):\n    return row[0] + 1\n"
ASK = """
from wayfolk.compile import jit
heard = []
jit.on_compile(lambda: heard.append(1))
from wayfolk.a import f
print(f(), f(), len(heard))
"""


def test_an_edited_callee_in_another_file_is_noticed(package):
    assert run(package, "-c", ASK) == "1 1 1"  # compiled, and said so once
    assert run(package, "-c", ASK) == "1 1 0"  # loaded
    edit(package / "wayfolk" / "b.py", "return 1", "return 2")
    assert run(package, "-c", ASK) == "2 2 1"
    edit(package / "wayfolk" / "b.py", "return 2", "return 1")
    assert run(package, "-c", ASK) == "1 1 0"  # the first folder is still there
    assert len(list((package / "cache" / "kernels").glob("a-*"))) == 2


@pytest.mark.parametrize("cache", ["a_file/cache", "x" * 300])
def test_a_cache_that_cannot_be_written_costs_time_but_nothing_else(package, cache):
    (package / "a_file").touch()
    where = {"WAYFOLK_CACHE": str(package / cache)}
    assert run(package, "-c", ASK, **where) == "1 1 1"
    edit(package / "wayfolk" / "b.py", "return 1", "return 2")
    assert run(package, "-c", ASK, **where) == "2 2 1"  # not yesterday's code


def test_two_processes_that_compile_at_once_keep_both(package):
    (package / "wayfolk" / "a.py").write_text(ONE_MORE)
    racer = """
import sys, time
from pathlib import Path
import numpy as np
from wayfolk.a import one_more

me, other = sys.argv[1:]
Path(me).touch()
patience = time.monotonic() + 20
while not Path(other).exists() and time.monotonic() < patience:
    time.sleep(0.01)
print(*(one_more(np.full(1, 5, kind)) for kind in (me, "int8", other)))
"""
    both = [start(package, "-c", racer, *names) for names in (("int64", "float64"), ("float64", "int64"))]
    assert [process.communicate(timeout=100)[0].strip() for process in both] == ["6 6 6.0", "6.0 6 6"]
    ask = """
from wayfolk.compile import jit
heard = []
jit.on_compile(lambda: heard.append(1))
import numpy as np
from wayfolk.a import one_more
print(*(one_more(np.full(1, 5, kind)) for kind in ("i8", "f8", "i1")), len(heard))
"""
    assert run(package, "-c", ask) == "6 6.0 6 0"


def test_what_was_edited_while_a_process_runs_is_not_kept_by_it(package):
    late = """
from pathlib import Path
from wayfolk.a import f
file = Path("wayfolk/b.py")
file.write_text(file.read_text().replace("return 1", "return 2"))
print(f())
"""
    assert run(package, "-c", late) == "1"  # what it had imported
    assert run(package, "-c", ASK) == "2 2 1"


def test_loading_needs_nothing_that_only_compiling_needs(package):
    """It takes as long as all the rest of the start."""
    ask = f"{ASK}\nimport sys\nprint('numba.np.arraymath' in sys.modules)"
    assert run(package, "-c", ask) == "1 1 1\nTrue"
    assert run(package, "-c", ask) == "1 1 0\nFalse"


def test_somebody_elses_kernels_are_kept_and_their_edits_noticed(package):
    """Of `other.search`, `other.steps` in its package, and a kernel of this package for a class of theirs."""
    ours = package / "wayfolk" / "a.py"
    ours.write_text("from wayfolk.compile.jit import kernel\n\n\n@kernel\ndef first(pair):\n    return pair.one\n")
    theirs = package / "other"
    theirs.mkdir()
    (theirs / "__init__.py").touch()
    (theirs / "steps.py").write_text("from wayfolk.compile.jit import inner\n\n\n@inner\ndef step():\n    return 1\n")
    (theirs / "search.py").write_text(
        "from typing import NamedTuple\n\nfrom wayfolk.compile.jit import kernel\n\nfrom .steps import step\n\n\n"
        "class Pair(NamedTuple):\n    one: int\n\n\n@kernel\ndef search():\n    return step()\n"
    )
    ask = ASK.replace("wayfolk.a import f", "other.search import Pair, search as f").replace(
        "f(), f()", "f(), first(Pair(5))"
    )
    ask = f"from wayfolk.a import first\n{ask}"
    assert run(package, "-c", ask) == "1 5 1"
    assert run(package, "-c", ask) == "1 5 0"
    edit(theirs / "steps.py", "return 1", "return 2")
    assert run(package, "-c", ask) == "2 5 1"
    assert run(package, "-c", ask) == "2 5 0"


def test_a_class_of_the_main_program_is_not_kept(package):
    """It is another one in each process."""
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.compile.jit import kernel\n\n\n@kernel\ndef same(pair):\n    return pair\n"
    )
    (package / "main.py").write_text(
        "from typing import NamedTuple\n\nfrom wayfolk.a import same\n\n\nclass Pair(NamedTuple):\n    one: int\n\n\n"
        "print(isinstance(same(Pair(5)), Pair))\n"
    )
    assert [run(package, "main.py") for _ in range(2)] == ["True", "True"]
    assert not list((package / "cache").rglob("*.nbc"))


def test_what_a_kernel_is_specialised_to_is_known_whatever_else_is_imported():
    """Whoever has a class and a function that can be specialised for it has imported what is chosen."""
    for name, file in code_cache.SOURCES.files.items():
        if "jit" in file.read_text(encoding="utf-8") and "experiments" not in name:
            importlib.import_module(name)
    assert len(code_cache.CHOICES) > 10 or jit.is_plain()
    for caller, choices in code_cache.CHOICES:
        for kind, function in choices.items():
            imported = code_cache.SOURCES.closure(kind.__module__) | code_cache.SOURCES.closure(caller)
            assert function.__module__ in imported, (caller, kind)


def test_an_edited_class_that_a_kernel_was_specialised_for_is_noticed(package):
    """`a.f` is made for a type of `b`, which `a` does not import."""
    shape = "from typing import NamedTuple\nfrom wayfolk.compile.jit import specialise\nfrom wayfolk import c\n"
    square = "class Square(NamedTuple):\n    side: int\n\n\ndef _area(shape):\n    return shape.side * 2\n\n\n"
    wrapped = "class Two(NamedTuple):\n    one: Square\n"
    (package / "wayfolk" / "b.py").write_text(f"{shape}\n\n{square}c.AREAS[Square] = _area\n\n\n{wrapped}")
    (package / "wayfolk" / "c.py").write_text(
        "from wayfolk.compile.jit import specialise\n\nAREAS = {}\n\n\n"
        "def area(shape):\n    return AREAS[type(shape)](shape)\n\n\nspecialise(area, AREAS)\n"
    )
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.c import area\nfrom wayfolk.compile.jit import kernel\n\n\n"
        "@kernel\ndef f(two):\n    return area(two.one)\n"
    )
    ask = (
        "from wayfolk.compile import jit\nheard = []\njit.on_compile(lambda: heard.append(1))\n"
        "from wayfolk.a import f\nfrom wayfolk.b import Square, Two\nprint(f(Two(Square(5))), len(heard))"
    )
    assert run(package, "-c", ask) == "10 1"
    assert run(package, "-c", ask) == "10 0"
    edit(package / "wayfolk" / "b.py", "side * 2", "side * 3")
    assert run(package, "-c", ask) == "15 1"
    edit(package / "wayfolk" / "b.py", "Square", "Quadro")  # the list of what is kept names a class that is gone
    assert run(package, "-c", ask.replace("Square", "Quadro")) == "15 1"


def test_an_edited_function_that_was_chosen_for_a_class_is_noticed(package):
    """`a.f` is made for a type of `b`, with a function that `d` has registered for it."""
    (package / "wayfolk" / "b.py").write_text(
        "from typing import NamedTuple\n\n\nclass Square(NamedTuple):\n    side: int\n"
    )
    (package / "wayfolk" / "c.py").write_text(
        "from wayfolk.compile.jit import specialise\n\nAREAS = {}\n\n\n"
        "def area(shape):\n    return AREAS[type(shape)](shape)\n\n\nspecialise(area, AREAS)\n"
    )
    (package / "wayfolk" / "d.py").write_text(
        "from wayfolk.b import Square\nfrom wayfolk.c import AREAS\n\n\n"
        "def _area(shape):\n    return shape.side * 2\n\n\nAREAS[Square] = _area\n"
    )
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.c import area\nfrom wayfolk.compile.jit import kernel\n\n\n"
        "@kernel\ndef f(shape):\n    return area(shape)\n"
    )
    ask = "from wayfolk import d\nfrom wayfolk.a import f\nfrom wayfolk.b import Square\nprint(f(Square(5)))"
    assert run(package, "-c", ask) == "10"
    edit(package / "wayfolk" / "d.py", "side * 2", "side * 3")
    assert run(package, "-c", ask) == "15"


COMPILED = """
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    {}
print(*sorted(one.data["dispatcher"].py_func.__name__ for _, one in recorder.buffer if one.is_end))
"""


def test_a_callee_is_compiled_once_for_all_constants(package):
    (package / "wayfolk" / "b.py").write_text(
        "from wayfolk.compile.jit import inner\n\n\n"
        "@inner\ndef g(number, other, flag):\n    return number * other if flag else other\n"
    )
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.b import g\nfrom wayfolk.compile.jit import kernel\n\n\n@kernel\ndef f(row):\n"
        "    return g(row[0], row[1], True) + g(row[0], other=3, flag=False) + g(3, -7, row[0] > 0)\n"
    )
    script = "import numpy as np\nfrom wayfolk.a import f\n" + COMPILED.format("print(f(np.array([4, 5])))")
    assert run(package, "-c", script) == "2\nf g"


def test_a_function_that_was_chosen_for_a_class_is_compiled_once(package):
    (package / "wayfolk" / "c.py").write_text(
        "from wayfolk.compile.jit import specialise\n\nAREAS = {}\n\n\n"
        "def area(shape, times):\n    return AREAS[type(shape)](shape, times)\n\n\nspecialise(area, AREAS)\n"
    )
    (package / "wayfolk" / "b.py").write_text(
        "from typing import NamedTuple\nfrom wayfolk.c import AREAS\n\n\nclass Square(NamedTuple):\n    side: int\n\n\n"
        "def square(shape, times):\n    return shape.side * times\n\n\nAREAS[Square] = square\n"
    )
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.c import area\nfrom wayfolk.compile.jit import inner, kernel\n\n\n"
        "@kernel\ndef f(shape, row):\n    return area(shape, row[0]) + g(shape)\n\n\n"
        "@inner\ndef g(shape):\n    return area(shape, times=2)\n\n\n@kernel\ndef h(shape):\n    return g(shape) + 1\n"
    )
    script = "import numpy as np\nfrom wayfolk.a import f, h\nfrom wayfolk.b import Square\n"
    first = script + COMPILED.format("print(f(Square(5), np.array([3])))")
    assert run(package, "-c", first) == "25\nf g square"
    assert run(package, "-c", script + COMPILED.format("print(h(Square(5)))")) == "11\nh"


def test_an_edit_elsewhere_costs_nothing(package):
    assert run(package, "-c", ASK) == "1 1 1"
    (package / "wayfolk" / "kernels" / "heap.py").write_text("")
    assert run(package, "-c", ASK) == "1 1 0"


def test_the_flags_are_part_of_the_name_of_the_folder(package):
    ask = "from wayfolk.compile.code_cache import cache_folder; print(cache_folder('wayfolk.a'))"
    plain, checked = run(package, "-c", ask), run(package, "-c", ask, NUMBA_BOUNDSCHECK="1")
    assert Path(plain).parent == Path(checked).parent == package / "cache" / "kernels"
    assert plain != checked


def test_compilation_is_heard_once_by_everyone_who_listens(package):
    (package / "wayfolk" / "a.py").write_text(ONE_MORE)
    script = """
import numpy as np
from wayfolk.compile import jit
from wayfolk.a import one_more
heard = []
for name in "xyz":
    jit.on_compile(lambda name=name: heard.append(name))
print(*heard, end="|")
one_more(np.zeros(1))
print(*heard, end="|")
one_more(np.zeros(1, int))
print(*heard)
"""
    assert run(package, "-c", script) == "|x y z|x y z"
    assert run(package, "-c", script) == "||"


def test_no_two_named_tuples_have_the_same_name():
    """numba mixes up two classes of the same name with the same fields, and with them what was specialised for each."""
    homes = {}
    for name in sorted(code_cache.SOURCES.files):
        if "NamedTuple" in code_cache.SOURCES.files[name].read_text() and "experiments" not in name:
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
                    homes.setdefault(value.__name__, set()).add(value.__module__)
    assert len(homes) > 10
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def dispatchers():
    """Everything compiled in the kernels and in the algorithms."""
    names = [f"wayfolk.kernels.{file.stem}" for file in (HOME / "kernels").glob("[!_]*.py")]
    names += [entry.module for entry in catalogue.entries()]
    modules = [importlib.import_module(name) for name in names]
    return {f"{m.__name__}.{name}": v for m in modules for name, v in vars(m).items() if hasattr(v, "targetoptions")}


@pytest.mark.skipif(jit.is_plain(), reason="plain Python holds the GIL")
def test_every_kernel_lets_other_threads_run_and_is_kept_on_disk():
    kernels = dispatchers()
    assert len(kernels) > 30
    assert [name for name, kernel in kernels.items() if not kernel.targetoptions.get("nogil")] == []
    assert [name for name, kernel in kernels.items() if type(kernel._cache).__name__ == "NullCache"] == []


def answers():
    """A small search, a small crowd of each kind, and what it took."""
    rng = np.random.default_rng(4)
    grid = wayfolk.Grid(rng.random((12, 12)) > 0.15)
    cells = rng.permutation(grid.free_cells[grid.components[grid.free_cells] == 1])
    problem = wayfolk.one_shot(grid, grid.places(cells[:6]), grid.places(cells[6:12]))
    path = wayfolk.find_path(grid, grid.place(cells[0]), grid.place(cells[1]), "astar", weight=1.5)
    results = {"astar": [path.path, path.cost, path.expanded]}
    for name in ("lra", "whca"):
        result = wayfolk.solve(problem, name, steps=20)
        results[name] = [result.status.value, result.plan.cells.tolist(), result.expanded, result.counters.collisions]
        run = wayfolk.simulate(problem, name, model="distance", until=6.0)
        results[f"{name}, distance"] = [run.record.time.tolist(), run.record.cell.tolist()]
    return results


def test_plain_python_answers_the_same(tmp_path):
    code = "import json, test_jit; assert test_jit.jit.is_plain(); print(json.dumps(test_jit.answers()))"
    both = os.pathsep.join([str(HOME.parent), str(Path(__file__).parent), str(Path(__file__).parents[1])])
    plain = json.loads(run(tmp_path, "-c", code, NUMBA_DISABLE_JIT="1", PYTHONPATH=both))
    compiled = json.loads(json.dumps(answers()))
    for name, answer in compiled.items():
        assert plain[name] == answer, name


@pytest.mark.parametrize(
    "code",
    [
        "import wayfolk",
        "import wayfolk, wayfolk.cli",
        "import sys; sys.argv[1:] = ['list', '--json']; from wayfolk.cli import main; main()",
    ],
    ids=["import", "import cli", "list"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code, tmp_path):
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    with start(tmp_path, "-c", f"{report}\n{code}", PYTHONPATH=str(HOME.parent)) as process:
        loaded = set(process.communicate(timeout=100)[1].split())
    assert process.returncode == 0
    assert "wayfolk" in loaded
    algorithms = {entry.module for entry in catalogue.entries()}
    assert not loaded & {"numba", "numpy", "fastapi", "matplotlib", *algorithms}

"""The one decorator: yesterday's code is never run, nothing is compiled twice, and plain Python answers the same."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wayfolk
from wayfolk import catalogue
from wayfolk.kernels import jit
from wayfolk.kernels.sources import Sources

HOME = Path(wayfolk.__file__).parent
A = "from wayfolk.kernels.jit import kernel\nfrom wayfolk.b import g\n\n\n@kernel\ndef f():\n    return g()\n"
B = "from wayfolk.kernels.jit import kernel\n\n\n@kernel\ndef g():\n    return 1\n"
ONE_MORE = "from wayfolk.kernels.jit import kernel\n\n\n@kernel\ndef one_more(row):\n    return row[0] + 1\n"
ASK = """
from wayfolk.kernels import jit
heard = []
jit.on_compile(lambda: heard.append(1))
from wayfolk.a import f
print(f(), f(), len(heard))
"""


@pytest.fixture
def package(tmp_path):
    """A folder that holds a copy of the package with two more kernels: `a.f` calls `b.g`, which returns 1."""
    shutil.copytree(HOME, tmp_path / "wayfolk", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "wayfolk" / "a.py").write_text(A)
    (tmp_path / "wayfolk" / "b.py").write_text(B)
    return tmp_path


def start(folder, *words, **env):
    """Begin to run Python with the package of `folder`; -B, as Python itself does not notice edits of the same size."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    env = known | {"PYTHONPATH": str(folder), "WAYFOLK_CACHE": str(folder / "cache")} | env
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-B", *words], env=env, cwd=folder, **pipes)


def run(folder, *words, **env):
    """What Python prints."""
    with start(folder, *words, **env) as process:
        out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    return out.strip()


def edit(file, old, new):
    """Change a file so that neither its size nor its time says so."""
    before = file.stat()
    file.write_text(file.read_text().replace(old, new))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size


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


def test_two_processes_that_compile_at_once_do_not_mix_their_code_up(package):
    """numba numbers its files: two processes that do not see each other choose the same number."""
    (package / "wayfolk" / "a.py").write_text(ONE_MORE)
    racer = """
import os, sys, time
from pathlib import Path
import numpy as np
from wayfolk.a import one_more

me, other = sys.argv[1:]
replace = os.replace

def slow(source, target):
    if str(target).endswith(".nbi"):  # the list of what there is
        Path(me).touch()
        patience = time.monotonic() + 5
        while not Path(other).exists() and time.monotonic() < patience:
            time.sleep(0.01)
        time.sleep(0.5 if me == "float64" else 0.0)
    elif str(target).endswith(".nbc"):  # the code
        time.sleep(1.5 if me == "int64" else 0.0)
    replace(source, target)

os.replace = slow
print(one_more(np.full(1, 5, me)))
"""
    both = [start(package, "-c", racer, *names) for names in (("int64", "float64"), ("float64", "int64"))]
    assert [process.communicate(timeout=100)[0].strip() for process in both] == ["6", "6.0"]
    ask = (
        "import numpy as np; from wayfolk.a import one_more; print(*(one_more(np.full(1, 5, k)) for k in ('i8', 'f8')))"
    )
    assert run(package, "-c", ask) == "6 6.0"


def test_an_edited_class_that_a_kernel_was_specialised_for_is_noticed(package):
    """`a.f` is made for a type of `b`, which `a` does not import."""
    shape = "from typing import NamedTuple\nfrom wayfolk.kernels.jit import specialise\nfrom wayfolk import c\n"
    square = "class Square(NamedTuple):\n    side: int\n\n\ndef _area(shape):\n    return shape.side * 2\n\n\n"
    wrapped = "class Two(NamedTuple):\n    one: Square\n"
    (package / "wayfolk" / "b.py").write_text(f"{shape}\n\n{square}c.AREAS[Square] = _area\n\n\n{wrapped}")
    (package / "wayfolk" / "c.py").write_text(
        "from wayfolk.kernels.jit import specialise\n\nAREAS = {}\n\n\n"
        "def area(shape):\n    return AREAS[type(shape)](shape)\n\n\nspecialise(area, AREAS)\n"
    )
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.c import area\nfrom wayfolk.kernels.jit import kernel\n\n\n"
        "@kernel\ndef f(two):\n    return area(two.one)\n"
    )
    ask = (
        "from wayfolk.kernels import jit\nheard = []\njit.on_compile(lambda: heard.append(1))\n"
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
        "from wayfolk.kernels.jit import specialise\n\nAREAS = {}\n\n\n"
        "def area(shape):\n    return AREAS[type(shape)](shape)\n\n\nspecialise(area, AREAS)\n"
    )
    (package / "wayfolk" / "d.py").write_text(
        "from wayfolk.b import Square\nfrom wayfolk.c import AREAS\n\n\n"
        "def _area(shape):\n    return shape.side * 2\n\n\nAREAS[Square] = _area\n"
    )
    (package / "wayfolk" / "a.py").write_text(
        "from wayfolk.c import area\nfrom wayfolk.kernels.jit import kernel\n\n\n"
        "@kernel\ndef f(shape):\n    return area(shape)\n"
    )
    ask = "from wayfolk import d\nfrom wayfolk.a import f\nfrom wayfolk.b import Square\nprint(f(Square(5)))"
    assert run(package, "-c", ask) == "10"
    edit(package / "wayfolk" / "d.py", "side * 2", "side * 3")
    assert run(package, "-c", ask) == "15"


def test_an_edit_elsewhere_costs_nothing(package):
    assert run(package, "-c", ASK) == "1 1 1"
    (package / "wayfolk" / "kernels" / "heap.py").write_text("")
    assert run(package, "-c", ASK) == "1 1 0"


def test_the_flags_are_part_of_the_name_of_the_folder(package):
    ask = "from wayfolk.kernels.jit import cache_folder; print(cache_folder('wayfolk.a'))"
    plain, checked = run(package, "-c", ask), run(package, "-c", ask, NUMBA_BOUNDSCHECK="1")
    assert Path(plain).parent == Path(checked).parent == package / "cache" / "kernels"
    assert plain != checked


def test_folders_of_old_versions_are_removed(package):
    old, young = (package / "cache" / "kernels" / name for name in ("old", "young"))
    for folder, days in ((old, 40), (young, 20)):
        folder.mkdir(parents=True)
        at = folder.stat().st_mtime - days * 86400
        os.utime(folder, (at, at))
    run(package, "-c", "import wayfolk.a")
    assert (old.exists(), young.exists()) == (False, True)


def test_the_digest_follows_what_machine_code_is_made_from(package):
    def digest():
        return Sources(package / "wayfolk").digest("wayfolk.a")

    before = digest()
    assert digest() == before
    for name, matters in (("cli.py", False), ("b.py", True), ("kernels/heap.py", False), ("kernels/jit.py", True)):
        file = package / "wayfolk" / name
        text = file.read_text()
        file.write_text(text + "\nNOTHING = 0\n")
        assert (digest() != before) is matters, name
        file.write_text(text)
    assert digest() == before


@pytest.mark.parametrize(
    "line",
    [
        "from wayfolk.numbers import N",
        "from wayfolk.numbers import N as M",
        "from wayfolk.numbers import (\n    N,\n)",
        "from wayfolk import numbers",
        "from wayfolk import numbers as figures",
        "from wayfolk import errors, numbers",
        "from wayfolk import (\n    errors,\n    numbers,\n)",
        "import wayfolk.numbers",
        "import wayfolk.numbers as figures",
        "import wayfolk.errors, wayfolk.numbers",
        "from . import numbers",
        "from .numbers import N",
    ],
    ids=lambda line: " ".join(line.split()),
)
def test_the_digest_follows_imports_however_they_are_written(tmp_path, line):
    kernel = f"import wayfolk.kernels.jit\n{line}\n"
    for name, text in (("__init__", ""), ("errors", ""), ("numbers", "N = 1\n"), ("k", kernel)):
        (tmp_path / f"{name}.py").write_text(text)
    before = Sources(tmp_path).digest("wayfolk.k")
    (tmp_path / "numbers.py").write_text("N = 2\n")
    assert Sources(tmp_path).digest("wayfolk.k") != before


def test_compilation_is_heard_once_by_everyone_who_listens(package):
    (package / "wayfolk" / "a.py").write_text(ONE_MORE)
    script = """
import numpy as np
from wayfolk.kernels import jit
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
    found = {}
    for name in sorted(jit.SOURCES.files):
        if "NamedTuple" in jit.SOURCES.files[name].read_text() and "experiments" not in name:
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
                    found.setdefault(value.__name__, set()).add(value.__module__)
    assert len(found) > 10
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}


def dispatchers():
    """Everything compiled in the kernels and in the algorithms."""
    names = [f"wayfolk.kernels.{file.stem}" for file in (HOME / "kernels").glob("[!_]*.py")]
    names += [f"wayfolk.{entry.family}.{entry.name}" for entry in catalogue.entries()]
    modules = [importlib.import_module(name) for name in names]
    return {f"{m.__name__}.{name}": v for m in modules for name, v in vars(m).items() if hasattr(v, "targetoptions")}


@pytest.mark.skipif(jit.is_plain(), reason="plain Python holds the GIL")
def test_every_kernel_lets_other_threads_run_and_is_kept_on_disk():
    found = dispatchers()
    assert len(found) > 30
    assert [name for name, kernel in found.items() if not kernel.targetoptions.get("nogil")] == []
    assert [name for name, kernel in found.items() if type(kernel._cache).__name__ == "NullCache"] == []


def answers():
    """A small search, a small crowd of each kind, and what it took."""
    rng = np.random.default_rng(4)
    grid = wayfolk.Grid(rng.random((12, 12)) > 0.15)
    cells = rng.permutation(grid.free_cells[grid.components[grid.free_cells] == 1])
    problem = wayfolk.one_shot(grid, grid.places(cells[:6]), grid.places(cells[6:12]))
    path = wayfolk.find_path(grid, grid.place(cells[0]), grid.place(cells[1]), "astar", weight=1.5)
    made = {"astar": [path.path, path.cost, path.expanded]}
    for name in ("lra", "whca"):
        result = wayfolk.solve(problem, name, steps=20)
        made[name] = [result.status.value, result.plan.cells.tolist(), result.expanded, result.counters.collisions]
        run = wayfolk.simulate(problem, name, model="distance", until=6.0)
        made[f"{name}, distance"] = [run.record.time.tolist(), run.record.cell.tolist()]
    return made


def test_plain_python_answers_the_same(tmp_path):
    code = "import json, test_jit; assert test_jit.jit.is_plain(); print(json.dumps(test_jit.answers()))"
    both = os.pathsep.join([str(HOME.parent), str(Path(__file__).parent)])
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
    algorithms = {f"wayfolk.{entry.family}.{entry.name}" for entry in catalogue.entries()}
    assert not loaded & {"numba", "numpy", "fastapi", "matplotlib", *algorithms}

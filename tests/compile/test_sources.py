"""What machine code is made from: an edit is noticed wherever it is, and nothing else changes the digest."""

import math
import os
import sys
import time
from types import ModuleType

import pytest

from wayfolk.compile.sources import Sources


def test_the_digest_follows_what_machine_code_is_made_from(package):
    def digest():
        return Sources(package / "wayfolk", started=math.inf).digest("wayfolk.a")

    before = digest()
    assert digest() == before
    for name, matters in (
        ("cli/app.py", False),
        ("b.py", True),
        ("kernels/heap.py", False),
        ("compile/jit.py", True),
        ("compile/code_files.py", False),
    ):
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
    kernel = f"import wayfolk.compile.jit\n{line}\n"
    for name, text in (("__init__", ""), ("errors", ""), ("numbers", "N = 1\n"), ("k", kernel)):
        (tmp_path / f"{name}.py").write_text(text)
    before = Sources(tmp_path, started=math.inf).digest("wayfolk.k")
    (tmp_path / "numbers.py").write_text("N = 2\n")
    assert Sources(tmp_path, started=math.inf).digest("wayfolk.k") != before


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Modules of other packages that have been imported: a way to write their files."""

    def write(name, text):
        file = tmp_path / "site" / f"{name.replace('.', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        module = ModuleType(name)
        module.__file__ = str(file)
        monkeypatch.setitem(sys.modules, name, module)

    (tmp_path / "wayfolk" / "compile").mkdir(parents=True)
    (tmp_path / "wayfolk" / "compile" / "jit.py").write_text("")
    return write


def sources(tmp_path, started=math.inf):
    return Sources(tmp_path / "wayfolk", started=started)


def test_modules_of_somebody_else_are_followed_where_kernels_may_be(tmp_path, elsewhere):
    jit = "from wayfolk.compile.jit import kernel\n"
    elsewhere(
        "mine.search", f"{jit}from .steps import step\nimport helper\nimport others.kernels\nimport others.plain\n"
    )
    elsewhere("mine.steps", "from mine \\\n    import numbers\n")
    elsewhere("mine.numbers", "N = 1\n")
    elsewhere("mine.unused", "")
    elsewhere("helper", "")  # in another folder, and knows nothing of us
    elsewhere("others.kernels", f"{jit}from others import numbers\n")
    elsewhere("others.numbers", "N = 1\n")
    elsewhere("others.plain", "")
    ours = {"wayfolk.compile.jit"}
    assert sources(tmp_path).closure("mine.search") == ours | {
        "mine.search", "mine.steps", "mine.numbers", "others.kernels", "others.numbers",
    }  # fmt: skip
    assert sources(tmp_path).closure("others.plain") == {"others.plain"}
    before = sources(tmp_path).digest("mine.search")
    for name, matters in (("mine.numbers", True), ("mine.unused", False), ("others.numbers", True)):
        elsewhere(name, "N = 2\n")
        assert (sources(tmp_path).digest("mine.search") != before) is matters, name
        elsewhere(name, "N = 1\n" if matters else "")


def test_a_script_is_made_from_what_lies_beside_it(tmp_path, elsewhere):
    elsewhere("script", "import helper\nimport math\n")
    elsewhere("helper", "")
    assert sources(tmp_path).closure("script") == {"script", "helper"}


def test_a_digest_does_not_depend_on_what_was_asked_before(tmp_path, elsewhere):
    elsewhere("mine.search", "from mine import steps\n")
    elsewhere("mine.steps", "from wayfolk.compile import jit\n")
    one, other = sources(tmp_path), sources(tmp_path)
    closure = one.closure("mine.search")
    assert closure == {"mine.search", "mine.steps", "wayfolk.compile.jit"}
    digest = one.digest("mine.search")
    assert (other.digest("mine.search"), other.closure("mine.search")) == (digest, closure)


def test_what_has_no_file_or_was_edited_just_now_has_no_digest(tmp_path, elsewhere):
    elsewhere("mine", "")
    assert sources(tmp_path).digest("typed.at.a.prompt") == ""
    began = time.time()
    file = tmp_path / "site" / "mine.py"
    for seconds, is_known in ((-30, True), (-10, False), (1e6, True)):  # a date in the future says nothing
        os.utime(file, (began + seconds,) * 2)
        assert bool(sources(tmp_path, started=began - 20).digest("mine")) is is_known

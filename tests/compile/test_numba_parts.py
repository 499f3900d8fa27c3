"""numba is used in one file, its private names are listed there, and other programs' functions stay as they are."""

import ast
import pkgutil
import re
from pathlib import Path

import numba
import numpy as np
import pytest

from foreign_calls import foreign_calls
from fresh_python import HOME, run
from wayfolk.compile import jit, numba_parts
from wayfolk.compile.jit import inner, kernel

HERE = Path(numba_parts.__file__)
OTHERS = """
import numba
from numba.core.dispatcher import Dispatcher
before = dict(vars(Dispatcher))
import sys
finders = list(sys.meta_path)
from wayfolk.compile import jit, loading
assert sys.meta_path == finders
assert vars(Dispatcher) == before
heard = []
jit.on_compile(lambda: heard.append(1))
theirs = numba.njit(lambda x: x + 1)
print(theirs(1), len(heard), len(loading.LOADED), sorted(set(vars(theirs)) & {"get_call_template", "_compile_for_args"}))
jit.kernel(lambda x: x + 2)(1)
print(len(heard), len(loading.LOADED))
"""


def imports(file):
    """The modules that a file imports, and the names that it imports from them."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def test_no_other_file_imports_numba():
    for file in HOME.rglob("*.py"):
        tops = {module.partition(".")[0] for module, _ in imports(file)}
        assert file == HERE or not tops & {"numba", "llvmlite"}, file


def test_every_unstable_name_exists_and_is_used():
    text = HERE.read_text().replace("UNSTABLE = {", "", 1)
    for name in numba_parts.UNSTABLE:
        module, _, path = name.partition(":")
        found = pkgutil.resolve_name(f"{module}:{path.partition('.')[0]}")
        last = path.rpartition(".")[2]
        assert path == last or hasattr(found, last) or last in ("overloads",), name
        assert len(re.findall(rf"\b{last}\b", text)) > 1, f"{name} is listed, and not used"


def test_every_name_that_is_imported_is_public_or_listed():
    public = {"llvmlite.binding", "numba", "numba.core.event", "numba.core.types"}
    for module, name in imports(HERE):
        if module.partition(".")[0] in ("numba", "llvmlite") and not {module, f"{module}.{name}"} & public:
            whole = f"{module}:{name}"
            assert any(known.startswith((whole, f"{module}.{name}:")) for known in numba_parts.UNSTABLE), whole


def test_private_attributes_are_listed():
    """Those of numba's objects begin with an underscore."""
    known = {one.rpartition(".")[2].rpartition(":")[2] for one in numba_parts.UNSTABLE} | {"_cache"}
    for node in ast.walk(ast.parse(HERE.read_text())):
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr):
            assert node.attr in known, node.attr


def test_the_version_that_is_installed_was_tried():
    assert ".".join(numba.__version__.split(".")[:2]) in numba_parts.TRIED


def test_functions_of_other_programs_stay_as_they_are(tmp_path):
    """They are neither timed nor announced, and nothing of numba's is replaced."""
    assert run(tmp_path, "-c", OTHERS, PYTHONPATH=str(HOME.parent)).splitlines() == ["2 0 0 []", "1 1"]


@inner
def _twice(x):
    return 2 * x


@kernel
def _fill(values):
    for k in range(values.size):
        values[k] = _twice(_twice(k))


@kernel
def _tangents(values):
    for k in range(values.size):
        values[k] = np.tan(values[k]) + values[k] ** 1.5


@pytest.mark.skipif(jit.is_plain(), reason="nothing is compiled in plain mode")
def test_a_call_of_another_library_is_noticed():
    """All algorithms are looked at in `tests/kernels/test_nothing_is_lost.py`."""
    assert foreign_calls(jit.llvm_code(_fill, np.zeros(4, np.int64))) == []
    assert "tan" in foreign_calls(jit.llvm_code(_tangents, np.zeros(4)))


@pytest.mark.skipif(jit.is_plain(), reason="nothing is compiled in plain mode")
def test_the_llvm_code_of_a_kernel_holds_all_that_it_calls():
    values = np.zeros(4, np.int64)
    code = jit.llvm_code(_fill, values)
    defined = re.findall(r"^define .*?@\"?(\S+?)\"?\(", code, re.MULTILINE)
    assert any("_fill" in name and not name.startswith(("cfunc.", "_ZN7cpython")) for name in defined)
    called = set(re.findall(r"\bcall [^@\n]*@\"?(\S*_twice\S*?)\"?\(", code))
    assert called <= set(defined)
    _fill(values)
    assert values.tolist() == [0, 4, 8, 12]

"""Machine code that comes with the package is used where it fits, and nothing is compiled then."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fresh_python import edit, run, run_both
from wayfolk.compile import wheel_code

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "machine_code.py"
ASK = """
from wayfolk.compile import jit
heard = []
jit.on_compile(lambda: heard.append(1))
from wayfolk.a import f
print(f(), len(heard))
"""
FIND = """
import sys
from wayfolk.compile import jit
heard = []
jit.on_compile(lambda: heard.append(1))
import wayfolk as wf
print(wf.find_path(wf.read_map("rooms"), (2, 2), (29, 29)).status.value, len(heard), wf.__file__)
"""
pytestmark = [
    pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"),
    pytest.mark.skipif(not SCRIPT.exists(), reason="there is no .ci/machine_code.py here"),
]


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("machine_code", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bringing(package, script):
    """A copy of the package that brings the code of its kernels, for a processor without any feature."""
    made_on = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+sse2"}
    assert run(package, "-c", ASK, **made_on) == "1 1"
    folder = package / "wayfolk" / "machine_code"
    script.collect(package / "cache" / "kernels", folder)
    assert len(list(folder.rglob("f-*.nbc"))) == 1
    (folder / "made_for.json").write_text(run(package, "-c", script.STAMP, **made_on))
    for file in (package / "cache").rglob("*.nbc"):
        file.unlink()
    return package


def change(package, **fields):
    file = package / "wayfolk" / "machine_code" / "made_for.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def test_code_that_is_installed_is_not_compiled(bringing):
    assert run_both(bringing, "-c", ASK) == ("1 0", "")
    assert not list((bringing / "cache").rglob("*.nbc"))


def test_installed_code_is_trusted_as_the_sources_are(bringing):
    """Where files are made for a group to write, as on some systems, so are the sources beside them."""
    for file in (bringing / "wayfolk" / "machine_code").rglob("*"):
        file.chmod(0o775)
    assert run_both(bringing, "-c", ASK) == ("1 0", "")


def test_an_edited_source_is_compiled(bringing):
    edit(bringing / "wayfolk" / "b.py", "return 1", "return 2")
    assert run_both(bringing, "-c", ASK) == ("2 1", "")


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("versions", ["0.1", "3.11", "2.4"], r"numba 0\.1, and this is [\d.]+"),
        ("processor", ["riscv64-unknown-linux-gnu", "generic", "+sse2"], r"riscv64-unknown-linux-gnu, and this is \S+"),
        ("processor", ["", "x86-64-v9", "+sse2,+magic"], "x86-64-v9, and this processor lacks magic"),
    ],
    ids=["numba", "system", "processor"],
)
def test_code_for_something_else_is_compiled_and_said_so_once(bringing, field, value, why):
    file = bringing / "wayfolk" / "machine_code" / "made_for.json"
    if not value[0]:
        value = [json.loads(file.read_text())["processor"][0], *value[1:]]
    change(bringing, **{field: value})
    out, err = run_both(bringing, "-c", ASK)
    assert out == "1 1"
    installed_for = err.removeprefix("wayfolk: the installed machine code is for ")
    assert installed_for.endswith(": compiling instead")
    assert re.fullmatch(why, installed_for.removesuffix(": compiling instead"))
    assert run_both(bringing, "-c", ASK) == ("1 0", "")  # what was compiled is kept, and there is nothing to say


def test_damaged_code_is_compiled_with_one_line_that_says_so(bringing):
    (file,) = (bringing / "wayfolk" / "machine_code").rglob("f-*.nbc")
    file.write_bytes(file.read_bytes()[:-1])
    out, err = run_both(bringing, "-c", ASK)
    assert out == "1 1"
    assert err == f"wayfolk: the compiled code in {file} is damaged: compiling it again"


def test_sources_bring_no_code():
    assert wheel_code.made_for(("0.68.1", "3.11", "2.4"), "x86_64-unknown-linux-gnu") == (None, "")


def test_a_wheel_brings_code_and_names_its_systems(tmp_path, script):
    """The wheel of `make dist`, with the kernels of A* alone; it lies unpacked beside an empty cache."""
    pytest.importorskip("hatchling", reason="hatchling, which builds wheels, is not installed")
    if script.platform.machine() not in script.LEVELS or script.platform.system() != "Linux":
        pytest.skip("there is no level of processors for this machine")
    code = tmp_path / "machine_code"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    subprocess.run([sys.executable, SCRIPT, code, "astar"], check=True, env=env, capture_output=True, timeout=900)
    build = f"from hatchling.build import build_wheel; print(build_wheel({str(tmp_path)!r}))"
    env |= {"WAYFOLK_MACHINE_CODE": str(code)}
    built = subprocess.run(
        [sys.executable, "-c", build], cwd=ROOT, check=True, env=env, capture_output=True, text=True, timeout=300
    )
    wheel = tmp_path / built.stdout.split()[-1]
    assert wheel.name.endswith(f"-{script.tag()}.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    (about,) = (tmp_path / "site").glob("*.dist-info/WHEEL")
    assert "Root-Is-Purelib: false" in about.read_text()
    out, err = run_both(tmp_path / "site", "-c", FIND)
    assert out == f"solved 0 {tmp_path / 'site' / 'wayfolk' / '__init__.py'}"
    assert err == ""

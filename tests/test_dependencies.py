"""pyproject.toml declares what the package imports: in the core, or in the extra of the part that imports it."""

import ast
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import wayfolk

HOME = Path(wayfolk.__file__).parent
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PARTS = {
    "play": ("playground", "cli/play.py"),
    "lab": ("experiments", "algorithms/workers.py"),
    "images": ("files/images.py", "replay/film.py", "experiments/papers/sdp/areas.py"),
    "env": ("simulation/env",),
    "graphs": (
        "world/graph.py",
        "files/roadmaps",
        "files/documents.py",
        "files/polygons.py",
        "world/mesh/polygons.py",
        "crowds/ways/meshes.py",
    ),
}
"""The files and folders that may import what an extra brings."""
OTHER_NAMES = {
    "PIL": "pillow",
    "distributed": "dask",
    "yaml": "pyyaml",
}  # modules with other names than what is installed
UNIMPORTED = {"websockets": "uvicorn loads it", "ipykernel": "Jupyter starts it"}


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0]


def imports():
    """Each import of another package: the file, and what is installed for it."""
    for file in HOME.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module]
            else:
                continue
            for top in {module.partition(".")[0] for module in modules} - {"wayfolk"} - sys.stdlib_module_names:
                yield file.relative_to(HOME).as_posix(), OTHER_NAMES.get(top, top)


def test_what_a_part_imports_is_declared_for_it():
    core = {name_of(one) for one in PROJECT["dependencies"]}
    undeclared = []
    for file, package in imports():
        extras = [extra for extra, parts in PARTS.items() if file.startswith(parts)]
        declared = core.union(*({name_of(one) for one in EXTRAS[extra]} for extra in extras))
        if package not in declared:
            undeclared.append(f"{file} imports {package}, which neither the core nor {extras} declares")
    assert undeclared == []


def test_what_is_declared_is_imported():
    imported = {package for _, package in imports()}
    declared = {name_of(one) for group in (PROJECT["dependencies"], *map(EXTRAS.get, PARTS)) for one in group}
    assert declared - imported == UNIMPORTED.keys() & declared


def test_all_extras_of_the_parts_are_tested():
    (own,) = [one for one in EXTRAS["test"] if one.startswith("wayfolk[")]
    tested = set(own.removeprefix("wayfolk[").removesuffix("]").split(","))
    names = {name_of(one) for extra in tested for one in EXTRAS[extra]}
    assert {name_of(one) for extra in PARTS for one in EXTRAS[extra]} <= names


def test_every_dependency_has_a_lower_bound_and_numba_an_upper_one():
    script = ROOT / ".ci" / "oldest.py"
    if not script.exists():
        pytest.skip("there is no .ci/oldest.py here")
    spec = importlib.util.spec_from_file_location("oldest", script)
    oldest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oldest)
    pins = dict(pin.split("==") for pin in oldest.oldest_versions(PROJECT))
    assert {name_of(one) for one in PROJECT["dependencies"]} <= pins.keys()
    (numba,) = [one for one in PROJECT["dependencies"] if name_of(one) == "numba"]
    assert re.fullmatch(r"numba>=\d+\.\d+,<\d+\.\d+", numba)
    with pytest.raises(ValueError, match="sunny has no lower bound"):
        oldest.oldest_versions(PROJECT | {"dependencies": ["sunny"]})


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_what_is_installed_is_allowed(requirement):
    packaging = pytest.importorskip("packaging.requirements", reason="packaging comes with pytest")
    wanted = packaging.Requirement(requirement)
    assert importlib.metadata.version(wanted.name) in wanted.specifier


def test_the_tests_that_continuous_integration_names_are_there():
    named = re.findall(r"echo (tests/[^)]*)\)", (ROOT / ".ci" / "run").read_text())
    assert named
    for words in named:
        files = subprocess.run(["bash", "-c", f"echo {words}"], capture_output=True, text=True, check=True, timeout=60)
        assert [file for file in files.stdout.split() if not (ROOT / file).is_file()] == []

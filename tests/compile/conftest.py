"""What the tests of compiling share."""

import shutil

import pytest

from fresh_python import HOME

A = "from wayfolk.compile.jit import kernel\nfrom wayfolk.b import g\n\n\n@kernel\ndef f():\n    return g()\n"
B = "from wayfolk.compile.jit import kernel\n\n\n@kernel\ndef g():\n    return 1\n"


@pytest.fixture
def package(tmp_path):
    """A folder that holds a copy of the package with two more kernels: `a.f` calls `b.g`, which returns 1."""
    shutil.copytree(HOME, tmp_path / "wayfolk", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "wayfolk" / "a.py").write_text(A)
    (tmp_path / "wayfolk" / "b.py").write_text(B)
    return tmp_path

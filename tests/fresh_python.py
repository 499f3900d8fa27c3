"""Python started anew, with a copy of the package that a test can edit."""

import os
import subprocess
import sys
from pathlib import Path

import wayfolk

HOME = Path(wayfolk.__file__).parent


def start(folder, *words, **env):
    """Begin to run Python with the package of `folder`; -B, as Python itself does not notice edits of the same size."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    env = known | {"PYTHONPATH": str(folder), "WAYFOLK_CACHE": str(folder / "cache")} | env
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-B", *words], env=env, cwd=folder, **pipes)


def run_both(folder, *words, timeout=100, **env):
    """What Python prints, and what it prints on stderr."""
    with start(folder, *words, **env) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 0, err
    return out.strip(), err.strip()


def run(folder, *words, **env):
    """What Python prints."""
    return run_both(folder, *words, **env)[0]


def edit(file, old, new):
    """Change a file so that neither its size nor its time says so."""
    before = file.stat()
    file.write_text(file.read_text().replace(old, new))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size

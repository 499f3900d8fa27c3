"""Machine code that has been compiled is found again, whatever ran before and whatever else is imported."""

import json
import os
import random
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from foreign_calls import foreign_calls, kept_code
from wayfolk.algorithms import catalogue
from wayfolk.compile import code_files

# each algorithm runs in a process of its own; to fork them saves importing what all of them need
ALONE = """
import importlib, json, os, random, sys, traceback
from numba.core import event
from wayfolk.cli.warm import warm_one
from wayfolk.compile import code_files

def run(name, others):
    for other in others:
        importlib.import_module(other)
    files, read = [], code_files.read
    def noted(file, *how):
        files.append(str(file))
        return read(file, *how)
    code_files.read = noted
    with event.install_recorder("numba:compile") as compiled:
        warm_one(name)
    names = {str(one.data["dispatcher"].py_func.__qualname__) for _, one in compiled.buffer}
    return {"compiled": sorted(names), "files": sorted(files)}

def alone(*job):
    mine, theirs = os.pipe()
    if os.fork() == 0:
        try:
            with open(theirs, "w") as pipe:
                json.dump(run(*job), pipe)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.close(theirs)
    with open(mine) as pipe:
        answer = pipe.read()
    os.wait()
    return json.loads(answer)

order = json.loads(sys.argv[1])
print(json.dumps({name: alone(name, others) for name, others in order}))
"""


def module(entry):
    return entry.module


def alone(order):
    done = subprocess.run(
        [sys.executable, "-c", ALONE, json.dumps(order)], capture_output=True, text=True, timeout=1500, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_every_algorithm_compiles_nothing_the_second_time(tmp_path):
    """The first round compiles what no test has compiled before; all share one cache, and the demo fills it too."""
    seed = secrets.randbits(32)
    rng = random.Random(seed)
    demo = [sys.executable, "-m", "wayfolk.cli", "demo", "--agents", "4", "--loops", "1", "--out", "demo.html"]
    subprocess.run(demo, cwd=tmp_path, capture_output=True, timeout=600, check=True)
    entries = catalogue.entries()
    assert len(entries) > 40
    first = alone([(entry.name, []) for entry in rng.sample(entries, len(entries))])
    again = [(entry.name, [module(other) for other in rng.sample(entries, 6)]) for entry in entries]
    second = alone(rng.sample(again, len(again)))
    assert {name: run["compiled"] for name, run in second.items() if run["compiled"]} == {}, seed
    assert {name for name, run in second.items() if run["files"] != first[name]["files"]} <= {
        name for name, run in first.items() if run["compiled"]
    }, seed  # compiling looks for the parts too
    assert all(run["files"] for run in second.values()), seed
    files = {Path(file) for run in second.values() for file in run["files"]}
    calls = {file.name.rpartition("-")[0]: foreign_calls(kept_code(code_files.read(file))) for file in files}
    assert {kernel: foreign for kernel, foreign in calls.items() if foreign} == {}

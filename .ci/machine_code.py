"""Compile kernels into a folder that a wheel can bring: FOLDER [ALGORITHM ...]; all kernels if no algorithm is named.

Run by `make dist` with the Python, numba and numpy that the code is for. The processor is the common level of LEVELS; for a
system without one, nothing is compiled, and the wheel has sources only.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

X86_64_V3 = "avx avx2 bmi bmi2 cx16 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 sse4.2 ssse3 xsave"
LEVELS = {"x86_64": ("x86-64-v3", X86_64_V3)}
"""The level of processors for each kind of machine: Haswell, Zen and newer."""
ENTRY = b"_ZN7cpython"  # in the names of the functions by which Python calls a kernel
COMMANDS = [
    "demo --agents 4 --loops 1 --out {folder}/demo.html",
    "solve rooms --random 5 --seconds 2 --json --save {folder}/plan.json",
    "check {folder}/plan.json",
    "solve rooms --random 40 --json",
    "solve rooms --scen rooms --agents 20 --with cbs --seconds 60 --json",
    "path rooms --from 2,2 --to 29,29 --with astar,dijkstra --html {folder}/path.html",
]
"""What uses kernels besides the algorithms."""


def main(folder: Path, names: list[str]) -> None:
    """Compile, and leave in `folder` what a wheel brings."""
    if platform.machine() not in LEVELS or platform.system() != "Linux":
        print(f"{platform.system()} on {platform.machine()}: no machine code, the wheel has sources only")
        return
    name, features = LEVELS[platform.machine()]
    features = ",".join(f"+{feature}" for feature in features.split())
    work = folder.with_name(f"{folder.name}.work")
    for old in (folder, work):
        shutil.rmtree(old, ignore_errors=True)
    work.mkdir(parents=True)
    settings = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "WAYFOLK_CACHE": str(work)}
    env = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")} | settings
    commands = [f"warm {' '.join(names)}", *([] if names else COMMANDS)]
    for command in commands:
        words = command.format(folder=work).split()
        subprocess.run([sys.executable, "-m", "wayfolk", *words], env=env, check=True)
    n_files, n_bytes = collect(work / "kernels", folder)
    asked = [sys.executable, "-c", STAMP]
    made = json.loads(subprocess.run(asked, env=env, check=True, capture_output=True, text=True).stdout)
    (folder / "made_for.json").write_text(json.dumps(made | {"tag": tag()}, indent=1), encoding="utf-8")
    shutil.rmtree(work)
    print(
        f"{n_files} kernels, {n_bytes / 1e6:.0f} MB before compression, for {made['processor'][1]} and {made['versions']}"
    )


STAMP = """
import json
from wayfolk.compile.code_cache import versions
from wayfolk.compile.jit import kernel
from wayfolk.compile.numba_parts import processor
print(json.dumps({"versions": versions(), "processor": processor(kernel(lambda: 0).targetctx)}))
"""


def collect(kernels: Path, folder: Path) -> tuple[int, int]:
    """Copy the files of what Python calls: they hold all that these kernels call. Their number, and their bytes."""
    n_files = n_bytes = 0
    for file in sorted(kernels.rglob("*.nbc")):
        if ENTRY in file.read_bytes():
            (folder / file.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / file.parent.name / file.name)
            n_files, n_bytes = n_files + 1, n_bytes + file.stat().st_size
    return n_files, n_bytes


def tag() -> str:
    """The wheel's tag: this Python, and the systems that llvmlite, which loads the code, is installed for."""
    text = distribution("llvmlite").read_text("WHEEL") or ""
    systems = [line.rpartition("-")[2] for line in text.splitlines() if line.startswith("Tag: ")]
    python = f"cp{sysconfig.get_config_var('py_version_nodot')}"
    return f"{python}-none-{'.'.join(systems)}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

"""What a fresh install must be able to do: find a path, plan for two agents, read built-in files, write a replay. Run by `make dist`.

Where the wheel brings machine code, nothing may be compiled, and no file of machine code may be written.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

CACHE = TemporaryDirectory()
os.environ["WAYFOLK_CACHE"] = CACHE.name

import wayfolk as wf
from wayfolk.cli.warm import warm_one
from wayfolk.compile import jit, wheel_code

compiled = []
jit.on_compile(lambda: compiled.append("a kernel was compiled"))

grid = wf.parse_ascii("....\n.@@.\n....", "four")
path = wf.find_path(grid, (0, 0), (3, 2))
assert path.is_solved, path
problem = wf.one_shot(grid, [(0, 0), (3, 2)], [(3, 2), (0, 0)])
result = wf.solve(problem, "hca")
assert result.is_solved, result
assert not wf.check(result.plan, problem)
rooms = wf.read_map("rooms", "four")  # what comes with the package
assert wf.read_scen("rooms", rooms, agents=5).n_agents == 5
assert wf.read_scene("re-tasking").errands
assert wf.solve(wf.read_scen("rooms", rooms, agents=20), seconds=2).is_solved
program = Path(sys.executable).with_name("wayfolk")
subprocess.run([program, "solve", "rooms", "--random", "20"], check=True, timeout=600, stdout=subprocess.DEVNULL)
for name in ("jps", "lrta", "whca", "pibt", "cbs", "sdp", "orca"):
    warm_one(name)
with TemporaryDirectory() as folder:
    page = Path(folder) / "search.html"
    wf.search_page(grid, (0, 0), (3, 2), "astar", "dijkstra").save(page)
    assert "Wayfolk replay" in page.read_text(encoding="utf-8")
if wheel_code.FOLDER.is_dir():
    assert not compiled
    assert not list(Path(CACHE.name).rglob("*.nbc"))
    print("it compiled nothing")
print(f"wayfolk {wf.__version__} works")

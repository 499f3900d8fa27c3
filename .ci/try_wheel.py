"""What a fresh install must be able to do: find a path, plan for two agents, read built-in files, write a replay. Run by `make dist`."""

from pathlib import Path
from tempfile import TemporaryDirectory

import wayfolk as wf

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
with TemporaryDirectory() as folder:
    page = Path(folder) / "search.html"
    wf.search_page(grid, (0, 0), (3, 2), "astar", "dijkstra").save(page)
    assert "Wayfolk replay" in page.read_text(encoding="utf-8")
print(f"wayfolk {wf.__version__} works")

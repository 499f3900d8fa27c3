"""How long it takes to begin: importing, listing, loading a large map."""

import os
import statistics
import subprocess
import sys
import time

import numpy as np

from wayfolk.algorithms.paths import find_path
from wayfolk.files.maps import read_map
from wayfolk.world.cache import pool

SOLVE = """
import sys
from wayfolk.cli import main
sys.argv = ["wayfolk", "solve", "rooms", "--scen", "rooms", "--agents", "20", "--with", "bmaa"]
main()
"""
# as after an installation: Python keeps the bytecode of our sources
WITH_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
LIBRARIES = "import wayfolk.compile.numba_parts, typer._adapters, rich.console"


def tables(maps):
    yield (
        "Start-up",
        "The fastest of 7 fresh processes, medians of 7 imports and of 7 loads.",
        ["what", "ms", "limit"],
        [
            ["python -c pass", fresh("pass"), ""],
            ["python -c 'import wayfolk' without the interpreter", import_time(), 150],
            [
                "wayfolk list",
                fresh("import sys; sys.argv = ['wayfolk', 'list']; import wayfolk.cli as c; c.main()"),
                500,
            ],
            ["its libraries: numpy, numba, typer with pydantic", libraries := fresh(LIBRARIES), ""],
            ["wayfolk solve --with bmaa, all compiled before", solve := fresh(SOLVE), ""],
            ["wayfolk solve, without its libraries", solve - libraries, 400],
            [
                "read_map(orz900d), 1491 x 656",
                statistics.median(times(lambda: read_map(maps / "mapf" / "orz900d.map"))),
                100,
            ],
        ],
    )
    yield (
        "Memory of a map and a search",
        "Bytes for each cell of orz900d (978,096 cells): the grid, and the arrays of an A* that has crossed the map.",
        ["what", "bytes a cell", "limit"],
        memory(read_map(maps / "mapf" / "orz900d.map")),
    )


def memory(grid):
    n = grid.width * grid.height
    cells = grid.free_cells[grid.components[grid.free_cells] == np.bincount(grid.components[grid.free_cells]).argmax()]
    result = find_path(grid, cells[0], cells[-1], "dijkstra")
    assert result.is_solved
    known = {id(a): a for a in vars(grid).values() if isinstance(a, np.ndarray)}
    world = sum(a.nbytes for a in known.values() if a.base is None)
    (parts,) = pool(grid, "memories")
    memory, queue, path = parts
    search = sum(array.nbytes for array in (*memory, *queue, path))
    return [["grid", world / n, ""], ["search", search / n, ""], ["both", (world + search) / n, 100]]


def times(job):
    """The milliseconds of 7 runs."""
    taken = []
    for _ in range(7):
        began = time.perf_counter()
        job()
        taken.append((time.perf_counter() - began) * 1e3)
    return taken


def fresh(code):
    def run():
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, env=WITH_BYTECODE)

    return min(times(run))


def import_time():
    code = "import time; t = time.perf_counter(); import wayfolk; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(7)]
    return statistics.median(float(run.stdout) for run in runs) * 1e3

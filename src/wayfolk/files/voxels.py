"""Moving AI voxel maps: `voxel` and three sizes, then a line with x, y and z for each blocked voxel.

Brewer and Sturtevant, "Benchmarks for Pathfinding in 3D Voxel Space", 2018.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wayfolk.errors import BadMap
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.world.grid import MAX_CELLS
from wayfolk.world.voxels import Voxels


def read_voxels(file: File, neighbours: int = 26) -> Voxels:
    """The voxel map in a `.3dmap` file, in which a voxel has 6 or 26 `neighbours`."""
    head, _, body = bytes(read_bytes(file, BadMap)).partition(b"\n")
    words = head.split()
    if len(words) != 4 or words[0] != b"voxel" or not all(word.isdigit() and len(word) < 10 for word in words[1:]):
        raise BadMap(f"{file}, line 1: should be 'voxel' and three sizes, not {shown(head)}")
    sizes = [int(word) for word in words[1:]]
    if not 0 < sizes[0] * sizes[1] * sizes[2] <= MAX_CELLS:
        raise BadMap(f"{file}, line 1: a map has from 1 to {MAX_CELLS} voxels, not {' x '.join(map(str, sizes))}")
    blocked = np.array(_blocked(file, body, sizes), dtype=np.int64).reshape(-1, 3)
    free = np.ones(sizes[::-1], dtype=bool)
    x, y, z = blocked.T
    free[z, y, x] = False
    return Voxels(free, neighbours, name=Path(file).stem)


def _blocked(file: File, body: bytes, sizes: list[int]) -> list[list[int]]:
    """The rows of the file as numbers."""
    rows = []
    for number, line in enumerate(body.split(b"\n"), 2):
        words = line.split()
        if not words:
            continue
        if len(words) != 3 or not all(word.isdigit() and len(word) < 10 for word in words):
            raise BadMap(f"{file}, line {number}: should be x, y and z of a blocked voxel, not {shown(line)}")
        row = [int(word) for word in words]
        if not all(map(int.__lt__, row, sizes)):
            raise BadMap(f"{file}, line {number}: {shown(line)} is outside {' x '.join(map(str, sizes))} voxels")
        rows.append(row)
    return rows

"""One agent, a whole path. Each file is an algorithm; see `wayfolk.algorithms.catalogue` for what a file holds.

    begin(world, start, goal, *, watch=False, ...options) -> Task

`world` is a Grid or a Graph, `start` and `goal` are its cells (numbers, checked by `find_path`). With `watch` the
result's `events` lists the expanded cells in order.
"""

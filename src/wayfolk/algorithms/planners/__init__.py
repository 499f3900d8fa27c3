"""Planners: many agents, a whole plan. Each file is an algorithm; see `wayfolk.algorithms.catalogue` for what a file holds.

    begin(problem, *, seed=0, ...options) -> Task

`advance(expansions)` goes on planning and returns the status. The result's `plan` has the cell of every agent at every
step, once the status is SOLVED. GAVE_UP: the algorithm found no plan, but there may be one. A planner that works for long
between two expansions returns early when `until` has come (see `wayfolk.algorithms.task`).
"""

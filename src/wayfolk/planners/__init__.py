"""Many agents, a whole plan. Each file is an algorithm; see `wayfolk.catalogue` for what a file holds.

    begin(problem, *, seed=0, ...options) -> Task

The result's `plan` has every agent's cell at every step.
"""

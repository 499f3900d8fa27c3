"""What controllers share whose agents plan alone: one search for each agent that asks, and the path as its route."""

from wayfolk.compile.jit import inner
from wayfolk.kernels import best_first
from wayfolk.kernels.codes import FOUND
from wayfolk.kernels.crew import give_route, is_goal, wait
from wayfolk.problem.result import NO_LIMIT

RESTS = 16  # steps that an agent on its goal rests before it is asked again


@inner
def rests_on_goal(crew, agent):
    """Let `agent` rest if it is on its goal; whether it is."""
    if not is_goal(crew, crew.agents[agent]["here"], crew.agents[agent]["goal"]):
        return False
    wait(crew, agent, RESTS)
    return True


@inner
def find_route(arrays, graph, start, goal):
    """A* on `graph`: the outcome, and how many cells after `start` were written to `arrays.path`, in order.

    `arrays` has `memory`, `queue`, `path`, `weight`, `kind`, `per_unit` and `falls`, see `best_first`.
    """
    memory, queue, path = arrays.memory, arrays.queue, arrays.path
    best_first.open_start(memory, queue, start)
    ordering = best_first.Ordering(arrays.weight, arrays.kind, arrays.per_unit, arrays.falls, False)
    code = best_first.advance(graph, memory, queue, ordering, start, goal, NO_LIMIT, path[:0])
    if code != FOUND:
        return code, 0
    n = best_first.trace(memory, start, goal, path) - 1
    for k in range(n // 2):
        path[k], path[n - 1 - k] = path[n - 1 - k], path[k]
    return code, n


@inner
def follow(crew, agent, path, n):
    """Let the first `n` cells of `path` be the route of `agent`; without any it waits for one step."""
    if n > 0:
        give_route(crew, agent, path, n)
    else:
        wait(crew, agent, 1)

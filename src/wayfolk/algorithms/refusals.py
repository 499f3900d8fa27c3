"""What an algorithm is not made for, by its facts: each refusal is one sentence, here and nowhere else."""

from __future__ import annotations

from wayfolk.algorithms.entry import ANY, GRAPH, GRID, WORLDS, Entry
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.problem.problem import Problem
from wayfolk.world.body import POINT, in_words
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def check_problem(entry: Entry, problem: Problem) -> None:
    """Raise NotSupported or BadProblem if a planner cannot plan for `problem`."""
    check_states(entry, problem)
    if not problem.is_one_shot:
        raise NotSupported(f"{entry.name} plans for agents with one goal each: simulate patrols and tasks")
    if problem.shared_goals:
        raise BadProblem(f"{shared_goals(problem)}: no plan brings them all there, but a controller brings one of them")


def check_states(entry: Entry, problem: Problem) -> None:
    """Raise NotSupported if an algorithm for many agents does not work in their world, or for their bodies."""
    if entry.worlds == GRID and not problem.is_plain:
        raise NotSupported(f"{entry.name} works for points on square grids only, not for {_described(problem)}")
    if entry.worlds == GRAPH and problem.kinds != (POINT,):
        raise NotSupported(f"{entry.name} works for points only, not for {_described(problem)}")
    if entry.facts.get("ONE_WAY") is False and isinstance(problem.states, Graph):
        if (edge := problem.states.one_way_edge) is not None:
            here, there = map(problem.states.place, edge)
            raise NotSupported(f"{entry.name} works where agents can go back, and from {here} to {there} leads one way")
    if isinstance(problem.world, Grid):
        check_world(entry, problem.world)


def worlds_for(problem: Problem) -> tuple[str, ...]:
    """What the fact WORLDS of algorithms says that work for the bodies of a problem in its world."""
    return WORLDS if problem.is_plain else (GRAPH, ANY) if problem.kinds == (POINT,) else (ANY,)


def _described(problem: Problem) -> str:
    """The bodies and the world of a problem that is not one of points on a grid."""
    if problem.kinds == (POINT,):
        return f"points in {problem.world!r}"
    return f"the bodies {in_words(problem.kinds)} in {problem.world!r}"


def shared_goals(problem: Problem) -> str:
    """Which agents have the same goal, in a sentence."""
    place = problem.states.place
    return "; ".join(
        f"agents {', '.join(map(str, agents))} share the goal {place(goal)}" for goal, agents in problem.shared_goals
    )


def check_world(entry: Entry, world: Grid | Graph) -> None:
    """Raise NotSupported if the facts of an algorithm say that it does not work in this world."""
    facts = entry.facts
    if not isinstance(world, Grid):
        if entry.worlds == GRID:
            raise NotSupported(f"{entry.name} works on grids, not on graphs")
        return
    allowed = facts.get("MOVES")
    if allowed and world.moves.value not in allowed:
        raise NotSupported(f"{entry.name} works with the moves {', '.join(allowed)}, not {world.moves.value}")
    if facts.get("TERRAIN") is False and world._costs is not None:
        raise NotSupported(f"{entry.name} works where all cells cost the same, and this map has terrain costs")

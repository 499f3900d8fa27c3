"""What an algorithm is not made for, by its facts: each refusal is one sentence, here and nowhere else."""

from __future__ import annotations

from wayfolk.algorithms.entry import Entry
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.problem.problem import Problem
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def check_problem(entry: Entry, problem: Problem) -> None:
    """Raise NotSupported or BadProblem if a planner cannot plan for `problem`."""
    check_world(entry, problem.grid)
    if not problem.is_one_shot:
        raise NotSupported(f"{entry.name} plans for agents with one goal each: simulate patrols and tasks")
    if problem.shared_goals:
        raise BadProblem(f"{shared_goals(problem)}: no plan brings them all there, but a controller brings one of them")


def shared_goals(problem: Problem) -> str:
    """Which agents have the same goal, in a sentence."""
    place = problem.grid.place
    return "; ".join(
        f"agents {', '.join(map(str, agents))} share the goal {place(goal)}" for goal, agents in problem.shared_goals
    )


def check_world(entry: Entry, world: Grid | Graph) -> None:
    """Raise NotSupported if the facts of an algorithm say that it does not work in this world."""
    facts = entry.facts
    if not isinstance(world, Grid):
        if facts.get("WORLDS") == "grid":
            raise NotSupported(f"{entry.name} works on grids, not on graphs")
        return
    allowed = facts.get("MOVES")
    if allowed and world.moves.value not in allowed:
        raise NotSupported(f"{entry.name} works with the moves {', '.join(allowed)}, not {world.moves.value}")
    if facts.get("TERRAIN") is False and world._costs is not None:
        raise NotSupported(f"{entry.name} works where all cells cost the same, and this map has terrain costs")

"""Which algorithms fit a problem or an objective, by their facts and options.

works_for(entry, problem)                    whether an algorithm for many agents works in their world and for their bodies
complete_for(problem)                        the complete planners and controllers that fit, those for large fleets first
with_objective(entry, "makespan", options)   the options with the objective, for an algorithm that has the choice
"""

from __future__ import annotations

from typing import Any

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.options import MOST_INT
from wayfolk.algorithms.refusals import check_states
from wayfolk.errors import NotSupported, UnknownName, hint
from wayfolk.problem.problem import Problem

OBJECTIVES = ("makespan", "sum_of_costs", "sum_of_loss")
"""What a planner can minimise; `wayfolk.metrics` defines each."""
FAMILIES = ("planners", "controllers")


def complete_for(problem: Problem) -> tuple[str, ...]:
    """The names of the algorithms that find a plan for `problem` if there is one, by their facts.

    Those that do not look for an optimal plan come first, and among them those for most agents. An algorithm whose fact
    AGENTS is below the number of agents is left out.
    """
    if problem.shared_goals or not problem.is_one_shot:
        return ()
    fitting = [entry for family in FAMILIES for entry in catalogue.entries(family) if _is_complete_for(entry, problem)]
    fitting.sort(key=lambda entry: (bool(entry.facts.get("OPTIMAL")), -entry.facts.get("AGENTS", MOST_INT), entry.name))
    return tuple(dict.fromkeys(entry.name for entry in fitting))


def _is_complete_for(entry: Entry, problem: Problem) -> bool:
    is_small = problem.n_agents <= entry.facts.get("AGENTS", MOST_INT)
    return entry.facts.get("COMPLETE") is True and is_small and works_for(entry, problem)


def works_for(entry: Entry, problem: Problem) -> bool:
    """Whether an algorithm for many agents works in the world of `problem` and for its bodies, by its facts."""
    try:
        check_states(entry, problem)
    except NotSupported:
        return False
    return True


def with_objective(entry: Entry, objective: str, options: dict[str, Any]) -> dict[str, Any]:
    """`options` with the objective, if `entry` can minimise it; else an error that names those that can."""
    if objective not in OBJECTIVES:
        raise UnknownName(f"there is no objective {objective!r}{hint(str(objective), OBJECTIVES)}")
    if not _minimises(entry, objective):
        able = [one.name for family in FAMILIES for one in catalogue.entries(family) if _minimises(one, objective)]
        others = f"use {', '.join(dict.fromkeys(able))}" if able else "no algorithm can yet"
        raise NotSupported(f"{entry.name} cannot be told to minimise the {objective.replace('_', ' ')}: {others}")
    return options | {"objective": objective}


def _minimises(entry: Entry, objective: str) -> bool:
    return any(option.name == "objective" and objective in option.choices for option in entry.options)

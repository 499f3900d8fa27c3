"""CO-WHCA* (reconstruction): agents plan as if alone, and only around a conflict does one of them reserve its way.

Bnaya and Felner, "Conflict-oriented windowed hierarchical cooperative A*", ICRA 2014, rebuilt from its abstract and from
Renukamurthy, "Improving spatially distributed multiagent pathfinding using Cooperative JPS", 2016, section 2.2.1.

Guarantees  for each agent the cheapest way to spend the next `window` steps around what others have reserved, counted with
            the true distance that is left. Until the next round, which is half a window away, no two ways collide.
            Nothing is guaranteed beyond that.
Invariants  in the `steps` time model no move is refused while nothing but goals changes: an agent without a way goes on as
            it had planned before, or stays, and the others plan around it. Agents that join, are released or are done,
            and new walls, may get in the way of a move. What is reserved is on the way of an agent that has met a conflict.
Cost        that of WHCA*, and two searches for each conflict. Looking for conflicts takes the agents times the slots until
            the next round, and a part of that again after each conflict.
Deviations  the paper was not at hand. Here a round begins every half window, and ways reach a whole window ahead. The
            earliest conflict before the next round is taken first. Both agents are tried as its owner, who reserves its
            way for half a window before and after the conflict while the other one plans again. The cheaper pair is kept;
            of equal ones the agent with fewer free neighbours owns, then the one whose turn comes first. An agent on its
            goal owns only if that lets the other one pass, or if both have this goal. An owner keeps its window in later
            rounds, unless it loses another conflict. An agent that loses more than three times in a round reserves all of
            its way, as in WHCA*. Where moves take as long as they are far, a slot is a twelfth of a step, and some moves
            are refused.
"""

from typing import Annotated

from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers.co_whca.controller import ConflictOriented
from wayfolk.algorithms.options import Range
from wayfolk.problem.problem import Problem

PAPER = "Bnaya and Felner 2014 (reconstruction)"
OPTIMAL = False
COMPLETE = False
SEES = "all"


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed. Nothing here is random."] = 0,
    window: Annotated[
        int, Range(2, 1000), "Steps ahead that agents plan; half of it before and after a conflict is reserved."
    ] = 16,
) -> Controller:
    """A controller that lets the agents of `problem` reserve their ways around conflicts only."""
    return ConflictOriented(problem, window)

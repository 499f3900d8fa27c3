"""The order in which agents plan a window: another one of them first at each round, and who rests on its goal last."""

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crew import N_ASKED, is_goal

ROUND, PAUSED = range(2)  # places in `turn`


@inner
def take_seats(crew, seats, turn, order):
    """Write the asked agents to `order`. `seats` has two places for each agent.

    `turn[ROUND]` counts the rounds; after one that has paused, which `turn[PAUSED]` says, the rest has the same order.
    """
    agents, n_asked = crew.agents, crew.counts[N_ASKED]
    turn[ROUND] -= turn[PAUSED]
    turn[PAUSED] = 0
    seats[:] = NOBODY
    for k in range(n_asked):
        agent = crew.asked[k]
        # an agent that rests on the goal plans last, and steps aside for the others
        rests = is_goal(crew, agents[agent]["here"], agents[agent]["goal"])
        seats[(agent - turn[ROUND]) % agents.size + (agents.size if rests else 0)] = agent
    n = 0
    for agent in seats:
        if agent != NOBODY:
            order[n] = agent
            n += 1
    turn[ROUND] += 1

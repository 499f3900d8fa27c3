"""The order in which agents plan a window: another one of them first at each round, and who rests on its goal last."""

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crew import N_ASKED


@inner
def take_seats(crew, seats, turn, order):
    """Write the asked agents to `order`. `seats` has two places for each agent; `turn[0]` counts the rounds."""
    agents, n_asked = crew.agents, crew.counts[N_ASKED]
    seats[:] = NOBODY
    for k in range(n_asked):
        agent = crew.asked[k]
        # an agent that rests on the goal plans last, and steps aside for the others
        rests = agents[agent]["here"] == agents[agent]["goal"]
        seats[(agent - turn[0]) % agents.size + (agents.size if rests else 0)] = agent
    n = 0
    for agent in seats:
        if agent != NOBODY:
            order[n] = agent
            n += 1
    turn[0] += 1

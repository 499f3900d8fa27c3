"""The referee of nodes and places, compared with a slow twin: random moves of agents in tiny worlds of every kind."""

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.extend import Controller
from wayfolk.kernels.codes import MOVE, NOBODY, REFUSED
from wayfolk.world.body import Body

N_PROBLEMS = 12  # of each kind
N_STEPS = 12


class Erratic(Controller):
    """Each agent wants to go along a random edge, or to stay; `wants` are those of the present step."""

    WORLDS = "any"
    lookahead = 1

    def __init__(self, problem, seed):
        super().__init__(problem.n_agents)
        self.random, self.wants = np.random.default_rng(seed), []

    def decide(self, view):
        states = view.states
        self.wants = []
        for agent in view.asked.tolist():
            here = int(view.here[agent])
            ways = states.graph.target[states.graph.first[here] : states.graph.first[here + 1]]
            self.wants.append(int(self.random.choice(np.append(ways, here))))
            view.answer(agent, self.wants[-1:])


class Planned(Controller):
    """Agents with given routes."""

    WORLDS = "any"

    def __init__(self, routes):
        super().__init__(len(routes))
        self.routes = routes

    def decide(self, view):
        for agent in view.asked.tolist():
            view.answer(agent, [view.states.node(self.routes[agent], view.states.kind_of(int(view.here[agent])))])


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_the_moves_of_a_step_are_judged_as_by_the_twin(kind):
    n_moves, n_refused = 0, 0
    for number in range(N_PROBLEMS):
        problem = twin.drawn_problem(kind, number, most_agents=5)
        controller = Erratic(problem, number)
        world = wf.Simulation(problem, controller)
        for _ in range(N_STEPS):
            before = world.crew.agents["here"].tolist()
            world.status = wf.Status.RUNNING  # also if all happen to be on their goals
            world.step()
            here = [twin.state_of(problem, node) for node in before]
            wants = [twin.state_of(problem, node) for node in controller.wants]
            moves = twin.judged_moves(problem, here, wants)
            after = [want if moves[k] else before[k] for k, want in enumerate(controller.wants)]
            assert world.crew.agents["here"].tolist() == after, number
            check_places(world)
        n_moves += len(world.record().of(MOVE))
        n_refused += len(world.record().of(REFUSED))
    assert n_moves > N_PROBLEMS
    assert n_refused


def check_places(world):
    """Every place is held by the agent on whose node it is."""
    held = {}
    table = world.states.occupancy
    for agent, node in enumerate(world.crew.agents["here"].tolist()):
        for place in table.node_places[table.node_first[node] : table.node_first[node + 1]].tolist():
            assert place not in held
            held[place] = agent
    occupant = world.crew.occupant
    assert {place: int(occupant[place]) for place in np.flatnonzero(occupant != NOBODY).tolist()} == held


def places_after_one_step(grid, starts, targets, bodies):
    world = wf.Simulation(wf.one_shot(grid, starts, starts, bodies=bodies), Planned(targets))
    world.status = wf.Status.RUNNING
    world.step()
    return world.places()


def test_a_large_body_moves_only_if_all_in_front_of_it_do():
    """One of 2 x 2 behind two of 1 x 1."""
    grid = wf.Grid([[1] * 6] * 2)
    bodies = [Body(size=2), Body(), Body()]
    starts = [(0, 0), (2, 0), (2, 1)]
    assert places_after_one_step(grid, starts, [(1, 0), (3, 0), (3, 1)], bodies) == [(1, 0), (3, 0), (3, 1)]
    assert places_after_one_step(grid, starts, [(1, 0), (3, 0), (2, 1)], bodies) == [(0, 0), (3, 0), (2, 1)]


def test_a_chain_of_bodies_stands_if_its_first_one_does():
    """The refusal reaches all those behind, whatever their numbers."""
    grid = wf.Grid([[1] * 12] * 2)
    starts = [(4, 0), (0, 0), (8, 0), (2, 0), (6, 0)]
    ahead = [(x + 1, y) for x, y in starts]
    assert places_after_one_step(grid, starts, ahead, Body(size=2)) == ahead
    stops = [*ahead[:2], (8, 0), *ahead[3:]]
    assert places_after_one_step(grid, starts, stops, Body(size=2)) == starts


def test_a_ring_of_points_turns_and_two_do_not_swap():
    """On the triangle of a graph, and on one of its edges."""
    triangle = wf.Roadmap(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    assert places_after_one_step(triangle, ["a", "b", "c"], ["b", "c", "a"], None) == ["b", "c", "a"]
    assert places_after_one_step(triangle, ["a", "b"], ["b", "a"], None) == ["a", "b"]

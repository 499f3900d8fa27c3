"""Turns at the entrances of lanes: who has no turn yet stays where it is, and each turn is one agent's."""

from __future__ import annotations

import numpy as np

from algorithms.controllers.sdp.halls import halls
from wayfolk.algorithms.controllers.sdp.turns import AHEAD
from wayfolk.judge.records import check_record
from wayfolk.problem import events
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation


def rush(rows: int = 14, columns: int = 3) -> Problem:
    """A hall of agents who all want to go to the other hall, through one corridor."""
    grid = halls(2, 1)
    starts = [(x, y) for y in range(rows) for x in range(columns)]
    return one_shot(grid, starts, [(30 - x, y) for x, y in starts])


def assert_turns_fit(simulation: Simulation) -> None:
    """No two agents have the same turn, each is booked, and the clocks know whose turn has come."""
    arrays = simulation.controller.arrays
    states, turns = arrays.rooms.states, arrays.turns
    waiting = states[states["present"] & (states["turn"] > 0)]
    for link, clock in enumerate(turns.clocks):
        booked = waiting["turn"][waiting["link"] == link]
        assert len(set(booked.tolist())) == len(booked)
        assert clock["n_due"] == (booked <= clock["time"]).sum()
        to_come = booked[booked > clock["time"]]
        assert (turns.booked[link, to_come % AHEAD] == to_come).all()
        assert (turns.booked[link] > clock["time"]).sum() == len(to_come)


def test_agents_stay_where_they_are_until_their_turn_comes() -> None:
    problem = rush()
    simulation = Simulation(problem, "sdp")
    longest = 0
    while not simulation.status.is_final and simulation.time < 500:
        simulation.advance(1)
        assert_turns_fit(simulation)
        states = simulation.controller.arrays.rooms.states
        waits = (states["turn"] > 0) & ~states["set_out"]
        longest = max(longest, int(waits.sum()))
    assert longest > 10
    assert simulation.status is Status.SOLVED
    assert check_record(simulation.record()) == []


def test_agents_that_leave_or_go_elsewhere_give_up_their_turns() -> None:
    simulation = Simulation(rush(), "sdp")
    for agent in range(0, 30, 3):
        simulation.happen(events.leave(5 + agent // 6, agent))
        simulation.happen(events.retask(6 + agent // 6, agent + 1, (13, agent // 3)))
    while not simulation.status.is_final and simulation.time < 500:
        simulation.advance(1)
        assert_turns_fit(simulation)
    assert simulation.status is Status.SOLVED
    assert not np.asarray(simulation.controller.arrays.turns.clocks["n_due"]).any()
    assert check_record(simulation.record()) == []

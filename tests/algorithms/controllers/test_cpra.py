"""CPRA*: WHCA* below an abstract path."""

import numpy as np
import pytest

from wayfolk.errors import BadInput
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE, NOBODY, REFUSED, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import random_map


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_nobody_leaves_its_corridor_and_no_move_is_refused(moves):
    problem = patrol(random_map(48, 48, 0.1, seed=1, moves=moves), agents=40, loops=3, seed=2)
    world = Simulation(problem, "cpra", window=8)
    n_inside = 0
    while not world.advance(1).is_final and world.time < 400:
        arrays, agents = world.controller.arrays, world.crew.agents
        for number in range(len(agents)):
            leg = arrays.legs[number]
            if agents[number]["done"] or leg["goal"] != agents[number]["goal"]:
                continue
            first, target = arrays.graph.first, arrays.graph.target
            wide = set(arrays.nodes[number, : leg["n_nodes"]].tolist())
            for _ in range(leg["rings"]):
                wide = wide.union(*(target[first[node] : first[node + 1]].tolist() for node in wide))
            assert arrays.node[agents[number]["here"]] in wide
            n_inside += 1
    assert world.status is Status.SOLVED
    assert n_inside > 1000
    assert len(world.record().of(REFUSED)) == 0
    assert check_record(world.record()) == []
    assert not arrays.inside.any()


@pytest.mark.plain
def test_the_corridor_leads_around_a_long_wall():
    """The straight way is a dead end that is deeper than the window."""
    grid = parse_ascii(
        "\n".join(["." * 40, "." * 38 + "#.", *(["." * 38 + "#."] * 20), "." * 38 + "#.", "#" * 39 + "."])
    )
    run = simulate(one_shot(grid, [(37, 22)], [(39, 23)]), "cpra", window=4, until=200)
    assert run.status is Status.SOLVED
    whca = simulate(one_shot(grid, [(37, 22)], [(39, 23)]), "whca", window=4, until=200)
    assert len(run.record.of(MOVE)) <= 1.2 * len(whca.record.of(MOVE))


def test_it_searches_less_than_whca_on_a_large_map():
    problem = patrol(random_map(128, 128, 0.1, seed=3), agents=10, loops=1, seed=3)
    spent = {}
    for name in ("whca", "cpra"):
        run = simulate(problem, name, until=1500)
        assert run.status is Status.SOLVED
        spent[name] = int(run.record.cell[run.record.of(THOUGHT)].sum())
    assert spent["cpra"] < spent["whca"]


def test_a_door_leaves_reservations_as_they_are():
    """Only who loses its route may be in the way of others."""
    problem = patrol(random_map(48, 48, 0.1, seed=1), agents=60, loops=4, seed=2)
    world = Simulation(problem, "cpra", window=8)
    rng = np.random.default_rng(0)
    for _ in range(20):
        empty = world.grid.free_cells[world.crew.occupant[world.grid.free_cells] == NOBODY]
        door = [world.grid.place(cell) for cell in rng.choice(empty, 3, replace=False)]
        for event in (events.block, events.free):
            world.happen(event(0, door))
            world.advance(5)
            assert world.controller.grid is world.grid
    n_refused = len(world.record().of(REFUSED))
    assert n_refused <= 3
    assert check_record(world.record()) == []


def test_every_level_works():
    problem = patrol(random_map(24, 24, 0.1, seed=2), agents=12, loops=1, seed=1)
    for level in (1, 2, 3, 99):
        run = simulate(problem, "cpra", window=8, level=level, until=1000)
        assert run.status is Status.SOLVED
        assert check_record(run.record) == []


@pytest.mark.parametrize(("option", "value"), [("window", 1), ("window", 5000), ("level", -1)])
def test_bad_options_are_named(option, value):
    with pytest.raises(BadInput, match=option):
        simulate(patrol(random_map(8, 8, 0.0), agents=2, loops=1), "cpra", **{option: value})

"""PIBT: nobody collides, the most impatient gets there, bridges are crossed, and guidance is worth it."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import legal_moves, small_grids, steps_from
from wayfolk.algorithms.controllers import pibt
from wayfolk.algorithms.controllers.pibt import fields as guided_fields
from wayfolk.algorithms.controllers.pibt.bridges import find_bridges, new_bridges
from wayfolk.errors import BadInput
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels import field_store
from wayfolk.kernels.codes import ARRIVE, REFUSED
from wayfolk.problem.problem import one_shot, tasks
from wayfolk.problem.record import DISTANCE, STEPS
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import begin_plan, simulate
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

GUIDANCE = ["none", "criss_cross", "directions"]
NOWHERE = 2**31 - 1


def test_the_guidances_tested_here_are_all_there_are():
    from wayfolk.algorithms import catalogue

    options = {option.name: option for option in catalogue.find("pibt", "controllers").options}
    assert list(options["guidance"].choices) == GUIDANCE


@pytest.mark.parametrize("guidance", GUIDANCE)
@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_no_move_is_ever_refused(moves, guidance):
    problem = tasks(random_map(14, 14, 0.15, seed=3, moves=moves), agents=90, seed=1)
    run = simulate(problem, "pibt", until=150, guidance=guidance, every=5, seed=2)
    assert len(run.record.of(REFUSED)) == 0
    assert check_record(run.record) == []
    assert len(run.record.of(ARRIVE)) > 90


def test_no_move_is_refused_where_diagonals_take_longer():
    problem = tasks(random_map(14, 14, 0.15, seed=3), agents=60, seed=1)
    run = simulate(problem, "pibt", until=60, model=DISTANCE)
    assert len(run.record.of(REFUSED)) == 0
    assert check_record(run.record) == []
    assert len(run.record.of(ARRIVE)) > 60


@pytest.mark.parametrize("free", [1, 2, 6])
@pytest.mark.parametrize("guidance", GUIDANCE)
def test_on_cycles_everybody_arrives_in_time(free, guidance):
    """The theorem: every move lies on a cycle, so each agent reaches a goal within diameter times agents steps."""
    grid = parse_ascii(
        """
        .....
        .#.#.
        .....
        .#.#.
        .....
    """,
        moves="four",
    )
    n = len(grid.free_cells) - free
    run = simulate(tasks(grid, agents=n, seed=free), "pibt", until=8 * n, guidance=guidance)
    assert check_record(run.record) == []
    assert (np.bincount(run.record.agent[run.record.of(ARRIVE)], minlength=n) > 0).all()


def test_the_most_impatient_stays_first_and_comes_nearer_with_every_step():
    grid = Grid(np.ones((5, 5)), "four")
    world = Simulation(tasks(grid, agents=24, seed=5), "pibt")
    world.advance(1)
    for _ in range(200):
        first = int(world.controller.order[0])
        here, goal = (int(world.crew.agents[first][name]) for name in ("here", "goal"))
        left = steps_from(grid, goal)
        world.advance(1)
        after = world.crew.agents[first]
        if world.controller.order[0] == first and after["goal"] == goal:
            assert left[int(after["here"])] == left[here] - 1 or here == goal


@pytest.mark.plain
def test_four_agents_turn_in_a_ring():
    grid = Grid(np.ones((2, 2)), "four")
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    task = begin_plan(one_shot(grid, corners, corners[1:] + corners[:1]), "pibt")
    task.advance(10)
    assert task.result().plan.n_steps == 1


@pytest.mark.parametrize("model", [STEPS, DISTANCE])
def test_two_change_places_in_a_dead_end(model):
    """One is inside and wants out, the other one is outside and wants in."""
    grid = parse_ascii("""
        .....
        ##.##
        ##.##
        ##.##
    """)
    run = simulate(one_shot(grid, [(2, 3), (2, 0)], [(0, 0), (2, 3)]), "pibt", until=100, model=model)
    assert run.status.name == "SOLVED"
    if model == DISTANCE:
        return  # no more is promised there
    run = simulate(tasks(grid, agents=2, seed=1), "pibt", until=400, model=model)
    late = run.record.of(ARRIVE)[run.record.time[run.record.of(ARRIVE)] > 300]
    assert set(run.record.agent[late]) == {0, 1}


@given(data=st.data())
def test_bridges_are_the_moves_without_which_the_map_falls_apart(data):
    grid = data.draw(small_grids())
    bridges = new_bridges(grid)
    find_bridges(bridges, grid.legal, grid.offsets, np.zeros(grid.n_cells, np.uint8))
    for cell in grid.free_cells.tolist():
        for k in range(8):
            if grid.legal[cell] >> k & 1:
                other = int(cell + grid.offsets[k])
                assert bool(bridges.bits[cell] >> k & 1) == (other not in _reached(grid, cell, (cell, other)))


def _reached(grid, start, without):
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for there in legal_moves(grid, here):
            if there not in seen and {here, there} != set(without):
                seen.add(there)
                todo.append(there)
    return seen


@pytest.mark.parametrize("guidance", GUIDANCE)
def test_distances_are_the_least_sums_of_prices(guidance):
    grid = random_map(12, 12, 0.2, seed=8)
    world = Simulation(tasks(grid, agents=20, seed=2), "pibt", guidance=guidance, every=10)
    world.advance(10)
    fields = world.controller.arrays.push.fields
    assert guidance == "none" or len(np.unique(fields.prices[grid.free_cells, :4])) > 1
    n_settled = 0
    for row in np.flatnonzero(fields.rows["epoch"] == fields.counts[guided_fields.EPOCH]):
        if fields.rows[row]["goal"] == NOWHERE:
            continue
        left = _prices_to(grid, fields.prices, int(fields.rows[row]["goal"]))
        settled = _settled(fields, row)
        n_settled += len(settled)
        for cell, distance in settled.items():
            assert distance == (left[cell] // fields.straight % 7 if fields.is_equal else left[cell])
    assert n_settled > 500


def _settled(fields, row):
    """The distances that the search of a row has settled, by cell; modulo 7 where all moves cost the same."""
    known = field_store.values(fields.store, row, len(fields.legal))
    found = np.flatnonzero(known & 1)
    return dict(zip(found.tolist(), (known[found] // 2 - 1).tolist(), strict=True))


def _prices_to(grid, prices, goal):
    left, queue = {}, [(0, goal)]
    while queue:
        g, here = heapq.heappop(queue)
        if here in left:
            continue
        left[here] = g
        for there in legal_moves(grid, here):
            k = grid.offsets.tolist().index(here - there)
            heapq.heappush(queue, (g + int(prices[there, k]), there))
    return left


def test_few_rows_for_fields_change_nothing_but_the_time(monkeypatch):
    problem = tasks(random_map(16, 16, 0.1, seed=4), agents=30, seed=2)
    plenty = simulate(problem, "pibt", until=200)
    monkeypatch.setattr(guided_fields, "KEPT_CELLS", 0)
    world = Simulation(problem, "pibt")
    world.advance(200)
    assert len(world.controller.arrays.push.fields.rows) == 37  # a quarter more, for agents that join
    assert np.array_equal(plenty.record.plan().cells, world.record().plan().cells)


@pytest.mark.plain
def test_criss_cross_is_cheap_along_its_lanes():
    grid = Grid(np.ones((4, 4)), "four")
    world = Simulation(tasks(grid, agents=1), "pibt", guidance="criss_cross")
    prices = world.controller.arrays.push.fields.prices
    east, south, west, north = prices[grid.cell((2, 1)), :4].tolist()  # an odd row, an even column
    assert west == north == pibt.FINE
    assert east == south == 2 * pibt.FINE


@pytest.mark.plain
def test_lanes_are_learned_from_moves_and_cost_more_against_them():
    grid = parse_ascii("..........", moves="four")
    world = Simulation(
        tasks(grid, agents=1, pool=[(9, 0)]), "pibt", guidance="directions", every=1, w_max=3.0, alpha=1.0
    )
    world.advance(40)
    row = world.controller.map.vectors[grid.cells([(8, 0), (9, 0)])]
    assert (row == [1.0, 0.0]).all()
    prices = world.controller.arrays.push.fields.prices
    assert prices[grid.cell((8, 0)), 0] == pibt.FINE
    assert prices[grid.cell((9, 0)), 2] == 4 * pibt.FINE


@pytest.mark.parametrize("guidance", ["criss_cross", "directions"])
def test_guidance_lifts_throughput_in_a_crowd(guidance):
    problem = tasks(random_map(32, 32, 0.2, seed=1, moves="four"), agents=350, seed=1)
    plain = simulate(problem, "pibt", until=400).service.throughput
    guided = simulate(problem, "pibt", until=400, guidance=guidance).service.throughput
    assert guided > plain


@pytest.mark.parametrize(
    ("option", "value"),
    [("w_max", -1.0), ("alpha", 0.0), ("alpha", 1.5), ("every", 0), ("effort", 0)],
)
def test_bad_options_are_named(option, value):
    with pytest.raises(BadInput, match=option):
        simulate(tasks(random_map(8, 8, 0.0), agents=2), "pibt", until=5, **{option: value})

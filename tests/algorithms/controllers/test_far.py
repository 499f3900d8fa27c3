"""FAR and A*-Replan: reservations, who waits for whom, and those who make way."""

import heapq
import itertools
import time

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from reference import N_WORLDS, shortest_cost, small_problems
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers.far.paths import N_FREE, SIZE
from wayfolk.algorithms.controllers.far.state import LOST, PLANNED
from wayfolk.errors import BadInput, BadProblem, UnknownName
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import fuel
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE, NOBODY, NOWHERE, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import Problem, one_shot, patrol
from wayfolk.problem.record import DISTANCE, STEPS
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate, solve
from wayfolk.world.flow import flow_of
from wayfolk.world.generate import draw_pairs, maze, random_map
from wayfolk.world.grid import Grid

NAMES = ("far", "a_star_replan")
both = pytest.mark.parametrize("name", NAMES)
both_models = pytest.mark.parametrize("model", [STEPS, DISTANCE])


def path_of(world, number):
    """The cells that are left to an agent, from where its reservations end."""
    arrays = world.controller.arrays
    member = arrays.members[number]
    n_held, n_left, block = member["n_held"], member["n_left"], member["top"]
    cell = arrays.held[number, n_held - 1] if member["walked"] < n_held else member["own"]
    cells = []
    for at in range(n_left - 1, -1, -1):
        cell = int(cell) + int(arrays.graph.offsets[arrays.stacks.moves[block, at % SIZE]])
        cells.append(cell)
        block = arrays.stacks.below[block] if at % SIZE == 0 else block
    return cells


def owned_by(world):
    """The cells that belong to each agent, by the table and by what the agent says of itself."""
    arrays = world.controller.arrays
    owner = arrays.spots["owner"]
    owners = [set() for _ in arrays.members]
    for cell in np.flatnonzero(owner != NOBODY).tolist():
        owners[owner[cell]].add(cell)
    held, own = arrays.held.tolist(), arrays.members["own"].tolist()
    spans = zip(arrays.members["walked"].tolist(), arrays.members["n_held"].tolist(), strict=True)
    said = [{*held[k][walked:end], own[k]} - {NOWHERE} for k, (walked, end) in enumerate(spans)]
    return owners, said


def broken_rules(world):
    """What does not hold of plans and reservations, as they were when agents were last asked."""
    arrays, broken = world.controller.arrays, []
    owner = arrays.spots["owner"]
    owners, said = owned_by(world)
    if owners != said:
        broken.append(f"owned {owners}, said {said}")
    here, waits_for = world.crew.agents["here"].tolist(), arrays.members["waits_for"].tolist()
    states, goals = arrays.members["state"].tolist(), arrays.members["goal"].tolist()
    for number, mine in enumerate(said):
        if here[number] not in mine:
            broken.append(f"agent {number} is where it owns nothing")
        if waits_for[number] != NOBODY:
            if len(mine) != 1 or waits_for[number] == number:
                broken.append(f"agent {number} waits with {mine}")
            if all(owner[cell] != waits_for[number] for cell in path_of(world, number)[: arrays.reservation]):
                broken.append(f"agent {number} waits for {waits_for[number]}, who is not in its way")
        if states[number] == PLANNED:
            member = arrays.members[number]
            held = arrays.held[number, member["walked"] : member["n_held"]].tolist()
            end = [int(member["own"]), *held, *path_of(world, number)][-1]
            if end != goals[number]:
                broken.append(f"the path of agent {number} ends at {end}")
    used = sum(-(-n // SIZE) for n in arrays.members["n_left"].tolist())
    if arrays.stacks.counts[N_FREE] != len(arrays.stacks.below) - used:
        broken.append("blocks of moves are lost")
    return broken


def cheapest(grid, legal, start, goal):
    """The least cost from `start` to `goal` by the moves of `legal`."""
    best, queue = {}, [(0.0, start)]
    while goal not in best:
        cost, cell = heapq.heappop(queue)
        if cell not in best:
            best[cell] = cost
            for move in range(8):
                if legal[cell] >> move & 1:
                    heapq.heappush(queue, (cost + float(grid.lengths[move]), cell + int(grid.offsets[move])))
    return best[goal]


def small_world(seed):
    """A crowded random world and options, all drawn from `seed`."""
    rng = np.random.default_rng(seed)
    grid = random_map(int(rng.integers(3, 10)), int(rng.integers(3, 10)), rng.uniform(0, 0.35), seed=seed)
    most = max(1, int(np.bincount(grid.components[grid.free_cells]).max() * rng.uniform(0.1, 0.7)))
    starts, goals = draw_pairs(grid, most, seed=seed)
    options = {
        "reservation": int(rng.integers(1, 5)),
        "whole": bool(rng.integers(2)),
        "order": str(rng.choice(["fixed", "rotated", "shuffled"])),
        "expansions": int(rng.choice([3, 50, 10_000])),
    }
    return Simulation(one_shot(grid, grid.places(starts), grid.places(goals)), NAMES[seed % 2], seed=seed, **options)


def test_random_worlds_never_have_two_agents_in_a_cell():
    """Nobody is ever in another's cell, and reservations keep their rules at every step."""
    n_waits = n_detours = 0
    for seed in range(N_WORLDS):
        world = small_world(seed)
        for _ in range(30):
            world.advance(1)
            present = world.crew.agents["here"]
            assert len(set(present.tolist())) == len(present)
            assert broken_rules(world) == [], f"seed {seed}, step {world.time}"
            n_waits += (world.controller.arrays.members["waits_for"] != NOBODY).sum()
            n_detours += world.controller.arrays.members["fleeing"].sum()
        assert check_record(world.record()) == []
    assert n_waits > 1000
    assert n_detours > 1000


@given(problem=small_problems(max_agents=6), data=st.data())
def test_rules_hold_whatever_happens(problem, data):
    """With agents that get new goals, come, go and wander, and walls that come and go, in either time model."""
    grid = problem.grid
    places = st.sampled_from([grid.place(cell) for cell in grid.free_cells.tolist()])
    agents = st.integers(0, problem.n_agents - 1)
    times = st.integers(0, 20)
    happenings = data.draw(
        st.lists(
            st.one_of(
                st.builds(events.retask, times, agents, places),
                st.builds(events.join, times, places, places),
                st.builds(events.leave, times, agents),
                st.builds(events.release, times, agents),
                st.builds(lambda time, place: events.block(time, [place]), times, places),
                st.builds(lambda time, place: events.free(time, [place]), times, places),
            ),
            max_size=6,
        )
    )
    model = data.draw(st.sampled_from([STEPS, DISTANCE]))
    try:
        world = Simulation(problem, data.draw(st.sampled_from(NAMES)), model=model, events=happenings)
    except BadProblem:  # a goal where a wall will be
        reject()
    for _ in range(30):
        world.advance(1 if model == STEPS else 20)
        here = world.crew.agents["here"][world.crew.agents["present"]]
        assert len(set(here.tolist())) == len(here)
        owners, said = owned_by(world)
        assert owners == said
    assert check_record(world.record()) == []


@given(problem=small_problems(max_agents=1))
def test_alone_a_star_replan_walks_a_shortest_path(problem):
    run = simulate(problem, "a_star_replan", until=100)
    assert run.status is Status.SOLVED
    assert run.distance.sum() == pytest.approx(shortest_cost(problem.grid, problem.starts[0], problem.goals[0]))


@pytest.mark.parametrize("parity", range(4))
def test_alone_far_walks_on_the_one_way_map(parity):
    grid = random_map(24, 24, 0.2, seed=parity)
    legal = flow_of(grid, parity).legal
    for seed in range(20):
        starts, goals = draw_pairs(grid, 1, seed=seed)
        run = simulate(one_shot(grid, grid.places(starts), grid.places(goals)), "far", parity=parity, until=500)
        cells = [int(starts[0]), *run.record.cell[run.record.of(MOVE)].tolist()]
        moves = [int(np.flatnonzero(grid.offsets == b - a)[0]) for a, b in itertools.pairwise(cells)]
        assert all(legal[cell] >> move & 1 for cell, move in zip(cells, moves, strict=False))
        assert run.distance.sum() == pytest.approx(cheapest(grid, legal, int(starts[0]), int(goals[0])))


@both
def test_long_paths_are_kept_whole_and_given_back(name):
    """In a maze a path takes several blocks; at the end all blocks are free."""
    grid = maze(61, 61, seed=1)
    starts, goals = draw_pairs(grid, 1, seed=3)
    world = Simulation(one_shot(grid, grid.places(starts), grid.places(goals)), name)
    world.advance(1)
    length = len(path_of(world, 0)) + 3
    assert length > 2 * SIZE
    world.advance(length)
    assert world.status is Status.SOLVED
    assert world.time == length
    assert world.controller.arrays.stacks.counts[N_FREE] == len(world.controller.arrays.stacks.below)


@both
@both_models
def test_head_on_beside_a_niche(name, model):
    """Two in a corridor: one goes into the niche, and comes back."""
    grid = parse_ascii("""
        @@@@.@@@@
        .........
    """)
    problem = one_shot(grid, [(0, 1), (8, 1)], [(8, 1), (0, 1)])
    run = simulate(problem, name, model=model, until=200)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []


@both
@pytest.mark.parametrize("reservation", [1, 2, 3])
def test_a_circle_of_four_is_broken(name, reservation):
    """Everyone wants to be where the next one is; nothing but the circle is in the way."""
    grid = parse_ascii("""
        ....
        ....
        ....
        ....
    """)
    places = [(1, 1), (2, 1), (2, 2), (1, 2)]
    problem = one_shot(grid, places, [places[(k + 1) % 4] for k in range(4)])
    result = solve(problem, name, reservation=reservation, steps=100)
    assert result.is_solved
    assert check(result.plan, problem) == []


@both
@both_models
def test_who_rests_in_the_way_steps_aside_and_comes_back(name, model):
    grid = parse_ascii("""
        @@@.@@@@
        ........
    """)
    problem = one_shot(grid, [(0, 1), (5, 1)], [(7, 1), (4, 1)])
    run = simulate(problem, name, model=model, until=200)
    assert run.status is Status.SOLVED
    assert len(run.record.of(MOVE)[run.record.agent[run.record.of(MOVE)] == 1]) > 1


@both
def test_two_with_one_goal(name):
    """The first stays there, the other waits; they do not push each other about for ever."""
    grid = parse_ascii("""
        ......
        ......
    """)
    problem = one_shot(grid, [(0, 0), (5, 1)], [(3, 0), (0, 1)])
    world = Simulation(problem, name, events=[events.retask(2, 1, (3, 0))])
    world.advance(60)
    assert grid.cell((3, 0)) in world.crew.agents["here"]
    before = world.crew.agents["here"].copy()
    world.advance(100)
    assert np.array_equal(world.crew.agents["here"], before)


@both
@both_models
def test_a_goal_in_a_wall_is_waited_for(name, model):
    grid = parse_ascii("""
        ......
        ......
    """)
    problem = one_shot(grid, [(0, 0), (0, 1)], [(5, 0), (4, 1)])
    world = Simulation(problem, name, model=model, events=[events.block(2, [(5, 0)]), events.free(40, [(5, 0)])])
    world.advance(int(39 / world.tick))
    here = int(world.crew.agents["here"][0])
    assert world.controller.arrays.members["state"][0] == LOST
    assert world.controller.arrays.members["state"][1] == PLANNED
    world.advance(int(0.5 / world.tick))
    assert world.crew.agents["here"][0] == here
    world.advance(int(40 / world.tick))
    assert world.crew.agents["here"].tolist() == problem.goals.tolist()


@both
def test_a_door_that_opens_is_used(name):
    grid = parse_ascii("""
        .....................
        .###################.
        .....................
    """)
    problem = one_shot(grid, [(10, 0)], [(10, 2)])
    doors = [events.free(2, [(x, 1) for x in range(1, 20)])]
    shut, opened = (simulate(problem, name, events=happenings, until=60) for happenings in ([], doors))
    assert shut.status is opened.status is Status.SOLVED
    assert opened.time < shut.time


@both
def test_a_door_makes_only_those_search_again_who_may_gain_by_it(name):
    """Two agents walk around a long wall. A door in it is on a shorter way for one of them."""
    wall = "#" * 18 + "." + "#" * 21
    grid = parse_ascii("\n".join(["." * 40] * 20 + [wall] + ["." * 40] * 20))
    shut = grid.with_blocked([grid.cell((18, 20))]).with_freed([grid.cell((39, 20))])
    problem = one_shot(shut, [(18, 0), (35, 0)], [(18, 40), (37, 40)])
    world = Simulation(problem, name)
    world.advance(8)
    n_before = len(world.record().of(THOUGHT))
    world.happen(events.free(0, [(18, 20)]))
    world.advance(8)
    record = world.record()
    searchers = record.agent[record.of(THOUGHT)[n_before:]]
    assert searchers.tolist() == [0]
    world.advance(100)
    assert world.status is Status.SOLVED


@both
def test_after_a_door_searches_are_spread_over_the_next_steps(name):
    """Those who lose their paths search one after another. Then only come searches for ways around each other."""
    grid = Grid(np.ones((64, 64)))
    starts, goals = [(x, 0) for x in range(0, 60, 2)], [(x, 63) for x in range(0, 60, 2)]
    world = Simulation(one_shot(grid, starts, goals), name, expansions=20_000)
    world.advance(6)
    world.happen(events.block(0, [(x, 40) for x in range(63)]))
    world.advance(200)
    record = world.record()
    thoughts = record.of(THOUGHT)
    spent = np.bincount(record.time[thoughts].astype(int), record.cell[thoughts])
    assert (record.time[thoughts] == 0).sum() == 30
    assert (spent[7:30] > 0).all()
    assert spent[6:30].max() < 20_000 / 32 + grid.n_cells, "no search begins when a small part has been spent"
    assert check_record(record) == []


@both
@pytest.mark.parametrize("expansions", [5, 64])
def test_a_step_expands_no_more_than_it_may(name, expansions):
    """Whoever has no path yet waits; what a search spent is told when it is over."""
    grid = random_map(32, 32, 0.1, seed=1)
    starts, goals = draw_pairs(grid, 30, seed=1)
    world = Simulation(one_shot(grid, grid.places(starts), grid.places(goals)), name, expansions=expansions)
    world.advance(400)
    record = world.record()
    thoughts = record.of(THOUGHT)
    times, spent = record.time[thoughts], record.cell[thoughts]
    for step in range(400):
        assert spent[times <= step].sum() <= expansions * (step + 1) + len(thoughts)
    assert len(thoughts) >= 2
    assert times[1] > 0 or expansions > 5


@both
def test_orders_and_seeds(name):
    """The order decides who goes first, and nothing is random unless it is shuffled."""
    problem = patrol(random_map(12, 12, 0.1, seed=3), agents=20, loops=2, seed=1)

    def moves(**options):
        return simulate(problem, name, until=80, **options).record.cell.tolist()

    assert moves(order="fixed") != moves(order="rotated")
    assert moves(order="rotated", seed=1) == moves(order="rotated", seed=2)
    assert moves(order="shuffled", seed=1) == moves(order="shuffled", seed=1)
    assert moves(order="shuffled", seed=1) != moves(order="shuffled", seed=2)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"reservation": 0}, "option reservation must be from 1 to 64, not 0"),
        ({"reservation": 65}, "option reservation must be from 1 to 64, not 65"),
        ({"expansions": 0}, "option expansions must be from 1 to 4,000,000, not 0"),
        ({"expansions": 10**20}, "option expansions must be from 1 to 4,000,000, not 1000"),
    ],
)
@both
def test_bad_options(name, options, complaint):
    problem = one_shot(parse_ascii("..."), [(0, 0)], [(2, 0)])
    with pytest.raises(BadInput, match=complaint):
        Simulation(problem, name, **options)
    with pytest.raises(UnknownName, match="order"):
        Simulation(problem, name, order="backwards")


def test_there_are_four_one_way_maps_of_a_grid():
    problem = one_shot(parse_ascii("..."), [(0, 0)], [(2, 0)])
    with pytest.raises(BadInput, match="option parity must be from 0 to 3, not 4"):
        Simulation(problem, "far", parity=4)


def test_the_most_expansions_in_a_step_are_soon_over():
    """A step may expand no more than can be done in a second, so that deadlines are kept."""
    most = next(option.range.most for option in catalogue.find("far").options if option.name == "expansions")
    grid = random_map(512, 512, 0.1, seed=1)
    starts, goals = draw_pairs(grid, 2000, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    Simulation(problem, "far").advance(1)  # compiles
    world = Simulation(problem, "far", expansions=most)
    began = time.process_time()
    world.advance(1)
    assert time.process_time() - began < 60  # it takes 0.3 s


@both
def test_patience_grows_with_every_way_around(name):
    """An agent that nobody can let pass does not search at every step."""
    grid = parse_ascii("""
        .....
    """)
    problem = Problem(grid, grid.cells([(0, 0), (2, 0)]), grid.cells([(4, 0), (2, 0)])[:, None])
    world = Simulation(problem, name, events=[events.release(0, 1)])
    world.advance(400)
    assert len(world.record().of(THOUGHT)) < 40


def facing_each_other():
    """Two agents that meet in a corridor with a bay; a second corridor leads around it."""
    grid = parse_ascii("""
        ..........
        .########.
        ..........
        .###.####.
        .###.####.
    """)
    return one_shot(grid, [(1, 2), (8, 2)], [(8, 2), (1, 2)])


def test_without_jam_breaking_agents_wait_for_each_other():
    problem = facing_each_other()
    left = simulate(problem, "far", jams="leave", until=200)
    assert left.status is not Status.SOLVED
    assert left.record.plan().cells[100].tolist() == left.record.plan().cells[-1].tolist(), "and do so for ever"
    assert simulate(problem, "far", until=200).status is Status.SOLVED


def test_a_refused_agent_searches_again_at_once():
    problem = facing_each_other()
    parked = one_shot(problem.grid, [(1, 2), (5, 2)], [(8, 2), (5, 2)])
    waits, replans = (simulate(parked, "a_star_replan", jams=how, until=200) for how in ("break", "replan"))
    assert waits.status is replans.status is Status.SOLVED
    moved = [len(set(run.record.plan().cells[:, 1].tolist())) > 1 for run in (waits, replans)]
    assert moved == [True, False], "nobody makes way for an agent that searches again"
    wander = simulate(problem, "a_star_replan", jams="replan", until=200)
    assert wander.status is not Status.SOLVED, "both turn back at once, and meet again"
    assert fuel(wander.record.plan()) > 100
    assert not check(wander.record.plan(), problem, arrive=False)

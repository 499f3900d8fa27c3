"""BMAA*: step for step as a plain version of the slides' algorithms, and never two agents in a cell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import N_WORLDS, legal_moves, small_problems, step_cost
from wayfolk.algorithms.controllers.bmaa import fields as bmaa_fields
from wayfolk.algorithms.controllers.bmaa import tiles as bmaa_tiles
from wayfolk.algorithms.controllers.bmaa.search import FINE
from wayfolk.algorithms.controllers.bmaa.tiles import TOP
from wayfolk.errors import WayfolkError
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels import heap
from wayfolk.kernels.codes import ARRIVE, BLOCK, MOVE, REFUSED, RELEASE, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.problem.record import DISTANCE, STEPS
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate, solve
from wayfolk.world.abstraction.sectors import sectors_of
from wayfolk.world.flow import flow_of
from wayfolk.world.generate import draw_pairs, random_map, rooms
from wayfolk.world.grid import Grid, Moves

PRESETS = ("bmaa", "bmaa_c", "bmaa_f", "bmaa_f_c")
VISION = math.sqrt(2.0)


class Plain:
    """Algorithms 2 to 5 of the slides, with dictionaries.

    RTAA* makes f the same along a path: to choose the same as the compiled version among equals, what was learned is
    rounded alike and the open list is of the same kind.
    """

    def __init__(self, grid, starts, goals, push, flow, expansions=32, moves=32, vision=VISION):
        self.grid, self.here, self.goals = grid, list(starts), list(goals)
        self.push, self.expansions, self.moves, self.vision = push, expansions, moves, vision
        self.ways = {}
        for cell in grid.free_cells.tolist():
            legal = legal_moves(grid, cell)
            self.ways[cell] = [c for k in range(8) if (c := cell + int(grid.offsets[k])) in legal]
        self.streets = self.ways
        if flow:
            legal = flow_of(grid).legal
            self.streets = {
                cell: [cell + int(grid.offsets[k]) for k in range(8) if legal[cell] >> k & 1] for cell in self.ways
            }
        self.learned = [{} for _ in starts]
        self.paths = [[] for _ in starts]
        self.limits = [0] * len(starts)
        self.time = 0

    def first_heuristic(self, agent, cell):
        (x, y), (gx, gy) = self.grid.place(cell), self.grid.place(self.goals[agent])
        dx, dy = abs(x - gx), abs(y - gy)
        slant = 1.0 if self.grid.moves is Moves.FOUR else self.grid.diagonal - 1.0
        return self.grid.graph.cheapest * (max(dx, dy) + slant * min(dx, dy))

    def search(self, agent, ways, expansions):
        """The path, the expanded cells with their g, and f of the cell left in the open list; None if there is none."""
        start, goal = self.here[agent], self.goals[agent]
        g, h, parent, closed = {start: 0.0}, {start: 0.0}, {}, {}
        rows = np.zeros(8 * expansions + 1, heap.ROW)
        n = heap.push(rows, 0, 0, 0, start)
        while n:
            cell = int(rows[0]["item"])
            if cell not in closed and (cell == goal or len(closed) >= expansions):
                path = [cell]
                while path[-1] != start:
                    path.append(parent[path[-1]])
                return path[-2::-1][: self.moves], closed, g[cell] + h[cell]
            n = heap.pop(rows, n)
            if cell in closed:
                continue
            closed[cell] = g[cell]
            for other in ways[cell]:
                away = math.dist(self.grid.place(start), self.grid.place(other))
                if other in self.here and away <= self.vision + 1e-9 and other != goal:
                    continue
                reached = g[cell] + step_cost(self.grid, cell, other)
                if other not in closed and reached < g.get(other, math.inf):
                    g[other], parent[other] = reached, cell
                    h[other] = self.first_heuristic(agent, other) + float(self.learned[agent].get(other, 0.0))
                    n = heap.push(rows, n, int((reached + h[other]) * FINE), -int(reached * FINE), other)
        return [], closed, None

    def step(self):
        for agent, path in enumerate(self.paths):
            if self.here[agent] == self.goals[agent] or (path and self.time < self.limits[agent]):
                continue
            self.paths[agent], closed, f = self.search(agent, self.streets, self.expansions)
            left = self.expansions - len(closed)
            if f is None and self.streets is not self.ways and left > 0:
                self.paths[agent], closed, f = self.search(agent, self.ways, left)
            if f is not None:
                for cell, g in closed.items():
                    self.learned[agent][cell] = np.float32(f - g - float(np.float32(self.first_heuristic(agent, cell))))
                self.limits[agent] = self.time + self.moves
        before = list(self.here)
        moved = set()

        def crosses(agent, there):
            return any(
                abs(self.grid.place(there)[0] - self.grid.place(before[agent])[0]) == 1
                and before[agent] + there == before[other] + self.here[other]
                and math.dist(self.grid.place(before[other]), self.grid.place(self.here[other])) > 1.2
                and math.dist(self.grid.place(before[agent]), self.grid.place(there)) > 1.2
                for other in moved
            )

        for agent, path in enumerate(self.paths):
            if agent in moved or not path or crosses(agent, path[0]):
                continue
            there = path[0]
            if self.push and there in self.here:
                other = self.here.index(there)
                if other not in moved and self.goals[other] == there:
                    steps = [there + int(self.grid.offsets[k]) for k in range(8)]
                    asides = [
                        cell
                        for cell in steps
                        if cell in self.ways[there] and cell not in self.here and not crosses(other, cell)
                    ]
                    if asides:
                        after = path[1] if len(path) > 1 else None
                        self.here[other] = next((cell for cell in asides if cell != after), asides[0])
                        self.paths[other] = []
                        moved.add(other)
            if there not in self.here:
                self.here[agent] = there
                path.pop(0)
                moved.add(agent)
        self.time += 1


@pytest.mark.parametrize("name", PRESETS)
def test_step_for_step_as_a_plain_version(name):
    """Every cell costs something else, so that no two paths cost the same and there is nothing to choose."""
    rng = np.random.default_rng(5)
    pushed = 0
    for seed in range(30):
        shape = rng.integers(4, 12, 2)
        moves = list(Moves)[seed % 3]
        grid = Grid(rng.random(shape) >= rng.uniform(0, 0.3), moves, costs=rng.uniform(1.0, 2.0, shape))
        room = int(np.bincount(grid.components)[1:].max())
        if room < 4:
            continue
        starts, goals = draw_pairs(grid, int(rng.integers(2, 1 + min(room // 2, 20))), seed=seed)
        options = {"expansions": int(rng.integers(1, 20)), "moves": int(rng.integers(1, 12))}
        plain = Plain(grid, starts.tolist(), goals.tolist(), "c" in name[4:], "f" in name[4:], **options)
        world = Simulation(one_shot(grid, grid.places(starts), grid.places(goals)), name, **options)
        for _ in range(60):
            resting = [here for here, goal in zip(plain.here, plain.goals, strict=True) if here == goal]
            world.advance(1)
            if world.status.is_final:
                break
            plain.step()
            assert world.crew.agents["here"].tolist() == plain.here, f"seed {seed}, step {plain.time}"
            pushed += sum(cell not in plain.here or plain.goals[plain.here.index(cell)] != cell for cell in resting)
        assert len(world.record().of(REFUSED)) == 0
    assert (pushed > 0) == ("c" in name[4:])


VARIANTS = [
    {},
    {"push": True},
    {"flow": True},
    {"flow": True, "push": True, "order": "rotated"},
    {"order": "shuffled", "push": True},
    {"avoid": True},
    {"initial": "sectors"},
    {"yielding": True},
    {"yielding": True, "initial": "sectors", "flow": True, "avoid": True, "order": "shuffled"},
]


def random_world(rng, seed):
    """A small crowded world in which all that can happen does, under one of the variants."""
    grid = Grid(rng.random(rng.integers(2, 9, 2)) >= rng.uniform(0, 0.4), list(Moves)[seed % 3])
    cells = grid.free_cells[grid.components[grid.free_cells] == grid.components.max(initial=0)]
    if len(cells) < 3:
        return None
    n = int(rng.integers(1, 1 + len(cells)))
    starts, goals = (grid.places(rng.permutation(cells)[:n]) for _ in range(2))
    places = [tuple(map(int, place)) for place in grid.places(rng.permutation(cells))]
    walls = [tuple(map(int, place)) for place in np.argwhere(~grid.free)[:, ::-1]]
    happenings = []
    if rng.random() < 0.5:
        happenings = [
            events.retask(rng.uniform(1, 15), int(rng.integers(n)), places[0]),
            events.leave(rng.uniform(1, 15), int(rng.integers(n))),
            events.release(rng.uniform(1, 15), int(rng.integers(n))),
            events.join(rng.uniform(1, 15), places[0], places[-1]),
            events.block(rng.uniform(1, 15), places[1:2]),
            *([events.free(rng.uniform(1, 15), walls[:2])] if walls else []),
        ]
    options = VARIANTS[seed % len(VARIANTS)] | {
        "expansions": int(rng.integers(1, 40)),
        "moves": int(rng.integers(1, 9)),
    }
    model = STEPS if rng.random() < 0.8 else DISTANCE
    return Simulation(one_shot(grid, starts, goals), "bmaa", model=model, events=happenings, seed=seed, **options)


def test_random_worlds_never_have_two_agents_in_a_cell():
    rng = np.random.default_rng(11)
    n_worlds = n_moves = 0
    for seed in range(14 * N_WORLDS // 10):
        world = random_world(rng, seed)
        if world is None:
            continue
        world.advance(25 if world.world_state.model == STEPS else 400)
        record = world.record()
        assert check_record(record) == [], f"seed {seed}"
        if not np.isin(record.kind, (RELEASE, BLOCK)).any():
            assert len(record.of(REFUSED)) == 0, f"seed {seed}"
        n_worlds += 1
        n_moves += len(record.of(MOVE))
    assert n_worlds > N_WORLDS
    assert n_moves > 10 * n_worlds


@pytest.mark.plain
@given(small_problems(max_agents=8), st.sampled_from(VARIANTS), st.integers(0, 99))
def test_no_move_is_refused(problem, options, seed):
    run = simulate(problem, "bmaa", until=40, seed=seed, **options)
    assert check_record(run.record) == []
    assert len(run.record.of(REFUSED)) == 0


@pytest.mark.parametrize("expansions", [1, 7, 32])
def test_no_search_expands_more_than_it_may(expansions):
    grid = random_map(40, 40, 0.2, seed=3)
    starts, goals = draw_pairs(grid, 60, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    world = Simulation(problem, "bmaa_f_c", expansions=expansions)
    world.advance(100)
    record = world.record()
    assert record.cell[record.of(THOUGHT)].max() == expansions == world.result().counters.expanded_most
    assert solve(problem, "bmaa", steps=20, expansions=expansions).counters.expanded_most <= expansions


def test_a_path_is_walked_for_as_many_moves_as_told():
    grid = Grid(np.ones((3, 60)))
    problem = one_shot(grid, [(0, 1)], [(59, 1)])
    for moves in (1, 5, 20):
        record = simulate(problem, "bmaa", expansions=40, moves=moves).record
        times = record.time[record.of(THOUGHT)]
        assert times.tolist() == list(range(0, 59, moves))[: len(times)]
        assert len(times) >= 59 // max(moves, 40)


def test_an_agent_in_the_way_holds_one_up_until_it_searches_again():
    """Somebody far away is not seen; the path leads through, and the agent waits before it until the limit."""
    grid = parse_ascii("""
        ..............
        ..............
    """)
    problem = one_shot(grid, [(0, 0), (8, 0)], [(13, 0), (8, 0)])
    record = simulate(problem, "bmaa", until=60, expansions=40, moves=20).record
    mine = record.agent == 0
    assert record.time[mine & (record.kind == THOUGHT)].tolist()[:2] == [0.0, 20.0]
    moved = record.time[mine & (record.kind == MOVE)]
    assert not ((moved >= 7) & (moved < 20)).any()


@pytest.mark.plain
@pytest.mark.parametrize(("options", "arrives"), [({}, False), ({"push": True}, False), ({"yielding": True}, True)])
def test_parked_agents_in_a_corridor(options, arrives):
    """The slides' Figure 5: nobody can be pushed aside where there is no room beside."""
    grid = parse_ascii("""
        @@@@@@...
        .........
        @@@@@@...
    """)
    problem = one_shot(grid, [(0, 1), (3, 1), (4, 1)], [(8, 1), (3, 1), (4, 1)])
    run = simulate(problem, "bmaa", until=300, **options)
    assert check_record(run.record) == []
    assert (run.status is Status.SOLVED) == arrives, "those who were pushed out have come back"


@pytest.mark.plain
def test_who_rests_is_pushed_aside_and_comes_back():
    """Agent 1 rests on the other's path before it can be seen."""
    grid = Grid(np.ones((3, 14)))
    problem = one_shot(grid, [(0, 1), (7, 0)], [(13, 1), (7, 1)])
    runs = {push: simulate(problem, "bmaa", until=60, expansions=40, push=push) for push in (False, True)}
    arrivals = {}
    for push, run in runs.items():
        rows = run.record.of(ARRIVE)
        arrivals[push] = [run.record.time[rows[run.record.agent[rows] == agent]].tolist() for agent in range(2)]
    assert [len(times) for times in arrivals[False]] == [1, 1]
    assert [len(times) for times in arrivals[True]] == [1, 2]
    assert arrivals[True][0][0] == 12.0 < arrivals[False][0][0]


def test_a_dead_end_is_seen_through_by_sectors():
    grid = parse_ascii(
        "\n".join(["." * 40] + ["." * 8 + "@" * 24 + "." * 8] + ["." * 31 + "@" + "." * 8] * 18
                  + ["." * 8 + "@" * 24 + "." * 8] + ["." * 40])
    )  # fmt: skip
    problem = one_shot(grid, [(28, 10)], [(36, 10)])
    steps = {initial: simulate(problem, "bmaa", initial=initial, until=5000).time for initial in ("octile", "sectors")}
    assert steps["sectors"] * 4 < steps["octile"]


@pytest.mark.plain
def test_a_goal_in_a_wall_is_waited_for():
    grid = Grid(np.ones((4, 9)))
    problem = one_shot(grid, [(0, 0), (0, 3)], [(8, 0), (8, 3)])
    opened = [events.block(3, [(8, 0)]), events.free(40, [(8, 0)])]
    world = Simulation(problem, "bmaa_f_c", events=opened)
    world.advance(39)
    record = world.record()
    late = record.time[(record.agent == 0) & np.isin(record.kind, (MOVE, THOUGHT))]
    assert late.max() < 4, "it neither moves nor plans"
    world.advance(100)
    assert world.status is Status.SOLVED


@pytest.mark.plain
def test_two_agents_with_one_goal():
    grid = Grid(np.ones((5, 9)))
    problem = one_shot(grid, [(0, 0), (0, 4)], [(8, 0), (8, 4)])
    for name in PRESETS:
        world = Simulation(problem, name, events=[events.retask(2, 1, (8, 0))])
        world.advance(100)
        record = world.record()
        assert check_record(record) == []
        assert grid.cell((8, 0)) in world.crew.agents["here"]


def test_what_was_learned_is_given_back_with_the_goal():
    problem = patrol(random_map(40, 40, 0.3, seed=2), agents=20, loops=30, seed=1)
    world = Simulation(problem, "bmaa", expansions=16)
    sizes = []
    for _ in range(30):
        world.advance(100)
        sizes.append(int(world.controller.arrays.tiles.freed[TOP]))
    assert sizes[-1] < 2 * sizes[0], "the pool does not grow with every goal"
    assert len(world.record().of(ARRIVE)) > 10 * 20


def test_the_pool_grows_with_what_is_learned(monkeypatch):
    grid = random_map(60, 60, 0.35, seed=4)
    starts, goals = draw_pairs(grid, 40, seed=2)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    roomy = simulate(problem, "bmaa", until=400)
    monkeypatch.setattr(bmaa_tiles, "AT_FIRST", 0)
    narrow = simulate(problem, "bmaa", until=400)
    assert np.array_equal(roomy.record.cell, narrow.record.cell)
    assert np.array_equal(roomy.record.time, narrow.record.time)


def test_orders_differ_and_seeds_count():
    grid = random_map(16, 16, 0.1, seed=1)
    starts, goals = draw_pairs(grid, 60, seed=2)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))

    def walked(**options):
        return simulate(problem, "bmaa", until=50, **options).record.cell.tolist()

    runs = [walked(order=order) for order in ("fixed", "rotated", "shuffled")]
    assert runs[0] != runs[1] != runs[2] != runs[0]
    assert walked(order="shuffled", seed=1) == walked(order="shuffled", seed=1) != runs[2]
    assert walked(seed=1) == runs[0]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"expansions": 0}, "option expansions must be from 1 to 10,000, not 0"),
        ({"expansions": 10**20}, "option expansions must be from 1 to 10,000, not 1000"),
        ({"moves": 0}, "option moves must be from 1 to 10,000, not 0"),
        ({"vision": 0.5}, "option vision must be from 1 to 1,000,000, not 0.5"),
        ({"vision": math.nan}, "option vision must be from 1 to 1,000,000, not nan"),
        ({"order": "random"}, "order"),
        ({"initial": "random"}, "initial"),
    ],
)
def test_bad_options(options, complaint):
    problem = one_shot(Grid(np.ones((2, 2))), [(0, 0)], [(1, 1)])
    with pytest.raises(WayfolkError, match=complaint):
        simulate(problem, "bmaa", own=options)


@pytest.mark.plain
def test_what_is_learned_stays_finite_when_the_goal_cannot_be_reached():
    """No regions lead to the goal after a wall has come: the heuristic by sectors must not become infinite."""
    grid = Grid(np.ones((3, 40)))
    problem = one_shot(grid, [(0, 1)], [(39, 1)])
    shut = events.block(0, [(20, y) for y in range(3)])
    world = Simulation(problem, "bmaa", initial="sectors", events=[shut], expansions=8)
    world.advance(30)
    table = bmaa_tiles.learned(world.controller.arrays.tiles, 0, grid.n_cells, grid.stride)
    assert np.isfinite(table).all()
    assert table.any()
    assert len(world.record().of(MOVE)) > 5


@pytest.mark.parametrize("world", ["rooms", "random"])
def test_after_an_edit_the_fields_that_are_kept_are_those_it_does_not_concern(world):
    grid = rooms(64, 64, 8, seed=1) if world == "rooms" else random_map(64, 64, 0.2, seed=1)
    simulation, rng = Simulation(tasks(grid, agents=60, seed=1), "bmaa_plus"), np.random.default_rng(2)
    simulation.advance(10)
    doors = [grid.place(int(cell)) for cell in rng.choice(grid.free_cells, 20, replace=False)]
    n_kept = n_valid = 0
    for door in doors:
        n_valid += int(simulation.controller.arrays.fields.valid.sum())
        simulation.happen(events.block(simulation.time, [door]))
        simulation.apply_events()
        fields, goals = simulation.controller.arrays.fields, simulation.controller.arrays.walkers["goal"]
        for agent in np.flatnonzero(fields.valid).tolist():
            n_kept += 1
            assert np.array_equal(fields.far[agent], coarse_field(fields, simulation.grid, int(goals[agent])))
        simulation.advance(5)
    assert n_kept > n_valid / 2


def coarse_field(fields, grid, goal):
    """The distances from all regions to a goal, by going over all edges until nothing changes."""
    graph, home = fields.graph, sectors_of(grid, bmaa_fields.SIZE).region(goal)
    x, y = grid.place(goal)

    def straight(region):
        dx, dy = abs(graph.x[region] - x), abs(graph.y[region] - y)
        return max(dx, dy) + (grid.diagonal - 1) * min(dx, dy)

    far = np.full(len(graph.first) - 1, np.inf, np.float32)
    far[home] = straight(home)
    edges = [
        (here, int(graph.target[k]), graph.weight[k])
        for here in range(len(far))
        for k in range(graph.first[here], graph.first[here + 1])
    ]
    while True:
        before = far.copy()
        for here, there, weight in edges:
            way = max(straight(there), weight - straight(home)) if here == home else far[here] + weight
            far[there] = min(far[there], np.float32(way))
        if np.array_equal(before, far):
            return far

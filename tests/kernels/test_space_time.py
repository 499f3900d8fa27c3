"""Space-time A* against a search over (cell, slot) in plain Python, among others whose ways are reserved."""

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from reference import dijkstra_costs, legal_moves, meets, picture, small_grids, steps_from
from wayfolk.compile.jit import is_plain
from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.kernels.reservation_rules import NEVER, Rules
from wayfolk.kernels.space_time import EXPANDED, N_NODES, STAMP
from wayfolk.world.grid import Grid, Moves

ME = 9
SLOT = 1 << 10  # what a slot costs; a diagonal adds 1


class Traffic:
    """A grid in which others have reserved their ways: `at[agent]` is {slot: cell}, `parked` is {cell: slot}.

    A straight move and a wait last `straight` slots, a diagonal lasts `diagonal`.
    """

    def __init__(self, grid, straight=1, diagonal=1):
        self.grid, self.straight, self.diagonal = grid, straight, diagonal
        self.at, self.parked = {}, {}
        self.table = reservations.new_reservations(1 << 9)

    def reserve(self, agent, cells, first=0):
        """`agent` is in each of `cells` for a slot, beginning with `first`; whoever was there before stays there."""
        for slot, cell in enumerate(cells, first):
            if reservations.holder(self.table, cell, slot) == reservations.NOBODY:
                reservations.reserve(self.table, cell, slot, agent)
                self.at.setdefault(agent, {})[slot] = cell

    def park(self, agent):
        """`agent` stays where it is last, for good."""
        slot = max(self.at[agent])
        self.parked[self.at[agent][slot]] = min(slot, self.parked.get(self.at[agent][slot], slot))

    def last(self):
        return max((slot for way in self.at.values() for slot in way), default=0)

    def rules(self):
        grid = self.grid
        parked, held = np.full(grid.n_cells, NEVER, np.int32), np.zeros(grid.n_cells, np.int32)
        for way in self.at.values():
            for slot, cell in way.items():
                held[cell] = max(held[cell], slot + 1)
        for cell, slot in self.parked.items():
            parked[cell] = slot
        lasts = np.array([self.straight] * 4 + [self.diagonal] * 4 + [self.straight], np.int32)
        return Rules(grid.legal, grid.offsets, lasts, parked, held)

    def moves(self, cell, slot):
        """Where one may go at `slot`, as (cell, slots it takes, whether it is a diagonal)."""
        others = [(way.get(slot - 1), way.get(slot)) for way in self.at.values()]
        for there in [cell, *legal_moves(self.grid, cell)]:
            slanted = all(a != b for a, b in zip(self.grid.place(cell), self.grid.place(there), strict=True))
            lasts = self.diagonal if slanted else self.straight
            span = range(slot, slot + lasts)
            if any(way.get(t) == there for way in self.at.values() for t in span):
                continue
            if self.parked.get(there, NEVER) < slot + lasts:
                continue
            if any(meets(self.grid, (cell, there), other) for other in others if None not in other):
                continue
            yield there, lasts, slanted

    def left(self, goal):
        """{cell: slots to the goal if nobody were there}"""
        stretched = Grid(self.grid.free, self.grid.moves, diagonal=self.diagonal / self.straight)
        return {cell: round(self.straight * cost) for cell, cost in dijkstra_costs(stretched, goal).items()}

    def earliest(self, start, goal, slot, stays=True):
        """The first slot at which one may act again on the goal and, to stay, nobody comes there any more, or None."""
        busy = max((t + 1 for way in self.at.values() for t, cell in way.items() if stays and cell == goal), default=0)
        cells, horizon = {start}, self.last() + len(self.grid.free_cells) + 2
        for now in range(slot, slot + horizon):
            if goal in cells and now >= busy:
                return now
            cells = {there for cell in cells for there, _, _ in self.moves(cell, now)}
        return None

    def cheapest(self, start, goal, slot, end):
        """The least cost of the time until `end` and the distance that is left then, or None."""
        left = self.left(goal)
        queue, done = [(0, slot, start)], set()
        best = None
        while queue:
            cost, now, cell = heapq.heappop(queue)
            if (now, cell) in done or cell not in left:
                continue
            done.add((now, cell))
            if now >= end:
                total = cost + left[cell] * SLOT
                best = total if best is None else min(best, total)
                continue
            for there, lasts, slanted in self.moves(cell, now):
                rests = there == cell == goal
                heapq.heappush(queue, (cost + (0 if rests else lasts * SLOT) + slanted, now + lasts, there))
        return best


class Search:
    """The kernel at work."""

    def __init__(self, traffic, start, goal, slot=1, *, end=NEVER, exact=True, room=1 << 9, last=None):
        self.traffic, self.goal, self.end, self.exact = traffic, goal, end, exact
        empty = 2 * traffic.straight if traffic.grid.moves is Moves.FOUR else traffic.diagonal
        self.guide = rra.new_rra(traffic.grid, 1, traffic.straight, empty)
        self.rules, self.nodes = traffic.rules(), space_time.new_nodes(room)
        rra.aim(self.guide, 0, goal, start)
        space_time.open_start(
            self.nodes, start, slot, (traffic.last() if end == NEVER else end) if last is None else last
        )

    def advance(self, budget=1 << 40):
        while True:
            # the guide has one row, so it is asked as agent 0; whoever we are in the table is not in it
            query = space_time.Query(0, np.array([self.goal], np.int32), 1, self.end, self.exact, True)
            code = space_time.advance(self.rules, self.traffic.table, self.nodes, self.guide, query, budget)
            if code != FULL:
                return code
            self.nodes = space_time.grown(self.nodes)

    def way(self):
        """The cells and the slots at which one may act there."""
        n = space_time.trace(self.nodes, np.empty(0, np.int32), np.empty(0, np.int32))
        cells, slots = np.empty(n, np.int32), np.empty(n, np.int32)
        assert space_time.trace(self.nodes, cells, slots) == n
        return cells.tolist(), slots.tolist()

    def total(self):
        """The cost of the way that was found, with the distance that is left."""
        cells, _ = self.way()
        return int(self.nodes.tree[self.nodes.open[0]["item"]]["cost"]) + self.traffic.left(self.goal)[cells[-1]] * SLOT


def check_way(traffic, start, slot, way):
    """Each step is one that may be made."""
    cells, slots = way
    assert (cells[0], slots[0]) == (start, slot)
    for (cell, now), (there, then) in itertools.pairwise(zip(cells, slots, strict=True)):
        assert (there, then - now) in {(other, lasts) for other, lasts, _ in traffic.moves(cell, now)}


@st.composite
def crowded(draw, straight=1, diagonal=1, parking=True):
    """A small world with up to four others walking about in it, and a start and a goal that can be reached alone."""
    grid = draw(small_grids(max_side=4, show=False))
    free = st.sampled_from(grid.free_cells.tolist())
    start = draw(free)
    goal = draw(st.sampled_from(sorted(steps_from(grid, start))))
    traffic = Traffic(grid, straight, diagonal)
    for agent in range(1, draw(st.integers(1, 5))):
        way = [draw(free.filter(lambda cell: cell != start) if len(grid.free_cells) > 1 else free)]
        for _ in range(draw(st.integers(0, 6))):
            way.append(draw(st.sampled_from([way[-1], *legal_moves(grid, way[-1])])))
        if way[0] != start:
            traffic.reserve(agent, [cell for cell in way for _ in range(straight)])
            if parking and draw(st.booleans()) and agent in traffic.at:
                traffic.park(agent)
    note(picture(grid, [start], [goal]))
    note("\n".join(f"{a}: {[grid.place(c) for c in way.values()]}" for a, way in traffic.at.items()))
    note(f"parked {[(grid.place(cell), slot) for cell, slot in traffic.parked.items()]}")
    return traffic, start, goal


@pytest.mark.plain
@given(crowded(), st.booleans())
def test_arrives_as_early_as_one_can_and_stay(world, exact):
    traffic, start, goal = world
    search, earliest = Search(traffic, start, goal, exact=exact), traffic.earliest(start, goal, 1)
    code = search.advance()
    assert code == (EXHAUSTED if earliest is None else FOUND)
    if code == FOUND:
        way = search.way()
        check_way(traffic, start, 1, way)
        assert (way[0][-1], way[1][-1]) == (goal, earliest)


@pytest.mark.plain
@given(crowded(), st.data(), st.booleans())
def test_of_several_goals_the_first_to_be_reached(world, data, stays):
    traffic, start, goal = world
    goals = [goal, *data.draw(st.lists(st.sampled_from(traffic.grid.free_cells.tolist()), max_size=3))]
    times = [traffic.earliest(start, goal, 1, stays) for goal in goals]
    earliest = min((slot for slot in times if slot is not None), default=None)
    search = Search(traffic, start, goal, exact=False)
    query = space_time.Query(0, np.array(goals, np.int32), len(goals), NEVER, False, stays)
    code = space_time.advance(search.rules, traffic.table, search.nodes, search.guide, query, 1 << 40)
    assert code == (EXHAUSTED if earliest is None else FOUND)
    if code == FOUND:
        cells, slots = search.way()
        check_way(traffic, start, 1, (cells, slots))
        assert slots[-1] == earliest
        assert cells[-1] in {goal for goal, slot in zip(goals, times, strict=True) if slot == earliest}


@pytest.mark.plain
def test_who_only_passes_need_not_wait_for_others():
    traffic = Traffic(Grid(np.ones((1, 4)), "four"))
    west, near, far, east = traffic.grid.free_cells.tolist()
    traffic.reserve(1, [east] * 8 + [far, near, far])
    for stays, slots in [(False, [1, 2]), (True, None)]:
        search = Search(traffic, west, near, exact=False)
        query = space_time.Query(0, np.array([near, east], np.int32), 1, NEVER, False, stays)
        assert space_time.advance(search.rules, traffic.table, search.nodes, search.guide, query, 1 << 40) == FOUND
        assert slots is None or search.way()[1] == slots
        assert stays is False or search.way()[1][-1] == 11
    query = query._replace(n_goals=0)
    space_time.open_start(search.nodes, west, 1, traffic.last())
    assert space_time.advance(search.rules, traffic.table, search.nodes, search.guide, query, 1 << 40) == EXHAUSTED


@pytest.mark.plain
@given(crowded(), st.integers(1, 7))
def test_spends_a_window_as_cheaply_as_one_can(world, window):
    traffic, start, goal = world
    search, cheapest = Search(traffic, start, goal, end=1 + window), traffic.cheapest(start, goal, 1, 1 + window)
    code = search.advance()
    assert code == (EXHAUSTED if cheapest is None else FOUND)
    if code == FOUND:
        check_way(traffic, start, 1, search.way())
        assert search.way()[1][-1] == 1 + window
        assert search.total() == cheapest


@given(crowded(straight=2, diagonal=3), st.integers(1, 9))
def test_spends_a_window_as_cheaply_where_diagonals_take_longer(world, window):
    traffic, start, goal = world
    search, cheapest = Search(traffic, start, goal, end=1 + window), traffic.cheapest(start, goal, 1, 1 + window)
    code = search.advance()
    assert code == (EXHAUSTED if cheapest is None else FOUND)
    if code == FOUND:
        check_way(traffic, start, 1, search.way())
        assert search.total() == cheapest


@pytest.mark.parametrize(("straight", "diagonal"), [(1, 1), (2, 3)])
def test_spends_a_window_as_cheaply_on_a_larger_map(straight, diagonal):
    rng = np.random.default_rng(8)
    for _ in range(25):
        grid = Grid(rng.random((6, 6)) > 0.1)
        start, goal, *others = rng.choice(grid.free_cells, 8, replace=False).tolist()
        if goal not in steps_from(grid, start):
            continue
        traffic = Traffic(grid, straight, diagonal)
        for agent, cell in enumerate(others, 1):
            way = [cell]
            while len(way) < 6:
                way.append(int(rng.choice([way[-1], *legal_moves(grid, way[-1])])))
            traffic.reserve(agent, [cell for cell in way for _ in range(straight)])
        search = Search(traffic, start, goal, end=1 + 7 * straight, room=16)
        cheapest = traffic.cheapest(start, goal, 1, 1 + 7 * straight)
        assert search.advance() == (EXHAUSTED if cheapest is None else FOUND)
        assert cheapest is None or search.total() == cheapest


@pytest.mark.plain
@given(crowded(), st.sampled_from([NEVER, 4, 7]))
def test_little_room_and_little_budget_change_nothing(world, end):
    traffic, start, goal = world
    whole, parts = (Search(traffic, start, goal, end=end, room=room) for room in (1 << 9, 16))
    code = whole.advance()
    for spent in itertools.count(1):
        paused = parts.advance(1)
        if paused != RUNNING:
            break
        assert parts.nodes.counts[EXPANDED] == spent
    assert paused == code
    assert (parts.nodes.counts == whole.nodes.counts).all()
    assert code == EXHAUSTED or parts.way() == whole.way()


@given(crowded(), crowded())
def test_nodes_are_used_again_without_clearing(one, two):
    searches = [Search(*world) for world in (one, two)]
    alone = [search.advance() for search in searches]
    ways = [search.way() if code == FOUND else None for search, code in zip(searches, alone, strict=True)]
    nodes = space_time.new_nodes(1 << 12)
    for (traffic, start, goal), code, way in zip((one, two), alone, ways, strict=True):
        again = Search(traffic, start, goal)
        again.nodes = nodes
        space_time.open_start(nodes, start, 1, traffic.last())
        assert again.advance() == code
        assert code == EXHAUSTED or again.way() == way


def drawn(text, moves):
    return Grid([[sign != "@" for sign in line] for line in text.split()], moves)


@pytest.mark.plain
def test_two_never_swap():
    traffic = Traffic(drawn("... .@.", "four"))
    west, middle, aside = (traffic.grid.cell(place) for place in ((0, 0), (1, 0), (0, 1)))
    traffic.reserve(1, [middle, west, west, west])
    search = Search(traffic, west, middle)
    assert search.advance() == FOUND
    assert search.way()[0] == [west, aside, aside, aside, west, middle]


@pytest.mark.plain
def test_following_is_allowed():
    traffic = Traffic(drawn("...", "four"))
    west, middle, east = traffic.grid.free_cells.tolist()
    traffic.reserve(1, [middle, east])
    search = Search(traffic, west, middle)
    assert search.advance() == FOUND
    assert search.way() == ([west, middle], [1, 2])


@pytest.mark.plain
@pytest.mark.parametrize(("from_", "to"), [((1, 0), (0, 1)), ((0, 1), (1, 0))])
@pytest.mark.parametrize(("start", "goal"), [((0, 0), (1, 1)), ((1, 1), (0, 0))])
def test_two_never_cross(from_, to, start, goal):
    grid = Grid(np.ones((2, 2)))
    start, goal, from_, to = map(grid.cell, (start, goal, from_, to))
    alone, crossed = Traffic(grid), Traffic(grid)
    crossed.reserve(1, [from_, to])
    for traffic, slots in ((alone, [1, 2]), (crossed, [1, 2, 3])):
        search = Search(traffic, start, goal)
        assert search.advance() == FOUND
        assert search.way()[1] == slots


@pytest.mark.plain
def test_waits_until_nobody_crosses_the_goal_any_more():
    grid = Grid(np.ones((2, 3)), "four")
    west, middle, east = (grid.cell((x, 0)) for x in range(3))
    traffic = Traffic(grid)
    traffic.reserve(1, [east, east, east, middle, grid.cell((1, 1))])
    search = Search(traffic, west, middle)
    assert search.advance() == FOUND
    assert search.way()[1][-1] == 5  # it could be there at 2, but somebody comes through at 3


@pytest.mark.plain
def test_time_on_the_goal_is_free_and_steps_aside():
    grid = drawn("... @.@", "four")
    middle, below, east, west = (grid.cell(place) for place in ((1, 0), (1, 1), (2, 0), (0, 0)))
    traffic = Traffic(grid)
    assert Search(traffic, middle, middle, end=9).advance() == FOUND
    traffic.reserve(1, [east, east, middle, west, west, west, west, west, west])
    search = Search(traffic, middle, middle, end=9)
    assert search.advance() == FOUND
    assert search.total() == 2 * SLOT  # down and up again
    assert search.way()[0].count(below) == 1


@pytest.mark.plain
def test_one_may_begin_long_after_the_last_reservation():
    grid = Grid(np.ones((1, 4)), "four")
    search = Search(Traffic(grid), int(grid.free_cells[0]), int(grid.free_cells[3]), slot=50, last=0)
    assert search.advance() == FOUND
    assert search.way()[1] == [50, 51, 52, 53]


@pytest.mark.plain
@pytest.mark.parametrize(("straight", "parked", "free"), [(1, 1, False), (1, 2, True), (2, 2, False), (2, 3, True)])
def test_one_must_be_gone_before_somebody_parks(straight, parked, free):
    traffic = Traffic(Grid(np.ones((1, 3)), "four"), straight, straight)
    west, middle, east = traffic.grid.free_cells.tolist()
    traffic.parked[middle] = parked
    assert Search(traffic, west, east).advance() == (FOUND if free else EXHAUSTED)


@pytest.mark.plain
def test_the_search_ends_when_the_goal_is_parked_on():
    grid = Grid(np.ones((3, 3)))
    traffic = Traffic(grid)
    traffic.reserve(1, [grid.cell((1, 1))] * 3)
    traffic.park(1)
    search = Search(traffic, grid.cell((0, 0)), grid.cell((1, 1)))
    assert search.advance() == EXHAUSTED
    assert search.nodes.counts[N_NODES] <= 9 * 5


@pytest.mark.plain
def test_stamps_never_run_out():
    grid = Grid(np.ones((1, 4)), "four")
    search = Search(Traffic(grid), int(grid.free_cells[0]), int(grid.free_cells[3]))
    search.nodes.counts[STAMP] = 2**31 - 3
    for _ in range(6):
        space_time.open_start(search.nodes, int(grid.free_cells[0]), 1, 0)
        assert search.advance() == FOUND
        assert search.way()[1] == [1, 2, 3, 4]
        assert search.nodes.counts[N_NODES] == 4  # nothing is met twice without being known


@pytest.mark.plain
@pytest.mark.skipif(not is_plain(), reason="only plain Python arrays the bounds of arrays")
def test_where_nobody_parks_there_is_nothing_to_say_about_it():
    search = Search(Traffic(Grid(np.ones((1, 4)), "four")), 7, 10)
    search.rules = search.rules._replace(parked=np.zeros(0, np.int32), held=np.zeros(0, np.int32))
    assert search.advance() == FOUND
    assert search.way()[1] == [1, 2, 3, 4]


@pytest.mark.plain
def test_held_ways_are_what_trace_gives_and_can_be_given_back():
    traffic = Traffic(Grid(np.ones((2, 4)), "four"))
    start, goal = traffic.grid.cell((0, 0)), traffic.grid.cell((3, 0))
    search = Search(traffic, start, goal)
    search.advance()
    cells, slots = (np.array(column, np.int32) for column in search.way())
    space_time.hold(traffic.rules(), traffic.table, cells, slots, len(cells), ME)
    assert [reservations.holder(traffic.table, cell, slot) for slot, cell in enumerate(cells)][1:] == [ME] * 3
    assert traffic.table.counts[0] == 3
    reservations.reserve(traffic.table, cells[2], 2, 1)  # somebody else has it now
    space_time.let_go(traffic.rules(), traffic.table, cells, slots, len(cells), ME)
    assert traffic.table.counts[0] == 1
    assert reservations.holder(traffic.table, cells[2], 2) == 1

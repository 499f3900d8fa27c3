"""The searches that look one step ahead against plain twins, written from the papers with dicts and recursion.

A diagonal step is 1.5 long here, so that all sums are exact and ties are the same for both.
"""

import math

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, legal_moves, picture, small_grids, step_cost
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.kernels.codes import DX, DY
from wayfolk.world.grid import Grid, Moves

pytestmark = pytest.mark.plain
INF = math.inf
few = settings(max_examples=40)


class Twin:
    """What all of them share: a table of what was learned, and neighbours in the order of the eight directions."""

    def __init__(self, grid, start, goal):
        self.grid, self.here, self.goal = grid, start, goal
        self.table, self.path = {}, [start]

    def neighbours(self, cell):
        x, y = self.grid.place(cell)
        around = [(x + dx, y + dy) for dx, dy in zip(DX, DY, strict=True)]
        cells = [self.grid.cell((x, y)) for x, y in around if 0 <= x < self.grid.width and 0 <= y < self.grid.height]
        legal = legal_moves(self.grid, cell)
        return [(other, step_cost(self.grid, cell, other)) for other in cells if other in legal]

    def first_heuristic(self, cell):
        (x, y), (goal_x, goal_y) = self.grid.place(cell), self.grid.place(self.goal)
        dx, dy = abs(x - goal_x), abs(y - goal_y)
        return dx + dy if self.grid.moves is Moves.FOUR else max(dx, dy) + 0.5 * min(dx, dy)

    def h(self, cell):
        return max(self.first_heuristic(cell), self.table.get(cell, 0.0))

    def best(self, cell):
        """The neighbour with the least cost + h, the first of equals, and that sum."""
        return min(((other, cost + self.h(other)) for other, cost in self.neighbours(cell)), key=lambda pair: pair[1])

    def walk(self, most=3000):
        while self.here != self.goal and len(self.path) < most:
            self.here = self.choose()
            self.path.append(self.here)
        return [self.grid.place(cell) for cell in self.path]


class Minimin(Twin):
    """RTA* (`second`) and LRTA*: Korf 1990."""

    def __init__(self, *ends, depth, second):
        super().__init__(*ends)
        self.depth, self.second = depth, second

    def minimin(self, cell, way):
        """What the best way from `cell` to the horizon says; cells that were visited are in the table."""
        if cell == self.goal or cell in self.table or len(way) == self.depth:
            return self.h(cell)
        onward = [
            cost + self.minimin(other, [*way, cell])
            for other, cost in self.neighbours(cell)
            if other not in way and other != cell
        ]
        return min(onward, default=INF)

    def values(self):
        return [(other, cost + self.minimin(other, [self.here])) for other, cost in self.neighbours(self.here)]

    def choose(self):
        values = self.values()
        best, least = min(values, key=lambda pair: pair[1])
        second = min((value for other, value in values if other != best), default=INF)
        self.table[self.here] = second if self.second else max(self.h(self.here), least)
        return best


class Queued(Twin):
    """LRTA*(k): Hernandez and Meseguer 2005, with supports."""

    def __init__(self, *ends, k):
        super().__init__(*ends)
        self.k, self.support = k, {}

    def choose(self):
        queue, left = [self.here], self.k - 1
        while queue:
            cell = queue.pop(0)
            self.support[cell], value = self.best(cell)
            if value > self.h(cell):
                self.table[cell] = value
                for other, _ in self.neighbours(cell):
                    if left and other in self.path and other != self.goal and self.support.get(other) == cell:
                        queue.append(other)
                        left -= 1
        return self.best(self.here)[0]


class Nearby(Twin):
    """LRTA*_LS(k): Hernandez and Meseguer 2007."""

    def __init__(self, *ends, k):
        super().__init__(*ends)
        self.k = k

    def choose(self):
        inside, queue, met = [], [self.here], {self.here}
        while queue and len(inside) < self.k:
            cell = queue.pop(0)
            outside = [cost + self.h(other) for other, cost in self.neighbours(cell) if other not in inside]
            if cell != self.goal and self.h(cell) < min(outside, default=INF):
                inside.append(cell)
                queue += [other for other, _ in self.neighbours(cell) if other not in met]
                met |= {other for other, _ in self.neighbours(cell)}
        left = list(inside)
        while left:
            value, cell = min(
                (cost + self.h(other), cell)
                for cell in left
                for other, cost in self.neighbours(cell)
                if other not in left
            )
            self.table[cell] = max(self.h(cell), value)
            left.remove(cell)
        return self.best(self.here)[0]


@st.composite
def walks(draw):
    """A small world and two cells with a way between them."""
    drawn = draw(small_grids(max_side=7, moves=draw(st.sampled_from(["four", "eight", "eight_cutting"])), show=False))
    grid = Grid(drawn.free, drawn.moves, diagonal=1.5)
    start = draw(st.sampled_from(grid.free_cells.tolist()))
    goal = draw(st.sampled_from(sorted(dijkstra_costs(grid, start))))
    note(picture(grid, [start], [goal]))
    return grid, start, goal


def walk(grid, start, goal, name, **options):
    return find_path(grid, grid.place(start), grid.place(goal), name, steps=3000, **options)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(("name", "second"), [("rta", True), ("lrta", False)])
@given(query=walks())
@few
def test_minimin_walks_as_its_twin(name, second, depth, query):
    assert walk(*query, name, depth=depth).path == Minimin(*query, depth=depth, second=second).walk()


@pytest.mark.parametrize("depth", [1, 2, 3])
@given(query=walks())
@few
def test_rta_remembers_the_second_best_and_lrta_the_best(depth, query):
    grid, start, goal = query
    if start == goal:
        return
    values = sorted(value for _, value in Minimin(*query, depth=depth, second=True).values())
    ends = grid.place(start), grid.place(goal)
    for name, value in (("lrta", values[0]), ("rta", values[1] if len(values) > 1 else INF)):
        agent = begin_path(grid, *ends, name, depth=depth)
        agent.advance(1)
        assert agent.h(start) == value


@pytest.mark.parametrize("k", [1, 2, 5, 20])
@given(query=walks())
@few
def test_lrta_k_walks_as_its_twin(k, query):
    assert walk(*query, "lrta_k", k=k).path == Queued(*query, k=k).walk()


@pytest.mark.parametrize("k", [1, 2, 5, 20])
@given(query=walks())
@few
def test_lrta_ls_k_walks_as_its_twin(k, query):
    assert walk(*query, "lrta_ls_k", k=k).path == Nearby(*query, k=k).walk()


@given(query=walks())
@few
def test_the_least_of_each_is_lrta(query):
    plain = walk(*query, "lrta")
    for name, options in [("lrta_k", {"k": 1}), ("lrta_ls_k", {"k": 1}), ("p_lrta", {"beta": 0})]:
        assert walk(*query, name, **options).path == plain.path


@given(query=walks())
@few
def test_with_time_enough_p_lrta_leaves_nothing_to_learn_from_neighbours(query):
    grid, start, goal = query
    agent = begin_path(grid, grid.place(start), grid.place(goal), "p_lrta", beta=5000, room=100)
    twin = Twin(*query)
    while not agent.status.is_final:
        agent.advance(1)
        assert agent.rule.used[0] == 0
        twin.table = {cell: agent.h(cell) for cell in dijkstra_costs(grid, start)}
        for cell in twin.table:
            if agent.hints.values[cell] > 0:
                assert agent.h(cell) == pytest.approx(twin.best(cell)[1])


def test_p_lrta_keeps_the_greatest_changes_when_its_room_is_full():
    free = np.ones((9, 9), bool)
    free[2:7, 6] = free[2, 2:7] = free[6, 2:7] = False
    agent = begin_path(Grid(free), (5, 4), (8, 4), "p_lrta", beta=1, room=3)
    seen = 0
    while not agent.status.is_final:
        agent.advance(1)
        n, rule = int(agent.rule.used[0]), agent.rule
        waiting = rule.changes["cell"][:n]
        assert n <= 3
        assert len(set(waiting.tolist())) == n
        assert (rule.place[waiting] == np.arange(1, n + 1)).all()
        assert (rule.place > 0).sum() == n
        seen = max(seen, n)
    assert seen == 3


def test_looking_farther_ahead_is_pruned():
    """An open field: nothing but ways towards the goal is worth a look."""
    agent = begin_path(Grid(np.ones((20, 20))), (3, 3), (16, 16), "lrta", depth=4)
    result = agent.advance(100) and agent.result()
    assert agent.bound == 1 + 8 + 64 + 512
    assert result.counters.expanded_most < 40
    assert result.is_solved

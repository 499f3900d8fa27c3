"""The limit of memory: what `available_bytes` counts, and what planners and searches do at the limit."""

from mmap import mmap

import pytest

import wayfolk as wf
from wayfolk import machine
from wayfolk.algorithms import task as tasks
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.task import Task, finish
from wayfolk.errors import BadProblem, TooLarge
from wayfolk.kernels.deadline import OutOfTime, check_deadline, deadline
from wayfolk.problem.result import Result, Status
from wayfolk.world.generate import draw_pairs, random_map, without_islands


class Endless(Task):
    """It never ends; after `sound` portions it asks for too much, if it asks."""

    def __init__(self, sound=None, has_plan=False):
        self.sound, self.n, self.has_plan = sound, 0, has_plan

    def advance(self, budget=1):
        self.n += 1
        if self.sound is not None and self.n > self.sound:
            raise TooLarge("the next array needs 46.4 GB")
        return Status.RUNNING

    def result(self):
        return Result(Status.SOLVED if self.has_plan else self.status, "endless")


def test_half_of_the_machine_is_the_default():
    assert machine.available_bytes() <= machine.total_bytes() // 2
    assert 0 < machine.resident_bytes() < machine.total_bytes()
    assert not machine.is_memory_full()


def test_a_limit_counts_from_what_the_process_holds():
    with machine.memory_limit(1 << 20):
        assert machine.available_bytes() <= 1 << 20
        with mmap(-1, 1 << 26) as block:  # not from the heap, which may have room that was used before
            block.write(bytes(1 << 26))
            assert machine.is_memory_full()
            assert machine.available_bytes() == 0
    assert machine.available_bytes() > 1 << 20


@pytest.mark.parametrize("has_plan", [False, True])
def test_a_task_ends_at_the_limit_with_its_best_answer(has_plan, monkeypatch):
    with machine.memory_limit(1 << 20):
        held = machine.resident_bytes() + (1 << 21)
        monkeypatch.setattr(machine, "resident_bytes", lambda: held)
        result = finish(Endless(has_plan=has_plan), budget=1 << 40)
    assert result.status is (Status.SOLVED if has_plan else Status.OUT_OF_BUDGET)
    assert result.detail == "stopped at the limit of memory"


def test_an_array_that_does_not_fit_ends_a_task():
    result = finish(Endless(sound=3), budget=1 << 40)
    assert (result.status, result.detail) == (Status.OUT_OF_BUDGET, "the next array needs 46.4 GB")


@pytest.mark.parametrize("planner", ["cbs", "eecbs", "lacam", "lns2", "od_id"])
def test_planners_end_at_the_limit(planner, monkeypatch):
    grid = random_map(24, 24, 0.2, seed=3, moves="four")
    problem = wf.one_shot(grid, *(grid.places(cells) for cells in draw_pairs(grid, 20, seed=1)))
    whole = wf.solve(problem, planner, expansions=20_000)
    monkeypatch.setattr(tasks, "is_memory_full", lambda: True)
    result = wf.solve(problem, planner, expansions=20_000, memory=1 << 30)
    assert result.status in (Status.OUT_OF_BUDGET, whole.status)
    assert result.is_solved or result.detail


@pytest.mark.parametrize("memory", [0, -1, 0.5, "much", True])
def test_a_limit_is_a_number_of_bytes(memory):
    grid = random_map(5, 5, 0.0)
    with pytest.raises(BadProblem, match="memory must be"):
        find_path(grid, (0, 0), (4, 4), memory=memory)
    with pytest.raises(BadProblem, match="memory must be"):
        wf.solve(wf.one_shot(grid, [(0, 0)], [(4, 4)]), "cbs", memory=memory)


def test_a_search_has_a_limit_too():
    grid = random_map(5, 5, 0.0)
    assert find_path(grid, (0, 0), (4, 4), memory=1 << 30).is_solved


def test_preparations_look_at_the_deadline():
    check_deadline()  # there is none
    with deadline(1000.0):
        check_deadline()
    with deadline(1e-9), pytest.raises(OutOfTime):
        check_deadline()
    check_deadline()


@pytest.mark.parametrize("name", ["knn_lrta", "d_lrta"])
def test_a_database_that_takes_too_long_ends_the_search(name):
    grid = without_islands(random_map(40, 40, 0.2, seed=3))
    start, goal = (grid.place(int(grid.free_cells[k])) for k in (0, -1))
    find_path(random_map(6, 6, 0.0), (0, 0), (5, 5), name)  # compiles
    result = find_path(grid, start, goal, name, seconds=1e-9)
    assert result.status is Status.OUT_OF_TIME
    assert result.detail == "the deadline came while tables were prepared"
    assert find_path(grid, start, goal, name).is_solved

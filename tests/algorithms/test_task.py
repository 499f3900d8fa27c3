"""`finish`: budgets, deadlines and slices, on a clock that only the work moves."""

from itertools import pairwise
from threading import get_ident
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.algorithms import task as module
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.task import SLICE_SECONDS, UNITS, Task, checked_limits, finish
from wayfolk.compile.loading import LOADED
from wayfolk.errors import BadInput
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import NO_LIMIT, Result, Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import begin_plan, simulate, solve
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain


class Chore(Task):
    """Takes `seconds_each` for a unit of work, and the first time `warm_up` more; done after `units`."""

    def __init__(self, clock, units=NO_LIMIT, seconds_each=1e-6, warm_up=0.0):
        self.clock, self.units, self.each, self.warm_up = clock, units, seconds_each, warm_up
        self.done, self.budgets = 0, []

    def advance(self, budget=NO_LIMIT):
        self.budgets.append(budget)
        spent = min(budget, self.units - self.done)
        self.done += spent
        self.clock.now += spent * self.each + (self.warm_up if len(self.budgets) == 1 else 0.0)
        if self.done == self.units:
            self.status = Status.SOLVED
        return self.status

    def result(self):
        return Result(self.status, "chore", cost=float(self.done))


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still while nobody works."""
    watch = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(module, "perf_counter", lambda: watch.now)
    return watch


class Heedful(Chore):
    """A chore that stops between two units of work when the time `until` has come."""

    def advance(self, budget=NO_LIMIT):
        while budget > 0 and self.status is Status.RUNNING:
            super().advance(1)
            budget -= 1
            if self.clock.now >= self.until:
                break
        self.unspent = budget
        return self.status


def test_a_task_that_stops_for_the_clock_obeys_deadlines_within_a_portion(clock):
    task = Heedful(clock, seconds_each=0.1)
    assert finish(task, seconds=0.35).status is Status.OUT_OF_TIME
    assert task.done == 4  # not a portion of 4,096
    assert task.until == float("inf")  # whoever advances it next has no deadline


def test_what_a_task_leaves_of_its_budget_is_not_counted(clock):
    task = Heedful(clock, seconds_each=0.1)
    assert finish(task, budget=10).status is Status.OUT_OF_BUDGET
    assert task.done == 10


def test_without_limits_it_goes_on_to_the_end(clock):
    chore = Chore(clock, units=10**7)
    result = finish(chore)
    assert (result.status, result.cost) == (Status.SOLVED, 10**7)
    assert result.seconds == pytest.approx(10.0)


@given(expansions=st.integers(1, 10**6), units=st.integers(1, 10**6), portion=st.integers(1, 10**5))
def test_a_budget_is_used_up_exactly(expansions, units, portion):
    with pytest.MonkeyPatch.context() as patch:
        clock = SimpleNamespace(now=0.0)
        patch.setattr(module, "perf_counter", lambda: clock.now)
        chore = Chore(clock, units)
        result = finish(chore, budget=expansions, portion=portion)
    assert chore.done == min(units, expansions)
    assert sum(chore.budgets) <= expansions
    assert all(budget >= 1 for budget in chore.budgets)
    assert result.status is (Status.SOLVED if units <= expansions else Status.OUT_OF_BUDGET)


def test_a_deadline_is_met_to_within_a_slice(clock):
    chore = Chore(clock, seconds_each=1e-5)
    result = finish(chore, seconds=2.0)
    assert result.status is Status.OUT_OF_TIME
    assert 2.0 <= result.seconds <= 2.0 + 2 * SLICE_SECONDS
    assert result.cost == chore.done  # what was found so far is kept


def test_whatever_comes_first_ends_it(clock):
    assert finish(Chore(clock, seconds_each=0.1), seconds=1.0, budget=10**6, portion=1).status is Status.OUT_OF_TIME
    assert finish(Chore(clock, seconds_each=0.1), seconds=100.0, budget=5).status is Status.OUT_OF_BUDGET
    assert finish(Chore(clock, 3, seconds_each=0.1), seconds=0.31, budget=3).status is Status.SOLVED


def test_no_portion_is_larger_than_it_may_be(clock):
    chore = Chore(clock, units=1000)
    finish(chore, largest=7)
    assert set(chore.budgets) == {7}
    assert chore.done == 1000


@pytest.mark.parametrize("seconds_each", [1e-3, 1e-5, 1e-8])
def test_after_a_few_slices_each_takes_about_as_long_as_it_should(clock, seconds_each):
    chore = Chore(clock, units=int(1.0 / seconds_each), seconds_each=seconds_each)
    finish(chore)
    assert all(b * seconds_each == pytest.approx(SLICE_SECONDS, rel=0.01) for b in chore.budgets[10:-1])
    assert all(b <= 4 * a for a, b in pairwise(chore.budgets))


def test_a_first_slice_that_compiles_does_not_make_the_others_small_for_ever(clock):
    chore = Chore(clock, units=10**6, seconds_each=1e-6, warm_up=20.0)
    finish(chore)
    assert chore.budgets[1] < 100
    assert max(chore.budgets) * 1e-6 == pytest.approx(SLICE_SECONDS, rel=0.01)


@pytest.fixture
def load(clock):
    """A function that loads a kernel for three seconds, as `tell` and `result` may."""
    before = len(LOADED)

    def wait(_=None):
        clock.now += 3.0
        LOADED.append((get_ident(), 3.0))

    yield wait
    del LOADED[before:]


def test_kernels_loaded_after_the_work_do_not_make_its_seconds_negative(clock, load):
    class Loading(Chore):
        def result(self):
            load()
            return super().result()

    chore = Loading(clock, units=10, seconds_each=0.01)
    chore.has_plan = True
    result = finish(chore, budget=20, tell=load)
    assert result.seconds == pytest.approx(0.1)
    assert result.first_seconds == pytest.approx(0.1)
    result = finish(Loading(clock, seconds_each=0.01), seconds=0.5, portion=10, tell=load)
    assert result.status is Status.OUT_OF_TIME
    assert 0.5 <= result.seconds < 0.6


def test_tells_after_every_slice_and_before_the_end(clock):
    chore, reports = Chore(clock, units=10**6), []
    finish(chore, tell=lambda task: reports.append((task.done, task.status)))
    assert len(reports) == len(chore.budgets) > 10
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert reports[-1] == (10**6, Status.SOLVED)


def test_what_has_ended_stays_as_it_is(clock):
    chore = Chore(clock, units=5)
    finish(chore)
    again = finish(chore, budget=1)
    assert (again.status, again.cost) == (Status.SOLVED, 5)


def test_stopped_by_the_caller_it_can_be_resumed(clock):
    chore = Chore(clock, units=10**6)

    def stop(task):
        if task.done > 10**5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finish(chore, tell=stop)
    assert 10**5 < chore.done < 10**6
    assert finish(chore).cost == 10**6


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_seconds_must_be_positive(clock, seconds):
    chore = Chore(clock)
    with pytest.raises(BadInput, match=f"seconds must be more than 0, not {seconds}"):
        finish(chore, seconds=seconds)
    assert chore.budgets == []


@pytest.mark.parametrize("what", UNITS)
@pytest.mark.parametrize(
    ("budget", "complaint"),
    [
        (0, "1 or more, not 0"),
        (-5, "1 or more, not -5"),
        (2.5, "a whole number, not 2.5"),
        ("9", "a whole number, not '9'"),
    ],
)
def test_a_budget_must_be_a_positive_whole_number_of_its_unit(clock, what, budget, complaint):
    chore = Chore(clock)
    with pytest.raises(BadInput, match=f"{what} must be {complaint}"):
        finish(chore, budget=budget, what=what)
    assert chore.budgets == []


def test_a_budget_beyond_all_counting_is_no_limit(clock):
    assert finish(Chore(clock, units=10**6), budget=10**20).status is Status.SOLVED


def test_no_limits_are_fine():
    assert checked_limits() is None
    assert checked_limits(seconds=0.001, until=1, expansions=1, steps=np.int64(1)) is None


def test_each_limit_is_called_by_its_name():
    grid = Grid(np.ones((3, 3)))
    problem = one_shot(grid, [(0, 0)], [(2, 2)])
    calls = {
        "steps must be 1 or more, not 0": lambda: find_path(grid, (0, 0), (2, 2), "lrta", steps=0),
        "expansions must be 1 or more, not 0": lambda: find_path(grid, (0, 0), (2, 2), "astar", expansions=0),
        "seconds must be a number, not 'soon'": lambda: find_path(grid, (0, 0), (2, 2), seconds="soon"),
        "steps must be 1 or more, not -1": lambda: solve(problem, "lra", steps=-1),
        "expansions must be a whole number, not 1.5": lambda: solve(problem, "hca", expansions=1.5),
        "until must be more than 0, not nan": lambda: simulate(problem, "lra", until=float("nan")),
    }
    for complaint, call in calls.items():
        with pytest.raises(BadInput, match=complaint):
            call()


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        (-1, "0 or more, not -1"),
        (2**62 + 1, "at most 4,611,686,018,427,387,904, not 4611686018427387905"),
        (0.5, "a whole number, not 0.5"),
        (True, "a whole number, not True"),
        ("1", "a whole number, not '1'"),
    ],
)
def test_a_seed_is_checked_by_every_verb(seed, complaint):
    problem = one_shot(Grid(np.ones((3, 3))), [(0, 0)], [(2, 2)])
    calls = [
        lambda: simulate(problem, "lra", seed=seed),
        lambda: Simulation(problem, "lra", seed=seed),
        *(lambda name=name: solve(problem, name, seed=seed) for name in ("lra", "hca")),
        *(lambda name=name: begin_plan(problem, name, seed=seed) for name in ("lra", "hca")),
    ]
    for call in calls:
        with pytest.raises(BadInput, match=f"a seed must be {complaint}"):
            call()


def test_a_task_knows_its_algorithm_and_options():
    grid = Grid(np.ones((3, 3)))
    problem = one_shot(grid, [(0, 0)], [(2, 2)])
    for task, name, options in [
        (begin_path(grid, (0, 0), (2, 2), "AStar", weight="2"), "astar", {"weight": 2.0}),
        (begin_path(grid, (0, 0), (2, 2), "lrta"), "lrta", {}),
        (begin_plan(problem, "hca"), "hca", {}),
        (begin_plan(problem, "whca", window=4), "whca", {"window": 4}),
    ]:
        assert (task.algorithm, dict(task.options)) == (name, options)
        assert (task.result().algorithm, task.result().options) == (name, options)
        assert (finish(task).algorithm, finish(task).options) == (name, options)


@pytest.mark.parametrize("budget", [1, 7, 50])
def test_a_simulation_does_not_run_past_its_budget(budget):
    grid = Grid([[1, 1, 1, 1]])
    world = Simulation(one_shot(grid, [(0, 0)], [(3, 0)]), "lra", model="distance")
    for ticks in range(budget, 60, budget):  # the agent is busy for 34 ticks at a time
        world.advance(budget)
        assert world.time == pytest.approx(ticks * world.tick)

"""`finish`: budgets, deadlines and slices, on a clock that only the work moves."""

from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk import task as module
from wayfolk.errors import BadInput
from wayfolk.grid import Grid
from wayfolk.problem import one_shot
from wayfolk.result import NO_LIMIT, Result, Status
from wayfolk.simulation import Simulation
from wayfolk.task import SLICE_SECONDS, Task, checked_limits, finish

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
    made = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: made.now))
    return made


def test_without_limits_it_goes_on_to_the_end(clock):
    chore = Chore(clock, units=10**7)
    result = finish(chore)
    assert (result.status, result.cost) == (Status.SOLVED, 10**7)
    assert result.seconds == pytest.approx(10.0)


@given(expansions=st.integers(1, 10**6), units=st.integers(1, 10**6), portion=st.integers(1, 10**5))
def test_a_budget_is_used_up_exactly(expansions, units, portion):
    with pytest.MonkeyPatch.context() as patch:
        clock = SimpleNamespace(now=0.0)
        patch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: clock.now))
        chore = Chore(clock, units)
        result = finish(chore, expansions=expansions, portion=portion)
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
    assert finish(Chore(clock, seconds_each=0.1), seconds=1.0, expansions=10**6, portion=1).status is Status.OUT_OF_TIME
    assert finish(Chore(clock, seconds_each=0.1), seconds=100.0, expansions=5).status is Status.OUT_OF_BUDGET
    assert finish(Chore(clock, 3, seconds_each=0.1), seconds=0.31, expansions=3).status is Status.SOLVED


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


def test_tells_after_every_slice_and_before_the_end(clock):
    chore, told = Chore(clock, units=10**6), []
    finish(chore, tell=lambda task: told.append((task.done, task.status)))
    assert len(told) == len(chore.budgets) > 10
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (10**6, Status.SOLVED)


def test_what_has_ended_stays_as_it_is(clock):
    chore = Chore(clock, units=5)
    finish(chore)
    again = finish(chore, expansions=1)
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


@pytest.mark.parametrize("expansions", [0, -5])
def test_expansions_must_be_positive(clock, expansions):
    chore = Chore(clock)
    with pytest.raises(BadInput, match=f"expansions must be 1 or more, not {expansions}"):
        finish(chore, expansions=expansions)
    assert chore.budgets == []


def test_no_limits_are_fine():
    assert checked_limits(None, None) is None
    assert checked_limits(0.001, 1) is None


@pytest.mark.parametrize("budget", [1, 7, 50])
def test_a_simulation_does_not_run_past_its_budget(budget):
    grid = Grid([[1, 1, 1, 1]])
    world = Simulation(one_shot(grid, [(0, 0)], [(3, 0)]), "lra", model="distance")
    for ticks in range(budget, 60, budget):  # the agent is busy for 34 ticks at a time
        world.advance(budget)
        assert world.time == pytest.approx(ticks * world.tick)

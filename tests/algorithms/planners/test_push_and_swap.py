"""Push and Swap: legal plans, and the cases in which it fails although there is a plan."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import solve

CLEAR_FAILS = (
    """
    ....#
    #..#.
    """,
    [(1, 1), (0, 0), (2, 0), (1, 0)],
    [(2, 0), (1, 1), (2, 1), (1, 0)],
)
ORDER_FAILS = [
    (
        """
    ....
    ..##
    """,
        [(0, 0), (3, 0), (2, 0), (1, 1)],
        [(0, 0), (2, 0), (3, 0), (1, 0)],
    ),
    (
        """
    #....
    #..##
    """,
        [(1, 0), (4, 0), (3, 0), (2, 1)],
        [(1, 1), (1, 0), (4, 0), (3, 0)],
    ),
]


@pytest.mark.plain
@given(small_problems(max_agents=4), st.sampled_from(["published", "corrected"]))
def test_plans_have_no_faults(problem, clear):
    result = solve(problem, "push_and_swap", clear=clear)
    if result.is_solved:
        assert check(result.plan, problem) == []
    else:
        assert result.status is Status.GAVE_UP
        assert "can neither push" in result.detail


@pytest.mark.plain
def test_the_corrected_clear_operation_solves_more():
    picture, starts, goals = CLEAR_FAILS
    problem = one_shot(parse_ascii(picture, moves="four"), starts, goals)
    assert solve(problem, "push_and_swap").status is Status.GAVE_UP
    assert check(solve(problem, "push_and_swap", clear="corrected").plan, problem) == []


@pytest.mark.plain
@pytest.mark.parametrize(("picture", "starts", "goals"), ORDER_FAILS)
def test_it_fails_with_two_empty_cells_where_push_and_rotate_does_not(picture, starts, goals):
    problem = one_shot(parse_ascii(picture, moves="four"), starts, goals)
    for clear in ("published", "corrected"):
        assert solve(problem, "push_and_swap", clear=clear).status is Status.GAVE_UP
    assert check(solve(problem, "push_and_rotate").plan, problem) == []

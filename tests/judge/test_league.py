"""The judge of the League of Robot Runners: it accepts what a slow runner does, and names each kind of fault."""

import json

import numpy as np
import pytest

from league_runner import random_league, random_run
from wayfolk.errors import BadPlan
from wayfolk.files.league_output import read_league_run, write_league_run
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.league import LeagueFault, check_league
from wayfolk.problem.league import ACTIONS, NO_TASK, SCHEDULED, YEARS, League, LeagueRun

pytestmark = pytest.mark.plain

OPEN = parse_ascii("......\n......\n......\n......", "four")


def league_of(starts, tasks, *, year=2024, grid=OPEN, ticks=1, n_revealed=None, **options):
    cells = np.array([grid.cell(place) for place in starts], np.int32)
    errands = [np.array([grid.cell(place) for place in places], np.int32) for places in tasks]
    return League(grid, cells, errands, n_revealed or len(starts), year, ticks=ticks, **options)


def run_of(league, *paths, schedule=(), n_done=0, **changes):
    """A run in which robots do what the letters of `paths` say; shorter ones wait."""
    longest = max(map(len, paths))
    codes = [[ACTIONS.index(letter) for letter in path.ljust(longest, "W")] for path in paths]
    whole = {
        "starts": league.starts, "headings": np.zeros(len(paths), np.int8), "ticks": league.ticks,
        "actions": np.array(codes, np.uint8).T, "schedule": np.array(list(schedule), SCHEDULED), "n_done": n_done,
    } | changes  # fmt: skip
    return LeagueRun(league.year, **whole)


def faults(run, league):
    return [(fault.kind, fault.step, fault.agents) for fault in check_league(run, league).faults]


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("seed", range(12))
def test_runs_of_a_slow_runner_are_legal_and_counted_alike(year, seed, tmp_path):
    league = random_league(year, seed)
    run, n_done = random_run(league, seed, n_steps=300)
    verdict = check_league(run, league)
    assert verdict.faults == []
    assert verdict.tasks_done == n_done == run.n_done
    assert n_done > 0
    file = tmp_path / "output.json"
    write_league_run(run, league, verdict.events, file)
    again = read_league_run(file, league)
    assert np.array_equal(again.actions, run.actions)
    assert check_league(again, league).faults == []
    assert np.array_equal(check_league(again, league).events, verdict.events)


def test_headings_turn_as_the_letters_say():
    league = league_of([(1, 1)], [[(2, 1), (2, 2), (1, 2), (1, 1)]])
    run = run_of(league, "FRFRFRFC", schedule=[(1, 0, 0)], n_done=1)
    verdict = check_league(run, league)
    assert verdict.faults == []
    assert verdict.events.tolist() == [(1, 0, 0, 1), (3, 0, 0, 2), (5, 0, 0, 3), (7, 0, 0, 4)]


def test_one_errand_is_done_in_a_step():
    league = league_of([(0, 0)], [[(1, 0), (1, 0), (2, 0)]])
    run = run_of(league, "FWWFW", schedule=[(1, 0, 0)], n_done=1)
    assert check_league(run, league).events["step"].tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("starts", "paths", "expected"),
    [
        ([(0, 0), (2, 0)], ["F", "RRF"], [("vertex", 3, (0, 1))]),
        ([(0, 0), (1, 0)], ["F", "F"], []),
        ([(0, 0), (1, 0)], ["WF", "RF"], []),
        ([(0, 0), (1, 0)], ["F", "W"], [("vertex", 1, (0, 1))]),
        ([(0, 0), (1, 0)], ["WWF", "RRF"], [("swap", 3, (0, 1))]),
        ([(0, 0)], ["CF"], [("wall", 2, (0,))]),
        ([(0, 0), (3, 0)], ["F", "W"], []),
    ],
)
def test_meetings_of_2024(starts, paths, expected):
    league = league_of(starts, [[(5, 3)]])
    assert faults(run_of(league, *paths), league) == expected


@pytest.mark.parametrize(
    ("starts", "paths", "expected"),
    [
        ([(0, 0), (1, 0)], ["FFF", "FFF"], []),
        ([(0, 0), (1, 0)], ["FFF", "WFF"], [("overlap", step, (0, 1)) for step in (1, 2, 3)]),
        ([(0, 0), (1, 0)], ["WFFF", "FFF"], []),
        # a robot that leaves to the south is still in the way of one from the west
        ([(0, 0), (1, 0)], ["WWWFFF", "RRRFFF"], [("overlap", step, (0, 1)) for step in (4, 5, 6)]),
        ([(0, 0), (1, 0)], ["WWWWWWFFF", "RRRFFF"], []),
        # a robot that has begun can only pause, and is between two cells meanwhile
        ([(0, 0), (1, 1)], ["FWWFF", "CCCFFF"], [("overlap", step, (0, 1)) for step in range(4, 7)]),
        ([(0, 0), (3, 0)], ["FCR", "W"], []),
    ],
)
def test_squares_of_2026(starts, paths, expected):
    league = league_of(starts, [[(5, 3)]], year=2026, ticks=3)
    assert faults(run_of(league, *paths), league) == expected


def test_what_has_begun_goes_on_whatever_the_letter_says():
    league = league_of([(0, 0)], [[(1, 0), (1, 1)]], year=2026, ticks=3)
    run = run_of(league, "FCRRRRFFFW", schedule=[(0, 0, 0)], n_done=1)
    assert check_league(run, league).events["step"].tolist() == [3, 9]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ([(1, 0, 0), (2, 0, 0)], []),
        ([(1, 0, 7)], ["step 1: agent 0 gets task 7, which is not open"]),
        ([(1, 0, 0), (2, 0, 1)], ["step 2: agent 0 drops task 0, which it has begun"]),
        ([(1, 0, 0), (2, 0, NO_TASK)], ["step 2: agent 0 drops task 0, which it has begun"]),
        ([(1, 0, 0), (2, 1, 0)], ["step 2: agent 1 gets task 0, which belongs to another robot"]),
        ([(1, 0, 0), (1, 1, 0)], ["step 1: agent 1 gets task 0, which belongs to another robot"]),
        ([(1, 0, 1), (2, 0, 0), (2, 1, 1)], []),
    ],
)
def test_who_may_have_which_task(schedule, expected):
    league = league_of([(0, 0), (0, 3)], [[(1, 0), (5, 0)], [(3, 3), (5, 3)]])
    verdict = check_league(run_of(league, "FF", "W", schedule=schedule), league)
    assert [str(fault) for fault in verdict.faults] == expected


def test_claims_starts_and_delays_are_checked():
    league = league_of([(0, 0)], [[(1, 0)]], year=2026, ticks=2)
    run = run_of(league, "FF", schedule=[(0, 0, 0)], n_done=3, held=[np.array([[1, 2]], np.int32)])
    assert faults(run, league) == [("delayed", 2, (0,)), ("claim", 2, ())]
    elsewhere = run_of(league, "W", starts=league.starts + 1, headings=np.array([2], np.int8), ticks=5)
    assert faults(elsewhere, league) == [("start", 0, (0,)), ("heading", 0, (0,)), ("ticks", 0, ())]
    with pytest.raises(BadPlan, match="the run is of 2026, and the instance of 2024"):
        check_league(run, league_of([(0, 0)], [[(1, 0)]]))


def test_every_kind_of_fault_reads_as_a_sentence():
    for kind in LeagueFault.SENTENCES:
        fault = LeagueFault(kind, 3, (1, 2), ((0, 0), (1, 1)))
        assert str(fault).startswith("step 3: ")
        assert json.loads(json.dumps(fault.as_dict()))["kind"] == kind

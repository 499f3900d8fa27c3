"""WHCA*: what its options change, and what they do not."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.kernels.codes import MOVE
from wayfolk.problem import events
from wayfolk.problem.problem import patrol
from wayfolk.simulation.solving import simulate
from wayfolk.world.body import Body
from wayfolk.world.generate import rooms


def test_searching_back_anew_expands_more_and_walks_the_same_ways():
    problem = patrol(rooms(24, 24, 5, seed=2), agents=12, loops=2, seed=1)
    kept, anew = (simulate(problem, "whca", until=400, resume=resume) for resume in (True, False))
    for column in ("time", "agent", "cell"):
        moves = [getattr(run.record, column)[run.record.of(MOVE)] for run in (kept, anew)]
        np.testing.assert_array_equal(*moves)
    assert anew.expanded.sum() > 1.5 * kept.expanded.sum()


GRID = wf.Grid(np.ones((14, 14)))
BODIES = {
    "squares": [Body(size=2), Body()],
    "turning": [Body(turns=True)],
    "slow": [Body(speed=0.5), Body()],
}


def bodies_on_grid(kind, seed):
    kinds = BODIES[kind]
    return wf.random_problem(GRID, 8, seed=seed, bodies=[kinds[k % len(kinds)] for k in range(8)])


@pytest.mark.plain
@pytest.mark.parametrize("kind", BODIES)
def test_where_all_find_ways_no_move_of_a_body_is_refused(kind):
    for seed in range(3):
        run = simulate(bodies_on_grid(kind, seed), "whca", until=200)
        assert run.outcome == "solved"
        assert run.collisions.sum() == 0


@pytest.mark.plain
@pytest.mark.parametrize("kind", ["turning", "slow"])
def test_ways_stay_reserved_when_places_get_other_numbers(kind):
    for seed in (1, 2):
        problem = bodies_on_grid(kind, seed)
        free = np.setdiff1d(GRID.free_cells, problem.states.cells[problem.starts])[::29]
        places = [GRID.place(cell) for cell in free.tolist()]
        changes = [events.block(2, places), events.free(9, places)]
        run = simulate(problem, "whca", until=200, events=changes)
        assert run.outcome == "solved"
        assert run.collisions.sum() == 0


@pytest.mark.plain
def test_a_disc_makes_room_where_another_has_to_pass():
    places = {"west": (0, 0), "middle": (1, 0), "east": (2, 0), "far": (3, 0), "aside": (2, 1)}
    lanes = [wf.Lane("west", "middle"), wf.Lane("middle", "east"), wf.Lane("east", "far"), wf.Lane("east", "aside")]
    problem = wf.one_shot(wf.Roadmap(places, lanes), ["west", "far"], ["far", "west"], bodies=Body(radius=0.3))
    run = simulate(problem, "whca", until=40)
    assert run.outcome == "solved"
    assert run.collisions.sum() == 0

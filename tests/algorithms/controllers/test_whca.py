"""WHCA*: what its options change, and what they do not."""

import numpy as np

from wayfolk.kernels.codes import MOVE
from wayfolk.problem.problem import patrol
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import rooms


def test_searching_back_anew_expands_more_and_walks_the_same_ways():
    problem = patrol(rooms(24, 24, 5, seed=2), agents=12, loops=2, seed=1)
    kept, anew = (simulate(problem, "whca", until=400, resume=resume) for resume in (True, False))
    for column in ("time", "agent", "cell"):
        moves = [getattr(run.record, column)[run.record.of(MOVE)] for run in (kept, anew)]
        np.testing.assert_array_equal(*moves)
    assert anew.expanded.sum() > 1.5 * kept.expanded.sum()

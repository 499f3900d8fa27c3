"""Distance fields of `pibt` in any world: exact with walls and without, shared, and within their memory."""

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.algorithms.controllers.pibt.fields import EPOCH, borrow, give_back, is_stale, restart
from wayfolk.algorithms.controllers.pibt.node_fields import distance, new_node_fields
from wayfolk.compile.jit import kernel
from wayfolk.judge.records import check_record
from wayfolk.kernels import field_store
from wayfolk.kernels.codes import MOVE, NOWHERE
from wayfolk.problem.problem import patrol_between

pytestmark = pytest.mark.plain


@kernel
def new_user(fields, goal, aim):  # type: ignore[no-untyped-def]
    """The row of `goal` for one more user, searched again if walls have changed."""
    row = borrow(fields, goal, aim)
    if is_stale(fields, row):
        restart(fields, row, aim)
    return row


@kernel
def end_use(fields, row):  # type: ignore[no-untyped-def]
    give_back(fields, row)


@kernel
def steps_from(fields, row, node):  # type: ignore[no-untyped-def]
    return distance(fields, row, node)


def truth(states, goal, shut):  # type: ignore[no-untyped-def]
    """Steps from each node to `goal`, by plain breadth-first search that enters no node of `shut` but the goal."""
    steps = {node: 0 for node in range(states.n_cells) if states.stand_of[node] == goal}
    back: dict[int, list[int]] = {}
    for source, target in zip(states.sources.tolist(), states.graph.target.tolist(), strict=True):
        back.setdefault(target, []).append(source)
    queue = list(steps)
    for node in queue:
        for source in back.get(node, []):
            if source not in steps and not shut[source]:
                steps[source] = steps[node] + 1
                queue.append(source)
    return [steps.get(node, NOWHERE) for node in range(states.n_cells)]


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_distances_are_exact_and_follow_the_walls(kind: str) -> None:
    n_changed = 0
    for number in range(4):
        problem = twin.drawn_problem(kind, number)
        states, rng = problem.states, np.random.default_rng(number)
        fields = new_node_fields(states, 2)
        for goal in states.stand_of[problem.goals].tolist():
            before = None
            for share in (0.0, 0.3):
                fields.moves.shut[:] = rng.random(states.n_cells) < share
                fields.counts[EPOCH] += 1
                row = new_user(fields, np.int32(goal), np.int32(problem.starts[0]))
                assert new_user(fields, np.int32(goal), np.int32(goal)) == row
                nodes = rng.permutation(states.n_cells).tolist()
                steps = {node: int(steps_from(fields, row, node)) for node in nodes}
                found = [steps[node] for node in range(states.n_cells)]
                assert found == truth(states, goal, fields.moves.shut)
                n_changed += before is not None and found != before
                before = found
                end_use(fields, row)
                end_use(fields, row)
    assert n_changed


def test_little_memory_changes_no_step() -> None:
    """Fields that lose their blocks are searched again."""
    world = wf.Voxels(np.ones((6, 6, 6), bool), 26)
    ends = np.random.default_rng(2).permutation([world.place(cell) for cell in world.free_cells.tolist()])
    problem = wf.one_shot(
        world, [tuple(end) for end in ends[:12].tolist()], [tuple(end) for end in ends[12:24].tolist()]
    )
    walks = patrol_between(world, problem.starts, problem.goals, 3, seed=1)
    moves = []
    for memory in (None, 1):
        run = wf.Simulation(walks, "pibt", seed=1, memory=memory)
        run.advance(30)
        assert (run.controller.arrays.fields.store.counts[field_store.LOST] > 0) == (memory == 1)
        record = run.record()
        assert check_record(record) == []
        rows = record.of(MOVE)
        moves.append([getattr(record, column)[rows].tolist() for column in ("time", "agent", "cell")])
    assert len(moves[0][0]) > 100
    assert moves[0] == moves[1]

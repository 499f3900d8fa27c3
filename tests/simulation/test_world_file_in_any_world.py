"""Saved worlds of every kind, and of every body: they go on as if they had never stopped, and hostile ones are refused."""

import io
import json

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.errors import BadInput, NotSupported
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import BLOCK, CLOSE
from wayfolk.problem import events
from wayfolk.simulation.world_file import read_world
from wayfolk.world.body import Body


def world_under_way(kind, number, steps=8):
    """A tiny world some of whose cells were blocked, or whose lanes were closed; more events are to come."""
    problem = twin.drawn_problem(kind, number)
    states, world = problem.states, problem.world
    start = states.place(int(problem.starts[0]))
    coming = [events.leave(12, 0), events.join(13, start, start, problem.body(0))]
    if hasattr(world, "with_blocked"):
        coming += [events.block(2, [world.place(int(cell)) for cell in world.free_cells[:2]])]
        coming += [events.free(15, [world.place(int(cell)) for cell in world.free_cells[:1]])]
    else:
        lanes = [(world.place(one), world.place(other)) for one, other in world.edges[:2]]
        coming += [events.close_lanes(2, lanes), events.open_lanes(15, lanes[:1])]
    simulation = wf.Simulation(problem, "lra", seed=number)
    for event in coming:
        simulation.add_event(event)
    for _ in range(steps):
        simulation.step()
    return simulation


@pytest.mark.parametrize("kind", twin.WORLDS)
@pytest.mark.parametrize("number", range(2))
def test_a_restored_world_goes_on(tmp_path, kind, number):
    world = world_under_way(kind, number)
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    assert again.states.kinds == world.states.kinds
    assert again.places() == world.places()
    for one in (world, again):
        for _ in range(15):
            one.step()
    before, after = world.record(), again.record()
    for column in ("time", "agent", "kind", "cell", "starts"):
        assert np.array_equal(getattr(before, column), getattr(after, column)), column
    assert len(after.of(BLOCK)) + len(after.of(CLOSE))
    assert check_record(after) == []


def test_a_log_that_begins_later_has_the_map_of_then(tmp_path):
    world = wf.Simulation(twin.drawn_problem("discs", 3), "lra", record="last 3")
    lane = tuple(world.states.world.place(cell) for cell in world.states.world.edges[0])
    world.close([lane])
    for _ in range(12):
        world.step()
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    record = again.record()
    assert record.began > 0
    assert record.states.closed
    assert check_record(record) == []


def test_walls_of_a_roadmap_are_saved(tmp_path):
    """A disc keeps away from them in the restored world, too."""
    roads = wf.Roadmap({"a": (0.0, 0.0), "b": (2.0, 0.0), "c": (0.0, 2.0)}, [("a", "b"), ("a", "c"), ("c", "b")],
                       walls=[((1.0, -1.0), (1.0, 0.5))])  # fmt: skip
    world = wf.Simulation(wf.one_shot(roads, ["a"], ["b"], bodies=Body(radius=0.3)), "lra")
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    again.advance(10)
    assert again.record().plan().path(0)[:3] == ["a", "c", "b"]


def rewritten(tmp_path, change):
    """A saved world with something changed in its arrays or its text."""
    world_under_way("mixed squares", 1).save(tmp_path / "world.npz")
    arrays = dict(np.load(tmp_path / "world.npz"))
    about = json.loads(str(arrays["about"]))
    change(arrays, about)
    arrays["about"] = np.array(json.dumps(about))
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    (tmp_path / "world.npz").write_bytes(stream.getvalue())
    return tmp_path / "world.npz"


def put_both_at_one_place(arrays, about):
    arrays["agents"]["here"][1] = arrays["agents"]["here"][0]


def put_outside(arrays, about):
    arrays["agents"]["here"][0] = 10**6


def change_outside(arrays, about):
    arrays["changed"] = np.array([10**6], np.int32)


def close_a_lane(arrays, about):
    arrays["log"]["kind"][-1] = CLOSE


def leave_out_changes(arrays, about):
    del arrays["changed"]


def add_cells(arrays, about):
    arrays["free"] = np.ones((3, 3), bool)


def name_no_place(arrays, about):
    about["events"][0]["places"] = [["nowhere", 3]]
    about["events"][0]["kind"] = BLOCK


def join_with_another_body(arrays, about):
    next(event for event in about["events"] if event["body"] is not None)["body"] = {"size": 5}


def say_distance(arrays, about):
    about["model"] = "distance"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put_both_at_one_place, "two agents are in one place"),
        (put_outside, "the array 'agents' holds 1000000, which is outside the world"),
        (change_outside, "the array 'changed' holds 1000000, which is outside the world"),
        (close_a_lane, "the array 'log' holds 13"),
        (leave_out_changes, "the array 'changed' is missing"),
        (add_cells, "the array 'free' does not belong to this kind of world"),
        (name_no_place, "not a whole saved world|nowhere"),
        (join_with_another_body, "has a body of the problem's agents"),
        (say_distance, "tick|time model"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, words):
    with pytest.raises(BadInput, match=words):
        read_world(rewritten(tmp_path, change))


def test_names_that_json_cannot_tell_are_refused(tmp_path):
    roads = wf.Roadmap([frozenset("a"), frozenset("b")], [(frozenset("a"), frozenset("b"))])
    world = wf.Simulation(wf.one_shot(roads, [frozenset("a")], [frozenset("b")]), "lra")
    with pytest.raises(NotSupported, match="nodes are called by texts, numbers or tuples, not frozenset"):
        world.save(tmp_path / "world.npz")

"""What crowds are known to do: lanes form, doors have a capacity, haste makes waste, direction maps part the traffic."""

import numpy as np
import pytest

from wayfolk.errors import BadInput
from wayfolk.experiments.papers.jansen.two_rooms import patrol_two_rooms
from wayfolk.experiments.phenomena.doors import LEAST_FLOW, MOST_FLOW, empty_room
from wayfolk.experiments.phenomena.lanes import two_way_corridor


@pytest.mark.parametrize("model", ["social_force", "orca"])
def test_lanes_form_in_a_two_way_corridor(model):
    run = two_way_corridor(model, agents=60, seconds=50)
    assert run.order[0] < 0.3
    assert run.order[-10:].mean() > 4 * run.random.mean()
    assert run.order[-10:].mean() > 0.5


@pytest.mark.parametrize(
    ("model", "width"), [("social_force", 1.2), ("social_force", 2.0), ("orca", 1.6), ("orca", 2.0)]
)
def test_doors_let_through_as_many_as_measured(model, width):
    run = empty_room(model, width=width, radius=0.3)
    assert run.n_left == 0
    assert LEAST_FLOW <= run.specific_flow <= MOST_FLOW


def test_a_wider_door_empties_a_room_sooner():
    times = [empty_room("social_force", width=width, agents=60, radius=0.25).duration for width in (1.0, 1.5, 2.0)]
    assert times[0] > times[1] > times[2]


def test_faster_is_slower():
    """In the room of Helbing and others, who want to be out sooner are out later: bodies that press rub."""
    room = {"agents": 200, "side": 15.0, "radius": 0.3}
    slow, quick, hasty = (
        empty_room(speed=speed, step=step, **room) for speed, step in ((1.0, 0.01), (2.0, 0.004), (5.0, 0.004))
    )
    assert quick.duration < 0.8 * slow.duration
    assert hasty.duration > 1.1 * quick.duration
    assert hasty.specific_flow < 0.9 * quick.specific_flow


def test_a_direction_map_gives_each_corridor_a_direction():
    """The thesis expects it, section 5.1; flocking alone mixes both directions in both corridors."""
    alone, guided = (patrol_two_rooms(guided, agents=60, seconds=150) for guided in (False, True))
    assert alone.order < 0.5
    assert guided.order > 0.8
    assert guided.crossings > 1.1 * alone.crossings
    assert guided.jammed < 0.5 * alone.jammed
    assert np.isfinite(guided.seconds)
    with pytest.raises(BadInput, match="needs 2 agents or more"):
        patrol_two_rooms(True, agents=1)

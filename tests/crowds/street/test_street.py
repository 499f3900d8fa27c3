"""On a street nobody overlaps, those who obey the signal cross on red only, those who err do not, and seeds repeat."""

import numpy as np
import pytest

from wayfolk.crowds.brains import Brain, State
from wayfolk.crowds.brains.built_in.bus import Bus
from wayfolk.crowds.brains.built_in.car import Car
from wayfolk.crowds.brains.built_in.hurried import Hurried
from wayfolk.crowds.brains.built_in.pedestrian import Pedestrian
from wayfolk.crowds.brains.built_in.signal import Signal
from wayfolk.crowds.measures.times import longest_overlap
from wayfolk.crowds.street import Spawn, Street, read_street_map
from wayfolk.errors import BadInput

DRAWING = """
##..######..##
..............
<<<<<x<<<<B<<<
>>B>>x>>>>>>>>
..............
##..######..##
"""


def a_street(*spawns, seed=1, **settings):
    spawns = spawns or (
        Spawn(Pedestrian(), 0.8),
        Spawn(Hurried(errs=1.0, careless=0.5, patience=1.0), 0.4),
        Spawn(Car(), 0.25, True),
        Spawn(Bus(), 0.05, True, radius=1.3),
    )
    signals = {0: Signal(green_seconds=8, orange_seconds=3, red_seconds=8)}
    return Street(read_street_map(DRAWING), spawns, signals=signals, seed=seed, **settings)


@pytest.fixture(scope="module")
def ran():
    street = a_street()
    return street, street.run(80)


def test_no_body_overlaps_another_for_longer_than_a_step(ran):
    n, one, other, frame = longest_overlap(ran[1], slack=0.005)
    assert n <= 1, f"{one} and {other} overlap until frame {frame}"


def test_a_dense_crowd_of_a_soft_model_does_not_overlap_either():
    crowd = [
        Spawn(Pedestrian(), 2.5),
        Spawn(Hurried(errs=1.0), 1.0),
        Spawn(Car(), 0.4, True),
        Spawn(Bus(), 0.1, True, radius=1.3),
    ]
    street = a_street(*crowd, seed=7, model="social_force")
    n, one, other, frame = longest_overlap(street.run(35))
    assert n <= 1, f"{one} and {other} overlap until frame {frame}"


def test_nobody_crosses_on_red_but_those_who_err(ran):
    street, _ = ran
    walked = [entry for entry in street.entries if not entry.is_vehicle]
    assert {entry.signal for entry in walked if entry.kind == "pedestrian"} == {"red"}  # the cars' signal
    against = [entry for entry in walked if entry.signal != "red"]
    assert against
    assert {(entry.kind, entry.state) for entry in against} == {("hurried", "running")}
    driven = [entry for entry in street.entries if entry.is_vehicle]
    assert {entry.signal for entry in driven} <= {"green", "orange"}
    assert len(driven) > 5


def test_agents_come_at_edges_and_leave_at_their_goals(ran):
    street, trajectory = ran
    assert street.arrived > 20
    assert street.n_present + street.arrived == street.n_agents == trajectory.n_agents
    present = trajectory.present
    first = trajectory.places[present.argmax(0), np.arange(trajectory.n_agents)]
    edge = np.minimum(first, np.array([14 * 3.0, 6 * 3.0]) - first).min(1)
    assert (edge <= 3.0).all()
    assert not street.log


def test_the_trajectory_knows_kinds_states_and_lamps(ran):
    _, trajectory = ran
    assert trajectory.kind_names == ("pedestrian", "hurried", "car", "bus")
    shown = {trajectory.state_names[code] for code in np.unique(trajectory.lamp_states)}
    assert shown == {"green", "orange", "red"}
    cars = trajectory.kinds == trajectory.kind_names.index("car")
    states = {
        trajectory.state_names[code] for code in np.unique(trajectory.states[:, cars][trajectory.present[:, cars]])
    }
    assert states == {"driving", "stopping"}


def test_buses_board_at_their_stops():
    street = a_street(Spawn(Bus(boarding_seconds=4.0), 0.2, True, radius=1.3))
    trajectory = street.run(40)
    boarding = trajectory.state_names.index("boarding")
    frames, agents = np.nonzero(trajectory.states == boarding)
    assert frames.size
    places = trajectory.places[frames, agents]
    stops = np.array([(2.5 * 3, 3.5 * 3), (10.5 * 3, 2.5 * 3)])
    apart = np.hypot(*(places[:, None] - stops[None]).transpose(2, 0, 1)).min(1)
    assert apart.max() < 1.2
    first = agents[0]
    assert 3.9 <= 0.05 * (trajectory.states[:, first] == boarding).sum() <= 8.2  # one stop or two


def test_the_same_seed_gives_the_same_trajectory():
    one, other = (a_street(seed=4).run(15) for _ in range(2))
    np.testing.assert_array_equal(one.places, other.places)
    np.testing.assert_array_equal(one.states, other.states)
    assert not np.array_equal(one.places[-1], a_street(seed=5).run(15).places[-1])


class Broken(Brain):
    """Raises at a crossing."""

    senses = ("at_crossing",)
    first = "walking"
    walking = State()

    @walking.to("walking")
    def breaks(self, see):
        return see.at_crossing and see.nothing


def test_a_broken_brain_waits_and_the_crowd_goes_on():
    street = a_street(Spawn(Broken(), 0.5, most=10), Spawn(Pedestrian(), 0.5), Spawn(Car(), 0.2, True))
    street.run(50)
    assert len(street.log) == 1
    assert "the brain broken in breaks" in street.log[0]
    assert not [entry for entry in street.entries if entry.kind == "broken"]
    assert [entry for entry in street.entries if entry.kind == "pedestrian"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: a_street(Spawn(Pedestrian(), 0.0)), "rate of a pedestrian must be above 0"),
        (lambda: a_street(Spawn(Pedestrian(), 1.0, radius=-1.0)), "radius of a pedestrian must be above 0"),
        (lambda: a_street(Spawn(Pedestrian(), 1.0, speed=float("nan"))), "speed of a pedestrian must be above 0"),
        (lambda: a_street(Spawn(Pedestrian(), 1.0, starts=((0, 0),))), "the start (0, 0) of a pedestrian is not on"),
        (lambda: a_street(Spawn(Pedestrian(), 1.0, goals=((0, 2),))), "the goal (0, 2) of a pedestrian is not on"),
        (lambda: a_street(Spawn(Car(), 1.0, True, starts=((0, 2),))), "no lane begins at (0, 2)"),
        (lambda: a_street(Spawn(Car(), 1.0, True, radius=2.0)), "does not fit a lane of 3 m"),
        (lambda: a_street(Spawn(Car(), 1.0)), "senses 'can_stop', which is not offered here"),
        (lambda: a_street(step=1.0), "a step of a street lasts"),
        (lambda: Street(read_street_map(".."), [Spawn(Car(), 1.0, True)]), "needs a lane, and the map has none"),
        (
            lambda: Street(read_street_map(DRAWING), [], signals={0: Pedestrian()}),
            "the signal pedestrian has a state 'walking'",
        ),
        (
            lambda: Street(read_street_map("...#..."), [Spawn(Pedestrian(), 1.0, starts=((0, 0),), goals=((6, 0),))]),
            "cannot walk to (6, 0): no pavement or crossing connects",
        ),
    ],
)
def test_a_mistake_is_one_sentence(make, sentence):
    with pytest.raises(BadInput) as caught:
        make()
    assert sentence in str(caught.value)


def test_a_street_without_lanes_is_a_square():
    street = Street(read_street_map("......\n..##..\n......"), [Spawn(Pedestrian(), 2.0)], seed=2)
    trajectory = street.run(20)
    assert street.arrived > 5
    assert not street.entries
    assert trajectory.lamps.shape == (0, 2)
    assert longest_overlap(trajectory)[0] <= 1


def test_vehicles_keep_apart_in_a_curve():
    street_map = read_street_map("..v...\n..v...\n..>>>v\n.....v\n.....v")
    street = Street(street_map, [Spawn(Bus(), 2.0, True, radius=1.3, speed=6.0), Spawn(Car(), 2.0, True)], seed=1)
    trajectory = street.run(30)
    assert street.arrived > 5
    assert longest_overlap(trajectory)[0] == 0
    assert not street.emergencies


CROSSROADS = """
....v^....
....xx....
....v^....
<<x<++<<x<
>>x>++>>x>
....v^....
....xx....
....v^....
"""


def test_vehicles_take_turns_at_a_junction():
    """They come from all four sides, go straight on and turn; nobody overlaps, nobody brakes harder than it can."""
    spawns = [
        Spawn(Car(), 0.7, True),
        Spawn(Bus(), 0.1, True, radius=1.3, speed=6.0),
        Spawn(Pedestrian(), 0.5),
        Spawn(Hurried(errs=1.0, careless=0.5, patience=1.0), 0.2),
    ]
    street = Street(read_street_map(CROSSROADS), spawns, seed=3)
    trajectory = street.run(120)
    assert longest_overlap(trajectory)[0] <= 1
    assert not [entry for entry in street.entries if entry.is_vehicle and entry.signal == "red"]
    present, cars = trajectory.present, trajectory.kinds <= 1
    ways = set()
    for number in np.flatnonzero(cars & ~present[-1]):
        frames = np.flatnonzero(present[:, number])
        ways.add(tuple(_side(trajectory.places[frames[k], number]) for k in (0, -1)))
    assert {here for here, _ in ways} == {there for _, there in ways} == set("nesw")
    assert len(ways) >= 8  # of the twelve ways over the junction
    assert street.arrived > 60


def test_a_junction_is_not_blocked_by_its_own_traffic():
    """Only vehicles, as many as can come: they go on for ever."""
    street_map = read_street_map("..v^..\n..v^..\n<<++<<\n>>++>>\n..v^..\n..v^..")
    street = Street(street_map, [Spawn(Car(), 5.0, True)], seed=1)
    first = street.run(60)
    assert longest_overlap(first)[0] == 0
    assert not street.emergencies
    before = street.arrived
    street.advance(1200)
    assert street.arrived > before + 10


def _side(place):
    """The edge of the crossroads that a place is nearest to."""
    x, y = place / np.array([30.0, 24.0])
    return "wens"[int(np.argmin([x, 1 - x, y, 1 - y]))]

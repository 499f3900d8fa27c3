"""Scenes: the file, what agents with different errands do in one simulation, and what is said about the end."""

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from wayfolk.errors import BadInput, TooLarge, WayfolkError
from wayfolk.judge import metrics
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, BLOCK, GOAL, JOIN, RELEASE
from wayfolk.problem import events
from wayfolk.problem.problem import ENDLESS, one_shot
from wayfolk.problem.record import DISTANCE
from wayfolk.problem.result import Status
from wayfolk.simulation.run import LAP
from wayfolk.simulation.scene.reader import read_scene
from wayfolk.simulation.scene.run import run_scene
from wayfolk.simulation.scene.scene import Errand
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate

HALL = '''
[world]
map = """
..........
.####.###.
..........
.###.####.
..........
"""
'''


@pytest.fixture
def scene(tmp_path):
    """A function that reads a scene from its text; the world is a hall unless it has its own."""

    def made(text, **more):
        file = tmp_path / "scene.toml"
        head, _, rest = text.partition("[")
        file.write_text(text if "world" in text or "[" not in text else f"{head}{HALL}[{rest}")
        return read_scene(file, **more)

    return made


def arrivals(done, agent):
    """Where an agent arrived, in order."""
    record = done.run.record
    rows = [row for row in record.of(ARRIVE) if record.agent[row] == agent]
    return [record.grid.place(record.cell[row]) for row in rows]


def complaints(scene, text):
    with pytest.raises(BadInput) as caught:
        scene(text)
    return str(caught.value).split("\n")


def test_agents_with_one_goal_each_are_the_classical_problem(scene):
    parsed = scene('[controller]\nname = "lra"\n[[group]]\nplaces = [[0, 0], [9, 0]]\ngoals = [[9, 4], [0, 4]]')
    done = run_scene(parsed)
    run = simulate(one_shot(parsed.grid, [(0, 0), (9, 0)], [(9, 4), (0, 4)]), "lra")
    assert done.run.status is Status.SOLVED
    assert np.array_equal(done.run.record.cell, run.record.cell)
    assert done.ending.completion_rate == 1.0
    assert done.notes == []


def test_groups_with_different_errands_share_a_simulation(scene):
    done = run_scene(
        scene(
            """until = 200
            [[group]]
            name = "guard"
            places = [[0, 0]]
            patrol = [[9, 0], [9, 4]]
            loops = 2
            [[group]]
            name = "walker"
            places = [[0, 4]]
            goals = [[5, 2]]
            [[group]]
            name = "messenger"
            places = [[0, 2]]
            goals = [[0, 3]]
            loops = 3
            """
        )
    )
    assert done.run.status is Status.SOLVED
    assert arrivals(done, 0) == [(9, 0), (9, 4), (9, 0), (9, 4), (0, 0)]  # and home
    assert arrivals(done, 1)[0] == (5, 2)
    assert arrivals(done, 2)[:6] == [(0, 3), (0, 2)] * 3  # later it may make way, and come back
    assert check_record(done.run.record) == []


def test_tasks_never_end_and_come_from_their_pool(scene):
    places = [[0, 0], [9, 0], [9, 4]]
    parsed = scene(
        f"until = 150\n[[group]]\nplaces = [[0, 0]]\ntasks = {places}\n[[group]]\ncount = 1\ngoals = [[5, 2]]"
    )
    done = run_scene(parsed)
    assert done.run.status is Status.OUT_OF_BUDGET
    assert done.is_done
    assert done.run.time == 150
    visited = arrivals(done, 0)
    assert len(visited) >= 8
    assert set(visited) == {(0, 0), (9, 0), (9, 4)}
    assert all(one != other for one, other in pairwise(visited))
    assert arrivals(done, 1)[-1] == (5, 2)


def test_deliveries_alternate_between_pickups_and_dropoffs(scene):
    pickups, dropoffs = [[0, 0], [0, 4]], [[9, 0], [9, 4]]
    group = f"[[group]]\nplaces = [[5, 2]]\npickups = {pickups}\ndropoffs = {dropoffs}"
    done = run_scene(scene(f"until = 150\n{group}"))
    visited = arrivals(done, 0)
    assert len(visited) >= 8
    assert set(visited[::2]) == {(0, 0), (0, 4)}
    assert set(visited[1::2]) == {(9, 0), (9, 4)}


@pytest.mark.parametrize(
    ("errand", "goals", "n_visits"),
    [
        (Errand(1, (5,)), [5, 5, 5, 5, 5, 5], 1),
        (Errand(5, (5,)), [5, 5, 5, 5, 5, 5], 0),
        (Errand(1, (5, 7), 2), [5, 7, 5, 7, 7, 7], 4),
        (Errand(5, (5, 7), 2), [7, 5, 7, 7, 7, 7], 3),
        (Errand(1, (5, 7), 2, home=True), [5, 7, 5, 7, 1, 1], 5),
        (Errand(7, (5, 7), 1, home=True), [5, 7, 7, 7, 7, 7], 2),
        (Errand(1, (5, 7), ENDLESS), [5, 7, 5, 7, 5, 7], np.inf),
        (Errand(5, (5, 7), ENDLESS, home=True), [7, 5, 7, 5, 7, 5], np.inf),
    ],
)
def test_errands_are_written_out(errand, goals, n_visits):
    written, n_needed = errand.written_out(6, np.random.default_rng(0))
    assert written.tolist() == goals
    assert n_needed == n_visits


def test_a_walker_that_is_sent_elsewhere_stays_there_and_a_patrol_goes_on(scene):
    done = run_scene(
        scene(
            """until = 150
            [[group]]
            places = [[0, 0]]
            goals = [[5, 0]]
            [[group]]
            places = [[0, 4]]
            patrol = [[9, 4], [0, 4]]
            loops = 2
            [[event]]
            at = 20
            do = "retask"
            agents = [0]
            goal = [0, 2]
            [[event]]
            at = 2
            do = "retask"
            agents = [1]
            goal = [5, 2]
            """
        )
    )
    assert done.run.status is Status.SOLVED
    assert arrivals(done, 0) == [(5, 0), (0, 2)]
    assert arrivals(done, 1) == [(5, 2), (0, 4), (9, 4), (0, 4)]


def test_who_joins_a_scene_with_patrols_goes_to_its_goal_and_stays(scene):
    done = run_scene(
        scene(
            """until = 100
            [[group]]
            places = [[0, 4]]
            patrol = [[9, 4], [0, 4]]
            loops = 2
            [[event]]
            at = 3
            do = "join"
            start = [4, 0]
            goal = [5, 0]
            """
        )
    )
    assert done.run.status is Status.SOLVED
    assert arrivals(done, 1) == [(5, 0)]
    assert len(done.run.record.of(JOIN)) == 1


def test_it_is_over_when_all_who_are_ours_are_done(scene):
    parsed = scene(
        """until = 500
        [[group]]
        name = "strays"
        count = 3
        ours = false
        [[group]]
        places = [[0, 0]]
        goals = [[9, 4]]
        """
    )
    done = run_scene(parsed)
    assert done.run.status is Status.SOLVED
    assert done.run.time < 100
    assert sorted(done.run.record.agent[done.run.record.of(RELEASE)]) == list(parsed.groups["strays"])
    assert done.ending.counts.tolist() == [False, False, False, True]
    assert done.ending.completion_rate == 1.0


def test_two_agents_with_one_goal_are_named(scene):
    done = run_scene(scene("until = 60\n[[group]]\nplaces = [[0, 0], [9, 0], [0, 4]]\ngoals = [[5, 2]]"))
    assert done.run.status is Status.OUT_OF_BUDGET
    assert not done.is_done
    assert done.ending.completion_rate == pytest.approx(1 / 3)
    assert done.notes[0] == "agents 0, 1, 2 have the same goal (5, 2)"
    (there,) = np.flatnonzero(done.ending.home)
    assert done.waiting == [(k, f"agent {there} stands on the goal") for k in range(3) if k != there]


def test_a_goal_that_is_walled_up_is_waited_for(scene):
    text = """until = 60
    [[group]]
    places = [[0, 0], [9, 0]]
    goals = [[9, 4], [0, 2]]
    [[event]]
    at = 2
    do = "block"
    places = [[9, 4]]
    """
    done = run_scene(scene(text))
    assert done.notes == ["agent 0 waits: the goal is in a wall, (9, 4)"]
    assert done.run.status is Status.OUT_OF_BUDGET
    assert done.ending.completion_rate == 0.5
    assert check_record(done.run.record) == []
    opened = run_scene(scene(text + '\n[[event]]\nat = 40\ndo = "free"\nplaces = [[9, 4]]'))
    assert opened.run.status is Status.SOLVED
    assert opened.notes == []


def test_a_way_that_is_shut_is_told(scene):
    cut = "\n".join(f'[[event]]\nat = 1\ndo = "block"\nplaces = [[{x}, {y}]]' for x, y in [(0, 3), (4, 3), (9, 3)])
    done = run_scene(scene("until = 40\n[[group]]\nplaces = [[0, 0]]\ngoals = [[9, 4]]\n" + cut))
    assert done.waiting == [(0, "there is no way to the goal")]


def test_a_wall_where_somebody_stands_has_to_wait_and_the_others_do_not(scene):
    done = run_scene(
        scene(
            """until = 30
            [[group]]
            places = [[0, 0], [9, 0]]
            goals = [[0, 0], [9, 4]]
            [[event]]
            at = 1
            do = "block"
            places = [[0, 0], [0, 4]]
            """
        )
    )
    record = done.run.record
    assert [record.grid.place(cell) for cell in record.cell[record.of(BLOCK)]] == [(0, 4)]
    assert done.notes == ["block at (0, 0) has been waiting since time 1: agent 0 stands there"]


def test_the_seed_decides_what_is_drawn(scene):
    text = "seed = 3\nuntil = 100\n[[group]]\ncount = 4\n[[group]]\ncount = 2\ntask_area = [0, 0, 10, 5]"
    one, two, other = scene(text), scene(text), scene(text, seed=4)
    first, second, third = ([(errand.start, errand.visits) for errand in each.errands] for each in (one, two, other))
    assert first == second
    assert first != third
    assert (one.seed, other.seed) == (3, 4)
    starts = [errand.start for errand in one.errands]
    assert len(set(starts)) == 6
    assert np.array_equal(one.written_out[0].routes, two.written_out[0].routes)
    assert np.array_equal(run_scene(one).run.record.cell, run_scene(two).run.record.cell)


def test_agents_of_one_group_share_their_places(scene):
    wide = scene("[[group]]\ncount = 6\ntask_area = [0, 0, 10, 5]\n[[group]]\ncount = 3\npatrol = [[0, 0], [9, 4]]")
    assert len({id(errand.pool) for errand in wide.errands[:6]}) == 1
    assert len({id(errand.visits) for errand in wide.errands[6:]}) == 1
    depot = scene("[[group]]\ncount = 5\npickups = [[0, 0], [0, 4]]\ndropoffs = [[9, 0], [9, 4]]")
    assert len({(id(errand.pool), id(errand.drops)) for errand in depot.errands}) == 1


def test_ten_thousand_agents_with_tasks_everywhere_take_little_memory(tmp_path):
    file = tmp_path / "huge.toml"
    world = '[world]\nmake = "random"\nwidth = 1000\nheight = 1000\nblocked = 0.0\n'
    file.write_text(f"{world}[[group]]\ncount = 10000\ntask_area = [0, 0, 1000, 1000]\n")
    tracemalloc.start()
    try:
        huge = read_scene(file)
        goals = huge.first_goals
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(goals) == 10_000
    assert peak < 300e6
    with pytest.raises(TooLarge, match="end it earlier"):
        _ = huge.written_out


def test_events_are_counted(tmp_path):
    file = tmp_path / "walls.toml"
    world = '[world]\nmake = "random"\nwidth = 600\nheight = 600\nblocked = 0.0\n[[group]]\ncount = 1\n'
    file.write_text(f'{world}[[event]]\nat = 1\ndo = "block"\narea = [0, 0, 600, 600]\n')
    with pytest.raises(WayfolkError, match="up to 262,144 events"):
        read_scene(file)


def test_drawn_goals_differ_and_can_be_reached(scene):
    parsed = scene(
        """[world]
        map = \"\"\"
        ......#....
        ......#....
        ......#....
        \"\"\"
        [[group]]
        places = [[7, 0], [8, 0], [9, 0]]
        [[group]]
        count = 5
        area = [0, 0, 11, 3]
        goal_area = [0, 0, 11, 3]
        """
    )
    ends = [parsed.grid.place(errand.visits[0]) for errand in parsed.errands]
    assert len(set(ends)) == 8
    assert all(x > 6 for x, _ in ends[:3])
    assert all(x < 6 for x, _ in ends[3:])  # drawn in the largest part
    assert all(errand.start not in errand.visits for errand in parsed.errands)


def test_worlds_come_from_files_and_rules_with_terrain(scene, tmp_path):
    (tmp_path / "yard.map").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n")
    parsed = scene(
        '[world]\nfile = "yard.map"\nmoves = "four"\n[[world.terrain]]\narea = [0, 0, 1, 2]\ncost = 3\n'
        "[[group]]\ncount = 1\n"
    )
    assert parsed.grid.free.tolist() == [[True, True, True], [True, False, True]]
    assert parsed.grid.moves.value == "four"
    assert parsed.grid.costs.tolist() == [[3, 1, 1], [3, 1, 1]]
    ruled = scene('seed = 5\n[world]\nmake = "random"\nwidth = 20\nheight = 10\nblocked = 0.1\n[[group]]\ncount = 9')
    assert ruled.grid.free.shape == (10, 20)
    assert (~ruled.grid.free).sum() == 20


def test_the_seconds_are_kept(scene):
    text = (
        'seconds = 0.02\nuntil = 1000000\n[world]\nmake = "random"\nwidth = 40\nheight = 40\nblocked = 0.1\n'
        "[[group]]\ncount = 40\npatrol = [[0, 0], [39, 39]]\n"
    )
    with pytest.raises(TooLarge, match="40 agents with errands until 1e\\+07 do not fit"):
        run_scene(replace(scene(text), until=1e7))
    done = run_scene(replace(scene(text), until=5000.0))
    laps = done.run.laps["seconds"]
    assert done.run.status is Status.OUT_OF_TIME
    assert not done.is_done
    assert laps[:-1].sum() < 0.02  # it ended with the step in which the time was over
    assert check_record(done.run.record) == []


def test_the_clock_counts_steps_and_agents(scene):
    done = run_scene(
        scene(
            """until = 200
            [[group]]
            places = [[0, 0], [9, 0]]
            goals = [[9, 4], [0, 4]]
            [[event]]
            at = 3
            do = "leave"
            agents = [1]
            """
        )
    )
    laps = done.run.laps
    assert laps["time"].tolist() == list(range(1, round(done.run.time) + 1))
    assert laps["agents"].tolist() == [2] * 4 + [1] * (len(laps) - 4)
    assert (laps["seconds"] > 0).all()
    assert laps["seconds"].sum() == pytest.approx(done.run.seconds)
    assert 0 < done.completion_seconds <= done.run.seconds + done.prepare_seconds


def test_without_a_clock_nothing_is_noted_and_with_it_nothing_changes():
    parsed = read_scene("re-tasking")
    problem = parsed.written_out[0]
    plain = simulate(problem, "whca", events=parsed.events)
    clocked = simulate(problem, "whca", events=parsed.events, clock=True)
    assert plain.laps.size == 0
    assert clocked.laps.size > 0
    assert np.array_equal(plain.record.cell, clocked.record.cell)
    assert plain.record.end == clocked.record.end


def test_planning_time_is_shared_by_those_under_control():
    laps = np.array([(1, 0.4, 4), (2, 0.1, 2), (3, 9.0, 0)], LAP)
    times = metrics.planning_time(laps)
    assert times["mean"] == pytest.approx(0.5 / 6)
    assert times["max"] == pytest.approx(0.1)
    assert times["p99"] == pytest.approx(np.percentile([0.1, 0.05], 99))


def test_the_ending_of_a_record():
    """Agent 0 reaches its goal at 2, is sent back at 4 and there at 6; 1 never moves; 2 is let go; 3 leaves."""
    from wayfolk.files.maps import parse_ascii

    grid = parse_ascii(".....\n.....\n.....\n.....", "four")
    problem = one_shot(grid, [(0, 0), (4, 3), (0, 2), (0, 3)], [(2, 0), (4, 2), (4, 0), (3, 3)])
    happenings = [
        events.retask(4, 0, (0, 0)),
        events.block(0, [(4, 2)]),
        events.release(0, 2),
        events.leave(3, 3),
    ]
    world = Simulation(problem, "lra", events=happenings, seed=2, clock=True)
    world.advance(10)
    run = world.run()
    ending = metrics.ending(run.record)
    assert ending.counts.tolist() == [True, True, False, False]
    assert ending.home.tolist() == [True, False, False, False]
    assert ending.completion_rate == 0.5
    assert ending.since[0] == 6
    assert ending.completion_time == (6 + 10) / 2
    assert ending.travel_distance == 2.0  # 4 and 0
    seconds = run.laps["seconds"]
    assert ending.completion_seconds(run.laps, 30.0) == pytest.approx((seconds[:6].sum() + 30) / 2)


def test_the_distance_model_is_played_too(scene):
    parsed = scene('model = "distance"\nuntil = 80\n[[group]]\nplaces = [[0, 0]]\npatrol = [[9, 4], [0, 4]]\nloops = 2')
    done = run_scene(parsed)
    assert done.run.status is Status.SOLVED
    assert done.run.record.model == DISTANCE
    assert arrivals(done, 0) == [(9, 4), (0, 4), (9, 4), (0, 4), (0, 0)]
    assert check_record(done.run.record) == []


def test_a_goal_may_be_where_an_event_opens_a_wall(scene):
    done = run_scene(
        scene(
            """until = 60
            [[group]]
            places = [[0, 0]]
            goals = [[5, 0]]
            [[event]]
            at = 30
            do = "retask"
            agents = [0]
            goal = [2, 1]
            [[event]]
            at = 20
            do = "free"
            places = [[2, 1]]
            """
        )
    )
    assert arrivals(done, 0) == [(5, 0), (2, 1)]
    goals = done.run.record.of(GOAL)
    assert done.run.record.time[goals].tolist() == [0, 30]


def test_everything_wrong_is_told_at_once_by_line(scene):
    sentences = complaints(
        scene,
        """untill = 5
vision = 0.2
[world]
map = \"\"\"
.....
..#..
.....
\"\"\"
[controller]
name = "whca"
options = { window = 0, windw = 3 }
[[group]]
name = "a"
places = [[2, 1], [0, 0], [0, 0], [9, 9]]
goals = [[2, 1]]
[[group]]
name = "a"
cuont = 3
[[group]]
count = 99
[[event]]
at = -3
do = "retask"
agents = [77]
goal = [2, 1]
[[event]]
at = 2
do = "block"
places = [[1, 1]]
[[event]]
at = 3
do = "join"
start = [1, 1]
goal = [0, 1]
[[event]]
at = 4
do = "dance"
""",
    )
    where = [line.split("scene.toml, ")[1] for line in sentences]
    assert where == [
        "line 1: a scene has no key 'untill': did you mean 'until'?",
        "line 2: vision must be a number from 1, not 0.2",
        "line 11: option window must be from 2 to 1,000, not 0"
        " (steps ahead that agents reserve; after half of them they plan again)",
        "line 11: whca has no option 'windw': did you mean 'window'?",
        "line 14: (2, 1) of places is in a wall",
        "line 14: (9, 9) is outside the 5 x 3 map",
        "line 14: two agents start at (0, 0)",
        "line 15: (2, 1) of goals is in a wall",
        "line 16: a group says where its agents start (places), or how many there are (count)",
        "line 17: there are two groups 'a'",
        "line 18: [group] has no key 'cuont': did you mean 'count'?",
        "line 20: 99 agents do not fit: there are 12 free cells for them",
        "line 22: at must be a number from 0, not -3",
        "line 24: there is no agent 77: they are 0 to 0 then",
        "line 25: (2, 1) of goal is in a wall",
        "line 33: (1, 1) of start is in a wall at time 3",
        "line 37: do cannot be 'dance': choose one of block, close, free, join, leave, open, release, retask",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[world]\nfile = "nowhere.map"\n[[group]]\ncount = 1', "line 2: there is no file nowhere.map"),
        ('[world]\nmap = """\n...\n..\n"""\n[[group]]\ncount = 1', "line 4: the map: the row has 2 characters"),
        ('[world]\nmake = "rooms"\nwidth = 9\nheight = "x"\n[[group]]\ncount = 1', "line 4: height must be a whole"),
        ('[world]\nmake = "castle"\n[[group]]\ncount = 1', "line 2: make cannot be 'castle'"),
        ('[world]\nmap = "..."\nfile = "x.map"\n[[group]]\ncount = 1', "line 3: a world is one of: map"),
        ("world = 3\n[[group]]\ncount = 1", "line 1: world must be a table, not 3"),
        ("until = 3\n[[event]]\nat = 3", "a scene needs agents"),
        ("group = 4\nuntil = 3\n", "group must be written as [[group]] tables"),
        ('[[group]]\ncount = 1\n[[event]]\nat = 1\ndo = "leave"\ngroup = "b"', "group cannot be 'b'"),
        ("[[group]]\ncount = 2\npatrol = [[0, 0]]", "a patrol needs two places or more"),
        ("[[group]]\ncount = 2\ngoals = [[0, 0]]\nloops = 0", "loops must be a whole number from 1"),
        ("[[group]]\ncount = 1\nours = false\ngoals = [[0, 0]]", "they have no goals"),
        ("[[group]]\ncount = 1\ntasks = [[0, 0]]\ngoals = [[0, 0]]", "give goals or tasks, not both"),
        ("[[group]]\ncount = 1\ntasks = [[0, 0]]", "tasks need two places or more that can be reached"),
        ("[[group]]\ncount = 1\npickups = [[0, 0]]", "deliveries need pickups and dropoffs"),
        ("[[group]]\ncount = 1\npickups = [[0, 0]]\ndropoffs = [[0, 0]]", "no pickup and another place as dropoff"),
        ("[[group]]\ncount = 1\npickups = [[0, 0]]\ndropoffs = [[1, 0]]\nloops = 2", "deliveries have no loops"),
        ("[[group]]\ncount = 3\ngoals = [[0, 0], [1, 0]]", "there are 2 goals for 3 agents"),
        ("[[group]]\ncount = 2\nplaces = [[0, 0]]", "count is 2, and there are 1 places"),
        ("[[group]]\ncount = 1\narea = [8, 0, 5, 5]", "reaches out of the 10 x 5 map"),
        ("[[group]]\ncount = 1\narea = [1, 1, 4, 1]", "holds nothing but walls"),
        ("[[group]]\ncount = 1\ngoal_area = [0, 0, 1]", "must be an area [x, y, width, height]"),
        ("[[group]]\nplaces = [[0.5, 0]]", "places should hold a place [x, y]"),
        ('[[group]]\ncount = 1\n[[event]]\nat = 1\ndo = "retask"\nagents = [0]', "needs a goal, goals or a goal_area"),
        ('[[group]]\ncount = 1\n[[event]]\ndo = "block"\nplaces = [[0, 0]]', "an event needs `at`"),
        ('model = "days"\n[[group]]\ncount = 1', "model cannot be 'days'"),
        ("seed = -1\n[[group]]\ncount = 1", "seed must be a whole number from 0"),
        ('[controller]\nname = "astar"\n[[group]]\ncount = 1', "is of the family search"),
        ("x = \n", "line 1: not TOML: Invalid value"),
        (
            '[world]\nmap = "..#.."\n[[group]]\nplaces = [[0, 0]]\ngoals = [[4, 0]]',
            "there is no way from (0, 0) to (4, 0), and no event opens one",
        ),
    ],
)
def test_mistakes_are_named(scene, text, complaint):
    sentences = complaints(scene, text)
    assert any(complaint in line for line in sentences), sentences


def test_a_goal_behind_a_door_that_will_open_is_fine(scene):
    text = '[world]\nmap = "..#.."\n[[group]]\nplaces = [[0, 0]]\ngoals = [[4, 0]]\n[[event]]\nat = 9\ndo = "free"\n'
    done = run_scene(scene(text + "places = [[2, 0]]"))
    assert done.run.status is Status.SOLVED
    assert done.run.time >= 12


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        ('name = "trap:begin"', r"line \d+: 'trap:begin' would run code: give --trust, or trust=True"),
        (
            'name = "sdp"\noptions = { cluster = "tcp://127.0.0.1:9" }',
            "'tcp://127.0.0.1:9' would run code: give --trust",
        ),
        ('name = "sdp"\noptions = { cluster = "somewhere" }', "'somewhere' would run code: give --trust"),
    ],
)
def test_a_scene_runs_code_only_if_it_is_trusted(scene, tmp_path, monkeypatch, controller, words):
    """The module leaves a mark when it is imported."""
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\nbegin = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = f"[[group]]\nplaces = [[0, 0]]\ngoals = [[9, 0]]\n[controller]\n{controller}\n"
    with pytest.raises(BadInput, match=words) as caught:
        scene(text)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "mark").exists()


def test_a_trusted_scene_has_a_controller_of_its_own(scene, tmp_path, monkeypatch):
    (tmp_path / "my_controller.py").write_text("from wayfolk.algorithms.controllers.lra import begin\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = '[[group]]\nplaces = [[0, 0]]\ngoals = [[9, 0]]\n[controller]\nname = "my_controller:begin"\n'
    assert scene(text, trust=True).controller == "my_controller:begin"

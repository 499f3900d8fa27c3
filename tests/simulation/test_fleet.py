"""Orders from files, and robots that carry them out."""

import json
import re

import numpy as np
import pytest

from wayfolk.compile.jit import is_plain
from wayfolk.errors import BadInput, BadProblem
from wayfolk.files.maps import parse_ascii
from wayfolk.files.orders import read_orders, read_stations
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE
from wayfolk.problem import events
from wayfolk.problem.orders import Order
from wayfolk.problem.problem import tasks
from wayfolk.problem.result import Status
from wayfolk.simulation.fleet import Fleet
from wayfolk.world.generate import maze, warehouse

pytestmark = pytest.mark.plain

HALL = parse_ascii("""
    ........
    .##..##.
    ........
""").with_moves("four")
STATIONS = {"A": (0, 0), "B": (7, 2)}


def order(*places, release=0.0):
    return Order(tuple(HALL.cell(place) for place in places), release)


def test_every_order_is_carried_out_in_turn():
    orders = [order((0, 2), (7, 0)), order((7, 0), (0, 0), (3, 1)), order((4, 0), (4, 2), release=12.0)]
    fleet = Fleet(HALL, [(3, 0), (4, 2)], orders, "pibt")
    assert fleet.advance(200) is Status.SOLVED
    report = fleet.report()
    assert (report["orders"], report["orders_done"]) == (3, 3)
    assert check_record(fleet.record()) == []
    first = fleet.progress[0]
    assert first.agent == 0
    assert first.ended - first.assigned >= 5 + 9  # from (3, 0) to (0, 2), and to (7, 0)
    assert fleet.progress[2].assigned >= 12.0
    assert report["waiting_p99"] >= 0
    assert report["service_p50"] <= report["service_p99"]


def test_an_order_goes_to_the_nearest_idle_robot_and_others_wait():
    orders = [order((7, 2), (7, 0)), order((0, 2), (0, 0)), order((3, 2), (3, 0))]
    fleet = Fleet(HALL, [(0, 0), (7, 1)], orders, "pibt")
    fleet.step()
    assert [progress.agent for progress in fleet.progress] == [1, 0, None]
    fleet.advance(100)
    assert fleet.progress[2].assigned > 0
    assert [progress.ended is not None for progress in fleet.progress] == [True] * 3


def test_paused_is_the_same_as_not_paused():
    orders = [order((x, 2), (7 - x, 0), release=float(x)) for x in range(8)]
    one, two = (Fleet(HALL, [(0, 0), (4, 1), (7, 2)], orders, "pibt", seed=3) for _ in range(2))
    one.advance(60)
    for _ in range(60):
        if not two.status.is_final:
            two.advance(1)
    assert one.record().cell.tolist() == two.record().cell.tolist()


@pytest.mark.parametrize("controller", ["pibt", "whca", "lra"])
def test_idle_robots_block_nobody(controller):
    """Robots whose homes fill the only corridor; without a place to park, orders at its ends would wait for ever."""
    grid = parse_ascii("""
        ####....####
        ............
        ####....####
    """).with_moves("four")
    starts = [(x, 1) for x in (1, 2, 3, 8, 9, 10)]
    orders = [Order((grid.cell((0, 1)), grid.cell((11, 1))), float(k), f"order {k}") for k in range(8)]
    fleet = Fleet(grid, starts, orders, controller, seed=1)
    assert fleet.advance(2000) is Status.SOLVED
    assert check_record(fleet.record()) == []
    assert fleet.reasons() == []


@pytest.mark.parametrize("controller", ["pibt", "whca", "lra"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_order_is_delivered_in_drawn_warehouses(controller, seed):
    """A small part of `python -m benchmarks orders`: random measures, orders everywhere or at four stations."""
    rng = np.random.default_rng(seed)
    columns, rows, long, deep, margin = (int(n) for n in rng.integers((2, 3, 3, 1, 1), (4, 5, 6, 3, 3)))
    grid = warehouse(columns, rows, (long, deep), 1, margin=margin, moves="four")
    n = len(grid.free_cells) // 8
    stops = grid.free_cells if seed == 1 else rng.choice(grid.free_cells, 4, replace=False)
    pairs = [tuple(rng.choice(stops, 2, replace=False).tolist()) for _ in range(3 * n)]
    orders = [Order(pair, float(k // 3), f"order {k}") for k, pair in enumerate(pairs)]
    fleet = Fleet(grid, grid.places(rng.choice(grid.free_cells, n, replace=False)), orders, controller, seed=seed)
    assert fleet.advance(10_000) is Status.SOLVED, fleet.reasons()
    assert fleet.report()["orders_done"] == 3 * n
    assert check_record(fleet.record()) == []


def test_a_fleet_under_rhcr_goes_on_after_a_right_of_way():
    """90 robots on 636 cells need some rights of way, and a few steps for each order."""
    if is_plain():
        pytest.skip("too much for plain Python")
    grid = warehouse(5, 7, (6, 2))
    starts = grid.places(tasks(grid, agents=90, seed=1).starts)
    rng = np.random.default_rng(3)
    pairs = [tuple(rng.choice(grid.free_cells, 2, replace=False).tolist()) for _ in range(500)]
    fleet = Fleet(
        grid, starts, [Order(pair, float(k // 2), f"order {k}") for k, pair in enumerate(pairs)], "rhcr", seed=1
    )
    n_with_rights = 0
    while fleet.status is Status.RUNNING and fleet.time < 1200:
        fleet.advance(1)
        n_with_rights += bool(fleet._rights)
    assert fleet.status is Status.SOLVED, fleet.reasons()
    assert n_with_rights > 0
    assert check_record(fleet.record()) == []


def test_robots_at_both_ends_of_a_corridor_change_places():
    """Neither can give way inside; both have orders at the other end."""
    grid = parse_ascii("""
        ..########..
        ............
        ..########..
    """).with_moves("four")
    orders = [Order((grid.cell((11, 1)),), 0.0, "east"), Order((grid.cell((0, 1)),), 0.0, "west")]
    fleet = Fleet(grid, [(5, 1), (6, 1)], orders, "lra")
    assert fleet.advance(400) is Status.SOLVED


def test_idle_robots_park_where_no_order_stops_and_no_way_is_cut():
    grid = parse_ascii("""
        ......
        .####.
        ......
        .####.
        ......
    """).with_moves("four")
    far = grid.cell((5, 4))
    orders = [
        Order((grid.cell((0, 2)), grid.cell((0, 0)), far), 0.0, "first"),
        Order((far, grid.cell((0, 2))), 0.0, "second"),
    ]
    fleet = Fleet(grid, [(0, 0), (5, 0), (2, 2)], orders, "pibt")
    fleet.step()
    parked = [parking.cell for parking in fleet._parkings.values()]
    stops = {stop for order in orders for stop in order.stops}
    assert parked
    assert not stops & set(parked)
    assert fleet.advance(200) is Status.SOLVED


def failing(*events, loads_stay=False):
    """Robot 0 has the only order, from (0, 2) to (7, 0), and robot 1 waits elsewhere; `events` happen to robot 0."""
    fleet = Fleet(HALL, [(0, 1), (7, 1)], [order((0, 2), (7, 0))], "pibt", loads_stay=loads_stay, events=events)
    status = fleet.advance(100)
    return fleet, fleet.progress[0], status


@pytest.mark.parametrize("event", [events.leave(4, 0), events.hold(4, 0), events.release(4, 0)])
def test_the_order_of_a_robot_that_fails_goes_to_another(event):
    fleet, progress, status = failing(event)
    assert status is Status.SOLVED
    assert (progress.agent, progress.n_returned) == (1, 1)
    assert progress.stops == progress.order.stops  # it was begun again
    record = fleet.record()
    assert check_record(record) == []
    assert HALL.cell((0, 2)) in record.cell[record.agent == 1]


@pytest.mark.parametrize(("event", "beside"), [(events.leave(4, 0), 0), (events.hold(4, 0), 1)])
def test_a_load_can_stay_where_it_was_put_down(event, beside):
    fleet, progress, status = failing(event, loads_stay=True)
    assert status is Status.SOLVED
    left = HALL.place(int(fleet.crew.agents["here"][0]))
    fetched = HALL.place(progress.stops[0])
    assert left != (0, 1)
    assert progress.stops[1:] == (HALL.cell((7, 0)),)
    assert sum(abs(a - b) for a, b in zip(left, fetched, strict=True)) == beside
    record = fleet.record()
    assert HALL.cell((0, 2)) not in record.cell[(record.agent == 1) & (record.kind == MOVE)]


def test_a_robot_that_resumes_or_joins_gets_orders_again():
    waits = [order((0, 2), (7, 0)), order((7, 2), (0, 0))]
    fleet = Fleet(HALL, [(3, 0)], waits, "pibt", events=[events.hold(2, 0), events.resume(20, 0)])
    assert fleet.advance(10) is Status.RUNNING
    assert fleet.reasons() == ["2 orders wait for a robot: none is under control"]
    assert fleet.advance(100) is Status.SOLVED
    fleet = Fleet(HALL, [(3, 0)], waits, "pibt", events=[events.leave(2, 0), events.join(5, (4, 2), (4, 2))])
    assert fleet.advance(100) is Status.SOLVED
    assert [progress.agent for progress in fleet.progress] == [1, 1]


def test_a_fleet_that_stalls_says_who_waits_for_whom():
    corridor = parse_ascii("........").with_moves("four")
    fleet = Fleet(corridor, [(0, 0), (4, 0)], [Order((corridor.cell((7, 0)),), 3.0, "east")], "pibt")
    fleet.hold(1)
    assert fleet.advance(60) is Status.RUNNING
    (blockage,) = fleet.why()
    assert (blockage.kind, blockage.agents, blockage.waits) == ("released", (1,), ((0, 1),))
    (reason,) = fleet.reasons()
    assert "agent 1, not under control, at (4, 0), is in the way of agent 0" in reason


@pytest.mark.parametrize("model", ["distance", "turns"])
def test_other_time_models_get_through_too(model):
    grid = parse_ascii("""
        ..########..
        ............
        ..########..
    """)
    orders = [Order((grid.cell((11, 1)), grid.cell((0, 1))), 0.0, f"order {k}") for k in range(4)]
    fleet = Fleet(grid, [(4, 1), (5, 1), (6, 1), (7, 1)], orders, "lra", model=model)
    assert fleet.advance(int(3000 / fleet.tick)) is Status.SOLVED
    assert check_record(fleet.record()) == []


def test_an_order_that_not_every_robot_can_reach_is_refused():
    grid = parse_ascii("..#..")
    with pytest.raises(BadProblem, match="not every robot can get to \\(4, 0\\)"):
        Fleet(grid, [(0, 0)], [Order((grid.cell((4, 0)),))], "pibt")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "release,pickup,delivery\n0,A,B\n5,3 2,B\n"),
        ("a.csv", "pickup_x,pickup_y,delivery_x,delivery_y,release\n0,0,7,2,0\n3,2,7,2,5\n"),
        ("a.json", json.dumps({"stations": {"A": [0, 0]}, "orders": [
            {"stops": ["A", "B"]}, {"release": 5, "stops": [[3, 2], [7, 2]]}]})),
        ("a.json", json.dumps([{"release": 5, "stops": ["3 2", "B"]}, {"stops": ["A", [7, 2]]}])),
    ],
)  # fmt: skip
def test_orders_are_read_from_tables_and_json(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    orders = read_orders(tmp_path / name, HALL, STATIONS)
    assert [(one.release, [HALL.place(stop) for stop in one.stops]) for one in orders] == [
        (0.0, [(0, 0), (7, 2)]),
        (5.0, [(3, 2), (7, 2)]),
    ]


def test_stations_are_read_from_tables_and_json(tmp_path):
    (tmp_path / "s.csv").write_text("name,x,y\nA,0,0\nB,7,2\n")
    (tmp_path / "s.json").write_text('{"A": [0, 0], "B": [7, 2]}')
    assert read_stations(tmp_path / "s.csv", HALL) == read_stations(tmp_path / "s.json", HALL) == STATIONS


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("pickup\nA\n", ", line 1: the column 'delivery' is missing; there are pickup"),
        ("pickup,delivery\nA\n", ", line 2: there are 1 fields, the first line has 2"),
        ("pickup,delivery\nA,Bee\n", ", line 2: there is no station 'Bee'"),
        ("pickup,delivery\nA,9 9\n", ", line 2: \\(9, 9\\) is outside the 8 x 3 map"),
        ("pickup,delivery\nA,1 1\n", ", line 2: there is a wall at \\(1, 1\\)"),
        ("release,pickup,delivery\nsoon,A,B\n", ", line 2: the release must be a time from 0 on, not 'soon'"),
        ("pickup,delivery\n", ": there are no orders in the file"),
        ('{"orders": 3}', ": 'orders' should be a list, not '3'"),
        ('{"orders": [{"stops": []}]}', ": order 0: should be an object with a list of 'stops'"),
        ('{"orders": [{"stops": [[1]]}]}', ": order 0: a place is \\[x, y\\] or the name of a station"),
        ('{"stations": [], "orders": []}', ": 'stations' should be an object"),
        ('{"orders": [', ", line 1: not JSON"),
        ('[{"stops": ["A"], "release": true}]', ": order 0: the release must be a time"),
    ],
)
def test_wrong_orders_are_one_sentence_with_the_file(text, complaint, tmp_path):
    file = tmp_path / "orders"
    file.write_text(text)
    with pytest.raises(BadInput, match=complaint) as caught:
        read_orders(file, HALL, STATIONS)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name,x\nA,0\n", "the column 'y' is missing"),
        ("name,x,y\nA,0,0\nA,1,0\n", ", line 3: 'A' is there twice"),
        ("name,x,y\n ,0,0\n", ", line 2: a station needs a name"),
        ("name,x,y\nA,0,99\n", ", line 2: \\(0, 99\\) is outside"),
    ],
)
def test_wrong_stations_are_one_sentence(text, complaint, tmp_path):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(BadInput, match=complaint):
        read_stations(tmp_path / "s.csv", HALL)


@pytest.mark.parametrize("controller", ["pibt", "whca"])
def test_a_fleet_that_is_stuck_in_a_maze_says_who_waits_for_whom(controller):
    grid = maze(24, 24, 1, seed=2, moves="four")  # one cell wide, with a robot on every fifth cell
    rng = np.random.default_rng(2)
    orders = [Order(tuple(rng.choice(grid.free_cells, 2, replace=False).tolist())) for _ in range(60)]
    fleet = Fleet(grid, grid.places(rng.choice(grid.free_cells, 60, replace=False)), orders, controller, seed=2)
    assert fleet.advance(400) is Status.RUNNING
    reasons = fleet.reasons()
    assert any(re.search(r"agents? \d+.* waits? (for each other|behind)", reason) for reason in reasons), reasons
    for pair in re.findall(
        r"agents (\d+) and (\d+) wait for each other at \((\d+), (\d+)\) and \((\d+), (\d+)\)", str(reasons)
    ):
        one, other, x, y, x2, y2 = map(int, pair)
        assert tuple(fleet.places()[one]) == (x, y)
        assert tuple(fleet.places()[other]) == (x2, y2)

"""The row of a job: maps and problems as they are described, and whatever a run has counted."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers.sdp.partition import ROOM, partition
from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, BadProblem
from wayfolk.experiments.papers.sdp.rooms import problem_in_rooms
from wayfolk.experiments.sweeps import worker as work
from wayfolk.experiments.sweeps.job import Job, file_digest
from wayfolk.experiments.sweeps.spec import read_spec
from wayfolk.experiments.sweeps.store import Store
from wayfolk.experiments.sweeps.worker import run_job
from wayfolk.files.maps import read_map
from wayfolk.problem.problem import deliveries, patrol
from wayfolk.problem.result import Counters, Result, Status
from wayfolk.simulation.solving import simulate
from wayfolk.world import generate
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.grid import Grid

ROOMS = {"make": "rooms", "width": 33, "height": 33, "size": 7}
MAP = "type octile\nheight 4\nwidth 6\nmap\n..@...\n..@...\n@@@...\n..@...\n"


def row_of(algorithm="astar", problem=None, **changes):
    settings = {"map": ROOMS, "problem": problem or {"kind": "pairs", "count": 5}, "algorithm": algorithm}
    return run_job(Job(**(settings | changes)).as_dict())


def scaled(folder, **changes):
    file = folder / "plain.map"
    file.write_text(MAP)
    return {"make": "scaled", "file": str(file), "digest": file_digest(file), "width": 12, "height": 8} | changes


def test_a_scaled_map_has_one_part_and_its_diagonal(tmp_path):
    def grid(**changes):
        return work._world(tuple(sorted(scaled(tmp_path, **changes).items())), "eight")

    made = grid(diagonal=1.42)
    assert (made.width, made.height, made.diagonal) == (12, 8, 1.42)
    large = generate.scale(read_map(tmp_path / "plain.map"), 12, 8)
    assert made.free.sum() == 6 * 8 < large.free.sum()
    assert (made.free == (large.free & (np.arange(12) >= 6))).all()
    assert grid().diagonal == 2**0.5


def test_pairs_with_bounds_have_costs_between_them(tmp_path):
    bounds = {"kind": "pairs", "count": 8, "least": 20, "most": 30}
    row = row_of(problem=bounds)
    assert (row["status"], row["solved"]) == ("solved", 8)
    assert row["cost"] == pytest.approx(row["optimum"])
    job = Job(ROOMS, bounds, "astar")
    grid = generate.rooms(33, 33, 7)
    pairs, optima = work._drawn(job, grid)
    assert all(20 <= find_path(grid, *pair, "dijkstra").cost <= 30 for pair in pairs)
    assert row["optimum"] == pytest.approx(sum(optima))
    assert work._drawn(Job(ROOMS, bounds, "dijkstra"), grid)[0] == pairs, "the same for every algorithm"
    assert work._drawn(Job(ROOMS, bounds, "astar", repeat=1), grid)[0] != pairs
    assert row_of(problem={"kind": "pairs", "count": 8})["optimum"] is None


def test_bounds_that_no_pair_has_are_told(monkeypatch):
    monkeypatch.setattr(work, "MOST_DRAWS", 20)
    row = row_of(problem={"kind": "pairs", "count": 2, "least": 10_000})
    assert (row["status"], row["detail"]) == ("error", "of 40 random pairs 0 cost between 10000 and inf")


def test_what_a_search_comes_to():
    row = row_of(problem={"kind": "pairs", "count": 20, "least": 5})
    assert 0 < row["estimate"] <= row["cost"]
    assert row["generated"] >= row["expanded"] > 0
    assert row["expanded_least"] <= row["expanded"] <= row["expanded_most"]
    assert row["seconds_per_move"] == pytest.approx(row["seconds"] / row["fuel"])
    blind = row_of("dijkstra", problem={"kind": "pairs", "count": 20, "least": 5})
    assert (blind["cost"], blind["estimate"]) == pytest.approx((row["cost"], row["estimate"]))
    assert blind["expanded"] > row["expanded"]


@pytest.mark.parametrize(
    ("path", "moves", "turns"),
    [
        ([(0, 0)], 0, 0),
        ([(0, 0), (1, 0), (2, 0)], 2, 0),
        ([(0, 0), (1, 0), (2, 1), (3, 2), (3, 3)], 4, 2),
        ([(0, 0), (1, 0), (0, 0)], 2, 1),
        ([(0, 0), (1, 0), (1, 0), (2, 0)], 2, 0),  # a wait is no move
        ([(0, 0), (3, 1), (6, 2), (6, 5)], 3, 1),  # any angle
    ],
)
def test_moves_and_heading_changes(path, moves, turns):
    grid = Grid(np.ones((8, 8)))
    pair = grid.cell(path[0]), grid.cell(path[-1])
    measures = work._measures(grid, pair, Result(Status.SOLVED, "any", path=path, cost=1.0))
    assert (measures["fuel"], measures["heading_changes"]) == (moves, turns)


def test_without_a_path_there_is_no_cost_and_no_heading():
    measures = work._measures(Grid(np.ones((8, 8))), (11, 12), Result(Status.IMPOSSIBLE, "any"))
    assert (measures["solved"], measures["cost"], measures["fuel"], measures["heading_changes"]) == (0, 0.0, 0, None)


@dataclass
class Walked(Counters):
    backward_steps: int = 0
    traced_most: int = 0


@pytest.mark.parametrize("family", ["search", "realtime"])
def test_what_an_algorithm_counts_is_in_its_row(monkeypatch, family):
    walks = iter([(4, 30), (0, 7), (2, 11)])

    def walk(grid, start, goal, algorithm, **options):
        back, traced = next(walks)
        counters = Walked(expanded=5, backward_steps=back, traced_most=traced)
        return Result(Status.SOLVED, algorithm, path=[(0, 0), (1, 0)], cost=1.0, counters=counters)

    monkeypatch.setattr(work, "find_path", walk)
    monkeypatch.setattr(work, "finder", lambda *_, **options: SimpleNamespace(begin=lambda start, goal: None))
    monkeypatch.setattr(work.catalogue, "find", lambda name: catalogue.Entry(name, family, "", {}, ()))
    row = row_of("tba", problem={"kind": "pairs", "count": 3})
    assert (row["status"], row["backward_steps"], row["traced_most"]) == ("solved", 2.0, 30)


def test_a_plan_tells_when_agents_arrived():
    crowd = {"kind": "random", "agents": 12}
    row = row_of("whca", problem=crowd, limits={"steps": 200})
    assert row["status"] == "solved"
    assert row["longest_path"] == row["makespan"] == max(agent["steps"] for agent in row["agents"])
    assert 0 < row["completion_seconds"] <= row["wall_seconds"]
    assert "completion_seconds" not in row_of("hca", problem=crowd)
    short = row_of("whca", problem=crowd, limits={"steps": 5, "seconds": 40.0})
    late = sum(not agent["arrived"] for agent in short["agents"])
    assert 0 < late <= 12
    assert short["completion_seconds"] == pytest.approx(40.0 * late / 12, abs=5.0), "who never arrived has the limit"


def test_the_watch_reads_between_its_marks():
    watch = work._Watch()
    watch.steps, watch.seconds = [0.0, 10.0, 30.0], [0.0, 1.0, 2.0]
    assert watch.mean_seconds([5, 20, 30], 60.0) == pytest.approx((0.5 + 1.5 + 2.0) / 3)
    assert watch.mean_seconds([10, float("inf")], 60.0) == pytest.approx(30.5)


def test_a_simulation_has_its_summary_and_its_loops():
    row = row_of("lra", problem={"kind": "patrol", "agents": 6, "loops": 4}, model="distance")
    assert row["status"] == "solved"
    assert (row["n_agents"], row["faults"], len(row["loops"]), len(row["agents"])) == (6, 0, 4, 6)
    between = [loop["distance"] for loop in row["loops"][1:-1]]
    assert row["distance"] == pytest.approx(sum(between) / 2)
    assert row["simulation_time"] > 0 < row["throughput"]


def test_a_patrol_has_its_coherence_over_time():
    walk = {"kind": "patrol", "agents": 6, "loops": 4}
    row = row_of("lra", problem=walk, model="distance")
    assert len(row["coherence"]) == 60
    assert all(0.0 < value <= 1.0 for value in row["coherence"])
    assert 0 < row["first_loop"] < row["simulation_time"] / 2
    assert "corridor_majority" not in row
    run = simulate(patrol(generate.rooms(33, 33, 7), 6, 4), "lra", model="distance")
    assert row["coherence"][-1] == DirectionMap(run.record.grid).follow(run.record).coherence()
    assert "coherence" not in row_of("lra", problem={"kind": "tasks", "agents": 6}, limits={"until": 20})


def test_the_coherence_of_a_direction_map_is_that_of_its_own_rules():
    walk = {"kind": "patrol", "agents": 6, "loops": 3}
    slow = {"alpha": 0.1, "alpha_s": 0.05}
    row = row_of("direction_map", problem=walk, model="distance", options=slow)
    run = simulate(patrol(generate.rooms(33, 33, 7), 6, 3), "direction_map", model="distance", **slow)
    assert row["coherence"][-1] == DirectionMap(run.record.grid, **slow).follow(run.record).coherence()
    assert row["coherence"][-1] != DirectionMap(run.record.grid).follow(run.record).coherence()


def test_a_patrol_that_is_cut_short_has_no_first_loop():
    row = row_of("lra", problem={"kind": "patrol", "agents": 6, "loops": 4}, model="distance", limits={"until": 5})
    assert row["status"] == "out_of_budget"
    assert len(row["coherence"]) == 60
    assert "first_loop" not in row


def test_random_problems_in_rooms_are_nested_and_do_not_depend_on_moves():
    wide = np.zeros((20, 43), bool)
    wide[:, :20] = wide[:, 23:] = wide[9:11] = True
    grid = Grid(wide)
    in_rooms = partition(grid).part == ROOM
    assert len(partition(grid).corridors) == 1
    few, many = (problem_in_rooms(grid, n, seed=4) for n in (10, 300))
    for name in ("starts", "goals"):
        cells = getattr(many, name)
        assert (cells[:10] == getattr(few, name)).all()
        assert in_rooms[cells].all()
        assert len(set(cells.tolist())) == 300
        assert (getattr(problem_in_rooms(grid.with_moves("four"), 300, seed=4), name) == cells).all()
    assert (many.starts != many.goals).all()
    with pytest.raises(BadProblem, match="9999 agents were asked for"):
        problem_in_rooms(grid, 9999, seed=4)


def test_a_job_in_rooms_counts_who_strayed_and_the_time_of_the_processor():
    row = row_of("pibt", {"kind": "paper", "name": "sdp-rooms", "agents": 5}, limits={"steps": 200})
    assert row["status"] == "solved"
    assert (row["failed_units"], row["strayed_units"]) == (0, 0)
    assert row["cpu_seconds"] > 0


def test_a_sweep_of_deliveries_has_columns_for_their_throughput(tmp_path):
    file = tmp_path / "deliveries.toml"
    file.write_text(
        """
        name = "deliveries"
        [[sweep]]
        maps = [{make = "rooms", width = 33, height = 33, size = 7}]
        moves = "four"
        problems = [{kind = "deliveries", agents = 6}]
        limits = {until = 200}
        algorithms = ["pibt"]
        """
    )
    (job,) = read_spec(file).jobs()
    row = run_job(job.as_dict())
    run = simulate(deliveries(generate.rooms(33, 33, 7, moves="four"), 6), "pibt", until=200)
    assert row["tasks"] == run.service.tasks > 5
    assert row["throughput"] == run.summary()["throughput"] == run.service.throughput == row["tasks"] / 200
    names = ["tasks", "throughput", "service_p50", "service_p99", "waiting", "faults"]
    with Store(tmp_path / "store.duckdb") as store:
        store.add([(job, row)], 1)
        kept = store.rows(f"SELECT {', '.join(names)} FROM runs")
    assert kept == [{name: row[name] for name in names}]


ROADS = """roadmap:
  undirected: true
  vertices: {a: [0, 0], b: [4, 0], c: [8, 0], d: [4, 3], e: [4, -3]}
  edges: [[a, b], [b, c], [b, d], [b, e]]
agents:
  - {name: x, start: a, goal: c}
"""


@pytest.mark.parametrize("kind", ["random", "patrol", "tasks", "deliveries", "scen"])
def test_agents_with_bodies_on_a_roadmap(tmp_path, kind):
    file = tmp_path / "roads.yaml"
    file.write_text(ROADS)
    more = {"patrol": {"loops": 1}, "scen": {"file": str(file), "agents": 1}}.get(kind, {})
    problem = {"kind": kind, "agents": 1, **more} | ({} if kind == "scen" else {"radius": 0.5, "speed": 0.5})
    world = {"file": str(file), "digest": file_digest(file)}
    row = row_of("lra", problem, map=world, limits={"until": 40, "steps": 60})
    assert (row["status"] in ("solved", "ended"), row["faults"], row["n_agents"]) == (True, 0, 1), row["detail"]
    assert row_of("astar", map=world)["status"] == "error"


def test_larger_agents_on_a_map_and_what_the_file_may_say(tmp_path):
    row = row_of(
        "lra",
        {"kind": "random", "agents": 3, "size": 2},
        map={"make": "random", "width": 20, "height": 20, "blocked": 0.05},
    )
    assert (row["status"], row["faults"]) == ("solved", 0)
    (tmp_path / "roads.yaml").write_text(ROADS)
    spec = tmp_path / "sweep.toml"
    spec.write_text(
        '[[sweep]]\nmaps = ["roads.yaml"]\nproblems = [{kind = "random", agents = 2, radius = [0.2, 0.5]}]\n'
        'algorithms = ["lra"]\nlimits = {steps = 50}\n'
    )
    jobs = list(read_spec(spec).jobs())
    assert [job.problem["radius"] for job in jobs] == [0.2, 0.5]
    spec.write_text(
        '[[sweep]]\nmaps = ["roads.yaml"]\nalgorithms = ["lra"]\n'
        'problems = [{kind = "scen", file = "x.scen", agents = 2, size = 2}]\n'
    )
    with pytest.raises(BadInput, match="size"):
        read_spec(spec)

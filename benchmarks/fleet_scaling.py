"""How planners scale with the number of agents: success and processor time on six maps, by a sweep file."""

import multiprocessing
import time
from collections import defaultdict
from itertools import groupby
from pathlib import Path
from statistics import fmean

from benchmarks import SECONDS
from benchmarks.plots import success_over_agents, time_over_agents
from wayfolk.algorithms import catalogue
from wayfolk.compile.loading import LOADED
from wayfolk.experiments.sweeps.spec import read_spec
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.judge.plans import check
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.simulation.solving import begin_plan, make_ready

SWEEP = Path(__file__).with_name("fleet_scaling.toml")
SLICE_SECONDS = 0.03
WORKERS = 2
KINDS = {
    "optimal, or nearly so": ("cbs", "eecbs", "icts", "mgs", "od", "od_id", "optimal_anytime"),
    "one after another, or each for itself": ("bcp", "ca", "cjps", "hca", "pibt", "whca"),
    "for large fleets": ("auto", "lacam", "lns", "lns2", "mapp", "push_and_rotate", "push_and_swap"),
}


def tables(maps):
    yield table(measured())


def measured():
    """(algorithm, map, scenario, agents, seconds of the first plan or None), for all jobs up to the first failure."""
    # neighbours in this order are of different algorithms, so that two workers do not compile the same kernels
    jobs = sorted(read_spec(SWEEP).jobs(), key=lambda job: (*chain_of(job), job.problem["agents"]))
    chains = [list(chain) for _, chain in groupby(jobs, key=chain_of)]
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        return [row for rows in pool.imap_unordered(climb, chains) for row in rows]


def chain_of(job):
    return job.map["file"], job.problem["file"], job.algorithm


def climb(chain):
    """Run jobs with more and more agents until one fails."""
    rows = []
    for job in chain:
        seconds = run(job)
        name, scen = Path(job.map["file"]).stem, Path(job.problem["file"]).stem
        rows.append((job.algorithm, name, scen, job.problem["agents"], seconds))
        if seconds is None:
            break
    return rows


def run(job):
    """The seconds after which the planner has a plan without faults; None if it finds none within the limit."""
    problem = read_scen(job.problem["file"], read_map(job.map["file"], job.moves), job.problem["agents"])
    make_ready(job.algorithm)
    seconds, plan = first_plan(problem, job.algorithm, limit_of(job))
    if plan is None:
        return None
    assert check(plan, problem) == [], job
    return seconds


def limit_of(job):
    return job.limits["seconds"] if SECONDS is None else SECONDS


def first_plan(problem, algorithm, limit, **options):
    """Processor seconds until the first plan, and the plan; None if there is none within `limit` seconds."""
    while True:
        loaded = len(LOADED)
        answer = once(problem, algorithm, limit, options)
        if len(LOADED) == loaded:  # else kernels were loaded meanwhile, which takes time
            return answer


def once(problem, algorithm, limit, options):
    is_controller = catalogue.find(algorithm, "planners", "controllers").family == "controllers"
    left = 1000 + 10 * (problem.grid.width + problem.grid.height) if is_controller else NO_LIMIT
    portion = 8 if is_controller else 1 << 12
    began = before = time.process_time()
    task = begin_plan(problem, algorithm, **options)
    while task.status is Status.RUNNING and not task.has_plan and left > 0 and before - began < limit:
        task.until = time.perf_counter() + SLICE_SECONDS
        task.advance(min(portion, left))
        done = min(portion, left) - task.unspent
        left -= done
        now = time.process_time()
        portion = max(1, int(done * min(4.0, SLICE_SECONDS / max(now - before, 1e-6))))
        before = now
    seconds = time.process_time() - began
    result = task.result()
    return seconds, result.plan if result.is_solved and seconds <= limit else None


def table(rows):
    limit = limit_of(next(read_spec(SWEEP).jobs()))
    names = sorted({row[1] for row in rows})
    algorithms = [name for kind in KINDS.values() for name in kind if name in {row[0] for row in rows}]
    rates = success_rates(rows, algorithms, names)
    means = mean_seconds(rows, rates)
    success_over_agents(rates, "fleet-success.svg")
    time_over_agents(means, names, KINDS, "fleet-time.svg")
    return (
        f"Scaling with the number of agents, {limit:g} s",
        "The most agents for which a planner, or the simulation of the controllers `pibt` and `whca`, finds a plan within "
        f"{limit:g} s of processor time on both scenarios, random-1 and random-2; FOUR moves, "
        "`benchmarks/fleet_scaling.toml`. "
        "Plans are checked by the judge. Anytime planners stop at their first plan. A planner that fails is not tried with "
        "more agents. `-`: fails with 10.\n\n"
        "![success rate over the number of agents](figures/fleet-success.svg)\n\n"
        "![time over the number of agents](figures/fleet-time.svg)",
        ["planner", *names],
        [[algorithm, *(max(means[name][algorithm], default="-") for name in names)] for algorithm in algorithms],
    )


def success_rates(rows, algorithms, names):
    """`rates[map][algorithm][agents]`: 0 for numbers of agents beyond a failure."""
    solved = {row[:4] for row in rows if row[4] is not None}
    rates = {}
    for name in names:
        counts = sorted({row[3] for row in rows if row[1] == name})
        scens = {row[2] for row in rows if row[1] == name}
        rates[name] = {
            algorithm: {
                agents: sum((algorithm, name, scen, agents) in solved for scen in scens) / len(scens)
                for agents in counts
            }
            for algorithm in algorithms
        }
    return rates


def mean_seconds(rows, rates):
    """`seconds[map][algorithm][agents]`, where all scenarios were solved."""
    seconds = defaultdict(list)
    for algorithm, name, _, agents, value in rows:
        seconds[name, algorithm, agents].append(value)
    return {
        name: {
            algorithm: {
                agents: fmean(seconds[name, algorithm, agents]) for agents, rate in by_agents.items() if rate == 1
            }
            for algorithm, by_agents in by_algorithm.items()
        }
        for name, by_algorithm in rates.items()
    }

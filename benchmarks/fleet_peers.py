"""Many agents: our solvers and those on PyPI, on three maps with more and more agents."""

from functools import partial

from benchmarks import SECONDS
from benchmarks.fleet_scaling import first_plan
from benchmarks.fleet_solvers import PEERS, REPEATS, SHORT, attempt
from wayfolk.errors import BadInput
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.plan import from_paths
from wayfolk.simulation.solving import make_ready

LIMIT = 30.0 if SECONDS is None else SECONDS
MAPS = {  # the last number is as many agents as the scenario holds
    "random-32-32-20": (10, 20, 50, 100, 200, 409),
    "random-64-64-20": (50, 100, 200, 500, 1000),
    "warehouse-20-40-10-2-2": (50, 100, 200, 500, 1000),
}
FINE = 20  # the most agents within a time are found to a part of 1 / FINE
OURS = {
    "hca": ("hca", {}),
    "whca, window 16": ("whca", {"window": 16}),
    "whca, window 64": ("whca", {"window": 64}),
    "cbs": ("cbs", {}),
    "icts": ("icts", {}),
    "eecbs, w 1.5": ("eecbs", {"w": 1.5}),
    "lacam": ("lacam", {}),
    "auto": ("auto", {}),
}


def tables(maps):
    for world, counts in MAPS.items():
        yield from compared(partial(instance, maps, world), world, counts)


def compared(make, world, counts):
    """Two tables of one map, where `make(agents)` is the problem: all runs, and how each peer compares with ours."""
    peers = {name: peer for name, peer in PEERS.items() if peer.is_installed}
    absent = sorted({peer.package for peer in PEERS.values() if not peer.is_installed})
    own = {name: climb(make, counts, ours, name, LIMIT) for name in OURS}
    theirs = {name: climb(make, counts, judged, peer) for name, peer in peers.items()}
    bounds = ", ".join(str(lower_bound(make(agents))) for agents in counts)
    yield (
        f"Fleets: ours and those on PyPI, {world}, {LIMIT:g} s",
        "Processor seconds until the first plan, and its sum of costs; FOUR moves, scenario random-1, which has "
        f"{counts[-1]:,} agents. Runs under {SHORT:g} s are the best of {REPEATS}. The graphs of the peers are made "
        f"before the clock starts. The judge checks every plan, theirs too. `-`: no plan within {LIMIT:g} s, or the "
        f"solver gives up; it is not tried with more agents. The lower bounds of the sum of costs are {bounds}."
        + (f" Not installed, so not measured: {', '.join(absent)}." if absent else ""),
        ["solver", *(f"{agents} agents" for agents in counts)],
        [[name, *(cell(runs.get(agents)) for agents in counts)] for name, runs in (own | theirs).items()],
    )
    yield (
        f"Fleets: how much faster than those on PyPI, {world}",
        "The peer's time over that of our solver of the same kind, for each number of agents that the peer solves. "
        "`as good`: the least ratio of the peer's time to that of the fastest of ours whose plan costs no more than "
        "the peer's. `solved`: the most agents that the peer solves, among the numbers of the table above; `same kind` "
        f"and `any kind`: the most that ours of the same kind, and the best of ours, solve in {LIMIT:g} s. `in its "
        "time`: the most agents that these solve in the time that the peer takes for the most it solves, found by "
        f"bisection to within {100 // FINE} %. `ten times`: what is at least ten times better; "
        "`no plan`: the peer solves none of the numbers.",
        [
            "peer", "ours", *(f"{agents} agents" for agents in counts), "as good", "solved", "same kind", "any kind",
            "same kind, in its time", "any kind, in its time", "ten times",
        ],
        [against(make, peers[name].ours, name, runs, own, counts) for name, runs in theirs.items()],
    )  # fmt: skip


def instance(maps, world, agents):
    grid = read_map(maps / "mapf" / f"{world}.map", "four")
    return read_scen(maps / "mapf" / f"{world}-random-1.scen", grid, agents)


def climb(make, counts, run, *what):
    """`runs[agents]`, a pair of seconds and cost or a word for what is wrong; no more agents after a failure."""
    runs = {}
    for agents in counts:
        runs[agents] = run(partial(make, agents), *what)
        if isinstance(runs[agents], str):
            break
    return runs


def ours(make, name, limit):
    """The pair of one of our solvers, or `-` if it has no plan within `limit` seconds."""
    algorithm, options = OURS[name]
    make_ready(algorithm)
    runs = []
    for _ in range(REPEATS):
        problem = make()  # a new map, so that nothing is prepared
        seconds, plan = first_plan(problem, algorithm, limit, **options)
        if plan is not None:
            assert check(plan, problem) == []
            runs.append((seconds, sum_of_costs(plan, problem.goals)))
        if seconds > SHORT:
            break
    return min(runs, default="-")


def judged(make, peer):
    problem = make()
    answer = attempt(peer, problem, LIMIT)
    if answer is None:
        return "-"
    seconds, paths = answer
    try:
        plan = from_paths(problem.grid, [problem.grid.cells(path) for path in paths])
    except BadInput:
        return "leaves the map"
    faults = check(plan, problem)
    return f"{len(faults)} fault{'s' * (len(faults) > 1)}" if faults else (seconds, sum_of_costs(plan, problem.goals))


def cell(run):
    if run is None:
        return ""
    return run if isinstance(run, str) else f"{shown(run[0])}, {run[1]}"


def shown(seconds):
    return f"{seconds:.4f}" if seconds < 0.01 else f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"


def against(make, kind, name, runs, own, counts):
    """How a peer compares: the ratios of time, the most agents of both, and what is ten times better."""
    done = {agents: run for agents, run in runs.items() if is_pair(run)}
    ratios = {agents: ratio(run, [own[kind].get(agents)]) for agents, run in done.items()}
    as_good = {
        agents: ratio(
            run, [one for one in (mine.get(agents) for mine in own.values()) if is_pair(one) and one[1] <= run[1]]
        )
        for agents, run in done.items()
    }
    solved = max(done, default=0)
    columns = [f"{ratios[agents]:.1f}" if agents in ratios else "" for agents in counts]
    most = {mine: most_of(own[mine], LIMIT) for mine in own}
    best = max(own, key=most.get)
    row = [name, kind, *columns, f"{min(as_good.values()):.1f}" if done else "", solved, most[kind], most[best]]
    if not done:
        return [*row, "", "", "no plan"]
    seconds = done[solved][0]
    quickest = max(own, key=lambda mine: (most_of(own[mine], seconds), -time_of(own[mine], seconds)))
    in_time = {mine: most_within(make, mine, own[mine], seconds) for mine in {kind, quickest}}
    fastest = max((quickest, kind), key=in_time.get)
    better = [
        reached("time", ratios),
        reached("time, as good", as_good),
        f"agents in {LIMIT:g} s" if most[best] >= 10 * solved else "",
        "agents in its time" if in_time[fastest] >= 10 * solved else "",
    ]
    return [*row, in_time[kind], f"{in_time[fastest]} ({fastest})", "; ".join(filter(None, better)) or "no"]


def most_of(runs, seconds):
    """The most agents of `runs` that were solved within `seconds`."""
    return max((agents for agents, run in runs.items() if is_pair(run) and run[0] <= seconds), default=0)


def time_of(runs, seconds):
    """The seconds for the most agents of `runs` that were solved within `seconds`, or for the fewest if none were."""
    run = runs[most_of(runs, seconds) or min(runs)]
    return run[0] if is_pair(run) else float("inf")


def most_within(make, name, runs, seconds):
    """The most agents that one of our solvers plans for within `seconds`: bisects between two numbers of `runs`."""
    low = most_of(runs, seconds)
    high = min((agents for agents in runs if agents > low), default=low)
    while high - low > max(1, low // FINE):
        middle = (low + high) // 2
        if is_pair(ours(partial(make, middle), name, seconds)):
            low = middle
        else:
            high = middle
    return low


def reached(what, ratios):
    """`what`, with the number of agents from which on all `ratios` are at least ten; empty if the last is not."""
    first = None
    for agents in sorted(ratios, reverse=True):
        if ratios[agents] < 10:
            break
        first = agents
    if first is None:
        return ""
    return what if first == min(ratios) else f"{what}, from {first} agents"


def ratio(run, others):
    """The seconds of `run` over those of the fastest of `others`; 0 if none of them has a plan."""
    return max((run[0] / other[0] for other in others if is_pair(other)), default=0.0)


def is_pair(run):
    return isinstance(run, tuple)

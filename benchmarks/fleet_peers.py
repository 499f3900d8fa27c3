"""Many agents: our solvers and those on PyPI, on one map with more and more agents."""

from benchmarks import SECONDS
from benchmarks.fleet_scaling import first_plan
from benchmarks.fleet_solvers import PEERS, REPEATS, SHORT, attempt
from wayfolk.algorithms import catalogue
from wayfolk.errors import BadInput, UnknownName
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.plan import from_paths
from wayfolk.simulation.solving import make_ready

LIMIT = 30.0 if SECONDS is None else SECONDS
MAP, AGENTS = "random-32-32-20", (10, 20, 50, 100, 200)
ALL = 409  # as many as the scenario holds
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
    peers = {name: peer for name, peer in PEERS.items() if peer.is_installed}
    absent = sorted({peer.package for peer in PEERS.values() if not peer.is_installed})
    own = {name: climb(maps, (*AGENTS, ALL), ours, *OURS[name]) for name in OURS if is_there(OURS[name][0])}
    theirs = {name: climb(maps, AGENTS, judged, peer) for name, peer in peers.items()}
    bounds = ", ".join(str(lower_bound(instance(maps, agents))) for agents in AGENTS)
    yield (
        f"Fleets: ours and those on PyPI, {MAP}, {LIMIT:g} s",
        "Processor seconds until the first plan, and its sum of costs; FOUR moves, scenario random-1. Runs under "
        f"{SHORT:g} s are the best of {REPEATS}. The graphs of the peers are made before the clock starts. The judge "
        f"checks every plan, theirs too. `-`: no plan within {LIMIT:g} s, or the solver gives up; it is not tried with "
        "more agents. "
        f"The lower bounds of the sum of costs are {bounds}."
        + (f" Not installed, so not measured: {', '.join(absent)}." if absent else ""),
        ["solver", *(f"{agents} agents" for agents in (*AGENTS, ALL))],
        [[name, *(cell(runs.get(agents)) for agents in (*AGENTS, ALL))] for name, runs in (own | theirs).items()],
    )
    yield (
        "Fleets: how much faster than those on PyPI",
        "The peer's time over that of our solver of the same kind, for each number of agents that the peer solves. `as "
        "good`: the least ratio of the peer's time to that of the fastest of ours whose plan costs no more than the "
        "peer's. `solved`: the most agents that the peer solves, and our solver of the same kind, among the numbers of the "
        "table above. `ten times`: what is at least ten times better: the time of the same kind, the time of a solver "
        "as good, or the number of agents of the same kind.",
        ["peer", "ours", *(f"{agents} agents" for agents in AGENTS), "as good", "solved", "ours", "ten times"],
        [against(peers[name].ours, name, runs, own) for name, runs in theirs.items()],
    )


def instance(maps, agents):
    grid = read_map(maps / "mapf" / f"{MAP}.map", "four")
    return read_scen(maps / "mapf" / f"{MAP}-random-1.scen", grid, agents)


def is_there(name):
    try:
        catalogue.find(name, "planners", "controllers")
    except UnknownName:
        return False
    return True


def climb(maps, counts, run, *what):
    """`runs[agents]`, a pair of seconds and cost or a word for what is wrong; no more agents after a failure."""
    runs = {}
    for agents in counts:
        runs[agents] = run(lambda agents=agents: instance(maps, agents), *what)
        if isinstance(runs[agents], str):
            break
    return runs


def ours(make, algorithm, options):
    make_ready(algorithm)
    runs = []
    for _ in range(REPEATS):
        problem = make()  # a new map, so that nothing is prepared
        seconds, plan = first_plan(problem, algorithm, LIMIT, **options)
        if plan is None:
            return "-"
        assert check(plan, problem) == []
        runs.append((seconds, sum_of_costs(plan, problem.goals)))
        if seconds > SHORT:
            break
    return min(runs)


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


def against(kind, name, runs, own):
    """How a peer compares: the ratios of time, the most agents of both, and what is ten times better."""
    done = {agents: run for agents, run in runs.items() if not isinstance(run, str)}
    same = own.get(kind, {})
    ratios = {agents: ratio(run, [same.get(agents)]) for agents, run in done.items()}
    as_good = {
        agents: ratio(
            run, [one for one in (mine.get(agents) for mine in own.values()) if is_pair(one) and one[1] <= run[1]]
        )
        for agents, run in done.items()
    }
    most = max((agents for agents, run in same.items() if is_pair(run)), default=0)
    better = [reached("time", ratios), reached("time, as good", as_good)]
    if most and most >= 10 * max(done, default=0):
        better.append("agents")
    columns = [f"{ratios[agents]:.1f}" if agents in ratios else "" for agents in AGENTS]
    least = f"{min(as_good.values()):.1f}" if done else ""
    return [name, kind, *columns, least, max(done, default=0), most, "; ".join(filter(None, better)) or "no"]


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

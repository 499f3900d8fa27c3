"""The claims of Arun, A1 to A13, as predicates over measured rows. N is nodes expanded."""

from __future__ import annotations

from itertools import pairwise

from wayfolk.experiments.papers import Claim, Measured, Verdict, in_order, verdict

WALKERS = ("A*", "Dijkstra", "Theta*", "RTA*")
TIMED = ("A*", "Dijkstra", "Theta*")
AGENTS = (5, 8, 10)
SCALES = (0.0, 0.5, 1.0, 2.0)
DEPTHS = (1, 3, 5)
LOOKAHEAD = 3  # of RTA* where only one depth is measured
SAME = 1e-9  # relative: costs that differ by less differ by rounding


def _every(*parts: bool | None) -> bool | None:
    """Whether all hold: one that does not decides, one that was not measured leaves it open."""
    if False in parts:
        return False
    return None if None in parts else True


def _nodes(measured: Measured, algorithm: str) -> float | None:
    return measured.value("nodes", "mean_nodes_expanded_per_400", algorithm=algorithm)


def _time(measured: Measured, algorithm: str, agents: int) -> float | None:
    return measured.value("times", "execution_time", algorithm=algorithm, agents=agents)


def _path(measured: Measured, metric: str, algorithm: str) -> float | None:
    return measured.value("paths", metric, algorithm=algorithm)


def _told(holds: bool | None, *numbers: float | None, why: str) -> Verdict:
    """A verdict that shows what there is even where it is open."""
    if holds is None:
        return Verdict(None, f"not measured in full: {verdict(True, *numbers, why=why).detail}")
    return verdict(holds, *numbers, why=why)


def _least_nodes(measured: Measured) -> Verdict:
    shown = [_nodes(measured, name) for name in ("A*", "RTA*", "Dijkstra")]
    return _told(in_order(*shown), *shown, why=f"N of A*, RTA* looking {LOOKAHEAD} moves ahead, Dijkstra:")


def _theta_like_dijkstra(measured: Measured) -> Verdict:
    theta, dijkstra, astar = (_nodes(measured, name) for name in ("Theta*", "Dijkstra", "A*"))
    if theta is None or dijkstra is None or astar is None:
        return verdict(None)
    return verdict(
        theta >= 0.9 * dijkstra and theta > 3 * astar, theta, dijkstra, astar, why="N of Theta*, Dijkstra, A*:"
    )


def _order_of_times(measured: Measured) -> Verdict:
    shown = [_time(measured, name, agents) for agents in AGENTS for name in TIMED]
    holds = _every(*(in_order(*shown[at : at + 3]) for at in (0, 3, 6)))
    return _told(holds, *shown, why="times of A*, Dijkstra, Theta* for 5, 8, 10 agents:")


def _times_grow(measured: Measured) -> Verdict:
    shown = [_time(measured, name, agents) for name in TIMED for agents in AGENTS]
    holds = _every(*(in_order(*shown[at : at + 3]) for at in (0, 3, 6)))
    return _told(holds, *shown, why="times for 5, 8, 10 agents of A*, Dijkstra, Theta*:")


def _dijkstra_is_astar(measured: Measured) -> Verdict:
    where = ({"algorithm": "A*", "scale": 1.0}, {"algorithm": "Dijkstra"})
    cost, best = (measured.value("heuristics", "cost", **one) for one in where)
    astar, dijkstra = (measured.value("heuristics", "expanded", **one) for one in where)
    if cost is None or best is None or astar is None or dijkstra is None:
        return verdict(None)
    holds = _optimal(cost, best) and astar <= dijkstra
    return verdict(holds, cost, best, astar, dijkstra, why="cost with A*, Dijkstra; N of A*, Dijkstra:")


def _heuristic_trades(measured: Measured) -> Verdict:
    expanded, cost = (measured.values("heuristics", metric, "scale", algorithm="A*") for metric in ("expanded", "cost"))
    best = measured.value("heuristics", "cost", algorithm="Dijkstra")
    if best is None or tuple(cost) != SCALES or tuple(expanded) != SCALES:
        return verdict(None)
    n = list(expanded.values())
    optimal = [_optimal(cost[scale], best) for scale in SCALES]
    holds = n == sorted(n, reverse=True) and optimal == [True, True, True, False]
    return verdict(holds, *n, *cost.values(), best, why="N, then cost for h times 0, 0.5, 1, 2; least cost:")


def _optimal(cost: float, best: float) -> bool:
    """Whether all paths of a batch are cheapest: none can be cheaper, so that it is enough that the sums agree."""
    return abs(cost - best) <= SAME * best


def _theta_is_straighter(measured: Measured) -> Verdict:
    length = in_order(*(_path(measured, "length", name) for name in ("Theta*", "A*")))
    turns = in_order(*(_path(measured, "heading_changes", name) for name in ("Theta*", "A*")))
    shown = [_path(measured, metric, name) for metric in ("length", "heading_changes") for name in ("Theta*", "A*")]
    return _told(_every(length, turns), *shown, why="length with Theta*, A*; heading changes with Theta*, A*:")


def _smoothing_shortens(measured: Measured) -> Verdict:
    """A path of Theta* that is shorter than the smoothed one shows that this is not the shortest there is."""
    found = [measured.rows("paths", algorithm=name) for name in ("A*", "A* smoothed", "Theta*")]
    times = [_path(measured, "seconds", name) for name in ("A*", "A* smoothed")]
    slower = in_order(*times)
    if slower is None or not all(found):
        return verdict(None)
    grid, smooth, theta = (rows[0]["lengths"] for rows in found)
    pairs = list(zip(grid, smooth, theta, strict=True))
    never_longer = all(s <= g * (1 + SAME) for g, s, _ in pairs)
    shorter = sum(s < g * (1 - SAME) for g, s, _ in pairs)
    not_best = sum(s > t * (1 + SAME) for _, s, t in pairs)
    holds = _every(never_longer, shorter > 0, slower, not_best > 0 or None)
    why = f"shorter on {shorter}, longer than with Theta* on {not_best} of {len(pairs)}; times without, with:"
    return _told(holds, *times, why=why)


def _theta_is_a_little_slower(measured: Measured) -> Verdict:
    ratios = []
    for agents in AGENTS:
        astar, theta = _time(measured, "A*", agents), _time(measured, "Theta*", agents)
        if astar is None or theta is None:
            return verdict(None)
        ratios.append(theta / astar)
    return verdict(all(1 < ratio <= 2 for ratio in ratios), *ratios, why="times as slow for 5, 8, 10 agents:")


def _widest_spread(measured: Measured) -> Verdict:
    ranges = []
    for name in WALKERS:
        least, most = (measured.value("searches", metric, algorithm=name) for metric in ("least", "most"))
        if least is None or most is None:
            return verdict(None)
        ranges.append(most - least)
    return verdict(
        ranges[3] > max(ranges[:3]),
        *ranges,
        why=f"ranges of N of A*, Dijkstra, Theta*, RTA* looking {LOOKAHEAD} moves ahead:",
    )


def _lookahead(measured: Measured) -> Verdict:
    success, cost, seconds = (
        list(measured.values("lookahead", metric, "depth", algorithm="RTA*").values())
        for metric in ("success", "cost", "seconds_per_move")
    )
    if not len(success) == len(cost) == len(seconds) == len(DEPTHS):
        return verdict(None)
    growing = all(later >= 2 * sooner for sooner, later in pairwise(seconds))
    holds = min(success) == 1.0 and cost == sorted(cost, reverse=True) and growing
    return verdict(holds, *success, *cost, *seconds, why="success, cost, seconds per move for depths 1, 3, 5:")


def _correct_code_passes(measured: Measured) -> Verdict:
    smoother, walker = _smoothing_shortens(measured), _lookahead(measured)
    holds = _every(smoother.holds, walker.holds)
    return verdict(holds, why=f"A8: {smoother.detail}; A11: {walker.detail}")


def _nobody_wins_everywhere(measured: Measured) -> Verdict:
    cheap = _every(*(in_order(_nodes(measured, "A*"), _nodes(measured, name)) for name in WALKERS[1:]))
    times = [(agents, name) for agents in AGENTS for name in TIMED[1:]]
    fast = _every(*(in_order(_time(measured, "A*", agents), _time(measured, name, agents)) for agents, name in times))
    turns = {name: _path(measured, "heading_changes", name) for name in ("A*", "Theta*", "A* smoothed")}
    known = [number for number in turns.values() if number is not None]
    natural = None if len(known) < 3 else turns["A*"] not in (None, min(known))
    reached = [measured.value("view", "reached", algorithm=name) for name in WALKERS]
    alone = False if any(reached[:3]) else None if None in reached else bool(reached[3])
    said = {True: "yes", False: "no", None: "not measured"}
    parts = (
        ("A* least in N", cheap),
        ("in time", fast),
        ("others straighter", natural),
        ("only RTA* with a limited view", alone),
    )
    why = "; ".join(f"{what}: {said[part]}" for what, part in parts)
    why += f"; share of walks that arrive, {', '.join(WALKERS)}:"
    return _told(_every(cheap, fast, natural, alone), *reached, why=why)


CLAIMS = [
    Claim("A1", "Nodes expanded: A* least, Dijkstra most, RTA* between.", ("nodes",), _least_nodes, own=True),
    Claim(
        "A2",
        "Theta* expands about as many nodes as Dijkstra, far more than A*.",
        ("nodes",),
        _theta_like_dijkstra,
        own=True,
    ),
    Claim("A3", "Run time: A* < Dijkstra < Theta* at each number of agents.", ("times",), _order_of_times, own=True),
    Claim("A4", "Run time grows with the number of agents.", ("times",), _times_grow, own=True),
    Claim("A5", "Dijkstra is A* with h = 0 and finds the same path lengths.", ("heuristics",), _dijkstra_is_astar),
    Claim(
        "A6",
        "The heuristic trades speed for optimality: h = 0 and h <= h* optimal, larger h nearer to h* faster, h > h*"
        " faster but not optimal.",
        ("heuristics",),
        _heuristic_trades,
    ),
    Claim("A7", "Theta* gives shorter, straighter paths than grid A*.", ("paths",), _theta_is_straighter),
    Claim(
        "A8",
        "Post-smoothing shortens A* paths at extra run time, with no guarantee of the true shortest path.",
        ("paths",),
        _smoothing_shortens,
    ),
    Claim("A9", "Theta* is slightly slower than A*.", ("times",), _theta_is_a_little_slower, own=False),
    Claim("A10", "RTA* has the widest spread of nodes expanded.", ("searches",), _widest_spread),
    Claim(
        "A11",
        "RTA* always reaches a reachable goal; deeper lookahead gives better paths at exponentially growing cost per"
        " move.",
        ("lookahead",),
        _lookahead,
    ),
    Claim(
        "A12",
        "The author's own RTA* backtracking, A* post-smoothing, flocking and collision code is faulty.",
        ("paths", "lookahead"),
        _correct_code_passes,
        mark="neg",
    ),
    Claim(
        "A13",
        "No algorithm wins everywhere: A* for least cost, Theta* or smoothed A* for natural paths, RTA* for limited"
        " knowledge.",
        ("nodes", "times", "paths", "view"),
        _nobody_wins_everywhere,
    ),
]

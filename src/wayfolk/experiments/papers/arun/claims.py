"""The claims of Arun, A1 to A13, as predicates over measured rows. N is nodes expanded.

Times are compared map by map, and a difference inside their noise is undecided (see `noise`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wayfolk.experiments.papers.claims import Claim, Measured, Verdict, in_order, verdict
from wayfolk.experiments.papers.noise import Answer, above, all_of, decided, each, negated, paired

WALKERS = ("A*", "Dijkstra", "Theta*", "RTA*")
TIMED = ("A*", "Dijkstra", "Theta*")
AGENTS = (5, 8, 10)
SCALES = (0.0, 0.5, 1.0, 2.0)
DEPTHS = (1, 3, 5)
LOOKAHEAD = 3  # of RTA* where only one depth is measured
SAME = 1e-9  # relative: costs that differ by less differ by rounding


def _every(*parts: bool | None) -> bool | None:
    """Whether all hold: False if one does not, None if one was not measured and no other fails."""
    if False in parts:
        return False
    return None if None in parts else True


def _nodes(measured: Measured, algorithm: str) -> float | None:
    return measured.value("nodes", "mean_nodes_expanded_per_400", algorithm=algorithm)


def _time(measured: Measured, algorithm: str, agents: int) -> float | None:
    return measured.value("times", "execution_time", algorithm=algorithm, agents=agents)


def _times(measured: Measured, algorithm: str, agents: int) -> Sequence[float] | None:
    """The times of all maps."""
    return each(measured, "times", "execution_time", algorithm=algorithm, agents=agents)


def _later(one: Sequence[float] | None, other: Sequence[float] | None) -> tuple[Answer, bool]:
    """Whether `one` takes longer than `other`, map by map, and whether both were measured."""
    differences = paired(one, other)
    return (None, False) if differences is None else (above(differences), True)


def _judged_times(answers: list[tuple[Answer, bool]], *numbers: float | None, why: str) -> Verdict:
    """A verdict over comparisons of times, of which some may be missing."""
    holds = all_of(answer for answer, _ in answers)
    detail = verdict(True, *numbers, why=why).detail
    if holds is None and not all(is_known for _, is_known in answers):
        return Verdict(None, f"not measured in full: {detail}")
    return decided(holds, detail)


def _path(measured: Measured, metric: str, algorithm: str) -> float | None:
    return measured.value("paths", metric, algorithm=algorithm)


def _with_numbers(holds: bool | None, *numbers: float | None, why: str) -> Verdict:
    """A verdict that shows the measured numbers even where some are missing."""
    if holds is None:
        return Verdict(None, f"not measured in full: {verdict(True, *numbers, why=why).detail}")
    return verdict(holds, *numbers, why=why)


def _least_nodes(measured: Measured) -> Verdict:
    shown = [_nodes(measured, name) for name in ("A*", "RTA*", "Dijkstra")]
    return _with_numbers(in_order(*shown), *shown, why=f"N of A*, RTA* looking {LOOKAHEAD} moves ahead, Dijkstra:")


def _theta_like_dijkstra(measured: Measured) -> Verdict:
    theta, dijkstra, astar = (_nodes(measured, name) for name in ("Theta*", "Dijkstra", "A*"))
    if theta is None or dijkstra is None or astar is None:
        return verdict(None)
    return verdict(
        theta >= 0.9 * dijkstra and theta > 3 * astar, theta, dijkstra, astar, why="N of Theta*, Dijkstra, A*:"
    )


def _order_of_times(measured: Measured) -> Verdict:
    shown = [_time(measured, name, agents) for agents in AGENTS for name in TIMED]
    answers = [
        _later(_times(measured, later, agents), _times(measured, sooner, agents))
        for agents in AGENTS
        for sooner, later in pairwise(TIMED)
    ]
    return _judged_times(answers, *shown, why="times of A*, Dijkstra, Theta* for 5, 8, 10 agents:")


def _times_grow(measured: Measured) -> Verdict:
    shown = [_time(measured, name, agents) for name in TIMED for agents in AGENTS]
    answers = [
        _later(_times(measured, name, more), _times(measured, name, less))
        for name in TIMED
        for less, more in pairwise(AGENTS)
    ]
    return _judged_times(answers, *shown, why="times for 5, 8, 10 agents of A*, Dijkstra, Theta*:")


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
    """Whether all paths of a batch are optimal: no path can be cheaper, so it is enough to compare the sums."""
    return abs(cost - best) <= SAME * best


def _theta_is_straighter(measured: Measured) -> Verdict:
    length = in_order(*(_path(measured, "length", name) for name in ("Theta*", "A*")))
    turns = in_order(*(_path(measured, "heading_changes", name) for name in ("Theta*", "A*")))
    shown = [_path(measured, metric, name) for metric in ("length", "heading_changes") for name in ("Theta*", "A*")]
    return _with_numbers(_every(length, turns), *shown, why="length with Theta*, A*; heading changes with Theta*, A*:")


def _smoothing_shortens(measured: Measured) -> Verdict:
    """A path of Theta* that is shorter than the smoothed one shows that the smoothed one is not the shortest."""
    tables = [measured.rows("paths", algorithm=name) for name in ("A*", "A* smoothed", "Theta*")]
    times = [_path(measured, "seconds", name) for name in ("A*", "A* smoothed")]
    slower = paired(*(each(measured, "paths", "seconds", algorithm=name) for name in ("A* smoothed", "A*")))
    if slower is None or not all(tables):
        return verdict(None)
    grid, smooth, theta = (rows[0]["lengths"] for rows in tables)
    pairs = list(zip(grid, smooth, theta, strict=True))
    never_longer = all(s <= g * (1 + SAME) for g, s, _ in pairs)
    shorter = sum(s < g * (1 - SAME) for g, s, _ in pairs)
    not_best = sum(s > t * (1 + SAME) for _, s, t in pairs)
    why = f"shorter on {shorter}, longer than with Theta* on {not_best} of {len(pairs)}; times without, with:"
    holds = all_of([never_longer, shorter > 0, above(slower), not_best > 0 or None])
    return decided(holds, verdict(True, *times, why=why).detail)


def _theta_is_a_little_slower(measured: Measured) -> Verdict:
    ratios, answers = [], []
    for agents in AGENTS:
        astar, theta = _times(measured, "A*", agents), _times(measured, "Theta*", agents)
        if astar is None or theta is None or len(astar) != len(theta):
            return verdict(None)
        ratios.append(sum(theta) / sum(astar))
        twice = [t - 2 * a for a, t in zip(astar, theta, strict=True)]
        answers += [above(paired(theta, astar) or []), negated(above(twice))]
    why = f"times as slow for 5, 8, 10 agents: {', '.join(f'{ratio:.4g}' for ratio in ratios)}"
    return decided(all_of(answers), why)


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
    """The cost of a move is counted in expansions: clocks also time the calls around them."""
    success, cost, expanded = (
        list(measured.values("lookahead", metric, "depth", algorithm="RTA*").values())
        for metric in ("success", "cost", "expanded_per_move")
    )
    if not len(success) == len(cost) == len(expanded) == len(DEPTHS):
        return verdict(None)
    growing = all(later >= 2 * sooner for sooner, later in pairwise(expanded))
    holds = min(success) == 1.0 and cost == sorted(cost, reverse=True) and growing
    return verdict(holds, *success, *cost, *expanded, why="success, cost, expansions per move for depths 1, 3, 5:")


def _correct_code_passes(measured: Measured) -> Verdict:
    smoother, walker = _smoothing_shortens(measured), _lookahead(measured)
    why = f"A8: {smoother.detail}; A11: {walker.detail}"
    if any(part.holds is None and not part.is_undecided for part in (smoother, walker)):
        return verdict(False, why=why) if False in (smoother.holds, walker.holds) else verdict(None)
    return decided(all_of([smoother.holds, walker.holds]), why)


def _none_wins_everywhere(measured: Measured) -> Verdict:
    nodes = [in_order(_nodes(measured, "A*"), _nodes(measured, name)) for name in WALKERS[1:]]
    times = [(agents, name) for agents in AGENTS for name in TIMED[1:]]
    slower = [_later(_times(measured, name, agents), _times(measured, "A*", agents)) for agents, name in times]
    turns = {name: _path(measured, "heading_changes", name) for name in ("A*", "Theta*", "A* smoothed")}
    known = [number for number in turns.values() if number is not None]
    natural = None if len(known) < 3 else turns["A*"] not in (None, min(known))
    reached = [measured.value("view", "reached", algorithm=name) for name in WALKERS]
    walks = None if reached[3] is None else reached[3] == 1
    words = {True: "yes", False: "no", None: "not measured"}
    fast = all_of(answer for answer, _ in slower)
    is_measured = all(is_known for _, is_known in slower) and None not in (*nodes, natural, walks)
    parts = (
        ("A* least in N", all_of(nodes)),
        ("in time", fast),
        ("others straighter", natural),
        ("RTA* arrives with a limited view", walks),
    )
    why = "; ".join(f"{what}: {words[part]}" for what, part in parts)
    shown = ", ".join("-" if number is None else f"{number:.4g}" for number in reached)
    why += f"; share of walks that arrive, {', '.join(WALKERS)}: {shown}"
    holds = all_of(part for _, part in parts)
    return decided(holds, why) if is_measured or holds is False else Verdict(None, f"not measured in full: {why}")


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
        _none_wins_everywhere,
    ),
]

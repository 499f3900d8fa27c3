"""The claims of Jansen 2008, J1 to J39, as predicates over measured rows.

N is nodes expanded, D distance and C collisions, all for an agent and a loop; T is the time of a run; K is coherence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wayfolk.experiments.papers import Claim, Measured, Verdict, in_order, rank_correlation, verdict

CLAIMS: list[Claim] = []

N, T, D, C = "nodes_expanded", "simulation_time", "distance", "collisions"
ALL = (N, T, D, C)
K_FIRST, K_QUARTER, K_MID = "coherence_first_quarter", "coherence_quarter", "coherence_mid"
K_LAST, K_END = "coherence_last_tenth", "coherence_end"
K_LEAST, K_MOST = "coherence_least", "coherence_most"
FIGURES = tuple(f"fig4.{n}" for n in (6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 19, 20))

W_MAX = tuple(range(2, 21, 2))
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RADII = tuple(range(2, 11))
AGENTS = tuple(range(20, 161, 20))
WEIGHTS = (1, 2, 4, 6)
SECTORS = (4, 8, 12, 16)
SURROUND = (0, 0.3, 0.5, 0.7)
LOCAL = (3, 5, 7)  # windows, and radii of copies


class Gap(Exception):
    """A number that a judge needs was not measured."""


def claim(
    name: str, text: str, *tables: str, mark: str = "", own: bool | None = None
) -> Callable[[Callable[[Measured], Verdict]], Callable[[Measured], Verdict]]:
    """Enter a predicate as the judge of a claim; where it meets a gap, the claim is not measured."""

    def enter(predicate: Callable[[Measured], Verdict]) -> Callable[[Measured], Verdict]:
        def judge(measured: Measured) -> Verdict:
            try:
                return predicate(measured)
            except Gap as gap:
                return Verdict(None, str(gap))

        CLAIMS.append(Claim(name, text, tables, judge, mark, own))
        return predicate

    return enter


def one(measured: Measured, table: str, metric: str, **where: Any) -> float:
    """A number that must be there."""
    found = measured.value(table, metric, **where)
    if found is None:
        setting = ", ".join(f"{name} {value}" for name, value in where.items())
        raise Gap(f"not measured: {metric} in {table} for {setting}")
    return found


def curve(measured: Measured, table: str, metric: str, over: str, keys: Iterable[Any], **where: Any) -> dict[Any, float]:
    """Numbers by `over`, all of which must be there."""
    return {key: one(measured, table, metric, **where, **{over: key}) for key in keys}


def rho(numbers: Mapping[Any, float]) -> float:
    """The rank correlation of a curve."""
    found = rank_correlation(list(numbers.items()))
    if found is None:
        raise Gap("not measured: too few settings")
    return found


def rising(numbers: Iterable[float]) -> bool:
    """Whether numbers strictly rise."""
    return bool(in_order(*numbers))


def falling(numbers: Sequence[float]) -> bool:
    """Whether numbers strictly fall."""
    return rising(numbers[::-1])


def within(numbers: Iterable[float], factor: float) -> bool:
    """Whether the largest is at most `factor` times the least."""
    found = list(numbers)
    return max(found) <= factor * min(found)


@claim("J1", "A larger penalty w_max makes the search expand more nodes.", "4.1", own=True)
def _penalty_costs_nodes(m: Measured) -> Verdict:
    n = curve(m, "4.1", N, "w_max", W_MAX, map="b")
    return verdict(rho(n) >= 0.7 and n[20] > n[10] > n[4], rho(n), n[4], n[10], n[20], why="rho; N at 4, 10, 20:")


@claim("J2", "A larger w_max lowers collisions, with diminishing returns.", "4.1", own=True)
def _penalty_spares_collisions(m: Measured) -> Verdict:
    c = curve(m, "4.1", C, "w_max", W_MAX, map="b")
    holds = rho(c) <= -0.9 and c[20] < 0.75 * c[2] and c[2] - c[10] > c[10] - c[20]
    return verdict(holds, rho(c), c[2], c[10], c[20], why="rho; C at 2, 10, 20:")


@claim("J3", "Time and distance hardly depend on w_max.", "4.1", own=True)
def _penalty_leaves_time(m: Measured) -> Verdict:
    t, d = (curve(m, "4.1", metric, "w_max", W_MAX, map="b").values() for metric in (T, D))
    return verdict(within(t, 1.06) and within(d, 1.10), max(t) / min(t), max(d) / min(d), why="max/min of T, D:")


@claim("J4", "Coherence is insensitive to w_max, rising slightly, then saturating.", "fig4.6")
def _penalty_and_coherence(m: Measured) -> Verdict:
    k = curve(m, "fig4.6", K_MID, "w_max", W_MAX)
    least, most = min(k.values()), max(k.values())
    return verdict(k[20] >= k[2] and most - least <= 0.1, k[2], k[20], least, most, why="K at 2, 20, least, most:")


@claim("J5", "The learning rate has little effect, except that alpha 0.1 is poor.", "4.2", own=True)
def _slow_learning_is_poor(m: Measured) -> Verdict:
    by = {metric: list(curve(m, "4.2", metric, "alpha", ALPHAS, map="b").values()) for metric in ALL}
    poor = all(by[metric][0] > max(by[metric][1:]) for metric in (N, C))
    alike = all(within(numbers[1:], 1.07) for numbers in by.values())
    shown = (by[N][0], max(by[N][1:]), by[C][0], max(by[C][1:]))
    return verdict(poor and alike, *shown, why="N at 0.1 and most above, C the same:")


@claim("J6", "Time and distance creep up with alpha.", "4.2", own=True)
def _learning_and_time(m: Measured) -> Verdict:
    t, d = (rho(curve(m, "4.2", metric, "alpha", ALPHAS, map="b")) for metric in (T, D))
    return verdict(t >= 0.8 and d >= 0.8, t, d, why="rho of T, D:")


@claim("J7", "Low alpha learns more slowly; beyond 0.5 the coherence no longer gains.", "fig4.7")
def _learning_and_coherence(m: Measured) -> Verdict:
    early = curve(m, "fig4.7", K_QUARTER, "alpha", (0.1, 0.3, 0.5))
    late = curve(m, "fig4.7", K_END, "alpha", (0.5, 0.9))
    holds = rising(early.values()) and abs(late[0.9] - late[0.5]) <= 0.03
    return verdict(holds, *early.values(), *late.values(), why="K at a quarter for 0.1, 0.3, 0.5; at the end for 0.5, 0.9:")


@claim(
    "J8",
    "Where the heuristic is good (maps a, d), a larger visibility radius cuts collisions and leaves N, T, D about"
    " unchanged.",
    "4.3",
    own=True,
)
def _seeing_farther_helps(m: Measured) -> Verdict:
    found = rho(curve(m, "4.3", C, "radius", RADII, map="a"))
    others = [curve(m, "4.3", metric, "radius", RADII, map="a").values() for metric in (N, T, D)]
    shown = [max(numbers) / min(numbers) for numbers in others]
    return verdict(found <= -0.9 and max(shown) <= 1.05, found, *shown, why="rho of C, max/min of N, T, D:")


@claim("J9", "On the congested map (c) a larger radius makes everything worse.", "4.3", mark="neg", own=True)
def _seeing_farther_hurts(m: Measured) -> Verdict:
    found = [rho(curve(m, "4.3", metric, "radius", RADII, map="c")) for metric in ALL]
    return verdict(min(found) >= 0.9, *found, why="rho of N, T, D, C:")


@claim(
    "J10",
    "On maps (b) and (c) time and distance grow with the radius; collisions fall with it on every map but (c).",
    "4.3",
    "4.3-text",
)
def _radius_elsewhere(m: Measured) -> Verdict:
    ends = [curve(m, "4.3-text", metric, "radius", (2, 10), map="b") for metric in (T, D)]
    places = (("4.3", "a"), ("4.3-text", "b"), ("4.3-text", "d"))
    hits = [curve(m, table, C, "radius", (2, 10), map=letter) for table, letter in places]
    shown = [x for pair in (*ends, *hits) for x in pair.values()]
    holds = all(pair[10] > pair[2] for pair in ends) and all(pair[10] < pair[2] for pair in hits)
    return verdict(holds, *shown, why="at radius 2 and 10: T, D on b, C on a, b, d:")


@claim("J11", "Coherence is about independent of the radius, except that r = 2 is ahead early on.", "fig4.8")
def _radius_and_coherence(m: Measured) -> Verdict:
    holds, shown = True, []
    for letter in "ac":  # the figure does not say which of its table's maps it shows
        end = curve(m, "fig4.8", K_END, "radius", RADII, map=letter).values()
        early = curve(m, "fig4.8", K_FIRST, "radius", RADII, map=letter)
        holds &= max(end) - min(end) <= 0.05 and early[2] == max(early.values())
        shown += [max(end) - min(end), early[2], max(early.values())]
    return verdict(holds, *shown, why="spread of K at the end, early K at 2 and at most, on a, c:")


@claim("J12", "More agents make all metrics worse.", "4.4", own=True)
def _more_agents(m: Measured) -> Verdict:
    n, t, d, c = (curve(m, "4.4", metric, "agents", AGENTS, map="d") for metric in ALL)
    holds = all(rising(numbers.values()) for numbers in (n, t, c)) and rho(d) >= 0.9
    return verdict(holds, *(rho(numbers) for numbers in (n, t, d, c)), why="rho of N, T, D, C:")


@claim("J13", "Coherence falls as agents are added.", "fig4.9")
def _more_agents_and_coherence(m: Measured) -> Verdict:
    found = rho(curve(m, "fig4.9", K_MID, "agents", AGENTS))
    return verdict(found <= -0.9, found, why="rho:")


def _three(m: Measured, table: str, letter: str, metric: str) -> tuple[float, float, float]:
    """The numbers of LRA*, DM and WHCA*."""
    found = curve(m, table, metric, "algorithm", ("LRA*", "DM", "WHCA*"), map=letter)
    return found["LRA*"], found["DM"], found["WHCA*"]


def _effort(m: Measured, table: str, letter: str) -> Verdict:
    lra, dm, whca = _three(m, table, letter, N)
    return verdict(lra < dm < whca, lra, dm, whca, why=f"N of LRA*, DM, WHCA* on {letter}:")


def _travel(m: Measured, table: str, letter: str) -> Verdict:
    times, lengths = (_three(m, table, letter, metric) for metric in (T, D))
    holds = falling(times) and falling(lengths)
    return verdict(holds, *times, *lengths, why=f"T and D of LRA*, DM, WHCA* on {letter}:")


def _hits(m: Measured, table: str, letter: str) -> Verdict:
    lra, dm, whca = _three(m, table, letter, C)
    return verdict(whca < dm and lra >= 2 * dm, lra, dm, whca, why=f"C of LRA*, DM, WHCA* on {letter}:")


@claim("J14", "Search effort: LRA* < DM < WHCA*.", "4.5", own=True)
def _order_of_effort(m: Measured) -> Verdict:
    return _effort(m, "4.5", "c")


@claim("J15", "Time and distance: WHCA* < DM < LRA*.", "4.5", own=True)
def _order_of_travel(m: Measured) -> Verdict:
    return _travel(m, "4.5", "c")


@claim("J16", "Collisions: WHCA* < DM < LRA*, LRA* by a wide margin.", "4.5", own=True)
def _order_of_hits(m: Measured) -> Verdict:
    return _hits(m, "4.5", "c")


@claim(
    "J17",
    "Coherence: WHCA* lowest, DM highest for the bulk of the run; LRA* rises near the end.",
    "fig4.10",
)
def _order_of_coherence(m: Measured) -> Verdict:
    lra, dm, whca = _three(m, "fig4.10", "c", K_MID)
    late = one(m, "fig4.10", K_LAST, algorithm="LRA*")
    return verdict(whca < lra < dm and late > lra, whca, lra, dm, late, why="K of WHCA*, LRA*, DM, and LRA* at last:")


@claim("J18", "J14 to J16 carry over to the other maps.", "4.5-text")
def _orders_elsewhere(m: Measured) -> Verdict:
    found = [order(m, "4.5-text", letter) for letter in "abd" for order in (_effort, _travel, _hits)]
    broken = [part.detail for part in found if not part.holds]
    return verdict(not broken, why="; ".join(broken) or "all three orders on a, b, d")


@claim(
    "J19",
    "Weighted A* cuts node expansions, most of all with a DM, where it falls below the DM-less search.",
    "4.6",
    own=True,
)
def _weight_cuts_nodes(m: Measured) -> Verdict:
    lra = curve(m, "4.6", N, "astar_weight", WEIGHTS, uses_dm="no")
    if not falling(list(lra.values())):  # known before there is a DM
        return verdict(False, *lra.values(), why="N of LRA* for weights 1, 2, 4, 6:")
    dm = curve(m, "4.6", N, "astar_weight", WEIGHTS, uses_dm="yes")
    holds = all(dm[w] < 0.5 * dm[1] and dm[w] < lra[w] for w in WEIGHTS[1:])
    return verdict(holds, *lra.values(), *dm.values(), why="N of LRA*, then DM, for weights 1, 2, 4, 6:")


@claim("J20", "With a DM, a heavier A* weight costs time, distance and collisions.", "4.6", mark="neg", own=True)
def _weight_costs_the_rest(m: Measured) -> Verdict:
    t, d, c = (curve(m, "4.6", metric, "astar_weight", WEIGHTS, uses_dm="yes") for metric in (T, D, C))
    holds = all(rising([numbers[w] for w in WEIGHTS[1:]]) for numbers in (t, d, c)) and c[6] >= 1.5 * c[1]
    shown = [x for numbers in (t, d, c) for x in numbers.values()]
    return verdict(holds, *shown, why="T, D, C for weights 1, 2, 4, 6:")


@claim("J21", "Even so, DM with WA* collides less than LRA*.", "4.6", own=True)
def _weighted_dm_collides_less(m: Measured) -> Verdict:
    lra, dm = (curve(m, "4.6", C, "astar_weight", WEIGHTS, uses_dm=uses) for uses in ("no", "yes"))
    holds = all(dm[w] < lra[w] for w in WEIGHTS)
    return verdict(holds, *dm.values(), *lra.values(), why="C of DM, then LRA*, for weights 1, 2, 4, 6:")


@claim(
    "J22",
    "Without a DM the weight changes the other metrics by a few percent only.",
    "4.6",
    mark="overclaim",
    own=False,
)
def _weight_without_dm(m: Measured) -> Verdict:
    by = [curve(m, "4.6", metric, "astar_weight", WEIGHTS, uses_dm="no") for metric in (T, D, C)]
    holds = all(abs(x[w] - x[1]) <= 0.07 * x[1] for x in by for w in WEIGHTS[1:])
    shown = [number for x in by for number in x.values()]
    return verdict(holds, *shown, why="T, D, C of LRA* for weights 1, 2, 4, 6:")


@claim("J23", "WA* raises coherence, more so with more weight.", "fig4.11", "fig4.12")
def _weight_and_coherence(m: Measured) -> Verdict:
    found = [list(curve(m, figure, K_MID, "astar_weight", WEIGHTS).values()) for figure in ("fig4.11", "fig4.12")]
    return verdict(all(k == sorted(k) for k in found), *found[0], *found[1], why="K of LRA*, then DM:")


def _plain_dm(m: Measured, metric: str) -> float:
    """DM on map (c), of which there are two batches; the one that is harder to beat from above."""
    found = [m.value(table, metric, map="c", algorithm="DM") for table in ("4.5", "4.6")]
    known = [number for number in found if number is not None]
    if not known:
        raise Gap(f"not measured: {metric} of DM in 4.5 or 4.6")
    return max(known)


@claim(
    "J24",
    "Abstraction with full refinement: a middle sector size is best and expands fewer nodes than plain DM; a bad size"
    " gains nothing.",
    "4.7",
    "4.6",
    own=True,
)
def _sectors_save_nodes(m: Measured) -> Verdict:
    n = curve(m, "4.7", N, "sector_size", SECTORS, map="c")
    dm = one(m, "4.6", N, map="c", algorithm="DM")
    holds = max(n[8], n[12]) < min(n[4], n[16]) and n[12] < 0.8 * dm and n[16] >= 0.9 * dm
    return verdict(holds, *n.values(), dm, why="N for sectors of 4, 8, 12, 16, and DM:")


@claim(
    "J25",
    "Abstraction with full refinement worsens time, distance and collisions at every sector size.",
    "4.7",
    "4.5",
    "4.6",
    mark="neg",
    own=True,
)
def _sectors_cost_the_rest(m: Measured) -> Verdict:
    least = [min(curve(m, "4.7", metric, "sector_size", SECTORS, map="c").values()) for metric in (T, D, C)]
    dm = [_plain_dm(m, metric) for metric in (T, D, C)]
    holds = all(ours > plain for ours, plain in zip(least, dm, strict=True))
    return verdict(holds, *least, *dm, why="least T, D, C with sectors, and those of DM:")


@claim("J26", "Abstraction lowers coherence; larger sectors lose less.", "fig4.14", "fig4.15", mark="neg")
def _sectors_and_coherence(m: Measured) -> Verdict:
    holds, shown = True, []
    for figure in ("fig4.14", "fig4.15"):
        k = list(curve(m, figure, K_MID, "sector_size", (4, 8, 16)).values()) + [one(m, figure, K_MID, algorithm="DM")]
        holds &= rising(k)
        shown += k
    return verdict(holds, *shown, why="K for sectors of 4, 8, 16, and DM, with full, then partial refinement:")


@claim("J27", "Partial refinement (60 percent cut) beats full refinement.", "4.7", "4.8", own=True)
def _partial_beats_full(m: Measured) -> Verdict:
    lower = 0
    for metric in ALL:
        full, part = (curve(m, table, metric, "sector_size", SECTORS, map="c") for table in ("4.7", "4.8"))
        lower += sum(part[size] < full[size] for size in SECTORS)
    return verdict(lower == 16, why=f"lower in {lower} of 16")


@claim("J28", "With partial refinement sector size 12 is again best.", "4.8", mark="overclaim", own=False)
def _twelve_is_best(m: Measured) -> Verdict:
    curves = [curve(m, "4.8", metric, "sector_size", SECTORS, map="c") for metric in ALL]
    best = [min(numbers, key=lambda size: numbers[size]) for numbers in curves]
    return verdict(all(size == 12 for size in best), *best, why="best sizes for N, T, D, C:")


@claim("J29", "Updating the eight surrounding cells raises coherence with alpha_s.", "fig4.17")
def _surround_and_coherence(m: Measured) -> Verdict:
    k = curve(m, "fig4.17", K_MID, "alpha_s", SURROUND, map="d").values()
    return verdict(rising(k), *k, why="K of DM, 0.3, 0.5, 0.7:")


@claim(
    "J30",
    "It costs nodes, time and distance, growing with alpha_s, and some collisions.",
    "4.9",
    mark="neg",
    own=True,
)
def _surround_costs(m: Measured) -> Verdict:
    n, t, d, c = (list(curve(m, "4.9", metric, "alpha_s", SURROUND, map="d").values()) for metric in ALL)
    holds = rising(n) and rising(t) and rising(d) and min(c[1:]) > c[0]
    return verdict(holds, *n, *t, *d, *c, why="N, T, D, C of DM, 0.3, 0.5, 0.7:")


def _windows(m: Measured, metric: str) -> list[float]:
    """The numbers for windows of 3, 5 and 7, and for plain DM."""
    seen = curve(m, "4.10", metric, "win", LOCAL, map="d").values()
    return [*seen, one(m, "4.10", metric, map="d", algorithm="DM")]


@claim(
    "J31",
    "Seeing the DM only in a window lowers collisions below plain DM, less so as the window grows.",
    "4.10",
    own=True,
)
def _window_spares_collisions(m: Measured) -> Verdict:
    c = _windows(m, C)
    return verdict(rising(c), *c, why="C for windows of 3, 5, 7, and DM:")


@claim("J32", "The window saves nodes unless it is too small.", "4.10", own=True)
def _window_saves_nodes(m: Measured) -> Verdict:
    three, five, seven, dm = n = _windows(m, N)
    return verdict(seven < five < dm and three >= 0.9 * dm, *n, why="N for windows of 3, 5, 7, and DM:")


@claim(
    "J33",
    "The window costs time, distance and coherence, less so as it grows.",
    "4.10",
    "fig4.18",
    mark="neg",
    own=True,
)
def _window_costs_the_rest(m: Measured) -> Verdict:
    t, d = _windows(m, T), _windows(m, D)
    if not (falling(t) and falling(d)):
        return verdict(False, *t, *d, why="T, D for windows of 3, 5, 7, and DM:")
    k = [*curve(m, "fig4.18", K_MID, "win", LOCAL).values(), one(m, "fig4.18", K_MID, algorithm="DM")]
    return verdict(rising(k), *t, *d, *k, why="T, D, K for windows of 3, 5, 7, and DM:")


@claim(
    "J34",
    "Own, locally refreshed DM copies double collisions and add nodes where the heuristic is poor (map b; c alike).",
    "4.11",
    "fig4.19",
    mark="neg",
    own=True,
)
def _copies_hurt(m: Measured) -> Verdict:
    n, c = (list(curve(m, "4.11", metric, "r_local", LOCAL, map="b").values()) for metric in (N, C))
    plain_n, plain_c = (one(m, "4.11", metric, map="b", algorithm="DM") for metric in (N, C))
    shown = (min(n), plain_n, min(c), plain_c)
    if not (min(c) >= 1.5 * plain_c and min(n) > plain_n):
        return verdict(False, *shown, why="least N with copies, N of DM, C the same:")
    k, plain_k = _copies(m, "fig4.19")
    return verdict(max(k) < plain_k, *shown, max(k), plain_k, why="least N with copies, N of DM, C the same, most K, K of DM:")


@claim(
    "J35",
    "On open maps (d; a alike) the local copies cost no more than a few collisions and save nodes, time and distance,"
    " with higher coherence.",
    "4.12",
    "fig4.20",
    own=True,
)
def _copies_help(m: Measured) -> Verdict:
    most = [max(curve(m, "4.12", metric, "r_local", LOCAL, map="d").values()) for metric in ALL]
    plain = [one(m, "4.12", metric, map="d", algorithm="DM") for metric in ALL]
    bounds = (0.6 * plain[0], plain[1], plain[2], 1.15 * plain[3])
    holds = most[0] <= bounds[0] and most[1] < bounds[1] and most[2] < bounds[2] and most[3] <= bounds[3]
    if not holds:
        return verdict(False, *most, *plain, why="most N, T, D, C with copies, and those of DM:")
    k, plain_k = _copies(m, "fig4.20")
    return verdict(min(k) > plain_k, *most, *plain, min(k), plain_k, why="most N, T, D, C with copies, of DM; least K, K of DM:")


def _copies(m: Measured, figure: str) -> tuple[list[float], float]:
    """Coherence with copies refreshed within 3, 5 and 7, and of plain DM."""
    k = list(curve(m, figure, K_MID, "r_local", LOCAL).values())
    return k, one(m, figure, K_MID, algorithm="DM")


@claim("J36", "Lanes form: narrow passages become one-way.", "lanes")
def _lanes(m: Measured) -> Verdict:
    majority, both = (one(m, "lanes", metric, map="c") for metric in ("majority", "both_ways"))
    holds = majority >= 0.8 and both >= 1.0  # in every run some corridors run each way
    return verdict(holds, majority, both, why="least share of the majority, share of runs with corridors each way:")


@claim("J37", "The first loop is worse and the last better than the rest.", "loops")
def _first_and_last_loop(m: Measured) -> Verdict:
    holds, shown = True, []
    for algorithm in ("LRA*", "DM"):
        for letter in "bcd":
            where = {"map": letter, "algorithm": algorithm}
            first, rest, last = (
                one(m, "loops", metric, **where) for metric in ("collisions_first", C, "collisions_last")
            )
            holds &= first > rest > last
            shown += [first, rest, last]
    return verdict(holds, *shown, why="C in the first loop, between, in the last, for LRA* on b, c, d, then DM:")


@claim("J38", "Coherence stays between 0.25 and 0.95 in all experiments.", *FIGURES)
def _range_of_coherence(m: Measured) -> Verdict:
    least = [one(m, figure, K_LEAST, **row) for figure in FIGURES for row in _settings(m, figure)]
    most = [one(m, figure, K_MOST, **row) for figure in FIGURES for row in _settings(m, figure)]
    return verdict(min(least) >= 0.25 and max(most) <= 0.95, min(least), max(most), why="least, most:")


def _settings(m: Measured, figure: str) -> list[dict[str, Any]]:
    """What tells the measured rows of a figure apart."""
    found = m.rows(figure)
    if not found:
        raise Gap(f"not measured: {figure}")
    return [{name: value for name, value in row.items() if not name.startswith("coherence")} for row in found]


@claim("J39", "A learned DM can be followed greedily, one expansion per step.", "greedy")
def _greedy_following(m: Measured) -> Verdict:
    on, expanded = (one(m, "greedy", metric) for metric in ("on_vectors", "expanded_per_step"))
    return verdict(on >= 0.95 and expanded == 1.0, on, expanded, why="share of steps on vectors, expansions per step:")

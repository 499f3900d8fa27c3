"""The claims of Jansen 2008 about direction maps as such, J1 to J18 and J36 to J39: predicates over measured rows."""

from __future__ import annotations

from wayfolk.experiments.papers import Claim, Measured, Verdict, verdict
from wayfolk.experiments.papers.jansen_judges import (
    AGENTS,
    ALL,
    ALPHAS,
    FIGURES,
    K_END,
    K_FIRST,
    K_LAST,
    K_LEAST,
    K_MID,
    K_MOST,
    K_QUARTER,
    RADII,
    W_MAX,
    C,
    D,
    Gap,
    N,
    T,
    book,
    curve,
    falling,
    one,
    rho,
    rising,
    within,
)

BASIC: list[Claim] = []
claim = book(BASIC)


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
    return verdict(holds, *early.values(), *late.values(), why="K early for 0.1, 0.3, 0.5, at the end for 0.5, 0.9:")


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


def _three(m: Measured, table: str, letter: str, metric: str) -> list[float]:
    """The numbers of WHCA*, DM and LRA*."""
    return list(curve(m, table, metric, "algorithm", ("WHCA*", "DM", "LRA*"), map=letter).values())


def _ends(m: Measured, table: str, letter: str, metric: str) -> list[float]:
    """Those of WHCA* and LRA*: out of order, they refute a claim whatever DM does."""
    return list(curve(m, table, metric, "algorithm", ("WHCA*", "LRA*"), map=letter).values())


def _effort(m: Measured, table: str, letter: str) -> Verdict:
    ends = _ends(m, table, letter, N)
    if not falling(ends):
        return verdict(False, *ends, why=f"N of WHCA*, LRA* on {letter}:")
    found = _three(m, table, letter, N)
    return verdict(falling(found), *found, why=f"N of WHCA*, DM, LRA* on {letter}:")


def _travel(m: Measured, table: str, letter: str) -> Verdict:
    for metric in (T, D):
        ends = _ends(m, table, letter, metric)
        if not rising(ends):
            return verdict(False, *ends, why=f"{metric} of WHCA*, LRA* on {letter}:")
    times, lengths = (_three(m, table, letter, metric) for metric in (T, D))
    holds = rising(times) and rising(lengths)
    return verdict(holds, *times, *lengths, why=f"T and D of WHCA*, DM, LRA* on {letter}:")


def _hits(m: Measured, table: str, letter: str) -> Verdict:
    ends = _ends(m, table, letter, C)
    if not rising(ends):
        return verdict(False, *ends, why=f"C of WHCA*, LRA* on {letter}:")
    whca, dm, lra = _three(m, table, letter, C)
    return verdict(whca < dm and lra >= 2 * dm, whca, dm, lra, why=f"C of WHCA*, DM, LRA* on {letter}:")


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
    whca, dm, lra = _three(m, "fig4.10", "c", K_MID)
    late = one(m, "fig4.10", K_LAST, algorithm="LRA*")
    return verdict(whca < lra < dm and late > lra, whca, lra, dm, late, why="K of WHCA*, LRA*, DM, and LRA* at last:")


@claim("J18", "J14 to J16 carry over to the other maps.", "4.5-text")
def _orders_elsewhere(m: Measured) -> Verdict:
    gaps = []
    for letter in "abd":
        for order in (_effort, _travel, _hits):
            try:
                found = order(m, "4.5-text", letter)
            except Gap as gap:
                gaps.append(gap)
                continue
            if not found.holds:
                return found
    if gaps:
        raise gaps[0]
    return verdict(True, why="all three orders on a, b, d")


@claim("J36", "Lanes form: narrow passages become one-way.", "lanes")
def _lanes(m: Measured) -> Verdict:
    majority, both = (one(m, "lanes", metric, map="c") for metric in ("majority", "both_ways"))
    holds = majority >= 0.8 and both >= 1.0  # in every run some corridors run each way
    return verdict(holds, majority, both, why="least share of the majority, share of runs with corridors each way:")


@claim("J37", "The first loop is worse and the last better than the rest.", "loops")
def _first_and_last_loop(m: Measured) -> Verdict:
    for algorithm in ("LRA*", "DM"):
        for letter in "bcd":
            columns = ("collisions_first", C, "collisions_last")
            found = [one(m, "loops", metric, map=letter, algorithm=algorithm) for metric in columns]
            if not falling(found):
                return verdict(
                    False, *found, why=f"C of {algorithm} on {letter} in the first loop, between, in the last:"
                )
    return verdict(True, why="on b, c and d, for LRA* and DM")


@claim("J38", "Coherence stays between 0.25 and 0.95 in all experiments.", *FIGURES)
def _range_of_coherence(m: Measured) -> Verdict:
    least, most = [], []
    for figure in FIGURES:
        rows = m.rows(figure)
        if not rows or any(row.get(name) is None for row in rows for name in (K_LEAST, K_MOST)):
            raise Gap(f"not measured: the range of coherence in {figure}")
        least += [row[K_LEAST] for row in rows]
        most += [row[K_MOST] for row in rows]
    return verdict(min(least) >= 0.25 and max(most) <= 0.95, min(least), max(most), why="least, most:")


@claim("J39", "A learned DM can be followed greedily, one expansion per step.", "greedy")
def _greedy_following(m: Measured) -> Verdict:
    on, expanded = (one(m, "greedy", metric) for metric in ("on_vectors", "expanded_per_step"))
    return verdict(on >= 0.95 and expanded == 1.0, on, expanded, why="share of steps on vectors, expansions per step:")

"""The claims of Jansen 2008 about direction maps as such, J1 to J18 and J36 to J39: predicates over measured rows."""

from __future__ import annotations

from wayfolk.experiments.papers.claims import Claim, Measured, Verdict
from wayfolk.experiments.papers.jansen.judges import (
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
    Runs,
    T,
    alike,
    book,
    climbing,
    curve,
    falling,
    judged,
    largest,
    less,
    levels_off,
    more,
    one,
    ratio,
    rho,
    rising,
    smallest,
    trend,
    within,
)
from wayfolk.experiments.papers.noise import negated

BASIC: list[Claim] = []
claim = book(BASIC)


@claim("J1", "A larger penalty w_max makes the search expand more nodes.", "4.1", own=True)
def _penalty_costs_nodes(m: Measured) -> Verdict:
    n = curve(m, "4.1", N, "w_max", W_MAX, map="b")
    answers = [trend(n, 0.7), more(n[20], n[10]), more(n[10], n[4])]
    return judged(answers, rho(n), n[4], n[10], n[20], why="rho; N at 4, 10, 20:")


@claim("J2", "A larger w_max lowers collisions, with diminishing returns.", "4.1", own=True)
def _penalty_spares_collisions(m: Measured) -> Verdict:
    c = curve(m, "4.1", C, "w_max", W_MAX, map="b")
    answers = [trend(c, -0.9), less(c[20], c[2], 0.75), levels_off(c[2], c[10], c[20])]
    return judged(answers, rho(c), c[2], c[10], c[20], why="rho; C at 2, 10, 20:")


@claim("J3", "Time and distance hardly depend on w_max.", "4.1", own=True)
def _penalty_leaves_time(m: Measured) -> Verdict:
    t, d = (curve(m, "4.1", metric, "w_max", W_MAX, map="b").values() for metric in (T, D))
    return judged([within(t, 1.06), within(d, 1.10)], ratio(t), ratio(d), why="max/min of T, D:")


@claim("J4", "Coherence is insensitive to w_max, rising slightly, then saturating.", "fig4.6")
def _penalty_and_coherence(m: Measured) -> Verdict:
    k = curve(m, "fig4.6", K_MID, "w_max", W_MAX)
    answers = [negated(less(k[20], k[2])), alike(k.values(), 0.1)]
    shown = (k[2], k[20], smallest(k.values()), largest(k.values()))
    return judged(answers, *shown, why="K at 2, 20, least, most:")


@claim("J5", "The learning rate has little effect, except that alpha 0.1 is poor.", "4.2", own=True)
def _slow_learning_is_poor(m: Measured) -> Verdict:
    by = {metric: list(curve(m, "4.2", metric, "alpha", ALPHAS, map="b").values()) for metric in ALL}
    poor = [more(by[metric][0], largest(by[metric][1:])) for metric in (N, C)]
    alike_above = [within(numbers[1:], 1.07) for numbers in by.values()]
    shown = (by[N][0], largest(by[N][1:]), by[C][0], largest(by[C][1:]))
    ratios = [ratio(numbers[1:]) for numbers in by.values()]
    return judged(
        poor + alike_above, *shown, *ratios, why="N at 0.1 and most above, C the same; max/min above of N, T, D, C:"
    )


@claim("J6", "Time and distance creep up with alpha.", "4.2", own=True)
def _learning_and_time(m: Measured) -> Verdict:
    t, d = (curve(m, "4.2", metric, "alpha", ALPHAS, map="b") for metric in (T, D))
    return judged([trend(t, 0.8), trend(d, 0.8)], rho(t), rho(d), why="rho of T, D:")


@claim("J7", "Low alpha learns more slowly; beyond 0.5 the coherence no longer gains.", "fig4.7")
def _learning_and_coherence(m: Measured) -> Verdict:
    early = curve(m, "fig4.7", K_QUARTER, "alpha", (0.1, 0.3, 0.5))
    late = curve(m, "fig4.7", K_END, "alpha", (0.5, 0.9))
    answers = [rising(early.values()), alike(late.values(), 0.03)]
    return judged(answers, *early.values(), *late.values(), why="K early for 0.1, 0.3, 0.5, at the end for 0.5, 0.9:")


@claim(
    "J8",
    "Where the heuristic is good (maps a, d), a larger visibility radius cuts collisions and leaves N, T, D about"
    " unchanged.",
    "4.3",
    own=True,
)
def _seeing_farther_helps(m: Measured) -> Verdict:
    c = curve(m, "4.3", C, "radius", RADII, map="a")
    others = [curve(m, "4.3", metric, "radius", RADII, map="a").values() for metric in (N, T, D)]
    answers = [trend(c, -0.9), *(within(numbers, 1.05) for numbers in others)]
    return judged(answers, rho(c), *map(ratio, others), why="rho of C, max/min of N, T, D:")


@claim("J9", "On the congested map (c) a larger radius makes everything worse.", "4.3", mark="neg", own=True)
def _seeing_farther_hurts(m: Measured) -> Verdict:
    curves = [curve(m, "4.3", metric, "radius", RADII, map="c") for metric in ALL]
    return judged((trend(numbers, 0.9) for numbers in curves), *map(rho, curves), why="rho of N, T, D, C:")


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
    answers = [*(more(pair[10], pair[2]) for pair in ends), *(less(pair[10], pair[2]) for pair in hits)]
    return judged(answers, *shown, why="at radius 2 and 10: T, D on b, C on a, b, d:")


@claim("J11", "Coherence is about independent of the radius, except that r = 2 is ahead early on.", "fig4.8")
def _radius_and_coherence(m: Measured) -> Verdict:
    answers, shown = [], []
    for letter in "ac":  # the figure does not say which of its table's maps it shows
        end = curve(m, "fig4.8", K_END, "radius", RADII, map=letter).values()
        early = curve(m, "fig4.8", K_FIRST, "radius", RADII, map=letter)
        others = largest(early[radius] for radius in RADII[1:])
        answers += [alike(end, 0.05), more(early[2], others)]
        shown += [largest(end).mean - smallest(end).mean, early[2].mean, others.mean]
    return judged(answers, *shown, why="spread of K at the end, early K at 2 and at most above, on a, c:")


@claim("J12", "More agents make all metrics worse.", "4.4", own=True)
def _more_agents(m: Measured) -> Verdict:
    n, t, d, c = (curve(m, "4.4", metric, "agents", AGENTS, map="d") for metric in ALL)
    answers = [*(climbing(numbers) for numbers in (n, t, c)), trend(d, 0.9)]
    return judged(answers, *(rho(numbers) for numbers in (n, t, d, c)), why="rho of N, T, D, C:")


@claim("J13", "Coherence falls as agents are added.", "fig4.9")
def _more_agents_and_coherence(m: Measured) -> Verdict:
    k = curve(m, "fig4.9", K_MID, "agents", AGENTS)
    return judged([trend(k, -0.9)], rho(k), k[20], k[160], why="rho; K for 20 and 160 agents:")


def _three(m: Measured, table: str, letter: str, metric: str) -> list[Runs]:
    """The numbers of WHCA*, DM and LRA*."""
    return list(curve(m, table, metric, "algorithm", ("WHCA*", "DM", "LRA*"), map=letter).values())


def _effort(m: Measured, table: str, letter: str) -> Verdict:
    nodes = _three(m, table, letter, N)
    return judged([falling(nodes)], *nodes, why=f"N of WHCA*, DM, LRA* on {letter}:")


def _travel(m: Measured, table: str, letter: str) -> Verdict:
    times, lengths = (_three(m, table, letter, metric) for metric in (T, D))
    return judged([rising(times), rising(lengths)], *times, *lengths, why=f"T and D of WHCA*, DM, LRA* on {letter}:")


def _hits(m: Measured, table: str, letter: str) -> Verdict:
    whca, dm, lra = _three(m, table, letter, C)
    return judged([less(whca, dm), more(lra, dm, 2.0)], whca, dm, lra, why=f"C of WHCA*, DM, LRA* on {letter}:")


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
    answers = [less(whca, lra), less(lra, dm), more(late, lra)]
    return judged(answers, whca, lra, dm, late, why="K of WHCA*, LRA*, DM, and LRA* at last:")


@claim("J18", "J14 to J16 carry over to the other maps.", "4.5-text")
def _orders_elsewhere(m: Measured) -> Verdict:
    outcomes = [order(m, "4.5-text", letter) for letter in "abd" for order in (_effort, _travel, _hits)]
    wrong = [outcome for outcome in outcomes if not outcome.holds]
    if not wrong:
        return Verdict(True, "all three orders on a, b, d")
    fails = [outcome for outcome in wrong if outcome.holds is False]
    holds, shown = (False, fails) if fails else (None, wrong)
    return Verdict(holds, "; ".join(outcome.detail for outcome in shown), is_undecided=holds is None)


@claim("J36", "Lanes form: narrow passages become one-way.", "lanes")
def _lanes(m: Measured) -> Verdict:
    majority, both = (one(m, "lanes", metric, map="c") for metric in ("majority", "both_ways"))
    shares = [one(m, "lanes", name, map="c") for name in ("upper", "middle", "lower")]
    answers = [negated(less(majority, Runs(0.8, [0.8] * len(majority.each)))), both.mean >= 1.0]
    why = "mean of the least majority, share of runs with corridors each way; majority in the upper, middle, lower one:"
    return judged(answers, majority, both, *shares, why=why)


@claim("J37", "The first loop is worse and the last better than the rest.", "loops")
def _first_and_last_loop(m: Measured) -> Verdict:
    outcomes = []
    for algorithm in ("LRA*", "DM"):
        for letter in "bcd":
            columns = ("collisions_first", C, "collisions_last")
            collisions = [one(m, "loops", metric, map=letter, algorithm=algorithm) for metric in columns]
            why = f"C of {algorithm} on {letter} in the first loop, between, in the last:"
            outcomes.append(judged([falling(collisions)], *collisions, why=why))
    wrong = sorted((outcome for outcome in outcomes if not outcome.holds), key=lambda outcome: outcome.holds is None)
    return wrong[0] if wrong else Verdict(True, "on b, c and d, for LRA* and DM")


@claim("J38", "Coherence stays between 0.25 and 0.95 in all experiments.", *FIGURES)
def _range_of_coherence(m: Measured) -> Verdict:
    least, most = [], []
    for figure in FIGURES:
        rows = m.rows(figure)
        if not rows or any(row.get(name) is None for row in rows for name in (K_LEAST, K_MOST)):
            raise Gap(f"not measured: the range of coherence in {figure}")
        least += [row[K_LEAST] for row in rows]
        most += [row[K_MOST] for row in rows]
    return judged([min(least) >= 0.25 and max(most) <= 0.95], min(least), max(most), why="least, most:")


@claim("J39", "A learned DM can be followed greedily, one expansion per step.", "greedy")
def _greedy_following(m: Measured) -> Verdict:
    on, expanded = (one(m, "greedy", metric) for metric in ("on_vectors", "expanded_per_step"))
    answers = [on.mean >= 0.95, expanded.mean == 1.0]
    return judged(answers, on, expanded, why="share of steps on vectors, expansions per step:")

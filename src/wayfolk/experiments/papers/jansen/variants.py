"""The claims of Jansen 2008 about variants, J19 to J35: weighted A*, sectors, wider updates, windows, own copies."""

from __future__ import annotations

from wayfolk.experiments.papers.claims import Claim, Measured, Verdict
from wayfolk.experiments.papers.jansen.judges import (
    ALL,
    K_MID,
    LOCAL,
    SECTORS,
    SURROUND,
    WEIGHTS,
    C,
    D,
    N,
    Runs,
    T,
    book,
    curve,
    falling,
    judged,
    largest,
    less,
    more,
    one,
    rising,
    smallest,
    steady,
)
from wayfolk.experiments.papers.noise import negated, told

VARIANTS: list[Claim] = []
claim = book(VARIANTS)


@claim(
    "J19",
    "Weighted A* cuts node expansions, most of all with a DM, where it falls below the DM-less search.",
    "4.6",
    own=True,
)
def _weight_cuts_nodes(m: Measured) -> Verdict:
    lra, dm = (curve(m, "4.6", N, "astar_weight", WEIGHTS, uses_dm=uses) for uses in ("no", "yes"))
    answers = [falling(lra.values())]
    for weight in WEIGHTS[1:]:
        answers += [less(dm[weight], dm[1], 0.5), less(dm[weight], lra[weight])]
    return judged(answers, *lra.values(), *dm.values(), why="N of LRA*, then DM, for weights 1, 2, 4, 6:")


@claim("J20", "With a DM, a heavier A* weight costs time, distance and collisions.", "4.6", mark="neg", own=True)
def _weight_costs_the_rest(m: Measured) -> Verdict:
    t, d, c = (curve(m, "4.6", metric, "astar_weight", WEIGHTS, uses_dm="yes") for metric in (T, D, C))
    answers = [rising([numbers[weight] for weight in WEIGHTS[1:]]) for numbers in (t, d, c)]
    shown = [runs for numbers in (t, d, c) for runs in numbers.values()]
    return judged([*answers, more(c[6], c[1], 1.5)], *shown, why="T, D, C for weights 1, 2, 4, 6:")


@claim("J21", "Even so, DM with WA* collides less than LRA*.", "4.6", own=True)
def _weighted_dm_collides_less(m: Measured) -> Verdict:
    lra, dm = (curve(m, "4.6", C, "astar_weight", WEIGHTS, uses_dm=uses) for uses in ("no", "yes"))
    answers = (less(dm[weight], lra[weight]) for weight in WEIGHTS)
    return judged(answers, *dm.values(), *lra.values(), why="C of DM, then LRA*, for weights 1, 2, 4, 6:")


@claim(
    "J22",
    "Without a DM the weight changes the other metrics by a few percent only.",
    "4.6",
    mark="overclaim",
    own=False,
)
def _weight_without_dm(m: Measured) -> Verdict:
    by = [curve(m, "4.6", metric, "astar_weight", WEIGHTS, uses_dm="no") for metric in (T, D, C)]
    answers = []
    for numbers in by:
        for weight in WEIGHTS[1:]:
            answers += [
                negated(more(numbers[weight], numbers[1], 1.07)),
                negated(less(numbers[weight], numbers[1], 0.93)),
            ]
    shown = [runs for numbers in by for runs in numbers.values()]
    return judged(answers, *shown, why="T, D, C of LRA* for weights 1, 2, 4, 6:")


@claim("J23", "WA* raises coherence, more so with more weight.", "fig4.11", "fig4.12")
def _weight_and_coherence(m: Measured) -> Verdict:
    without, with_dm = (curve(m, figure, K_MID, "astar_weight", WEIGHTS) for figure in ("fig4.11", "fig4.12"))
    shown = (*without.values(), *with_dm.values())
    return judged([steady(without), steady(with_dm)], *shown, why="K of LRA*, then DM, for weights 1, 2, 4, 6:")


def _plain_dm(m: Measured, metric: str) -> Runs:
    """The numbers of DM on map (c)."""
    return one(m, "4.6", metric, map="c", algorithm="DM")


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
    dm = _plain_dm(m, N)
    middle, ends = largest([n[8], n[12]]), smallest([n[4], n[16]])
    answers = [less(middle, ends), less(n[12], dm, 0.8), negated(less(n[16], dm, 0.9))]
    return judged(answers, *n.values(), dm, why="N for sectors of 4, 8, 12, 16, and DM:")


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
    least = [smallest(curve(m, "4.7", metric, "sector_size", SECTORS, map="c").values()) for metric in (T, D, C)]
    dm = [_plain_dm(m, metric) for metric in (T, D, C)]
    answers = (more(ours, plain) for ours, plain in zip(least, dm, strict=True))
    return judged(answers, *least, *dm, why="least T, D, C with sectors, and those of DM:")


@claim("J26", "Abstraction lowers coherence; larger sectors lose less.", "fig4.14", "fig4.15", mark="neg")
def _sectors_and_coherence(m: Measured) -> Verdict:
    answers, shown = [], []
    for figure in ("fig4.14", "fig4.15"):
        k = [*curve(m, figure, K_MID, "sector_size", (4, 8, 16)).values(), one(m, figure, K_MID, algorithm="DM")]
        answers.append(rising(k))
        shown += k
    return judged(answers, *shown, why="K for sectors of 4, 8, 16, and DM, with full, then partial refinement:")


@claim("J27", "Partial refinement (60 percent cut) beats full refinement.", "4.7", "4.8", own=True)
def _partial_beats_full(m: Measured) -> Verdict:
    answers = []
    for metric in ALL:
        full, part = (curve(m, table, metric, "sector_size", SECTORS, map="c") for table in ("4.7", "4.8"))
        answers += [less(part[size], full[size]) for size in SECTORS]
    return judged(answers, why=f"lower in {told(answers)}")


@claim("J28", "With partial refinement sector size 12 is again best.", "4.8", mark="overclaim", own=False)
def _twelve_is_best(m: Measured) -> Verdict:
    curves = [curve(m, "4.8", metric, "sector_size", SECTORS, map="c") for metric in ALL]
    best = [min(numbers, key=lambda size: numbers[size].mean) for numbers in curves]
    answers = [less(numbers[12], smallest(runs for size, runs in numbers.items() if size != 12)) for numbers in curves]
    return judged(answers, *best, why="best sizes for N, T, D, C:")


@claim("J29", "Updating the eight surrounding cells raises coherence with alpha_s.", "fig4.17")
def _surround_and_coherence(m: Measured) -> Verdict:
    k = list(curve(m, "fig4.17", K_MID, "alpha_s", SURROUND, map="d").values())
    return judged([rising(k)], *k, why="K of DM, 0.3, 0.5, 0.7:")


@claim(
    "J30",
    "It costs nodes, time and distance, growing with alpha_s, and some collisions.",
    "4.9",
    mark="neg",
    own=True,
)
def _surround_costs(m: Measured) -> Verdict:
    n, t, d, c = (list(curve(m, "4.9", metric, "alpha_s", SURROUND, map="d").values()) for metric in ALL)
    answers = [rising(n), rising(t), rising(d), more(smallest(c[1:]), c[0])]
    return judged(answers, *n, *t, *d, *c, why="N, T, D, C of DM, 0.3, 0.5, 0.7:")


def _windows(m: Measured, metric: str) -> list[Runs]:
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
    return judged([rising(c)], *c, why="C for windows of 3, 5, 7, and DM:")


@claim("J32", "The window saves nodes unless it is too small.", "4.10", own=True)
def _window_saves_nodes(m: Measured) -> Verdict:
    three, five, seven, dm = n = _windows(m, N)
    return judged(
        [rising([seven, five, dm]), negated(less(three, dm, 0.9))], *n, why="N for windows of 3, 5, 7, and DM:"
    )


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
    k = [*curve(m, "fig4.18", K_MID, "win", LOCAL).values(), one(m, "fig4.18", K_MID, algorithm="DM")]
    return judged([falling(t), falling(d), rising(k)], *t, *d, *k, why="T, D, K for windows of 3, 5, 7, and DM:")


@claim(
    "J34",
    "Own, locally refreshed DM copies double collisions and add nodes where the heuristic is poor (map b; c alike).",
    "4.11",
    "fig4.19",
    mark="neg",
    own=True,
)
def _copies_hurt(m: Measured) -> Verdict:
    n, c = (smallest(curve(m, "4.11", metric, "r_local", LOCAL, map="b").values()) for metric in (N, C))
    plain_n, plain_c = (one(m, "4.11", metric, map="b", algorithm="DM") for metric in (N, C))
    k, plain_k = _copies(m, "fig4.19")
    answers = [more(c, plain_c, 1.5), more(n, plain_n), less(largest(k), plain_k)]
    shown = (n, plain_n, c, plain_c, largest(k), plain_k)
    return judged(answers, *shown, why="least N with copies, N of DM, C the same; most K, DM:")


@claim(
    "J35",
    "On open maps (d; a alike) the local copies cost no more than a few collisions and save nodes, time and distance,"
    " with higher coherence.",
    "4.12",
    "fig4.20",
    own=True,
)
def _copies_help(m: Measured) -> Verdict:
    n, t, d, c = most = [largest(curve(m, "4.12", metric, "r_local", LOCAL, map="d").values()) for metric in ALL]
    plain = [one(m, "4.12", metric, map="d", algorithm="DM") for metric in ALL]
    k, plain_k = _copies(m, "fig4.20")
    answers = [
        negated(more(n, plain[0], 0.6)),
        less(t, plain[1]),
        less(d, plain[2]),
        negated(more(c, plain[3], 1.15)),
        more(smallest(k), plain_k),
    ]
    return judged(answers, *most, *plain, smallest(k), plain_k, why="most N, T, D, C with copies, DM; least K, DM:")


def _copies(m: Measured, figure: str) -> tuple[list[Runs], Runs]:
    """Coherence with copies refreshed within 3, 5 and 7, and of plain DM."""
    k = list(curve(m, figure, K_MID, "r_local", LOCAL).values())
    return k, one(m, figure, K_MID, algorithm="DM")

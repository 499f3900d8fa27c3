"""The claims of Jansen 2008 about variants, J19 to J35: weighted A*, sectors, wider updates, windows, own copies."""

from __future__ import annotations

from wayfolk.experiments.papers import Claim, Measured, Verdict, verdict
from wayfolk.experiments.papers.jansen_judges import (
    ALL,
    K_MID,
    LOCAL,
    SECTORS,
    SURROUND,
    WEIGHTS,
    C,
    D,
    Gap,
    N,
    T,
    book,
    curve,
    falling,
    one,
    rising,
)

VARIANTS: list[Claim] = []
claim = book(VARIANTS)


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
        k = [*curve(m, figure, K_MID, "sector_size", (4, 8, 16)).values(), one(m, figure, K_MID, algorithm="DM")]
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
    return verdict(
        max(k) < plain_k, *shown, max(k), plain_k, why="least N with copies, N of DM, C the same; most K, DM:"
    )


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
    return verdict(
        min(k) > plain_k, *most, *plain, min(k), plain_k, why="most N, T, D, C with copies, DM; least K, DM:"
    )


def _copies(m: Measured, figure: str) -> tuple[list[float], float]:
    """Coherence with copies refreshed within 3, 5 and 7, and of plain DM."""
    k = list(curve(m, figure, K_MID, "r_local", LOCAL).values())
    return k, one(m, figure, K_MID, algorithm="DM")

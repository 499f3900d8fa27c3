"""The claims of the thesis on SDP with Cooperative JPS, S1 to S14, as predicates over measured rows.

"At all counts" is at every number of units that was measured for both searches; each map of a claim must have one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from wayfolk.experiments.papers import Claim, Measured, Verdict, printed, rank_correlation, verdict

CA, CJ = "SDP+CA*", "SDP+CJPS"
LENGTH, TIME, FAILS = "makespan_pathlength", "solution_time_s", "failed_units"
NUMBERS = {
    "orz704d": "1",
    "den204d": "2",
    "den401d": "3",
    "den505d": "4",
    "isound1": "app-1",
    "den405d": "app-2",
    "orz601d": "app-3",
    "hrt201d": "app-4",
}
BODY = tuple(NUMBERS)[:4]
AREAS = {  # high contention areas by the text, and free cells; the text gives den204d 15788 of them
    "orz704d": (0, 2097),
    "den204d": (1, 2855),
    "isound1": (2, 2976),
    "den405d": (3, 925),
    "orz601d": (6, 1890),
    "den401d": (11, 11456),
    "hrt201d": (15, 23572),
    "den505d": (20, 30236),
}
LARGE = 10_000  # cells, above which JPS is to be three times as fast
QUOTED = {"orz704d": 59.2, "den204d": 59.2, "den401d": 15.57, "den505d": 22.61}  # makespan gains, in percent
GROWING = ("den204d", "den505d", "isound1", "den405d", "orz601d")
Pairs = dict[int, tuple[float, float]]


def _both(measured: Measured, name: str, metric: str) -> Pairs:
    """(CA, CJ) by units, where both were measured."""
    table = f"{NUMBERS[name]}{'b' if metric == FAILS else 'a'}"
    ca, cj = (measured.values(table, metric, "units", map=name, algorithm=search) for search in (CA, CJ))
    return {units: (ca[units], cj[units]) for units in ca if units in cj}


def _maps(measured: Measured, metric: str, names: Iterable[str] = NUMBERS) -> dict[str, Pairs] | None:
    """The same for several maps, None if one of them has nothing."""
    found = {name: _both(measured, name, metric) for name in names}
    return found if all(found.values()) else None


def _gain(pairs: Pairs) -> float:
    """How much more CA takes than CJ, summed over rows, in percent: what the document calls a decrease."""
    mine = sum(cj for _, cj in pairs.values())
    return 100.0 * (sum(ca for ca, _ in pairs.values()) / mine - 1.0) if mine else 0.0


def _gains(measured: Measured, metric: str, names: Iterable[str] = NUMBERS) -> dict[str, float] | None:
    found = _maps(measured, metric, names)
    return None if found is None else {name: _gain(pairs) for name, pairs in found.items()}


def _told(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name} {number:.4g}" for name, number in numbers.items())


def _everywhere_less(measured: Measured, metric: str) -> Verdict:
    """Whether CJ is below CA at all counts on all maps."""
    found = _maps(measured, metric)
    if found is None:
        return verdict(None)
    less = {name: [cj < ca for ca, cj in pairs.values()] for name, pairs in found.items()}
    told = ", ".join(f"{name} {sum(rows)} of {len(rows)}" for name, rows in less.items())
    n, total = sum(map(sum, less.values())), sum(map(len, less.values()))
    return verdict(n == total, why=f"CJ is lower in {n} of {total} rows: {told}")


def _quoted_gains(measured: Measured) -> Verdict:
    gains = _gains(measured, LENGTH, BODY)
    if gains is None:
        return verdict(None)
    return verdict(all(abs(gains[name] - QUOTED[name]) <= 10 for name in BODY), why=f"gains in percent: {_told(gains)}")


def _time_gains(measured: Measured) -> Verdict:
    gains = _gains(measured, TIME, BODY)
    if gains is None:
        return verdict(None)
    holds = min(gains.values()) > 20 and max(gains, key=gains.__getitem__) == "den204d"
    return verdict(holds, why=f"gains in percent: {_told(gains)}")


def _overtakes(measured: Measured) -> Verdict:
    pairs = _both(measured, "den505d", TIME)
    crossings = [units for units in pairs if 100 <= units <= 240]
    if not crossings:
        return verdict(None)
    for crossing in crossings:
        if all(cj > ca if units < crossing else cj < ca for units, (ca, cj) in pairs.items()):
            return verdict(True, crossing, why="CJ is slower with fewer, and faster from here on:")
    slower = [str(units) for units, (ca, cj) in pairs.items() if cj > ca]
    return verdict(False, why=f"CJ is slower with {', '.join(slower) or 'no number of'} units")


def _fails_less(measured: Measured) -> Verdict:
    found = _maps(measured, FAILS)
    if found is None:
        return verdict(None)
    sums = {name: tuple(map(sum, zip(*pairs.values(), strict=True))) for name, pairs in found.items()}
    told = ", ".join(f"{name} {ca:g} and {cj:g}" for name, (ca, cj) in sums.items())
    return verdict(all(cj < ca for ca, cj in sums.values()), why=f"fails of CA and CJ: {told}")


def _fails_less_at_most(measured: Measured) -> Verdict:
    last = {}
    for name in NUMBERS:
        if name == "den401d":
            continue
        pairs, most = _both(measured, name, FAILS), max(row["units"] for row in printed(f"sdp-{NUMBERS[name]}b"))
        if most not in pairs:
            return verdict(None)
        last[name] = pairs[most]
    told = ", ".join(f"{name} {ca:g} and {cj:g}" for name, (ca, cj) in last.items())
    return verdict(all(cj <= ca for ca, cj in last.values()), why=f"fails of CA and CJ: {told}")


def _fails_more_in_hallways(measured: Measured) -> Verdict:
    pairs = _both(measured, "den401d", FAILS)
    if not pairs:
        return verdict(None)
    n = sum(cj > ca for ca, cj in pairs.values())
    return verdict(n == len(pairs), why=f"CJ fails more in {n} of {len(pairs)} rows")


def _gain_shrinks(measured: Measured) -> Verdict:
    rhos = []
    for metric in (LENGTH, TIME):
        gains = _gains(measured, metric)
        rho = None if gains is None else rank_correlation([(AREAS[name][0], gain) for name, gain in gains.items()])
        if rho is None:
            return verdict(None)
        rhos.append(rho)
    return verdict(max(rhos) < 0, *rhos, why="rank correlations with the gains in makespan and in time:")


def _jps_is_cheaper(measured: Measured) -> Verdict:
    n, opened, fastest = 0, [], []
    for name in NUMBERS:
        plain, jumping = (
            [measured.value("jps", what, map=name, algorithm=a) for what in ("cost", "wrong_cost", "opened", TIME)]
            for a in ("A*", "JPS")
        )
        if None in plain or None in jumping:
            return verdict(None)
        (cost, wrong, nodes, seconds), (cost_j, wrong_j, nodes_j, seconds_j) = plain, jumping
        n += not wrong and not wrong_j and abs(cost - cost_j) <= 1e-6 * cost  # type: ignore[operator]
        opened.append(nodes_j / nodes)  # type: ignore[operator]
        if AREAS[name][1] > LARGE:
            fastest.append(seconds / seconds_j)  # type: ignore[operator]
    holds = n == len(NUMBERS) and max(opened) <= 0.3 and min(fastest) >= 3
    told = f"equal costs on {n} of {len(NUMBERS)} maps; largest share of opened nodes, smallest speed-up if large:"
    return verdict(holds, max(opened), min(fastest), why=told)


def _sideways_helps(measured: Measured) -> Verdict:
    good = []
    for row in measured.rows("sideways", sideways="yes"):
        where = {"map": row["map"], "units": row["units"]}
        pairs = [
            tuple(measured.value("sideways", what, sideways=given, **where) for given in ("yes", "no"))
            for what in (LENGTH, TIME, FAILS)
        ]
        if not any(None in pair for pair in pairs):
            good.append(all(mine <= other for mine, other in pairs))  # type: ignore[operator]
    if not good:
        return verdict(None)
    return verdict(2 * sum(good) > len(good), why=f"none of the three is higher in {sum(good)} of {len(good)} rows")


def _moves_explain(measured: Measured) -> Verdict:
    """Gains of the printed size are those not more than 10 points below the printed ones, as in S2."""
    alike, rows, mixed_maps, same_maps = 0, 0, 0, 0
    for name in NUMBERS:
        four, eight, jumping = (
            measured.values("moves", LENGTH, "units", map=name, algorithm=search, moves=moves)
            for search, moves in ((CA, "four"), (CA, "eight"), (CJ, "eight"))
        )
        counts = [units for units in four if units in eight and units in jumping]
        if not counts:
            return verdict(None)
        rows += len(counts)
        alike += sum(abs(eight[units] / jumping[units] - 1) <= 0.1 for units in counts)
        size = _printed_gain(name) - 10
        mixed_maps += _gain({units: (four[units], jumping[units]) for units in counts}) >= size
        same_maps += _gain({units: (eight[units], jumping[units]) for units in counts}) >= size
    holds = 2 * alike > rows and 2 * mixed_maps > len(NUMBERS) and same_maps == 0
    told = f"gains of the printed size on {mixed_maps} maps with mixed moves, on {same_maps} with the same"
    return verdict(holds, why=f"alike with the same moves in {alike} of {rows} rows; {told}")


@cache
def _printed_gain(name: str) -> float:
    rows = {f"{NUMBERS[name]}a": printed(f"sdp-{NUMBERS[name]}a")}
    return _gain(_both(Measured(rows), name, LENGTH))


def _never_falls(measured: Measured) -> Verdict:
    falls, steps = [], 0
    for name in ("orz704d", "hrt201d"):
        for search in (CA, CJ):
            curve = measured.values("nested", "makespan", "units", map=name, algorithm=search)
            if len(curve) < 2:
                return verdict(None)
            units = list(curve)
            steps += len(units) - 1
            falls += [f"{name} {search} at {b}" for a, b in pairwise(units) if curve[b] < curve[a]]
    return verdict(not falls, why=f"falls in {len(falls)} of {steps} steps{': ' if falls else ''}{', '.join(falls)}")


def _fails_grow(measured: Measured) -> Verdict:
    rhos = {}
    for name in GROWING:
        for search in (CA, CJ):
            curve = measured.values(f"{NUMBERS[name]}b", FAILS, "units", map=name, algorithm=search)
            rho = rank_correlation(list(curve.items()))
            if rho is None:
                return verdict(None)
            rhos[f"{name} {search}"] = rho
    return verdict(all(rho >= 0.8 for rho in rhos.values()), why=f"rank correlations: {_told(rhos)}")


_A = tuple(f"{number}a" for number in NUMBERS.values())
_B = tuple(f"{number}b" for number in NUMBERS.values())

CLAIMS = [
    Claim(
        "S1", "Cooperative JPS has the smaller makespan.", _A, lambda found: _everywhere_less(found, LENGTH), own=True
    ),
    Claim(
        "S2",
        "Its makespan gain is 59.2, 59.2, 15.57 and 22.61 percent on the four body maps.",
        _A[:4],
        _quoted_gains,
        own=True,
    ),
    Claim(
        "S3",
        "Its gain in solution time on the body maps is 33, 117.12, 75.49 and about 30 percent.",
        _A[:4],
        _time_gains,
        own=True,
    ),
    Claim(
        "S4",
        "Cooperative JPS is faster throughout.",
        _A,
        lambda found: _everywhere_less(found, TIME),
        "overclaim",
        False,
    ),
    Claim(
        "S5",
        "With many high contention areas and few units it is slower, and overtakes later.",
        ("4a",),
        _overtakes,
        "neg",
        True,
    ),
    Claim("S6", "Cooperative JPS fails less often.", _B, _fails_less, "overclaim", False),
    Claim(
        "S7",
        "Its failures stabilise: at the highest count it fails less, except on den401d.",
        _B,
        _fails_less_at_most,
        own=True,
    ),
    Claim("S8", "On den401d, with its long hallways, it fails more.", ("3b",), _fails_more_in_hallways, "neg", True),
    Claim("S9", "The gain shrinks as high contention areas increase.", _A, _gain_shrinks, own=True),
    Claim("S10", "JPS finds the same path costs as A* with far fewer expansions.", ("jps",), _jps_is_cheaper),
    Claim("S11", "Preferring a side-way step to a wait helps.", ("sideways",), _sideways_helps),
    Claim("S12", "The makespan gain may come from 8-way against 4-way moves.", ("moves",), _moves_explain, "ours"),
    Claim(
        "S13",
        "Failed units seem to be left out of the makespan: with them it never falls.",
        ("nested",),
        _never_falls,
        "ours",
    ),
    Claim(
        "S14",
        "Fails grow with the number of units.",
        tuple(f"{NUMBERS[name]}b" for name in GROWING),
        _fails_grow,
        own=True,
    ),
]

"""The claims of the thesis on Salient Search, V1 to V30; their predicates are in `judges`."""

from __future__ import annotations

from collections.abc import Callable

from wayfolk.experiments.papers.claims import Claim, Measured, Verdict
from wayfolk.experiments.papers.noise import above, below
from wayfolk.experiments.papers.vermette.judges import (
    BACK,
    EXP,
    HARD_BACK,
    HARD_TURNS,
    LARGE,
    LIMITS,
    SALIENT,
    SMALL,
    SUB,
    TURNS,
    against_tba,
    better_in_all,
    bounded,
    good_solutions,
    harder_paths,
    harder_turns_less,
    long_ones_rare,
    marginally_better,
    octile_misjudges,
    penalty_shrinks,
    rising_with_share,
    same_on_cardinal,
    small_loss,
    steeply,
    straighter,
    stubborn,
    tally,
    tie_breaking_lower,
    turns_in_pairs,
)
from wayfolk.experiments.papers.vermette.order import same_order
from wayfolk.experiments.papers.vermette.variance import analysis

_MATTER = {"ns_pct": 0.05, "R": 0.05, "strategy": 0.05}  # the level at which a factor matters
_JUDGES: dict[str, Callable[[Measured], Verdict]] = {
    "V3": lambda measured: straighter(measured, SUB, EXP),
    "V4": lambda measured: tally(against_tba(measured, SUB, above, SMALL), "SS walks further"),
    "V6": marginally_better,
    "V7": lambda measured: tally(rising_with_share(measured, SUB), "the ratio rises with N_S"),
    "V8": lambda measured: tally(against_tba(measured, EXP, below, LARGE), "SS expands less"),
    "V9": lambda measured: tally(against_tba(measured, EXP, above, SMALL), "SS expands more"),
    "V10": lambda measured: tally(against_tba(measured, BACK, above, SMALL), "SS goes back more"),
    "V11": lambda measured: tally(rising_with_share(measured, BACK), "backward steps rise with N_S"),
    "V13": analysis(BACK, _MATTER, ("ns_pct:strategy",)),
    "V14": lambda measured: tally(tie_breaking_lower(measured, TURNS), "TB turns less than AD", 13),
    "V15": lambda measured: tally(against_tba(measured, TURNS, below, (25, 50)), "SS turns less"),
    "V16": lambda measured: tally(against_tba(measured, TURNS, above, SMALL, SALIENT[:3]), "AD turns more"),
    "V17": analysis(TURNS, _MATTER, ()),
    "V20": lambda measured: tally(against_tba(measured, HARD_TURNS, below, LIMITS), "SS turns less", 16),
    "V21": analysis(
        HARD_BACK,
        {"R": 0.001},
        ("ns_pct", "strategy", "ns_pct:R", "ns_pct:strategy", "R:strategy", "ns_pct:R:strategy"),
    ),
    "V22": analysis(HARD_TURNS, {"strategy": 0.001, "R": 0.001}, ("ns_pct",)),
}

CLAIMS = [
    Claim("V1", "Salient Search still returns good solution paths.", ("quality",), good_solutions, own=True),
    Claim(
        "V2",
        "Paths more than 10 percent too long are rare and come from large R and large N_S.",
        ("quality",),
        long_ones_rare,
        own=True,
    ),
    Claim(
        "V3",
        "More planning per step means straighter travel, for both algorithms.",
        ("4.2", "4.3"),
        _JUDGES["V3"],
        own=True,
    ),
    Claim(
        "V4",
        "With small planning slices Salient Search does not beat TBA* on travel ratio.",
        ("4.2", "4.3"),
        _JUDGES["V4"],
        "neg",
        True,
    ),
    Claim("V5", "The loss is within a few percent and vanishes with R.", ("4.2", "4.3"), small_loss, own=True),
    Claim(
        "V6", "At R = 1000 Salient Search is marginally better, maybe noise.", ("4.2", "4.3"), _JUDGES["V6"], own=True
    ),
    Claim("V7", "More salient expansion makes travel worse.", ("4.3",), _JUDGES["V7"], "neg", True),
    Claim(
        "V8",
        "From R = 500 on, Salient Search needs fewer expansions per move than TBA*.",
        ("4.2", "4.3"),
        _JUDGES["V8"],
        own=True,
    ),
    Claim(
        "V9",
        "At small R every setting needs more expansions per move.",
        ("4.2", "4.3"),
        _JUDGES["V9"],
        "overclaim",
        False,
    ),
    Claim("V10", "Salient Search takes more backward steps than TBA*.", ("4.4",), _JUDGES["V10"], "neg", True),
    Claim("V11", "Backward steps grow with N_S.", ("4.4",), _JUDGES["V11"], "neg", True),
    Claim("V12", "Backward steps and turns fall steeply with R.", ("4.4", "4.6"), steeply, own=True),
    Claim(
        "V13",
        "N_S, R and strategy all matter for backward steps; N_S and strategy do not interact.",
        ("4.4", "4.5"),
        _JUDGES["V13"],
        own=True,
    ),
    Claim("V14", "The tie-breaking strategy turns less than agent-distance.", ("4.6",), _JUDGES["V14"], own=True),
    Claim(
        "V15",
        "For small planning slices Salient Search turns less than TBA*.",
        ("4.6",),
        _JUDGES["V15"],
        "overclaim",
        False,
    ),
    Claim("V16", "The agent-distance strategy has a slight negative effect.", ("4.6",), _JUDGES["V16"], "neg", True),
    Claim("V17", "All three parameters matter for turns.", ("4.6", "4.7"), _JUDGES["V17"], own=True),
    Claim("V18", "Stubbornness: fewer turns but longer retreats.", ("4.4", "4.6"), stubborn, own=True),
    Claim(
        "V19",
        "On harder maps TB clearly turns less than TBA*, and by more than on the full set.",
        ("4.6", "4.10"),
        harder_turns_less,
        own=True,
    ),
    Claim(
        "V20",
        "On harder maps Salient Search turns less for the majority of test cases.",
        ("4.10",),
        _JUDGES["V20"],
        own=True,
    ),
    Claim("V21", "On harder maps only R drives backward steps.", ("4.8", "4.9"), _JUDGES["V21"], "neg", True),
    Claim("V22", "On harder maps strategy, not N_S, drives turns.", ("4.10", "4.11"), _JUDGES["V22"], own=True),
    Claim("V23", "The penalty in backward steps shrinks on harder maps.", ("4.4", "4.8"), penalty_shrinks, own=True),
    Claim(
        "V24", "Harder maps have longer paths; long solutions stay rare there.", ("quality",), harder_paths, own=True
    ),
    Claim("V25", "The cardinal grid shows the same pattern.", ("A.2", "A.3"), same_on_cardinal, own=True),
    Claim(
        "V26",
        "Octile problems have larger heuristic error than cardinal ones of the same maps.",
        ("fig4.5",),
        octile_misjudges,
    ),
    Claim("V27", "With N_S = 0 planning is exactly that of TBA*.", ("order",), same_order),
    Claim("V28", "Work per step is bounded whatever the map.", ("work",), bounded),
    Claim("V29", "Turns come in pairs.", ("parity",), turns_in_pairs),
    Claim(
        "V30",
        "One strategy outperforms the other in all statistics.",
        ("4.3", "4.4", "4.6"),
        better_in_all,
        "overclaim",
        False,
    ),
]

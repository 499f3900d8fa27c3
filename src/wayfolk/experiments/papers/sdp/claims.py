"""The claims of the thesis on SDP with Cooperative JPS, S1 to S14."""

from __future__ import annotations

from wayfolk.experiments.papers.claims import Claim
from wayfolk.experiments.papers.sdp.judges import (
    GROWING,
    LENGTH,
    NUMBERS,
    TIME,
    everywhere_less,
    fails_grow,
    fails_less,
    fails_less_at_most,
    fails_more_in_hallways,
    gain_shrinks,
    jps_is_cheaper,
    moves_explain,
    never_falls,
    overtakes,
    quoted_gains,
    sideways_helps,
    time_gains,
)

_A = tuple(f"{number}a" for number in NUMBERS.values())
_B = tuple(f"{number}b" for number in NUMBERS.values())

CLAIMS = [
    Claim(
        "S1",
        "Cooperative JPS has the smaller makespan.",
        _A,
        lambda measured: everywhere_less(measured, LENGTH),
        own=True,
    ),
    Claim(
        "S2",
        "Its makespan gain is 59.2, 59.2, 15.57 and 22.61 percent on the four body maps.",
        _A[:4],
        quoted_gains,
        own=True,
    ),
    Claim(
        "S3",
        "Its gain in solution time on the body maps is 33, 117.12, 75.49 and about 30 percent.",
        _A[:4],
        time_gains,
        own=True,
    ),
    Claim(
        "S4",
        "Cooperative JPS is faster throughout.",
        _A,
        lambda measured: everywhere_less(measured, TIME),
        "overclaim",
        False,
    ),
    Claim(
        "S5",
        "With many high contention areas and few units it is slower, and overtakes later.",
        ("4a",),
        overtakes,
        "neg",
        True,
    ),
    Claim("S6", "Cooperative JPS fails less often.", _B, fails_less, "overclaim", False),
    Claim(
        "S7",
        "Its failures stabilise: at the highest count it fails less, except on den401d.",
        _B,
        fails_less_at_most,
        own=True,
    ),
    Claim("S8", "On den401d, with its long hallways, it fails more.", ("3b",), fails_more_in_hallways, "neg", True),
    Claim("S9", "The gain shrinks as high contention areas increase.", _A, gain_shrinks, own=True),
    Claim("S10", "JPS finds the same path costs as A* with far fewer expansions.", ("jps",), jps_is_cheaper),
    Claim("S11", "Preferring a side-way step to a wait helps.", ("sideways",), sideways_helps),
    Claim("S12", "The makespan gain may come from 8-way against 4-way moves.", ("moves",), moves_explain, "ours"),
    Claim(
        "S13",
        "Failed units seem to be left out of the makespan: with them it never falls.",
        ("nested",),
        never_falls,
        "ours",
    ),
    Claim(
        "S14",
        "Fails grow with the number of units.",
        tuple(f"{NUMBERS[name]}b" for name in GROWING),
        fails_grow,
        own=True,
    ),
]

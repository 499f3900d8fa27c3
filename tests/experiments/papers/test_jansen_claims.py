"""The claims of Jansen's thesis: the printed numbers must say what the list of claims says they say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.jansen import tables as jansen
from wayfolk.experiments.papers.jansen.agreement import agreement
from wayfolk.experiments.papers.jansen.judges import FIGURES, Runs, climbing, trend

CLAIMS = {claim.id: claim for claim in jansen.CLAIMS}
TABLES = {table.id: table for table in jansen.TABLES}
NUMBERED = [f"4.{k}" for k in range(1, 13)]
Rows = dict[str, list[dict[str, Any]]]


def printed_rows() -> Rows:
    """The tables as printed, and the three figures that their claims need, as the text reads them."""
    rows = {number: copy.deepcopy(TABLES[number].rows) for number in NUMBERED}
    read = {  # the text gives orders, not numbers
        "fig4.18": {"win": {3: 0.5, 5: 0.6, 7: 0.7, None: 0.8}},
        "fig4.19": {"r_local": {3: 0.6, 5: 0.6, 7: 0.6, None: 0.7}},
        "fig4.20": {"r_local": {3: 0.8, 5: 0.8, 7: 0.8, None: 0.7}},
    }
    for figure, column in read.items():
        ((name, values),) = column.items()
        rows[figure] = [row | {"coherence_mid": values[row[name]]} for row in TABLES[figure].rows]
    return rows


def judge(claim: str, rows: Rows) -> bool | None:
    return CLAIMS[claim].judge(Measured(rows)).holds


def change(rows: Rows, table: str, metric: str, value: float, **where: Any) -> Rows:
    """The same rows with one number changed."""
    fits = [row for row in rows[table] if all(row[name] == wanted for name, wanted in where.items())]
    assert len(fits) == 1
    fits[0][metric] = value
    return rows


def test_a_trend_is_judged_by_its_ends_and_dips_by_their_noise() -> None:
    def line(*each: tuple[float, ...]) -> dict[int, Runs]:
        return {k: Runs(sum(numbers) / len(numbers), numbers) for k, numbers in enumerate(each)}

    steady = line((1.0, 1.1, 0.9), (2.0, 2.1, 1.9), (3.0, 3.1, 2.9), (4.0, 4.1, 3.9))
    dip = line((1.0, 1.1, 0.9), (2.0, 3.1, 1.0), (1.9, 2.0, 2.1), (4.0, 4.1, 3.9))
    drop = line((1.0, 1.1, 0.9), (3.0, 3.1, 2.9), (2.0, 2.1, 1.9), (4.0, 4.1, 3.9))
    flat = line((1.0, 1.4, 0.6), (1.1, 1.5, 0.6), (1.2, 0.6, 1.8), (1.3, 1.8, 0.7))
    assert [climbing(numbers) for numbers in (steady, dip, drop, flat)] == [True, True, False, None]
    assert [trend(numbers, 0.9) for numbers in (steady, drop, flat)] == [True, False, None]
    assert trend(steady, -0.9) is False


def test_all_claims_are_there() -> None:
    assert len(CLAIMS) == 39
    marked = {mark: [claim.id for claim in jansen.CLAIMS if claim.mark == mark] for mark in ("neg", "overclaim")}
    assert marked["neg"] == ["J9", "J20", "J25", "J26", "J30", "J33", "J34"]
    assert marked["overclaim"] == ["J22", "J28"]


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_printed_numbers_say_what_the_claim_says_of_them(claim: str) -> None:
    assert judge(claim, printed_rows()) is CLAIMS[claim].own


def test_how_the_printed_numbers_are_told() -> None:
    details = {claim: CLAIMS[claim].judge(Measured(printed_rows())).detail for claim in ("J1", "J3", "J14", "J28")}
    assert details["J1"].startswith("rho; N at 4, 10, 20: 0.806")
    assert details["J3"] == "max/min of T, D: 1.045, 1.073"
    assert details["J14"] == "N of WHCA*, DM, LRA* on c: 5981, 4605, 2184"
    assert details["J28"] == "best sizes for N, T, D, C: 8, 16, 16, 12"


@pytest.mark.parametrize("claim", [claim.id for claim in jansen.CLAIMS if claim.own])
def test_a_missing_setting_leaves_a_claim_open(claim: str) -> None:
    rows = {table: of_table[:-1] for table, of_table in printed_rows().items()}
    rows |= {table: [row for row in rows[table] if row["algorithm"] != "DM"] for table in ("4.5", "4.6")}
    rows["4.3"] = [row for row in rows["4.3"] if row["radius"] != 10]
    assert judge(claim, rows) is None


@pytest.mark.parametrize(
    ("claim", "table", "metric", "value", "where"),
    [
        ("J1", "4.1", "nodes_expanded", 5200.0, {"w_max": 10}),
        ("J2", "4.1", "collisions", 9.3, {"w_max": 20}),
        ("J3", "4.1", "distance", 161.0, {"w_max": 20}),
        ("J5", "4.2", "collisions", 8.2, {"alpha": 0.1}),
        ("J5", "4.2", "distance", 161.0, {"alpha": 0.9}),
        ("J6", "4.2", "distance", 149.0, {"alpha": 0.9}),
        ("J8", "4.3", "nodes_expanded", 1600.0, {"map": "a", "radius": 9}),
        ("J9", "4.3", "collisions", 5.0, {"map": "c", "radius": 10}),
        ("J12", "4.4", "simulation_time", 3500.0, {"agents": 40}),
        ("J14", "4.5", "nodes_expanded", 6000.0, {"algorithm": "DM"}),
        ("J14", "4.5", "nodes_expanded", 6000.0, {"algorithm": "LRA*"}),
        ("J15", "4.5", "distance", 140.0, {"algorithm": "DM"}),
        ("J16", "4.5", "collisions", 13.0, {"algorithm": "LRA*"}),
        ("J19", "4.6", "nodes_expanded", 1960.0, {"algorithm": "DM with WA*(6)"}),
        ("J19", "4.6", "nodes_expanded", 1900.0, {"algorithm": "LRA* with WA*(4)"}),
        ("J20", "4.6", "collisions", 9.6, {"algorithm": "DM with WA*(6)"}),
        ("J21", "4.6", "collisions", 17.0, {"algorithm": "DM with WA*(6)"}),
        ("J24", "4.7", "nodes_expanded", 3200.0, {"sector_size": 12}),
        ("J24", "4.7", "nodes_expanded", 3500.0, {"sector_size": 16}),
        ("J25", "4.7", "distance", 131.0, {"sector_size": 12}),
        ("J27", "4.8", "nodes_expanded", 2800.0, {"sector_size": 12}),
        ("J30", "4.9", "collisions", 2.0, {"alpha_s": 0.5}),
        ("J31", "4.10", "collisions", 2.07, {"win": 7}),
        ("J32", "4.10", "nodes_expanded", 1900.0, {"win": 3}),
        ("J33", "4.10", "distance", 122.0, {"win": 7}),
        ("J33", "fig4.18", "coherence_mid", 0.9, {"win": 7}),
        ("J34", "4.11", "collisions", 12.0, {"r_local": 5}),
        ("J34", "fig4.19", "coherence_mid", 0.75, {"r_local": 5}),
        ("J35", "4.12", "collisions", 2.4, {"r_local": 7}),
        ("J35", "fig4.20", "coherence_mid", 0.65, {"r_local": 7}),
    ],
)
def test_one_number_out_of_place_refutes(
    claim: str, table: str, metric: str, value: float, where: dict[str, Any]
) -> None:
    assert judge(claim, change(printed_rows(), table, metric, value, **where)) is False


def test_an_overclaim_holds_once_its_numbers_do() -> None:
    rows = printed_rows()
    for row in rows["4.6"]:
        row["collisions"] = 19.92
    assert judge("J22", rows) is True
    for row in rows["4.8"]:
        row |= dict.fromkeys(jansen.METRICS, 1.0 if row["sector_size"] == 12 else 2.0)
    assert judge("J28", rows) is True


def drawn(figure: str, metric: str, number: Callable[[dict[str, Any]], float]) -> Rows:
    """Rows of a figure with a made-up reading."""
    return {figure: [row | {metric: number(row)} for row in TABLES[figure].rows]}


def test_coherence_of_parameters() -> None:
    assert judge("J4", drawn("fig4.6", "coherence_mid", lambda row: 0.7 + row["w_max"] / 300)) is True
    assert judge("J4", drawn("fig4.6", "coherence_mid", lambda row: 0.7 + row["w_max"] / 100)) is False
    assert judge("J4", drawn("fig4.6", "coherence_mid", lambda row: 0.7 - row["w_max"] / 300)) is False
    late = [row | {"coherence_quarter": row["alpha"], "coherence_end": 0.8} for row in TABLES["fig4.7"].rows]
    assert judge("J7", {"fig4.7": late}) is True
    assert judge("J7", {"fig4.7": [row | {"coherence_quarter": 0.8} for row in late]}) is False
    radii = [
        row | {"coherence_first_quarter": 0.9 if row["radius"] == 2 else 0.8, "coherence_end": 0.8}
        for row in TABLES["fig4.8"].rows
    ]
    assert judge("J11", {"fig4.8": radii}) is True
    assert judge("J11", {"fig4.8": [row | {"coherence_end": row["radius"] / 100} for row in radii]}) is False
    assert judge("J13", drawn("fig4.9", "coherence_mid", lambda row: 1 - row["agents"] / 200)) is True
    assert judge("J13", drawn("fig4.9", "coherence_mid", lambda row: row["agents"] / 200)) is False


def test_coherence_of_algorithms() -> None:
    mid = {"WHCA*": 0.5, "LRA*": 0.6, "DM": 0.7}
    rows = [
        row | {"coherence_mid": mid[row["algorithm"]], "coherence_last_tenth": 0.65} for row in TABLES["fig4.10"].rows
    ]
    assert judge("J17", {"fig4.10": rows}) is True
    assert judge("J17", {"fig4.10": [row | {"coherence_last_tenth": 0.6} for row in rows]}) is False
    weights = drawn("fig4.11", "coherence_mid", lambda row: 0.7 + row["astar_weight"] / 100)
    assert judge("J23", weights | drawn("fig4.12", "coherence_mid", lambda _: 0.8)) is True
    assert judge("J23", weights | drawn("fig4.12", "coherence_mid", lambda row: -row["astar_weight"])) is False
    sectors: Rows = {}
    for figure in ("fig4.14", "fig4.15"):
        sectors |= drawn(figure, "coherence_mid", lambda row: row.get("sector_size", 20) / 40)
    assert judge("J26", sectors) is True
    assert judge("J26", change(sectors, "fig4.15", "coherence_mid", 0.3, algorithm="DM")) is False
    assert judge("J29", drawn("fig4.17", "coherence_mid", lambda row: row["alpha_s"])) is True
    assert judge("J29", drawn("fig4.17", "coherence_mid", lambda row: -row["alpha_s"])) is False


def test_coherence_is_in_range_only_if_every_figure_was_measured() -> None:
    values = {"coherence_least": 0.3, "coherence_most": 0.9}
    rows = {figure: [row | values for row in TABLES[figure].rows] for figure in FIGURES}
    assert judge("J38", rows) is True
    assert judge("J38", {figure: rows[figure] for figure in FIGURES[1:]}) is None
    rows["fig4.20"][0]["coherence_most"] = 0.96
    assert judge("J38", rows) is False


def test_what_only_the_text_tells() -> None:
    rows = printed_rows()
    rows["4.3-text"] = [
        {
            **row,
            "simulation_time": 100.0 + row["radius"],
            "distance": 50.0 + row["radius"],
            "collisions": 9 / row["radius"],
        }
        for row in TABLES["4.3-text"].rows
    ]
    assert judge("J10", rows) is True
    assert judge("J10", change(rows, "4.3-text", "collisions", 9.0, map="d", radius=10)) is False
    rows["4.5-text"] = [row | {"map": letter} for letter in "abd" for row in rows["4.5"]]
    assert judge("J18", rows) is True
    assert judge("J18", change(rows, "4.5-text", "collisions", 10.0, map="d", algorithm="DM")) is False
    lanes = {"map": "c", "majority": 0.8, "both_ways": 1.0, "upper": 0.8, "middle": 0.9, "lower": 1.0}
    assert judge("J36", {"lanes": [lanes]}) is True
    assert judge("J36", {"lanes": [lanes | {"majority": 0.79}]}) is False
    hits = {"collisions_first": 3.0, "collisions": 2.0, "collisions_last": 1.0}
    loops = {"loops": [row | hits for row in TABLES["loops"].rows]}
    assert judge("J37", loops) is True
    assert judge("J37", change(loops, "loops", "collisions_last", 2.0, map="d", algorithm="LRA*")) is False
    walk = {"on_vectors": 0.95, "expanded_per_step": 1.0}
    assert judge("J39", {"greedy": [walk]}) is True
    assert judge("J39", {"greedy": [walk | {"expanded_per_step": 1.5}]}) is False


def test_printed_numbers_that_do_not_come_back_are_counted() -> None:
    rows = printed_rows()
    n = 4 * sum(len(rows[number]) for number in NUMBERED)
    assert agreement(Measured(rows)).startswith(f"Of {n} printed numbers in Tables 4.1 to 4.12, {n} come back")
    rows["4.4"][0]["collisions"] *= 1.06
    rows["4.9"][1] |= {"distance": rows["4.9"][1]["distance"] * 1.06, "distance_error": 4.0}
    assert agreement(Measured(rows)).endswith("The others: 1 in Table 4.4.")
    assert agreement(Measured(rows | {"4.8": []})) == ""

"""Statistics against numbers from textbooks, formulas written out, and scipy."""

from __future__ import annotations

import math
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.reports import stats

pytest.importorskip("statsmodels")
finite = st.floats(-1e6, 1e6)

# Tippett, "Technological applications of statistics", 1950: breaks of warp by wool and tension
WARP = {
    ("A", "L"): (26, 30, 54, 25, 70, 52, 51, 26, 67),
    ("A", "M"): (18, 21, 29, 17, 12, 18, 35, 30, 36),
    ("A", "H"): (36, 21, 24, 18, 10, 43, 28, 15, 26),
    ("B", "L"): (27, 14, 29, 19, 29, 31, 41, 20, 44),
    ("B", "M"): (42, 26, 19, 16, 39, 28, 21, 39, 29),
    ("B", "H"): (20, 21, 24, 17, 13, 15, 15, 16, 28),
}
# Cushny and Peebles, 1905: hours of sleep gained by ten patients under two drugs, Student's own example
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)


def warp_rows() -> list[dict[str, Any]]:
    return [{"wool": w, "tension": t, "breaks": y} for (w, t), values in WARP.items() for y in values]


def squares(rows: list[dict[str, Any]], response: str, *groups: tuple[str, ...]) -> float:
    """What is left of the squares of `response` by a model with one number for each level of each group."""
    y = np.array([row[response] for row in rows], dtype=float)
    columns = [np.ones(len(y))]
    for group in groups:
        labels = [tuple(row[name] for name in group) for row in rows]
        columns += [np.array([label == level for label in labels], dtype=float) for level in sorted(set(labels))]
    design = np.column_stack(columns)
    return float(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum())


def test_mean_and_deviation_of_a_sample() -> None:
    assert stats.mean([2, 4, 4, 4, 5, 5, 7, 9]) == 5.0
    assert stats.deviation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx(math.sqrt(32 / 7))


def test_one_value_is_its_own_interval_and_equal_values_have_no_width() -> None:
    assert stats.bootstrap_interval([3.5]) == (3.5, 3.5)
    assert stats.bootstrap_interval([0.1] * 7) == (stats.mean([0.1] * 7),) * 2


def test_the_bootstrap_is_the_same_each_time_and_moves_with_its_seed() -> None:
    values = np.random.default_rng(4).exponential(size=30)
    assert stats.bootstrap_interval(values) == stats.bootstrap_interval(list(values))
    assert stats.bootstrap_interval(values, seed=1) != stats.bootstrap_interval(values, seed=2)


def test_the_bootstrap_agrees_with_scipy_and_with_theory() -> None:
    from scipy.stats import bootstrap

    values = np.random.default_rng(5).normal(10.0, 2.0, 200)
    theirs = bootstrap((values,), np.mean, n_resamples=9999, method="percentile", rng=np.random.default_rng(6))
    half = 1.96 * values.std() / math.sqrt(200)
    for ours, other, expected in zip(
        stats.bootstrap_interval(values, resamples=9999),
        theirs.confidence_interval,
        (values.mean() - half, values.mean() + half),
        strict=True,
    ):
        assert ours == pytest.approx(other, abs=0.02)
        assert ours == pytest.approx(expected, abs=0.02)


def test_a_large_sample_is_resampled_in_parts_as_if_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(7).normal(size=50)
    whole = stats.bootstrap_interval(values, resamples=100)
    monkeypatch.setattr(stats, "_AT_ONCE", 350)
    assert stats.bootstrap_interval(values, resamples=100) == whole


def test_a_higher_level_is_wider() -> None:
    values = np.random.default_rng(8).normal(size=40)
    low, high = stats.bootstrap_interval(values, 0.5)
    lower, higher = stats.bootstrap_interval(values, 0.99)
    assert lower < low < stats.mean(values) < high < higher


def test_rank_correlation_of_perfect_orders_is_exact() -> None:
    x = list(range(1, 24))
    assert stats.spearman(x, [v**3 for v in x]) == 1.0
    assert stats.spearman(x, [-math.sqrt(v) for v in x]) == -1.0


def test_rank_correlation_by_the_formula_without_ties() -> None:
    # the ranks differ by 2, -1, -1, 1, -1
    assert stats.spearman([1, 2, 3, 4, 5], [30, 10, 20, 50, 40]) == pytest.approx(1 - 6 * 8 / 120)


def test_nothing_correlates_with_a_constant() -> None:
    assert math.isnan(stats.spearman([1, 2, 3], [5, 5, 5]))
    assert math.isnan(stats.spearman([0, 0], [1, 2]))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
@settings(max_examples=60)
def test_rank_correlation_agrees_with_scipy_on_ties(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr

    x, y = zip(*pairs, strict=True)
    ours = stats.spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_anova_of_the_warp_breaks() -> None:
    table = stats.anova(warp_rows(), "breaks", ["wool", "tension"])
    assert list(table) == ["wool", "tension", "wool:tension", "Residual"]
    assert [table[term]["df"] for term in table] == [1, 2, 2, 48]
    # the table in the documentation of R's `warpbreaks`
    assert table["wool"]["F"] == pytest.approx(3.7653, abs=5e-5)
    assert table["wool"]["p"] == pytest.approx(0.0582130, abs=5e-8)
    assert table["tension"]["F"] == pytest.approx(8.4980, abs=5e-5)
    assert table["tension"]["p"] == pytest.approx(0.0006926, abs=5e-8)
    assert table["wool:tension"]["F"] == pytest.approx(4.1891, abs=5e-5)
    assert table["wool:tension"]["p"] == pytest.approx(0.0210442, abs=5e-8)
    assert math.isnan(table["Residual"]["F"])


def test_anova_by_the_textbook_formulas() -> None:
    table = stats.anova(warp_rows(), "breaks", ["wool", "tension"])
    cells = np.array([WARP[wool, tension] for wool in "AB" for tension in "LMH"], dtype=float).reshape(2, 3, 9)
    grand, wool, tension, inner = cells.mean(), cells.mean((1, 2)), cells.mean((0, 2)), cells.mean(2)
    expected = {
        "wool": 27 * ((wool - grand) ** 2).sum(),
        "tension": 18 * ((tension - grand) ** 2).sum(),
        "wool:tension": 9 * ((inner - wool[:, None] - tension + grand) ** 2).sum(),
        "Residual": ((cells - inner[:, :, None]) ** 2).sum(),
    }
    for term, square in expected.items():
        assert table[term]["sum_sq"] == pytest.approx(square)
    assert sum(expected.values()) == pytest.approx(((cells - grand) ** 2).sum())


def test_anova_without_interactions_leaves_them_to_chance() -> None:
    whole = stats.anova(warp_rows(), "breaks", ["wool", "tension"])
    table = stats.anova(warp_rows(), "breaks", ["wool", "tension"], interactions=False)
    assert list(table) == ["wool", "tension", "Residual"]
    assert table["Residual"]["df"] == 50
    together = whole["Residual"]["sum_sq"] + whole["wool:tension"]["sum_sq"]
    assert table["Residual"]["sum_sq"] == pytest.approx(together)


def test_one_way_anova_agrees_with_scipy() -> None:
    from scipy.stats import f_oneway

    groups = [[4.2, 4.8, 5.1], [6.3, 5.9, 6.6, 7.0], [4.0, 5.0]]
    rows = [{"group": k, "y": y} for k, values in enumerate(groups) for y in values]
    table = stats.anova(rows, "y", ["group"])
    assert (table["group"]["F"], table["group"]["p"]) == pytest.approx(tuple(f_oneway(*groups)))


def test_unbalanced_anova_is_of_type_two() -> None:
    rows = warp_rows()[:7] + warp_rows()[9:40] + warp_rows()[44:]
    table = stats.anova(rows, "breaks", ["wool", "tension"])
    wool, tension, both = ("wool",), ("tension",), ("wool", "tension")
    left = squares(rows, "breaks", both)
    by_hand = {
        "wool": squares(rows, "breaks", tension) - squares(rows, "breaks", wool, tension),
        "tension": squares(rows, "breaks", wool) - squares(rows, "breaks", wool, tension),
        "wool:tension": squares(rows, "breaks", wool, tension) - left,
        "Residual": left,
    }
    for term, square in by_hand.items():
        assert table[term]["sum_sq"] == pytest.approx(square)
    assert table["wool"]["F"] == pytest.approx(by_hand["wool"] / (left / (len(rows) - 6)))


def test_three_way_anova_of_columns_with_any_names() -> None:
    names = ["N_S", "a b: 'c' \"d\" + (e)", "lambda"]
    rng = np.random.default_rng(9)
    rows = [
        dict(zip(names, levels, strict=True)) | {"back steps": 10.0 * (levels[0] == 5) + rng.normal()}
        for levels in product((1, 5, 9), (None, "all"), (True, False))
        for _ in range(4)
    ]
    table = stats.anova(rows, "back steps", names)
    a, b, c = names
    assert list(table) == [a, b, c, f"{a}:{b}", f"{a}:{c}", f"{b}:{c}", f"{a}:{b}:{c}", "Residual"]
    assert table[a]["p"] < 1e-9
    assert min(line["p"] for term, line in table.items() if term not in (a, "Residual")) > 1e-4


def test_anova_where_nothing_is_left_to_chance() -> None:
    rows = [{"a": a, "b": b, "same": 0.1, "by a": 2.1 + 5 * a} for a, b, _ in product(range(2), range(3), range(2))]
    for term, line in stats.anova(rows, "same", ["a", "b"]).items():
        assert term == "Residual" or (line["F"], line["p"]) == (0.0, 1.0)
    table = stats.anova(rows, "by a", ["a", "b"])
    assert (table["a"]["F"], table["a"]["p"]) == (math.inf, 0.0)
    assert (table["b"]["F"], table["b"]["p"]) == (table["a:b"]["F"], table["a:b"]["p"]) == (0.0, 1.0)


def test_anova_refuses_what_it_cannot_answer() -> None:
    rows = warp_rows()
    with pytest.raises(BadInput, match="row 0 has no column 'colour'"):
        stats.anova(rows, "breaks", ["wool", "colour"])
    with pytest.raises(BadInput, match="'wool' has one level only: 'A'"):
        stats.anova(rows[:27], "breaks", ["wool", "tension"])
    with pytest.raises(BadInput, match="different columns"):
        stats.anova(rows, "breaks", ["wool", "wool"])
    with pytest.raises(BadInput, match="different columns"):
        stats.anova(rows, "breaks", [])
    with pytest.raises(BadInput, match="needs rows"):
        stats.anova([], "breaks", ["wool"])
    with pytest.raises(BadInput, match="too few for these factors"):
        stats.anova(rows[::9], "breaks", ["wool", "tension"])
    with pytest.raises(BadInput, match="have no row"):
        stats.anova(rows[9:], "breaks", ["wool", "tension"])
    with pytest.raises(BadInput, match="value 1 is missing"):
        stats.anova([rows[0], rows[30] | {"breaks": None}], "breaks", ["wool"])


def test_the_paired_t_test_of_student() -> None:
    test = stats.paired_test(*SLEEP)
    assert test.t.statistic == pytest.approx(-4.0621, abs=5e-5)
    assert test.t.p == pytest.approx(0.002833, abs=5e-7)


def test_signed_ranks_counted_by_hand() -> None:
    # ranks of the differences 1, -2, 3, 4, 5: the negative ones sum to 2; {}, {1}, {2} of 32 sets are as small
    test = stats.paired_test([1, 0, 3, 4, 5], [0, 2, 0, 0, 0])
    assert test.wilcoxon.statistic == 2.0
    assert test.wilcoxon.p == pytest.approx(2 * 3 / 32)


def test_paired_tests_agree_with_scipy() -> None:
    from scipy.stats import ttest_rel, wilcoxon

    rng = np.random.default_rng(10)
    x = rng.normal(size=80)
    y = x + rng.normal(0.2, 0.5, size=80)
    test = stats.paired_test(x, y)
    assert test.t == pytest.approx(tuple(ttest_rel(x, y)))
    assert test.wilcoxon == pytest.approx(tuple(wilcoxon(x, y)))


def test_equal_pairs_show_nothing_and_a_constant_shift_is_certain() -> None:
    same = stats.paired_test([1, 2, 3], [1, 2, 3])
    assert same.wilcoxon.p == same.t.p == 1.0
    shifted = stats.paired_test([1, 2, 3], [2, 3, 4])
    assert shifted.t == (-math.inf, 0.0)
    assert shifted.wilcoxon.p == pytest.approx(2 / 8)


def test_a_break_at_a_point_is_found() -> None:
    x = [10, 50, 100, 200, 300, 400]
    y = [1.0 if at <= 200 else 1.0 - (at - 200) / 400 for at in x]
    fit = stats.breakpoint(x, y)
    assert fit.x == pytest.approx(200.0)
    assert (fit.left, fit.right) == pytest.approx((0.0, -1 / 400))
    assert fit.gain == pytest.approx(1.0)


def test_a_break_between_points_is_found_whatever_their_order() -> None:
    rng = np.random.default_rng(11)
    x = rng.permutation(np.repeat(np.arange(12.0), 2))
    y = np.where(x < 6.25, 3.0 + 2.0 * x, 15.5 - 0.5 * (x - 6.25))
    fit = stats.breakpoint(x, y)
    assert (fit.x, fit.y) == pytest.approx((6.25, 15.5))
    assert (fit.left, fit.right) == pytest.approx((2.0, -0.5))


@given(st.lists(finite, min_size=4, max_size=9))
@settings(max_examples=60)
def test_no_break_on_a_fine_grid_is_better(heights: list[float]) -> None:
    x = np.arange(len(heights), dtype=float)
    fit = stats.breakpoint(x, heights)
    if math.isnan(fit.x):
        assert fit.gain == 0.0
        return
    assert 1.0 <= fit.x <= len(heights) - 2
    scale = float(np.square(heights).sum())
    for at in np.linspace(1.0, len(heights) - 2.0, 101):
        design = np.column_stack([np.ones_like(x), np.minimum(x - at, 0.0), np.maximum(x - at, 0.0)])
        left = heights - design @ np.linalg.lstsq(design, np.array(heights), rcond=None)[0]
        assert fit.error <= float(left @ left) + 1e-9 * scale


def test_a_straight_line_has_no_break() -> None:
    fit = stats.breakpoint([1, 2, 3, 4, 5], [0.1, 0.2, 0.3, 0.4, 0.5])
    assert math.isnan(fit.x)
    assert fit.gain == 0.0
    assert fit.left == fit.right == pytest.approx(0.1)


def test_mistakes_are_told_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="0 numbers are too few: this needs 1"):
        stats.mean([])
    with pytest.raises(BadInput, match="1 numbers are too few: this needs 2"):
        stats.deviation([1.0])
    with pytest.raises(BadInput, match="value 1 is missing or infinite"):
        stats.bootstrap_interval([1.0, math.nan])
    with pytest.raises(BadInput, match="value 0 is missing or infinite"):
        stats.mean([None, 2.0])  # type: ignore[list-item]
    with pytest.raises(BadInput, match="made of numbers"):
        stats.mean(["many"])
    with pytest.raises(BadInput, match="2 dimensions"):
        stats.mean([[1.0]])
    with pytest.raises(BadInput, match="as many x as y, not 3 and 2"):
        stats.spearman([1, 2, 3], [1, 2])
    with pytest.raises(BadInput, match="as many x as y"):
        stats.paired_test([1, 2, 3], [1, 2])
    with pytest.raises(BadInput, match=r"between 0 and 1, not 95"):
        stats.bootstrap_interval([1.0], level=95)
    with pytest.raises(BadInput, match="1 resample or more"):
        stats.bootstrap_interval([1.0], resamples=0)
    with pytest.raises(BadInput, match="4 different x or more, not 2"):
        stats.breakpoint([1, 1, 2, 2], [1, 2, 3, 4])


@pytest.mark.parametrize("package", ["statsmodels.formula.api", "pandas"])
def test_anova_names_the_extra_it_needs(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Missing, match=r"wayfolk\[lab\]"):
        stats.anova(warp_rows(), "breaks", ["wool"])


def test_ranks_name_the_extra_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(Missing, match=r"wayfolk\[lab\]"):
        stats.spearman([1, 2], [1, 2])

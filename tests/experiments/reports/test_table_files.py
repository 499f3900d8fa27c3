"""Tables as files: what LaTeX gets, and what it must not take for commands."""

import csv
import shutil
import subprocess

import pytest

from command import wayfolk
from wayfolk.errors import BadInput
from wayfolk.experiments.reports.table_files import latex_table, write_table

ROWS = [
    {"algorithm": "direction_map(seed=3)", "sum_of_costs": 1234.5678, "solved": 3},
    {"algorithm": r"50% & \$~^{}<#>", "sum_of_costs": None, "solved": 12345},
]
COLUMNS = ["algorithm", "sum_of_costs", "solved"]


def test_latex_gets_rows_and_nothing_that_it_takes_for_commands():
    assert latex_table(ROWS, COLUMNS).splitlines()[1:] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"algorithm & sum of costs & solved \\",
        r"\midrule",
        r"direction\_map(seed=3) & 1,235 & 3 \\",
        r"50\% \& \textbackslash{}\$\textasciitilde{}\textasciicircum{}\{\}\textless{}\#\textgreater{} & - & 12,345 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_compiles_it(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex")
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(head + latex_table(ROWS, COLUMNS) + r"\end{document}")
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, timeout=120, capture_output=True)


def test_csv_keeps_all_digits(tmp_path):
    write_table(ROWS, COLUMNS, tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as stream:
        assert next(csv.DictReader(stream))["sum_of_costs"] == "1234.5678"


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"t\.xls: a table is written as \.csv or \.tex"):
        write_table(ROWS, COLUMNS, tmp_path / "t.xls")


def test_compare_exports_its_means(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    query = ["compare", "rooms", "--agents", 12, "--with", "whca,pibt", "--seeds", 1, "--export"]
    assert wayfolk(*query, "t.tex").code == 0
    lines = (tmp_path / "t.tex").read_text().splitlines()
    assert lines[3].startswith(r"algorithm & solved & arrived & makespan & sum of costs")
    assert [line.split(" & ")[:2] for line in lines[5:7]] == [["whca", "1"], ["pibt", "1"]]
    said = wayfolk(*query, "t.doc")
    assert (said.code, said.err) == (2, "wayfolk: t.doc: a table is written as .csv or .tex\n")
    said = wayfolk(*query, "nowhere/t.tex")
    assert (said.code, said.err.count("\n")) == (2, 1)


def test_a_sweep_exports_a_table_or_the_answer_to_a_question(tmp_path, monkeypatch):
    pytest.importorskip("duckdb", reason="the laboratory needs wayfolk[lab]")
    from wayfolk.experiments.sweeps.store import Store

    monkeypatch.chdir(tmp_path)
    with Store(tmp_path / "runs.duckdb") as store:
        store.keep_spec("a_b", "text")
    assert wayfolk("sweep", "--export", "specs.tex", "--table", "specs").code == 0
    assert r"a\_b & text \\" in (tmp_path / "specs.tex").read_text()
    sql = "SELECT name, 2 * length(name) AS twice FROM specs;"
    for file in ("t.tex", "t.csv", "t.parquet"):
        assert wayfolk("sweep", "--sql", sql, "--export", file).code == 0
    assert r"a\_b & 6 \\" in (tmp_path / "t.tex").read_text()
    assert (tmp_path / "t.csv").read_text() == "name,twice\na_b,6\n"
    assert (tmp_path / "t.parquet").stat().st_size > 100
    said = wayfolk("sweep", "--sql", "SELECT nonsense", "--export", "u.tex")
    assert (said.code, said.err.count("\n"), (tmp_path / "u.tex").exists()) == (2, 1, False)

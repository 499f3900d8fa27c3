"""The page of a paper: verdicts, both numbers, links to figures, and why rows are missing."""

import pytest

from command import wayfolk
from wayfolk.errors import BadInput
from wayfolk.experiments.papers.claims import Verdict, in_words
from wayfolk.experiments.reports.page import write_page


def claim(name, holds, own=True, *, is_undecided=False):
    said = in_words(Verdict(holds, "", is_undecided), own)
    return {
        "id": name,
        "holds": holds,
        "detail": "1.5, 2",
        "text": "a | b",
        "mark": "",
        "verdict": said,
        "undecided": is_undecided,
        "paper_itself": own,
        "readings": {},
    }


MADE = {
    "title": "A paper",
    "claims": [claim("X1", True), claim("X2", False, own=False), claim("X3", None)],
    "figures": [
        {"figure": "1", "title": "Travel", "file": "FOLDER/figures/a.svg", "why": ""},
        {"figure": "2", "title": "Nothing", "file": None, "why": "not drawn"},
    ],
    "tables": [
        {
            "table": "4.2",
            "title": "Costs",
            "setup": "Some maps.",
            "metrics": ["cost"],
            "rows": [
                {"ours": {"R": 25, "cost": 1.5}, "paper": {"R": 25, "cost": 3.0}, "ratio": {"cost": 0.5}, "runs": 7,
                 "why": ""},
                {"ours": None, "paper": {"R": 50, "cost": 2.0}, "ratio": None, "runs": 0, "why": "not measured: too slow"},
            ],
        }
    ],
}  # fmt: skip


def test_a_page_tells_everything(tmp_path):
    figures = [one | {"file": one["file"] and one["file"].replace("FOLDER", str(tmp_path))} for one in MADE["figures"]]
    write_page(MADE | {"figures": figures}, tmp_path / "page.md", "wayfolk reproduce it --full")
    lines = (tmp_path / "page.md").read_text().splitlines()
    assert "Of 3 claims 1 hold, 1 fail as in the document's own figures and 1 were not measured." in lines[2]
    assert "`wayfolk reproduce it --full`" in lines[2]
    assert r"| X1 | a \| b | holds | 1.5, 2 |" in lines
    assert r"| X2 | a \| b | refuted in its own figures too | 1.5, 2 |" in lines
    assert not any("Why claims do not hold" in line for line in lines)
    assert lines.index("![Travel](figures/a.svg)") < lines.index("## Tables"), "claims and figures first"
    assert "![Travel](figures/a.svg)" in lines
    assert not any("Nothing" in line for line in lines)
    assert "| R | cost | runs |" in lines
    assert "| 25 | 1.5 / 3 (0.5) | 7 |" in lines
    assert "1 of 2 rows: not measured: too slow." in lines


def test_a_page_tells_what_is_undecided_and_why_claims_fail(tmp_path):
    cause = {"kind": "setup", "which": "walls", "why": "Too many walls.", "measured": "9 of 10 cells."}
    other = {"readings": {"by the letter": {"verdict": "fails", "detail": ""}}}
    claims = [claim("X1", None, is_undecided=True), claim("X2", False) | {"cause": cause}, claim("X3", True) | other]
    errors = {"ours": {"R": 1, "cost": 1.5, "cost_error": 0.25}, "paper": {"R": 1}, "ratio": {}, "runs": 2, "why": ""}
    tables = [MADE["tables"][0] | {"rows": [errors], "has_seconds": True}]
    (tmp_path / "map.png").touch()
    more = {
        "pictures": [("A map", "map.png"), ("No map", "none.png")],
        "findings": ["A finding."],
        "choices": [("radius", "5", "as in Table 1")],
        "machine": {"processor": "Abacus", "cores": 2, "load": 1.5, "waiting": 7.2},
    }
    write_page(MADE | {"claims": claims, "figures": [], "tables": tables} | more, tmp_path / "page.md", "how")
    lines = (tmp_path / "page.md").read_text().splitlines()
    assert "Of 3 claims 1 hold, 1 fail and 1 are undecided." in lines[2]
    assert r"| X1 | a \| b | undecided |  | 1.5, 2 |" in lines
    assert r"| X2 | a \| b | **fails** |  | 1.5, 2 |" in lines
    assert r"| X3 | a \| b | holds | fails | 1.5, 2 |" in lines
    assert "| X1 | chance |  |  |" in lines
    assert "| X2 | setup: walls | Too many walls. | 9 of 10 cells. |" in lines
    assert "A finding." in lines
    assert "| radius | 5 | as in Table 1 |" in lines
    assert "![A map](map.png)" in lines
    assert not any("none.png" in line for line in lines)
    assert "| 1 | 1.5 ± 0.25 / - | 2 |" in lines
    assert any("Abacus" in line and "1.5 times" in line and "7 processes" in line for line in lines)


def test_long_tables_are_folded(tmp_path):
    (row, _), n = MADE["tables"][0]["rows"], 9
    tables = [MADE["tables"][0] | {"rows": [row] * n}, MADE["tables"][0] | {"rows": [row] * (n - 1)}]
    write_page(MADE | {"figures": [], "tables": tables}, tmp_path / "page.md", "how")
    lines = (tmp_path / "page.md").read_text().splitlines()
    assert lines.count('<details markdown="1"><summary>9 rows</summary>') == lines.count("</details>") == 1


def test_a_page_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"nowhere.page\.md"):
        write_page(MADE | {"figures": []}, tmp_path / "nowhere" / "page.md", "how")


def test_a_page_is_of_a_whole_paper(tmp_path):
    said = wayfolk("reproduce", "arun", "times", "--page", tmp_path / "page.md")
    assert said.code == 2
    assert "leave out --page or the table" in said.err


def test_several_readings_share_a_column_and_missing_data_is_told(tmp_path):
    words = {"slowly": "fails", "by the letter": "holds", "backwards": "fails"}
    readings = {title: {"verdict": word, "detail": ""} for title, word in words.items()}
    claims = [claim("X1", True) | {"readings": readings}, claim("X2", True)]
    write_page(MADE | {"claims": claims, "figures": [], "lacking": "No files."}, tmp_path / "page.md", "how")
    lines = (tmp_path / "page.md").read_text().splitlines()
    assert r"| X1 | a \| b | holds | holds: by the letter; fails: slowly, backwards | 1.5, 2 |" in lines
    assert r"| X2 | a \| b | holds |  | 1.5, 2 |" in lines
    assert "**No files.**" in lines

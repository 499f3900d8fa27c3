"""The page of a paper: verdicts, both numbers, links to figures, and why rows are missing."""

import pytest

from command import wayfolk
from wayfolk.errors import BadInput
from wayfolk.experiments.page import write_page


def claim(name, holds, own=True):
    return {"id": name, "holds": holds, "detail": "1.5, 2", "text": "a | b", "mark": "", "paper_itself": own}


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
    assert "Of 3 claims 1 hold, 1 do not, and 1 were not measured." in lines[2]
    assert "`wayfolk reproduce it --full`" in lines[2]
    assert r"| X1 | holds | a \| b | 1.5, 2 |" in lines
    assert r"| X2 | **does not hold** | a \| b (the paper's own figures refute it) | 1.5, 2 |" in lines
    assert "![Travel](figures/a.svg)" in lines
    assert not any("Nothing" in line for line in lines)
    assert "| R | cost | runs |" in lines
    assert "| 25 | 1.5 / 3 (0.5) | 7 |" in lines
    assert "1 of 2 rows: not measured: too slow." in lines


def test_a_page_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"nowhere.page\.md"):
        write_page(MADE | {"figures": []}, tmp_path / "nowhere" / "page.md", "how")


def test_a_page_is_of_a_whole_paper(tmp_path):
    made = wayfolk("reproduce", "arun", "times", "--page", tmp_path / "page.md")
    assert made.code == 2
    assert "leave out --page or the table" in made.err

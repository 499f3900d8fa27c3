"""The overview of all papers: counts and the failures that are findings, from the pages' last lines."""

import pytest

from wayfolk.experiments.papers.claims import VERDICTS
from wayfolk.experiments.papers.tables import PAPERS, module
from wayfolk.experiments.reports import overview as made
from wayfolk.experiments.reports.page import write_page


def page(folder, name, *claims):
    result = {"title": f"On {name} -- with > and |, once more", "claims": list(claims), "tables": []}
    write_page(result, folder / f"{name}.md", f"wayfolk reproduce {name} --full")


def claim(name, word, **more):
    return {"id": name, "text": "It is so.", "verdict": word, "detail": "1, 2", "paper_itself": True} | more


def test_it_counts_what_the_pages_say(tmp_path):
    cause = {"kind": "setup", "which": "budget", "why": "Machines differ.", "measured": "3 of 4."}
    page(tmp_path, "bmaa", claim("B1", "fails", cause=cause), claim("B2", "holds"), claim("B3", "undecided"))
    page(tmp_path, "arun", claim("A1", "holds"), claim("A2", "holds"))
    (tmp_path / "sdp.md").write_text("a page without verdicts")
    lines = made.overview(tmp_path).splitlines()
    assert "2 documents, 5 claims: 3 hold." in lines[2]
    (row,) = (line for line in lines if "bmaa.md)" in line and line.startswith("|"))
    assert row.startswith(r"| [On bmaa -- with > and \|](bmaa.md), BMAA\* and FAR | 1 | 1 | 0 | 1 | `--full`, 20")
    assert "| all | 3 | 1 | 0 | 1 |  |" in lines
    (shown,) = (line for line in lines if "([B1](bmaa.md))" in line)
    assert "Fails: 1, 2. Machines differ. 3 of 4." in shown
    assert not any("A2" in line for line in lines), "it holds"
    page(tmp_path, "sdp", claim("S1", "not measured"))
    assert "| all | 3 | 1 | 0 | 1 | 1 |  |" in made.overview(tmp_path).splitlines()


def test_the_words_are_those_of_the_papers():
    assert set(made.VERDICTS) == set(VERDICTS)
    assert tuple(made.PAPERS) == PAPERS
    claims = {claim.id for paper in PAPERS for claim in module(paper).CLAIMS}
    assert made.INTERESTING.keys() <= claims


def test_stars_of_algorithms_begin_no_italics():
    assert made.starred("**A* and TBA*** `x`, 2 * 3") == r"**A\* and TBA*** `x`, 2 * 3"
    assert made.starred("BMAA*, BMAA*-f") == r"BMAA\*, BMAA\*-f"


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_that_is_missing_is_left_out(name, tmp_path):
    assert made.verdicts(tmp_path / f"{name}.md") is None

"""What holds of every living paper: claims rest on tables, rows have jobs or reasons, printed numbers can be judged."""

from __future__ import annotations

from typing import Any

import pytest

from wayfolk.experiments.papers.claims import (
    ALSO_THERE,
    FAILS,
    HOLDS,
    UNDECIDED,
    UNMEASURED,
    Claim,
    Measured,
    Verdict,
    in_words,
)
from wayfolk.experiments.papers.claims import CAUSES as KINDS
from wayfolk.experiments.papers.tables import PAPERS, QUICK, PrintedTable, module
from wayfolk.experiments.sweeps.job import Job

CLAIMS = [pytest.param(paper, claim, id=claim.id) for paper in PAPERS for claim in module(paper).CLAIMS]
TABLES = [pytest.param(table, id=f"{paper}-{table.id}") for paper in PAPERS for table in module(paper).TABLES]


@pytest.mark.parametrize("paper", PAPERS)
def test_claims_are_numbered_and_rest_on_tables(paper: str) -> None:
    book: Any = module(paper)
    letter = book.CLAIMS[0].id[0]
    assert [claim.id for claim in book.CLAIMS] == [f"{letter}{k}" for k in range(1, len(book.CLAIMS) + 1)]
    tables = {table.id for table in book.TABLES}
    assert len(tables) == len(book.TABLES)
    assert all(claim.text and claim.tables and set(claim.tables) <= tables for claim in book.CLAIMS)


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_nothing_is_judged_that_was_not_measured(paper: str, claim: Claim) -> None:
    verdict = claim.judge(Measured({}))
    assert verdict.holds is None
    assert "not measured" in verdict.detail


@pytest.mark.parametrize(("paper", "claim"), [param for param in CLAIMS if param.values[0] != "jansen"])
def test_the_printed_numbers_say_what_the_claim_says_of_them(paper: str, claim: Claim) -> None:
    """Jansen's claims also rest on figures, which its own tests read."""
    printed = Measured({table.id: table.rows for table in module(paper).TABLES})
    assert claim.judge(printed).holds is claim.own


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_jobs_or_a_sentence(table: PrintedTable) -> None:
    for row in table.rows:
        jobs = table.jobs(row, QUICK)
        assert jobs if isinstance(jobs, str) else all(isinstance(job, Job) for job in jobs)


@pytest.mark.parametrize("paper", PAPERS)
def test_causes_are_of_a_kind_and_name_a_claim(paper: str) -> None:
    book: Any = module(paper)
    claims = {claim.id for claim in book.CLAIMS}
    for claim, cause in getattr(book, "CAUSES", {}).items():
        assert claim in claims
        assert cause.kind in KINDS
        assert cause.why
        assert bool(cause.which) == (cause.kind in ("setup", "slip")), "setups and slips are named"


@pytest.mark.parametrize("paper", PAPERS)
def test_other_readings_replace_tables_that_are_there(paper: str) -> None:
    book: Any = module(paper)
    tables = {table.id for table in book.TABLES}
    for suffix in getattr(book, "READINGS", {}).values():
        others = [name.removesuffix(suffix) for name in tables if name.endswith(suffix)]
        assert others
        assert set(others) <= tables


def test_verdicts_in_words() -> None:
    assert in_words(Verdict(True, ""), False) == HOLDS
    assert in_words(Verdict(False, ""), None) == in_words(Verdict(False, ""), True) == FAILS
    assert in_words(Verdict(False, ""), False) == ALSO_THERE
    assert in_words(Verdict(None, ""), True) == UNMEASURED
    assert in_words(Verdict(None, "", is_undecided=True), False) == UNDECIDED

"""Every verb's help: two examples that can be parsed, one name for the page to write, and completion."""

import os
import shlex
import subprocess
import sys

import pytest
import typer

from command import wayfolk
from wayfolk.cli.app import app
from wayfolk.cli.examples import EXAMPLES, GROUPS


def verbs(command, words=()):
    for name, verb in command.commands.items():
        if hasattr(verb, "commands"):
            yield from verbs(verb, (*words, name))
        else:
            yield " ".join((*words, name)), verb


VERBS = dict(verbs(typer.main.get_command(app)))


def test_every_verb_has_two_examples():
    assert sorted(EXAMPLES) == sorted(VERBS)


@pytest.mark.parametrize("name", VERBS)
def test_examples_are_shown_and_parsed(name):
    said = wayfolk(*name.split(), "--help")
    assert said.code == 0
    for line in EXAMPLES[name]:
        assert f"  {line}\n" in said.out
        words = shlex.split(line)
        assert words[: 1 + len(name.split())] == ["wayfolk", *name.split()]
        VERBS[name].make_context(name, words[1 + len(name.split()) :])


@pytest.mark.parametrize(("words", "verb"), [((), "demo"), (("maps",), "maps make")])
def test_groups_of_verbs_have_examples_too(words, verb):
    assert f"Examples:\n    {EXAMPLES[verb][0]}\n" in wayfolk(*words, "--help").out


@pytest.mark.parametrize("name", VERBS)
def test_a_page_is_written_by_one_option_everywhere(name):
    """--html for a page and --save for data; older names of the first still work, and stand after it."""
    names = [param.opts for param in VERBS[name].params]
    for opts in names:
        if "--out" in opts or "-o" in opts:
            assert opts[0] == "--html"


def test_the_package_is_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "wayfolk", "--version"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("wayfolk ")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("wayfolk solve room.map --with bmaa_p", "bmaa_plus"),
        ("wayfolk path room.map --with astar,jps_p", "astar,jps_plus"),
        ("wayfolk comp", "compare"),
        ("wayfolk list pib", "pibt"),
    ],
)
def test_shells_complete_verbs_and_names(typed, expected):
    settings = os.environ | {
        "_WAYFOLK_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "wayfolk"], env=settings, capture_output=True, text=True, timeout=120, check=False
    )
    assert expected in done.stdout.split()
    assert done.stderr == ""


def test_moves_say_why_their_defaults_differ():
    assert "are for eight, so it is the default here" in " ".join(wayfolk("path", "--help").out.split())
    for name in ("solve", "compare", "advise", "check", "convert"):
        assert "use four, so it is the default here" in " ".join(wayfolk(name, "--help").out.split())


UNTRIED = {
    "demo": "tests/cli/test_demo.py runs it",
    "play": "it serves until it is interrupted; tests/test_docs.py runs it",
    "warm": "it compiles for minutes",
    "maps get": "it downloads",
    "reproduce": "it runs for minutes",
    "again": "its key is that of a run; the page of the laboratory is followed with a true one",
    "sweep": "it runs for half a minute; a dry run and the query are tried below",
    "advise": "it tries all algorithms",
    "check-algorithm": "it runs for a minute; tests/algorithms/test_foreign.py runs it",
}
"""Verbs whose examples are parsed only."""
AFTER = ["solve", "convert", "check", "execute"]  # each needs the files of those before it


def test_examples_run_in_an_empty_folder(tmp_path, monkeypatch):
    """In their order: some read what others have written."""
    monkeypatch.chdir(tmp_path)
    rest = [name for name in EXAMPLES if name not in (*AFTER, *UNTRIED, "report")]
    for name in [*AFTER, *rest]:
        for line in EXAMPLES[name]:
            said = wayfolk(*shlex.split(line)[1:])
            assert (said.code, said.err) == (0, ""), line
    for line in GROUPS[""][1:]:
        assert wayfolk(*shlex.split(line)[1:]).code == 0


def test_examples_of_the_laboratory_run_in_an_empty_folder(tmp_path, monkeypatch):
    pytest.importorskip("duckdb", reason="the laboratory needs wayfolk[lab]")
    from wayfolk.experiments.sweeps.engine import circumstances
    from wayfolk.experiments.sweeps.spec import read_spec
    from wayfolk.experiments.sweeps.store import Store
    from wayfolk.experiments.sweeps.worker import run_job

    monkeypatch.chdir(tmp_path)
    sweep, sql = (shlex.split(line)[1:] for line in EXAMPLES["sweep"])
    assert wayfolk(*sweep, "--dry-run").code == 0
    with Store(tmp_path / "runs.duckdb") as store:
        for job in list(read_spec("smoke").jobs())[:2]:
            store.replace(job, run_job(job.as_dict()), store.provenance(circumstances()))
    for line in (sql, *(shlex.split(line)[1:] for line in EXAMPLES["report"])):
        said = wayfolk(*line)
        assert said.code == 0, said.err

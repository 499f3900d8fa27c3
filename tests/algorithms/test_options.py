"""Options: what is declared where, and what happens at and beyond the edges of every option of every algorithm."""

import math

import pytest

from command import MAP, SCEN, wayfolk
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.options import MOST_INT, Option, Range
from wayfolk.contracts import options as contract
from wayfolk.contracts.check import Case
from wayfolk.errors import BadInput

ENTRIES = catalogue.entries()
every = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


@every
def test_every_option_is_explained(entry):
    contract.every_option_is_explained(Case(entry, {}))


@every
def test_values_beyond_are_refused(entry):
    contract.values_beyond_are_refused(Case(entry, {}))


@every
def test_a_deadline_is_kept_at_the_edges(entry):
    contract.edges_keep_a_deadline(Case(entry, {}))


@every
def test_values_beyond_are_refused_on_the_command_line(entry, tmp_path):
    """One sentence on stderr, and exit code 2."""
    if entry.family == "controllers" and catalogue.find(entry.name, "planners", "controllers").family == "planners":
        pytest.skip("on the command line the name is that of a planner")
    if entry.family == "crowds":
        pytest.skip("no verb takes options of crowds: scenes hold them")
    (tmp_path / "room.map").write_text(MAP)
    (tmp_path / "room.scen").write_text(SCEN)
    verb = ["path"] if entry.family in ("search", "realtime") else ["solve", "--agents", "2"]
    words = [*verb[:1], tmp_path / "room.map", "--scen", tmp_path / "room.scen", "--with", entry.name, *verb[1:]]
    for option in entry.options:
        texts = {str(value) for value in contract.beyond(option) if isinstance(value, int | float | str)}
        texts -= {"True", "2"} if option.type == "bool" else {"True", "None"}
        # the library refuses all of them, in the test above; here it is about what the program makes of a refusal
        for text in sorted(texts, key=lambda text: (len(text), text))[-2:]:
            if option.type == "str" and not option.choices:
                continue
            answer = wayfolk(*words, "--opt", f"{option.name}={text}")
            assert answer.code == 2, f"{option.name}={text}"
            assert answer.err.startswith(f"wayfolk: option {option.name} "), answer.err
            assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("span", "text", "inside", "outside"),
    [
        (Range(1, 10), "from 1 to 10", [1, 10], [0, 11, math.nan, math.inf]),
        (Range(0.5, 1e6), "from 0.5 to 1,000,000", [1e6], [0.4]),
        (Range(0, 1 << 62), "0 or more", [0, 1 << 62], [-1, (1 << 62) + 1]),
        (Range(1, 1e12), "from 1 to 1e+12", [1e12], [1e13]),
        (Range(0, 1, open="both"), "above 0 and below 1", [0.5], [0, 1]),
        (Range(0, 1, open="low"), "above 0 and at most 1", [1], [0]),
        (Range(0, 1, open="high"), "at least 0 and below 1", [0], [1]),
        (Range(1), "1 or more", [1, MOST_INT, math.inf], [0, MOST_INT + 1, 10**400]),
        (Range(0, open="low"), "above 0", [1e-300], [0.0]),
        (Range(most=5), "at most 5", [5, -math.inf], [5.1]),
        (Range(most=5, open="high"), "below 5", [4.9], [5]),
        (Range(), "any number", [-1.5, math.inf], [math.nan, -(10**400)]),
    ],
)
def test_a_range_says_what_it_holds(span, text, inside, outside):
    assert str(span) == text
    assert [value for value in inside if not span.holds(value)] == []
    assert [value for value in outside if span.holds(value)] == []


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        (
            Option("k", 1, "int", (), Range(1), "Cells."),
            2**63,
            f"option k must be at most {MOST_INT:,}, not {2**63} (cells)",
        ),
        (Option("k", 1, "int", (), Range(1, 9), "Cells."), 0, "option k must be from 1 to 9, not 0 (cells)"),
        (Option("k", 1, "int"), 10**20, f"option k must be at most {MOST_INT:,}, not {10**20}"),
        (Option("k", 1, "int", meaning="A* only."), "x", "option k must be of type int, not 'x' (A* only)"),
        (Option("k", 1.0, "float"), 10**400, "option k must be of type float, not 100000000000000000000000000000..."),
    ],
)
def test_the_complaint_names_range_and_meaning(option, value, complaint):
    with pytest.raises(BadInput) as raised:
        option.checked(value)
    assert str(raised.value) == complaint

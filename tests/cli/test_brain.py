"""The verbs `brain show` and `brain list`: diagrams, files, and mistakes in one sentence."""

import json

import pytest

from command import wayfolk

pytestmark = pytest.mark.plain
BRAIN = """from wayfolk.crowds.brains import Brain, State

class Dog(Brain):
    "Runs until it is called."
    senses = ("called",)
    first = "running"
    running = State(2.0)
    sitting = State(0.0)

    @running.to("sitting")
    def is_called(self, see):
        return see.called

    sitting.to("running", after=3.0)
"""


def test_a_brain_is_shown_as_text_mermaid_json_and_picture(tmp_path):
    picture = tmp_path / "car.svg"
    said = wayfolk("brain", "show", "car", "--svg", picture)
    assert said.code == 0
    assert "must not cross -> stopping" in said.out
    assert picture.read_text().startswith("<svg")
    assert wayfolk("brain", "show", "car", "--mermaid").out.startswith("stateDiagram-v2")
    held = json.loads(wayfolk("brain", "show", "signal", "--json").out)
    assert [way["after"] for way in held["transitions"]] == [10.0, 3.0, 10.0]


def test_all_brains_are_listed():
    rows = json.loads(wayfolk("brain", "list", "--json").out)
    assert [row["name"] for row in rows] == ["bus", "car", "hurried", "pedestrian", "signal"]
    assert all(row["about"].endswith(".") for row in rows)


def test_a_brain_of_ones_own_is_shown(tmp_path):
    file = tmp_path / "dog.py"
    file.write_text(BRAIN)
    said = wayfolk("brain", "show", file)
    assert said.code == 0
    assert "after 3 s -> running" in said.out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BRAIN.replace('to("sitting")', 'to("siting")'), "'siting', which is no state: did you mean 'sitting'?"),
        (
            BRAIN.replace('    sitting.to("running", after=3.0)', ""),
            "can never leave 'sitting': a transition is missing",
        ),
        (BRAIN.replace("def is_called", "deff is_called"), "line 11: not Python"),
        (BRAIN + "\n1 / 0\n", "line 16: ZeroDivisionError: division by zero"),
        ("x = 1\n", "has no brain: write a class with Brain as its base"),
        ("import nothing_like_it\n", "line 1: ModuleNotFoundError"),
        (BRAIN + BRAIN.replace("Dog", "Cat"), "has 2 brains: choose one"),
        ("", "the file is empty"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence(tmp_path, text, sentence):
    file = tmp_path / "dog.py"
    file.write_text(text)
    said = wayfolk("brain", "show", file)
    assert said.code == 2
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_an_unknown_name_is_offered_another():
    said = wayfolk("brain", "show", "pedestrain")
    assert (said.code, said.err) == (2, "wayfolk: there is no brain 'pedestrain': did you mean 'pedestrian'?\n")
    assert wayfolk("brain", "show", "nowhere.py").code == 2

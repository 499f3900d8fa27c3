"""Messages between page, server and worker: each type is accepted at both ends, and refused at both if it is broken."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from playground.workers import Kept
from wayfolk import web
from wayfolk.errors import BadInput
from wayfolk.playground.message_table import message_files
from wayfolk.playground.messages import ANSWERS, REQUESTS, AdvanceTo, Answer, Message, Order, answer_text, read_request
from wayfolk.playground.process import kind_of, last_step, text_of
from wayfolk.playground.worker import Worker
from wayfolk.web import web_text

BODIES = {
    "seconds": 0.1, "cell": 0.5, "steps": 64, "states": ["walks"], "kinds": ["agent"], "lamps": [[1.0, 2.0]], "walls": [],
    "frames": 1, "rows": 0,
}  # fmt: skip
WAYS = [[0, -1], [1, 0], [0, 1], [-1, 0], [1, -1], [1, 1], [-1, 1], [-1, -1]]
EXAMPLES: dict[str, dict[str, Any]] = {
    "open": {
        "scene": {
            "map": {"name": "", "width": 8, "height": 1, "walls": "AA==", "terrain": ""}, "moves": "four", "kind": "agents",
            "algorithm": "controllers/pibt", "options": {"a": 1, "b": True, "c": None, "d": "x", "e": 0.5}, "seed": 1,
            "start": [0, 1], "goal": None, "agents": 5, "errand": "tasks", "journeys": [[0, 0, 1, 1]],
            "street": {"drawing": "..", "coming": [{"brain": "car", "rate": 0.5}], "signal": {"green_seconds": 1.0}},
        },
    },
    "until": {"step": 7},
    "edit": {"edit": {"do": "block", "cells": [[1, 2], [3, 4]], "agent": 3, "cost": 2.0}},
    "look": {"ahead": True, "waits": False},
    "export": {"format": "svg"},
    "close": {},
    "loading": {"algorithm": "PIBT"},
    "begin": {
        "title": "PIBT", "family": "controllers", "width": 4, "height": 3, "step": 0, "agents": 2, "diagonal": 1.4142,
        "diagonals": True, "kinds": ["move"], "directions": WAYS, "terrain": "AA==", "walls": "AA==", "bodies": BODIES,
        "nodes": {"count": 1},
    },
    "track": {"head": {"title": "A*", "body": "AA=="}},
    "thinking": {"seconds": 0.5},
    "planned": {"seconds": 0.5, "steps": 12},
    "waits": {"step": 3, "pairs": [[0, 1], [1, 0]], "cycles": [[0, 1, 2]]},
    "overlay": {"step": 3, "layers": {"heads": [], "body": ""}, "moves": "AA=="},
    "edited": {"do": "block"},
    "looked": {},
    "idle": {},
    "over": {"step": 9},
    "refused": {"why": "there is a wall"},
    "failed": {"why": "an error"},
    "stopped": {"why": "too much memory"},
}  # fmt: skip
"""A message of each type, with every field that it may have."""
BROKEN: dict[str, Any] = {
    "a text": "x", "a number": -1.5, "a list": [None], "an object": {"x": {}}, "nothing": None, "truth": True,
    "a long text": "x" * 3000,
}  # fmt: skip


def example(name: str) -> dict[str, Any]:
    return {"type": name, "panel": 0, **EXAMPLES[name]}


def kinds() -> dict[str, type[Message]]:
    return {kind.model_fields["type"].default: kind for kind in (*REQUESTS, *ANSWERS)}


def breaks(name: str) -> list[dict[str, Any]]:
    """The example, broken at each of its fields in each way that its class refuses; without a field; with one too many."""
    message, kind = example(name), kinds()[name]
    made = [
        {**message, "more": 1},
        {key: value for key, value in message.items() if key != "panel"},
        {**message, "panel": 4},
    ]
    made += [{**message, field: value} for field in message if field != "type" for value in BROKEN.values()]
    return [broken for broken in made if not accepts(kind, broken)]


def accepts(kind: type[Message], message: dict[str, Any]) -> bool:
    try:
        kind.model_validate_json(json.dumps(message))
    except ValidationError:
        return False
    return True


def problems(way: str, messages: list[Any]) -> list[str]:
    """What the page finds wrong with each message."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to run scripts with")
    script = """
        import { problemOf } from "./playground/check.js";
        let text = "";
        for await (const part of process.stdin.setEncoding("utf8")) text += part;
        const [way, messages] = JSON.parse(text);
        console.log(JSON.stringify(messages.map((message) => problemOf(way, message))));
    """
    command = [node, "--experimental-default-type=module", "--input-type=module", "-e", script]
    done = subprocess.run(
        command, input=json.dumps([way, messages]), capture_output=True, text=True, timeout=120, cwd=web.__path__[0]
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_type_has_an_example_with_all_its_fields():
    assert set(EXAMPLES) == set(kinds())
    for name, kind in kinds().items():
        assert set(example(name)) == set(kind.model_fields)


def test_the_page_has_the_table_of_the_server():
    for name, text in message_files().items():
        assert web_text(f"playground/{name}") == text, "run `python -m wayfolk.playground.message_table`"


def test_both_ends_accept_each_message():
    requests = [example(kind.model_fields["type"].default) for kind in REQUESTS]
    answers = [example(kind.model_fields["type"].default) for kind in ANSWERS]
    assert problems("requests", requests) == [""] * len(requests)
    assert [type(read_request(json.dumps(each))) for each in requests] == list(REQUESTS)
    told = [json.loads(answer_text(kind.model_validate(each))) for kind, each in zip(ANSWERS, answers, strict=True)]
    assert told == answers
    assert problems("answers", told) == [""] * len(answers)


def test_what_has_no_value_is_left_out_and_accepted():
    small = [{"type": "thinking", "panel": 0}, {"type": "overlay", "panel": 1, "step": 0}]
    assert [json.loads(answer_text(kinds()[each["type"]].model_validate(each))) for each in small] == small
    assert problems("answers", small) == ["", ""]


def test_both_ends_refuse_each_broken_message():
    for way, part in (("requests", REQUESTS), ("answers", ANSWERS)):
        names = [kind.model_fields["type"].default for kind in part]
        broken = [each for name in names for each in breaks(name)]
        assert {each["type"] for each in broken} == set(names)
        found = problems(way, broken)
        wrong = [each for each, problem in zip(broken, found, strict=True) if not problem]
        assert [json.dumps(each)[:300] for each in wrong] == []
        assert all(len(breaks(name)) >= 3 for name in names)
    for each in breaks("edit") + breaks("open"):
        with pytest.raises(BadInput, match="the page sent something wrong"):
            read_request(json.dumps(each))


@pytest.mark.parametrize(
    "message", [{}, {"type": "nothing"}, {"type": "stopped", "panel": 0, "why": "x"}, [], "open", None, 3]
)
def test_what_is_no_request_is_refused_at_both_ends(message):
    with pytest.raises(BadInput):
        read_request(json.dumps(message))
    assert problems("requests", [message])[0].startswith("there is no message of type")


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_worker_says_what_the_server_passes_on(kind: type[Answer]):
    name = kind.model_fields["type"].default
    worker = Worker(Kept())  # type: ignore[arg-type]
    worker.panel = 2
    worker.tell(kind, **EXAMPLES[name])
    (data,) = worker.pipe.sent  # type: ignore[attr-defined]
    assert kind_of(data) is kind
    assert json.loads(text_of(data)) == {**example(name), "panel": 2}
    with pytest.raises(ValidationError):
        worker.tell(kind, **{**EXAMPLES[name], "more": 1})


def test_orders_to_workers_are_requests_or_what_only_the_server_knows():
    assert {order for order in get_args(Order) if issubclass(order, Message)} < set(REQUESTS)
    assert kind_of(bytes([2, 0, 3, 0, 9, 0, 0, 0])) == 2
    assert last_step(bytes([2, 0, 3, 0, 9, 0, 0, 0])) == 11
    assert AdvanceTo(panel=1, step=4).type == "until"

"""TOML documents with mistakes in them: values of another type, keys that are missing, misspelt or nested."""

import copy
import json

from hypothesis import strategies as st

from wayfolk.errors import BadInput

ODD = [
    0, -1, 1, 7, 1 << 62, 1 << 80, 0.5, -2.5, 1e300, float("inf"), float("nan"), True, False, "", "x", "random", "name",
    "\x00", "a" * 300, "*", "[", "..", "ü\n\\", [], [1], [0, 0], [[0, 0]], [[]], [1, "a"], ["x", "x"], [0, 0, 1, 1], {},
    {"name": 1}, {"make": 3}, {"kind": []}, [{}], [{"count": 1}, 3],
]  # fmt: skip


@st.composite
def broken(draw, valid):
    """`valid` with one to four mistakes."""
    data = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(data))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(["replace", "replace", "delete", "nest", "list", "rename", "add"]))
        if how == "delete":
            del holder[key]
        elif how == "nest":
            holder[key] = {"name": holder[key]}
        elif how == "list":
            holder[key] = [holder[key]]
        elif how == "rename" and isinstance(holder, dict):
            holder[f"{key}x"] = holder.pop(key)
        elif how == "add" and isinstance(holder, list):
            holder.append(copy.deepcopy(draw(st.sampled_from(ODD))))
        else:
            holder[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
    return data


def _places(value):
    """Every key and item of a document, with what holds it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


def as_toml(data):
    """A document as a text: a line for each key, and tables in braces."""
    return "".join(f"{json.dumps(key)} = {_value(value)}\n" for key, value in data.items())


def _value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value).replace("\x7f", "\\u007f")


def must_name_lines(read, file):
    """`read(file)` returns, or raises a BadInput of which each line names the file and a line of it."""
    n_lines = max(1, len(file.read_text(encoding="utf-8").splitlines()))
    try:
        read(file)
    except BadInput as error:
        for sentence in str(error).split("\n"):
            start, _, rest = sentence.partition(": ")
            name, _, line = start.rpartition(", line ")
            assert name == str(file), sentence
            assert 1 <= int(line) <= n_lines, sentence
            assert rest, sentence

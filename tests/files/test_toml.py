"""Lines of TOML values, and files that are not TOML."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.errors import BadInput
from wayfolk.files.toml import Document, Schema, Table, Text, as_written, read_toml
from wayfolk.files.toml_lines import lines_of

TEXT = '''# a comment with [[a.header]] and key = 3
title = "x # y"  # another
"quoted key" = 'it''s = [1]'
multi = """
[not.a.header]
a = 1 \\"""
""""
literal = \'\'\'
b = 2\'\'\'
dates = [1979-05-27 07:32:00, 07:32:00]
a.b.c = 1
a.b.d = { e = [
    10,
    [20,

     21], # 22
] , f.g = -1e+10 }

[table]
key = 1
[table . "sub table"]
key = 2

[[list]]
name = "first"
[list.inner]
x = 1
[[list.deep]]
y = 1
[[list.deep]]
y = 2
[[list]]
name = "second"
[[list.deep]]
y = 3
'''
LINES = {
    ("title",): 2, ("quoted key",): 3, ("multi",): 4, ("literal",): 8, ("dates", 1): 10, ("a",): 11, ("a", "b", "c"): 11,
    ("a", "b", "d"): 12, ("a", "b", "d", "e", 0): 13, ("a", "b", "d", "e", 1, 0): 14, ("a", "b", "d", "e", 1, 1): 16,
    ("a", "b", "d", "f", "g"): 17, ("table",): 19, ("table", "key"): 20, ("table", "sub table"): 21,
    ("table", "sub table", "key"): 22, ("list",): 24, ("list", 0): 24, ("list", 0, "name"): 25, ("list", 0, "inner"): 26,
    ("list", 0, "inner", "x"): 27, ("list", 0, "deep", 0): 28, ("list", 0, "deep", 1, "y"): 31, ("list", 1): 32,
    ("list", 1, "name"): 33, ("list", 1, "deep", 0, "y"): 35,
}  # fmt: skip


def locations(value, loc=()):
    yield loc
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from locations(inner, (*loc, key))


def test_every_key_and_item_has_its_line():
    text = TEXT.replace("it''s", "its")
    lines = lines_of(text)
    assert set(lines) == set(locations(tomllib.loads(text)))
    assert {loc: lines[loc] for loc in LINES} == LINES


values = st.recursive(
    st.integers(-5, 5).map(str)
    | st.booleans().map(lambda flag: str(flag).lower())
    | st.sampled_from(['"a # ] }"', "'['", '"""\n}]\n"""', "'''\n\"\n'''", "1.5", "2020-01-01 01:02:03", '"\\""']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[\n" + ",  # [\n".join(items) + "\n]")
        | st.lists(inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"k{n} = {v}" for n, v in enumerate(items)) + "}"
        )
    ),
    max_leaves=8,
)


@given(st.lists(values, min_size=1, max_size=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_lines_of_any_document(items, is_table):
    text = "".join(f"\n[[t]]\nx = {v}\n" if flag else f"\n[s{n}]\nx = {v}\n" for n, (v, flag) in
                   enumerate(zip(items, is_table, strict=False)))  # fmt: skip
    lines = lines_of(text)
    assert set(lines) == set(locations(tomllib.loads(text)))
    for loc, line in lines.items():
        if loc and loc[-1] == "x":
            assert text.splitlines()[line - 1].startswith("x = ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = 1\nb = \n", "line 2: not TOML: Invalid value"),
        ("a = 1\na = 2", "line 2: not TOML: Cannot overwrite a value"),
        ("a = 1\nb = " + "9" * 5000, "line 2: not TOML: a number has too many digits"),
        ("a = 1\nb = " + "[" * 4000, "line 2: not TOML: lists or tables are nested too deeply"),
        ("a = 1\nb = " + "[" * 4000 + "]" * 4000, "line 2: not TOML: lists or tables are nested too deeply"),
    ],
)
def test_what_is_not_toml_is_named_with_its_line(tmp_path, text, sentence):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(BadInput, match=re.escape(f"{tmp_path / 'a.toml'}, {sentence}")):
        read_toml(tmp_path / "a.toml", "scene")


def test_deep_documents_that_python_takes_are_read(tmp_path):
    (tmp_path / "a.toml").write_text("b = " + "[" * 200 + "]" * 200 + "\nc = " + "{a = " * 100 + "1" + "}" * 100)
    assert len(read_toml(tmp_path / "a.toml", "scene").lines) == 1 + 200 + 101


class Named(Schema):
    name: Text = None


def test_a_malformed_value_counts_as_not_given_and_all_complaints_come_at_once():
    text = 'name = 3\nnmae = "x"\n'
    document = Document("a.toml", text, tomllib.loads(text), "scene")
    table: Table[Named] = document.root(Named)
    assert table.values.name is None
    assert "name" in table
    with pytest.raises(BadInput) as caught:
        document.raise_complaints()
    assert str(caught.value).split("\n") == [
        "a.toml, line 1: name must be a text, not 3",
        "a.toml, line 2: a scene has no key 'nmae': did you mean 'name'?",
    ]


def test_values_are_shown_as_they_are_written():
    assert [as_written(value) for value in (True, 3, 0.5, "x", [1])] == ["true", "3", "0.5", "'x'", "'[1]'"]

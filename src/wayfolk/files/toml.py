"""TOML files read by a schema: all that is wrong is raised at once, with the file, the line and the offender.

A table is declared as a class. Each of its fields says what its value must be, in the words of the complaint:

    class Group(Schema):
        count: Annotated[int | None, Field(ge=1), Expects("a whole number from 1")] = None
        places: Places = None

pydantic compares the file with the declaration. A value that does not fit is complained about and then counts as not given,
so that the reader can go on and find what else is wrong.
"""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, Strict, StrictInt, ValidationError
from pydantic.fields import FieldInfo

from wayfolk.errors import BadInput, hint
from wayfolk.files.built_in import file_of
from wayfolk.files.raw import File, reason, shown
from wayfolk.files.toml_lines import Loc, lines_of

MOST_INT = (1 << 63) - 1  # TOML's whole numbers have 64 bits


@dataclass(frozen=True)
class Expects:
    """What a value must be, as a complaint says it; `item` is said of one item of a list."""

    value: str
    item: str = ""


class Schema(BaseModel):
    """A table of a TOML file. Every field has a default, which is also what a malformed value counts as."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Place = tuple[int, int]
_Place = Annotated[tuple[StrictInt, StrictInt], Strict(False)]
_Size = Annotated[int, Field(strict=True, ge=1)]
_Area = Annotated[tuple[StrictInt, StrictInt, _Size, _Size], Strict(False)]

Text = Annotated[str | None, Expects("a text")]
Flag = Annotated[bool | None, Expects("true or false")]
OnePlace = Annotated[_Place | None, Expects("a place [x, y]")]
Places = Annotated[
    Annotated[list[_Place], Field(min_length=1)] | None, Expects("a list of places [x, y]", "a place [x, y]")
]
Area = Annotated[_Area | None, Expects("an area [x, y, width, height]")]
Count = Annotated[int | None, Field(ge=1), Expects("a whole number from 1")]
Seed = Annotated[int | None, Field(ge=0, le=1 << 62), Expects("a whole number from 0")]
Positive = Annotated[float | None, Field(gt=0), Expects("a number above 0")]
SubTable = Annotated[dict[str, Any] | None, Expects("a table")]


S = TypeVar("S", bound=Schema)
Inner = TypeVar("Inner", bound=Schema)


class Document:
    """A TOML file, and what is wrong with it as far as is known."""

    def __init__(self, file: File, text: str, data: dict[str, Any], kind: str) -> None:
        self.file, self.text, self.data, self.kind = str(file), text, data, kind
        self.lines = lines_of(text)
        self.complaints: list[tuple[int, str]] = []

    def complain(self, loc: Loc, sentence: str) -> None:
        """Note a mistake in the line of `loc`, or of the table around it if it is not there."""
        self.complain_in_line(self.line_of(loc), sentence)

    def complain_in_line(self, line: int, sentence: str) -> None:
        """Note a mistake in a line, which counts from 1."""
        sentence = sentence.replace("\n", "\\n").replace("\r", "\\r")  # one complaint, one line
        if (line, sentence) not in self.complaints:
            self.complaints.append((line, sentence))

    def line_of(self, loc: Loc) -> int:
        """The line of a value, or of the smallest table around it that is in the file."""
        return next(self.lines[loc[:depth]] for depth in range(len(loc), -1, -1) if loc[:depth] in self.lines)

    def raise_complaints(self) -> None:
        """Raise one BadInput with all complaints by line, if there are any."""
        if self.complaints:
            raise BadInput("\n".join(f"{self.file}, line {line}: {why}" for line, why in sorted(self.complaints)))

    def root(self, schema: type[S]) -> Table[S]:
        """The whole file as `schema` declares it."""
        return Table(self, (), self.data, schema)


class Table(Generic[S]):
    """A table of a document: its `values` as declared, and `given`, the keys as they are in the file."""

    def __init__(self, document: Document, loc: Loc, given: dict[str, Any], schema: type[S]) -> None:
        self.document, self.loc, self.given = document, loc, given
        self.malformed: set[str] = set()
        try:
            self.values = schema.model_validate(given)
        except ValidationError as error:
            for problem in error.errors(include_url=False, include_context=False, include_input=False):
                self._complain_of(schema, problem["type"], problem["loc"])
            kept = {key: value for key, value in given.items() if key not in self.malformed}
            self.values = schema.model_validate(kept)

    def complain(self, key: Any, sentence: str) -> None:
        """Note a mistake about a key; an empty one stands for the table."""
        self.document.complain((*self.loc, key) if key else self.loc, sentence)

    def __contains__(self, key: str) -> bool:
        return key in self.given

    @property
    def name(self) -> str:
        """How complaints call the table."""
        named = [part for part in self.loc if isinstance(part, str)]
        return f"[{'.'.join(named)}]" if named else f"a {self.document.kind}"

    def allow(self, known: Iterable[str], owner: str = "") -> None:
        """Complain about keys of the schema that are not among `known`: they have no meaning here."""
        known = list(known)
        for key in self.given:
            if key not in known and key not in self.malformed:
                self.malformed.add(key)
                self.complain(key, f"{owner or self.name} has no key {key!r}{hint(key, known)}")

    def need(self, owner: str, *keys: str) -> None:
        """Complain about `keys` that are not given."""
        for key in keys:
            if key not in self.given:
                self.malformed.add(key)
                self.complain("", f"{owner} needs `{key}`: {self._expects(type(self.values), key).value}")

    def only_one(self, *keys: str) -> bool:
        """Whether at most one of `keys` is given; complains if not."""
        given = [key for key in keys if key in self.given]
        if len(given) > 1:
            self.complain(given[1], f"give {' or '.join(given)}, not both")
        return len(given) <= 1

    def table(self, key: str, schema: type[Inner]) -> Table[Inner]:
        """The table `key` within this one, empty if it is not given."""
        return Table(self.document, (*self.loc, key), getattr(self.values, key) or {}, schema)

    def tables(self, key: str, schema: type[Inner]) -> list[Table[Inner]]:
        """The tables [[key]] within this one."""
        items: list[dict[str, Any]] = getattr(self.values, key) or []
        return [Table(self.document, (*self.loc, key, number), item, schema) for number, item in enumerate(items)]

    def _complain_of(self, schema: type[Schema], kind: str, at: tuple[Any, ...]) -> None:
        """Note what pydantic says about a value: `at` begins with its key."""
        key = str(at[0])
        self.malformed.add(key)
        if kind == "extra_forbidden":
            self.complain(key, f"{self.name} has no key {key!r}{hint(key, schema.model_fields)}")
            return
        expects, value, loc = self._expects(schema, key), self.given[key], (*self.loc, key)
        choices = _choices(schema.model_fields[key])
        if choices and isinstance(value, str):
            self.document.complain(loc, f"{key} cannot be {as_written(value)}{hint(value, choices)}")
        elif expects.item and isinstance(value, list) and len(at) > 1 and isinstance(at[1], int):
            item = as_written(value[at[1]])
            self.document.complain((*loc, at[1]), f"{key} should hold {expects.item}, not {item}")
        else:
            self.document.complain(loc, f"{key} must be {expects.value}, not {as_written(value)}")

    def _expects(self, schema: type[Schema], key: str) -> Expects:
        return next(one for one in schema.model_fields[key].metadata if isinstance(one, Expects))


def read_toml(file: File, kind: str) -> Document:
    """The TOML document in `file`, or the built-in one of that name; `kind` is "scene" or "sweep"."""
    path = file_of(file, f"{kind}s")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"{file}: cannot be read as text: {reason(error)}") from None
    try:
        document = Document(file, text, tomllib.loads(text), kind)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{file}, line {_line_in(str(error), text)}: not TOML: {str(error).split(' (')[0]}") from None
    except ValueError:  # of int()
        line = _first_line(text, r"\d[\d_]{4000,}")
        raise BadInput(f"{file}, line {line}: not TOML: a number has too many digits") from None
    except RecursionError:
        line = _first_line(text, r"[\[{]\s*[\[{]\s*[\[{]")
        raise BadInput(f"{file}, line {line}: not TOML: lists or tables are nested too deeply") from None
    _refuse_large_numbers(document)
    return document


def as_written(value: Any) -> str:
    """A value as a complaint shows it: numbers, true and false as in the file, everything else in quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else shown(value)


def _line_in(error: str, text: str) -> int:
    """The line that an error of tomllib names; one about the end of the document is about its last line."""
    match = re.search(r"at line (\d+)", error)
    return int(match[1]) if match else text.count("\n") + 1


def _first_line(text: str, pattern: str) -> int:
    """The line of the first match, or 1."""
    match = re.search(pattern, text)
    return text.count("\n", 0, match.start()) + 1 if match else 1


def _refuse_large_numbers(document: Document) -> None:
    """Complain about whole numbers of more than 64 bits, which TOML does not have, and take 0 for them."""
    waiting: list[tuple[Loc, Any]] = [((), document.data)]
    while waiting:
        loc, value = waiting.pop()
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in list(items):
            if isinstance(item, dict | list):
                waiting.append(((*loc, key), item))
            elif isinstance(item, int) and not -MOST_INT - 1 <= item <= MOST_INT:
                document.complain((*loc, key), "a whole number has at most 64 bits")
                value[key] = 0


def _choices(field: FieldInfo) -> list[str]:
    """The texts that a field allows, if it allows only some."""
    waiting, choices = [field.annotation], []
    while waiting:
        kind = waiting.pop()
        if get_origin(kind) is Literal:
            choices += [choice for choice in get_args(kind) if isinstance(choice, str)]
        elif get_origin(kind) in (Union, types.UnionType):
            waiting += get_args(kind)
    return choices

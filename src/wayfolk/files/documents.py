"""Documents in YAML and JSON: parsed as plain data, checked against a model, with the line of what is wrong."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from wayfolk.errors import BadMap, Missing
from wayfolk.files.markup import MOST_DEPTH, MOST_PARTS, check_size
from wayfolk.files.raw import File, shown

try:
    import yaml
except ImportError:  # pragma: no cover
    raise Missing("PyYAML is not installed: pip install 'wayfolk[graphs]'") from None
from pydantic import BaseModel, ConfigDict, ValidationError

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class DocumentModel(BaseModel):
    """Some named values of a document; those that the model does not name are left out."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


F = TypeVar("F", bound=DocumentModel)


def parse(file: File, data: bytes) -> Any:
    """The data in a YAML document; no object of any class is made from it."""
    check_size(file, data)
    try:
        _check_depth(file, data)
        return yaml.load(data, Loader=LOADER)
    except yaml.YAMLError as why:
        mark = getattr(why, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        raise BadMap(
            f"{file}{line}: this is not YAML: {getattr(why, 'problem', None) or 'it cannot be parsed'}"
        ) from None
    except (ValueError, RecursionError):
        raise BadMap(f"{file}: this is not YAML that can be read: a value in it makes no sense") from None


def parse_json(file: File, data: bytes) -> Any:
    """The data in a JSON document."""
    check_size(file, data)
    if data.count(b"[") + data.count(b"{") > MOST_PARTS:
        raise BadMap(f"{file}: there are more than {MOST_PARTS} lists and tables in it")
    try:
        return json.loads(data)
    except json.JSONDecodeError as why:
        raise BadMap(f"{file}, line {why.lineno}: this is not JSON: {why.msg}") from None
    except (ValueError, RecursionError):
        raise BadMap(f"{file}: this is not JSON that can be read") from None


def checked(file: File, data: bytes, tree: Any, model: type[F], inside: tuple[int | str, ...] = ()) -> F:
    """`tree`, which was parsed from `data`, as `model`; the first fault is named with its line.

    The path `inside` leads to `tree` if that is a part of the document.
    """
    try:
        return model.model_validate(tree)
    except ValidationError as why:
        fault = why.errors()[0]
        path = (*inside, *(part for part in fault["loc"] if part is not None))
        where = ", ".join(str(part) for part in path) or "the document"
        raise BadMap(f"{file}{line_of(data, path)}: {where}: {_said(fault)}") from None


def line_of(data: bytes, path: tuple[int | str, ...]) -> str:
    """Where the value that `path` leads to begins, such as ", line 12"; "" if it cannot be told."""
    try:
        node = yaml.compose(data, Loader=LOADER)  # JSON is YAML too
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    for part in path:
        if isinstance(node, yaml.MappingNode):
            values = [value for key, value in node.value if key.value == str(part)]
        elif isinstance(node, yaml.SequenceNode):
            values = node.value[part : part + 1] if isinstance(part, int) else []
        else:
            values = []
        if not values:
            break
        node = values[0]
    return "" if node is None else f", line {node.start_mark.line + 1}"


def _said(fault: Any) -> str:
    if fault["type"] == "missing":
        return "this is missing"
    message = str(fault["msg"])
    return f"{message[:1].lower()}{message[1:]}, not {shown(fault['input'])}"


def _check_depth(file: File, data: bytes) -> None:
    """Refuse lists in lists in lists, where the loader, which is written in C, crashes, and aliases, which repeat them."""
    depth = 0
    for event in yaml.parse(data, Loader=LOADER):
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 1
            raise BadMap(f"{file}, line {line}: the alias *{event.anchor} is not read: write out what it stands for")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            line = event.start_mark.line + 1
            raise BadMap(f"{file}, line {line}: more than {MOST_DEPTH} lists or tables lie in each other")

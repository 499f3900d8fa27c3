"""Writes the table of messages for the page: `web/playground/messages.js` to check with, and `messages.d.ts` for tsc.

    python -m wayfolk.playground.message_table

The table has one JSON schema for each type of message, made from the classes of `messages.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from wayfolk import web
from wayfolk.playground import frames
from wayfolk.playground.messages import ANSWERS, REQUESTS

FOLDER = Path(web.__path__[0]) / "playground"
FRAMES = ("BEGIN", "STEPS", "FILE", "BODIES", "AHEAD", "STAY", "ARRIVED", "FREED")
"""Numbers in binary frames that both ends know."""
FOR_PEOPLE = ("title", "description", "default")
HEAD = "// Written by `python -m wayfolk.playground.message_table` from messages.py and frames.py: do not edit.\n"


def main() -> None:
    """Write both files."""
    for name, text in message_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def message_files() -> dict[str, str]:
    """The text of each file, by its name."""
    kinds = [*REQUESTS, *ANSWERS]
    _, schema = models_json_schema([(kind, "validation") for kind in kinds], ref_template="{model}")
    shapes = {name: _plain(shape) for name, shape in schema["$defs"].items()}
    types = {
        way: {kind.model_fields["type"].default: kind.__name__ for kind in part}
        for way, part in (("requests", REQUESTS), ("answers", ANSWERS))
    }
    numbers = {name: getattr(frames, name) for name in FRAMES}
    script = "".join(f"export const {name} = {number};\n" for name, number in numbers.items())
    script += f"export const TYPES = {_lines(types)};\nexport const SHAPES = {_lines(shapes)};\n"
    typed = "".join(f"export const {name}: {number};\n" for name, number in numbers.items())
    typed += "export const TYPES: { requests: Record<string, string>; answers: Record<string, string> };\n"
    typed += "export const SHAPES: Record<string, any>;\n"
    typed += "".join(f"export type {name} = {_type(shape)};\n" for name, shape in shapes.items())
    for way, part in (("Request", REQUESTS), ("Answer", ANSWERS)):
        typed += f"export type {way} = {' | '.join(kind.__name__ for kind in part)};\n"
    return {"messages.js": HEAD + script, "messages.d.ts": HEAD + typed}


def _plain(shape: Any) -> Any:
    """A schema without what only people read."""
    if isinstance(shape, list):
        return [_plain(each) for each in shape]
    if not isinstance(shape, dict):
        return shape
    names = shape.get("properties")
    kept = {key: _plain(value) for key, value in shape.items() if key not in (*FOR_PEOPLE, "properties")}
    if names is not None:
        kept["properties"] = {name: _plain(value) for name, value in names.items()}
    return kept


def _type(shape: dict[str, Any]) -> str:
    """A schema as a type of TypeScript."""
    if "$ref" in shape:
        return str(shape["$ref"])
    if "const" in shape or "enum" in shape:
        return " | ".join(json.dumps(value) for value in shape.get("enum", [shape.get("const")]))
    if "anyOf" in shape:
        return " | ".join(_type(each) for each in shape["anyOf"])
    if "prefixItems" in shape:
        return f"[{', '.join(_type(each) for each in shape['prefixItems'])}]"
    kind = shape.get("type")
    if kind == "array":
        return f"({_type(shape['items'])})[]"
    if kind == "object" and "properties" in shape:
        needed = shape.get("required", [])
        fields = [
            f"{name}{'' if name in needed or name == 'type' else '?'}: {_type(field)}"
            for name, field in shape["properties"].items()
        ]
        return f"{{ {'; '.join(fields)} }}"
    if kind == "object":
        values = shape.get("additionalProperties")
        return f"Record<string, {_type(values) if isinstance(values, dict) else 'any'}>"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}.get(
        str(kind), "any"
    )


def _lines(table: dict[str, Any]) -> str:
    """A table as JSON, with a line for each entry."""
    rows = [f"  {json.dumps(name)}: {json.dumps(value, sort_keys=True)}" for name, value in table.items()]
    return "{\n" + ",\n".join(rows) + "\n}"


if __name__ == "__main__":
    main()

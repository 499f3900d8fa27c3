"""Rows of CSV files, with their lines; a file that is no table is refused in one sentence."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from wayfolk.errors import BadInput
from wayfolk.files.raw import MAX_BYTES


def csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it ends; a plan of many agents can be one long field."""
    csv.field_size_limit(MAX_BYTES)
    table = csv.reader(io.StringIO(text))
    try:
        for row in table:
            yield table.line_num, row
    except csv.Error as why:
        raise BadInput(f", line {table.line_num}: not a table: {why}") from None

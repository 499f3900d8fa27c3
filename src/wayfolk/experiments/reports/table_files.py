"""Tables of results as files: CSV for other programs, LaTeX for papers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wayfolk.errors import BadInput
from wayfolk.experiments.choosing.comparison import shown
from wayfolk.files.raw import write_bytes

Rows = Sequence[dict[str, Any]]
SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}  # fmt: skip
"""Characters that mean something else to LaTeX, and how they are written."""


def check_table_file(file: str | Path) -> None:
    """Raise BadInput unless the name of `file` ends in the suffix of a table."""
    if Path(file).suffix.lower() not in (".csv", ".tex"):
        raise BadInput(f"{file}: a table is written as .csv or .tex")


def write_table(rows: Rows, columns: Sequence[str], file: str | Path) -> None:
    """Write the `columns` of `rows` as .csv or, rounded as on the terminal, as .tex."""
    check_table_file(file)
    text = latex_table(rows, columns) if Path(file).suffix.lower() == ".tex" else _csv_table(rows, columns)
    write_bytes(file, text.encode(), BadInput)


def latex_table(rows: Rows, columns: Sequence[str]) -> str:
    """A `tabular` with the rules of booktabs: texts to the left, numbers to the right."""
    is_number = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in columns]
    head = [name.replace("_", " ") for name in columns]
    cells = [head, *([shown(row.get(name)) for name in columns] for row in rows)]
    first, *others = (" & ".join(map(_escaped, line)) + r" \\" for line in cells)
    return "\n".join(
        [
            r"% made by Wayfolk; needs \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in is_number)}}}",
            r"\toprule",
            first,
            r"\midrule",
            *others,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(letter, letter) for letter in " ".join(text.split()))


def _csv_table(rows: Rows, columns: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

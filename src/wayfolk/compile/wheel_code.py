"""Machine code that is installed with the package: for one numba, Python and numpy, and a level of processors.

`make dist` writes it into the wheel, with a file that says what it was made for. Sources have no such folder.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from wayfolk.compile.numba_parts import host_features

FOLDER = Path(__file__).resolve().parents[1] / "machine_code"
MADE_FOR = "made_for.json"
Processor = tuple[str, str, str]
"""A system, a processor and its features, as numba names them."""


@cache
def made_for(versions: tuple[str, ...], system: str) -> tuple[Processor | None, str]:
    """The processor that the installed code was made for; None, and why, if it cannot be used here.

    `versions` are those of numba, Python and numpy. Without installed code there is nothing to say.
    """
    try:
        made = json.loads((FOLDER / MADE_FOR).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None, ""
    its_system, name, features = made["processor"]
    missing = {feature.lstrip("+") for feature in features.split(",")} - host_features()
    for what, its, ours in zip(("numba", "Python", "numpy"), made["versions"], versions, strict=True):
        if its != ours:
            return None, f"the installed machine code is for {what} {its}, and this is {ours}: compiling instead"
    if its_system != system:
        return None, f"the installed machine code is for {its_system}, and this is {system}: compiling instead"
    if missing:
        lacks = ", ".join(sorted(missing))
        return None, f"the installed machine code is for {name}, and this processor lacks {lacks}: compiling instead"
    return (its_system, name, features), ""

"""Tests that what is said once stays so: hash tables, diagrams, refusals and outcome codes have no second definition."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "wayfolk"
FILES = sorted(SOURCE.rglob("*.py"))
TEXTS = {str(file.relative_to(SOURCE)): file.read_text(encoding="utf-8") for file in FILES}
pytestmark = pytest.mark.plain


def files_with(pattern: str) -> set[str]:
    return {name for name, text in TEXTS.items() if re.search(pattern, text)}


def test_hash_tables_share_one_mix():
    """The other users of these constants draw random numbers."""
    assert files_with(r"0x9E3779B97F4A7C15|11400714819323198485") == {
        "kernels/table.py", "kernels/random.py", "kernels/bodies/steering.py",
    }  # fmt: skip


def test_linear_probing_is_in_one_file():
    """Blocks of a pool, one for each agent, are probed where they lie: `find` needs a table that is a whole array."""
    probing = r"\b(\w+) = \(\1 \+ (?:1|np\.uint64\(1\))\) & "
    assert files_with(probing) == {
        "kernels/table.py", "algorithms/controllers/bmaa/tiles.py", "algorithms/planners/lacam/pibt.py",
    }  # fmt: skip


def test_planners_are_refused_problems_in_one_place():
    raising = r"raise \w+\([^)]*(one goal each|one goal for each agent)"
    assert {name for name in files_with(raising) if name.startswith("algorithms/")} == {"algorithms/refusals.py"}


def test_outcome_codes_are_defined_once():
    assert files_with(r"(?m)^RUNNING, FOUND, EXHAUSTED, FULL = ") == {"kernels/codes.py"}


def test_classes_of_planners_have_names_of_their_own():
    homes = defaultdict(set)
    for name, text in TEXTS.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(name)
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert not {name: files for name, files in twice.items() if any("/planners/" in file for file in files)}


def test_diagrams_of_planners_are_built_in_one_file():
    """Only the builder of a decision diagram leaves out cells from which the goal is too far for what is left of a cost."""
    too_far = {name for name in files_with(r"> (cost|most)( - \w+)? or ") if "/planners/" in name}
    assert too_far == {"algorithms/planners/_cbs/mdd.py"}
    assert "_cbs.mdd import MOVE_BITS, build" in TEXTS["algorithms/planners/icts/diagrams.py"]

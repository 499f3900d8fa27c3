"""The public names for authors of algorithms."""

import ast
from pathlib import Path

from wayfolk import extend


def test_every_name_is_listed_once_and_in_order():
    tree = ast.parse(Path(extend.__file__).read_text())
    imported = [alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(imported) == sorted(extend.__all__)
    assert len(set(imported)) == len(imported)
    assert not [name for name in extend.__all__ if name.startswith("_")]


def test_every_name_is_explained():
    words = set(extend.__doc__.replace(",", " ").replace(";", " ").replace(":", " ").replace(".", " ").split())
    kinds = {"BLOCK", "FREE", "GOAL", "JOIN", "LEAVE", "RELEASE", "THOUGHT"}  # "and others"
    worlds = {"Graph", "Grid", "Problem"}
    assert set(extend.__all__) - kinds - worlds <= words

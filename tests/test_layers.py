"""The tree is as docs/how-it-is-built.md draws it, in the order in which import-linter checks it."""

import re
import tomllib
from pathlib import Path

import wayfolk

HOME = Path(wayfolk.__file__).parent
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-it-is-built.md"


def entries() -> set[str]:
    """What lies at the top of the package, without its own files and the marker for type checkers."""
    own = ("__pycache__", "__init__.py", "__init__.pyi", "__main__.py", "py.typed")
    names = {path.name for path in HOME.iterdir() if path.name not in own}
    return {name.removesuffix(".py") for name in names}


def test_the_contract_has_every_entry_and_the_page_draws_them_in_its_order():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    drawn = re.findall(r"^([a-z]+)(?:\.py|/) ", PAGE.read_text(), re.MULTILINE)
    assert ["__main__", *drawn[::-1]] == contract["layers"]
    assert set(drawn) == entries()


def test_tests_mirror_the_tree():
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [str(folder) for folder in folders if not (HOME / folder).is_dir()]

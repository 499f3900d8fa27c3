"""Print the oldest version of each dependency that pyproject.toml allows, as constraints for pip.

`make test-oldest` installs these. They have wheels for the oldest Python that is allowed; most have none for the newest.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
TOOLS = ("dev", "peers")  # extras that no test needs
BOUND = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,.-]+\])?>=(?P<oldest>[\d.]+)")


def main() -> None:
    """Print the constraints, or end with a sentence if this Python is not the oldest."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    python = project["requires-python"].removeprefix(">=")
    if "{}.{}".format(*sys.version_info) != python:
        sys.exit(f"the oldest versions are for Python {python}: call make with PYTHON=python{python}")
    print("\n".join(oldest_versions(project)))


def oldest_versions(project: dict) -> list[str]:
    """The constraint NAME==VERSION for each requirement, one for each name; ValueError if one has no lower bound."""
    extras = project["optional-dependencies"]
    groups = [project["dependencies"], *(extras[name] for name in extras if name not in TOOLS)]
    pins = {}
    for requirement in (one for group in groups for one in group if not one.startswith(f"{project['name']}[")):
        bound = BOUND.match(requirement)
        if bound is None:
            raise ValueError(f"pyproject.toml: {requirement} has no lower bound")
        if pins.setdefault(bound["name"], bound["oldest"]) != bound["oldest"]:
            raise ValueError(f"pyproject.toml: {bound['name']} has two lower bounds")
    return [f"{name}=={version}" for name, version in sorted(pins.items())]


if __name__ == "__main__":
    main()

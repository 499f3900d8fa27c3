"""A step of building a wheel: it takes in the folder that WAYFOLK_MACHINE_CODE names; without it, the wheel is for all systems."""

import json
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MachineCode(BuildHookInterface):
    """Adds machine code, and names the Python and the systems that it is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it writes the wheel."""
        folder = os.environ.get("WAYFOLK_MACHINE_CODE")
        if folder and version == "standard":
            made = json.loads((Path(folder) / "made_for.json").read_text(encoding="utf-8"))
            build_data["force_include"][folder] = "wayfolk/machine_code"
            build_data["tag"], build_data["pure_python"] = made["tag"], False

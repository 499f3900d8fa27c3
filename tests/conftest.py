"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("wayfolk", deadline=None)  # the first call of a kernel compiles it
settings.load_profile("wayfolk")


@pytest.fixture(scope="session")
def movingai() -> Path:
    """The folder of Moving AI maps; its README.md lies beside it."""
    given = os.environ.get("WAYFOLK_DATA")
    maps = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "maps"
    if not (maps / "movingai").is_dir():
        pytest.skip(f"there are no Moving AI maps in {maps}: set WAYFOLK_DATA to a folder that holds `movingai`")
    return maps / "movingai"

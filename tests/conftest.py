"""What all tests share."""

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from wayfolk.algorithms import catalogue

ALGORITHMS = {entry.name: entry.family for entry in catalogue.entries()}
# without a deadline: the first call of a kernel compiles it
settings.register_profile("wayfolk", deadline=None, max_examples=50)
settings.load_profile("wayfolk")

# `nohup make test &` ignores Ctrl-C, and so would the programs that tests start and interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


# the benchmark maps beside the project, for tests and the programs they start, unless the caller names others
os.environ.setdefault("WAYFOLK_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "maps"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one worker of `pytest -n` run all tests of a family of algorithms, and begin with them.

    The algorithms of a family share kernels. Two workers that come to them at the same time would both compile them.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFamily(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return family_of(nodeid) or nodeid

    return ByFamily(config, log)


def family_of(nodeid: str) -> str | None:
    """The family of the algorithm that the folder or a parameter of a test names, None if there is none."""
    test, _, parameters = nodeid.partition("[")
    for folder in test.split("/")[:-1]:
        if folder in ALGORITHMS.values():
            return folder
    return next((ALGORITHMS[word] for word in parameters.rstrip("]").split("-") if word in ALGORITHMS), None)


@pytest.fixture(scope="session")
def movingai() -> Path:
    """The folder of Moving AI maps; its README.md lies beside it."""
    maps = Path(os.environ["WAYFOLK_DATA"])
    if not (maps / "movingai").is_dir():
        pytest.skip(f"there are no Moving AI maps in {maps}: set WAYFOLK_DATA to a folder that holds `movingai`")
    return maps / "movingai"


@pytest.fixture(scope="session")
def jansen() -> Path:
    """The folder of the maps and scenarios of the Direction Map thesis."""
    folder = Path(os.environ["WAYFOLK_DATA"]) / "jansen"
    if not folder.is_dir():
        pytest.skip(
            f"there are no maps of the Direction Map thesis in {folder.parent}: set WAYFOLK_DATA to their folder"
        )
    return folder


@pytest.fixture(scope="session")
def fleets() -> Path:
    """The folder of roadmaps, layouts and instances for fleets."""
    folder = Path(os.environ["WAYFOLK_DATA"]).parent / "fleets"
    if not folder.is_dir():
        pytest.skip(f"there is no data for fleets in {folder}: it lies beside the folder that WAYFOLK_DATA names")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of one file: two of them at once cannot be driven."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium: `.ci/run` installs it")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=quiet)
        yield browser
        browser.close()

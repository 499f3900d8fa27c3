"""The docs tell the truth: every Python block and every `wayfolk` command in them is run.

A comment before a block, `<!-- test: ... -->`, says what is special about it:

    exit 1                      its commands end with this exit code
    needs the benchmark maps    it is run where they are
    needs PACKAGE               it is run where this package is installed
    file PATH                   it is the content of a file, to be put into a copy of the package
    serves                      its commands print an address and serve pages there until they are interrupted
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import urllib.request
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

import wayfolk
from wayfolk import extend

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ALGORITHMS = sorted((DOCS / "algorithms").rglob("*.md"))
EXAMPLE = DOCS / "add-an-algorithm.md"
CLI = DOCS / "cli.md"
STORIES = [
    DOCS / f"{name}.md"
    for name in ("game-loop", "fleet-day", "evacuation", "watch", "laboratory", "store", "environment", "class")
]
"""tests/test_stories.py follows them, and tests/playground/test_class_story.py the last."""
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")),
    *sorted(DOCS.glob("*.md")),
]
NEEDS_MAPS = "needs the benchmark maps"
BLOCK = re.compile(
    r"(?:^<!-- test: (?P<mark>.*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass
class Block:
    language: str
    text: str
    mark: str
    line: int

    def commands(self) -> list[str]:
        """Its `wayfolk` commands, if it is a shell block."""
        if self.language not in ("sh", "console"):
            return []
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line.removeprefix("$ ") for line in lines if line.startswith(("wayfolk ", "$ wayfolk "))]

    def exit_code(self) -> int:
        return int(self.mark.split()[1]) if self.mark.startswith("exit ") else 0


def blocks_of(page: Path) -> list[Block]:
    content = page.read_text(encoding="utf-8")
    return [
        Block(match["language"], match["text"], match["mark"] or "", content[: match.start("text")].count("\n"))
        for match in BLOCK.finditer(content)
    ]


def names(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(ROOT)) for page in pages]


def pages(which: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", which, ids=names(which))


def wayfolk_command(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(os.path.expandvars(command), comments=True)
    script = Path(sys.executable).with_name("wayfolk")
    return subprocess.run(
        [script, *words[1:]],
        cwd=folder,
        env=os.environ | more,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def serve_and_interrupt(command: str, folder: Path) -> None:
    """Run a command that serves pages until it prints its address; get the page; interrupt it."""
    words = [*shlex.split(command, comments=True)[1:], "--port", "0", "--no-browser"]
    script = Path(sys.executable).with_name("wayfolk")
    with subprocess.Popen(
        [script, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        stopper = threading.Timer(120, server.kill)  # reading its first line must end
        stopper.start()
        try:
            line = server.stdout.readline()
            address = re.search(r"http://\S+", line)
            assert address, f"{command}\n{line}{'' if server.poll() is None else server.stderr.read()}"
            with urllib.request.urlopen(address[0], timeout=60) as page:
                assert page.status == 200
            server.send_signal(signal.SIGINT)
            assert server.wait(30) in (0, 130)
        finally:
            stopper.cancel()
            server.kill()


def run_blocks(blocks: list[Block], page: Path, folder: Path) -> list[str]:
    """Run Python blocks in one namespace and commands in processes of their own; what the commands print."""
    scope: dict[str, object] = {"__name__": "example"}
    printed = []
    for block in blocks:
        if block.mark.startswith("needs ") and block.mark != NEEDS_MAPS and find_spec(block.mark.split()[1]) is None:
            continue
        if block.language == "python":
            exec(compile("\n" * block.line + block.text, page, "exec"), scope)
        for command in block.commands():
            if block.mark == "serves":
                serve_and_interrupt(command, folder)
                continue
            done = wayfolk_command(command, folder)
            assert done.returncode == block.exit_code(), f"{page.name}: {command}\n{done.stdout}{done.stderr}"
            printed.append(done.stdout)
    return printed


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder: examples need nothing of the repository, only what is installed."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pages([page for page in PAGES if page not in (EXAMPLE, CLI, DOCS / "formats.md", *STORIES)])
def test_examples_run(page, desk):
    run_blocks([block for block in blocks_of(page) if block.mark != NEEDS_MAPS], page, desk)


def test_the_built_in_map_is_made_again_as_its_page_says(desk):
    from wayfolk.files.built_in import HOME

    page = DOCS / "formats.md"
    run_blocks([block for block in blocks_of(page) if block.mark != NEEDS_MAPS], page, desk)
    assert (wayfolk.read_map("my-rooms.map").free == wayfolk.read_map("rooms").free).all()
    assert (desk / "my-rooms.scen").read_bytes() == (HOME / "scenarios" / "rooms.scen").read_bytes()


@pages([page for page in PAGES if any(block.mark == NEEDS_MAPS for block in blocks_of(page))])
def test_examples_with_benchmark_maps_run(page, desk, movingai, monkeypatch):
    monkeypatch.setenv("WAYFOLK_DATA", str(movingai.parent))
    run_blocks([block for block in blocks_of(page) if block.mark == NEEDS_MAPS], page, desk)


@pages([page for page in ALGORITHMS if any(block.commands() for block in blocks_of(page))])
def test_an_algorithm_runs_as_its_page_says(page, desk, monkeypatch, capsys):
    """In this process, so that a hundred algorithms take seconds. Whoever promises nothing may leave agents behind."""
    from wayfolk.algorithms.catalogue import find
    from wayfolk.cli.app import main

    monkeypatch.setattr("wayfolk.cli.agents.SECONDS", 3000)  # the machine may be busy
    promises = find(page.stem, page.parent.name).facts["COMPLETE"]
    for command in [command for block in blocks_of(page) for command in block.commands()]:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0 or (left.value.code == 1 and not promises), capsys.readouterr().err


def test_scripts_get_the_keys_they_were_promised(desk):
    sys.path.insert(0, str(DOCS))
    try:
        from make_pages import CONTRACTS
    finally:
        sys.path.remove(str(DOCS))
    printed = run_blocks(blocks_of(CLI), CLI, desk)
    assert len(printed) == len(CONTRACTS)
    for (command, keys), text in zip(CONTRACTS, printed, strict=True):
        value = json.loads(text)
        for answer in value if isinstance(value, list) else [value]:
            assert set(keys) <= set(answer), command


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """An empty folder with the worked example's files in it; what runs there is not compiled."""
    folder = tmp_path_factory.mktemp("workshop")
    files = [block for block in blocks_of(EXAMPLE) if block.mark.startswith("file ")]
    for block in files:
        (folder / block.mark.removeprefix("file ")).write_text(block.text, encoding="utf-8")
    assert sorted(path.stem for path in folder.iterdir()) == [
        "depth_first", "downhill", "one_by_one", "sidestep", "step_by_step",
    ]  # fmt: skip
    return folder


def workshop_settings(folder: Path, *, compiled: bool = False) -> dict[str, str]:
    return {"WAYFOLK_CACHE": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0" if compiled else "1"}


def test_the_worked_examples_import_public_names_only(workshop):
    text = EXAMPLE.read_text(encoding="utf-8")
    modules = set(re.findall(r"^(?:from|import) (wayfolk[\w.]*)", text, re.MULTILINE))
    assert modules == {"wayfolk", "wayfolk.extend"}
    for word in re.findall(r"^from wayfolk.extend import (\([^)]*\)|[^\n]*)", text, re.MULTILINE):
        assert set(re.findall(r"\w+", word)) <= set(extend.__all__)


def test_the_worked_example_runs(workshop):
    """Word for word, in a folder that has nothing of the repository in it."""
    blocks = [block for block in blocks_of(EXAMPLE) if not block.mark]
    commands = [command for block in blocks for command in block.commands()]
    for module in ("depth_first", "step_by_step", "one_by_one", "sidestep", "downhill"):
        assert [command for command in commands if command.startswith(f"wayfolk check-algorithm {module}:begin")]
    for command in commands:
        done = wayfolk_command(command, workshop, **workshop_settings(workshop))
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    script = "\n".join(block.text for block in blocks if block.language == "python")
    settings = os.environ | workshop_settings(workshop)
    subprocess.run([sys.executable, "-W", "error", "-c", script], cwd=workshop, env=settings, check=True, timeout=300)


@pytest.mark.parametrize(
    "command",
    [
        "wayfolk path rooms --from 2,2 --to 29,29 --with depth_first:begin",
        "wayfolk solve rooms --scen rooms --agents 1 --with downhill:begin",
    ],
)
def test_a_worked_example_compiles(command, workshop):
    assert command in EXAMPLE.read_text(encoding="utf-8").splitlines()
    done = wayfolk_command(command, workshop, **workshop_settings(workshop, compiled=True))
    assert done.returncode == 0, done.stderr


def test_a_worked_example_that_breaks_its_promise_is_told(workshop):
    """The page's command can fail: a depth-first search does not find shortest paths."""
    text = (workshop / "depth_first.py").read_text(encoding="utf-8")
    (workshop / "proud.py").write_text(text.replace("OPTIMAL = False", "OPTIMAL = True"), encoding="utf-8")
    done = wayfolk_command("wayfolk check-algorithm proud:begin", workshop, **workshop_settings(workshop))
    assert done.returncode == 1
    assert re.search(r"BROKEN +finds what its facts promise: the path costs .*, and the best", done.stdout)
    assert re.search(r"\d x \d, \w+ moves\n[.@aA\n]+", done.stdout)  # the world in which it is broken


def test_a_worked_example_with_a_collision_is_told_which(workshop):
    """The page's planner with one line less: agents no longer walk around each other."""
    text = (workshop / "one_by_one.py").read_text(encoding="utf-8")
    careless = text.replace("others = [cell for cell in self.steps[-1] if cell != here]", "others = []")
    assert careless != text
    (workshop / "careless.py").write_text(careless, encoding="utf-8")
    done = wayfolk_command("wayfolk check-algorithm careless:begin", workshop, **workshop_settings(workshop))
    assert done.returncode == 1
    assert re.search(
        r"BROKEN .*: the plan is not legal: step \d+: agents \d and \d share \(\d+, \d+\)( \(and \d+ more\))?$",
        done.stdout, re.MULTILINE,
    ), done.stdout  # fmt: skip
    assert "has faults" not in done.stdout


def test_made_pages_are_up_to_date_and_need_no_compiler():
    script = (
        "import sys, make_pages; code = make_pages.main(['--check']); sys.exit(3 if 'numba' in sys.modules else code)"
    )
    settings = os.environ | {"PYTHONPATH": str(DOCS)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=settings, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"run docs/make_pages.py: {done.stdout}{done.stderr}"


def test_the_reference_reads_without_a_builder():
    """Its pages are plain Markdown: a section with a text for each public name, where the index says."""
    linked = re.findall(r"\[`(\w+)`\]\((\w+\.md)#(\w+)\)", (DOCS / "api" / "index.md").read_text())
    assert sorted(name for name, _, _ in linked) == wayfolk.__all__
    for name, page, anchor in linked:
        text = (DOCS / "api" / page).read_text()
        assert ":::" not in text
        section = text.split(f'<a id="{anchor}"></a>\n\n## {name}\n')[1].split("\n## ")[0]
        doc = inspect.getdoc(getattr(wayfolk, name))
        assert doc.splitlines()[0] in section
        assert inspect.ismodule(getattr(wayfolk, name)) or f"{name}" in section.split("```")[1]


def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is for `make docs`")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    outside = [
        f"{page.name}: {match}"
        for page in tmp_path.rglob("*.html")
        for match in re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(https?:[^\" >]+)", page.read_text())
        if "canonical" not in match
    ]
    assert not outside  # the pages load nothing from elsewhere


@pages(PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_page_can_be_reached(start):
    text = (ROOT / start).read_text(encoding="utf-8")
    here = (ROOT / start).parent
    reached = {(here / target).resolve() for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)}
    missing = [page.name for page in DOCS.glob("*.md") if page.name != "index.md" and page not in reached]
    assert not missing
    for folder in ("algorithms", "api", "papers"):
        assert DOCS / folder / "index.md" in reached


# the example says how to add files, and the changelog names files that have moved since
@pages([page for page in PAGES if page not in (EXAMPLE, ROOT / "CHANGELOG.md")])
def test_files_that_a_page_names_are_there(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|benchmarks|examples|src|docs|maps)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name


def test_the_readme_names_both_commands():
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for command in ("demo", "test"):
        assert re.search(rf"^make {command}\b", readme, re.MULTILINE)
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)
    assert (DOCS / "images" / "demo.png").stat().st_size < 300_000


def test_pages_name_every_kind_of_fault_and_of_row():
    from wayfolk.judge.plans import KINDS_OF_FAULT
    from wayfolk.problem.record import KINDS

    judge, simulation = (DOCS / "judge.md").read_text(), (DOCS / "simulation.md").read_text()
    assert [kind for kind in KINDS_OF_FAULT if f"`{kind}`" not in judge] == []
    assert [kind for kind in KINDS if f"`{kind.upper()}`" not in simulation] == []


def test_public_names_are_sorted():
    assert wayfolk.__all__ == sorted(wayfolk.__all__)
    assert len(set(wayfolk.__all__)) == len(wayfolk.__all__)


@pytest.mark.parametrize("name", wayfolk.__all__)
def test_a_public_name_is_there_and_explained(name):
    value = getattr(wayfolk, name)
    assert inspect.ismodule(value) == (name in ("env", "events", "generate", "metrics"))
    text = value.__doc__
    assert text
    assert not text.startswith(f"{name}(")  # what a dataclass makes up

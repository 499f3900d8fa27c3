"""Fetching benchmark sets, from a site on this machine that misbehaves on demand."""

import io
import json
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from wayfolk.errors import BadInput, Missing, UnknownName
from wayfolk.files import archive, download, fetch
from wayfolk.files.download import SETS, SUMS, get_set
from wayfolk.files.folders import find_data, match_data

MAP, SCEN = "/room/room-map.zip", "/room/room-scen.zip"
LARGE = random.Random(7).randbytes(300_000)  # does not pack


def packed(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            # always of the same date: its bytes stand in messages
            zipped.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return data.getvalue()


@dataclass
class Request:
    path: str
    range: str | None
    condition: str | None
    status: int = 0
    served: int = 0


@dataclass
class Site:
    """Files by path, and ways to serve them badly."""

    files: dict[str, bytes]
    tags: bool = True  # tell versions apart
    lengths: bool = True  # say how long a file is
    ranges: bool = True  # honour Range
    conditions: bool = True  # honour If-Range
    cut: int = 1 << 40  # bytes after which the connection is closed
    cuts: int = 0  # how many times
    stall: int = 1 << 40  # bytes after which nothing comes
    stalls: int = 0
    status: int = 0  # answer all requests with it
    elsewhere: dict[str, str] = field(default_factory=dict)  # paths that lead to other addresses
    address: str = ""
    requests: list[Request] = field(default_factory=list)
    free: threading.Event = field(default_factory=threading.Event)

    def served(self, path: str) -> int:
        return sum(request.served for request in self.requests if request.path == path)

    def tag(self, path: str) -> str:
        return f'"{sha256(self.files[path]).hexdigest()[:12]}"'


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A small set `room`, and short pauses."""
    served = Site(
        {
            MAP: packed({"rooms/a.map": LARGE, "rooms/b.map": b"b", "rooms/readme.txt": b"hello"}),
            SCEN: packed({"a.map.scen": b"version 1\n"}),
        }
    )
    with serving(served):
        monkeypatch.setenv("WAYFOLK_SITE", served.address)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr(fetch, "PAUSES", (0.01, 0.01, 0.01))
        yield served


class serving:  # noqa: N801
    """Serve a site in a thread."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def __enter__(self) -> None:
        class Handler(_Handler):
            site = self.site

        self.server = _Server(("127.0.0.1", 0), Handler)
        self.site.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.site.free.set()
        self.server.shutdown()
        self.thread.join(60)
        self.server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def handle_error(self, *_: Any) -> None:
        pass  # the other side may go away at any time


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        site, path = self.site, self.path
        asked = Request(path, self.headers["Range"], self.headers["If-Range"])
        site.requests.append(asked)
        data = site.files.get(path, b"")
        start = int(asked.range.removeprefix("bytes=").removesuffix("-")) if asked.range and site.ranges else 0
        if start and site.conditions and asked.condition != site.tag(path):
            start = 0
        asked.status = site.status or (404 if path not in site.files else 206 if start else 200)
        if start >= len(data) > 0:
            asked.status = 416
        if path in site.elsewhere:
            self.send_response(302)
            self.send_header("Location", site.elsewhere[path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(asked.status)
        if site.tags and path in site.files:
            self.send_header("ETag", site.tag(path))
        if asked.status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        body = data[start:] if asked.status in (200, 206) else b""
        if site.lengths:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.write(asked, body)

    def write(self, asked: Request, body: bytes) -> None:
        site = self.site
        end = len(body)
        if site.cuts and end > site.cut:
            site.cuts -= 1
            end = site.cut
        if site.stalls and end > site.stall:
            site.stalls -= 1
            self.wfile.write(body[: site.stall])
            asked.served = site.stall
            site.free.wait(20)
        self.wfile.write(body[asked.served : end])
        asked.served = end


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def leftovers(folder: Path) -> list[str]:
    """What lies about although no set was made."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")


def test_a_set_is_fetched_unpacked_and_found(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYFOLK_CACHE", str(tmp_path))
    monkeypatch.delenv("WAYFOLK_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    set_folder = get_set("room")
    assert set_folder == tmp_path / "maps" / "room"
    assert names(set_folder) == [SUMS, "a.map", "a.map.scen", "b.map"], "folders and other files are dropped"
    assert (set_folder / "a.map").read_bytes() == LARGE
    assert leftovers(set_folder.parent / ".downloads") == []
    assert find_data("a.map.scen") == set_folder / "a.map.scen"
    assert match_data("room/*.map") == [set_folder / "a.map", set_folder / "b.map"]


def test_the_record_names_every_archive_and_file(site: Site, tmp_path: Path) -> None:
    set_folder = get_set("room", folder=tmp_path)
    rows = (set_folder / SUMS).read_text().splitlines()
    archives = [f"# {sha256(site.files[path]).hexdigest()}  {site.address}{path}" for path in (MAP, SCEN)]
    files = [
        f"{sha256((set_folder / name).read_bytes()).hexdigest()}  {name}" for name in names(set_folder) if name != SUMS
    ]
    assert rows == archives + files


def test_the_second_call_fetches_nothing_and_says_so(site: Site, tmp_path: Path) -> None:
    get_set("room", folder=tmp_path)
    site.requests.clear()
    lines: list[str] = []
    get_set("room", folder=tmp_path, tell=lambda what, done, total: lines.append(what))
    assert site.requests == []
    assert lines[-1] == "room: all 3 files are there and unchanged, nothing was fetched"


def test_progress_is_told_in_bytes(site: Site, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    get_set("room", folder=tmp_path, tell=lambda *news: reports.append(news))
    bytes_told = [(done, total) for what, done, total in reports if what == f"fetching {site.address}{MAP}"]
    size = len(site.files[MAP])
    assert bytes_told[0] == (0, size)
    assert bytes_told[-1] == (size, size)
    assert bytes_told == sorted(bytes_told)
    assert len(bytes_told) > 4
    assert reports[-1] == (f"room: 3 files were unpacked into {tmp_path / 'room'}", 3, 3)


def test_the_site_given_goes_before_the_one_in_the_environment(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFOLK_SITE", "http://127.0.0.1:9/nothing")
    assert get_set("room", site=f"{site.address}/", folder=tmp_path).is_dir()


@pytest.mark.parametrize(
    "address", ["movingai.com", "file:///etc", "ftp://127.0.0.1", "http://", "http://[::1", "http://movingai.com"]
)
def test_a_site_is_an_https_address(tmp_path: Path, address: str) -> None:
    """Or http on this machine, as in these tests."""
    with pytest.raises(BadInput, match=r"^the site must begin with https://"):
        get_set("room", site=address, folder=tmp_path)
    assert names(tmp_path) == []


def test_an_unknown_set_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"^there is no benchmark set 'rooms': did you mean 'room'\?$"):
        get_set("rooms", folder=tmp_path)
    with pytest.raises(UnknownName, match="choose one of bg512, bgmaps, da2, dao, mapf, "):
        get_set("../../etc", folder=tmp_path)


def test_a_cut_connection_is_continued_where_it_broke(site: Site, tmp_path: Path) -> None:
    site.cut, site.cuts = 100_000, 2
    get_set("room", folder=tmp_path)
    maps = [request for request in site.requests if request.path == MAP]
    assert [request.range for request in maps] == [None, "bytes=100000-", "bytes=200000-"]
    assert [request.condition for request in maps] == [None, site.tag(MAP), site.tag(MAP)]
    assert [request.status for request in maps] == [200, 206, 206]
    assert site.served(MAP) == len(site.files[MAP])


def test_the_next_call_goes_on_from_the_part(site: Site, tmp_path: Path) -> None:
    """Ctrl-C leaves the part; nothing is fetched twice."""

    def interrupt(what: str, done: int, total: int) -> None:
        if what.endswith(MAP) and done >= 120_000:
            raise KeyboardInterrupt

    site.stall, site.stalls = 150_000, 1
    with pytest.raises(KeyboardInterrupt):
        get_set("room", folder=tmp_path, tell=interrupt)
    part = tmp_path / ".downloads" / "room" / "room-map.zip.part"
    have = part.stat().st_size
    assert have >= 120_000
    assert part.read_bytes() == site.files[MAP][:have]
    assert not (tmp_path / "room").exists()
    site.free.set()
    get_set("room", folder=tmp_path)
    last = [request for request in site.requests if request.path == MAP][-1]
    assert (last.range, last.served) == (f"bytes={have}-", len(site.files[MAP]) - have)
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_killed_process_is_continued(site: Site, tmp_path: Path) -> None:
    site.stall, site.stalls = 200_000, 1
    part = tmp_path / ".downloads" / "room" / "room-map.zip.part"
    code = f"from wayfolk.files.download import get_set; get_set('room', folder={str(tmp_path)!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        wait_until(lambda: part.is_file() and part.stat().st_size == 200_000)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    site.free.set()
    site.requests.clear()
    get_set("room", folder=tmp_path)
    assert [request.range for request in site.requests] == ["bytes=200000-", None]
    assert site.served(MAP) == len(site.files[MAP]) - 200_000
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


def wait_until(is_so: Any) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize("where", ["os.rename", "zipfile.ZipExtFile.close", "shutil.rmtree"])
def test_a_process_killed_while_unpacking_leaves_no_half_set(site: Site, tmp_path: Path, where: str) -> None:
    """Whatever the moment, the next call makes the set and fetches no archive again."""
    code = f"""
import os, shutil, zipfile
from wayfolk.files.download import get_set
{where} = lambda *_, **__: os.kill(os.getpid(), 9)
get_set('room', folder={str(tmp_path)!r})
"""
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == -signal.SIGKILL
    assert not (tmp_path / "room").exists()
    site.requests.clear()
    get_set("room", folder=tmp_path)
    assert site.requests == []
    assert names(tmp_path / "room") == [SUMS, "a.map", "a.map.scen", "b.map"]
    assert leftovers(tmp_path / ".downloads") == []


def test_a_part_that_was_already_whole_is_not_asked_for_again(site: Site, tmp_path: Path) -> None:
    site.stall, site.stalls = len(site.files[MAP]) - 10, 1
    work = tmp_path / ".downloads" / "room"

    def stop(what: str, done: int, total: int) -> None:
        if done == site.stall:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_set("room", folder=tmp_path, tell=stop)
    (work / "room-map.zip.part").write_bytes(site.files[MAP])
    site.free.set()
    site.requests.clear()
    get_set("room", folder=tmp_path)
    assert [request.path for request in site.requests] == [SCEN]


def test_a_server_that_ignores_ranges_is_asked_for_all(site: Site, tmp_path: Path) -> None:
    site.cut, site.cuts, site.ranges = 100_000, 1, False
    get_set("room", folder=tmp_path)
    maps = [request for request in site.requests if request.path == MAP]
    assert [(request.range, request.status) for request in maps] == [(None, 200), ("bytes=100000-", 200)]
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


def test_a_server_that_ignores_ranges_and_breaks_off_is_given_up(site: Site, tmp_path: Path) -> None:
    site.cut, site.cuts, site.ranges = 100_000, 99, False
    with pytest.raises(Missing, match=r"room-map\.zip: cannot be fetched: .* broke off after 100000 of 3\d+ bytes$"):
        get_set("room", folder=tmp_path)
    assert len(site.requests) == 4


def test_without_a_version_nothing_is_continued(site: Site, tmp_path: Path) -> None:
    site.cut, site.cuts, site.tags = 100_000, 1, False
    get_set("room", folder=tmp_path)
    assert [request.range for request in site.requests] == [None, None, None]
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


@pytest.mark.parametrize("conditions", [True, False])
@pytest.mark.parametrize("size", [100_050, 300_000, 400_000])
def test_a_file_that_changed_is_begun_anew(site: Site, tmp_path: Path, conditions: bool, size: int) -> None:
    """Also if the server sends the rest of the new file, as if nothing had happened."""
    interrupted(site, tmp_path, 100_000)
    new = random.Random(8).randbytes(size)
    site.files[MAP] = packed({"a.map": new})
    site.conditions = conditions
    get_set("room", folder=tmp_path)
    assert (tmp_path / "room" / "a.map").read_bytes() == new
    assert not (tmp_path / "room" / "b.map").exists()


def interrupted(site: Site, folder: Path, after: int) -> None:
    """Give up a download after so many bytes of the first archive."""
    site.cut, site.cuts = after, 1

    def interrupt(what: str, done: int, total: int) -> None:
        if done == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_set("room", folder=folder, tell=interrupt)
    site.requests.clear()


def test_a_part_longer_than_the_file_is_begun_anew(site: Site, tmp_path: Path) -> None:
    interrupted(site, tmp_path, 100_000)
    part = tmp_path / ".downloads" / "room" / "room-map.zip.part"
    part.write_bytes(bytes(len(site.files[MAP]) + 1))
    get_set("room", folder=tmp_path)
    assert [request.status for request in site.requests] == [416, 200, 200]


def test_another_site_does_not_continue_a_part(site: Site, tmp_path: Path) -> None:
    interrupted(site, tmp_path, 100_000)
    other = Site(dict(site.files))
    with serving(other):
        get_set("room", site=other.address, folder=tmp_path)
    assert [request.range for request in other.requests] == [None, None]


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"url": 3}', b'{"url": "x", "more": 1}', b"\xff"])
def test_a_broken_note_means_beginning_anew(site: Site, tmp_path: Path, text: bytes) -> None:
    interrupted(site, tmp_path, 100_000)
    (tmp_path / ".downloads" / "room" / "room-map.zip.json").write_bytes(text)
    get_set("room", folder=tmp_path)
    assert [request.range for request in site.requests] == [None, None]


def test_the_note_says_what_the_part_is(site: Site, tmp_path: Path) -> None:
    interrupted(site, tmp_path, 100_000)
    note = json.loads((tmp_path / ".downloads" / "room" / "room-map.zip.json").read_bytes())
    assert (note["url"], note["etag"], note["total"]) == (site.address + MAP, site.tag(MAP), len(site.files[MAP]))


def test_a_length_that_is_not_told(site: Site, tmp_path: Path) -> None:
    site.lengths = False
    get_set("room", folder=tmp_path)
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


def test_a_silent_server_is_left_and_tried_again(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "TIMEOUT", 0.3)
    site.stall, site.stalls = 100_000, 1
    get_set("room", folder=tmp_path)
    assert [request.range for request in site.requests if request.path == MAP] == [None, "bytes=100000-"]


def test_a_server_that_stays_silent_is_an_error(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "TIMEOUT", 0.2)
    site.stall, site.stalls = 0, 99
    with pytest.raises(Missing, match=r"room-map\.zip: cannot be fetched: timed out$"):
        get_set("room", folder=tmp_path)


def test_a_port_where_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(Missing) as caught:
            get_set("room", site=address, folder=tmp_path)
    assert time.monotonic() - began < 60
    assert str(caught.value) == f"{address}{MAP}: cannot be fetched: Connection refused"
    assert leftovers(tmp_path) == []


def test_a_host_nobody_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    began = time.monotonic()
    with pytest.raises(Missing, match=r"^https://wayfolk\.invalid/room/room-map\.zip: cannot be fetched: \w.*"):
        get_set("room", site="https://wayfolk.invalid", folder=tmp_path)
    assert time.monotonic() - began < 60


def test_a_name_server_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(fetch, "LOOKUP", 0.1)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: released.wait(20))
    with pytest.raises(Missing, match=r"the address of wayfolk\.invalid could not be looked up$"):
        get_set("room", site="https://wayfolk.invalid", folder=tmp_path)
    released.set()


def test_a_redirect_on_the_same_host_is_followed(site: Site, tmp_path: Path) -> None:
    site.files["/moved.zip"] = site.files.pop(MAP)
    site.elsewhere[MAP] = f"{site.address}/moved.zip"
    assert "a.map" in names(get_set("room", folder=tmp_path))


@pytest.mark.parametrize(
    "address",
    ["http://movingai.com/a.zip", "http://localhost:1/a.zip", "https://example.org/a.zip", "ftp://127.0.0.1/a.zip"],
)
def test_a_redirect_to_another_host_is_refused(site: Site, tmp_path: Path, address: str) -> None:
    site.elsewhere[MAP] = address
    with pytest.raises(BadInput) as caught:
        get_set("room", folder=tmp_path)
    assert str(caught.value) == f"{site.address}{MAP}: leads to '{address}', which is not https on the same host"
    assert len(site.requests) == 1
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("address", "is_followed"),
    [
        ("https://maps.example.org/b.zip", True),
        ("https://movingai.com/b.zip", True),
        ("http://maps.example.org/b.zip", False),
        ("https://other.example.org/b.zip", False),
        ("https://maps.example.org@other.org/b.zip", False),
        ("http://127.0.0.1/b.zip", False),
        ("file:///etc/passwd", False),
        ("https://[::1", False),
    ],
)
def test_from_https_a_redirect_leads_to_https_on_the_same_host_or_a_listed_one(address: str, is_followed: bool) -> None:
    handler = fetch._Redirects("https://maps.example.org/a.zip")
    request = urllib.request.Request("https://maps.example.org/a.zip")
    answer = io.BytesIO()
    if is_followed:
        followed = handler.redirect_request(request, answer, 302, "Found", {}, address)
        assert followed is not None
        assert followed.full_url == address
        return
    with pytest.raises(BadInput, match="which is not https on the same host"):
        handler.redirect_request(request, answer, 302, "Found", {}, address)
    assert answer.closed


@pytest.mark.parametrize(("status", "requests"), [(404, 1), (403, 1), (503, 4)])
def test_a_server_that_refuses(site: Site, tmp_path: Path, status: int, requests: int) -> None:
    """Only what may pass is tried again."""
    site.status = status
    with pytest.raises(Missing, match=rf"^{site.address}{MAP}: cannot be fetched: the server says {status} [A-Z]"):
        get_set("room", folder=tmp_path)
    assert len(site.requests) == requests
    assert not (tmp_path / "room").exists()


def test_an_archive_that_is_gone_leaves_the_other_for_later(site: Site, tmp_path: Path) -> None:
    scenarios = site.files.pop(SCEN)
    with pytest.raises(Missing, match=r"room-scen\.zip: cannot be fetched: the server says 404 Not Found$"):
        get_set("room", folder=tmp_path)
    assert not (tmp_path / "room").exists()
    site.files[SCEN] = scenarios
    site.requests.clear()
    get_set("room", folder=tmp_path)
    assert [request.path for request in site.requests] == [SCEN]


def test_an_archive_damaged_while_it_waited_is_fetched_again(site: Site, tmp_path: Path) -> None:
    scenarios = site.files.pop(SCEN)
    with pytest.raises(Missing):
        get_set("room", folder=tmp_path)
    (tmp_path / ".downloads" / "room" / "room-map.zip").write_bytes(packed({"a.map": b"other"}))
    site.files[SCEN] = scenarios
    get_set("room", folder=tmp_path)
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk at hand")
def test_a_full_disk(site: Site, tmp_path: Path) -> None:
    work = tmp_path / ".downloads" / "room"
    work.mkdir(parents=True)
    (work / "room-map.zip.part").symlink_to("/dev/full")
    with pytest.raises(BadInput, match=r"room-map\.zip: cannot be saved in .*: No space left on device$"):
        get_set("room", folder=tmp_path)
    assert len(site.requests) == 1, "another try would not help"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_disk_that_fills_up_while_unpacking_keeps_the_archives(site: Site, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    site.files[MAP] = packed({"a.map": bytes(1 << 20)})
    code = f"""
import resource, signal
from wayfolk.files.download import get_set
from wayfolk.errors import BadInput
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, resource.RLIM_INFINITY))
try:
    get_set('room', folder={str(tmp_path)!r})
except BadInput as why:
    print(why)
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout
    assert said == f"{tmp_path}: cannot be used: File too large\n"
    assert [name for name in leftovers(tmp_path) if not name.endswith(".json")] == ["room-map.zip", "room-scen.zip"]
    site.requests.clear()
    get_set("room", folder=tmp_path)
    assert site.requests == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything may be written")
def test_a_folder_that_may_not_be_written(site: Site, tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o500)
    with pytest.raises(BadInput, match=r"shut/\.downloads: cannot be used: Permission denied$"):
        get_set("room", folder=tmp_path / "shut")


def test_a_file_in_place_of_the_folder(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadInput, match=r"cannot be used: "):
        get_set("room", folder=tmp_path / "file")


def test_what_is_in_the_way_is_not_touched(site: Site, tmp_path: Path) -> None:
    mine = tmp_path / "room" / "mine.map"
    mine.parent.mkdir()
    get_set("room", folder=tmp_path)  # an empty folder is not in the way
    (tmp_path / "room" / SUMS).unlink()
    with pytest.raises(BadInput, match=rf"^{tmp_path / 'room'}: is in the way, it has no SHA256SUMS"):
        get_set("room", folder=tmp_path)
    assert (tmp_path / "room" / "a.map").read_bytes() == LARGE


@pytest.mark.skipif(sys.platform == "win32", reason="there are no locks")
def test_two_processes_do_not_write_the_same_part(site: Site, tmp_path: Path) -> None:
    import fcntl

    (tmp_path / ".downloads").mkdir()
    with open(tmp_path / ".downloads" / "room.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BadInput, match=r"^the set room is being fetched into .* by another process: try again"):
            get_set("room", folder=tmp_path)
    assert site.requests == []
    assert get_set("room", folder=tmp_path).is_dir()


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (
            lambda made: (made / "b.map").write_bytes(b"B"),
            r"b\.map: has changed since it was fetched: remove the folder",
        ),
        (lambda made: (made / "b.map").unlink(), r"b\.map: is missing: remove the folder"),
        (lambda made: (made / SUMS).write_text("hello\n"), r"SHA256SUMS: 'hello' is not a checksum and a name"),
        (lambda made: (made / SUMS).write_text(f"{'0' * 64}  ../x.map\n"), r"is not a checksum and a name"),
        (lambda made: (made / SUMS).write_text("# nothing\n"), r"SHA256SUMS: names no files"),
    ],
)
def test_a_set_that_changed_is_not_trusted(site: Site, tmp_path: Path, harm: Any, complaint: str) -> None:
    made = get_set("room", folder=tmp_path)
    harm(made)
    site.requests.clear()
    with pytest.raises(BadInput, match=complaint):
        get_set("room", folder=tmp_path)
    assert site.requests == []


def test_a_map_that_is_not_the_one_we_know(site: Site, tmp_path: Path) -> None:
    site.files["/dao/dao-map.zip"] = packed({"ok.map": b"ok", "arena.map": b"type octile\n"})
    site.files["/dao/dao-scen.zip"] = site.files[SCEN]
    with pytest.raises(
        BadInput, match=r"dao-map\.zip: arena\.map is not the map we know by that name, nothing was ins"
    ):
        get_set("dao", folder=tmp_path)
    assert not (tmp_path / "dao").exists()
    assert [name for name in leftovers(tmp_path) if "map" in name] == [], "a wrong archive is not used again"


def test_known_maps_are_those_of_the_shared_folder(movingai: Path) -> None:
    sums: dict[str, dict[str, str]] = {}
    for file in sorted(movingai.glob("*/*.map")):
        data = file.read_bytes()
        kind, *size = data.split(b"\n", 3)[:3]
        is_512 = size == [b"height 512", b"width 512"]
        if kind == b"type octile-corner" or file.stem == "AR0414SR-320x281":  # in no archive; the same by another name
            continue
        if file.parent.name == "mapf":
            name = "mapf"
        elif file.name.startswith("AR"):
            name = "bg512" if is_512 else "bgmaps"
        else:
            name = "wc3maps512" if is_512 else "dao"
        digest = sha256(data).hexdigest()
        assert sums.setdefault(name, {}).setdefault(file.name, digest) == digest, file
    assert sums == {name: download._known(name) for name in SETS if download._known(name)}


def test_the_set_mapf_as_it_is(site: Site, tmp_path: Path, movingai: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = {file.name: file.read_bytes() for file in movingai.glob("mapf/*.map")}
    site.files["/mapf/mapf-map.zip"] = packed(maps)
    for kind in ("random", "even"):
        scenarios = movingai.glob(f"mapf/random-32-*-{kind}-1.scen")
        site.files[f"/mapf/mapf-scen-{kind}.zip"] = packed({f"scen-{kind}/{f.name}": f.read_bytes() for f in scenarios})
    monkeypatch.setenv("WAYFOLK_CACHE", str(tmp_path))
    monkeypatch.delenv("WAYFOLK_DATA", raising=False)
    set_folder = get_set("mapf")
    assert len(list(set_folder.glob("*.map"))) == 33
    assert find_data("den312d.map") == set_folder / "den312d.map"
    assert [path.name for path in match_data("mapf/random-32-*.map")] == ["random-32-32-10.map", "random-32-32-20.map"]
    assert find_data("mapf/random-32-32-20-even-1.scen").parent == set_folder


def corrupt(data: bytes) -> bytes:
    """One bit of the contents is wrong."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def link() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        entry = zipfile.ZipInfo("a.map")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(entry, "/etc/passwd")
    return data.getvalue()


def lying() -> bytes:
    """A file that says it is shorter than it is."""
    data = packed({"a.map": bytes(100_000)})
    return data.replace((100_000).to_bytes(4, "little"), (100).to_bytes(4, "little"))


def twice() -> bytes:
    return packed({"one/a.map": b"1", "two/a.map": b"2"})


def unusual() -> bytes:
    """Packed by a method that gives its bytes all at once."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_BZIP2) as zipped:
        zipped.writestr("a.map", bytes(1000))
    return data.getvalue()


def misplaced() -> bytes:
    """The directory says that the file begins before the archive does."""
    data = packed({"a.map": b"x" * 100})
    place = data.index(b"PK\1\2") + 42
    return data[:place] + b"\xff\xff\xff\x7f" + data[place + 4 :]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (corrupt(packed({"a.map": LARGE})), "the archive is damaged: Bad CRC-32 for file 'a.map'"),
        (packed({"a.map": LARGE})[:-30], "is not a zip archive, it begins with 'PK"),
        (b"<!DOCTYPE html><p>Log in to use this network</p>", "is not a zip archive, it begins with '<!DOCTYPE html>"),
        (b"", "is not a zip archive"),
        (misplaced(), "the archive is damaged: "),
        (lying(), "the archive is damaged: "),
        (packed({}), "holds no maps and no scenarios"),
        (packed({"__MACOSX/._a.map": b"x", ".map": b"x", "a.map.exe": b"x"}), "holds no maps and no scenarios"),
        (packed({"b.map": b"b", "../../evil.map": b"x"}), r"holds '../../evil\.map', which leads out of its folder"),
        (packed({"..\\evil.map": b"x"}), r"holds '.*', which leads out of its folder"),
        (packed({"/etc/evil.map": b"x"}), r"holds '/etc/evil\.map', which leads out of its folder"),
        (packed({"c:/evil.map": b"x"}), r"holds 'c:/evil\.map', which leads out of its folder"),
        (link(), r"holds 'a\.map', which is not a plain file"),
        (unusual(), r"holds 'a\.map', which is encrypted or packed in an unusual way"),
        (twice(), r"holds two files a\.map that differ"),
    ],
)
def test_a_bad_archive_installs_nothing(site: Site, tmp_path: Path, data: bytes, complaint: str) -> None:
    good = site.files[MAP]
    site.files[MAP] = data
    home = tmp_path / "deep" / "deeper"
    with pytest.raises(BadInput, match=rf"^{site.address}{MAP}: {complaint}"):
        get_set("room", folder=home)
    assert names(tmp_path) == ["deep"]
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".map" or "evil" in path.name]
    site.files[MAP] = good  # the bad one is not kept
    assert (get_set("room", folder=home) / "a.map").read_bytes() == LARGE


def test_a_bomb_is_not_unpacked(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1_000_000)
    site.files[MAP] = packed({f"{k}.map": bytes(100_000) for k in range(11)})
    assert len(site.files[MAP]) < 5_000
    with pytest.raises(BadInput, match=r"room-map\.zip: holds more than 1000000 bytes$"):
        get_set("room", folder=tmp_path)
    assert not (tmp_path / "room").exists()


def test_an_archive_of_too_many_files(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 10)
    site.files[MAP] = packed({f"{k}.map": b"" for k in range(11)})
    with pytest.raises(BadInput, match=r"room-map\.zip: holds 11 files, more than 10$"):
        get_set("room", folder=tmp_path)


@pytest.mark.parametrize("lengths", [True, False])
def test_an_endless_archive(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lengths: bool) -> None:
    monkeypatch.setattr(fetch, "MAX_ARCHIVE", 200_000)
    site.lengths = lengths
    with pytest.raises(BadInput, match=r"room-map\.zip: is larger than the 200000 bytes allowed$"):
        get_set("room", folder=tmp_path)
    assert not list(tmp_path.rglob("*.part"))

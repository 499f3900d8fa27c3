"""Files of machine code: whatever has become of one, the code is compiled again and nothing else happens."""

import os
import pickle
import random
import re
import time

import pytest

from fresh_python import run, run_both
from wayfolk.compile import code_files

ASK = """
from wayfolk.compile import jit
heard = []
jit.on_compile(lambda: heard.append(1))
from wayfolk.a import f
print(f(), f(), len(heard))
"""
DAMAGE = {
    "emptied": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "cut by one": lambda data: data[:-1],
    "cut to the digest": lambda data: data[: code_files.N_HEAD],
    "noise": lambda data: random.Random(1).randbytes(len(data)),
    "noise at the end": lambda data: data[:2000] + random.Random(1).randbytes(len(data) - 2000),
    "one bit": lambda data: data[:-900] + bytes([data[-900] ^ 1]) + data[-899:],
    "a foreign pickle": lambda data: pickle.dumps({"something": "else"}),
    "longer": lambda data: data + b"\0",
}


@pytest.fixture
def complaints(monkeypatch, capsys):
    """A process that has not complained yet; what it prints."""
    monkeypatch.setattr(code_files, "_complaints", [])
    return lambda: capsys.readouterr().err


@pytest.fixture
def file(tmp_path):
    return tmp_path / "kernels" / "some-folder" / "f-123.nbc"


def test_damaged_files_are_compiled_again_with_one_line_that_says_so(package):
    assert run_both(package, "-c", ASK) == ("1 1 1", "")
    files = sorted((package / "cache").rglob("*.nbc"))
    assert len(files) >= 2
    for kind in ("emptied", "noise at the end"):
        for file in files:
            file.write_bytes(DAMAGE[kind](file.read_bytes()))
        out, err = run_both(package, "-c", ASK)
        assert out == "1 1 1", kind
        assert re.fullmatch(r"wayfolk: the compiled code in \S+\.nbc is damaged: compiling it again", err), kind
    assert run_both(package, "-c", ASK) == ("1 1 0", "")  # all is repaired


def test_a_folder_in_the_place_of_a_file_stops_nothing(package):
    assert run(package, "-c", ASK) == "1 1 1"
    for file in (package / "cache").rglob("*.nbc"):
        file.unlink()
        file.mkdir()
    out, err = run_both(package, "-c", ASK)
    assert out == "1 1 1"
    assert re.fullmatch(r"wayfolk: cannot read the compiled code in \S+ \(Is a directory\): compiling it again", err)


def test_what_is_written_is_read(file, complaints):
    assert code_files.read(file) is None
    code_files.write(file, b"some code")
    assert code_files.read(file) == b"some code"
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert complaints() == ""


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_of_every_kind_is_noticed(file, complaints, kind):
    code_files.write(file, random.Random(2).randbytes(5000))
    file.write_bytes(DAMAGE[kind](file.read_bytes()))
    assert code_files.read(file) is None
    assert complaints() == f"wayfolk: the compiled code in {file} is damaged: compiling it again\n"


def test_a_file_in_the_place_of_another_is_noticed(file, complaints):
    code_files.write(file, b"some code")
    other = file.rename(file.with_name("g-456.nbc"))
    assert code_files.read(other) is None
    assert "g-456.nbc is damaged" in complaints()


def test_a_file_that_may_not_be_read_is_compiled_again(file, complaints, monkeypatch):
    code_files.write(file, b"some code")

    def refuse(path, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(file), "open", refuse)
    assert code_files.read(file) is None
    assert complaints() == f"wayfolk: cannot read the compiled code in {file} (Permission denied): compiling it again\n"


def test_a_full_disk_stops_nothing(file, complaints, monkeypatch):
    def refuse(path, data):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(type(file), "write_bytes", refuse)
        code_files.write(file, b"some code")
    assert complaints() == (
        f"wayfolk: cannot keep compiled code in {file.parent.parent} (No space left on device): "
        "the next run compiles it again\n"
    )
    assert code_files.read(file) is None
    code_files.write(file, b"some code")
    assert code_files.read(file) == b"some code"


def test_only_the_first_complaint_is_printed(complaints):
    code_files.complain("one")
    code_files.complain("two")
    assert complaints() == "wayfolk: one\n"


def test_files_that_nobody_has_read_for_long_are_removed(file, monkeypatch):
    old, young, used = (file.parent.parent / "other" / f"{name}.nbc" for name in ("old", "young", "used"))
    empty = file.parent.parent / "empty"
    for path, days in ((old, 40), (young, 20), (used, 40)):
        code_files.write(path, b"some code")
        os.utime(path, (time.time() - days * 86400,) * 2)
    empty.mkdir()
    os.utime(empty, (time.time() - 40 * 86400,) * 2)
    assert code_files.read(used) == b"some code"  # which is noted
    code_files._remove_unused.cache_clear()
    code_files.write(file, b"some code")
    assert [path.exists() for path in (old, young, used, file, empty)] == [False, True, True, True, False]


def test_files_and_folders_are_for_their_owner_alone(file):
    before = os.umask(0)
    try:
        code_files.write(file, b"some code")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (file.parent.parent, file.parent, file)]
    assert modes == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
@pytest.mark.parametrize("part", ["file", "folder", "home"])
def test_what_others_can_write_is_not_used(file, complaints, part, mode):
    code_files.write(file, b"some code")
    what = {"file": file, "folder": file.parent, "home": file.parent.parent}[part]
    what.chmod(mode | 0o100)
    assert code_files.read(file) is None
    named = "the file" if part == "file" else f"the folder {what}"
    assert complaints() == (
        f"wayfolk: the compiled code in {file} is not used, since others can write to {named}: compiling it again\n"
    )


@pytest.mark.parametrize("part", ["file", "folder", "home"])
def test_what_belongs_to_another_user_is_not_used(file, complaints, part, monkeypatch):
    code_files.write(file, b"some code")
    other = os.stat(file).st_uid + 1
    what = {"file": file, "folder": file.parent, "home": file.parent.parent}[part]
    _give_away(monkeypatch, what, other)
    assert code_files.read(file) is None
    named = "the file" if part == "file" else f"the folder {what}"
    assert f"is not used, since {named} belongs to another user: compiling it again" in complaints()


def test_nothing_is_kept_in_the_folder_of_another_user(file, complaints, monkeypatch):
    """As in a folder that all can write to, such as /tmp, where somebody else was first."""
    home = file.parent.parent
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    code_files.write(file, b"some code")
    assert complaints() == (
        f"wayfolk: compiled code is not kept in {home}, since others can write to the folder {home}: "
        "the next run compiles it again\n"
    )
    home.chmod(0o755)
    _give_away(monkeypatch, home, os.stat(home).st_uid + 1)
    code_files.write(file, b"some code")
    assert not file.exists()


def test_the_code_of_the_administrator_is_used(file, complaints, monkeypatch):
    code_files.write(file, b"some code")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    for path in (file, file.parent, file.parent.parent):
        _give_away(monkeypatch, path, 0)
    assert code_files.read(file) == b"some code"
    assert complaints() == ""


def _give_away(monkeypatch, path, owner):
    """Let the system say that `path` belongs to `owner`."""
    number = os.stat(path).st_ino
    for name in ("stat", "fstat"):
        ask = getattr(os, name)

        def told(*args, _ask=ask, **more):
            status = _ask(*args, **more)
            return os.stat_result([*status[:4], owner, *status[5:]]) if status.st_ino == number else status

        monkeypatch.setattr(os, name, told)

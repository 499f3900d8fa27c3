"""Where benchmark files are looked for, and in which order."""

from pathlib import Path

import pytest

from wayfolk.errors import BadInput, Missing
from wayfolk.files.folders import data_folders, find_data, match_data
from wayfolk.machine import cache_home


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The two places, empty; the tests run in a third folder."""
    folders = {"given": tmp_path / "given", "cache": tmp_path / "cache" / "maps"}
    for folder in (*folders.values(), tmp_path / "project"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("WAYFOLK_DATA", str(folders["given"]))
    monkeypatch.setenv("WAYFOLK_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "project")
    return folders


def put(folder: Path, name: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(file))
    return file


def is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def test_the_folder_of_the_environment_comes_before_the_cache(places: dict[str, Path]) -> None:
    assert [folder.resolve() for folder in data_folders()] == [folder.resolve() for folder in places.values()]


def test_a_folder_that_is_not_there_is_left_out(places: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYFOLK_DATA", str(places["given"] / "nothing"))
    assert list(data_folders()) == [places["cache"]]
    monkeypatch.delenv("WAYFOLK_DATA")
    assert list(data_folders()) == [places["cache"]]
    places["cache"].rmdir()
    assert list(data_folders()) == []


def test_folders_beside_the_project_are_not_searched(places: dict[str, Path], tmp_path: Path) -> None:
    put(tmp_path / "shared" / "maps", "wf-test.map")
    with pytest.raises(Missing):
        find_data("wf-test.map")


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYFOLK_CACHE", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_home() == tmp_path / "mine"
    monkeypatch.delenv("WAYFOLK_CACHE")
    assert cache_home() == tmp_path / "xdg" / "wayfolk"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_home() == tmp_path / ".cache" / "wayfolk"


def test_a_file_is_found_in_the_first_place_that_has_it(places: dict[str, Path], tmp_path: Path) -> None:
    for name in ("cache", "given"):
        file = put(places[name], "mapf/wf-test.map")
        assert is_same(find_data("mapf/wf-test.map"), file)
        assert is_same(find_data("wf-test.map"), file), "a bare name is found in any folder"
    near = put(tmp_path / "near", "wf-test.map")
    assert find_data("wf-test.map", tmp_path / "near") == near
    put(Path(), "wf-test.map")
    assert find_data("wf-test.map", tmp_path / "near") == Path("wf-test.map")


def test_the_folder_movingai_need_not_be_said(places: dict[str, Path]) -> None:
    file = put(places["cache"], "movingai/mapf/wf-test.map")
    for name in ("wf-test.map", "mapf/wf-test.map", "movingai/mapf/wf-test.map", Path("mapf") / "wf-test.map"):
        assert is_same(find_data(name), file)
    assert [path.resolve() for path in match_data("mapf/wf-*.map")] == [file.resolve()]


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000, "\0", "a" * 300 + "*"])
def test_names_that_no_file_can_have(places: dict[str, Path], name: str) -> None:
    for find in (find_data, match_data):
        with pytest.raises((BadInput, Missing)):
            find(name)


def test_what_is_not_there_is_told_with_where_it_was_looked_for(places: dict[str, Path]) -> None:
    with pytest.raises(Missing, match=r"^there is no file wf-none\.map: .*WAYFOLK_DATA.*`wayfolk maps get --help`$"):
        find_data("wf-none.map")
    put(places["given"], "mapf/wf-test.map")
    with pytest.raises(Missing, match=r"^there is no file other/wf-test\.map: "):
        find_data("other/wf-test.map")
    with pytest.raises(Missing, match=r"^there is no file wf-none\.map: "):
        match_data("wf-none.map")
    with pytest.raises(Missing, match=r"^no file matches wf-none-\*\.map: .*WAYFOLK_DATA.*`wayfolk maps get --help`$"):
        match_data("wf-none-*.map")


@pytest.mark.parametrize("name", ["wf-folder", "", "..", "wf-tes?.map", "wf-test[1].map"])
def test_neither_folders_nor_patterns_are_found_as_files(places: dict[str, Path], name: str) -> None:
    put(places["given"], "wf-folder/wf-test1.map")
    with pytest.raises(Missing):
        find_data(name)


def test_a_pattern_gives_all_files_of_the_first_place_sorted(places: dict[str, Path], tmp_path: Path) -> None:
    cached = [put(places["cache"], f"mapf/wf-{k}.map") for k in (3, 1, 2)]
    assert [path.name for path in match_data("mapf/wf-*.map")] == ["wf-1.map", "wf-2.map", "wf-3.map"]
    put(places["given"], "mapf/wf-9.map")
    assert [path.name for path in match_data("mapf/wf-*.map")] == ["wf-9.map"], "places are not mixed"
    assert [path.name for path in match_data("mapf/wf-[12].map")] == ["wf-1.map", "wf-2.map"]
    assert [path.name for path in match_data("**/wf-?.map")] == ["wf-9.map"]
    near = put(tmp_path / "near", "mapf/wf-7.map")
    assert match_data("mapf/wf-*.map", tmp_path / "near") == [near]
    assert match_data(f"{cached[0].parent}/wf-*.map") == sorted(cached), "an absolute pattern is taken as it stands"


def test_a_pattern_does_not_match_folders(places: dict[str, Path]) -> None:
    (places["given"] / "wf-folder.map").mkdir()
    file = put(places["cache"], "wf-file.map")
    assert match_data("wf-*.map") == [file]


@pytest.mark.parametrize("pattern", ["/wf-none/*.map", "*/wf-none/*"])
def test_a_pattern_without_a_match(places: dict[str, Path], pattern: str) -> None:
    with pytest.raises(Missing, match=r"^no file matches "):
        match_data(pattern)


def test_a_pattern_that_means_nothing(places: dict[str, Path]) -> None:
    with pytest.raises((BadInput, Missing), match=r"wf\*\*\.map"):  # a later Python reads it as one star
        match_data("wf**.map")

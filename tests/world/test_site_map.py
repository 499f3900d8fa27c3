"""Maps of the League of Robot Runners: stations are kept, and an S elsewhere is a swamp."""

import pickle

import numpy as np
import pytest

from wayfolk.files.maps import read_map
from wayfolk.world.grid import Grid
from wayfolk.world.site_map import Frame, SiteMap

LEAGUE = "type octile\nheight 3\nwidth 4\nmap\nE..S\n@TT@\nS.SE\n"


def test_stations_of_a_map_of_the_league(tmp_path):
    (tmp_path / "a.map").write_text(LEAGUE)
    site = read_map(tmp_path / "a.map", "four")
    assert isinstance(site, SiteMap)
    assert site.frame is None
    assert {kind: site.places(cells).tolist() for kind, cells in site.stations.items()} == {
        "E": [[0, 0], [3, 2]],
        "S": [[3, 0], [0, 2], [2, 2]],
    }
    assert site.free.tolist() == [[True] * 4, [False] * 4, [True] * 4]
    assert site == Grid([[1] * 4, [0] * 4, [1] * 4], "four")


def test_a_swamp_is_no_station(tmp_path):
    (tmp_path / "a.map").write_text(LEAGUE.replace("E", "."))
    assert type(read_map(tmp_path / "a.map")) is Grid


def test_copies_and_pickles_keep_stations_and_frame():
    plain = Grid(np.ones((2, 3)))
    site = SiteMap(plain.free, stations={"E": plain.cells([(1, 1)])}, frame=Frame(0.5, yaw=1.0), name="hall")
    for copy in (site.with_blocked([site.cell((0, 0))]), site.with_moves("four"), pickle.loads(pickle.dumps(site))):
        assert (copy.stations["E"].tolist(), copy.frame, copy.name) == ([site.cell((1, 1))], site.frame, "hall")
    blocked = site.with_blocked([site.cell((1, 0))]).with_freed([site.cell((1, 0))])
    assert blocked == site
    assert blocked.components.max() == 1


@pytest.mark.parametrize("text", [LEAGUE.replace("T", "e"), LEAGUE.replace("T", "F")])
def test_other_letters_are_refused(tmp_path, text):
    (tmp_path / "a.map").write_text(text)
    with pytest.raises(Exception, match="line 6, column 2: the character"):
        read_map(tmp_path / "a.map")

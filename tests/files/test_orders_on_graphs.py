"""Orders whose stops are nodes of a graph: by their names, or by stations of a roadmap."""

import json

import pytest

import wayfolk as wf
from wayfolk.errors import BadInput
from wayfolk.files.orders import read_orders

ROADS = wf.Roadmap(["dock", "p3", "7", 8, (1, 2)], [("dock", "p3")], stations={"charger": ["p3", "dock"]})


def stops_in(tmp_path, text, suffix=".csv", world=ROADS):
    (tmp_path / f"orders{suffix}").write_text(text)
    return [order.stops for order in read_orders(tmp_path / f"orders{suffix}", world)]


def test_a_table_names_nodes_and_stations(tmp_path):
    rows = "release,pickup,delivery\n0,dock,charger\n1, p3 ,7\n2,8,1 2\n"
    assert stops_in(tmp_path, rows) == [("dock", "p3"), ("p3", "7"), (8, (1, 2))]


def test_json_has_stations_of_its_own(tmp_path):
    orders = {"stations": {"A": "dock", "B": [1, 2]}, "orders": [{"stops": ["A", "B", 8, "charger"]}]}
    assert stops_in(tmp_path, json.dumps(orders), ".json") == [("dock", (1, 2), 8, "p3")]


@pytest.mark.parametrize("stop", ["duck", "1 3", "99"])
def test_an_unknown_stop_is_named(tmp_path, stop):
    words = f"orders.csv, line 2: there is no place and no station '{stop}'"
    with pytest.raises(BadInput, match=words):
        stops_in(tmp_path, f"pickup,delivery\ndock,{stop}\n")


def test_a_fleet_takes_them(tmp_path):
    (tmp_path / "orders.csv").write_text("pickup,delivery\ncharger,dock\n")
    fleet = wf.Fleet(ROADS, ["dock"], read_orders(tmp_path / "orders.csv", ROADS), "lra")
    assert fleet.advance(20) is wf.Status.SOLVED
    assert fleet.record().plan().path(0) == ["dock", "p3", "dock"]

"""Orders of a fleet and the stations they name, as CSV or JSON. docs/fleet-day.md describes both.

release,pickup,delivery                  names of stations, or places as "3 4"
0,A,B

{"stations": {"A": [1, 2], "B": [9, 2]}, "orders": [{"release": 0, "stops": ["A", "B", [4, 4]]}]}

On a graph, places are the names of its nodes; stations of a roadmap stand for the first of their nodes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable
from typing import Any

from wayfolk.errors import BadInput, BadProblem, hint
from wayfolk.files.csv_rows import csv_rows
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.files.world_json import name_of
from wayfolk.problem.orders import Order
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

Stations = dict[str, Any]  # the place of each: (x, y), or the name of a node
STOPS = ("pickup", "delivery")


def read_orders(file: File, world: Grid | Graph, stations: Stations | None = None) -> list[Order]:
    """The orders in `file`, by their release; names are those of `stations`, or of the file's own."""
    text = _text(file)
    try:
        if text.lstrip().startswith(("{", "[")):
            orders = _from_json(text, world, dict(stations or {}))
        else:
            orders = _from_csv(text, world, dict(stations or {}))
    except BadInput as why:
        raise BadInput(f"{file}{why}" if str(why).startswith(", line") else f"{file}: {why}") from None
    if not orders:
        raise BadInput(f"{file}: there are no orders in the file")
    return sorted(orders, key=lambda order: order.release)


def read_stations(file: File, grid: Grid) -> Stations:
    """The stations in `file`: the columns name, x and y, or a JSON object of places."""
    text = _text(file)
    try:
        if text.lstrip().startswith("{"):
            return _stations(_json(text), grid)
        stations: Stations = {}
        for line, row in _rows(text, ("name", "x", "y")):
            name = row["name"].strip()
            if not name or name in stations:
                raise BadInput(f", line {line}: {'a station needs a name' if not name else f'{name!r} is there twice'}")
            try:
                place = [int(row["x"]), int(row["y"])]
            except ValueError:
                raise BadInput(f", line {line}: x and y are whole numbers, not {shown([row['x'], row['y']])}") from None
            stations[name] = _place(place, grid, {}, f", line {line}")
        return stations
    except BadInput as why:
        raise BadInput(f"{file}{why}" if str(why).startswith(", line") else f"{file}: {why}") from None


def _text(file: File) -> str:
    try:
        return read_bytes(file, BadInput).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{file}: the file is not text in UTF-8") from None


def _from_csv(text: str, world: Grid | Graph, stations: Stations) -> list[Order]:
    orders = []
    for line, row in _rows(text, STOPS):
        where = f", line {line}"
        stops = tuple(_stop(row[name], world, stations, where) for name in STOPS)
        orders.append(Order(stops, _release(row.get("release") or 0, where), row.get("name") or f"line {line}"))
    return orders


def _rows(text: str, needed: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table with their lines; a place may be in two columns, such as pickup_x and pickup_y."""
    table = csv_rows(text)
    head = [name.strip().lower() for name in next(table, (1, []))[1]]
    pairs = {name: (f"{name}_x", f"{name}_y") for name in needed}
    for name in needed:
        if name not in head and not set(pairs[name]) <= set(head):
            raise BadInput(f", line 1: the column {name!r} is missing; there are {', '.join(head) or 'none'}")
    rows = []
    for line, row in table:
        if not any(field.strip() for field in row):
            continue
        if len(row) != len(head):
            raise BadInput(f", line {line}: there are {len(row)} fields, the first line has {len(head)}")
        fields = dict(zip(head, row, strict=True))
        for name, (x, y) in pairs.items():
            if name not in fields:
                fields[name] = f"{fields[x]} {fields[y]}"
        rows.append((line, fields))
    return rows


def _from_json(text: str, world: Grid | Graph, stations: Stations) -> list[Order]:
    content = _json(text)
    if isinstance(content, list):
        content = {"orders": content}
    stations |= _stations(content.get("stations", {}), world)
    listed = content.get("orders")
    if not isinstance(listed, list):
        raise BadInput(f"'orders' should be a list, not {shown(listed)}")
    orders = []
    for k, entry in enumerate(listed):
        where = f"order {k}"
        if not isinstance(entry, dict) or not isinstance(entry.get("stops"), list) or not entry["stops"]:
            raise BadInput(f"{where}: should be an object with a list of 'stops', not {shown(entry)}")
        stops = tuple(_stop(stop, world, stations, where) for stop in entry["stops"])
        orders.append(Order(stops, _release(entry.get("release", 0), where), str(entry.get("name", where))))
    return orders


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as why:
        raise BadInput(f", line {why.lineno}: not JSON: {why.msg.removesuffix(' at')}") from None
    except RecursionError:
        raise BadInput("not JSON: too many brackets") from None
    except ValueError:
        raise BadInput("not JSON: a number has too many digits") from None


def _stations(content: Any, world: Grid | Graph) -> Stations:
    if not isinstance(content, dict):
        raise BadInput(f"'stations' should be an object with a place for each name, not {shown(content)}")
    if not isinstance(world, Grid):
        return {str(name): _name(place, world, {}, f"station {name!r}") for name, place in content.items()}
    return {str(name): _place(place, world, {}, f"station {name!r}") for name, place in content.items()}


def _stop(value: Any, world: Grid | Graph, stations: Stations, where: str) -> Any:
    """A stop of an order: a cell of a grid, the name of a node of a graph."""
    if isinstance(world, Grid):
        return world.cell(_place(value, world, stations, where))
    return _name(value, world, stations, where)


def _name(value: Any, graph: Graph, stations: Stations, where: str) -> Hashable:
    """The name of the node that `value` stands for: a station or a name; in a table, numbers are texts."""
    value = value.strip() if isinstance(value, str) else name_of(value)
    is_numbers = isinstance(value, str) and re.fullmatch(r"-?\d{1,9}([ ,;]+-?\d{1,9})*", value)
    numbers = [int(part) for part in re.split(r"[ ,;]+", value)] if is_numbers else []
    own = {name: places[0] for name, places in getattr(graph, "stations", {}).items() if places}
    known = own | stations
    for name in (known.get(value, value), value, numbers[0] if len(numbers) == 1 else tuple(numbers)):
        try:
            return graph.place(graph.cell(name))
        except BadProblem:
            continue
    raise BadInput(f"{where}: there is no place and no station {shown(value)}{hint(str(value), map(str, graph.names))}")


def _place(value: Any, grid: Grid, stations: Stations, where: str) -> tuple[int, int]:
    """The place that `value` names: a station, a text "3 4", or a list [3, 4]."""
    if isinstance(value, str):
        value = value.strip()
        if value in stations:
            known: tuple[int, int] = stations[value]
            return known
        numbers = re.fullmatch(r"(-?\d{1,9})[ ,;]+(-?\d{1,9})", value)
        if numbers is None:
            raise BadInput(f"{where}: there is no station {shown(value)}{hint(value, stations)}")
        value = [int(numbers[1]), int(numbers[2])]
    if not isinstance(value, list) or len(value) != 2 or set(map(type, value)) != {int}:
        raise BadInput(f"{where}: a place is [x, y] or the name of a station, not {shown(value)}")
    x, y = value
    if not (0 <= x < grid.width and 0 <= y < grid.height):
        raise BadInput(f"{where}: ({x}, {y}) is outside the {grid.width} x {grid.height} map")
    if not grid.free[y, x]:
        raise BadInput(f"{where}: there is a wall at ({x}, {y})")
    return x, y


def _release(value: Any, where: str) -> float:
    try:
        release = float(value)
    except (TypeError, ValueError, OverflowError):
        release = math.nan
    if not 0 <= release < math.inf or isinstance(value, bool):
        raise BadInput(f"{where}: the release must be a time from 0 on, not {shown(value)}")
    return release

"""What a replay shows of SDP."""

from dataclasses import replace

import numpy as np
import pytest

from algorithms.controllers.sdp.halls import halls
from wayfolk.algorithms.controllers.sdp.areas import CORE, ENTRY, EXIT, ROOM
from wayfolk.algorithms.controllers.sdp.host_controller import RECORDED
from wayfolk.algorithms.controllers.sdp.layers import MESSAGES, area_layer, message_layer
from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.algorithms.controllers.sdp.state import ACCEPT, ASK, CANCEL, MOVED, REFUSE
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.events import block
from wayfolk.problem.layers import CellLayer, MarkLayer
from wayfolk.problem.problem import one_shot
from wayfolk.replay.layers import NONE, headings
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate, solve

EAST, WEST = 0, 4


@pytest.fixture(scope="module")
def grid():
    return halls(2, 1)


@pytest.fixture(scope="module")
def problem(grid):
    """Agents that change halls, from both sides."""
    left, right = [(1, y) for y in range(2, 12, 2)], [(grid.width - 2, y) for y in range(2, 12, 2)]
    return one_shot(grid, left + right, right[::-1] + left[::-1])


def test_areas_have_the_kinds_of_their_parts_and_lanes(grid):
    areas = partition(grid)
    layer = area_layer(areas, 3.0)
    names = np.array([kind.name for kind in layer.kinds])[layer.kind]
    parts = {ENTRY: "entry", CORE: "core", EXIT: "exit"}
    assert areas.n_rooms == 2
    for cell in grid.free_cells:
        lane = areas.area[cell] - areas.n_rooms
        side = ("inbound", "outbound")[lane % 2]
        assert names[cell] == ("room" if areas.part[cell] == ROOM else f"{side} {parts[areas.part[cell]]}")
    assert (layer.since, layer.groups) == (3.0, (("room", 0), ("lane", 2)))


def test_arrows_lead_through_lanes(grid):
    areas = partition(grid)
    seen = headings(area_layer(areas, 0.0), grid)
    assert (seen[areas.part == ROOM] == NONE).all()
    for lane, way in ((2, EAST), (3, WEST)):
        assert set(seen[(areas.area == lane) & (areas.part == CORE)].tolist()) == {way}
        assert NONE not in seen[areas.area == lane]


def test_a_run_has_areas_and_with_record_messages(problem):
    alone = simulate(problem, "sdp")
    (areas,) = alone.layers
    assert isinstance(areas, CellLayer)
    simulation = Simulation(problem, "sdp", record=True)
    simulation.advance()
    recorded = simulation.run().layers
    assert [layer.title for layer in recorded] == ["Areas", "Messages"]
    assert np.array_equal(recorded[0].area, areas.area)
    marks, messages = recorded[1], simulation.controller.messages
    assert len(messages) > 3 * problem.n_agents
    for name, field in (
        ("time", "tick"),
        ("agent", "agent"),
        ("kind", "kind"),
        ("sender", "sender"),
        ("receiver", "to"),
    ):
        assert np.array_equal(getattr(marks, name), messages[field])
    assert (marks.cell != NOWHERE).all()
    assert [layer.title for layer in solve(problem, "sdp", record=True).layers] == ["Areas", "Messages"]


def test_kinds_of_messages_are_called_by_their_names():
    kinds = {ASK: "ask", ACCEPT: "accept", REFUSE: "refuse", CANCEL: "cancel", MOVED: "moved"}
    assert [kind.name for kind in MESSAGES] == [kinds[number] for number in range(len(kinds))]


def test_areas_are_shown_from_when_they_hold(grid, problem):
    in_core = grid.places(partition(grid).corridors["cell"])[0]
    events = [block(6, [tuple(in_core)])]
    first, second, marks = simulate(problem, "sdp", events=events, until=12, record=True).layers
    assert (first.since, second.since) == (0.0, 6.0)
    assert second.area[grid.cell(tuple(in_core))] == NOWHERE
    assert isinstance(marks, MarkLayer)
    (now,) = simulate(problem, "sdp", events=events, until=12).layers
    assert now.since == 6.0
    assert np.array_equal(now.area, second.area)


def test_messages_keep_the_names_of_areas_and_the_cells_that_they_are_about(grid):
    rows = np.zeros(5, RECORDED)
    rows["tick"] = [1, 1, 1, 9, 9]
    rows["agent"] = [0, 1, 0, 1, 2]
    rows["kind"] = [ASK, ASK, REFUSE, CANCEL, REFUSE]
    rows["sender"], rows["to"] = [0, 1, 2, 3, 4], [2, 3, 0, 5, 0]
    rows["cells"] = NOWHERE
    rows["cells"][:2, 0] = [40, 50]
    layer = area_layer(partition(grid), 0.0)
    later = replace(layer, since=5.0, groups=(("room", 0), ("lane", 4)))  # lanes 0 and 1 are areas 4 and 5 from then on
    marks = message_layer(rows, [layer, later])
    assert marks.groups == (("room", 0), ("lane", 4))
    assert marks.sender.tolist() == [0, 1, 4, 3, 4]
    assert marks.receiver.tolist() == [4, 5, 0, 5, 0]
    assert marks.cell.tolist() == [40, 50, 40, 50, NOWHERE]
    assert len(message_layer(rows[:0], [layer]).time) == 0

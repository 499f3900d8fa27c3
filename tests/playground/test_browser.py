"""The playground in a real browser: what a student and an engineer do with it."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from playground.pages import AGENTS, SEARCH, begin, drag, until
from wayfolk.files.maps import write_map
from wayfolk.problem.papers import paper_map


def test_a_wall_is_drawn_and_the_path_of_a_star_avoids_it(page, tmp_path):
    begin(page, SEARCH, tmp_path)
    until(page, "wayfolk.path() !== null")
    assert [15, 10] in page.evaluate("wayfolk.path()")
    page.click("#tool-wall")
    drag(page, (15, 2), (15, 18))
    until(page, "wayfolk.walls().filter(Boolean).length === 17")
    path = page.evaluate("wayfolk.path()")
    assert not [place for place in path if place[0] == 15 and 2 <= place[1] <= 18]
    page.click("#undo")
    until(page, "wayfolk.walls().filter(Boolean).length === 0")
    page.click("#tool-hand")
    drag(page, (26, 10), (26, 20))
    until(page, "wayfolk.path().at(-1).join() === '26,20'")


def test_agents_on_a_loaded_map_form_lanes_and_turn_to_a_goal_that_is_dragged(page, tmp_path):
    grid = paper_map("jansen-c").grid
    write_map(grid, tmp_path / "loaded.map")
    begin(page, AGENTS, tmp_path)
    page.set_input_files("#file", str(tmp_path / "loaded.map"))
    until(page, "wayfolk.scene().map.name === 'loaded' && wayfolk.state() === 'running' && wayfolk.agents() === 100")
    page.evaluate("wayfolk.speed(8)")
    if page.get_attribute("[data-show=lanes]", "aria-pressed") == "false":
        page.click("[data-show=lanes]")
    until(page, "wayfolk.time() > 40")
    assert page.evaluate("wayfolk.vectors()") > 200
    page.keyboard.press(" ")
    until(page, "wayfolk.state() === 'paused'")
    page.click("[data-show=lanes]")
    if page.get_attribute("[data-show=goals]", "aria-pressed") == "false":
        page.click("[data-show=goals]")
    page.keyboard.press("End")
    time.sleep(0.5)
    places = [tuple(place) for place in page.evaluate("wayfolk.places()")]
    goals = [tuple(goal) for goal in page.evaluate("wayfolk.goals()")]
    # an agent that is far from the place to which its goal is dragged, and on its way elsewhere
    free = [tuple(place) for place in grid.places(grid.free_cells).tolist() if tuple(place) not in {*places, *goals}]
    there = max(free, key=lambda place: place[0])
    agent = next(
        i for i, goal in enumerate(goals)
        if goal not in places and goals.count(goal) == 1 and goal[0] < places[i][0] - 8 < there[0] - 24
    )  # fmt: skip
    drag(page, goals[agent], there)
    page.keyboard.press(" ")
    until(page, f"wayfolk.goals()[{agent}].join() === '{there[0]},{there[1]}'")
    # it goes the other way now
    until(page, f"wayfolk.places()[{agent}][0] > {places[agent][0] + 8}")


def test_two_algorithms_side_by_side_in_lock_step(page, tmp_path):
    two = [{"name": "controllers/pibt", "options": {}}, {"name": "controllers/direction_map", "options": {}}]
    begin(page, AGENTS | {"agents": 40, "algorithms": two}, tmp_path)
    until(page, "wayfolk.time() > 10")
    assert page.locator("#table th", has_text="Refused moves").is_visible()
    assert page.evaluate("wayfolk.panels()") == 2


def test_a_replay_is_saved_and_opens_from_disk(page, tmp_path):
    begin(page, AGENTS | {"agents": 10}, tmp_path)
    until(page, "wayfolk.time() > 5")
    with page.expect_download() as download:
        page.select_option("#save", "html")
    file = tmp_path / "replay.html"
    download.value.save_as(file)
    other = page.context.new_page()
    other.goto(file.as_uri())
    until(other, "'wayfolk' in window && wayfolk.panels === 1 && wayfolk.end > 5")


def test_a_killed_worker_is_told_and_can_be_started_again(page, tmp_path):
    begin(page, AGENTS | {"agents": 10}, tmp_path)
    until(page, "wayfolk.time() > 3")
    for pid in workers():
        os.kill(pid, signal.SIGKILL)
    until(page, "wayfolk.state() === 'stopped'")
    assert "ended" in page.locator("#alarm").inner_text()
    page.click("#again")
    until(page, "wayfolk.state() === 'running' && wayfolk.time() > 2")


def test_the_scene_is_there_again_after_the_page_is_loaded_anew(page, tmp_path):
    begin(page, SEARCH, tmp_path)
    page.click("#tool-wall")
    drag(page, (15, 2), (15, 9))
    until(page, "wayfolk.walls().filter(Boolean).length === 8")
    time.sleep(1)
    page.reload()
    until(page, "'wayfolk' in window && wayfolk.path() !== null")
    assert sum(page.evaluate("wayfolk.walls()")) == 8
    assert page.evaluate("wayfolk.scene().goal") == [26, 10]


def test_a_link_shows_its_scene_and_asks_before_it_runs(page, tmp_path):
    begin(page, AGENTS | {"map": {"name": "one-corridor"}, "journeys": [[3, 5, 29, 5], [29, 4, 3, 4]]}, tmp_path)
    until(page, "location.hash.length > 50")
    time.sleep(1)
    link = page.context.new_page()
    link.goto(page.url)
    until(link, "'wayfolk' in window && wayfolk.state() === 'asking' && wayfolk.panels() === 1")
    assert link.locator("#question").is_visible()
    assert "Direction map" in link.locator("#question").inner_text()
    assert link.evaluate("wayfolk.places()") == [[3, 5], [29, 4]]
    assert link.evaluate("wayfolk.goals()") == [[29, 5], [3, 4]]
    assert sum(link.evaluate("wayfolk.walls()")) > 0
    time.sleep(1)
    assert link.evaluate("wayfolk.state()") == "asking"  # nothing has run
    assert link.evaluate("wayfolk.time()") == 0
    link.click("#run")
    until(link, "wayfolk.state() === 'running' && wayfolk.time() > 1")
    assert not link.locator("#question").is_visible()
    # another link in the same tab
    other = link.evaluate(
        """async () => {
            const { encode } = await import("./playground/scene.js");
            return encode({ ...wayfolk.scene(), map: { name: "maze" }, journeys: [] });
        }"""
    )
    link.evaluate("(text) => { location.hash = text; }", other)
    until(link, "wayfolk.state() === 'asking' && wayfolk.agents() === 0 && wayfolk.scene().map.name === 'maze'")


def test_everything_can_be_done_with_the_keyboard(page, tmp_path):
    begin(page, SEARCH, tmp_path)
    until(page, "wayfolk.path() !== null")
    for key in ("b", "Enter", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    until(page, "wayfolk.walls().filter(Boolean).length === 1")
    page.keyboard.press("u")
    until(page, "wayfolk.walls().filter(Boolean).length === 0")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    assert page.locator("#about").is_visible()
    assert "A*" in page.locator("#about h2").inner_text()


def workers() -> list[int]:
    """The processes that the server of these tests has spawned, as ps lists them; others may test at the same time."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    servers = {pid for pid, parent, args in rows if parent == str(os.getpid()) and " play " in args}
    return [int(pid) for pid, parent, args in rows if parent in servers and "spawn_main" in args]


@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}])
def test_it_fits_the_dark_and_a_phone(browser, playground, look):
    context = browser.new_context(**look)
    page = context.new_page()
    page.goto(playground)
    until(page, "'wayfolk' in window && wayfolk.panels() === 1")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    context.close()

"""What the page shows of algorithms besides moves, in a real browser: crowds, the street, reservations, waits, terrain."""

from __future__ import annotations

from pathlib import Path

from playground.pages import AGENTS, SEARCH, begin, choose, drag, let_play, until
from wayfolk.files import built_in

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CROWD = {
    "map": {"name": "rooms"}, "kind": "crowd", "agents": 30, "errand": "patrol",
    "algorithms": [{"name": "crowds/social_force", "options": {}}],
}  # fmt: skip


def test_a_crowd_walks_live_and_avoids_a_wall_that_is_painted(page, tmp_path):
    begin(page, CROWD, tmp_path)
    until(page, "wayfolk.time() > 2")
    bodies = page.evaluate("wayfolk.bodies()")
    assert len(bodies) == 30
    assert sum(body["speed"] > 0.3 for body in bodies) > 15
    assert len({round(body["heading"], 1) for body in bodies}) > 5
    n = sum(page.evaluate("wayfolk.walls()"))
    page.click("#tool-wall")
    drag(page, (2, 2), (5, 2))
    until(page, f"wayfolk.walls().filter(Boolean).length > {n}")
    page.click("#undo")
    until(page, f"wayfolk.walls().filter(Boolean).length === {n}")
    page.click("#more")
    until(page, "wayfolk.bodies().length === 80")
    assert page.evaluate("wayfolk.end()") > 2


def test_the_street_has_states_and_a_signal_that_changes(page):
    choose(page, "The street")
    page.evaluate("wayfolk.speed(8)")
    until(page, "wayfolk.lamps().includes('green')")
    until(page, "wayfolk.bodies().some(({state}) => state === 'waiting')")
    until(page, "wayfolk.lamps().includes('red')")
    kinds = page.evaluate("[...new Set(wayfolk.bodies().map(({kind}) => kind))]")
    assert {"pedestrian", "car"} <= set(kinds)
    assert page.locator(".kinds", has_text="pedestrian: walking").is_visible()
    assert page.evaluate("wayfolk.layers().areas") == ["Street"]
    assert not page.locator("#tool-wall").is_visible()


def test_reservations_are_shown_on_the_map_and_as_a_slice_through_time(page):
    choose(page, "WHCA* at a crossing")
    until(page, "wayfolk.time() > 3 && wayfolk.ahead().length > 300")
    assert page.locator(".slice canvas").is_visible()
    page.mouse.move(*page.evaluate("wayfolk.pixel(16, 14)"))
    until(page, "document.querySelector('.slice button').textContent.startsWith('Reserved in row 14')")
    page.click(".slice button")
    page.mouse.move(*page.evaluate("wayfolk.pixel(16, 14)"))
    until(page, "document.querySelector('.slice button').textContent.startsWith('Reserved in column 16')")
    page.keyboard.press("q")
    until(page, "!wayfolk.shows('ahead') && document.querySelector('.slice').hidden")


def test_waits_cycles_and_density_of_a_jam(page):
    choose(page, "A jam")
    page.evaluate("wayfolk.speed(16)")
    until(page, "wayfolk.waits().cycles.length > 0 && wayfolk.waits().pairs.length > 5")
    until(page, "/wait for others; cycles:/.test(document.querySelector('.side').textContent)")
    page.keyboard.press(".")
    until(page, "wayfolk.shows('density')")
    assert page.evaluate("wayfolk.density(15, 5)") > 3 * page.evaluate("wayfolk.density(30, 1)")


def test_one_way_streets_and_messages_are_shown(page):
    choose(page, "One-way map")
    until(page, "wayfolk.streets() > 0")
    assert page.locator("[data-show=flow]").is_visible()
    choose(page, "Controllers that talk")
    until(page, "wayfolk.layers().marks.some(([title, n]) => title === 'Messages' && n > 10)")
    assert page.evaluate("wayfolk.layers().areas") == ["Areas"]
    until(page, "document.querySelectorAll('.notes ol li').length > 3")


def test_terrain_is_painted_undone_and_kept(page, tmp_path):
    begin(page, SEARCH, tmp_path)
    until(page, "wayfolk.path() !== null")
    page.select_option("#cost", "10")
    page.keyboard.press("z")
    drag(page, (15, 3), (15, 17))
    until(page, "wayfolk.terrain().filter((cost) => cost === 10).length === 15")
    assert [15, 10] not in page.evaluate("wayfolk.path()")
    page.wait_for_timeout(700)  # then the address holds it
    page.reload()
    until(page, "'wayfolk' in window && wayfolk.path() !== null")
    assert page.evaluate("wayfolk.terrain().filter((cost) => cost === 10).length") == 15
    page.keyboard.press("z")
    page.select_option("#cost", "4")
    drag(page, (10, 10), (12, 10))
    until(page, "wayfolk.terrain().filter((cost) => cost === 4).length === 3")
    page.keyboard.press("u")
    until(page, "wayfolk.terrain().filter((cost) => cost === 4).length === 0")


def steer(page, tmp_path):
    """Take the only agent of a scene into one's own hands; where it is."""
    agent = AGENTS | {"map": {"name": "empty"}, "journeys": [[10, 10, 30, 20]], "errand": "one_shot"}
    begin(page, agent | {"algorithms": [{"name": "controllers/pibt", "options": {}}]}, tmp_path)
    until(page, "wayfolk.time() > 1")
    let_play(page, False)
    page.fill("#agent", "0")
    page.press("#agent", "Enter")
    page.keyboard.press("k")
    page.keyboard.press("End")
    page.wait_for_timeout(500)
    return page.evaluate("wayfolk.places()[0]")


def test_an_end_that_was_told_before_a_change_does_not_stop_what_comes_after_it(page, tmp_path):
    """While the only agent is steered, every step is the last one; messages come late here."""
    page.add_init_script(
        """const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
        Object.defineProperty(WebSocket.prototype, "onmessage", { set(hear) {
          const isLate = (data) => window.isSlow && typeof data === "string";
          set.call(this, (event) => isLate(event.data) ? setTimeout(hear, 400, event) : hear(event));
        } });"""
    )
    page.reload()
    before = steer(page, tmp_path)
    page.evaluate("window.isSlow = true")
    page.keyboard.press("ArrowLeft")
    until(page, f"wayfolk.places()[0][0] === {before[0] - 1}")
    page.keyboard.press("k")
    let_play(page, True)
    until(page, "wayfolk.places()[0].join() === '30,20'", seconds=30)


def test_an_agent_is_steered_by_the_arrow_keys(page, tmp_path):
    before = steer(page, tmp_path)
    page.keyboard.press("ArrowLeft")
    until(page, f"wayfolk.places()[0][0] === {before[0] - 1}")
    page.keyboard.press("ArrowUp")
    until(page, f"wayfolk.places()[0][1] === {before[1] - 1}")
    page.keyboard.press("k")
    let_play(page, True)
    until(page, "wayfolk.places()[0].join() === '30,20'")


def test_scene_files_are_dropped(page):
    until(page, "'wayfolk' in window && wayfolk.state() === 'running'")
    page.set_input_files("#file", str(built_in.HOME / "scenes" / "not-ours.toml"))
    until(page, "wayfolk.terrain().length === 200 && wayfolk.state() === 'running'")
    page.set_input_files("#file", str(built_in.HOME / "scenes" / "street.toml"))
    until(page, "wayfolk.state() === 'running' && wayfolk.scene().kind === 'crowd' && wayfolk.lamps().length === 2")
    page.set_input_files("#file", str(EXAMPLES / "shy.toml"))
    until(page, "wayfolk.said().startsWith('shy.toml: ')")
    assert page.evaluate("wayfolk.state()") == "running"


def test_the_tour_has_six_stops(page):
    until(page, "'wayfolk' in window && wayfolk.state() === 'running'")
    page.click("#tour")
    seen = []
    for stop in range(6):
        until(page, f"document.querySelector('#stop h2').textContent.startsWith('{stop + 1} of 6')")
        until(page, "['running', 'over'].includes(wayfolk.state()) && wayfolk.panels() > 0")
        seen.append(page.evaluate("wayfolk.scene().algorithms.map(({name}) => name.split('/')[1]).join()"))
        page.click("#tour-next")
    assert seen == ["astar,jps", "lrta,rtaa", "whca", "direction_map", "lacam", "orca"]
    assert not page.locator("#stop").is_visible()


def test_what_has_happened_is_saved(page, tmp_path):
    begin(page, AGENTS | {"agents": 6}, tmp_path)
    until(page, "wayfolk.time() > 4")
    for kind, sign in {"svg": b"<svg", "gif": b"GIF8", "json": b'"format"'}.items():
        with page.expect_download() as download:
            page.select_option("#save", kind)
        download.value.save_as(tmp_path / f"saved.{kind}")
        assert sign in (tmp_path / f"saved.{kind}").read_bytes()[:2000]


def test_the_lines_of_python_do_the_same(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for preset in ("A* against JPS", "A fleet in a warehouse", "Lanes form", "A crowd in rooms", "The street"):
        choose(page, preset)
        with page.expect_download() as download:
            page.select_option("#save", "map")
        download.value.save_as(tmp_path / download.value.suggested_filename)
        page.click("#python")
        text = page.locator("#lines pre").inner_text()
        assert len(text.splitlines()) <= 30
        text = text.replace("until=500", "until=5").replace("run(60)", "run(1)").replace("seconds=10", "seconds=1")
        exec(compile(text, preset, "exec"), {})
        written = [*tmp_path.glob("*.html"), *tmp_path.glob("plan.json")]
        assert written, preset
        for file in written:
            file.unlink()
        page.click("#lines button >> text=Close")

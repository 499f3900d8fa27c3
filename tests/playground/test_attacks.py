"""The server against pages of other sites, strangers, and pages that ask for too much."""

from __future__ import annotations

import base64
import json
import socket
from contextlib import ExitStack, suppress

import pytest

pytest.importorskip("fastapi", reason="the playground needs the extra [play]")
pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from wayfolk.errors import BadInput, WayfolkError
from wayfolk.files import built_in
from wayfolk.playground import addresses, limits
from wayfolk.playground import workers as workers_module
from wayfolk.playground.addresses import check_address, reached_at, url
from wayfolk.playground.assets import assets
from wayfolk.playground.server import make_app
from wayfolk.playground.uploads import read_upload
from wayfolk.playground.workers import Workers

HERE = "http://127.0.0.1:8765"
TOKEN = "a-token-of-many-letters"


@pytest.fixture
def client():
    with TestClient(make_app(workers=Workers(spare=False)), base_url=HERE) as client:
        yield client


def connect(client, origin=HERE, host="127.0.0.1:8765", cookie=""):
    headers = {"host": host, "cookie": cookie} | ({} if origin is None else {"origin": origin})
    return client.websocket_connect("/live", headers=headers)


def heard(socket):
    return json.loads(socket.receive_text())


# --- who may come in


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:8765"]
)
def test_a_name_that_points_here_is_refused(client, host):
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 403
    assert "does not answer to that name" in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
def test_the_names_of_this_machine_are_served(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:8766", "http://localhost:8765", "file://", None]
)
def test_a_socket_from_another_origin_is_refused(client, origin):
    with pytest.raises(WebSocketDisconnect) as refusal, connect(client, origin):
        pass
    assert refusal.value.code == 1008


def test_a_socket_of_our_own_page_is_accepted(client):
    with connect(client) as socket:
        socket.send_text("{}")
        assert heard(socket)["type"] == "refused"


def test_other_sites_cannot_use_the_api(client):
    for headers in (
        {"origin": "http://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert client.get("/api/algorithms", headers=headers).status_code == 403
        assert client.post("/api/read", content=b"..", headers=headers).status_code == 403


def test_addresses_of_other_machines_need_a_token():
    for host in ("0.0.0.0", "::", "192.168.0.7", "example.org"):
        with pytest.raises(BadInput, match="--token"):
            check_address(host, None)
        check_address(host, TOKEN)
    check_address("127.0.0.1", None)
    check_address("::1", None)
    check_address("localhost", None)
    with pytest.raises(BadInput, match="16 characters"):
        check_address("127.0.0.1", "short")


def test_with_a_token_nothing_is_served_without_it():
    app = make_app(host="192.168.0.7", port=8765, token=TOKEN, workers=Workers(spare=False))
    there = "http://192.168.0.7:8765"
    with TestClient(app, base_url=there) as client:
        for path in ("/", "/playground/main.js", "/api/maps", f"/?token={TOKEN}x", "/?token="):
            assert client.get(path).status_code == 403, path
        with pytest.raises(WebSocketDisconnect), connect(client, there, "192.168.0.7:8765"):
            pass
        opened = client.get(f"/?token={TOKEN}", follow_redirects=False)
        assert opened.status_code == 303
        assert opened.headers["location"] == "/"
        cookie = opened.headers["set-cookie"]
        assert TOKEN not in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert client.get("/api/maps").status_code == 200  # by the cookie
        with connect(client, there, "192.168.0.7:8765", cookie=cookie.partition(";")[0]):
            pass
        again = client.get(f"/?token={TOKEN}", follow_redirects=False)
        assert again.status_code == 303  # the address bar loses it again


@pytest.mark.parametrize("token", ['a+b&c=d#e%20/?;,"x', "tür zum spielplatz"])
def test_a_token_may_have_any_letters(token):
    app = make_app(host="0.0.0.0", port=8765, token=token, workers=Workers(spare=False))
    address = url("192.168.0.7", 8765, token)
    with TestClient(app, base_url="http://192.168.0.7:8765") as client:
        answer = client.get(address)
        assert answer.status_code == 200
        assert str(answer.url) == "http://192.168.0.7:8765/"


def test_guesses_are_limited_for_each_address_and_in_total(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(limits, "monotonic", lambda: now[0])
    guard = make_app(host="0.0.0.0", port=8765, token=TOKEN, workers=Workers(spare=False))
    there = "http://192.168.0.7:8765"

    def statuses(host, *tokens):
        with TestClient(guard, base_url=there, client=(host, 5000)) as client:
            return [client.get(f"/?token={token}", follow_redirects=False).status_code for token in tokens]

    assert statuses("10.0.0.1", *["wrong"] * 6, TOKEN) == [403] * 5 + [429] * 2
    assert statuses("10.0.0.2", *[TOKEN] * 20) == [303] * 20  # who has it does not guess
    assert statuses("fe80::1", *["wrong"] * 5) == [403] * 5
    assert statuses("fe80::2", "wrong") == [429]  # the same network
    for i in range(3, 11):
        assert statuses(f"10.0.0.{i}", *["wrong"] * 5) == [403] * 5
    assert statuses("10.0.0.99", TOKEN) == [429]  # fifty wrong ones were enough for now
    now[0] += 60.0
    assert statuses("10.0.0.1", TOKEN) == [303]


def test_who_has_a_pass_is_not_disturbed_by_guesses(monkeypatch):
    monkeypatch.setattr(limits, "monotonic", lambda: 0.0)
    guard = make_app(host="0.0.0.0", port=8765, token=TOKEN, workers=Workers(spare=False))
    with TestClient(guard, base_url="http://192.168.0.7:8765") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        for _ in range(60):
            client.get("/?token=wrong")
        assert client.get("/?token=wrong").status_code == 429
        assert client.get("/api/maps").status_code == 200


def test_the_printed_address_can_be_opened_by_another_device(monkeypatch):
    assert reached_at("127.0.0.1") == ["127.0.0.1"]
    assert reached_at("192.168.0.7") == ["192.168.0.7"]
    for host in ("0.0.0.0", "::"):
        found = reached_at(host)
        assert found
        assert not {"0.0.0.0", "::"} & set(found)
    monkeypatch.setattr(addresses, "_way_out", lambda family: "192.168.0.7" if family == socket.AF_INET else "")
    assert reached_at("0.0.0.0")[0] == "192.168.0.7"
    assert url("192.168.0.7", 80, "a b+c") == "http://192.168.0.7:80/?token=a%20b%2Bc"
    assert url("::1", 8765) == "http://[::1]:8765/"


# --- what is served


def test_every_answer_has_a_policy_without_inline_scripts(client):
    for path in ("/", "/replay/painter.js", "/api/maps", "/nothing"):
        policy = client.get(path).headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


def test_the_page_has_no_inline_script_style_or_handler():
    page = assets()[""][1].decode()
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick" not in page
    assert page.count("<script") == page.count('<script type="module" src=')


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml", "/..%2f..%2fpyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/server.py",
        "/playground/server.py", "/replay/main.js/../server.py", "/C:\\windows\\win.ini",
        "/playground/main.js%00.py", "/.env",
    ],
)  # fmt: skip
def test_only_files_of_the_page_are_served(client, path):
    answer = client.get(path)
    assert answer.status_code in (404, 400)
    assert b"import" not in answer.content


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "rooms.map", "C:/x", "%2e%2e%2fx"])
def test_maps_are_looked_up_by_name_only(client, name):
    answer = client.get(f"/api/maps/{name}")
    assert answer.status_code in (400, 404)


def test_a_dropped_file_is_known_by_its_bytes_and_its_name_goes_nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = b"type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n"
    read = read_upload("../../../tmp/evil<b>.map", data)["map"]
    assert read["width"] == 3
    assert set("/<>.") & set(read["name"]) == set()
    assert list(tmp_path.iterdir()) == []


def test_a_broken_dropped_file_gets_a_sentence_without_our_paths(client):
    answer = client.post("/api/read", params={"name": "x.map"}, content=b"type octile\nheight -1\nwidth 3\nmap\n")
    assert answer.status_code == 400
    assert "the height must be" in answer.json()["why"]
    assert "tmp" not in answer.json()["why"]


# --- scene files

WORLD = '[world]\nmap = """\n....\n....\n"""\n'
GROUP = "[[group]]\nplaces = [[0, 0]]\ngoals = [[3, 1]]\n"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('[world]\nfile = "/etc/passwd"\n' + GROUP, "cannot name a file"),
        ('[world]\nfile = "../../x.map"\n' + GROUP, "cannot name a file"),
        (WORLD + GROUP + '[controller]\nname = "os:system"\n', "no algorithm"),
        (WORLD + GROUP + '[controller]\nname = "../x.py"\n', "no algorithm"),
        (
            WORLD + GROUP + '[controller]\nname = "sdp"\noptions = { cluster = "tcp://evil.example:1" }\n',
            "cannot be set",
        ),
        (
            WORLD + GROUP + '[controller]\nname = "direction_map"\noptions = { saved = "/etc/passwd" }\n',
            "cannot be set",
        ),
        ('[world]\nmake = "random"\nwidth = 1000000\nheight = 1000000\n' + GROUP, "width"),
        ('[world]\nmake = "voxels"\nwidth = 2000\nheight = 2000\nlevels = 2000\n' + GROUP, "points on maps of squares"),
        (WORLD + GROUP + "size = 2\n", "points on maps of squares"),
        (WORLD + GROUP + '[[event]]\nat = 1\ndo = "join"\nturns = true\n', "points on maps of squares"),
        (WORLD + "[[group]]\ncount = 1000000\narea = [0, 0, 4, 2]\ngoal_area = [0, 0, 4, 2]\n", "agents"),
        ('[street]\nfile = "/etc/passwd"\n[[spawn]]\nbrain = "car"\nrate = 1\n', "as `map`"),
        ('[street]\nmap = "..."\n[[spawn]]\nbrain = "evil.py"\nrate = 1\n', "brain"),
        ('[street]\nmap = "..."\nmodel = "os:system"\n[[spawn]]\nbrain = "car"\nrate = 1\n', "no algorithm"),
        ('[street]\nmap = "..."\n[[spawn]]\nbrain = "car"\nrate = 1\nfile = "x"\n', "does not know file"),
        ('[world]\nmap = "', "no scene"),
        ("[world]\nx = " + "[" * 3000, "no scene"),
    ],
)
def test_a_dropped_scene_names_no_file_and_no_module(text, word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WayfolkError) as refusal:
        read_upload("scene.toml", text.encode())
    assert word in str(refusal.value)
    assert "/tmp" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_dropped_scene_is_read(client):
    read = client.post("/api/read", content=(WORLD + GROUP + '[controller]\nname = "pibt"\n').encode()).json()
    assert read["journeys"] == [[0, 0, 3, 1]]
    assert read["map"]["width"] == 4
    assert read["algorithms"] == [{"name": "controllers/pibt", "options": {}}]
    file = built_in.HOME / "scenes" / "street.toml"
    read = read_upload("street.toml", file.read_bytes())
    assert read["kind"] == "crowd"
    assert [each["brain"] for each in read["street"]["coming"]] == ["pedestrian", "hurried", "car", "bus"]
    with pytest.raises(BadInput, match="UTF-8"):
        read_upload("x.toml", b"[world]\nname = '\xff\xfe'")


# --- too much


def test_a_long_message_counts_as_several(client):
    cells = json.dumps({"type": "edit", "panel": 0, "edit": {"do": "block", "cells": [[1, 1]] * 20_000}})
    n_sent = 0
    with connect(client) as socket, suppress(WebSocketDisconnect):
        for _ in range(limits.BURST):
            socket.send_text(cells)
            socket.receive_text()
            n_sent += 1
    assert 0 < n_sent < limits.BURST / 4


def test_a_dropped_file_has_a_size(client):
    answer = client.post("/api/read", content=b"." * (limits.MAX_MESSAGE + 1))
    assert answer.status_code == 400
    assert "bytes" in answer.json()["why"]


def scene(**changes):
    return {"map": {"name": "empty"}, "algorithm": "pibt", **changes}


def street(**changes):
    return {"drawing": "....\n>>x>\n....", "coming": [{"brain": "car", "rate": 1}], **changes}


def opened(**changes):
    return json.dumps({"type": "open", "panel": 0, "scene": scene(**changes)})


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"agents": 10**9}, "agents"),
        ({"agents": -1}, "agents"),
        ({"map": {"width": 2048, "height": 2048, "walls": "AAAA"}}, "cells"),
        ({"map": {"width": 10**9, "height": 1, "walls": ""}}, "width"),
        ({"map": {"width": 8, "height": 8, "walls": "AAAA"}}, "bytes of walls"),
        ({"map": {"width": 8, "height": 8, "walls": "%%%"}}, "base64"),
        ({"map": {"name": "../../etc/passwd"}}, "no map"),
        ({"algorithm": "os:system"}, "no algorithm"),
        ({"algorithm": "../x"}, "no algorithm"),
        ({"algorithm": "astar"}, "no algorithm"),
        ({"options": {"nothing": 1}}, "no option"),
        ({"algorithm": "direction_map", "options": {"saved": "/etc/passwd"}}, "cannot be set from the page"),
        ({"algorithm": "sdp", "options": {"cluster": "tcp://evil.example:1"}}, "cannot be set from the page"),
        ({"seed": 10**30}, "seed"),
        ({"start": [10**9, 0]}, "start"),
        ({"journeys": [[0, 0, 1]]}, "journeys"),
        ({"more": 1}, "more"),
        ({"map": {"width": 8, "height": 8, "walls": "AAAAAAAAAAA=", "terrain": "AAAA"}}, "bytes of terrain"),
        ({"map": {"width": 8, "height": 1, "walls": "AA==", "terrain": base64.b64encode(bytes(8)).decode()}}, "not 0"),
        ({"map": {"name": "empty", "terrain": "A" * 1_500_000}}, "terrain"),
        ({"street": street(drawing="." * 30_000)}, "drawing"),
        ({"street": street(coming=[{"brain": "../evil.py", "rate": 1}])}, "brain"),
        ({"street": street(coming=[{"brain": "car", "rate": 10**6}])}, "rate"),
        ({"street": street(coming=[])}, "coming"),
        ({"street": street(coming=[{"brain": "car", "rate": 1}] * 9)}, "coming"),
    ],
)
def test_scenes_have_bounds_with_a_sentence_each(client, changes, word):
    with connect(client) as socket:
        socket.send_text(opened(**changes))
        answer = heard(socket)
    assert answer["type"] == "refused"
    assert word in answer["why"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "nonsense", "{}", '{"type":"open"}', '{"type":"until","panel":9,"step":1}',
     '{"type":"until","panel":0,"step":-1}',
     '{"type":"edit","panel":0,"edit":{"do":"rm"}}', '{"type":"look","panel":0,"ahead":"../x"}',
     '{"type":"edit","panel":0,"edit":{"do":"terrain","cost":0}}',
     '{"type":"export","panel":0,"format":"../x"}', "[" * 5000],
)  # fmt: skip
def test_wrong_messages_get_a_sentence_and_the_page_goes_on(client, text):
    with connect(client) as socket:
        socket.send_text(text)
        assert heard(socket)["type"] == "refused"
        socket.send_text('{"type":"until","panel":0,"step":1}')
        assert "nothing runs here" in heard(socket)["why"]


def test_a_huge_message_ends_the_connection(client):
    with connect(client) as socket:
        socket.send_text("x" * (limits.MAX_MESSAGE + 1))
        with pytest.raises(WebSocketDisconnect) as end:
            socket.receive_text()
    assert end.value.code == 1009


def test_bytes_end_the_connection(client):
    with connect(client) as socket:
        socket.send_bytes(b"\x00\x01")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_text()


def test_too_many_messages_end_the_connection(client):
    def flood(socket):
        for _ in range(2 * limits.BURST):
            socket.send_text("{}")
            socket.receive_text()

    with connect(client) as socket, pytest.raises(WebSocketDisconnect) as end:
        flood(socket)
    assert end.value.code == 1008


def test_rate_lets_the_usual_pass_and_fills_again(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(limits, "monotonic", lambda: now[0])
    rate = limits.Rate(a_second=10, burst=5)
    assert [rate.allows() for _ in range(6)] == [True] * 5 + [False]
    now[0] = 0.35
    assert [rate.allows() for _ in range(4)] == [True] * 3 + [False]


def test_pages_are_counted_and_places_are_given_back():
    app = make_app(workers=Workers(pages=3, spare=False))
    with TestClient(app, base_url=HERE, client=("127.0.0.1", 5000)) as client:
        for _ in range(2):
            with ExitStack() as stack:
                for _ in range(3):
                    stack.enter_context(connect(client))
                one_more = stack.enter_context(connect(client))
                with pytest.raises(WebSocketDisconnect) as end:
                    one_more.receive_text()
            assert end.value.reason == "3 pages are open already, as many as may be: close one of them first"


def test_one_device_cannot_take_all_pages():
    app = make_app(workers=Workers(pages=30, memory=30e9, spare=False))
    with TestClient(app, base_url=HERE, client=("192.168.0.9", 5000)) as client, ExitStack() as stack:
        for _ in range(limits.PAGES_A_DEVICE):
            stack.enter_context(connect(client))
        with connect(client) as one_more, pytest.raises(WebSocketDisconnect) as end:
            one_more.receive_text()
        assert "this device has 8 pages open" in end.value.reason


def test_panels_beside_others_are_counted_and_each_page_has_one(monkeypatch):
    monkeypatch.setattr(workers_module, "Process", type("Process", (), {}))
    workers = Workers(spare=False)
    pages = [object() for _ in range(5)]
    for page in (*pages[:4], *(2 * pages[:4])):
        workers.take(page)
    with pytest.raises(WayfolkError, match="8 algorithms run beside others already"):
        workers.take(pages[0])
    assert workers.take(pages[4]).page is pages[4]


def test_memory_is_divided_honestly():
    Workers(pages=30, memory=30 * limits.LEAST_SHARE, spare=False)
    with pytest.raises(BadInput, match=r"30 pages need 3\.0 GB or more, and 2\.0 GB may be used: give fewer --pages"):
        Workers(pages=30, memory=2e9, spare=False)

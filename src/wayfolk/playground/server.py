"""The server: the page and its files, the catalogue as JSON, and one WebSocket for each page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest

from wayfolk import __version__
from wayfolk.errors import TooLarge, WayfolkError
from wayfolk.playground.addresses import is_loopback
from wayfolk.playground.assets import assets
from wayfolk.playground.choices import algorithm_choices, map_by_name, map_choices, scene_choices
from wayfolk.playground.connections import cut
from wayfolk.playground.guard import Guard
from wayfolk.playground.limits import (
    BYTES_A_MESSAGE,
    MAX_MESSAGE,
    OPENS_A_SECOND,
    OPENS_BURST,
    PAGES_A_DEVICE,
    Rate,
)
from wayfolk.playground.messages import (
    MAX_SENTENCE,
    AdvanceTo,
    ClosePanel,
    OpenPanel,
    Refused,
    Request,
    answer_text,
    read_request,
)
from wayfolk.playground.outbox import Letter, Outbox
from wayfolk.playground.sessions import Session
from wayfolk.playground.tokens import device
from wayfolk.playground.workers import Workers

TOO_MUCH, BROKEN = 1009, 1008
"""Codes with which a WebSocket is closed."""
CLOSING_SECONDS = 5.0
"""Seconds that a page has to take the sentence with which its connection ends."""


def make_app(
    *, host: str = "127.0.0.1", port: int = 8765, token: str | None = None, workers: Workers | None = None
) -> Guard:
    """The server as an ASGI application, behind its guard."""
    workers = workers or Workers()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        workers.begin()
        yield
        workers.end()

    app = FastAPI(
        title="Wayfolk", version=__version__, openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    files = assets()
    pages: list[str] = []  # the devices that have pages open, once for each of these

    @app.exception_handler(WayfolkError)
    async def complain(request: HttpRequest, error: WayfolkError) -> Response:
        return JSONResponse({"why": str(error)}, 400)

    @app.get("/api/algorithms")
    def algorithms() -> Response:
        return _json(algorithm_choices())

    @app.get("/api/maps")
    def maps() -> Response:
        return _json(map_choices())

    @app.get("/api/maps/{name}")
    def one_map(name: str) -> Response:
        return _json(map_by_name(name))

    @app.get("/api/scenes")
    def scenes() -> Response:
        return _json(scene_choices())

    @app.post("/api/read")
    async def read(request: HttpRequest, name: str = "") -> Response:
        with workers.place_to_read(device(request.scope)):
            answer = await workers.read(name, await _body(request), request.is_disconnected)
        workers.prepare()
        return Response(answer, media_type="application/json")

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        who = device(socket.scope)
        if len(pages) >= workers.pages:
            await socket.close(
                BROKEN, f"{workers.pages} pages are open already, as many as may be: close one of them first"
            )
            return
        if pages.count(who) >= PAGES_A_DEVICE and not is_loopback(who):
            await socket.close(BROKEN, f"this device has {PAGES_A_DEVICE} pages open already: close one of them first")
            return
        pages.append(who)
        try:
            await Client(socket, workers).serve()
        finally:
            pages.remove(who)

    @app.get("/{name:path}")
    def file(name: str) -> Response:
        if name not in files:
            return Response("there is no such page\n", 404, media_type="text/plain")
        kind, data = files[name]
        return Response(data, media_type=kind)

    return Guard(app, host=host, port=port, token=token)


class Client:
    """One page: its WebSocket, what it is sent, and what runs in its panels."""

    def __init__(self, socket: WebSocket, workers: Workers) -> None:
        self.socket, self.workers = socket, workers
        self.outbox = Outbox(self.send)
        self.sessions: dict[int, Session] = {}
        self.rate, self.opens = Rate(), Rate(OPENS_A_SECOND, OPENS_BURST)

    async def serve(self) -> None:
        """Listen and send until the page goes away, breaks a rule, or does not read."""
        listening, sending = asyncio.create_task(self.listen()), asyncio.create_task(self.outbox.run())
        try:
            await asyncio.wait((listening, sending), return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                await self.close(*listening.result())
            elif isinstance(sending.exception(), TimeoutError):
                cut(self.socket.scope.get("client"))
            else:
                sending.result()
        finally:
            listening.cancel()
            sending.cancel()
            for session in self.sessions.values():
                session.close()

    async def listen(self) -> tuple[int, str]:
        """Do what the page asks for; the code and the sentence with which the connection ends."""
        try:
            while True:
                text = await self.socket.receive_text()
                if len(text) > MAX_MESSAGE:
                    return TOO_MUCH, f"a message may have up to {MAX_MESSAGE:,} bytes"
                if not self.rate.allows(1 + len(text) / BYTES_A_MESSAGE):
                    return BROKEN, "the page sends messages too fast"
                self.hear(text)
                await self.outbox.room()
        except KeyError:
            return BROKEN, "a message from a page is JSON text, not bytes"
        except (WebSocketDisconnect, RuntimeError):
            return 0, ""  # it has gone

    async def close(self, code: int, why: str) -> None:
        """Close the connection with a sentence, if the page is still there, and takes it."""
        if not code:
            return
        try:
            await asyncio.wait_for(self.socket.close(code, why), CLOSING_SECONDS)
        except (TimeoutError, RuntimeError, WebSocketDisconnect):
            cut(self.socket.scope.get("client"))

    def hear(self, text: str) -> None:
        """Do what one message asks for; a mistake is answered with a sentence."""
        panel = 0
        try:
            request = read_request(text)
            panel = request.panel
            self.act(request)
        except WayfolkError as error:
            self.outbox.put(Letter(answer_text(Refused(panel=panel, why=str(error)[:MAX_SENTENCE]))))
        self.workers.prepare()

    def act(self, request: Request) -> None:
        """Do what `request` asks for."""
        session = self.sessions.get(request.panel)
        if isinstance(request, OpenPanel):
            if not self.opens.allows():
                raise TooLarge("the page begins scenes too fast: wait a moment")
            if session is None:
                session = self.sessions[request.panel] = Session(request.panel, self, self.workers, self.outbox)
            session.open(request)
        elif session is None:
            raise WayfolkError("nothing runs here: start a scene first")
        elif isinstance(request, AdvanceTo):
            session.until(request.step)
        elif isinstance(request, ClosePanel):
            session.close()
            del self.sessions[request.panel]
        else:
            session.pass_on(request)

    async def send(self, data: str | bytes) -> None:
        """Send to the page; one that has gone is not an error."""
        with suppress(RuntimeError, WebSocketDisconnect):
            await (self.socket.send_text(data) if isinstance(data, str) else self.socket.send_bytes(data))


async def _body(request: HttpRequest) -> bytes:
    """The body of a request, of bounded size."""
    data = bytearray()
    try:
        async for part in request.stream():
            data += part
            if len(data) > MAX_MESSAGE:
                raise WayfolkError(f"a file may have up to {MAX_MESSAGE:,} bytes")
    except ClientDisconnect:
        raise WayfolkError("the file has not come as a whole") from None
    return bytes(data)


def _json(value: Any) -> Response:
    return Response(json.dumps(value, separators=(",", ":")), media_type="application/json")

"""The server: the page and its files, the catalogue as JSON, and one WebSocket for each page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from wayfolk import __version__
from wayfolk.errors import WayfolkError
from wayfolk.playground import asked
from wayfolk.playground.assets import assets
from wayfolk.playground.bring import read_dropped
from wayfolk.playground.guard import Guard
from wayfolk.playground.limits import MAX_MESSAGE, MAX_PAGES, Rate
from wayfolk.playground.sessions import Session, Workers
from wayfolk.playground.shown import shown_algorithms, shown_map, shown_maps, shown_scenes

TOO_MUCH, BROKEN = 1009, 1008
"""Codes with which a WebSocket is closed."""


def make_app(
    *, host: str = "127.0.0.1", port: int = 8765, token: str | None = None, workers: Workers | None = None
) -> Guard:
    """The server as an ASGI application, behind its guard."""
    workers = workers or Workers()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        workers.prepare()
        yield
        workers.end()

    app = FastAPI(
        title="Wayfolk", version=__version__, openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    files = assets()
    pages: set[WebSocket] = set()

    @app.exception_handler(WayfolkError)
    async def complain(request: Request, error: WayfolkError) -> Response:
        return JSONResponse({"why": str(error)}, 400)

    @app.get("/api/algorithms")
    def algorithms() -> Response:
        return _json(shown_algorithms())

    @app.get("/api/maps")
    def maps() -> Response:
        return _json(shown_maps())

    @app.get("/api/maps/{name}")
    def one_map(name: str) -> Response:
        return _json(shown_map(name))

    @app.get("/api/scenes")
    def scenes() -> Response:
        return _json(shown_scenes())

    @app.post("/api/read")
    async def read(request: Request, name: str = "") -> Response:
        data = await _body(request)
        return _json(await run_in_threadpool(read_dropped, name, data))

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        if len(pages) >= MAX_PAGES:
            await socket.close(BROKEN, f"{MAX_PAGES} pages are open already: close one of them first")
            return
        pages.add(socket)
        try:
            await Page(socket, workers).serve()
        finally:
            pages.discard(socket)

    @app.get("/{name:path}")
    def file(name: str) -> Response:
        if name not in files:
            return Response("there is no such page\n", 404, media_type="text/plain")
        kind, data = files[name]
        return Response(data, media_type=kind)

    return Guard(app, host=host, port=port, token=token)


class Page:
    """One page: its WebSocket, and what runs in its panels."""

    def __init__(self, socket: WebSocket, workers: Workers) -> None:
        self.socket, self.workers = socket, workers
        self.sessions: dict[int, Session] = {}
        self.rate = Rate()

    async def serve(self) -> None:
        """Listen until the page goes away or breaks a rule."""
        try:
            while True:
                text = await self.socket.receive_text()
                if len(text) > MAX_MESSAGE:
                    await self.socket.close(TOO_MUCH, f"a message may have up to {MAX_MESSAGE:,} bytes")
                    return
                if not self.rate.allows():
                    await self.socket.close(BROKEN, "the page sends messages too fast")
                    return
                await self.hear(text)
        except KeyError:
            await self.socket.close(BROKEN, "the page sent bytes, but text is spoken here")
        except (WebSocketDisconnect, RuntimeError):
            return  # it has gone
        finally:
            for session in self.sessions.values():
                session.close()

    async def hear(self, text: str) -> None:
        """Do what one message asks for; a mistake is answered with a sentence."""
        panel = 0
        try:
            message = asked.read_message(text)
            panel = message.panel
            self.act(message)
        except WayfolkError as error:
            await self.send(json.dumps({"type": "refused", "panel": panel, "why": str(error)}))
        self.workers.prepare()

    def act(self, message: asked.Message) -> None:
        """Do what `message` asks for."""
        if isinstance(message, asked.Open):
            session = self.sessions.get(message.panel)
            if session is None:
                session = self.sessions[message.panel] = Session(message.panel, self.workers, self.send)
            session.open(message.scene)
            return
        session = self.sessions.get(message.panel)
        if session is None:
            raise WayfolkError("nothing runs here: start a scene first")
        if isinstance(message, asked.Until):
            session.until(message.step)
        elif isinstance(message, asked.Change):
            session.edit(message.edit)
        elif isinstance(message, asked.Look):
            session.look(message.ahead, message.waits)
        elif isinstance(message, asked.Export):
            session.export(message.format)
        else:
            session.close()
            del self.sessions[message.panel]

    async def send(self, data: str | bytes) -> None:
        """Send to the page; one that has gone is not an error."""
        try:
            if isinstance(data, str):
                await self.socket.send_text(data)
            else:
                await self.socket.send_bytes(data)
        except (RuntimeError, WebSocketDisconnect):
            return


async def _body(request: Request) -> bytes:
    """The body of a request, of bounded size."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MAX_MESSAGE:
            raise WayfolkError(f"a file may have up to {MAX_MESSAGE:,} bytes")
    return bytes(data)


def _json(value: Any) -> Response:
    return Response(json.dumps(value, separators=(",", ":")), media_type="application/json")

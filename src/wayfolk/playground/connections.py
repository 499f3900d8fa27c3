"""Connections that have to come to an end: a request must be whole within seconds, and an answer must be taken.

uvicorn waits for ever for the rest of a request. Here, a connection ends that sends nothing or a part of a request for
REQUEST_SECONDS, or does not take the answer for as long; of more than UNFINISHED such connections the oldest end at once.
"""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakValueDictionary

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from wayfolk.playground import limits

_unfinished: dict[Connection, None] = {}
_transports: WeakValueDictionary[tuple[Any, ...], asyncio.Transport] = WeakValueDictionary()


class Connection(H11Protocol):
    """A connection of HTTP, until it becomes a WebSocket."""

    _timer: asyncio.TimerHandle | None = None
    _is_stalled = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        _transports[tuple(transport.get_extra_info("peername") or ())[:2]] = transport
        self._begin()

    def data_received(self, data: bytes) -> None:
        """A part of a request has come."""
        if self._timer is None:
            self._begin()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) and not self._is_stalled:
            self._finish()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._finish()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take its answer."""
        super().pause_writing()
        self._is_stalled = True
        self._begin()

    def resume_writing(self) -> None:
        """It has taken a part of it."""
        super().resume_writing()
        self._is_stalled = False
        self._finish()

    def _begin(self) -> None:
        self._finish()
        _unfinished[self] = None
        self._timer = asyncio.get_running_loop().call_later(limits.REQUEST_SECONDS, self._cut)
        if len(_unfinished) > limits.UNFINISHED:
            next(iter(_unfinished))._cut()

    def _finish(self) -> None:
        _unfinished.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        self._finish()
        if self.transport.get_protocol() is self:  # else it is a WebSocket by now
            self.transport.abort()


def server_of(app: Any) -> uvicorn.Server:
    """The server of `app`, with these connections. Messages are not compressed: that would take the time of all pages."""
    config = uvicorn.Config(
        app, log_level="warning", http=Connection, ws_max_size=limits.MAX_MESSAGE, ws_per_message_deflate=False,
        timeout_graceful_shutdown=1, server_header=False, proxy_headers=False, lifespan="on",
    )  # fmt: skip
    return uvicorn.Server(config)


def cut(client: tuple[Any, ...] | None) -> None:
    """End the connection of `client`, its host and port, at once, also if it does not read."""
    transport = None if client is None else _transports.get(tuple(client)[:2])
    if transport is not None:
        transport.abort()

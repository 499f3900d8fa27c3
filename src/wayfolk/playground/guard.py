"""The guard in front of the server: which requests may come in.

A page of another site cannot read or change anything here, although it runs in the same browser:

    Host     must be an address of this server, so that a name that is made to point here (DNS rebinding) is refused
    Origin   must be this server's, if there is one; a WebSocket must have one
    token    where the server listens on other addresses than this machine's own, every request needs the token, or the
             pass that a browser gets for it (see `tokens.py`)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from wayfolk.playground.addresses import EVERY, check_address, is_loopback, joined
from wayfolk.playground.tokens import Headers, Scope, Token

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin", "cache-control": "no-cache",
}  # fmt: skip
FORBIDDEN, TOO_MANY, SEE_OTHER = 403, 429, 303

Call = Callable[..., Awaitable[Any]]


class Guard:
    """Passes on the requests that may come in; the others get a sentence and nothing else."""

    def __init__(self, app: Call, *, host: str, port: int, token: str | None = None) -> None:
        check_address(host, token)
        self.app, self.token = app, None if token is None else Token(token, port)
        names = {host, "localhost", "127.0.0.1", "::1"} if is_loopback(host) else {host}
        self.is_open = host in EVERY  # it then has any address of the machine, and the token protects it
        self.hosts = {name for each in names for name in (joined(each, port), *((each,) if port == 80 else ()))}

    async def __call__(self, scope: Scope, receive: Call, send: Call) -> None:
        """Check one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers: Headers = dict(scope["headers"])
        why = self.objection(headers, scope)
        if why is not None:
            await _answer(scope, send, FORBIDDEN, why)
        elif self.token is None:
            await self.app(scope, receive, _dressed(send))
        else:
            await self._by_token(self.token, headers, scope, receive, send)

    async def _by_token(self, token: Token, headers: Headers, scope: Scope, receive: Call, send: Call) -> None:
        """Let in who has a pass; who has the token gets one, and leaves the token behind."""
        given = token.given(scope) if scope["type"] == "http" else None
        has_pass = token.has_pass(headers)
        if has_pass and given is None:
            await self.app(scope, receive, _dressed(send))
        elif given is None:
            why = "this server needs its token: open the address that it has printed"
            await _answer(scope, send, FORBIDDEN, why)
        elif not token.may_guess(scope):
            await _answer(scope, send, TOO_MANY, "there were too many wrong tokens: wait a minute")
        elif token.is_right(given, scope):
            await _answer(scope, send, SEE_OTHER, "", {"location": "/", "set-cookie": token.set_cookie})
        else:
            await _answer(scope, send, FORBIDDEN, "this is not the token of this server")

    def objection(self, headers: Headers, scope: Scope) -> str | None:
        """Why a request may not come in, whatever its token; None if it may."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._is_ours(host):
            return "this server does not answer to that name"
        origin = headers.get(b"origin")
        if origin is None and scope["type"] == "websocket":
            return "a connection needs an origin"
        if origin is not None and not self._is_same(origin.decode("latin-1").lower(), host):
            return "pages of other sites may not use this server"
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin") and scope.get("path") != "/":
            return "pages of other sites may not use this server"
        return None

    def _is_ours(self, host: str) -> bool:
        return bool(host) if self.is_open else host in self.hosts

    def _is_same(self, origin: str, host: str) -> bool:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc == host


def _dressed(send: Call) -> Call:
    """`send`, with the headers that every answer has."""

    async def dressed(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_encoded(HEADERS)]
        await send(message)

    return dressed


async def _answer(scope: Scope, send: Call, status: int, why: str, more: dict[str, str] | None = None) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = _encoded({"content-type": "text/plain; charset=utf-8", **HEADERS, **(more or {})})
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]

"""The guard in front of the server: who may speak to it.

A page of another site cannot read or change anything here, although it runs in the same browser:

    Host     must be an address of this server, so that a name that is made to point here (DNS rebinding) is refused
    Origin   must be this server's, if there is one; a WebSocket must have one
    token    where the server listens on other addresses than this machine's own, every request needs the token; the
             page's address holds it once, and a cookie from then on
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, urlsplit

from wayfolk.errors import BadInput

COOKIE = "wayfolk_token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin", "cache-control": "no-cache",
}  # fmt: skip
LEAST_TOKEN = 16

Headers = dict[bytes, bytes]
Scope = MutableMapping[str, Any]
Call = Callable[..., Awaitable[Any]]


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's own address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(host: str, token: str | None) -> None:
    """Raise unless the server may listen on `host`."""
    if token is not None and len(token) < LEAST_TOKEN:
        raise BadInput(f"a token needs {LEAST_TOKEN} characters or more, so that nobody guesses it")
    if not is_loopback(host) and not token:
        raise BadInput(f"{host} can be reached by other machines: give a --token, which every page then needs")


class Guard:
    """Passes on the requests that may come in; the others get a sentence and nothing else."""

    def __init__(self, app: Call, *, host: str, port: int, token: str | None = None) -> None:
        check_address(host, token)
        self.app, self.token = app, token
        names = {host, "localhost", "127.0.0.1", "::1"} if is_loopback(host) else {host}
        self.is_open = host in ("0.0.0.0", "::")  # it then has any address of the machine, and the token protects it
        self.hosts = {name for each in names for name in (_address(each, port), *((each,) if port == 80 else ()))}

    async def __call__(self, scope: Scope, receive: Call, send: Call) -> None:
        """Check one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers: Headers = dict(scope["headers"])
        why = self.objection(headers, scope)
        if why is not None:
            await _refuse(scope, send, why)
            return

        async def dressed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                if self.token is not None:
                    cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    extra.append((b"set-cookie", cookie.encode()))
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        await self.app(scope, receive, dressed)

    def objection(self, headers: Headers, scope: Scope) -> str | None:
        """Why a request may not come in; None if it may."""
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
        if self.token is not None and not self._has_token(headers, scope):
            return "this server needs its token: open the address that it has printed"
        return None

    def _is_ours(self, host: str) -> bool:
        return bool(host) if self.is_open else host in self.hosts

    def _is_same(self, origin: str, host: str) -> bool:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc == host

    def _has_token(self, headers: Headers, scope: Scope) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
            given += [cookies[COOKIE].value] if COOKIE in cookies else []
        except CookieError:
            pass
        assert self.token is not None
        return any(hmac.compare_digest(each.encode(), self.token.encode()) for each in given)


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _refuse(scope: Scope, send: Call, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})

"""The token of a server that other machines can reach: who has it gets a pass, and who guesses has to wait.

The address that the server prints holds the token. A browser that opens it gets a cookie with a random pass, and is
redirected to the address without the token, so that the token is neither in the address bar nor in the cookie.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.parse import parse_qs

from wayfolk.playground.limits import Rate

Headers = dict[bytes, bytes]
Scope = MutableMapping[str, Any]
GUESSES = (5, 5 / 60)
"""Wrong tokens that one address may send at once, and in a second."""
ALL_GUESSES = (50, 0.5)
"""The same for all addresses together."""
MOST_ADDRESSES = 1000


class Token:
    """The token, the pass, and how many wrong guesses there were."""

    def __init__(self, token: str, port: int) -> None:
        self.token, self.cookie, self.secret = token, f"wayfolk_{port}", secrets.token_urlsafe(32)
        self.all_guesses = Rate(ALL_GUESSES[1], ALL_GUESSES[0])
        self.guesses: OrderedDict[str, Rate] = OrderedDict()

    @property
    def set_cookie(self) -> str:
        """The header that gives a browser its pass. Links of other sites may lead here, but their scripts do not get it."""
        return f"{self.cookie}={self.secret}; HttpOnly; SameSite=Lax; Path=/"

    def has_pass(self, headers: Headers) -> bool:
        """Whether a request has the cookie."""
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        given = cookies[self.cookie].value if self.cookie in cookies else ""
        return hmac.compare_digest(given.encode(), self.secret.encode())

    def given(self, scope: Scope) -> str | None:
        """The token in the address of a request; None if there is none."""
        tokens = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).get("token")
        return tokens[0] if tokens else None

    def may_guess(self, scope: Scope) -> bool:
        """Whether another guess of this client may come; it counts, unless `is_right` takes it back."""
        return all(rate.allows() for rate in (self._rate(scope), self.all_guesses))

    def is_right(self, given: str, scope: Scope) -> bool:
        """Whether `given` is the token."""
        is_right = hmac.compare_digest(given.encode(), self.token.encode())
        if is_right:
            for rate in (self._rate(scope), self.all_guesses):
                rate.left = min(rate.burst, rate.left + 1)
        return is_right

    def _rate(self, scope: Scope) -> Rate:
        who = device(scope)
        rate = self.guesses.pop(who, None) or Rate(GUESSES[1], GUESSES[0])
        self.guesses[who] = rate
        if len(self.guesses) > MOST_ADDRESSES:
            self.guesses.popitem(last=False)
        return rate


def device(scope: Scope) -> str:
    """The address from which a request comes; of IPv6, the network, in which a device has many addresses."""
    host = str((scope.get("client") or ("",))[0])
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and not address.is_loopback:
        mapped = address.ipv4_mapped
        return str(mapped) if mapped else str(IPv6Address(int(address) >> 64 << 64))
    return str(address)

"""Addresses: where the server listens, and how other devices reach it."""

from __future__ import annotations

import socket
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import quote

from wayfolk.errors import BadInput

LEAST_TOKEN = 16
EVERY = ("0.0.0.0", "::")
"""All addresses of the machine."""
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # nobody has these; nothing is sent there


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


def url(host: str, port: int, token: str | None = None) -> str:
    """The address of the page, with the token if there is one."""
    query = f"?token={quote(token, safe='')}" if token else ""
    return f"http://{joined(host, port)}/{query}"


def joined(host: str, port: int) -> str:
    """Host and port, as addresses and headers hold them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reached_at(host: str) -> list[str]:
    """The hosts under which other devices, or this one, reach a server that listens on `host`; the best one first."""
    if host not in EVERY:
        return [host]
    families = [socket.AF_INET] if host == "0.0.0.0" else [socket.AF_INET, socket.AF_INET6]
    found = [_way_out(family) for family in families]
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None) if info[0] in families]
    hosts = [each for each in dict.fromkeys(found) if each and not is_loopback(each) and "%" not in each]
    return hosts or ["127.0.0.1"]


def _way_out(family: int) -> str:
    """The address that this machine has in the network by which it reaches others; empty if there is none."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect((_ELSEWHERE[socket.AddressFamily(family)], 9))
        return str(probe.getsockname()[0])
    return ""

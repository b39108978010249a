# SPDX-License-Identifier: Apache-2.0
"""Allowed host names of pages, against DNS rebinding: another site's name for this machine.

Its rule: IP addresses, this machine's own names and those given at the start are allowed.
Starlette's own check allows only listed addresses.
"""

from __future__ import annotations

import socket as sockets
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from companion.feedback.wordfiles import choose
from companion.host.text.error_translation import translate
from companion.model.phrase import Phrase

_MISDIRECTED = 421


class NamedHost:
    """ASGI middleware that accepts only requests for an allowed host."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        """*names* are allowed besides the machine's own."""
        own = sockets.gethostname().lower()
        short = own.partition(".")[0]
        self._app = app
        self._names = {"localhost", own, short, f"{short}.local", *names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, or answer 421 with the reason."""
        asked = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
        strange = [host for host in asked if not self._is_ours(host)]
        if not strange:
            await self._app(scope, receive, send)
            return
        accepted = [value.decode("latin-1") for key, value in scope["headers"] if key == b"accept-language"]
        said = Phrase(
            "This page does not go by the name {name!r}: ask for it by the address of its machine, "
            "or name it at the start: --http-address ADDRESS,NAME",
            name=strange[0][:100],
        )
        await PlainTextResponse(translate(said, choose(*accepted)), _MISDIRECTED)(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        """True if *host*, with or without a port, is allowed."""
        with suppress(ValueError):
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
            if name in self._names:
                return True
            return bool(ip_address(name))
        return False


class Listener(sockets.socket):
    """A socket on which pages are served."""

    names: tuple[str, ...] = ()
    """First the address, then the names allowed besides the machine's own."""

    def again(self) -> Listener:
        """Return the same socket once more: it listens until both are closed."""
        other = Listener(self.family, self.type, self.proto, self.dup().detach())
        other.names = self.names
        return other

    def urls(self, scheme: str = "http") -> tuple[str, ...]:
        """Return the URLs of this listener, those for other devices first."""
        host, port = self.getsockname()[:2]
        return urls(scheme, host, port, self.names[1:])


def urls(scheme: str, host: str, port: int, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the URLs of *port* on *host*.

    For a wildcard host, of all addresses of this machine.
    """
    hosts = [host]
    if ip_address(host.partition("%")[0]).is_unspecified:
        own = own_addresses(is_six=":" in host)
        hosts = [*names, *own, *(own_names() if own else ()), "localhost"]
    return tuple(f"{scheme}://{f'[{each}]' if ':' in each else each}:{port}/" for each in hosts)


def own_names() -> tuple[str, ...]:
    """Return the name by which other devices find this machine with multicast DNS."""
    name = sockets.gethostname().lower().partition(".")[0]
    return () if name == "localhost" else (f"{name}.local",)


def own_addresses(*, is_six: bool = False) -> tuple[str, ...]:
    """Return the addresses at which other devices may reach this machine.

    The address of the default route comes first.
    """
    found = [
        _outgoing_address(sockets.AF_INET, "192.0.2.1"),
        *([_outgoing_address(sockets.AF_INET6, "2001:db8::1")] if is_six else []),
    ]
    with suppress(OSError):
        family = sockets.AF_UNSPEC if is_six else sockets.AF_INET
        found += [str(each[4][0]) for each in sockets.getaddrinfo(sockets.gethostname(), None, family)]
    usable = (each for each in dict.fromkeys(found) if each)
    return tuple(each for each in usable if not _stays_here(each))


def _outgoing_address(family: sockets.AddressFamily, far: str) -> str:
    """Return this machine's address on the route to *far*; empty if there is no route.

    Nothing is sent.
    """
    with suppress(OSError), sockets.socket(family, sockets.SOCK_DGRAM) as probe:
        probe.connect((far, 9))
        return str(probe.getsockname()[0])
    return ""


def _stays_here(address: str) -> bool:
    """True if other devices cannot connect to *address*."""
    of = ip_address(address.partition("%")[0])
    return of.is_loopback or of.is_link_local or of.is_unspecified

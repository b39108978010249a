# SPDX-License-Identifier: Apache-2.0
"""By which names pages may be asked for: another site may make its own name lead to this machine (DNS rebinding), and would then
be taken for us by the player's browser.

Its rule: an address, this machine's own name and those that were named at the start are ours. Starlette's own check knows no
addresses but those listed.
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
from companion.host.text.error_translation import translated

_MISDIRECTED = 421


class NamedHost:
    """An application for those who ask for it by one of our names."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        """*names* are ours besides the machine's own."""
        own = sockets.gethostname().lower()
        short = own.partition(".")[0]
        self._app = app
        self._names = {"localhost", own, short, f"{short}.local", *names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say why not."""
        asked = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
        strange = [host for host in asked if not self._is_ours(host)]
        if not strange:
            await self._app(scope, receive, send)
            return
        accepted = [value.decode("latin-1") for key, value in scope["headers"] if key == b"accept-language"]
        said = (
            f"This page does not go by the name {strange[0][:100]!r}: ask for it by the address of its machine, "
            "or name it at the start: --http-address ADDRESS,NAME"
        )
        await PlainTextResponse(translated(said, choose(*accepted)), _MISDIRECTED)(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        """True if *host*, which may end with a port, names us."""
        with suppress(ValueError):
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
            if name in self._names:
                return True
            return bool(ip_address(name))
        return False


class Listener(sockets.socket):
    """A socket on which pages are served."""

    names: tuple[str, ...] = ()
    """By which they may be asked for, besides addresses and the machine's own."""

    def urls(self, scheme: str = "http") -> tuple[str, ...]:
        """The addresses by which browsers can open what is served here, those for other devices first."""
        host, port = self.getsockname()[:2]
        return urls(scheme, host, port, self.names[1:])


def urls(scheme: str, host: str, port: int, names: Iterable[str] = ()) -> tuple[str, ...]:
    """The addresses that lead to *port* of *host*; of this machine itself if *host* stands for all its addresses."""
    hosts = [host]
    if ip_address(host.partition("%")[0]).is_unspecified:
        hosts = [*names, *own_addresses(is_six=":" in host), "localhost"]
    return tuple(f"{scheme}://{f'[{each}]' if ':' in each else each}:{port}/" for each in hosts)


def own_addresses(*, is_six: bool = False) -> tuple[str, ...]:
    """The addresses of this machine at which other devices may reach it, the one of the way out first."""
    found = [
        _way_out(sockets.AF_INET, "192.0.2.1"),
        *([_way_out(sockets.AF_INET6, "2001:db8::1")] if is_six else []),
    ]
    with suppress(OSError):
        family = sockets.AF_UNSPEC if is_six else sockets.AF_INET
        found += [str(each[4][0]) for each in sockets.getaddrinfo(sockets.gethostname(), None, family)]
    usable = (each for each in dict.fromkeys(found) if each)
    return tuple(each for each in usable if not _stays_here(each))


def _way_out(family: sockets.AddressFamily, far: str) -> str:
    """The address of this machine on the way to *far*, to which nothing is sent; empty if there is no way."""
    with suppress(OSError), sockets.socket(family, sockets.SOCK_DGRAM) as probe:
        probe.connect((far, 9))
        return str(probe.getsockname()[0])
    return ""


def _stays_here(address: str) -> bool:
    """True if other devices cannot open *address*."""
    of = ip_address(address.partition("%")[0])
    return of.is_loopback or of.is_link_local or of.is_unspecified

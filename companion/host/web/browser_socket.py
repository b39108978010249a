# SPDX-License-Identifier: Apache-2.0
"""The WebSocket of a browser: accepted within a limit, read and framed as text."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import Final

from starlette.websockets import WebSocket
from websockets.frames import Frame, Opcode

from companion.host.web.accept import FRAMES, CountedWebSocket
from companion.host.web.guard import connection_of

CROWDED: Final = 1013
"""WebSocket close code: try again later."""


async def receive_text(browser: WebSocket) -> str:
    """Receive the next text; "" for a binary message. Raises `WebSocketDisconnect`."""
    try:
        return await browser.receive_text()
    except KeyError:
        return ""


async def accepted(browser: WebSocket) -> bool:
    """Accept *browser*; if there are too many, close it and return false."""
    await browser.accept()
    if connection_of(browser).watch(browser.client.host if browser.client else ""):
        return True
    await browser.close(CROWDED)
    return False


def is_here(browser: WebSocket) -> bool:
    """True if *browser* runs on this machine.

    Then it comes from a loopback address, or from the address that it has called.
    """
    host = browser.client.host if browser.client else ""
    called, _ = browser.scope.get("server") or ("", None)
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback or host == called


def line_of(browser: WebSocket) -> CountedWebSocket:
    """Return the protocol of *browser*, which takes the frames of `pack`."""
    line: CountedWebSocket = browser.scope["extensions"][FRAMES]
    return line


def pack(text: str) -> bytes:
    """Return the WebSocket frame of *text*."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)

# SPDX-License-Identifier: Apache-2.0
"""The WebSocket of a browser: accepted within a limit, and read as text."""

from __future__ import annotations

from typing import Final

from fastapi import WebSocket

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

# SPDX-License-Identifier: Apache-2.0
"""The page of the sensor test: one board, led by a browser.

Its rule: the test runs for as long as its page is open; the panel's port belongs to it meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.feedback.page import Json
from companion.host.clock import monotonic
from companion.host.devices.panel_session import open_session
from companion.host.devices.ports import serial_line
from companion.host.doctor.sensor_test import Order, Orders, SensorTest, run_sensor_test, sentence, task
from companion.host.pages.application import Application
from companion.host.pages.page_files import page
from companion.host.start_page.home import Home
from companion.host.text.error_translation import translate
from companion.host.web.browser_socket import accepted, receive_text
from companion.model.errors import CompanionError
from companion.model.phrase import Phrase

_LABELS: Final = {
    "title": Phrase("Sensor test"),
    "skip": Phrase("No answer here: go on"),
    "back": Phrase("Back"),
    "end": Phrase("End the test"),
    "again": Phrase("Test again"),
    "home": Phrase("All games"),
    "no-faults": Phrase("No faults so far."),
}
_A_ROW: Final = 16
"""Cells per line if the panel is not rectangular."""
_VERDICT_MS: Final = 3_600_000
"""The verdict stays as long as its page, an hour at most."""


def add_sensor_test(app: Application, home: Home, language_of: Callable[[str, str], str]) -> None:
    """Add the page to *app*; *language_of* chooses among the asked and the accepted languages."""

    @app.get("/sensors")
    async def document(request: Request) -> Response:
        return page("sensors.html").answer(request)

    @app.websocket("/sensors/ws")
    async def talk(browser: WebSocket, device: str = "", language: str = "") -> None:
        if not await accepted(browser):
            return
        code = language_of(language, browser.headers.get("accept-language", ""))
        orders: Orders = asyncio.Queue()
        testing = asyncio.create_task(_test(home, browser, device, code, orders), name="sensor test")
        try:
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    await _take(browser, await receive_text(browser), orders)
        finally:
            testing.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
                await testing


async def _take(browser: WebSocket, text: str, orders: Orders) -> None:
    """Carry out a message of *browser*: a ping, or an order."""
    if text == "ping":
        await browser.send_text("pong")
        return
    with contextlib.suppress(ValueError, AttributeError):
        orders.put_nowait(Order(json.loads(text).get("order")))


async def _test(home: Home, browser: WebSocket, device: str, language: str, orders: Orders) -> None:
    """Test the switches of *device* for *browser*."""
    labels = {name: translate(label, language) for name, label in _LABELS.items()}
    await browser.send_text(json.dumps({"language": language, "labels": labels}))
    states: asyncio.Queue[Json] = asyncio.Queue()
    sending = asyncio.create_task(_send(browser, states), name="states of the sensor test")
    clock = monotonic()
    try:
        with home.finder.reserved(device) as port:
            async with open_session(serial_line(port), clock) as session:
                await session.greet()
                tell = partial(_put_state, states, language)
                await run_sensor_test(session, clock, language, orders, tell, linger_ms=_VERDICT_MS)
    except CompanionError as fault:
        states.put_nowait({"fault": translate(fault, language)})
    finally:
        await _emptied(states, sending)


def _put_state(states: asyncio.Queue[Json], language: str, test: SensorTest) -> None:
    """Put the state of *test* into *states*."""
    states.put_nowait(state(test, language))


async def _send(browser: WebSocket, states: asyncio.Queue[Json]) -> None:
    """Send each state that differs from the one before, until an empty one."""
    sent = None
    while found := await states.get():
        if found != sent:
            await browser.send_text(json.dumps({"state": found}))
        sent = found


async def _emptied(states: asyncio.Queue[Json], sending: asyncio.Task[None]) -> None:
    """Wait until *sending* has sent the last of *states*."""
    states.put_nowait({})
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await sending


def state(test: SensorTest, language: str) -> Json:
    """What the page shows of *test*."""
    grid, check = test.grid, test.check
    said: Sequence[Phrase] = [sentence(each, grid) for each in check.faults]
    return {
        "columns": grid.files or _A_ROW,
        "names": [grid.name(cell) for cell in range(len(grid))],
        "lamps": list(check.lamps(len(grid))),
        "done": check.done,
        "task": translate(task(check, grid), language),
        "faults": [translate(each, language) for each in said],
        "is_over": check.is_over,
        "is_right": check.is_right,
    }

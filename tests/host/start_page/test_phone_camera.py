# SPDX-License-Identifier: Apache-2.0
"""Images of a phone come over a WebSocket; each is answered, and one phone sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from companion.host.devices.camera import CameraOptions
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.start_page.device_finder import DeviceFinder
from companion.host.start_page.home import Home
from companion.host.start_page.web import make_home_app
from companion.host.web import server
from companion.sensing.sent_images import SentImages


@asynccontextmanager
async def served(sent: SentImages | None) -> AsyncIterator[str]:
    """The address for phones of a program whose camera is *sent*."""
    camera = None if sent is None else CameraOptions("phone", sent=sent)
    home = Home(
        PlayOptions(GameSetup(""), camera=camera),
        print,
        lambda changed: DeviceFinder(lambda: [], lambda: ((), ()), lambda: 0, changed),
    )
    async with server.serving_app(make_home_app(home), server.listen("127.0.0.1", 0)) as address:
        yield f"{address.replace('http', 'ws')}camera/ws"


async def told(phone: ClientConnection) -> dict[str, Any]:
    """The next message to *phone*."""
    message: dict[str, Any] = json.loads(await asyncio.wait_for(phone.recv(), 60))
    return message


def test_an_image_is_passed_on_and_answered() -> None:
    async def run() -> None:
        sent = SentImages()
        async with served(sent) as address, connect(f"{address}?language=de") as phone:
            labels = await told(phone)
            assert (labels["labels"]["stop"], labels["fault"], labels["size"]) == (
                "Anhalten",
                "",
                [1280, 720],
            )
            await phone.send(b"an image")
            assert await told(phone) == {"next": True, "said": []}
            assert sent.take(0) == b"an image"
            await phone.send(bytes(5_000_000))
            await phone.send("no image")
            await phone.send("ping")
            assert await asyncio.wait_for(phone.recv(), 60) == "pong"
            assert sent.take(0) is None

    asyncio.run(run())


def test_a_second_phone_takes_the_place_of_the_first() -> None:
    async def run() -> None:
        sent = SentImages()
        async with served(sent) as address, connect(address) as first, connect(address) as second:
            assert [(await told(phone))["language"] for phone in (first, second)] == ["en", "en"]
            await first.send(b"first")
            assert (await told(first))["next"]
            await second.send(b"second")
            assert await told(first) == {"fault": "replaced"}
            assert (await told(second))["next"]
            with pytest.raises(ConnectionClosed):
                await told(first)
            assert sent.take(0) == b"second"

    asyncio.run(run())


def test_a_program_with_another_camera_takes_no_images() -> None:
    async def run() -> None:
        async with served(None) as address, connect(address) as phone:
            assert (await told(phone))["fault"] == "unused"
            await phone.send(b"an image")
            await phone.send("ping")
            assert await asyncio.wait_for(phone.recv(), 60) == "pong"

    asyncio.run(run())

# SPDX-License-Identifier: Apache-2.0
"""A lost broker: its users report it in a sentence, and log nothing else."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from companion.host.hall.stations.mqtt import Broker, hall_door, read_url
from companion.host.online.two_tables.carriers import OverBroker
from companion.host.tasks import running
from companion.model.errors import HallUnreachable
from tests.brokers import mosquitto
from tests.host.hall.halls import QUICK, alone


async def _sit(broker: Broker, connected: asyncio.Barrier, lost: asyncio.Event) -> None:
    """Leave a lost broker without asking it for anything."""
    async with hall_door(broker, alone()):
        await connected.wait()
        await lost.wait()


async def _listen(broker: Broker, connected: asyncio.Barrier) -> None:
    async with hall_door(broker, alone()) as door:
        await connected.wait()
        await door.receive()


def test_a_lost_broker_leaves_no_traceback_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        lost = asyncio.Event()
        reports: asyncio.Queue[str] = asyncio.Queue()
        async with mosquitto(tmp_path) as found:
            url = f"mqtt://127.0.0.1:{found.port}"
            carrier = OverBroker(url, "room", "host", "guest", QUICK)
            async with running(carrier.run(lambda _message: None, reports.put_nowait), "carrier"):
                assert await reports.get() == ""
                broker, connected = read_url(f"{url}/club"), asyncio.Barrier(5)
                listening = [asyncio.create_task(_listen(broker, connected)) for _ in range(2)]
                sitting = [asyncio.create_task(_sit(broker, connected, lost)) for _ in range(2)]
                await connected.wait()
                found.kill()
                for ended in await asyncio.gather(*listening, return_exceptions=True):
                    assert isinstance(ended, HallUnreachable)
                assert await reports.get()
                lost.set()
                await asyncio.gather(*sitting)

    asyncio.run(scenario())
    gc.collect()  # the library's futures complain when they are freed
    assert [record.getMessage() for record in caplog.records] == []

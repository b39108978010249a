# SPDX-License-Identifier: Apache-2.0
"""A real Mosquitto broker for tests, which can be killed and restarted."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port

PROGRAM = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class Mosquitto:
    """One broker on loopback or at *host*; *before* precedes its command."""

    def __init__(
        self, folder: Path, *lines: str, host: str = "127.0.0.1", before: tuple[str, ...] = ()
    ) -> None:
        self.port = free_port()
        self.host = host
        self.before = before
        self.config = folder / "mosquitto.conf"
        usual = ("user root", "persistence false", f"listener {self.port} {host}")
        self.config.write_text("\n".join([*usual, *(lines or ("allow_anonymous true",)), ""]))
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Return when the broker accepts connections."""
        assert PROGRAM
        words = [*self.before, PROGRAM, "-c", str(self.config)]
        process = self.process = await asyncio.to_thread(_quietly, words)
        while True:
            try:
                _, writer = await asyncio.open_connection(self.host, self.port)
            except OSError:
                assert process.poll() is None, "mosquitto has ended"
                await asyncio.sleep(0.01)
                continue
            writer.close()
            await writer.wait_closed()
            return

    def kill(self) -> None:
        """Kill it like `kill -9`."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def _quietly(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@asynccontextmanager
async def mosquitto(
    folder: Path, *lines: str, host: str = "127.0.0.1", before: tuple[str, ...] = ()
) -> AsyncIterator[Mosquitto]:
    """A running broker. Skips the calling test if no broker is installed."""
    _look_for_program()
    broker = Mosquitto(folder, *lines, host=host, before=before)
    await broker.start()
    try:
        yield broker
    finally:
        broker.kill()


@contextmanager
def broker_beside(folder: Path) -> Iterator[Mosquitto]:
    """The same for tests that are not asynchronous."""
    _look_for_program()
    broker = Mosquitto(folder)
    with ThreadPoolExecutor(1) as pool:  # the library that drives a browser has a loop in this thread
        pool.submit(lambda: asyncio.run(broker.start())).result()
    try:
        yield broker
    finally:
        broker.kill()


def _look_for_program() -> None:
    """Skip the calling test if no broker is installed."""
    if PROGRAM is None:
        reason = "Mosquitto is missing: apt-get install mosquitto"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)

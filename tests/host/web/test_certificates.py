# SPDX-License-Identifier: Apache-2.0
"""A certificate that is replaced while the program runs is used from then on."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from companion.host.pages.application import Application
from companion.host.web import server
from companion.host.web.server import Certificate
from tests.certificates import self_signed


def test_a_replaced_certificate_is_served_once_it_fits_its_key(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "later").mkdir()
    chain, key = self_signed(tmp_path)
    later_chain, later_key = self_signed(tmp_path / "later")

    async def run() -> None:
        named, listener = Certificate(str(chain), str(key)), server.listen("127.0.0.1", 0)
        async with server.serving_app(Application(), listener, certificate=named, look_s=0.02) as address:
            port = urlsplit(address).port

            def served() -> str:
                return ssl.get_server_certificate(("127.0.0.1", port or 0))

            async def until_logged(said: str) -> None:
                while said not in caplog.text:
                    await asyncio.to_thread(served)

            first = await asyncio.to_thread(served)
            chain.write_bytes(later_chain.read_bytes())
            await until_logged("the former certificate stays in use")
            assert await asyncio.to_thread(served) == first
            key.write_bytes(later_key.read_bytes())
            while await asyncio.to_thread(served) == first:
                pass
            assert await asyncio.to_thread(served) == later_chain.read_text()

    async def in_time() -> None:
        async with asyncio.timeout(60):
            await run()

    asyncio.run(in_time())
    caplog.clear()

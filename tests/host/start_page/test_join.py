# SPDX-License-Identifier: Apache-2.0
"""How a phone joins: an address, a code that leads there, a certificate to trust."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import ssl
import urllib.request
from pathlib import Path
from subprocess import PIPE

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.host.devices.ports import OpenPort
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.start_page.device_finder import DeviceFinder
from companion.host.start_page.home import Home
from companion.host.start_page.join import as_svg, as_text, for_phones, for_this_computer
from companion.host.start_page.web import make_home_app
from companion.host.watch.gif import rendered
from companion.host.web import server
from tests.certificates import self_signed
from tests.programs import Program

URL = "https://192.0.2.7:8765/"
URLS = (URL, "https://pi.local:8765/", "https://127.0.0.1:8765/", "https://localhost:8765/")


def read(code: Image.Image) -> str:
    """What a phone's camera reads from *code*."""
    found, _, _ = cv2.QRCodeDetector().detectAndDecode(np.asarray(code.convert("L")))
    return str(found)


def test_a_phone_gets_only_addresses_that_it_can_open_and_a_browser_here_one_that_it_trusts() -> None:
    assert for_phones(URLS) == URLS[:2]
    assert for_this_computer(URLS) == "https://localhost:8765/"


def test_the_code_of_the_page_leads_to_its_address() -> None:
    assert read(rendered(as_svg(URL), 400)) == URL


def test_the_code_of_the_terminal_leads_there_too() -> None:
    blocks = {" ": (255, 255), "\u2588": (0, 0), "\u2580": (0, 255), "\u2584": (255, 0)}
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in as_text(URL).splitlines()]
    wide = max(map(len, lines))
    rows = [[blocks[each][half] for each in line.ljust(wide)] for line in lines for half in (0, 1)]
    image = Image.fromarray(np.array(rows, np.uint8)).resize(
        (8 * wide, 8 * len(rows)), Image.Resampling.NEAREST
    )
    inverted = Image.eval(image, lambda value: 255 - value)  # terminals are dark or light
    assert URL in (read(image), read(inverted))


def test_the_page_is_told_how_phones_join() -> None:
    async def run() -> None:
        def ports() -> list[tuple[str, OpenPort]]:
            return []

        home = Home(
            PlayOptions(GameSetup("")),
            print,
            lambda changed: DeviceFinder(ports, lambda: ((), ()), lambda: 0, changed),
        )
        home.addresses = for_phones(URLS)
        async with server.serving_app(make_home_app(home), server.listen("127.0.0.1", 0)) as address:

            def fetched(name: str) -> bytes:
                with urllib.request.urlopen(f"{address}{name}") as answer:
                    content: bytes = answer.read()
                return content

            told = json.loads(await asyncio.to_thread(fetched, "join.json"))
            assert told == {"addresses": list(URLS[:2]), "has_authority": False, "camera": ""}
            code = await asyncio.to_thread(fetched, "join.svg")
            assert read(rendered(code.decode(), 400)) == URL

    asyncio.run(run())


@pytest.mark.long
def test_a_certificate_of_ones_own_is_used_for_the_table(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    named = [f"--certificate={certificate}", f"--key={key}"]
    with Program(
        "companion",
        ["play", "close-quarters", "--no-browser", "--http-port=0", *named],
        stdout=PIPE,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"},
    ) as program:
        assert program.stdout is not None
        address = next(found[0] for line in program.stdout if (found := re.search(r"https://\S+", line)))
        context = ssl.create_default_context(cafile=str(certificate))
        with urllib.request.urlopen(address, context=context) as answer:
            assert b'<svg id="board"' in answer.read()
        program.send_signal(signal.SIGINT)
        program.stdout.read()


@pytest.mark.long
def test_who_trusts_the_authority_of_this_machine_gets_the_page_over_https(tmp_path: Path) -> None:
    said = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    words = ["start", "--https", "--no-browser", "--http-port=0"]
    authority = tmp_path / "companion" / "certificates" / "authority.pem"
    known = b""
    for _ in range(2):  # the authority stays, its certificates are renewed
        with Program("companion", words, stdout=PIPE, env=said) as program:
            assert program.stdout is not None
            found = re.search(r"https://\S+", program.stdout.readline())
            assert found is not None
            context = ssl.create_default_context(cafile=str(authority))
            with urllib.request.urlopen(f"{found[0]}companion.crt", context=context) as answer:
                assert answer.read() == authority.read_bytes()
            with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
                urllib.request.urlopen(found[0])
            program.send_signal(signal.SIGINT)
            program.stdout.read()
        assert known in (b"", authority.read_bytes())
        known = authority.read_bytes()
        keys = authority.parent.glob("*key.pem")
        assert {path.stat().st_mode & 0o077 for path in keys} == {0}

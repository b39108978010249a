# SPDX-License-Identifier: Apache-2.0
"""Where there is a desktop, the start page is opened in its browser."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests import programs


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not ask BROWSER")
def test_the_browser_of_the_desktop_gets_the_address_that_is_printed(tmp_path: Path) -> None:
    told, browser = tmp_path / "told", tmp_path / "browser"
    os.mkfifo(told)
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}\n')
    browser.chmod(0o755)
    own = {"XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    desktop = {"DISPLAY": ":0", "BROWSER": f"{browser} %s"}
    with programs.Program(
        "companion", ["start", "--http-port=0"], stdout=PIPE, env={**os.environ, **own, **desktop}
    ) as program:
        assert program.stdout is not None
        printed = re.search(r"http://\S+", program.stdout.readline())
        assert printed is not None
        assert told.read_text() == printed[0]  # read as soon as the browser writes
        program.send_signal(signal.SIGINT)
        program.stdout.read()
    assert program.returncode == 0

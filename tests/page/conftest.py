# SPDX-License-Identifier: Apache-2.0
"""The real program, once per test file, and Debian's Chromium for all files.

`new_game` starts games one after another in one program; `start` starts a program for one test.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright
from websockets.sync.client import connect
from websockets.typing import Origin

from companion.cli.main import main
from tests import programs
from tests.page.desks import PASSWORD, Evening, companion
from tests.page.looks import Look, Looking, looks
from tests.page_reader import PageReader
from tests.waits import brisk

expect.set_options(timeout=30_000)  # what a busy machine may need

CHROMIUM = Path("/usr/bin/chromium")
HEADLESS = Path("/usr/bin/chromium-headless-shell")


@dataclass
class Program:
    """`companion play` in a process of its own."""

    process: programs.Program
    address: str

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """Its exit code after *how*."""
        self.process.send_signal(how)
        assert self.process.stdout is not None
        self.process.stdout.read()
        return self.process.wait()


Start = Callable[..., Program]


@contextmanager
def soldered(game: str) -> Iterator[tuple[IO[str], str]]:
    """A panel of *game* in its own process: its input and its address."""
    with programs.Program(
        "companion",
        ["tools", "simulate", game, "--listen", "0"],
        stdin=PIPE,
        stdout=PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as panel:
        assert panel.stdin is not None
        assert panel.stdout is not None
        try:
            address = next(
                found[0] for line in panel.stdout if (found := re.search(r"socket://[^ ]*\d", line))
            )
            yield panel.stdin, address
        finally:
            panel.stdin.close()


class Driver:
    """The driver of the browsers, for the tests of all files in this process.

    Its event loop counts as the running one of this thread as long as it is awake, so that
    `asyncio.run` works in files without a browser only while it is asleep.
    """

    def __init__(self) -> None:
        self._manager = sync_playwright()
        self.playwright = self._manager.start()
        self._loop = asyncio.get_running_loop()
        self._chromium: Browser | None = None

    @property
    def chromium(self) -> Browser:
        """A Chromium without windows; another one if it has crashed."""
        if self._chromium is None or not self._chromium.is_connected():
            self._chromium = launched(self.playwright, HEADLESS, CHROMIUM)
        return self._chromium

    @contextmanager
    def awake(self) -> Iterator[Driver]:
        """Let the driver work within the context; what a file leaves open is closed."""
        asyncio._set_running_loop(self._loop)
        try:
            yield self
            if self._chromium is not None:
                for context in self._chromium.contexts:
                    context.close()
        finally:
            asyncio._set_running_loop(None)

    def close(self) -> None:
        """End the browser and the driver."""
        asyncio._set_running_loop(self._loop)
        if self._chromium is not None:
            self._chromium.close()
        self._manager.__exit__()


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    """The driver of the browsers; a start takes half a second of processor time."""
    started = Driver()
    yield started
    started.close()


@pytest.fixture(scope="module")
def awake_driver(driver: Driver) -> Iterator[Driver]:
    """The driver, awake for this file."""
    with driver.awake():
        yield driver


@pytest.fixture(scope="module")
def playwright(awake_driver: Driver) -> Playwright:
    """The API of the driver."""
    return awake_driver.playwright


def launched(playwright: Playwright, *programs: Path) -> Browser:
    """Start the first of *programs* that is installed."""
    for program in programs:
        if program.exists():
            return playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    missing = f"{programs[0]} is missing: apt-get install {programs[0].name}"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat each walk in the looks of its mark; without `--long`, the first only."""
    mark = metafunc.definition.get_closest_marker("walk")
    if mark is None or "browser" not in metafunc.fixturenames:
        return
    usual, *others = looks(*mark.args)
    shown = [usual, *(pytest.param(each, marks=pytest.mark.long) for each in others)]
    metafunc.parametrize("browser", shown, ids=str, indirect=True, scope="module")


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, awake_driver: Driver) -> Browser | Looking:
    """Debian's Chromium without windows, which needs a quarter of the processor time.

    Without it, the Chromium with windows. For a walk its pages have the look of this run.
    """
    look: Look | None = getattr(request, "param", None)
    return Looking(awake_driver.chromium, look) if look else awake_driver.chromium


@pytest.fixture
def windowed_browser(playwright: Playwright) -> Iterator[Browser]:
    """Debian's Chromium with all that it does with windows and screens."""
    with launched(playwright, CHROMIUM) as chromium:
        yield chromium


def started(folder: Path, *words: str, game: str = "close-quarters", port: int = 0) -> Program:
    """Start a program that keeps its journals in *folder*; return it with the page's address."""
    own = {"XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    process = programs.Program(
        "companion",
        ["play", game, "--no-browser", f"--http-port={port}", *words],
        stdout=PIPE,
        env={**os.environ, **brisk(folder), **own},
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if found := re.search(r"http://\S+", line):
            return Program(process, found.group())
    process.wait()
    pytest.fail(f"the program ended: {said}")


def _is_ready(view: dict[str, Any], game: str) -> bool:
    """True if *view* is of a new *game* whose pieces are set up."""
    return view.get("game") == game and view["phase"] == "waiting" and not view["record"]


def ended(program: Program) -> None:
    """End *program*, unless it has ended."""
    if program.process.poll() is None:
        program.stop()
    assert program.process.stdout is not None
    program.process.stdout.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts programs that keep their journals in a folder of this test, and ends them."""
    begun: list[Program] = []

    def begin(*words: str, game: str = "close-quarters", port: int = 0) -> Program:
        begun.append(started(tmp_path, *words, game=game, port=port))
        return begun[-1]

    yield begin
    for program in begun:
        ended(program)


NewGame = Callable[..., str]


@pytest.fixture(scope="module")
def new_game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewGame]:
    """Starts a new game in the program of this file; returns its page's address.

    A game of another kind is started in between, so that the wanted one can be told from the game
    of the previous test.
    """
    begun: list[Program] = []

    def begin(
        game: str = "close-quarters",
        names: tuple[str, ...] = (),
        clock: str = "",
        position: str = "",
        **options: str,
    ) -> str:
        if not begun:
            begun.append(started(tmp_path_factory.mktemp("data")))
        address = begun[0].address
        between = "martian-chess" if game == "fightopia" else "fightopia"
        wanted: dict[str, Any] = {
            "game": game,
            "players": names,
            "control": clock,
            "options": list(options.items()),
            "position": position,
        }
        origin = address.rstrip("/")
        with connect(f"{origin.replace('http', 'ws')}/ws", origin=Origin(origin)) as browser:
            reader = PageReader()
            for each in ({"game": between}, wanted):
                browser.send(json.dumps({"is": "Begin", **each}))
                while not _is_ready(reader.take(browser.recv(timeout=60)).get("view", {}), each["game"]):
                    pass
        return address

    yield begin
    for program in begun:
        ended(program)


@pytest.fixture
def evening(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Evening]]:
    """Starts halls with boards of Close Quarters and ends them.

    An error in a page's console fails the test.
    """
    begun: list[Evening] = []
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # where `main` and the hall keep their store

    def begin(*boards: str, clock: str = "none", words: tuple[str, ...] = ()) -> Evening:
        assert main(["hall", "admit", "Ana", "--password", PASSWORD]) == 0
        named = [f"--board={name}=close-quarters" for name in boards]
        of = Evening(
            browser, companion(tmp_path, "hall", "--http-port=0", f"--clock={clock}", *named, *words)
        )
        begun.append(of)
        assert of.program.stdout is not None
        while len(of.tables) < len(boards):
            line = of.program.stdout.readline()
            assert line, "the program ended"
            of.hall = of.hall or (found.group() if (found := re.search(r"http://\S+", line)) else "")
            if "the table is at" in line:
                of.tables[line.partition(":")[0]] = line.split()[-1]
        return of

    yield begin
    for of in begun:
        of.program.send_signal(signal.SIGINT)
        of.program.communicate()
        assert of.complaints == []

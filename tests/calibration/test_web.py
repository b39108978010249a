# SPDX-License-Identifier: Apache-2.0
"""The workshop's web server: pages, commands of the page, cameras, files, invalid input."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from calibration import shell as shells
from calibration.commands import Accept, Drag, Open
from calibration.shell import Shell
from calibration.web import Reading, greeting, make_app, understand
from calibration.workshop import Workshop
from companion.host.clock import monotonic
from companion.host.devices import profiles
from companion.host.web.server import listen, serving_app
from companion.sensing import capture as door
from companion.sensing.devices import key_of, number_of
from tests.calibration.studio import CHESS, over, photographs, scene_of
from tests.phone import Phone
from tests.usb import Bus

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    for number, image in enumerate(photographs(scene_of(CHESS, over(CHESS)), 2)):
        cv2.imwrite(str(folder / f"{number}.png"), image)
    return folder


def _has_ended(shell: Shell) -> bool:
    state = json.loads(shell.states.get("en", "null"))
    return state is not None and bool(state["source"]["ended"])


@contextlib.asynccontextmanager
async def working() -> AsyncIterator[str]:
    """A workshop that is served; returns the address of its WebSocket."""
    shell = Shell(Workshop(CHESS), monotonic())
    async with serving_app(make_app(shell), listen("127.0.0.1", 0)) as address:
        task = asyncio.create_task(shell.run(), name="shell")
        try:
            yield address.replace("http", "ws") + "ws"
        finally:
            shell.is_closing = True
            await task


async def until(line: ClientConnection, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first state for which *holds* is true."""
    async with asyncio.timeout(60):
        while True:
            text = await line.recv()
            if isinstance(text, str):
                state: dict[str, Any] = json.loads(text)
                if "stage" in state and not state["busy"] and holds(state):
                    return state


async def ask(line: ClientConnection, kind: str, **fields: object) -> None:
    await line.send(json.dumps({"is": kind, **fields}))


def test_a_course_over_the_websocket_makes_a_profile_that_can_be_renamed_and_deleted(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, key = Bus(tmp_path / "machine"), "usb:046d:0825:1111"
    monkeypatch.setattr(cv2, "VideoCapture", bus.device)
    monkeypatch.setattr(door, "number_of", partial(number_of, root=bus.root))
    monkeypatch.setattr(shells, "key_of", partial(key_of, root=bus.root))

    async def course() -> None:
        async with working() as address, connect(address, max_size=None) as line:
            hello = json.loads(await line.recv())["hello"]
            assert "chess" in [game["slug"] for game in hello["games"]]
            await ask(line, "Open", source=key)
            await until(line, lambda state: state["note"]["text"] == "The corner tags are found.")
            await ask(line, "Lay")
            await until(line, lambda state: state["stage"] == "laid")
            await ask(line, "Confirm")
            await ask(line, "Call", name="kitchen")
            state = await until(line, lambda state: state["name"] == "kitchen")
            assert ["Residual", "–"] in [row[:2] for row in state["rows"]]
            await ask(line, "Refer", shown="empty")
            await ask(line, "Accept")
            state = await until(line, lambda state: bool(state["profiles"]))
            assert state["profiles"][0]["name"] == "kitchen"
            kept = profiles.load(profiles.path_of("kitchen"))
            assert (kept.references.empty, kept.camera.key) == ("kitchen-empty.png", key)
            assert (profiles.folder() / "kitchen-empty.png").exists()
            await ask(line, "Rename", name="kitchen", new="club")
            await until(line, lambda state: [one["name"] for one in state["profiles"]] == ["club"])
            await ask(line, "Delete", name="club")
            await until(line, lambda state: not state["profiles"])
            assert not list(profiles.folder().iterdir())

    with Phone() as phone:
        phone.hold(np.asarray(cv2.imread(str(photos / "0.png")), np.uint8))
        bus.plug(3, "1111", phone=phone)
        asyncio.run(course())


def test_images_are_sent_as_bytes_and_the_end_of_a_folder_is_reported(photos: Path) -> None:
    async def course() -> None:
        async with working() as address, connect(address, max_size=None) as line:
            await ask(line, "Open", source=str(photos))
            async with asyncio.timeout(30):
                while not isinstance(packed := await line.recv(), bytes):
                    pass
            assert packed.startswith(b"\xff\xd8")
            state = await until(line, lambda state: bool(state["source"]["ended"]))
            assert "were read" in state["source"]["ended"]

    asyncio.run(course())


def test_each_image_is_searched_for_tags_once(photos: Path) -> None:
    class Counted(Workshop):
        surveys = 0

        def survey(self) -> None:
            self.surveys += 1
            super().survey()

    async def course() -> None:
        workshop, moments = Counted(CHESS), itertools.count()
        shell = Shell(workshop, lambda: 1000 * next(moments))
        shell.ask(Open(str(photos)))
        task = asyncio.create_task(shell.run(), name="shell")
        try:
            with shell.watch() as has_looked:
                async with asyncio.timeout(60):
                    while not workshop.surveys or not _has_ended(shell):
                        await has_looked.wait()
                        has_looked.clear()
                    known = workshop.surveys
                    for _ in range(6):
                        await has_looked.wait()
                        has_looked.clear()
        finally:
            shell.is_closing = True
            await task
        assert 0 < workshop.surveys <= known + 1

    asyncio.run(course())


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("Accept", {}, "not confirmed yet"),
        ("Delete", {"name": "../secret"}, "there is no profile ../secret"),
        ("Rename", {"name": "none", "new": "other"}, "there is no profile none"),
    ],
)
def test_failed_commands_are_reported(kind: str, fields: dict[str, str], said: str) -> None:
    async def course() -> None:
        async with working() as address, connect(address) as line:
            await ask(line, kind, **fields)
            state = await until(line, lambda state: bool(state["note"]["is_fault"]))
            assert said in state["note"]["text"]

    asyncio.run(course())


def test_a_missing_camera_is_reported(tmp_path: Path) -> None:
    async def course() -> None:
        async with working() as address, connect(address) as line:
            await ask(line, "Open", source=str(tmp_path / "none.avi"))
            state = await until(line, lambda state: bool(state["source"]["fault"]))
            assert "none.avi" in state["source"]["fault"]

    asyncio.run(course())


def test_a_page_of_another_site_is_refused() -> None:
    async def course() -> None:
        async with working() as address, connect(address, origin=Origin("http://evil.example")):
            pass

    with pytest.raises(InvalidStatus, match="403"):
        asyncio.run(course())


def test_only_valid_commands_are_accepted() -> None:
    assert understand('{"is":"Drag","corner":2,"x":5,"y":7.5}') == Drag(2, 5, 7.5)
    assert understand('{"is":"Open","source":"0"}') == Open("0")
    assert understand('{"is":"Accept"}') == Accept()
    for nonsense in (
        "",
        "[]",
        '{"is":"Exec"}',
        '{"is":"Drag","corner":"x","x":1,"y":1}',
        "[" * 1500,
        "x" * 9000,
    ):
        assert understand(nonsense) is None


def test_the_first_message_has_the_constants_of_the_page() -> None:
    hello = greeting("en")
    assert (hello["language"], hello["words"]["lay"]) == ("en", "Lay the grid")
    chess = next(game for game in hello["games"] if game["slug"] == "tank-chess")
    assert "map" in [option["name"] for option in chess["options"]]
    german = greeting("de")
    assert german["words"]["lay"] == "Gitter legen"
    assert "Schach" in [game["title"] for game in german["games"]]


def test_each_browser_is_served_in_its_own_language(photos: Path) -> None:
    """Two browsers at one workshop; each gets refusals in its own language."""

    async def course() -> None:
        async with (
            working() as address,
            connect(address, max_size=None, additional_headers={"Accept-Language": "fr-CA, en;q=0.5"}) as one,
            connect(f"{address}?language=de", max_size=None) as other,
        ):
            greetings = [json.loads(await line.recv())["hello"]["language"] for line in (one, other)]
            assert greetings == ["fr", "de"]
            await ask(one, "Open", source=str(photos))
            for line, found in (
                (one, "Les repères de coin sont trouvés."),
                (other, "Die Eckmarken sind gefunden."),
            ):
                await until(line, lambda state, found=found: state["note"]["text"] == found)  # type: ignore[misc]
            await ask(other, "Lay")
            advice = [
                (await until(line, lambda state: state["stage"] == "laid"))["advice"] for line in (one, other)
            ]
            assert any("La grille s'ajuste" in each["text"] for each in advice[0])
            assert any(re.search(r"Das Gitter .* \d,\d\d px", each["text"]) for each in advice[1])

    asyncio.run(course())


@pytest.mark.parametrize(
    ("address", "asked", "accepted", "usual", "language"),
    [
        ("", "", "nl, hr;q=0.8, en;q=0.1", "de", "hr"),
        ("", "ja", "hr", "de", "ja"),
        ("es", "ja", "hr", "de", "es"),
        ("", "", "nl", "de", "de"),
        ("xx", "", None, "", "en"),
    ],
)
def test_the_language_in_the_address_overrides_command_line_browser_and_settings(
    address: str, asked: str, accepted: str | None, usual: str, language: str
) -> None:
    assert Reading(asked, usual).language(address, accepted) == language

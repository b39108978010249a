# SPDX-License-Identifier: Apache-2.0
"""Whole games before a camera, started like a player does.

A stream of rendered images, the page, the journal.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE
from typing import Any, Self

import cv2
import pytest
from websockets.sync.client import connect

from companion.feedback.words import load
from companion.games import find
from companion.host.journal import journal
from companion.host.records.replay import replay
from companion.model.observation import SensorKind
from companion.model.tags import family
from companion.referee.values.events import GameEnded, MoveMade, Stage
from tests.host.printed import HEIGHT_MM, PrintedTable
from tests.host.tables import WHOLE_GAME
from tests.page_reader import PageReader
from tests.phone import Phone
from tests.programs import Program
from tests.sensing.lamplit import Lamplit, Pinhole, Room, Spot
from tests.sensing.plain_tables import PlainTable
from tests.virtual.optics import Optics
from tests.virtual.render import Thing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends signals in another way")

PLAIN_ABOVE = Optics(
    (1280, 720), (100.0, -60.0, 700.0), (100.0, 195.0), focal_px=850.0, noise=2.0, jpeg=None, gradient=0.2
)


class Player:
    """The program under test and a browser with its page. A context manager."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._program = Program(
            "companion",
            ["play", "close-quarters", "--no-browser", "--http-port", "0", *words],
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "XDG_DATA_HOME": str(folder)},
        )
        self._after = ExitStack()

    def __enter__(self) -> Self:
        with self._after:
            self._after.callback(self._end)
            assert self._program.stdout is not None
            found = (re.search(r"http://127\.0\.0\.1:\d+/(?= |$)", line) for line in self._program.stdout)
            address = next(match[0] for match in found if match)
            self.page = self._after.enter_context(connect(address.replace("http", "ws") + "ws"))
            self._after = self._after.pop_all()
        return self

    def __exit__(self, *fault: object) -> None:
        self._after.close()

    def pictures(self) -> Iterator[Any]:
        """The successive states of the page."""
        reader = PageReader()
        while True:
            message = reader.take(self.page.recv(timeout=60))
            if "view" in message:
                yield message

    def _end(self) -> None:
        """Ctrl-C: the program exits cleanly and without error messages."""
        self._program.send_signal(signal.SIGINT)
        _, complaints = self._program.communicate()
        assert (self._program.returncode, complaints) == (0, "")


def shown_moves(picture: Any) -> list[str]:
    """The moves that the page shows as announced."""
    return [move["move"] for move in picture["view"]["record"] if move["stage"] != Stage.PROVISIONAL]


def test_a_whole_game_is_played_before_a_stream_of_images(tmp_path: Path) -> None:
    table = PrintedTable()
    with Phone() as phone, Player(tmp_path, "--camera", phone.address) as player:
        pictures = player.pictures()
        for _ in range(4):
            phone.show(table.see())
        started = next(picture for picture in pictures if picture["view"]["phase"] == "waiting")
        assert started["link"]["state"] == "absent"
        assert started["camera"] == {
            "state": "watching",
            "is_well": True,
            "has_problems": False,
            "sentences": ["The camera is watching."],
            "cells": [],
        }
        for count, move in enumerate(WHOLE_GAME.split(), start=1):
            for image in table.carry(move):
                phone.show(image)
            seen = next(picture for picture in pictures if len(shown_moves(picture)) == count)
        assert seen["view"]["outcome"]["winners"] == [1]
    (path,) = tmp_path.rglob("*.jsonl")
    kept = journal.read(path)
    announced = [e.move for e in kept.events if isinstance(e, MoveMade) and e.stage is Stage.ANNOUNCED]
    assert announced == ["a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2", "d1xb2#"]
    assert isinstance(kept.events[-1], GameEnded)
    assert kept.header.sensor is SensorKind.IDENTITY_FACING
    assert replay(kept) is None


@pytest.mark.long
def test_a_camera_replugged_during_a_game_is_found_again(tmp_path: Path) -> None:
    table = PrintedTable()
    with ExitStack() as later:
        phone = later.enter_context(Phone())
        player = later.enter_context(Player(tmp_path, "--camera", phone.address, "--language", "de"))
        pictures = player.pictures()
        for _ in range(4):
            phone.show(table.see())
        next(picture for picture in pictures if picture["view"]["phase"] == "waiting")
        phone.vanish()
        lost = next(picture for picture in pictures if picture["camera"]["state"] == "lost")
        assert lost["camera"]["sentences"] == [
            load("de", "close-quarters", ("", "")).common.camera["unplugged"]
        ]
        for _ in table.carry("a1-b2"):
            pass  # not seen by the camera
        back = later.enter_context(Phone(phone.port))
        for _ in range(4):
            back.show(table.see())
        moved = next(picture for picture in pictures if shown_moves(picture))
        assert shown_moves(moved) == ["a1-b2"]
        assert moved["camera"]["is_well"]


def waiting(pictures: Iterator[Any], phone: Phone, table: PrintedTable, game: str) -> Any:
    """The page state once *game* may begin on the board of *table*."""
    for _ in range(6):
        phone.show(table.see())
    return next(
        each for each in pictures if (each["view"]["game"], each["view"]["phase"]) == (game, "waiting")
    )


def moved(pictures: Iterator[Any], phone: Phone, table: PrintedTable, move: str) -> list[str]:
    """The recorded moves on the page after *move*."""
    for image in table.carry(move):
        phone.show(image)
    return shown_moves(next(each for each in pictures if shown_moves(each)))


@pytest.mark.long
def test_another_game_and_a_rematch_are_played_before_the_same_camera(tmp_path: Path) -> None:
    swords, pyramids = PrintedTable(), PrintedTable("martian-chess")
    with Phone() as phone, Player(tmp_path, "--camera", phone.address) as player:
        pictures = player.pictures()
        waiting(pictures, phone, swords, "close-quarters")
        assert moved(pictures, phone, swords, "a1-b2") == ["a1-b2"]
        player.page.send('{"is":"Resign","side":1}')
        next(each for each in pictures if each["view"]["outcome"])

        player.page.send('{"is":"Again"}')  # the Sword is still on b2
        for _ in range(4):
            phone.show(swords.see())
        left = next(each for each in pictures if len(each["view"]["guides"]) == 1)
        assert left["view"]["guides"][0]["sentence"] == "Move the Sword from b2 to a1."
        waiting(pictures, phone, PrintedTable(), "close-quarters")
        assert moved(pictures, phone, PrintedTable(), "a1-c3") == ["a1-c3"]

        player.page.send('{"is":"Begin","game":"martian-chess"}')
        started = waiting(pictures, phone, pyramids, "martian-chess")
        assert started["camera"]["is_well"]
        assert moved(pictures, phone, pyramids, "c3-d4") == ["c3-d4"]
    games = sorted(journal.read(path).header.setup.game for path in tmp_path.rglob("*.jsonl"))
    assert games == ["close-quarters", "close-quarters", "martian-chess"]
    assert all(replay(journal.read(path)) is None for path in tmp_path.rglob("*.jsonl"))


def test_the_start_of_another_game_waits_for_a_missing_camera(tmp_path: Path) -> None:
    table = PrintedTable()
    with ExitStack() as later:
        phone = later.enter_context(Phone())
        player = later.enter_context(Player(tmp_path, "--camera", phone.address))
        pictures = player.pictures()
        waiting(pictures, phone, table, "close-quarters")
        phone.vanish()
        next(picture for picture in pictures if picture["camera"]["state"] == "lost")
        player.page.send('{"is":"Again"}')
        started = (picture for picture in pictures if picture["view"]["phase"] == "setting_up")
        next(picture for picture in started if picture["camera"]["state"] == "lost")
        back = later.enter_context(Phone(phone.port))
        assert waiting(pictures, back, table, "close-quarters")["camera"]["is_well"]


def test_the_page_shows_an_obstacle_of_the_camera_until_it_is_gone(tmp_path: Path) -> None:
    table = PrintedTable()
    middle = table.outfit.grid.centre_mm(table.outfit.grid.cell("b4"))
    stranger = Thing(family().rows(115), middle, 0.0, table.outfit.tag_mm, HEIGHT_MM)
    double = Thing(family().rows(table.standing[0].tag), middle, 0.0, table.outfit.tag_mm, HEIGHT_MM)
    with Phone() as phone, Player(tmp_path, "--camera", phone.address) as player:
        pictures = player.pictures()

        def look(said: str) -> None:
            """Send images until the page says *said*."""
            for _ in range(6):
                phone.show(table.see())
            next(picture for picture in pictures if said in picture["camera"]["sentences"])

        look("The camera is watching.")
        for thing, said in (
            (stranger, "What lies on b4 does not belong to this game: take it away."),
            (double, "One and the same piece is seen on a1, b4: take one of them away."),
        ):
            table.scene.put(900, thing)
            look(said)
            table.scene.put(900, None)
            look("The camera is watching.")


@pytest.mark.long
def test_a_mirrored_lamp_is_named_on_the_page_until_it_is_gone(tmp_path: Path) -> None:
    pinhole = Pinhole((1280, 720), (100.0, -150.0, 640.0), (100.0, 190.0), 800.0)
    table = Lamplit({}, pinhole, 1, game="close-quarters", cell_mm=50.0)
    table.set_up(table.rules.initial())
    glare = Room(spots=(Spot((125.0, 225.0), wide_deg=1.0),))
    said = "A lamp is reflected on c5: move the lamp or tilt the board."
    with Phone() as phone, Player(tmp_path, "--camera", phone.address) as player:
        pictures = player.pictures()
        for _ in range(4):
            phone.show(table.photograph())
        next(picture for picture in pictures if picture["view"]["phase"] == "waiting")
        table.light(glare)
        phone.show(table.photograph())
        next(picture for picture in pictures if said in picture["camera"]["sentences"])
        table.light(Room())
        phone.show(table.photograph())
        next(picture for picture in pictures if picture["camera"]["sentences"] == ["The camera is watching."])


def test_a_folder_of_images_serves_as_a_camera_and_its_end_is_reported(tmp_path: Path) -> None:
    table, folder = PrintedTable(), tmp_path / "film"
    folder.mkdir()
    images = [table.see() for _ in range(12)]
    images += table.carry("a1-b2")
    images += [table.see() for _ in range(20)]
    for number, image in enumerate(images):
        cv2.imwrite(str(folder / f"{number:03}@{number * 33:06}.png"), image)
    with Player(tmp_path, "--camera", str(folder)) as player:
        moved = (picture for picture in player.pictures() if shown_moves(picture))
        ended = next(each for each in moved if each["camera"]["state"] != "watching")
        assert shown_moves(ended) == ["a1-b2"]
        assert ended["camera"]["sentences"] == ["The recording has ended."]


@pytest.mark.long
def test_pieces_without_tags_are_played_on_a_board_with_a_reference_image(tmp_path: Path) -> None:
    table = PlainTable(find("close-quarters"), None, PLAIN_ABOVE, seed=3, has_reference=False)
    rules, position = table.rules, table.rules.initial()
    table.set_up(position)
    with Phone() as phone, Player(tmp_path, "--camera", phone.address, "--tagless") as player:
        pictures = player.pictures()

        def show(*cells: int) -> None:
            phone.show(table.scene.photograph(arms=[table.arm(cell) for cell in cells]))

        for _ in range(30):
            show()
        next(picture for picture in pictures if picture["view"]["phase"] == "waiting")
        for count, text in enumerate(("a1-b2", "d8-b8!"), start=1):
            move = rules.read_move(position, text)
            (step,) = rules.steps(position, move)
            for _ in range(2):
                show(step.source[0])
            table.take(step.source)
            show(step.source[0])
            show(step.target[0])
            table.put(step.target, step.becomes)
            show(step.target[0])
            for _ in range(4):
                show()
            seen = next(picture for picture in pictures if len(shown_moves(picture)) == count)
            position = rules.apply(position, move)
        assert shown_moves(seen) == ["a1-b2", "d8-b8!"]
    (path,) = tmp_path.rglob("*.jsonl")
    assert journal.read(path).header.sensor is SensorKind.SIDE

# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one program, whose commands share an evening.
"""`companion hall` as a program: permissions, output, and recovery after a kill."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import takewhile
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.sync import client as synchronous

from companion.cli.main import main
from companion.games import find
from companion.host.hall import run as evening
from companion.host.journal import journal
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions, begin
from companion.host.table.table_game import Begin
from companion.referee.values.controls import read_control
from companion.referee.values.events import MoveMade, Stage
from tests.certificates import self_signed
from tests.host.printed import PrintedTable
from tests.page_reader import PageReader
from tests.phone import Phone
from tests.ports import free_port
from tests.programs import Program

PASSWORD = "hall of mirrors"


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/hall.sqlite"


@contextmanager
def program(folder: Path, how: signal.Signals, *command: str) -> Iterator[IO[str]]:
    """What a program says that runs meanwhile and is ended by *how*."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    with Program("companion", command, stdout=PIPE, env=environment) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.send_signal(how)
            process.stdout.read()
    assert process.returncode == (0 if how is signal.SIGINT else -how)


def address_in(said: Iterable[str], what: str) -> str:
    """The address in the first line of *said* that tells of *what*."""
    line = next(line for line in said if what in line)
    found = re.search(r"http://\S+", line)
    assert found, line
    assert found.group().startswith("http://127.0.0.1:"), (
        "only this machine is let in unless others were asked for"
    )
    return found.group()


@contextmanager
def hall(folder: Path, store: str, how: signal.Signals, *words: str) -> Iterator[tuple[str, str]]:
    """The addresses of a running hall and of its first board's page, if any.

    The hall is ended by *how*.
    """
    with program(folder, how, "hall", "--store", store, "--http-port", "0", *words) as said:
        yield address_in(said, "The hall is at"), address_in(said, "the table is at") if words else ""


def ask(address: str, path: str, body: object = None, token: str = "") -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    with urlopen(Request(address + path, data, headers), timeout=60) as response:
        return json.loads(response.read())


def test_arbiters_are_admitted_listed_and_dismissed(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert main(["hall", "arbiters"]) == 0
    assert main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store]) == 0
    assert main(["hall", "arbiters", "--store", store]) == 0
    assert main(["hall", "dismiss", "Ana", "--store", store]) == 0
    assert main(["hall", "dismiss", "Ana", "--store", store]) == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "nobody yet: companion hall admit NAME",
        "Ana may act as arbiter",
        "Ana",
        "Ana may not act any more",
    ]
    assert "Ana is not an arbiter; there are: none" in said.err


def test_sensor_boards_and_cameras_are_assigned_listed_and_forgotten(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hall", "assign", "5a31c0ffee000001", "red", "chess", "--store", store]) == 0
    assert (
        main(["hall", "assign", "usb:046d:0825:1A2B3C", "blue", "gottaz,no_move=loss", "--store", store]) == 0
    )
    assert main(["hall", "devices", "--store", store]) == 0
    assert main(["hall", "forget", "red", "--store", store]) == 0
    assert main(["hall", "forget", "red", "--store", store]) == 1
    assert main(["hall", "forget", "blue", "--store", store]) == 0
    assert main(["hall", "devices", "--store", store]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "5a31c0ffee000001 is red; a hall that runs notices when it is started again",
        "usb:046d:0825:1A2B3C is blue; a hall that runs notices when it is started again",
        "blue  gottaz,no_move=loss  usb:046d:0825:1A2B3C",
        "red  chess  5a31c0ffee000001",
        "what red had is forgotten",
        "what blue had is forgotten",
        "none yet: `companion hall --panels GAME` or --cameras GAME remembers what is plugged in",
    ]
    assert "no panel and no camera is remembered for red" in said.err
    assert main(["hall", "assign", "", "red", "chess", "--store", store]) == 2
    assert main(["hall", "assign", "5a31c0ffee000001", "a/b", "chess", "--store", store]) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["hall", "announce", "club", "--by", "Ana", "--password", PASSWORD],
        ["hall", "dismiss", "Ana"],
        ["hall", "forget", "red"],
        ["hall", "print", "pairings", "club"],
        ["records", "stats"],
    ],
)
def test_a_mistyped_store_is_named_and_not_created(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    another = tmp_path / "others.sqlite"
    with contextlib.closing(sqlite3.connect(another)) as file:
        file.execute("CREATE TABLE recipes (name)")
    before = another.read_bytes()
    for path in (tmp_path / "clbu" / "hall.sqlite", another):
        assert main([*words, "--store", f"sqlite:///{path}"]) == 1
        said = capsys.readouterr()
        assert f"there is no store at sqlite:///{path}: name the right one with --store" in said.err
        assert not said.out
    assert list(tmp_path.iterdir()) == [another]
    assert another.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["hall", "admit", "Ana", "--password", "short"], "8 letters at least"),
        (["hall", "--board", "red"], "'red' is not a board: expected NAME=GAME"),
        (["hall", "--board", "a/b=chess"], "is not a board"),
        (["hall", "--http-port", "0", "--panels", "ludo"], "there is no game 'ludo'"),
        (["hall", "--http-port", "0", "--cameras", "ludo"], "there is no game 'ludo'"),
        (["hall", "--broker", "http://club"], "is not a broker"),
        (["hall", "--push", "file:///games"], "name http://HOST/PATH or https://"),
        (["hall", "--push", "https://red:sesame@club/games"], "with a token in COMPANION_PUSH_TOKEN"),
        (
            ["hall", "--certificate", "pyproject.toml", "--key", "pyproject.toml"],
            "is no certificate with its key",
        ),
        (
            ["hall", "table", "red", "chess", "--hall", "mqtt://red:sesame@club"],
            "must not contain a password",
        ),
        (["hall", "table", "red", "ludo", "--hall", "mqtt://club"], "there is no game 'ludo'"),
    ],
)
def test_what_does_not_work_is_named(
    words: list[str],
    reason: str,
    own_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    is_about_the_machine = {"--password", "--certificate"} & set(words)
    assert main(words) == (1 if is_about_the_machine else 2)
    said = capsys.readouterr().err
    assert reason in said
    assert "sesame" not in said


@pytest.mark.parametrize("words", [["--board", "red=chess"], ["--panels", "chess"]])
def test_a_time_control_that_no_board_supports_is_refused_at_the_start(
    words: list[str], own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hall", "--http-port", "0", *words, "--clock", "soon"]) == 2
    said = capsys.readouterr()
    assert "'soon' is not a time control" in said.err
    assert "The hall is at" not in said.out


@pytest.mark.parametrize(
    "words", [["hall", "--panels", "chess"], ["hall", "table", "red", "chess", "--hall", "mqtt://club"]]
)
def test_a_time_that_was_named_is_that_of_every_game_also_of_those_that_a_tournament_begins(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[PlayOptions] = []
    monkeypatch.setattr(evening, "run_hall", lambda play_options, _say: taken.append(play_options.usual))
    monkeypatch.setattr(evening, "run_station", lambda board, *_: taken.append(board.play_options))
    assert main([*words, "--clock", "5+3"]) == 0
    header = begin(Begin(GameSetup("tank-chess")), taken[0], "en").header
    assert header.control == read_control("5+3", 2)
    timed = begin(Begin(GameSetup("tank-chess", (("clock", "30"),))), taken[0], "en").header
    assert timed.control == read_control("30", 2)


@pytest.mark.parametrize(
    ("address", "is_certified", "is_warned"),
    [
        ("127.0.0.1", False, False),
        ("0.0.0.0", False, True),
        pytest.param("0.0.0.0", True, False, marks=pytest.mark.long),
    ],
)
def test_a_hall_open_to_the_network_without_a_certificate_prints_a_warning(
    tmp_path: Path, store: str, address: str, *, is_certified: bool, is_warned: bool
) -> None:
    words = ["hall", "--store", store, "--http-address", address, "--http-port", "0"]
    if is_certified:
        chain, key = map(str, self_signed(tmp_path))
        words += ["--certificate", chain, "--key", key]
    with program(tmp_path, signal.SIGINT, *words) as said:
        told = "".join(takewhile(lambda line: "The hall is at" not in line, said))
    assert ("Passwords cross the network in the clear" in told) == is_warned
    assert "companion hall admit NAME" in told, "nobody could act"


def test_the_messages_of_a_hall_are_in_the_language_of_its_command(tmp_path: Path, store: str) -> None:
    words = ("hall", "--store", store, "--language", "hr", "--http-port", "0")
    with program(tmp_path, signal.SIGINT, *words) as said:
        assert next(said) == "Još nitko ne može suditi: companion hall admit IME\n"
        assert "http://127.0.0.1:" in next(said)


def test_a_profile_without_a_camera_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hall", "table", "red", "chess", "--hall", "mqtt://club", "--profile", "kitchen"]) == 2
    assert "name it with --camera" in capsys.readouterr().err


def test_a_certificate_without_its_key_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hall", "--certificate", "c.pem"]) == 2
    assert "--certificate, --key" in capsys.readouterr().err


def test_a_board_with_an_option_that_its_game_has_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hall", "--board", "red=chess,clock=5"]) == 2
    assert "there is no option 'clock' here; known are start, draw_rules" in capsys.readouterr().err


def test_a_boards_identity_is_a_plain_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hall", "table", "a b", "chess", "--hall", "mqtt://club"]) == 2
    assert "letters, digits" in capsys.readouterr().err


def test_a_refusal_of_the_hall_is_in_the_language_of_the_command(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store])
    with hall(tmp_path, store, signal.SIGINT) as (address, _):
        pair = ["hall", "pair", "club", "--by", "Ana", "--at", address]
        assert main([*pair, "--password", "a wrong one"]) == 1
        assert "name or password is wrong" in capsys.readouterr().err
        (tmp_path / "companion").mkdir(exist_ok=True)
        (tmp_path / "companion" / "settings.toml").write_text('language = "de"\n', encoding="utf-8")
        assert main([*pair, "--password", "a wrong one"]) == 1
        assert "Passwort" in capsys.readouterr().err


def test_a_hall_killed_in_mid_round_continues_where_it_was(tmp_path: Path, store: str) -> None:
    main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store])
    with hall(tmp_path, store, signal.SIGKILL) as (address, _):
        token = ask(address, "api/login", {"name": "Ana", "password": PASSWORD})["token"]
        acts = [{"is": "Opened", "key": "club", "name": "Club", "format": "swiss", "game": "chess"}]
        for act in acts:
            ask(address, "api/acts", act, token)
        ask(address, "api/tournaments/club/players", {"csv": "name\nAna\nBen\nCleo\nDan\n"}, token)
        ask(address, "api/tournaments/club/rounds", {}, token)
        decided = {"is": "ResultDecided", "key": "club", "round": 1, "table": 2, "points": [1, 1]}
        ask(address, "api/acts", decided, token)
    with hall(tmp_path, store, signal.SIGINT) as (address, _):
        club = ask(address, "api/tournaments/club")
        assert [line["points"] for line in club["standings"]] == [0.5, 0.5, 0, 0]
        token = ask(address, "api/login", {"name": "Ana", "password": PASSWORD})["token"]
        ask(address, "api/acts", {**decided, "table": 1, "points": [2, 0]}, token)
        assert ask(address, "api/tournaments/club/rounds", {}, token) == {"round": 2}


def carried(page: str, *moves: str) -> list[str]:
    """The moves that the table at *page* reports after *moves*.

    Each move is made when the one before was announced.
    """
    cells = {name: number for number, name in enumerate(find("close-quarters").rules().grid.names)}

    async def play() -> list[str]:
        async with asyncio.timeout(60), connect(page.replace("http", "ws") + "ws") as line:
            waiting, told, reader = list(moves), -1, PageReader()
            async for text in line:
                view = reader.take(text).get("view")
                if view is None or view["phase"] != "waiting" or view["ply"] == told:
                    continue
                record = view["record"]
                if record and record[-1]["stage"] == "provisional":
                    continue
                if not waiting:
                    return [move["move"] for move in record]
                told = view["ply"]
                source, target = waiting.pop(0).split("-")
                await line.send(json.dumps({"is": "Lift", "cell": cells[source]}))
                await line.send(json.dumps({"is": "Drop", "cell": cells[target]}))
        raise AssertionError("the table has gone")

    return asyncio.run(play())


@pytest.mark.long
def test_boards_of_a_hall_killed_in_mid_game_continue_where_they_were(tmp_path: Path, store: str) -> None:
    main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store])
    board = ("--board", "red=close-quarters")
    with hall(tmp_path, store, signal.SIGKILL, *board) as (_, page):
        assert carried(page, "a1-b2", "d8-b8") == ["a1-b2", "d8-b8!"]
    with hall(tmp_path, store, signal.SIGINT, *board) as (_, page):
        assert carried(page, "b2-c3") == ["a1-b2", "d8-b8!", "b2-c3"]
    (path,) = (tmp_path / "companion" / "journals" / "red").glob("*.jsonl")
    announced = [
        line for line in path.read_text().splitlines() if '"MoveMade"' in line and '"announced"' in line
    ]
    assert len(announced) == 3


@pytest.mark.long
def test_a_board_before_a_camera_plays_in_the_hall_while_the_camera_comes_and_goes(
    tmp_path: Path, store: str
) -> None:
    main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store])
    table = PrintedTable()
    with ExitStack() as later:
        phone = later.enter_context(Phone())
        board = ("--board", f"red=close-quarters@camera:{phone.address}")
        address, page = later.enter_context(hall(tmp_path, store, signal.SIGINT, *board))
        line = later.enter_context(synchronous.connect(page.replace("http", "ws") + "ws"))
        pictures = (
            said for said in map(PageReader().take, iter(lambda: line.recv(timeout=30), "")) if "view" in said
        )

        def until(*moves: str) -> None:
            """The board tells *moves*, announced."""
            for picture in pictures:
                record = picture["view"]["record"]
                is_sure = all(move["stage"] != "provisional" for move in record)
                if is_sure and [move["move"] for move in record] == list(moves):
                    return

        for _ in range(4):
            phone.show(table.see())
        next(picture for picture in pictures if picture["view"]["phase"] == "waiting")
        for image in table.carry("a1-b2"):
            phone.show(image)
        until("a1-b2")
        phone.vanish()
        next(picture for picture in pictures if picture["camera"]["state"] == "lost")
        for _ in table.carry("d8-b8"):
            pass  # nobody sees it
        back = later.enter_context(Phone(phone.port))
        for _ in range(4):
            back.show(table.see())
        until("a1-b2", "d8-b8!")
        while ask(address, "api/state")["board/red"]["glance"]["ply"] != 2:
            pass
    (path,) = (tmp_path / "companion" / "journals" / "red").glob("*.jsonl")
    moves = [event for event in journal.read(path).events if isinstance(event, MoveMade)]
    assert [each.move for each in moves if each.stage is Stage.ANNOUNCED] == ["a1-b2", "d8-b8!"]


def test_a_table_before_a_camera_plays_although_its_hall_cannot_be_reached(tmp_path: Path) -> None:
    table = PrintedTable()
    with ExitStack() as later:
        phone = later.enter_context(Phone())
        words = ("green", "close-quarters", "--hall", "mqtt://127.0.0.1:1/club", "--camera", phone.address)
        said = later.enter_context(program(tmp_path, signal.SIGINT, "hall", "table", *words))
        page = address_in(said, "the table is at")
        line = later.enter_context(synchronous.connect(page.replace("http", "ws") + "ws"))
        pictures = (
            told for told in map(PageReader().take, iter(lambda: line.recv(timeout=30), "")) if "view" in told
        )
        for _ in range(4):
            phone.show(table.see())
        next(picture for picture in pictures if picture["view"]["phase"] == "waiting")
        for image in table.carry("a1-b2"):
            phone.show(image)
        next(
            picture
            for picture in pictures
            if [move["move"] for move in picture["view"]["record"]] == ["a1-b2"]
        )


async def resign_at(address: str, side: int, players: list[str]) -> None:
    """Resign at the page of a board, once its game between *players* is on."""
    async with (
        asyncio.timeout(60),
        connect(f"{address.replace('http', 'ws')}ws?name=test", max_size=None) as page,
    ):
        reader = PageReader()
        async for said in page:
            shown = reader.take(said)
            if shown.get("table", {}).get("players") == players and "resign" in shown.get("view", {}).get(
                "commands", ()
            ):
                await page.send(json.dumps({"is": "Resign", "side": side}))
                return


@pytest.mark.long
def test_two_halls_play_a_match(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    via = f"ws://127.0.0.1:{free_port()}"
    words = ("hall", "--http-port", "0", "--clock", "15+10", "--via", via, "--match")
    with program(here, signal.SIGINT, *words, "new", "--board", "ana=chess") as said:
        code = next(line.split("--match ")[1].split()[0] for line in said if "--match " in line)
        address = address_in(said, "the table is at")
        with program(there, signal.SIGINT, *words, code, "--board", "bo=chess") as said_there:
            asyncio.run(resign_at(address, 0, ["ana", "bo"]))
            assert next(line for line in said if "the match after 1 of 1 boards: 0 to 1" in line)
            assert next(line for line in said_there if "the match after 1 of 1 boards: 1 to 0" in line)

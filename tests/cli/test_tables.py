# SPDX-License-Identifier: Apache-2.0
"""Tables of other machines as programs: codes, keys, and replayed messages.

A code admits a table once, its key stays with it, and recorded messages admit no one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from websockets.sync import client as synchronous

from companion.cli.main import main
from companion.host.hall.keys.joining import TRIES, Applicant, draw_code
from tests.brokers import Mosquitto, broker_beside
from tests.cli.test_hall import PASSWORD, address_in, ask, program
from tests.programs import Program

pytestmark = pytest.mark.timeout(400)  # each starts several programs, one after another

Json = dict[str, Any]


class Sniffer:
    """Another client of the broker, which records all that is said."""

    def __init__(self, port: int) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("companion/#")
        self._client.on_message = lambda _client, _data, said: self.heard.append(
            (said.topic, bytes(said.payload))
        )
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def replay(self) -> set[bytes]:
        """Repeat all recorded messages; returns their kinds."""
        recorded = list(self.heard)
        for topic, payload in recorded:
            self._client.publish(topic, payload, qos=1).wait_for_publish(30)
        return {payload.partition(b" ")[0] for _, payload in recorded}


class Forger:
    """Another client of the broker, which refuses each request to join."""

    text = "the text of a stranger"

    def __init__(self, port: int) -> None:
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("companion/club/up/red")
        self._client.on_message = self._refuse
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def _refuse(self, client: paho.Client, _data: object, said: paho.MQTTMessage) -> None:
        kind, _, rest = said.payload.decode(errors="replace").partition(" ")
        asked = rest.partition(" ")[0]
        if kind == "join":
            for forged in (f'refused {asked} "{self.text}"', f"refused {asked} {self.text}"):
                client.publish("companion/club/down/red", forged)
            client.publish("companion/club/down/red", f"unknown {asked} {self.text}")

    def ask(self, text: str) -> None:
        """Send a request to join of its own."""
        self._client.publish("companion/club/up/red", text, qos=1).wait_for_publish(30)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def forger(broker: Mosquitto) -> Iterator[Forger]:
    found = Forger(broker.port)
    yield found
    found.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with broker_beside(tmp_path) as found:
        yield found


class Club:
    """A hall as a program, and its desk."""

    def __init__(self, folder: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.store = f"sqlite:///{folder}/hall.sqlite"
        self.url = url
        self.folder = folder
        self._capsys = capsys
        assert main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", self.store]) == 0

    @contextmanager
    def running(self, *words: str, how: signal.Signals = signal.SIGINT) -> Iterator[list[str]]:
        """What the hall says at its start; it runs meanwhile and is ended by *how*."""
        words = ("hall", "--store", self.store, "--http-port", "0", "--broker", self.url, *words)
        with program(self.folder / "hall", how, *words) as said:
            self.address = address_in(said, "The hall is at")
            self.token = ask(self.address, "api/login", {"name": "Ana", "password": PASSWORD})["token"]
            yield [next(said).strip() for _ in range(2)]

    @contextmanager
    def table(self, how: signal.Signals, *words: str, machine: str = "table") -> Iterator[Iterator[str]]:
        """What the table red of another machine says."""
        words = ("hall", "table", "red", "close-quarters", "--hall", self.url, *words)
        with program(self.folder / machine, how, *words) as said:
            yield said

    def tell(self, *words: str) -> tuple[int, str]:
        """What a command of the arbiter's ends with, and says."""
        self._capsys.readouterr()
        ended = main([*words, "--by", "Ana", "--password", PASSWORD, "--at", self.address])
        said = self._capsys.readouterr()
        return ended, said.out + said.err

    def invited(self) -> str:
        ended, said = self.tell("hall", "invite", "red")
        assert ended == 0
        assert "red can join for 10 minutes with the code " in said
        return said.split()[-1]

    def desk(self, holds: Callable[[Json], bool]) -> Json:
        """What the desk shows, as soon as it *holds*."""
        parts: Json = {}
        with synchronous.connect(f"{self.address.replace('http', 'ws')}api/desk") as line:
            line.send(self.token)
            while not parts or not holds(parts):
                said = json.loads(line.recv(timeout=60))
                parts = said.get("all") or {**parts, **said.get("changed", {})}
                for name, patch in said.get("patched", {}).items():
                    parts[name] = {**parts[name], **patch}
        return parts

    def is_there(self) -> None:
        self.desk(lambda parts: not parts.get("board/red", {"is_silent": True})["is_silent"])

    def obeys(self) -> None:
        """The table carries out an order."""
        body = {"board": "red", "command": {"is": "NewGame"}}
        order = ask(self.address, "api/orders", body, self.token)["order"]
        self.desk(
            lambda parts: any(
                each["act"].get("order") == order and each["act"]["is"] == "Obeyed" for each in parts["book"]
            )
        )


@pytest.fixture
def club(tmp_path: Path, broker: Mosquitto, capsys: pytest.CaptureFixture[str]) -> Club:
    return Club(tmp_path, f"mqtt://127.0.0.1:{broker.port}/club", capsys)


def refused(club: Club, code: str) -> str:
    """What a table says that wants to join with *code* and cannot."""
    words = ["hall", "table", "red", "close-quarters", "--hall", club.url, "--join", code]
    environment = {**os.environ, "XDG_DATA_HOME": str(club.folder / "other")}
    table = Program("companion", words, stdout=PIPE, stderr=PIPE, env=environment)
    _, complaint = table.communicate()
    assert table.returncode == 1
    assert not (club.folder / "other" / "companion" / "keys").exists()
    return complaint


def test_a_table_joins_with_a_code_and_never_needs_it_again(club: Club, broker: Mosquitto) -> None:
    with ExitStack() as later:
        sniffer = Sniffer(broker.port)
        later.callback(sniffer.close)
        with club.running() as said:
            assert said[1].startswith(
                "A table joins with a code from the desk, or from: companion hall invite"
            )
            code = club.invited()
            with club.table(signal.SIGKILL, "--join", code) as told:
                assert next(told).strip() == "red has joined the hall club; its key is kept"
                club.is_there()
                club.obeys()
            assert "the code for the board red was used already" in refused(club, code)
            with club.table(signal.SIGINT) as told:
                club.is_there()
                assert sniffer.replay() >= {b"join", b"joined", b"up", b"down", b"challenge", b"end"}
                club.obeys()
                shown = club.desk(lambda parts: "alarms" in parts)
                assert not shown["board/red"]["is_silent"]
                assert not [alarm for alarm in shown["alarms"] if alarm["kind"] in ("silent", "claimed")]
                assert not shown["faults"]
        with club.running(), club.table(signal.SIGINT):
            club.is_there()
            sniffer.replay()
            club.obeys()
            ended, told_arbiter = club.tell("hall", "revoke", "red")
            assert ended == 0
            assert "the key of red no longer works" in told_arbiter
            club.desk(lambda parts: parts["board/red"]["is_silent"])
        heard = b" ".join(payload for _, payload in sniffer.heard)
        kept = (club.folder / "table" / "companion" / "keys" / "red@club.key").read_bytes().strip()
        assert len(kept) == 64
        assert kept not in heard
        assert code.replace("-", "").encode() not in heard.replace(b"-", b"")
    if os.name == "posix":
        for machine in ("hall", "table"):
            folder = club.folder / machine / "companion" / "keys"
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_table_joins_despite_forged_refusals_and_a_hall_that_was_killed(club: Club, forger: Forger) -> None:
    with club.running(how=signal.SIGKILL):
        code = club.invited()
    with club.running():
        words = ["hall", "table", "red", "close-quarters", "--hall", club.url, "--join", code]
        environment = {
            **os.environ,
            "XDG_DATA_HOME": str(club.folder / "table"),
            "PYTHONUNBUFFERED": "1",
        }
        with Program("companion", words, stdout=PIPE, stderr=PIPE, env=environment) as table:
            assert table.stdout is not None
            assert next(table.stdout).strip() == "red has joined the hall club; its key is kept"
            club.is_there()
            table.send_signal(signal.SIGINT)
            said = table.communicate()
        assert forger.text not in "".join(said)


def test_a_second_hall_of_the_same_name_is_shown_until_it_is_killed(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def warns(parts: Json) -> bool:
        return any("is named club, too" in fault["text"] for fault in parts["faults"])

    (tmp_path / "second").mkdir()
    second = Club(tmp_path / "second", club.url, capsys)
    with club.running():
        with second.running(how=signal.SIGKILL):
            club.desk(warns)
            second.desk(warns)
        club.desk(lambda parts: not warns(parts))
    with club.running(how=signal.SIGKILL):
        pass
    with club.running(), club.table(signal.SIGINT, "--join", club.invited()):
        club.is_there()
        assert not warns(club.desk(lambda parts: "faults" in parts)), "its own former run is no other hall"


@pytest.mark.long
def test_five_wrong_codes_end_the_right_one_and_the_desk_shows_it(club: Club, forger: Forger) -> None:
    with club.running():
        code = club.invited()
        shown = club.desk(lambda parts: bool(parts["tables"]["invited"]))["tables"]
        (invited,) = shown["invited"]
        assert (shown["by_code"], invited["board"], invited["code"], invited["ended"]) == (
            True,
            "red",
            code,
            "",
        )
        typed = code[:-1] + ("0" if code[-1] != "0" else "1")
        assert "is not a code for the board red: compare each letter" in refused(club, typed)
        complaint = refused(club, draw_code("red"))
        assert "the hall club does not know this code for the board red: compare each letter" in complaint
        assert forger.text not in complaint
        for _ in range(TRIES - 1):
            forger.ask(Applicant(draw_code("red"), "club", "red").ask())
        assert "the code for the board red ended after five wrong tries" in refused(club, code)
        (invited,) = club.desk(lambda parts: True)["tables"]["invited"]
        assert (invited["code"], invited["ended"]) == ("", "tried")


def test_a_table_without_a_key_plays_and_shows_how_to_join(club: Club) -> None:
    with club.running(), club.table(signal.SIGINT) as told:
        line = next(line for line in told if "this hall needs a key" in line)
        assert "ask the arbiter for a code for the board red, and start again with --join CODE" in line
        assert "board/red" not in ask(club.address, "api/state")


@pytest.mark.long
def test_an_open_hall_warns_at_its_start_and_at_the_desk_and_must_be_joined_explicitly(club: Club) -> None:
    with club.running("--open") as said:
        assert said[1].startswith("This hall is open: anybody at its broker can play, resign and end games")
        ended, told_arbiter = club.tell("hall", "invite", "red")
        assert (ended, "or it is open" in told_arbiter) == (1, True)
        with club.table(signal.SIGINT) as told:
            assert any("this hall is open, anybody at its broker can speak for it" in line for line in told)
        with club.table(signal.SIGINT, "--open", machine="other"):
            shown = club.desk(lambda parts: parts.get("board/red", {}).get("glance") is not None)
            assert any(fault["text"].startswith("This hall is open") for fault in shown["faults"])
            assert shown["tables"] == {"by_code": False, "invited": []}
            club.obeys()
    assert not list((club.folder / "hall").rglob("keys"))


@pytest.mark.long
def test_keys_are_printed_for_manual_setup(
    club: Club, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COMPANION_HALL_SECRET", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(club.folder / "hall"))
    assert main(["hall", "key", "red"]) == 1
    assert "no hall hall was started here, so it has no keys: --hall says which" in capsys.readouterr().err
    with club.running():
        assert main(["hall", "key", "red", "--hall", "club"]) == 0
        key = capsys.readouterr().out.strip()
        assert re.fullmatch("[0-9a-f]{64}", key)
        monkeypatch.setenv("COMPANION_TABLE_KEY", key)
        with club.table(signal.SIGINT):
            club.is_there()
            club.obeys()
    monkeypatch.setenv("COMPANION_HALL_SECRET", "short")
    assert main(["hall", "key", "red"]) == 1
    assert "16 letters at least" in capsys.readouterr().err


@pytest.mark.long
def test_a_secret_and_keys_that_are_given_by_hand_work_without_a_code(
    club: Club, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPANION_HALL_SECRET", "a secret of sixteen letters or more")
    monkeypatch.setenv("XDG_DATA_HOME", str(club.folder / "hall"))
    capsys.readouterr()
    assert main(["hall", "key", "red"]) == 0
    monkeypatch.setenv("COMPANION_TABLE_KEY", capsys.readouterr().out.strip())
    with club.running(), club.table(signal.SIGINT):
        club.is_there()
        club.obeys()

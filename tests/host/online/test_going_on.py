# SPDX-License-Identifier: Apache-2.0
"""The same command goes on; nothing is said before it is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from companion import games
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.online.join import going_on
from companion.host.online.two_tables.code import Code, draw_code
from companion.host.online.two_tables.guest import Guest
from companion.host.online.two_tables.host import Host
from companion.host.online.two_tables.kept_game import KeptGame, KeptMoves
from companion.host.online.two_tables.kept_table import Keeping, KeptTable, file_of
from companion.host.online.two_tables.messages import Welcome
from companion.host.online.two_tables.sealing import Sealer
from companion.host.online.two_tables.tables import invite, visit
from companion.host.play.start import OnlineOptions, PlayOptions
from companion.model.errors import InvalidArgument, OnlineRefused, SettingsError
from companion.model.game import Outcome
from companion.referee.values.events import GameBegan, GameEnded
from tests.host.online.seats import QUICK, until
from tests.host.tables import HEADER
from tests.ports import free_port

VIA = "ws://127.0.0.1:1"
WELCOME = Welcome("chess", (), side=1, control="none")


def kept_here(folder: Path, *, invites: bool, **values: object) -> Code:
    """Keep one end of a game of chess, as a killed program leaves it."""
    code = draw_code()
    keeping = Keeping.of(folder, code, KeptTable(str(code), VIA, "chess", invites=invites))
    keeping.change(**values)
    keeping.release()
    return code


def begun(folder: Path, name: str, *, has_ended: bool = False) -> Path:
    """The journal of a game of chess that has begun."""
    path = folder / f"{name}_chess.jsonl"
    start = games.find("chess").rules()
    with JournalWriter.create(path, replace(HEADER, setup=GameSetup("chess"))) as writer:
        writer.write([GameBegan(1, start.write_position(start.initial()))])
        if has_ended:
            writer.write([GameEnded(2, Outcome((0,), "resignation"))])
    return path


def asked(folder: Path, place: str | None, *, resume: bool = False) -> PlayOptions:
    online = None if place is None else OnlineOptions(place, VIA if place == "new" else "")
    return PlayOptions(GameSetup("chess"), folder=folder, online=online, resume=resume, intervals=QUICK)


@pytest.mark.parametrize("has_ended", [False, True])
@pytest.mark.parametrize("resume", [False, True])
def test_the_game_of_a_code_goes_on_at_either_end_until_it_is_over_at_both(
    tmp_path: Path, *, resume: bool, has_ended: bool
) -> None:
    for invites in (True, False):
        folder = tmp_path / str(invites)
        journal = begun(folder, "2026-01-01_00-00-00", has_ended=has_ended)
        code = kept_here(folder, invites=invites, guest="g", welcome=WELCOME, journal=journal.name)
        for place in (str(code), "new"):
            said: list[str] = []
            found = going_on(asked(folder, place, resume=resume and invites), said.append)
            if place == "new" and not invites:
                assert not found.resume
                assert not said
                continue
            assert (found.resume, found.journal) == (True, journal)
            assert str(code) in said[0]
            assert ("--online another" in said[0]) == invites
        again = asked(folder, "another")
        assert going_on(again, said.append) is again
        other_place = replace(again, online=OnlineOptions("new", "mqtt://broker"))
        assert going_on(other_place, said.append) is other_place


def test_a_game_that_was_agreed_and_has_not_begun_goes_on_by_code_and_by_resume(tmp_path: Path) -> None:
    begun(tmp_path, "2026-01-01_00-00-00")
    code = kept_here(tmp_path, invites=False, guest="g", welcome=WELCOME)
    for place in (str(code), None):
        found = going_on(asked(tmp_path, place, resume=True), lambda _said: None)
        assert found.online is not None
        assert (found.online.place, found.resume) == (str(code), False)
    begun(tmp_path, "2026-01-02_00-00-00")  # played since
    later = asked(tmp_path, None, resume=True)
    assert going_on(later, print) is later


def test_an_agreed_game_begins_though_the_other_table_is_not_there(tmp_path: Path) -> None:
    code = kept_here(tmp_path, invites=False, guest="g", welcome=WELCOME)
    joined = asyncio.run(visit(asked(tmp_path, None), code, VIA))
    assert isinstance(joined.server, Guest)
    assert (joined.server.name, joined.side, joined.request.setup.game) == ("g", 1, "chess")
    joined.keeping.release()
    agreed = {"guest": "g", "guest_player": "Bo", "welcome": WELCOME, "game": KeptMoves()}
    inviting = kept_here(tmp_path, invites=True, **agreed)
    said: list[str] = []
    joined = asyncio.run(invite(asked(tmp_path, "new"), VIA, "black", said.append))
    assert isinstance(joined.server, Host)
    assert str(inviting) in said[0]
    assert (joined.server.guest, joined.side, joined.request.setup.players) == ("g", 0, ("", "Bo"))
    joined.keeping.release()


def test_a_table_that_waits_says_the_same_code_again(tmp_path: Path) -> None:
    async def codes(*, is_another: bool = False) -> set[str]:
        """Those that a program says until it is killed."""
        said: list[str] = []

        def hear(line: str) -> None:
            assert any(tmp_path.glob("*.host.two-tables.json")), "the code is kept before it is said"
            said.append(line)

        via = f"ws://127.0.0.1:{port}"
        work = invite(asked(tmp_path, "new"), via, "white", hear, is_another=is_another)
        waiting = asyncio.create_task(work)
        await until(lambda: bool(said))
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return {line.split("--online ")[1].split()[0] for line in said}

    port = free_port()
    first = asyncio.run(codes())
    assert asyncio.run(codes()) == first
    assert asyncio.run(codes(is_another=True)) != first


def test_what_cannot_go_on_is_refused_with_the_reason(tmp_path: Path) -> None:
    over = kept_here(tmp_path, invites=False, guest="g", welcome=WELCOME, is_over=True)
    with pytest.raises(OnlineRefused, match="is over: ask for a new code"):
        going_on(asked(tmp_path, str(over)), print)
    with pytest.raises(OnlineRefused, match="is over"):
        asyncio.run(visit(asked(tmp_path, None), over, VIA))
    for place in ("new", str(draw_code())):
        with pytest.raises(InvalidArgument, match="leave out --resume"):
            going_on(asked(tmp_path, place, resume=True), print)
    code = draw_code()
    keeping = Keeping.of(tmp_path, code, KeptTable(str(code), VIA, "chess", invites=False, guest="g"))
    with pytest.raises(SettingsError, match="another program of this computer"):
        going_on(asked(tmp_path, str(code)), print)
    with pytest.raises(SettingsError, match="another program of this computer"):
        asyncio.run(visit(asked(tmp_path, None), code, VIA))
    keeping.release()
    assert going_on(asked(tmp_path, str(code)), print).online is not None


def test_the_name_of_the_guest_is_kept_before_it_is_sent_and_sent_again(tmp_path: Path) -> None:
    nowhere, code = f"ws://127.0.0.1:{free_port()}", draw_code()
    path, names = file_of(tmp_path, code, invites=False), []
    for _ in range(2):
        with pytest.raises(OnlineRefused, match="nobody answers"):
            asyncio.run(visit(asked(tmp_path, None), code, nowhere))
        assert path.stat().st_mode & 0o777 == 0o600
        names.append(json.loads(path.read_text())["guest"])
    assert names[0] == names[1] != ""


@dataclass
class Witness:
    """A `Carrier` that notes what is kept in *path* at the moment of each message."""

    path: Path
    sent: list[tuple[bytes, dict[str, Any]]] = field(default_factory=list)
    receive: Callable[[bytes], None] | None = None

    async def run(self, receive: Callable[[bytes], None], _report: Callable[[str], None]) -> None:
        self.receive = receive
        await asyncio.Event().wait()

    async def send(self, message: bytes) -> None:
        kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.sent.append((message, kept))


def test_the_inviting_table_says_nothing_that_is_not_kept(tmp_path: Path) -> None:
    """Also while its disk takes nothing: the guest asks again until it does."""
    folder, code = tmp_path / "kept", draw_code()
    keeping = Keeping.of(folder, code, KeptTable(str(code), VIA, "chess", invites=True))
    here, there = Witness(keeping.path), Witness(keeping.path)
    rules = games.find("chess").rules()
    host = Host(KeptGame(rules), 1, replace(WELCOME, side=0), Sealer(code, b"host", b"guest"), here, QUICK)
    host.keeping = keeping
    guest = Guest(Sealer(code, b"guest", b"host"), there, QUICK, name="bo")

    async def exchange(holds: Callable[[], bool]) -> None:
        def held() -> bool:
            while there.sent and here.receive is not None:
                here.receive(there.sent.pop(0)[0])
            while here.sent and there.receive is not None:
                message, kept = here.sent.pop(0)
                before = len(guest.requests)
                there.receive(message)
                assert kept["guest"] == "bo"
                assert kept["welcome"]
                if before > len(guest.requests):
                    assert (kept["done"], kept["game"]["moves"]) == (1, ["e4"])
            return holds()

        await until(held)

    async def play() -> None:
        tasks = [
            asyncio.create_task(end.run(lambda: None, lambda _about, _said: None)) for end in (host, guest)
        ]
        await exchange(lambda: guest.state is not None)
        folder.rename(tmp_path / "gone")
        folder.write_text("a full disk")
        await guest.make(0, "e4", 0)
        await exchange(lambda: host.done == 1)
        here.sent.clear()
        greeted = len(there.sent)
        await until(lambda: len(there.sent) >= greeted + 3)
        await exchange(lambda: not there.sent)
        assert guest.requests
        folder.unlink()
        (tmp_path / "gone").rename(folder)
        await exchange(lambda: not guest.requests)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(play())

# SPDX-License-Identifier: Apache-2.0
"""The hall over HTTP: who may do what, what spectators get and when, and what is refused."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from argon2 import PasswordHasher
from websockets.asyncio.client import connect as watch
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from companion.feedback.glance import Glance, SmallPiece
from companion.host import web
from companion.host.database import connect
from companion.host.hall import showing
from companion.host.hall.access import Arbiters, Limit, Tokens
from companion.host.hall.books import BookKeeper
from companion.host.hall.hall import Hall
from companion.host.hall.seats import Hello
from companion.host.hall.web import serving_hall
from companion.host.hall.wire import Shown, Up
from companion.host.hall.wording import folder, load
from companion.model.errors import SettingsError
from companion.referee.view import Phase
from companion.tournament.book import Act, Ordered
from companion.tournament.ties import TIE_BREAKS
from companion.tournament.trf import write_trf
from companion.tournament.values import Format

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""So that tests do not guess as slowly as thieves must."""
NAME, PASSWORD = "Ana", "hall of mirrors"


@dataclass
class Site:
    """A hall that is served, and a browser's way to it."""

    hall: Hall
    address: str
    clock: list[int] = field(default_factory=list)
    token: str = ""

    async def ask(self, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """Status and answer; a POST if there is a *body*."""
        return await asyncio.to_thread(self._ask, path, body, self.token if token is None else token)

    def _ask(self, path: str, body: object, token: str) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        try:
            with urlopen(Request(self.address + path, data, headers), timeout=10) as response:
                text = response.read().decode()
                is_json = response.headers["content-type"].startswith("application/json")
                return response.status, json.loads(text) if is_json else text
        except HTTPError as fault:
            with fault:
                text = fault.read().decode()
                return fault.code, json.loads(text) if text.startswith("{") else text

    async def log_in(self) -> None:
        status, told = await self.ask("api/login", {"name": NAME, "password": PASSWORD})
        assert status == 200
        self.token = told["token"]

    async def act(self, kind: str, **values: object) -> tuple[int, Any]:
        return await self.ask("api/acts", {"is": kind, **values})

    def board(self, name: str, ply: int = 0) -> None:
        """A board shows something new."""
        hello = Hello(name, "i", name.title(), "chess")
        self.hall.take(Up(name, "i", hello), lambda _down: None)
        shown = Shown(1 + ply, 0, Glance("chess", "waiting", 0, ply, (SmallPiece("king", 0, (4,)),)))
        self.hall.take(Up(name, "i", shown), lambda _down: None)


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    clock = [1000]
    engine = connect(f"sqlite:///{folder}/hall.sqlite")
    access = Arbiters(engine, QUICK)
    access.admit(NAME, PASSWORD)
    hall = Hall(BookKeeper(engine), folder / "copies", lambda: clock[0], lambda: "2026-11-21T19:00:00+00:00")
    running = asyncio.create_task(hall.run())
    try:
        async with serving_hall(hall, access, web.listen("127.0.0.1", 0)) as address:
            yield Site(hall, address, clock)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        engine.dispose()


async def tournament(at: Site) -> None:
    """Four players, one round."""
    await at.log_in()
    assert (await at.act("Opened", key="club", name="Club", format="swiss", game="chess"))[0] == 200
    csv = "name,rating\nAna,1800\nBen,1700\nCleo,1600\nDan,1500\n"
    assert await at.ask("api/tournaments/club/players", {"csv": csv}) == (200, {"entered": 4})
    assert await at.ask("api/tournaments/club/rounds", {}) == (200, {"round": 1})


def test_an_arbiter_announces_enters_pairs_seats_and_decides_and_spectators_see_it(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            at.board("red")
            seating = {"round": 1, "table": 1, "board": "red"}
            assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
            assert (await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0]))[0] == 200
            async with watch(f"{at.address.replace('http', 'ws')}api/watch") as line:
                async with asyncio.timeout(10):
                    club: dict[str, Any] = {}
                    while not club.get("standings") or not club["standings"][0]["points"]:
                        said = json.loads(await line.recv())
                        parts = said.get("all", said.get("changed", {}))
                        club = parts.get("tournament/club", club)
            assert club["standings"][0]["name"] == "Ana"
            assert club["rounds"][0]["tables"][0]["board"] == "red"
            _, state = await at.ask("api/state")
            assert state["tournament/club"] == club
            assert state["board/red"]["glance"]["pieces"]["4"]["kind"] == "king"
            _, report = await at.ask("api/tournaments/club/report.trf")
            assert report.startswith("012 Club\n")
            _, players = await at.ask("api/tournaments/club/players.csv")
            assert players.splitlines()[1].startswith("Ana,1800")
            _, sets = await at.ask(
                f"api/sets?language=de&name={quote(state['board/red']['set'])}&name=ludo%3F"
            )
            (look,) = sets.values()
            assert (look["title"], len(look["grid"]["cells"])) == ("Schach", 64)

    asyncio.run(evening())


def test_nothing_newer_than_the_delay_leaves_the_hall(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            await at.act("DelaySet", key="club", seconds=600)
            at.board("red", 1)
            await at.ask("api/tournaments/club/boards", {"round": 1, "table": 1, "board": "red"})
            at.clock[0] += 700_000
            at.board("red", 2)
            await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0])
            await asyncio.sleep(0.2)
            at.clock[0] += 599_000
            await asyncio.sleep(0.2)
            _, before = await at.ask("api/state")
            assert before["board/red"]["glance"]["ply"] == 1
            assert before["tournament/club"]["rounds"][0]["tables"][0]["points"] is None
            assert not any(line["points"] for line in before["tournament/club"]["standings"])
            at.clock[0] += 1_500
            await asyncio.sleep(0.2)
            _, after = await at.ask("api/state")
            assert after["board/red"]["glance"]["ply"] == 2
            assert after["tournament/club"]["rounds"][0]["tables"][0]["points"] == [1, 0]

    asyncio.run(evening())


ACTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("api/acts", {"is": "Noted", "text": "x"}),
    ("api/tournaments/club/players", {"csv": "name\nX\n"}),
    ("api/tournaments/club/rounds", {}),
    ("api/tournaments/club/boards", {"round": 1, "table": 1, "board": "red"}),
    ("api/orders", {"board": "red", "command": {"is": "Pause"}}),
)


def test_nobody_acts_without_a_token_or_with_one_that_was_given_back(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            old = at.token
            assert (await at.ask("api/logout", {}))[0] == 200
            for path, body in ACTS:
                for token in ("", "nonsense", old):
                    assert (await at.ask(path, body, token))[0] == 401
            assert at.hall.keeper.entries == []

    asyncio.run(evening())


def test_who_was_dismissed_acts_and_watches_no_more_although_the_token_is_young(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            assert (await at.act("Noted", text="x"))[0] == 200
            engine = connect(f"sqlite:///{tmp_path}/hall.sqlite")
            assert Arbiters(engine, QUICK).dismiss(NAME)
            engine.dispose()
            for path, body in ACTS:
                assert (await at.ask(path, body))[0] == 401
            assert len(at.hall.keeper.entries) == 1

    asyncio.run(evening())


def test_a_desk_that_is_open_is_closed_when_its_token_is_given_back(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            async with watch(f"{at.address.replace('http', 'ws')}api/desk") as line:
                await line.send(at.token)
                assert "all" in json.loads(await line.recv())
                await at.ask("api/logout", {})
                async with asyncio.timeout(10):
                    await line.wait_closed()
                assert line.close_code == 4401

    asyncio.run(evening())


def test_neither_passwords_nor_tokens_are_in_any_log_answer_or_address(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            with caplog.at_level("DEBUG"):
                await at.log_in()
                _, refused = await at.ask("api/login", {"name": NAME, "password": "not " + PASSWORD})
                _, wrong = await at.ask("api/login", {"name": NAME, "password": ["not " + PASSWORD]})
                await at.act("Noted", text="x")
                await at.ask("api/acts", {"is": "Noted"}, at.token + "x")
                async with watch(f"{at.address.replace('http', 'ws')}api/desk") as line:
                    await line.send(at.token)
                    told = await line.recv()
            secrets = (PASSWORD, at.token)
            ours = [record.getMessage() for record in caplog.records if record.name != "websockets.client"]
            for said in ("".join(ours), json.dumps(refused), str(told)):
                assert not any(secret in said for secret in secrets)
            assert at.token not in json.dumps(wrong)
            with connect(f"sqlite:///{tmp_path}/hall.sqlite").connect() as connection:
                kept = str(connection.exec_driver_sql("SELECT * FROM acts").all())
            assert not any(secret in kept for secret in secrets)

    asyncio.run(evening())


def test_who_asks_too_much_is_told_to_wait_and_others_are_not(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            asked = [at.ask("api/state") for _ in range(601)]
            told = [status for status, _ in await asyncio.gather(*asked)]
            assert (told.count(200), told.count(429)) == (600, 1)
            assert (await at.ask(""))[0] == 200, "the page itself comes"
            at.clock[0] += 60_001
            assert (await at.ask("api/state"))[0] == 200

    asyncio.run(evening())


def test_another_sites_form_can_do_nothing_here(tmp_path: Path) -> None:
    """A browser sends such a form with its cookies, but without headers of ours; there are no cookies, and it is no JSON."""

    async def evening() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            for path, _ in ACTS:
                status = await asyncio.to_thread(_post_form, at.address + path)
                assert status == 401
            assert at.hall.keeper.entries == []

    asyncio.run(evening())


def _post_form(address: str) -> int:
    headers = {"Content-Type": "text/plain", "Origin": "http://evil.example", "Cookie": "token=x"}
    try:
        with urlopen(Request(address, b'{"is":"Noted","text":"x"}', headers), timeout=10) as response:
            assert "set-cookie" not in response.headers
            return int(response.status)
    except HTTPError as fault:
        with fault:
            return fault.code


def test_guessing_is_slow_and_a_wrong_name_is_told_like_a_wrong_password(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            wrong = [{"name": NAME, "password": "sesame"}, {"name": "Eve", "password": "sesame"}] * 3
            told = [await at.ask("api/login", body) for body in wrong]
            assert [status for status, _ in told] == [403] * 5 + [429]
            assert len({json.dumps(detail) for _, detail in told[:5]}) == 1
            assert (await at.ask("api/login", {"name": NAME, "password": PASSWORD}))[0] == 429
            at.clock[0] += 60_001
            await at.log_in()

    asyncio.run(evening())


REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("api/acts", {"is": "Danced"}, "this is no act"),
    ("api/acts", {"is": "ResultTold", "key": "club"}, "this is no act"),
    ("api/acts", {"is": "RoundDropped", "key": "other"}, "there is no tournament"),
    ("api/tournaments/club/players", {"csv": "Ana"}, "must name its columns"),
    ("api/tournaments/club/rounds", {}, "results are missing at table 1, 2"),
    ("api/orders", {"board": "red", "command": {"is": "Explode"}}, "this is no command"),
    ("api/orders", {"board": "mars", "command": {"is": "Pause"}}, "there is no board"),
)


def test_what_cannot_be_is_answered_with_the_reason_and_changes_nothing(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            before = list(at.hall.keeper.entries)
            for path, body, reason in REFUSED:
                status, told = await at.ask(path, body)
                assert status == 422
                assert reason in told["detail"]
            assert at.hall.keeper.entries == before

    asyncio.run(evening())


def test_the_desk_tells_all_to_those_with_a_token_and_nothing_to_others(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            at.board("red")
            desk = f"{at.address.replace('http', 'ws')}api/desk"
            async with watch(desk) as line:
                await line.send(at.token)
                told = json.loads(await line.recv())["all"]
            assert told["board/red"]["name"] == "Red"
            assert told["book"][0]["act"]["is"] == "Opened"
            assert at.token not in json.dumps(told)
            async with watch(desk) as line:
                await line.send("nonsense")
                with pytest.raises(ConnectionClosed) as closed:
                    await line.recv()
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4401
            with pytest.raises(InvalidStatus):
                await watch(desk, origin=Origin("http://evil.example"))

    asyncio.run(evening())


def test_the_store_that_is_gone_is_told_and_the_act_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            with monkeypatch.context() as patch:
                patch.setattr(type(at.hall.keeper), "write", _fail)
                status, told = await at.act("Noted", text="x")
            assert (status, told["detail"]) == (503, "the store is away")
            assert (await at.act("Noted", text="x"))[1] == {"number": 1}

    asyncio.run(evening())


def _fail(*_: object) -> None:
    from companion.model.errors import StoreError

    raise StoreError("the store is away")


def test_passwords_are_kept_as_hashes_and_changed_and_taken_away(database: str) -> None:
    engine = connect(database)
    access = Arbiters(engine, QUICK)
    with pytest.raises(SettingsError, match="8 letters at least"):
        access.admit(NAME, "short")
    access.admit(NAME, PASSWORD)
    access.admit(NAME, PASSWORD + "2")
    with engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT password FROM arbiters").scalar()
    assert str(kept).startswith("$argon2id$")
    assert not access.are(NAME, PASSWORD)
    assert access.are(NAME, PASSWORD + "2")
    assert not access.are("Eve", PASSWORD)
    assert access.names() == (NAME,)
    assert access.dismiss(NAME)
    assert not access.dismiss(NAME)
    engine.dispose()


def test_a_token_ends_with_the_evening() -> None:
    tokens = Tokens()
    token = tokens.give(NAME, 0)
    assert tokens.holder(token, 12 * 3_600_000 - 1) == NAME
    assert tokens.holder(token, 12 * 3_600_000) is None


def test_a_limit_holds_for_each_place_by_itself() -> None:
    limit = Limit(2, 1000)
    assert [limit.allows("a", now_ms) for now_ms in (0, 1, 2, 1000, 1001, 1002)] == [1, 1, 0, 1, 1, 0]
    assert limit.allows("b", 2)


def test_the_pages_say_the_same_things_in_every_language() -> None:
    codes = sorted(path.stem for path in folder().glob("*.toml"))
    assert codes == ["de", "en", "es", "fr", "hr", "ja"]
    english = load("en")[1]
    for code in codes:
        known, words = load(code)
        assert known == code
        for key, word in words.items():
            assert word
            assert sorted(re.findall(r"{\w+}", word)) == sorted(re.findall(r"{\w+}", english[key]))
        assert {f"act_{kind.__name__}" for kind in get_args(Act)} <= words.keys()
        assert {f"tie_{name}" for name in TIE_BREAKS} | {f"format_{each}" for each in Format} <= words.keys()
        assert {f"phase_{each}" for each in Phase} <= words.keys()
    assert load("xx")[0] == load("../../x")[0] == "en"


def test_arbiters_alone_order_all_boards_and_read_the_record_at_one(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            at.board("red")
            at.board("blue")
            pause = {"command": {"is": "Hold"}, "note": "fire alarm"}
            assert (await at.ask("api/orders/all", pause))[0] == 401
            assert (await at.ask("api/desk/boards/red"))[0] == 401
            await tournament(at)
            assert await at.ask("api/orders/all", pause) == (200, {"boards": 2})
            seating = {"round": 1, "table": 1, "board": "red"}
            assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
            assert await at.ask("api/orders/all", {**pause, "key": "club"}) == (200, {"boards": 1})
            ordered = [each.act for each in at.hall.keeper.entries if isinstance(each.act, Ordered)]
            assert [(each.board, each.note) for each in ordered] == [
                (board, "fire alarm") for board in ("red", "blue", "red")
            ]
            for body in ({"command": {"is": "Dance"}}, {"command": {"is": "Hold"}, "key": "other"}):
                assert (await at.ask("api/orders/all", body))[0] == 422
            assert (await at.ask("api/desk/boards/red"))[0] == 422
            _, told = await at.ask("api/clock")
            assert told == {"now_ms": 1000}

    asyncio.run(evening())


def test_teams_enter_line_up_and_are_told_with_their_matches(tmp_path: Path) -> None:
    async def evening() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            opened = {"key": "cup", "name": "Cup", "format": "knockout", "game": "chess", "boards": 2}
            assert (await at.act("Opened", **opened))[0] == 200
            csv = "name,team\n" + "".join(f"{team}{board},{team}\n" for team in "AB" for board in (1, 2, 3))
            assert (await at.ask("api/tournaments/cup/players", {"csv": csv}))[1] == {"entered": 6}
            lineup = {"round": 1, "team": "B", "players": [4, 6]}
            assert (await at.act("LinedUp", key="cup", lineup=lineup))[0] == 200
            assert (await at.ask("api/tournaments/cup/rounds", {}))[0] == 200
            for table in (1, 2):
                assert (await at.act("ResultDecided", key="cup", round=1, table=table, points=[2, 0]))[
                    0
                ] == 200
            status, told = await at.act("WinnerDecided", key="cup", round=1, table=1, winner=2)
            assert (status, "by which rule" in told["detail"]) == (422, True)
            decided = {"key": "cup", "round": 1, "table": 1, "winner": 2, "note": "first board"}
            assert (await at.act("WinnerDecided", **decided))[0] == 200
            cup = showing.tournament("cup", at.hall.keeper.book.of("cup"))
            assert cup["rounds"][0]["matches"] == [
                {"teams": ["A", "B"], "tables": [1, 2], "points": [1.0, 1.0], "bye": "", "decided": "B"}
            ]
            assert [table["players"] for table in cup["rounds"][0]["tables"]] == [["A1", "B1"], ["B3", "A2"]]
            assert [(team["name"], team["board_points"], team["lineup"]) for team in cup["teams"]] == [
                ("A", 1.0, [1, 2]),
                ("B", 1.0, [4, 5]),
            ]
            report = write_trf(at.hall.keeper.book.of("cup").tournament)
            other = {"key": "again", "name": "Again", "format": "swiss", "game": "chess", "boards": 2}
            assert (await at.act("Opened", **other))[0] == 200
            assert (await at.ask("api/tournaments/again/players", {"csv": report}))[1] == {"entered": 6}
            again = showing.tournament("again", at.hall.keeper.book.of("again"))
            assert [team["name"] for team in again["teams"]] == ["A", "B"]

    asyncio.run(evening())

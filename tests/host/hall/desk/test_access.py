# SPDX-License-Identifier: Apache-2.0
"""Who may do what in a hall over HTTP: passwords, tokens, limits, other sites."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from pathlib import Path
from typing import Any, Literal
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from argon2 import PasswordHasher, extract_parameters
from websockets.asyncio.client import connect as watch
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from companion.host.hall.desk.access import Arbiters, Limit, Tokens
from companion.host.hall.keys.message_auth import key_of
from companion.host.hall.web import WebLimits
from companion.host.records.database import connect, database_at
from companion.host.web import server as web
from companion.model.errors import SettingsError
from tests.certificates import self_signed
from tests.host.hall.sites import NAME, PASSWORD, QUICK, site, tournament

ACTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("api/acts", {"is": "Noted", "text": "x"}),
    ("api/tournaments/club/players", {"csv": "name\nX\n"}),
    ("api/tournaments/club/rounds", {}),
    ("api/tournaments/club/boards", {"round": 1, "table": 1, "board": "red"}),
    ("api/tournaments/club/seats", {"boards": ["red"]}),
    ("api/orders", {"board": "red", "command": {"is": "Pause"}}),
    ("api/orders/all", {"command": {"is": "Pause"}}),
)
FOR_ALL = {"/api/login", "/api/logout"}
EVENING = "2026-11-21T19:00:00+00:00"
HOUR_MS = 3_600_000


def test_acts_need_a_valid_token_of_an_arbiter(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            old = at.token
            assert (await at.ask("api/logout", {}))[0] == 200
            strange = ("", "nonsense", old, key_of("a secret of the hall", "red"))
            for path, body in ACTS:
                for token in strange:
                    assert (await at.ask(path, body, token))[0] == 401
            _, described = await at.ask("api/openapi.json")
            for path, methods in described["paths"].items():
                if path not in FOR_ALL and (methods.keys() != {"get"} or path.startswith("/api/desk/")):
                    assert all(_is_for_arbiters(method) for method in methods.values()), path
            assert at.hall.keeper.entries == []

    asyncio.run(scenario())


def _is_for_arbiters(method: dict[str, Any]) -> bool:
    return any(each["name"] == "authorization" for each in method["parameters"])


@pytest.mark.parametrize("password", [None, PASSWORD + "2"])
def test_a_token_ends_when_its_arbiter_is_removed_or_changes_the_password(
    tmp_path: Path, password: str | None
) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            assert (await at.act("Noted", text="x"))[0] == 200
            change(tmp_path, password)
            for path, body in ACTS:
                assert (await at.ask(path, body))[0] == 401
            assert len(at.hall.keeper.entries) == 1

    asyncio.run(scenario())


def change(folder: Path, password: str | None) -> None:
    """Another program gives Ana a *password*, or removes her."""
    db = connect(f"sqlite:///{folder}/hall.sqlite")
    access = Arbiters(db, QUICK)
    if password is None:
        assert access.dismiss(NAME)
    else:
        access.admit(NAME, password)
    db.close()


@pytest.mark.parametrize("is_dismissed", [False, True])
def test_an_open_desk_is_closed_when_its_token_ends_or_its_arbiter_is_removed(
    tmp_path: Path, *, is_dismissed: bool
) -> None:
    async def scenario() -> None:
        async with site(tmp_path, limits=WebLimits(look_s=0.02)) as at:
            await at.log_in()
            async with watch(f"{at.address.replace('http', 'ws')}api/desk") as line:
                await line.send(at.token)
                assert "all" in json.loads(await line.recv())
                if is_dismissed:
                    change(tmp_path, None)
                else:
                    await at.ask("api/logout", {})
                async with asyncio.timeout(60):
                    await line.wait_closed()
                assert line.close_code == 4401

    asyncio.run(scenario())


def test_no_log_answer_or_address_contains_passwords_or_tokens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
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
            with database_at(f"sqlite:///{tmp_path}/hall.sqlite") as db, db.reading() as transaction:
                kept = str(transaction.execute("SELECT * FROM acts").fetchall())
            assert not any(secret in kept for secret in secrets)

    asyncio.run(scenario())


def test_a_client_with_too_many_requests_must_wait(tmp_path: Path) -> None:
    assert WebLimits().calls >= 4 * WebLimits().lines, (
        "before it connects, a page asks for words, clock, looks and state"
    )

    async def scenario() -> None:
        async with site(tmp_path, limits=WebLimits(calls=20)) as at:
            asked = [at.ask("api/state") for _ in range(21)]
            told = [status for status, _ in await asyncio.gather(*asked)]
            assert (told.count(200), told.count(429)) == (20, 1)
            assert (await at.ask(""))[0] == 200, "the page itself must be served"
            at.clock[0] += 60_001
            assert (await at.ask("api/state"))[0] == 200

    asyncio.run(scenario())


def test_a_client_that_opens_too_many_connections_is_refused_for_a_while(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path, limits=WebLimits(lines=3)) as at:
            address = at.address.replace("http", "ws") + "api/"
            for path, code in (
                ("watch", None),
                ("watch", None),
                ("desk", None),
                ("desk", 1013),
                ("watch", 1013),
            ):
                async with watch(address + path) as line:
                    if code:
                        await line.wait_closed()
                    assert line.close_code == code
            at.clock[0] += 60_001
            async with watch(address + "watch") as line:
                assert "all" in json.loads(await line.recv())

    asyncio.run(scenario())


def test_a_form_of_another_site_has_no_effect(tmp_path: Path) -> None:
    """A form on another site is sent with cookies, but without our headers.

    The hall uses no cookies, and the form is no JSON.
    """

    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            for path, _ in ACTS:
                status = await asyncio.to_thread(_post_form, at.address + path)
                assert status == 401
            assert at.hall.keeper.entries == []

    asyncio.run(scenario())


def _post_form(address: str) -> int:
    headers = {"Content-Type": "text/plain", "Origin": "http://evil.example", "Cookie": "token=x"}
    try:
        with urlopen(Request(address, b'{"is":"Noted","text":"x"}', headers), timeout=60) as response:
            assert "set-cookie" not in response.headers
            return int(response.status)
    except HTTPError as fault:
        with fault:
            return fault.code


def test_an_arbiter_who_knows_the_password_logs_in_as_often_as_needed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            for _ in range(8):
                await at.log_in()

    asyncio.run(scenario())


def test_guessing_is_slow_and_wrong_names_and_passwords_get_the_same_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            wrong = [{"name": NAME, "password": "sesame"}, {"name": "Eve", "password": "sesame"}] * 3
            told = [await at.ask("api/login", body) for body in wrong]
            assert [status for status, _ in told] == [403] * 5 + [429]
            assert len({json.dumps(detail) for _, detail in told[:5]}) == 1
            assert (await at.ask("api/login", {"name": NAME, "password": PASSWORD}))[0] == 429
            at.forwarded_for = "192.0.2.7"
            assert (await at.ask("api/login", wrong[0]))[0] == 403, "a proxy on this machine names the client"
            at.forwarded_for = ""
            at.clock[0] += 60_001
            await at.log_in()

    asyncio.run(scenario())


def test_the_desk_shows_everything_with_a_token_and_nothing_without(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            at.station("red")
            desk = f"{at.address.replace('http', 'ws')}api/desk"
            async with watch(desk) as line:
                await line.send(at.token)
                told = json.loads(await line.recv())["all"]
            assert told["board/red"]["name"] == "Red"
            assert told["book"][0]["act"]["is"] == "Opened"
            assert at.token not in json.dumps(told)
            for nonsense in ("nonsense", b"nonsense"):
                async with watch(desk) as line:
                    await line.send(nonsense)
                    with pytest.raises(ConnectionClosed) as closed:
                        await line.recv()
                    assert closed.value.rcvd is not None
                    assert closed.value.rcvd.code == 4401
            async with watch(f"{at.address.replace('http', 'ws')}api/watch") as line:
                assert "all" in json.loads(await line.recv())
                await line.send(b"nonsense")
                at.station("red", 1)
                assert "patched" in json.loads(await line.recv()), "the connection must go on with changes"
            with pytest.raises(InvalidStatus):
                await watch(desk, origin=Origin("http://evil.example"))

    asyncio.run(scenario())


def test_passwords_are_stored_as_hashes_changed_and_removed(database: str) -> None:
    db = connect(database)
    access = Arbiters(db, QUICK)
    with pytest.raises(SettingsError, match="8 letters at least"):
        access.admit(NAME, "short")
    access.admit(NAME, PASSWORD)
    access.admit(NAME, PASSWORD + "2")
    with db.reading() as transaction:
        (kept,) = transaction.execute("SELECT password FROM arbiters").fetchone()
    assert kept.startswith("$argon2id$")
    assert not access.are(NAME, PASSWORD)
    assert access.are(NAME, PASSWORD + "2")
    assert not access.are("Eve", PASSWORD)
    assert access.names() == (NAME,)
    assert access.dismiss(NAME)
    assert not access.dismiss(NAME)
    db.close()


class Recording(PasswordHasher):
    """A hasher that keeps what it verified."""

    def __init__(self) -> None:
        super().__init__(time_cost=2, memory_cost=16, parallelism=2)
        self.verified: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.verified.append(str(hash))
        return super().verify(hash, password)


def test_a_guess_of_an_unknown_name_costs_as_much_as_one_of_a_known_name(tmp_path: Path) -> None:
    hasher = Recording()
    db = connect(f"sqlite:///{tmp_path}/games.db")
    access = Arbiters(db, hasher)
    access.admit(NAME, PASSWORD)
    assert not access.are(NAME, "sesame")
    assert not access.are("Eve", "sesame")
    db.close()
    known, unknown = map(extract_parameters, hasher.verified)
    assert known == unknown


def test_a_token_expires_after_an_evening(store: str) -> None:
    db = connect(store)
    access = Arbiters(db, QUICK)
    access.admit(NAME, PASSWORD)
    tokens = Tokens(access, lambda: EVENING)
    token = tokens.give(NAME, 0)
    tokens.sift(12 * 3_600_000 - 1)
    assert tokens.holder(token, 12 * 3_600_000 - 1) == NAME
    assert tokens.holder(token, 12 * 3_600_000) is None
    tokens.sift(12 * 3_600_000)
    assert tokens.holder(token, 0) is None, "an expired token must be removed"
    db.close()


def test_a_restarted_hall_knows_the_tokens_that_it_issued(store: str) -> None:
    db = connect(store)
    access = Arbiters(db, QUICK)
    access.admit(NAME, PASSWORD)
    access.admit("Ben", PASSWORD)
    before = Tokens(access, lambda: EVENING)
    ana, ben, left = before.give(NAME, 0), before.give("Ben", 0), before.give(NAME, 0)
    before.take_back(left)
    access.admit("Ben", PASSWORD + "2")
    after = Tokens(access, lambda: "2026-11-21T20:00:00+00:00", 500)
    assert [after.holder(token, 500) for token in (ana, ben, left)] == [NAME, None, None]
    assert after.holder(ana, 500 + 11 * HOUR_MS - 1) == NAME
    assert after.holder(ana, 500 + 11 * HOUR_MS) is None
    with db.reading() as transaction:
        ((kept,),) = transaction.execute("SELECT digest FROM sessions").fetchall()
    assert kept != ana, "only a digest is stored"
    early = Tokens(access, lambda: "2026-11-20T19:00:00+00:00")
    assert early.holder(ana, 12 * HOUR_MS) is None, "a wrong clock makes no token last longer"
    assert Tokens(access, lambda: "2026-11-22T07:00:00+00:00").holder(ana, 0) is None
    db.close()


def test_a_desk_stays_logged_in_over_a_restart_of_the_hall(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            token = at.token
        async with site(tmp_path) as again:
            again.token = token
            assert (await again.act("Noted", text="after the power cut"))[0] == 200
            await again.ask("api/logout", {})
        async with site(tmp_path) as last:
            last.token = token
            assert (await last.act("Noted", text="no"))[0] == 401

    asyncio.run(scenario())


def test_a_limit_counts_each_address_separately() -> None:
    limit = Limit(2, 1000)
    assert [limit.allows("a", now_ms) for now_ms in (0, 1, 2, 1000, 1001, 1002)] == [1, 1, 0, 1, 1, 0]
    assert limit.allows("b", 2)


def test_with_a_certificate_passwords_and_states_are_encrypted(tmp_path: Path) -> None:
    chain, key = self_signed(tmp_path)
    trusting = ssl.create_default_context(cafile=str(chain))

    def log_in(address: str, trusted: ssl.SSLContext | None) -> int:
        body = json.dumps({"name": NAME, "password": PASSWORD}).encode()
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(f"{address}api/login", body, headers), timeout=60, context=trusted) as answer:
            return int(answer.status)

    async def scenario() -> None:
        certificate = web.Certificate(str(chain), str(key))
        certificate.check()
        async with site(tmp_path, certificate) as at:
            assert at.address.startswith("https://")
            assert await asyncio.to_thread(log_in, at.address, trusting) == 200
            with pytest.raises(URLError, match="self-signed"):
                await asyncio.to_thread(log_in, at.address, None)
            at.station("red")
            async with watch(at.address.replace("http", "ws") + "api/watch", ssl=trusting) as line:
                await line.send("{}")
                assert "red" in str(await line.recv())

    asyncio.run(scenario())


def test_an_invalid_certificate_or_key_is_named(tmp_path: Path) -> None:
    chain, key = self_signed(tmp_path)
    for pair in ((chain, chain), (key, key), (tmp_path / "none.pem", key)):
        with pytest.raises(SettingsError, match=re.escape(f"{pair[0]} with {pair[1]} is no certificate")):
            web.Certificate(*map(str, pair)).check()

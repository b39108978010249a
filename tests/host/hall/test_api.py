# SPDX-License-Identifier: Apache-2.0
"""The API for other programs matches its description and keeps the delay.

No path shows anything newer than the tournament's delay.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from pydantic import TypeAdapter
from websockets.asyncio.client import connect as watch

from companion.feedback.glance import Glance, SmallPiece, Texts
from companion.host.hall.core.journal_sync import Part
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Shown, Up
from companion.host.hall.desk.printouts import LISTS
from companion.host.hall.spectators.broadcast_pgn import Games, Relay, Target, relay
from companion.host.hall.spectators.schema import (
    ClockSample,
    FormatSchema,
    GameSchema,
    Refused,
    State,
    TournamentSchema,
)
from companion.model.game import Outcome
from companion.referee.values.view import ClockView
from companion.tournament.ties import usual_ties
from companion.tournament.values import Format
from tests.host.hall.chess_games import NAME, content
from tests.host.hall.desk.test_printouts import text
from tests.host.hall.halls import until
from tests.host.hall.sites import Site, site, tournament
from tests.host.hall.spectators.test_broadcast_pgn import site as show

DELAY_MS = 600_000


def say(at: Site, what: Any) -> None:
    at.hall.take(Up("red", "i", what), lambda _down: None)


def glance(ply: int, **more: Any) -> Glance:
    return Glance(
        "chess", "waiting", 0, ply, (SmallPiece("king", 0, (4,)), SmallPiece("pawn", None, (9,))), **more
    )


async def seated(at: Site) -> None:
    """Ana and Ben play at the station red."""
    await tournament(at)
    say(at, Hello("red", "i", "Red", "chess"))
    assert (await at.ask("api/tournaments/club/boards", {"round": 1, "table": 1, "board": "red"}))[0] == 200


def test_all_answers_match_the_description(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await seated(at)
            outcome = Outcome((0,), "checkmate")
            clocks = (ClockView(1000, True, 5, delay_ms=3000), ClockView(900, False, 5))
            say(
                at,
                Shown(
                    1,
                    0,
                    glance(
                        3,
                        clocks=clocks,
                        awaits_clock=True,
                        outcome=outcome,
                        result="White wins.",
                        cries=("CHECK!",),
                        said=(Texts("de", result="Weiß gewinnt."),),
                    ),
                ),
            )
            await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0])
            say(at, Hello("red", "i", "Red", "chess", clock_offset_ms=250))
            await at.looked()
            _, state = await at.ask("api/state")
            checked = TypeAdapter(State).validate_python(state)
            assert set(checked) == {"board/red", "tournament/club"}
            assert state["board/red"]["clock_offset_ms"] == 250
            assert "null" not in json.dumps(state["board/red"]), "null would remove the value in a patch"
            TournamentSchema.model_validate((await at.ask("api/tournaments/club"))[1])
            ClockSample.model_validate((await at.ask("api/clock"))[1])
            told = TypeAdapter(list[GameSchema]).validate_python((await at.ask("api/games?language=de"))[1])
            assert {(each.slug, each.title, each.seats) for each in told} >= {
                ("chess", "Schach", 2),
                ("martian-chess", "Martian Chess", 6),
            }
            formats = TypeAdapter(list[FormatSchema]).validate_python((await at.ask("api/formats"))[1])
            assert [each.format for each in formats] == list(Format)
            for each in formats:
                assert tuple(each.ties) == usual_ties(Format(each.format), teams=False)
                assert tuple(each.team_ties) == usual_ties(Format(each.format), teams=True)
            _, described = await at.ask("api/openapi.json")
            operations = described["paths"]
            for path, model in (
                ("/api/state", "BoardSchema"),
                ("/api/tournaments/{key}", "TournamentSchema"),
                ("/api/clock", "ClockSample"),
            ):
                assert model in json.dumps(operations[path]["get"]["responses"]["200"])
            seen = described["components"]["schemas"]["GlanceSchema"]["properties"]
            assert state["board/red"]["glance"].keys() <= seen.keys()
            assert "WS /api/watch" in described["info"]["description"]

    asyncio.run(scenario())


def wrong_requests(described: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Each path of the API with an invalid request, and the body of a POST."""
    given = {"key": "club", "kind": "standings", "board": "red", "in_round": 1, "table": 1, "name": "1.jpg"}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            query = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
            wrong = [each["name"] for each in query if each["name"] in ("round", "paper", "name")]
            words = "" if "name" in wrong else "&".join(f"{name}=xyzzy" for name in wrong)
            address = f"{path.format(**given).removeprefix('/')}?{words}"
            if method == "post" and "requestBody" in operation:
                yield address, {"xyzzy": []}
                yield address, "xyzzy"
            elif wrong:
                yield address, None


def test_a_refusal_has_the_described_format(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            await at.looked()
            _, described = await at.ask("api/openapi.json")
            for path, operations in described["paths"].items():
                for operation in operations.values():
                    for answer in ("422", "default"):
                        schema = operation["responses"][answer]["content"]["application/json"]["schema"]
                        assert schema == {"$ref": "#/components/schemas/Refused"}, path
            assert described["components"]["schemas"]["Refused"]["properties"]["detail"]["type"] == "string"
            refused = 0
            for path, body in wrong_requests(described):
                status, told = await at.ask(path, body)
                assert status in (422, 404), path
                assert Refused.model_validate(told).detail
                refused += status == 422
            assert refused >= 12
            at.language = "fr"
            status, told = await at.ask("api/login", {"name": "Ana", "password": ["xyzzy"]})
            assert (status, told) == (
                422,
                {"detail": "L’envoi n’est pas compris : body.password: Input should be a valid string"},
            )
            for strange in (await at.ask("api/nowhere"), await at.ask("api/state", {})):
                assert Refused.model_validate(strange[1]).detail

    asyncio.run(scenario())


async def everything(at: Site) -> str:
    """All that can be had without a token, by every way that is described."""
    answers = []
    described = json.loads(await asyncio.to_thread(_get, at.address + "api/openapi.json"))["paths"]
    given = {"key": "club", "kind": "{kind}", "name": "chess?"}
    for path, operations in described.items():
        wants = operations.get("get", {"parameters": [{"name": "authorization"}]}).get("parameters", [])
        if any(each["name"] == "authorization" for each in wants):
            continue
        query = "&".join(f"{each['name']}={quote('chess?')}" for each in wants if each["name"] == "name")
        for kind in LISTS if "{kind}" in path else [""]:
            place = path.format(**{**given, "kind": kind}).removeprefix("/")
            answers.append(await asyncio.to_thread(_get, f"{at.address}{place}?{query}"))
    assert len(answers) >= 12, "the description must list at least 12 paths"
    async with watch(f"{at.address.replace('http', 'ws')}api/watch") as line:
        answers.append(str(await line.recv()))
    answers += Games(at.hall).rounds().values()
    return "\n".join(answers)


def _get(address: str) -> str:
    """The text at *address*, also of a PDF, or the reason of the refusal."""
    try:
        with urlopen(address, timeout=60) as response:
            content = response.read()
    except HTTPError as fault:
        with fault:
            content = fault.read()
    return text(content) if content.startswith(b"%PDF") else content.decode()


def test_no_path_shows_anything_newer_than_the_delay_even_after_a_restart(tmp_path: Path) -> None:
    """Secrets are a move, a result, a late entry and a game's other options."""
    data = content(tmp_path, "e4 e5 Nf3")
    published = content(tmp_path, "e4")
    secrets = ("Nf3", "Zoe", '"ply":7', "xyzzy", '"points":[1.0,0.0]', "1-0", "1 : 0", "Nimzo")

    async def scenario() -> None:
        async with site(tmp_path) as at, _followed(at) as answers:
            await seated(at)
            await at.act("DelaySet", key="club", seconds=DELAY_MS // 1000)
            say(at, Part(NAME, 0, 0, published.decode()))
            say(at, Shown(1, 0, glance(1, move="e4")))
            at.clock[0] += DELAY_MS + 1000
            await at.looked()
            await at.log_in()
            say(at, Hello("red", "i", "Nimzo", "chess", (("repetition", "xyzzy"),)))
            say(at, Part(NAME, len(published), zlib.crc32(published), data[len(published) :].decode()))
            say(at, Shown(2, 0, glance(7, move="Nf3")))
            await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0])
            await at.ask("api/tournaments/club/players", {"csv": "name\nZoe\n"})
            for step_ms in (0, DELAY_MS // 2, DELAY_MS // 2 - 2000):
                at.clock[0] += step_ms
                await at.looked()
                told = await everything(at) + "".join(answers)
                assert '"ply":1' in told
                assert [secret for secret in secrets if secret in told.replace(": ", ":")] == []
            at.clock[0] += 3000
            await at.looked()
            after = await everything(at)
            for secret in ("Nf3", "Zoe", '"ply":7', "Nimzo"):
                assert secret in after
            assert "1 : 0" in after, "the printed list must have the result"
        async with site(tmp_path) as again:
            told = await everything(again)
            assert '"ply"' not in told, "a restarted hall must wait for its boards to report"
            say(again, Hello("red", "i", "Red", "chess"))
            say(again, Shown(8, 0, glance(8)))
            await again.looked()
            assert '"ply":8' not in (await everything(again)).replace(": ", ":")

    asyncio.run(scenario())


class _followed:
    """The messages of a spectator who is connected all the time."""

    def __init__(self, at: Site) -> None:
        self.at = at
        self.heard: list[str] = []

    async def __aenter__(self) -> list[str]:
        self.line = await watch(f"{self.at.address.replace('http', 'ws')}api/watch")
        self.task = asyncio.create_task(self._listen())
        return self.heard

    async def _listen(self) -> None:
        async for said in self.line:
            self.heard.append(str(said))

    async def __aexit__(self, *_: object) -> None:
        await self.line.close()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.mark.parametrize("outlet", [pytest.param("folder", marks=pytest.mark.long), "push"])
def test_files_and_pushes_have_the_same_delay(tmp_path: Path, outlet: str) -> None:
    async def scenario() -> None:
        with show() as shown:
            async with site(tmp_path) as at:
                await seated(at)
                order = at.hall.keeper.book.of("club").stations[1, 1].order
                data, published = (content(tmp_path, moves, order=order) for moves in ("e4 e5 Nf3", "e4"))
                await at.act("DelaySet", key="club", seconds=DELAY_MS // 1000)
                say(at, Part(NAME, 0, 0, published.decode()))
                at.clock[0] += DELAY_MS + 1000
                say(at, Part(NAME, len(published), zlib.crc32(published), data[len(published) :].decode()))
                await at.looked()
                to = Relay(tmp_path / "pgn") if outlet == "folder" else Relay(targets=(Target(shown.url),))
                relaying = asyncio.create_task(relay(at.hall, to))

                def told() -> str:
                    files = "".join(path.read_text() for path in (tmp_path / "pgn").glob("*.pgn"))
                    return files + "".join(text for _, text in shown.got)

                await until(lambda: "1. e4 {[%emt 0:00:00]} *" in told(), "the public part is published")
                assert "Nf3" not in told()
                at.clock[0] += DELAY_MS
                await until(lambda: "2. Nf3 {[%emt 0:00:01]} *" in told(), "the rest is published")
                relaying.cancel()
                await asyncio.gather(relaying, return_exceptions=True)

    asyncio.run(scenario())

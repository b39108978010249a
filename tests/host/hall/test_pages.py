# SPDX-License-Identifier: Apache-2.0
"""The hall over HTTP: acts of arbiters, states of spectators, refusals."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect as watch

from companion.feedback.wordfiles import languages
from companion.host.hall import views
from companion.host.hall.core.hall import GHOST_MS
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Order, Up
from companion.host.hall.web import WebLimits
from companion.host.hall.word_files import load
from companion.referee.values.commands import Command
from companion.referee.values.view import Phase
from companion.tournament.acts import Act, Ordered, ResultReported
from companion.tournament.tie_breaks import NAMES
from companion.tournament.trf import write_trf
from companion.tournament.values import Format
from tests.host.hall.sites import NAME, site, tournament


def test_spectators_see_what_an_arbiter_announces_enters_pairs_seats_and_decides(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            at.station("red")
            seating = {"round": 1, "table": 1, "board": "red"}
            assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
            assert (await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0]))[0] == 200
            async with watch(f"{at.address.replace('http', 'ws')}api/watch") as line:
                async with asyncio.timeout(60):
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
            await at.act("ResultDecided", key="club", round=1, table=2, points=[1, 1])
            whole = write_trf(at.hall.keeper.book.of("club").tournament)
            assert (await at.act("Opened", key="on", name="On", format="swiss", game="chess"))[0] == 200
            entered = {"entered": 4, "rounds": 1, "left_out": 0}
            assert await at.ask("api/tournaments/on/players", {"csv": whole}) == (200, entered)
            assert (await at.ask("api/tournaments/on/rounds", {}))[1] == {"round": 2}
            _, players = await at.ask("api/tournaments/club/players.csv")
            assert players.splitlines()[1].startswith("Ana,1800")
            at.hall.take(Up("blue", "i", Hello("blue", "i", "Blue", "gottaz")), lambda _down: None)
            asked = f"language=de&name={quote(state['board/red']['set'])}&name=gottaz%3F&name=gottaz%3Fpawns%3Dfull"
            seen, all_sets = [(await at.ask(f"api/{way}sets?{asked}"))[1] for way in ("", "desk/")]
            assert list(seen) == ["chess?"], "hidden and unknown sets must be left out"
            look, gottaz = all_sets.values()
            assert (look["title"], len(look["grid"]["cells"])) == ("Schach", 64)
            # like a single table: two territories, and the row between them
            shown = [(region["side"], region["shaded"], region["cells"][0]) for region in gottaz["regions"]]
            assert shown == [(0, False, 0), (1, False, 20), (None, True, 10)]

    asyncio.run(scenario())


def test_nothing_newer_than_the_delay_leaves_the_hall(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            await at.act("DelaySet", key="club", seconds=600)
            at.station("red", 1)
            seating = {"round": 1, "table": 1, "board": "red"}
            asked = await at.ask("api/tournaments/club/boards", seating)
            assert asked == (200, {"number": 0, "under_way": ["red"], "silent": []})
            assert not at.hall.keeper.book.of("club").stations
            _, given = await at.ask("api/tournaments/club/boards", {**seating, "over_game": True})
            assert given == {"number": len(at.hall.keeper.entries), "under_way": [], "silent": []}
            at.clock[0] += 700_000
            at.station("red", 2)
            await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0])
            await at.looked()
            at.clock[0] += 599_000
            await at.looked()
            _, before = await at.ask("api/state")
            assert before["board/red"]["glance"]["ply"] == 1
            assert before["tournament/club"]["rounds"][0]["tables"][0]["points"] is None
            assert not any(line["points"] for line in before["tournament/club"]["standings"])
            at.clock[0] += 1_500
            await at.looked()
            _, after = await at.ask("api/state")
            assert after["board/red"]["glance"]["ply"] == 2
            assert after["tournament/club"]["rounds"][0]["tables"][0]["points"] == [1, 0]

    asyncio.run(scenario())


def test_two_arbiters_entering_one_list_at_once_enter_each_player_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            await at.act("Opened", key="club", name="Club", format="swiss", game="chess")
            names = {"csv": "name\n" + "".join(f"Player {number}\n" for number in range(20))}
            answers = await asyncio.gather(*(at.ask("api/tournaments/club/players", names) for _ in range(2)))
            told = sorted((answer["entered"], answer.get("known", 0)) for _status, answer in answers)
            assert told == [(0, 20), (20, 0)]
            assert len(at.hall.keeper.book.of("club").tournament.players) == 20

    asyncio.run(scenario())


CUP = {"is": "Opened", "key": "cup", "name": "Cup", "format": "swiss", "game": "chess"}
ANA = {"is": "Corrected", "key": "club", "number": 1, "name": "Ana", "rating": 0}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("api/acts", {"is": "Danced"}, "this is no act"),
    ("api/acts", {"is": "ResultTold", "key": "club"}, "this is no act"),
    ("api/acts", {"is": "RoundDropped", "key": "other"}, "there is no tournament"),
    ("api/acts", {**CUP, "game": "ludo"}, "there is no game 'ludo'"),
    ("api/acts", {**CUP, "options": [["clock", "30"]]}, "there is no option 'clock' here; known are start,"),
    ("api/acts", {**CUP, "options": [["draw_rules", "mine"]]}, "option draw_rules: 'mine' is not allowed"),
    ("api/acts", {**CUP, "seats": 3}, "Cup: Chess is for 2, not for 3 at a table"),
    ("api/acts", {**CUP, "game": "martian-chess", "seats": 7}, "option players: '7' is not allowed"),
    ("api/acts", {**CUP, "game": "", "options": [["start", "518"]]}, "Cup: options are of one game"),
    ("api/acts", {**CUP, "key": "a?b"}, "'a?b' is not a short name"),
    (
        "api/acts",
        {**CUP, "key": "c" * 41},
        "is not a short name: expected letters, digits, - and _, 40 at most",
    ),
    ("api/acts", {**CUP, "name": " "}, "a tournament needs a name"),
    ("api/acts", {**CUP, "planned": 61}, "Cup: 0 to 60 rounds can be planned"),
    ("api/acts", {**ANA, "name": "Ana\nBen"}, "a player needs a name, in one line"),
    ("api/acts", {**ANA, "rating": 10_000}, "a rating has 4 digits at most"),
    ("api/tournaments/club/players", {"csv": "Ana"}, "must name its columns"),
    ("api/tournaments/club/rounds", {}, "results are missing at table 1, 2"),
    (
        "api/tournaments/club/boards",
        {"round": 1, "table": 1, "board": "../red"},
        "there is no board '../red' here",
    ),
    ("api/orders", {"board": "red", "command": {"is": "Explode"}}, "this is no command"),
    ("api/orders", {"board": "mars", "command": {"is": "Pause"}}, "there is no board"),
)


def test_an_impossible_act_is_answered_with_the_reason_and_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path, limits=WebLimits(largest=10_000)) as at:
            await tournament(at)
            before = list(at.hall.keeper.entries)
            for path, body, reason in REFUSED:
                status, told = await at.ask(path, body)
                assert status == 422
                assert reason in told["detail"]
            result = {"key": "club", "round": 1, "table": 1}
            for points, note, status in (
                ([2, 0], "", 200),
                ([2, 0], "", 200),
                ([0, 2], "", 422),
                ([0, 2], "x", 200),
            ):
                assert (await at.act("ResultDecided", **result, points=points, note=note))[0] == status
            await at.act("ResultDecided", **result, points=None)
            before = list(at.hall.keeper.entries)
            too_much = {"csv": "name\n" + "Ana\n" * 3000}
            assert (await at.ask("api/tournaments/club/players", too_much))[0] == 413
            assert (await at.ask("api/login", {"name": "\ud800", "password": "long enough"}))[0] == 422
            at.language = "es-MX,es;q=0.9,en;q=0.8"
            _, told = await at.ask("api/tournaments/club/rounds", {})
            assert told["detail"] == "Club: la ronda 1 no ha terminado: faltan resultados en la mesa 1, 2"
            assert (await at.ask("api/tournaments/x"))[1] == {"detail": "No hay ningún torneo 'x'"}
            assert at.hall.keeper.entries == before

    asyncio.run(scenario())


def test_without_the_store_an_act_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            with monkeypatch.context() as patch:
                patch.setattr(type(at.hall.keeper), "write", _fail)
                status, told = await at.act("Noted", text="x")
            assert (status, told["detail"]) == (503, "the store is away")
            assert (await at.act("Noted", text="x"))[1]["number"] == 1

    asyncio.run(scenario())


def _fail(*_: object) -> None:
    from companion.model.errors import StoreError

    raise StoreError("the store is away")


def test_the_pages_have_words_for_all_their_values() -> None:
    for code in languages():
        words = load(code).texts
        assert all(words.values())
        assert {f"act_{getattr(kind, 'stored_as', kind.__name__)}" for kind in get_args(Act)} <= words.keys()
        assert {f"tie_{name}" for name in NAMES} | {f"format_{each}" for each in Format} <= words.keys()
        assert {f"phase_{each}" for each in Phase} <= words.keys()
        commands = get_args(Command)
        assert {f"command_{kind.__name__}" for kind in commands} <= words.keys()


def test_the_hall_answers_in_the_language_of_the_address_or_else_of_the_browser(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            for asked, accepted, language in (
                ("", "", "en"),
                ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
                ("", "nl,en;q=0.5,fr;q=0.8", "fr"),
                ("ja", "de", "ja"),
                ("../../x", "hr", "hr"),
            ):
                address = f"{at.address}api/words?language={quote(asked)}"
                request = Request(address, headers={"Accept-Language": accepted})
                with await asyncio.to_thread(urlopen, request) as answer:
                    told = json.load(answer)
                assert told["language"] == language
                assert told["words"]["boards"] == load(language).texts["boards"]

    asyncio.run(scenario())


def test_only_arbiters_give_orders_to_all_stations_and_read_the_record_of_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            at.station("red")
            at.station("blue")
            pause = {"command": {"is": "Hold"}, "note": "fire alarm"}
            assert (await at.ask("api/orders/all", pause))[0] == 401
            assert (await at.ask("api/desk/boards/red"))[0] == 401
            await tournament(at)
            assert await at.ask("api/orders/all", pause) == (200, {"boards": 2})
            again = at.hall.hub.orders_to_send(at.clock[0] + 5000)
            assert [down.what.at_ms for down in again if isinstance(down.what, Order)] == [2000, 2000]
            seating = {"round": 1, "table": 1, "board": "red"}
            assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
            assert await at.ask("api/orders/all", {**pause, "key": "club"}) == (200, {"boards": 1})
            acts = [each.act for each in at.hall.keeper.entries]
            ordered = [each for each in acts if isinstance(each, Ordered) and "Begin" not in each.command]
            assert [(each.board, each.note) for each in ordered] == [
                (station, "fire alarm") for station in ("red", "blue", "red")
            ]
            assert {each.by for each in at.hall.keeper.entries} == {NAME}
            for body in ({"command": {"is": "Dance"}}, {"command": {"is": "Hold"}, "key": "other"}):
                assert (await at.ask("api/orders/all", body))[0] == 422
            assert (await at.ask("api/desk/boards/red"))[0] == 422
            assert (await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0]))[0] == 200
            for stations in (["red", "red"], ["mars"]):
                assert (await at.ask("api/tournaments/club/seats", {"boards": stations}))[0] == 422
            seats = {"boards": ["blue", "red"]}
            assert await at.ask("api/tournaments/club/seats", seats) == (
                200,
                {"seated": 1, "under_way": [], "silent": []},
            )
            given = at.hall.keeper.book.of("club").stations
            assert {place: each.board for place, each in given.items()} == {(1, 1): "red", (1, 2): "blue"}
            _, told = await at.ask("api/clock")
            assert told == {"now_ms": 1000}
            at.clock[0] += 20_000
            assert await at.ask("api/orders/all", pause) == (200, {"boards": 0}), (
                "an absent board must not be waited for"
            )

    asyncio.run(scenario())


def test_only_results_that_are_still_as_shown_are_confirmed_together(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            for table, points in ((1, (2, 0)), (2, (1, 1))):
                await at.hall.act("red", ResultReported("club", 1, table, points, "checkmate"))
            shown = {"round": 1, "results": [{"table": table, "points": [2, 0]} for table in (1, 2)]}
            assert (await at.ask("api/tournaments/club/confirm", shown, token=""))[0] == 401
            _, told = await at.ask("api/tournaments/club/confirm", shown)
            assert told == {"numbers": [len(at.hall.keeper.entries)]}
            club = at.hall.keeper.book.of("club")
            assert [pairing.points for pairing in club.tournament.rounds[0].pairings] == [(2, 0), None]
            assert list(club.reported) == [(1, 2)]

    asyncio.run(scenario())


def test_arbiters_see_who_goes_to_an_alarm(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            at.station("red")
            at.clock[0] += 20_000
            alarm = {"board": "red", "kind": "silent"}
            assert (await at.ask("api/alarms", alarm, token=""))[0] == 401
            await at.log_in()
            assert (await at.ask("api/alarms", {**alarm, "kind": "illegal"}))[0] == 422
            seen = []
            for is_back in (False, True):
                assert (await at.ask("api/alarms", {**alarm, "is_back": is_back}))[0] == 200
                state = views.Pages(at.hall).arbiters()
                seen.append([(each["kind"], each["taken_by"]) for each in state["alarms"]])
            assert seen == [[("silent", NAME)], [("silent", "")]]
            assert state["arbiters"] == [NAME]

    asyncio.run(scenario())


def test_a_silent_station_without_a_key_is_forgotten_unless_a_table_played_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            for station in ("red", "ghost", "own"):
                at.station(station)
            at.hall.homes["own"] = tmp_path
            seating = {"round": 1, "table": 1, "board": "red"}
            assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
            at.clock[0] += GHOST_MS
            await at.looked()
            assert set(at.hall.hub.station_states.known) == {"red", "ghost", "own"}
            at.clock[0] += 1
            await at.looked()
            assert set(at.hall.hub.station_states.known) == {"red", "own"}
            assert "ghost" not in at.hall.spectators.glances.shown

    asyncio.run(scenario())


def test_teams_are_entered_lined_up_and_shown_with_their_matches(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            opened = {"key": "cup", "name": "Cup", "format": "knockout", "game": "chess", "boards": 2}
            assert (await at.act("Opened", **opened))[0] == 200
            csv = "name,team\n" + "".join(
                f"{team}{station},{team}\n" for team in "AB" for station in (1, 2, 3)
            )
            assert (await at.ask("api/tournaments/cup/players", {"csv": csv}))[1]["entered"] == 6
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
            cup = views.tournament("cup", at.hall.keeper.book.of("cup"))
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
            entered = {"entered": 6, "rounds": 1, "left_out": 0}
            assert await at.ask("api/tournaments/again/players", {"csv": report}) == (200, entered)
            again = views.tournament("again", at.hall.keeper.book.of("again"))
            assert [team["name"] for team in again["teams"]] == ["A", "B"]

    asyncio.run(scenario())

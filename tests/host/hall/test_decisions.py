# SPDX-License-Identifier: Apache-2.0
"""A decision ends the game of its table, with clocks and alarms.

A game that began since is left alone.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from companion.feedback.glance import Glance, SmallPiece
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Done, Shown, Up
from companion.host.hall.desk.tournament_setup import confirm, decide
from companion.host.hall.desk.tournament_setup import seat as seat_all
from companion.host.hall.desk.undoing import undo
from companion.host.hall.views import Pages
from companion.host.journal.setup import GameSetup
from companion.host.table.table import Table
from companion.host.table.table_game import Begin
from companion.model.game import Outcome
from companion.referee.values.commands import Release, Resign
from companion.referee.values.view import ClockView
from companion.tournament.acts import ResultDecided, ResultReported
from companion.tournament.values import DRAW, LOSS, WIN
from tests.host.hall.halls import until
from tests.host.hall.hotplug.test_panels import is_at, seat
from tests.host.hall.sites import Site, site, tournament
from tests.host.hall.test_seating import answered, hall_with_stations, is_timed, move, paired
from tests.host.tables import GAME

ABSENT = ResultDecided("club", 1, 1, (LOSS, WIN), is_forfeit=True)


def runs(table: Table) -> bool:
    return any(clock.is_running for clock in table.pipeline.view.clocks)


async def seated_at(hall: Hall, *stations: str) -> None:
    await paired(hall, 2 * len(stations))
    assert await seat_all(hall, "Ana", "club", stations) == (len(stations), [], [])
    await answered(hall)


@pytest.mark.parametrize("in_ms", [0, 300])
def test_a_forfeit_stops_a_clock_that_was_just_started(tmp_path: Path, in_ms: int) -> None:
    """The station does not show a running clock yet."""

    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1", "b2") as (hall, tables):
            await seated_at(hall, "b1", "b2")
            await hall.order_all("Ana", ["b1", "b2"], Release(starts_clock=True), "", in_ms=in_ms)
            numbers = await decide(hall, "Ana", ABSENT)
            assert len(numbers) == 2
            await answered(hall)
            await until(lambda: tables["b1"].pipeline.view.phase == "paused", "play is held")
            assert (runs(tables["b1"]), runs(tables["b2"])) == (False, True)
            await hall.act("Ana", ResultDecided("club", 1, 2, (WIN, LOSS)))

    asyncio.run(running())


def test_an_undone_result_lets_play_go_on(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1") as (hall, tables):
            await seated_at(hall, "b1")
            await hall.order_all("Ana", ["b1"], Release(starts_clock=True), "")
            await until(seat(hall, "b1", is_timed), "the clock runs")
            numbers = await decide(hall, "Ana", ABSENT)
            await answered(hall)
            assert not runs(tables["b1"])
            await undo(hall, "Ana", numbers)
            await answered(hall)
            assert runs(tables["b1"])
            assert hall.keeper.book.of("club").tournament.pairing(1, 1).is_on

    asyncio.run(running())


def test_what_was_paused_before_a_result_stays_so_when_it_is_undone(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await begun(at)
            show(at, 2, glance(4, phase="paused"))
            _, told = await decided(at, points=[2, 0])
            assert told["numbers"] == [told["number"]]
            show(at, 3, glance(4))
            _, told = await decided(at, points=[0, 2], note="misheard")
            assert told["numbers"] == [told["number"]], "a changed result stops nothing"

    asyncio.run(running())


def test_confirming_a_result_touches_no_game_begun_since(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_with_stations(tmp_path, "b1") as (hall, tables):
            await seated_at(hall, "b1")
            await move(hall, tables["b1"], "b1", "a1-b2")
            await hall.order("Ana", "b1", Resign(0))
            await until(lambda: bool(hall.keeper.book.of("club").reported), "the result is reported")
            await hall.order("Ana", "b1", Begin(GameSetup(GAME)))
            await until(seat(hall, "b1", is_at(0)), "a casual game begins")
            await move(hall, tables["b1"], "b1", "a1-b2")
            assert len(await confirm(hall, "Ana", "club", 1, {1: (LOSS, WIN)})) == 1
            await answered(hall)
            assert runs(tables["b1"])
            given = hall.keeper.book.at_station("b1")
            assert not hall.is_decided(given), "its alarms are its own"

    asyncio.run(running())


def glance(ply: int, **more: Any) -> Glance:
    clocks = (ClockView(1000, more.get("phase") is None, 5), ClockView(900, False, 5))
    shown = {"phase": "waiting", "clocks": clocks, **more}
    return Glance("chess", turn=0, ply=ply, pieces=(SmallPiece("king", 0, (4,)),), **shown)


def say(at: Site, what: Any) -> None:
    at.hall.take(Up("red", "i", what), lambda _down: None)


def show(at: Site, number: int, shown: Glance) -> None:
    say(at, Shown(number, 0, shown))


def alarms(at: Site) -> list[str]:
    return [each["kind"] for each in Pages(at.hall).arbiters()["alarms"]]


async def begun(at: Site) -> None:
    """Ana and Cleo play at the station red."""
    await tournament(at)
    say(at, Hello("red", "i", "Red", "chess", journal="1"))
    await seated(at, 1)


async def seated(at: Site, in_round: int) -> None:
    """The first table of a round is seated at the station red."""
    seating = {"round": in_round, "table": 1, "board": "red"}
    assert (await at.ask("api/tournaments/club/boards", seating))[0] == 200
    await at.hall.settle_results()


def began(at: Site, journal: str) -> None:
    """The station has begun the ordered game."""
    say(at, Hello("red", "i", "Red", "chess", journal=journal))
    for order in tuple(at.hall.keeper.book.orders):
        say(at, Done(order))


async def decided(at: Site, **values: object) -> tuple[int, Any]:
    return await at.act("ResultDecided", key="club", round=1, table=1, **values)


ILLEGAL = glance(7, fault="The Knight may not move there.", is_completed=True, phase="illegal")
OVER = glance(9, outcome=Outcome((0,), "checkmate"), result="White wins.", phase="finished")


@pytest.mark.parametrize(("shown", "kind"), [(ILLEGAL, "illegal"), (OVER, "result")])
def test_alarms_of_a_game_end_with_its_decision_also_when_the_next_round_is_paired(
    tmp_path: Path, shown: Glance, kind: str
) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await begun(at)
            assert alarms(at) == []
            began(at, "2")
            await at.hall.settle_results()
            show(at, 1, shown)
            assert alarms(at) == [kind]
            _, told = await decided(at, points=[2, 0])
            assert alarms(at) == []
            await at.ask("api/undo", {"numbers": told["numbers"]})
            assert alarms(at) == [kind], "the game goes on"
            await decided(at, points=[2, 0])
            await at.act("ResultDecided", key="club", round=1, table=2, points=[2, 0])
            assert await at.ask("api/tournaments/club/rounds", {}) == (200, {"round": 2})
            assert alarms(at) == []
            assert Pages(at.hall).arbiters()["board/red"]["is_decided"]
            await seated(at, 2)
            assert alarms(at) == [], "the board still shows the old game"
            began(at, "3")
            await at.hall.settle_results()
            show(at, 2, glance(1, fault="Not there.", is_completed=True, phase="illegal"))
            assert alarms(at) == ["illegal"], "this one is of the new game"

    asyncio.run(running())


def test_a_restarted_hall_knows_the_decided_game_and_the_alarms_of_a_casual_one(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await begun(at)
            began(at, "2")
            await decided(at, points=[2, 0])
        async with site(tmp_path) as at:
            say(at, Hello("red", "i", "Red", "chess", journal="2"))
            show(at, 1, ILLEGAL)
            assert alarms(at) == []
            await at.hall.settle_results()
            assert alarms(at) == []
            say(at, Hello("red", "i", "Red", "chess", journal="3"))  # players begin another game
            show(at, 2, ILLEGAL)
            assert alarms(at) == ["illegal"]

    asyncio.run(running())


def test_a_decided_game_does_not_go_on_with_the_others(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await begun(at)
            began(at, "2")
            await decided(at, points=[0, 2], is_forfeit=True)
            start = {"command": {"is": "Release", "starts_clock": True}, "key": "club"}
            assert await at.ask("api/orders/all", start) == (200, {"boards": 0})

    asyncio.run(running())


def test_a_result_that_contradicts_the_station_is_entered_only_if_it_is_meant(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await begun(at)
            await at.hall.act("red", ResultReported("club", 1, 1, (LOSS, WIN), "checkmate"))
            before = len(at.hall.keeper.entries)
            for result in ({"points": [1, 1]}, {"points": [0, 2], "is_forfeit": True}):
                unchanged = {"number": 0, "numbers": [], "reported": [LOSS, WIN]}
                assert await decided(at, **result) == (200, unchanged)
            assert len(at.hall.keeper.entries) == before
            status, told = await decided(at, points=[1, 1], over_report=True)
            assert (status, told["reported"]) == (200, None)
            assert at.hall.keeper.book.of("club").tournament.pairing(1, 1).points == (DRAW, DRAW)
            await at.ask("api/undo", {"numbers": told["numbers"]})
            assert (await decided(at, points=[0, 2]))[1]["reported"] is None, "that is what was reported"

    asyncio.run(running())


def test_a_draw_by_forfeit_is_refused_with_the_rule(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            for points in ([1, 1], [1, 0]):
                status, told = await decided(at, points=points, is_forfeit=True)
                assert (status, "who does not come loses" in told["detail"]) == (422, True)
            for points in ([0, 2], [2, 0], [0, 0]):
                assert (await decided(at, points=points, is_forfeit=True, note="late"))[0] == 200

    asyncio.run(running())


def test_a_remark_has_8_kb_at_most(tmp_path: Path) -> None:
    async def running() -> None:
        async with site(tmp_path) as at:
            await begun(at)
            before = len(at.hall.keeper.entries)
            hold = {"board": "red", "command": {"is": "Hold"}}
            for asked in (
                at.act("Noted", text="é" * 4097),
                decided(at, points=[2, 0], note="x" * 8193),
                at.ask("api/orders", {**hold, "note": "x" * 4_000_000}),
                at.ask("api/orders/all", {"command": {"is": "Hold"}, "note": "x" * 8193}),
            ):
                status, told = await asked
                assert (status, "a remark has 8 KB at most" in told["detail"]) == (422, True)
            assert len(at.hall.keeper.entries) == before
            assert (await at.act("Noted", text="é" * 4096))[0] == 200

    asyncio.run(running())

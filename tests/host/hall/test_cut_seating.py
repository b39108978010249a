# SPDX-License-Identifier: Apache-2.0
"""The broker is killed while forty stations are seated and started: no move is lost."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.bench.kill_judge import Consent
from tests.host.hall.cut_off import Evening, Page, evening, until

STATIONS = tuple(f"b{number:02}" for number in range(1, 41))
CASUAL = 10
"""Stations with a casual game before the round."""
SETTLE_S = 60
"""After the arbiter has answered the questions, all must be seated so soon."""


@pytest.mark.long
@pytest.mark.timeout(480)
def test_a_broker_that_dies_in_the_middle_of_seating_and_starting_forty_stations_costs_no_move(
    tmp_path: Path,
) -> None:
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    chance = Random(seed)

    async def scenario() -> None:
        async with evening(tmp_path, STATIONS) as at:
            await at.paired()
            casual = chance.sample(STATIONS, CASUAL)
            await _play(at, casual, 3, chance)
            await until(lambda: _known_plies(at, casual) == {3}, "the hall has seen the casual games")
            await _seat_with_a_cut(at, casual, chance, seed)
            await _settle(at)
            assert not await asyncio.to_thread(at.lost)
            await _start_with_a_cut(at, chance, seed)
            assert not await asyncio.to_thread(at.lost)
            assert _misplaced(at) == []

    asyncio.run(scenario())


async def _seat_with_a_cut(at: Evening, casual: list[str], chance: Random, seed: str) -> None:
    """Seat all; players go on during the cut, in old and in new games."""
    number = chance.randint(5, len(STATIONS) - CASUAL - 5)
    asked = await _cut_after(
        at, number, lambda: _begun(at), at.act("api/tournaments/club/seats", {"boards": STATIONS})
    )
    assert sorted(asked["under_way"]) == sorted(casual)
    seated = await _shown_and_begun(at)
    waiting = [station for station in STATIONS if station not in seated and station not in casual]
    players = [*chance.sample(sorted(seated), len(seated) // 2), *casual[: CASUAL // 2]]
    players += chance.sample(waiting, len(waiting) // 2)
    print(f"seed {seed}: seated {len(seated)} of {len(STATIONS)} when the broker died; playing: {players}")
    await _play(at, players, 3, chance)
    kept = {station: (at.games(station)[-1].journal, at.pages[station].moves) for station in players}
    await at.broker.start()
    await until(at.is_answered, "all orders are answered", SETTLE_S)
    refusals = await asyncio.to_thread(at.refusals)
    told = {
        act["board"]: refusals.get(act["order"], "") for act in await asyncio.to_thread(at.acts, "Ordered")
    }
    late = [station for station in players if station in waiting]
    print({station: told[station] for station in late})
    for station in late:
        assert at.pages[station].moves[-1] in told[station], f"{station}: what the order would have destroyed"
    for station, (journal, moves) in kept.items():
        game = at.games(station)[-1]
        assert (game.journal, list(game.moves)) == (journal, moves), station


async def _shown_and_begun(at: Evening) -> set[str]:
    """The stations that have begun the round's game, as soon as their pages show it."""
    shown, begun = set[str](), await asyncio.to_thread(_begun, at)
    while shown != begun:  # an order may be on its way within the table
        for station in begun:
            await _shows_names(at.pages[station])
        shown, begun = begun, await asyncio.to_thread(_begun, at)
    return begun


async def _shows_names(page: Page) -> None:
    """Wait until *page* shows the round's game, whose display names the players first."""
    await page.until(lambda view: page.names and view["phase"] == "waiting", "the new game")


async def _settle(at: Evening) -> None:
    """Seat all again, with a yes to each question, until all play their games."""
    asked = await at.act("api/tournaments/club/seats", {"boards": STATIONS})
    over = sorted({*asked["under_way"], *asked["silent"]})
    book = (await asyncio.to_thread(at.parts))["book"]
    began = time.monotonic()
    if over:
        at.consents += [Consent(station, book[-1]["number"]) for station in over]
        asked = await at.act("api/tournaments/club/seats", {"boards": STATIONS, "over_games": over})
        assert (asked["under_way"], asked["silent"]) == ([], [])
    await until(lambda: not _misplaced(at), "each table plays its own game", SETTLE_S)
    for station in STATIONS:
        await at.pages[station].until(lambda view: view["phase"] == "waiting", "the pieces stand")
    print(f"yes to {over}; settled after {time.monotonic() - began:.1f} s")


async def _start_with_a_cut(at: Evening, chance: Random, seed: str) -> None:
    """Start all clocks; players move during the cut, whether or not their clock runs."""
    ready = [station for station in STATIONS if not _is_timed(at, station)]
    number = chance.randint(2, len(ready) - 5)
    start = {"command": {"is": "Release", "starts_clock": True}, "key": "club"}

    def running() -> set[str]:
        return {station for station in ready if _is_timed(at, station)}

    told = await _cut_after(at, number, running, at.act("api/orders/all", start))
    started = running()
    players = chance.sample(STATIONS, len(STATIONS) // 2)
    print(
        f"seed {seed}: {len(started)} of {told['boards']} clocks ran when the broker died; playing: {players}"
    )
    await _play(at, players, 3, chance)
    kept = {station: at.pages[station].moves for station in STATIONS}
    await at.broker.start()
    await until(at.is_answered, "all orders are answered", SETTLE_S)
    refusals = await asyncio.to_thread(at.refusals)
    given = [act for act in await asyncio.to_thread(at.acts, "Ordered") if "Release" in act["command"]]
    print({act["board"]: refusals[act["order"]] for act in given if act["order"] in refusals})
    silent = {act["board"] for act in given if act["order"] in refusals} - {*players}
    await until(
        lambda: all(_is_timed(at, station) for station in {*STATIONS} - silent), "the clocks run", SETTLE_S
    )
    assert {station: at.pages[station].moves for station in STATIONS} == kept
    for station in {*STATIONS} - silent:
        view = at.pages[station].view
        assert [clock["is_running"] for clock in view["clocks"]] == [
            view["turn"] == side for side in (0, 1)
        ], station


async def _cut_after(
    at: Evening, number: int, reached: Callable[[], Iterable[str]], asking: Any
) -> dict[str, Any]:
    """Kill the broker when *number* stations have *reached* something, after *asking*."""
    task = asyncio.ensure_future(asking)
    async with asyncio.timeout(SETTLE_S):
        while len([*reached()]) < number:  # noqa: ASYNC110 - tables tell nobody
            await asyncio.sleep(0.001)
    at.broker.kill()
    found: dict[str, Any] = await task
    return found


def _begun(at: Evening) -> set[str]:
    """The stations that have begun a game for an order."""
    return {station for station in STATIONS if at.journals(station)[-1].get("order")}


async def _play(at: Evening, stations: Iterable[str], plies: int, chance: Random) -> None:
    async with asyncio.TaskGroup() as group:
        for station in stations:
            group.create_task(at.pages[station].play(plies, chance))


def _known_plies(at: Evening, stations: list[str]) -> set[int]:
    parts = at.parts()
    return {parts[f"board/{station}"]["glance"]["ply"] for station in stations}


def _is_timed(at: Evening, station: str) -> bool:
    return any(clock["is_running"] for clock in at.pages[station].view["clocks"])


def _misplaced(at: Evening) -> list[str]:
    """Stations whose game is not that of their table, by journal and desk."""
    parts = at.parts()
    given = {
        entry["act"]["order"]: entry["act"] for entry in parts["book"] if entry["act"]["is"] == "TableGiven"
    }
    tables = parts["tournament/club"]["rounds"][0]["tables"]
    seats = {table["table"]: table["seated"] for table in tables}
    found = []
    for station in STATIONS:
        path = max((at.folder / station / "companion" / "journals" / station).glob("*.jsonl"))
        head = json.loads(path.read_text().partition("\n")[0])
        act = given.get(head.get("order", ""))
        if act is None or act["board"] != station or head["players"] != seats[act["table"]]:
            found.append(station)
    return found

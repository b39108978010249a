# SPDX-License-Identifier: Apache-2.0
"""No order that a cut broker delays undoes what tables, as programs, announced meanwhile."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.host.hall.cut_off import Evening, evening, until

KNOWN, SINCE = 3, 2
"""Plies that the hall has seen, and plies of the time without a broker."""
START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
UNDOING: Final[dict[str, dict[str, Any]]] = {
    "newgame": {"is": "NewGame"},
    "resign": {"is": "Resign", "side": 0},
    "conclude": {"is": "Conclude", "winners": [0], "termination": "resignation"},
    "takeback": {"is": "TakeBack", "plies": 1},
    "letstand": {"is": "LetStand", "turn": 0},
    "correct": {"is": "Correct", "ply": 0, "moves": ["a3"]},
    "restore": {"is": "Restore", "position": START},
    "adjourn": {"is": "Adjourn"},
}
"""Orders that replace, end or change a game, by the station that gets one."""
RESTING: Final[dict[str, dict[str, Any]]] = {
    "pause": {"is": "Pause"},
    "hold": {"is": "Hold"},
    "clock": {"is": "AdjustClock", "side": 0, "by_ms": 60_000},
    "start": {"is": "StartClock"},
    "release": {"is": "Release", "starts_clock": True},
    "draw": {"is": "OfferDraw", "side": 0},
    "play": {"is": "Play", "ply": KNOWN, "move": "a6"},
    "show": {"is": "ShowClocks", "left_ms": [60_000, 60_000]},
}
"""Orders that leave the moves as they are."""
SEATED: Final = ("empty", "known", "decided")
"""Seated over an empty game, seated over one with a yes, and decided."""
STATIONS: Final = (*UNDOING, *RESTING, *SEATED)


async def seat(at: Evening, table: int, station: str, *, over: bool) -> None:
    body = {"round": 1, "table": table, "board": station}
    told = await at.act("api/tournaments/club/boards", body)
    if over:
        assert told["under_way"] == [station] or told["silent"] == [station], "the arbiter must be asked"
    if told["under_way"] or told["silent"]:
        await at.act("api/tournaments/club/boards", {**body, "over_game": True})


async def give_all(at: Evening) -> dict[str, str]:
    """Give each station its order; the orders of those that undo, by station."""
    orders = dict[str, str]()
    for station, command in (UNDOING | RESTING).items():
        told = await at.act("api/orders", {"board": station, "command": command})
        if station in UNDOING:
            orders[station] = told["order"]
    await seat(at, 1, "empty", over=False)
    await seat(at, 2, "known", over=True)
    result = {"is": "ResultDecided", "key": "club", "round": 1, "table": 3, "points": [2, 0]}
    await at.act("api/acts", result)
    given = {act["board"]: act["order"] for act in await asyncio.to_thread(at.acts, "TableGiven")}
    return {**orders, "empty": given["empty"], "known": given["known"]}


@pytest.mark.long
@pytest.mark.timeout(300)
def test_no_kind_of_order_undoes_moves_that_were_announced_while_the_broker_was_gone(tmp_path: Path) -> None:
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    print(f"seed {seed}")
    chance = Random(seed)

    async def scenario() -> None:
        async with evening(tmp_path, STATIONS) as at:
            await at.paired(stations=3)
            await seat(at, 3, "decided", over=False)
            await until(at.is_answered, "the game is set up")
            await _play(at, [station for station in STATIONS if station != "empty"], KNOWN, chance)
            await until(lambda: _plies(at) == {KNOWN: len(STATIONS) - 1, 0: 1}, "the hall has seen the moves")
            at.broker.kill()
            orders = await give_all(at)
            await _play(at, list(STATIONS), SINCE, chance)
            kept = {station: at.pages[station].moves for station in STATIONS}
            journals = {station: at.games(station)[-1].journal for station in STATIONS}
            await at.broker.start()
            await until(at.is_answered, "all orders are answered")
            refusals = await asyncio.to_thread(at.refusals)
            wrong = [
                f"{station}: {refusals.get(order, 'carried out')!r}"
                for station, order in orders.items()
                if kept[station][-1] not in refusals.get(order, "")
            ]
            print({station: refusals.get(order) for station, order in orders.items()})
            assert not wrong, "these orders must be refused, and say what they would have undone"
            _judge(at, kept, journals)
            for station in STATIONS:  # a refused order must leave no trace that a restart follows
                await asyncio.to_thread(at.tables[station].kill)
                await at.sit(station)
            _judge(at, kept, journals)

    asyncio.run(scenario())


async def _play(at: Evening, stations: list[str], plies: int, chance: Random) -> None:
    async with asyncio.TaskGroup() as group:
        for station in stations:
            group.create_task(at.pages[station].play(plies, chance))


def _plies(at: Evening) -> dict[int, int]:
    plies = [part["glance"]["ply"] for name, part in at.parts().items() if name.startswith("board/")]
    return {each: plies.count(each) for each in plies}


def _judge(at: Evening, kept: dict[str, list[str]], journals: dict[str, str]) -> None:
    """No move has left its game, and no game has ended."""
    found = at.lost()
    for station, moves in kept.items():
        game = next(each for each in at.games(station) if each.journal == journals[station])
        if at.pages[station].moves != moves:
            found.append(f"{station} shows {at.pages[station].moves} after {moves}")
        if station in UNDOING and game.winners is not None:
            found.append(f"{station}: its game has ended")
        if list(game.moves) != moves:
            found.append(f"{station}: {game.moves} are in the journal after {moves}")
    assert not found

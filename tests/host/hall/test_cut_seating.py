# SPDX-License-Identifier: Apache-2.0
"""The broker is killed while forty boards are seated and started: no move is lost."""

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

BOARDS = tuple(f"b{number:02}" for number in range(1, 41))
CASUAL = 10
"""Boards with a casual game before the round."""
SETTLE_S = 60
"""After the arbiter has answered the questions, all must be seated so soon."""


@pytest.mark.long
@pytest.mark.timeout(480)
def test_a_broker_that_dies_in_the_middle_of_seating_and_starting_forty_boards_costs_no_move(
    tmp_path: Path,
) -> None:
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    chance = Random(seed)

    async def scenario() -> None:
        async with evening(tmp_path, BOARDS) as at:
            await at.paired()
            casual = chance.sample(BOARDS, CASUAL)
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
    number = chance.randint(5, len(BOARDS) - CASUAL - 5)
    asked = await _cut_after(
        at, number, lambda: _begun(at), at.act("api/tournaments/club/seats", {"boards": BOARDS})
    )
    assert sorted(asked["under_way"]) == sorted(casual)
    seated = await _shown_and_begun(at)
    waiting = [board for board in BOARDS if board not in seated and board not in casual]
    players = [*chance.sample(sorted(seated), len(seated) // 2), *casual[: CASUAL // 2]]
    players += chance.sample(waiting, len(waiting) // 2)
    print(f"seed {seed}: seated {len(seated)} of {len(BOARDS)} when the broker died; playing: {players}")
    await _play(at, players, 3, chance)
    kept = {board: (at.games(board)[-1].journal, at.pages[board].moves) for board in players}
    await at.broker.start()
    await until(at.is_answered, "all orders are answered", SETTLE_S)
    refusals = await asyncio.to_thread(at.refusals)
    told = {
        act["board"]: refusals.get(act["order"], "") for act in await asyncio.to_thread(at.acts, "Ordered")
    }
    late = [board for board in players if board in waiting]
    print({board: told[board] for board in late})
    for board in late:
        assert at.pages[board].moves[-1] in told[board], f"{board}: what the order would have destroyed"
    for board, (journal, moves) in kept.items():
        game = at.games(board)[-1]
        assert (game.journal, list(game.moves)) == (journal, moves), board


async def _shown_and_begun(at: Evening) -> set[str]:
    """The boards that have begun the round's game, as soon as their pages show it."""
    shown, begun = set[str](), await asyncio.to_thread(_begun, at)
    while shown != begun:  # an order may be on its way within the table
        for board in begun:
            await _shows_names(at.pages[board])
        shown, begun = begun, await asyncio.to_thread(_begun, at)
    return begun


async def _shows_names(page: Page) -> None:
    """Wait until *page* shows the round's game, whose display names the players first."""
    await page.until(lambda view: page.names and view["phase"] == "waiting", "the new game")


async def _settle(at: Evening) -> None:
    """Seat all again, with a yes to each question, until all play their games."""
    asked = await at.act("api/tournaments/club/seats", {"boards": BOARDS})
    over = sorted({*asked["under_way"], *asked["silent"]})
    book = (await asyncio.to_thread(at.parts))["book"]
    began = time.monotonic()
    if over:
        at.consents += [Consent(board, book[-1]["number"]) for board in over]
        asked = await at.act("api/tournaments/club/seats", {"boards": BOARDS, "over_games": over})
        assert (asked["under_way"], asked["silent"]) == ([], [])
    await until(lambda: not _misplaced(at), "each table plays its own game", SETTLE_S)
    for board in BOARDS:
        await at.pages[board].until(lambda view: view["phase"] == "waiting", "the pieces stand")
    print(f"yes to {over}; settled after {time.monotonic() - began:.1f} s")


async def _start_with_a_cut(at: Evening, chance: Random, seed: str) -> None:
    """Start all clocks; players move during the cut, whether or not their clock runs."""
    ready = [board for board in BOARDS if not _is_timed(at, board)]
    number = chance.randint(2, len(ready) - 5)
    start = {"command": {"is": "Release", "starts_clock": True}, "key": "club"}

    def running() -> set[str]:
        return {board for board in ready if _is_timed(at, board)}

    told = await _cut_after(at, number, running, at.act("api/orders/all", start))
    started = running()
    players = chance.sample(BOARDS, len(BOARDS) // 2)
    print(
        f"seed {seed}: {len(started)} of {told['boards']} clocks ran when the broker died; playing: {players}"
    )
    await _play(at, players, 3, chance)
    kept = {board: at.pages[board].moves for board in BOARDS}
    await at.broker.start()
    await until(at.is_answered, "all orders are answered", SETTLE_S)
    refusals = await asyncio.to_thread(at.refusals)
    given = [act for act in await asyncio.to_thread(at.acts, "Ordered") if "Release" in act["command"]]
    print({act["board"]: refusals[act["order"]] for act in given if act["order"] in refusals})
    silent = {act["board"] for act in given if act["order"] in refusals} - {*players}
    await until(lambda: all(_is_timed(at, board) for board in {*BOARDS} - silent), "the clocks run", SETTLE_S)
    assert {board: at.pages[board].moves for board in BOARDS} == kept
    for board in {*BOARDS} - silent:
        view = at.pages[board].view
        assert [clock["is_running"] for clock in view["clocks"]] == [
            view["turn"] == side for side in (0, 1)
        ], board


async def _cut_after(
    at: Evening, number: int, reached: Callable[[], Iterable[str]], asking: Any
) -> dict[str, Any]:
    """Kill the broker when *number* boards have *reached* something, after *asking*."""
    task = asyncio.ensure_future(asking)
    async with asyncio.timeout(SETTLE_S):
        while len([*reached()]) < number:  # noqa: ASYNC110 - tables tell nobody
            await asyncio.sleep(0.001)
    at.broker.kill()
    found: dict[str, Any] = await task
    return found


def _begun(at: Evening) -> set[str]:
    """The boards that have begun a game for an order."""
    return {board for board in BOARDS if at.journals(board)[-1].get("order")}


async def _play(at: Evening, boards: Iterable[str], plies: int, chance: Random) -> None:
    async with asyncio.TaskGroup() as group:
        for board in boards:
            group.create_task(at.pages[board].play(plies, chance))


def _known_plies(at: Evening, boards: list[str]) -> set[int]:
    parts = at.parts()
    return {parts[f"board/{board}"]["glance"]["ply"] for board in boards}


def _is_timed(at: Evening, board: str) -> bool:
    return any(clock["is_running"] for clock in at.pages[board].view["clocks"])


def _misplaced(at: Evening) -> list[str]:
    """Boards whose game is not that of their table, by journal and desk."""
    parts = at.parts()
    given = {
        entry["act"]["order"]: entry["act"] for entry in parts["book"] if entry["act"]["is"] == "TableGiven"
    }
    tables = parts["tournament/club"]["rounds"][0]["tables"]
    seats = {table["table"]: table["seated"] for table in tables}
    found = []
    for board in BOARDS:
        path = max((at.folder / board / "companion" / "journals" / board).glob("*.jsonl"))
        head = json.loads(path.read_text().partition("\n")[0])
        act = given.get(head.get("order", ""))
        if act is None or act["board"] != board or head["players"] != seats[act["table"]]:
            found.append(board)
    return found

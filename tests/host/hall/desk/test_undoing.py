# SPDX-License-Identifier: Apache-2.0
"""An arbiter's act is undone by its opposite, unless something was changed since."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from companion.tournament.acts import Ordered, ResultReported
from tests.host.hall.sites import Site, site, tournament


async def undone(at: Site, kind: str, **values: Any) -> tuple[int, Any]:
    """The answer when the act is written and undone."""
    status, told = await at.act(kind, **values)
    assert status == 200, told
    return await at.ask("api/undo", {"numbers": [told["number"]]})


def club(at: Site) -> Any:
    return at.hall.keeper.book.of("club")


def test_what_an_arbiter_did_last_is_undone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            first = {"key": "club", "round": 1, "table": 1}
            await at.hall.act("red", ResultReported("club", 1, 1, (2, 0), "checkmate"))
            before = club(at)
            meant = {**first, "points": [1, 1], "over_report": True}
            assert await undone(at, "ResultDecided", **meant) == (200, {"done": 2})
            assert club(at) == before, "the reported result is to be confirmed again"
            await at.act("ResultDecided", **first, points=[2, 0])
            for kind, values in (
                ("ResultDecided", {**first, "points": [0, 2], "note": "misheard"}),
                ("Corrected", {"key": "club", "number": 1, "name": "Anna", "rating": 5}),
                ("Withdrew", {"key": "club", "number": 4}),
                ("DelaySet", {"key": "club", "seconds": 60}),
            ):
                before = club(at)
                assert await undone(at, kind, **values) == (200, {"done": 1})
                assert club(at) == before
            await at.act("ResultDecided", **first, points=None)
            before = club(at).tournament.rounds
            assert await undone(at, "RoundDropped", key="club") == (200, {"done": 1})
            assert club(at).tournament.rounds == before

    asyncio.run(scenario())


def test_what_was_changed_since_or_has_no_opposite_is_not_undone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            first = {"key": "club", "round": 1, "table": 1}
            _, told = await at.act("ResultDecided", **first, points=[2, 0])
            await at.act("ResultDecided", **first, points=[0, 2], note="misheard")
            assert (await at.ask("api/undo", {"numbers": [told["number"]]}))[0] == 422
            status, refused = await undone(at, "Noted", text="x")
            assert (status, "correct it at its place" in refused["detail"]) == (422, True)
            entry = await at.hall.act("Ben", ResultReported("club", 1, 2, (2, 0), "checkmate"))
            for number in (entry.number, 0, 99):
                status, refused = await at.ask("api/undo", {"numbers": [number]})
                assert (status, refused["detail"]) == (
                    422,
                    "only your own entries of the book can be undone",
                )

    asyncio.run(scenario())


def test_orders_to_a_station_are_undone_by_opposite_orders(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            at.station("red")
            for command, opposite in (
                ({"is": "Hold"}, {"is": "Release"}),
                ({"is": "Release"}, {"is": "Hold"}),
                (
                    {"is": "AdjustClock", "side": 1, "by_ms": 60_000},
                    {"is": "AdjustClock", "side": 1, "by_ms": -60_000},
                ),
            ):
                _, told = await at.ask("api/orders", {"board": "red", "command": command})
                assert (await at.ask("api/undo", {"numbers": [told["number"]]}))[0] == 200
                act = at.hall.keeper.entries[-1].act
                assert isinstance(act, Ordered)
                assert json.loads(act.command) == opposite
            _, told = await at.ask("api/orders", {"board": "red", "command": {"is": "NewGame"}})
            assert (await at.ask("api/undo", {"numbers": [told["number"]]}))[0] == 422

    asyncio.run(scenario())

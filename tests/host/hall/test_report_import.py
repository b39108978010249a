# SPDX-License-Identifier: Apache-2.0
"""The report of another program is entered at the desk.

Rounds and announced byes are taken over; the rest is named.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from companion.tournament.acts import Excused
from companion.tournament.values import Bye
from tests.host.hall.sites import site
from tests.tournament.test_foreign_reports import OPEN


def test_omitted_parts_of_a_report_are_named_in_the_arbiters_language(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            at.language = "de"
            assert (await at.act("Opened", key="open", name="Open", format="swiss", game="chess"))[0] == 200
            status, told = await at.ask("api/tournaments/open/players", {"csv": OPEN})
            notes = told.pop("notes")
            assert (status, told) == (200, {"entered": 8, "rounds": 3, "left_out": 0})
            assert notes[0].startswith("Zeile 11: die Zeile (XXC) wird ausgelassen: ")
            assert len(notes) == 3
            assert at.hall.keeper.book.of("open").tournament.event.city == "Zagreb"
            acts = [entry.act for entry in at.hall.keeper.entries]
            assert [act for act in acts if isinstance(act, Excused)] == [
                Excused("open", 3, 4, Bye.ZERO),
                Excused("open", 6, 4, Bye.HALF),
            ]
            assert (await at.ask("api/tournaments/open/rounds", {})) == (200, {"round": 4})
            tables = at.hall.keeper.book.of("open").tournament.rounds[3].pairings
            assert {number for each in tables for number in each.players} == {1, 2, 4, 5, 7, 8}
            _, told = await at.ask("api/tournaments/open/players", {"csv": OPEN})
            assert (told["entered"], told["known"], told["rounds"], told["left_out"]) == (0, 8, 0, 3)
            last = told["notes"][-1]
            assert last.startswith("Runde 1 des Berichts wird nicht übernommen: andere sind gemeldet, ")

    asyncio.run(scenario())

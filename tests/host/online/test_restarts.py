# SPDX-License-Identifier: Apache-2.0
"""Two tables go on with their game after a restart of either."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from companion.host.journal.setup import GameSetup
from companion.host.online.two_tables.code import read_code
from companion.host.online.two_tables.kept_table import file_of
from companion.host.online.two_tables.tables import rejoin
from companion.host.play.start import PlayOptions
from companion.model.game import Outcome
from companion.referee.values.commands import Resign
from companion.referee.values.view import Phase
from tests.host.online.seats import QUICK, Seat, agreed, seated, until
from tests.ports import free_port


async def rejoined(seat: Seat) -> asyncio.Task[None]:
    """Go on at the table of *seat*, as after a restart."""
    journal = seat.table.current.journal.path
    joined = rejoin(journal, PlayOptions(GameSetup("chess"), intervals=QUICK, folder=journal.parent))
    assert joined is not None
    assert joined.side == seat.joined.side
    assert joined.request.setup.players == seat.joined.request.setup.players
    return asyncio.create_task(joined.play(seat.table, lambda _said: None))


def test_either_table_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        host_game, guest_game, code = await agreed(tmp_path, "chess", via, via, "15+10")
        async with (
            seated(tmp_path, "host", host_game) as host,
            seated(tmp_path, "guest", guest_game) as guest,
        ):
            await until(lambda: host.view.phase is Phase.WAITING and guest.view.phase is Phase.WAITING)
            host.play("e4")
            await until(lambda: guest.made() == ["e4"] and guest.view.phase is Phase.WAITING)
            await host.stop()
            guest.play("e5")
            await until(lambda: guest.made() == ["e4", "e5"])
            going_on = [await rejoined(host)]
            await until(lambda: host.made() == ["e4", "e5"])
            assert [clock.left_ms > 850_000 for clock in host.view.clocks] == [True, True]
            await guest.stop()
            await until(lambda: host.view.phase is Phase.WAITING)
            host.play("Nf3")
            await until(lambda: host.made()[-1] == "Nf3")
            going_on.append(await rejoined(guest))
            await until(lambda: guest.made() == ["e4", "e5", "Nf3"] and guest.view.phase is Phase.WAITING)
            guest.play("Nc6")
            await until(lambda: host.made() == ["e4", "e5", "Nf3", "Nc6"])
            guest.table.ask(Resign(1))
            await until(lambda: host.view.outcome == Outcome((0,), "resignation"))
            kept = [file_of(tmp_path, read_code(code), invites=invites) for invites in (True, False)]
            assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
            await until(lambda: all(json.loads(path.read_text()).get("is_over") for path in kept))
            for task in going_on:
                task.cancel()
            await asyncio.gather(*going_on, return_exceptions=True)

    asyncio.run(play())

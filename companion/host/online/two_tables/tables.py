# SPDX-License-Identifier: Apache-2.0
"""How two tables agree on a game: one says a code, the other types it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion import games
from companion.host.online.following import GameServer, follow
from companion.host.online.two_tables.carriers import carrier_for
from companion.host.online.two_tables.code import Code, draw_code
from companion.host.online.two_tables.guest import Guest
from companion.host.online.two_tables.host import Host
from companion.host.online.two_tables.kept_game import KeptGame
from companion.host.online.two_tables.messages import Welcome
from companion.host.online.two_tables.sealing import Sealer
from companion.host.play.start import PlayOptions
from companion.host.retry import Intervals
from companion.host.table.game_setup import Begin
from companion.host.table.table import Table
from companion.host.tasks import running
from companion.host.web.allowed_hosts import urls
from companion.model.absent import PlayedBy
from companion.model.errors import InvalidArgument, OnlineRefused
from companion.model.lots import drawn
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.referee.clocks import Control, Period
from companion.referee.controls import NONE, read_control, write_control

EVERYWHERE: Final = "ws://0.0.0.0:7810"
"""Where an inviting table waits, unless another place is named."""

Inform = Callable[[str], None]


@dataclass
class TwoTables:
    """A `Joined` game between two tables."""

    request: Begin
    server: GameServer
    side: Side
    intervals: Intervals

    async def play(self, table: Table, inform: Inform) -> None:
        """Play it at *table*."""
        await follow(table, self.server, frozenset({self.side}), inform, self.intervals)


async def invite(play_options: PlayOptions, via: str, colour: str, inform: Inform) -> TwoTables:
    """Say a code, and return the game when a table has come with it.

    Raises `InvalidArgument` and `SettingsError`.
    """
    game = games.find(play_options.game)
    rules = game.rules(dict(play_options.options))
    if len(rules.sides) != 2:
        raise InvalidArgument(
            "two tables play games of two sides; {game} has {count} here",
            game=game.title,
            count=len(rules.sides),
        )
    rules = game.rules(drawn(rules.options, len(rules.sides), play_options.pick))
    control = _control(play_options.clock or rules.options.get("clock", NONE))
    code, intervals = draw_code(), play_options.intervals
    side: Side = {"white": 0, "black": 1}.get(colour, secrets.randbelow(2))
    own = (play_options.players or ("",))[0]
    options = tuple(rules.options.items())
    welcome = Welcome(game.slug, options, 1 - side, write_control(control), own)
    host = Host(
        KeptGame(rules, control),
        side,
        welcome,
        Sealer(code, b"host", b"guest"),
        carrier_for(via, code.room, invites=True, intervals=intervals),
        intervals,
    )
    for place in _places(via):
        inform(
            Phrase(
                "At the other table: companion play {game} --online {code} --via {via}",
                game=game.slug,
                code=code,
                via=place,
            )
        )
    await _until_there(host, inform)
    return TwoTables(_request(welcome, side, own, host.guest_player), host, side, intervals)


async def _until_there(host: Host, inform: Inform) -> None:
    """Wait for the other table."""
    has_changed = asyncio.Event()
    said: dict[str, str] = {}

    def remark(about: str, text: str) -> None:
        if text and said.get(about) != text:
            inform(text)
        said[about] = text

    async with running(host.run(has_changed.set, remark), "inviting") as task:
        task.add_done_callback(lambda _done: has_changed.set())
        while not host.has_welcomed and not task.done():
            await has_changed.wait()
            has_changed.clear()
        if task.done():
            task.result()


async def visit(play_options: PlayOptions, code: Code, via: str) -> TwoTables:
    """Return the game of the table that waits with *code*. Raises `OnlineRefused`."""
    own = (play_options.players or ("",))[0]
    intervals = play_options.intervals
    carrier = carrier_for(via, code.room, invites=False, intervals=intervals)
    guest = Guest(Sealer(code, b"guest", b"host"), carrier, intervals, player=own)
    welcome = await guest.join()
    try:
        rules = games.find(welcome.game).rules(dict(welcome.options))
    except ValueError as fault:
        raise OnlineRefused(
            "the other table has another version of the program: install the same at both"
        ) from fault
    if welcome.game != play_options.game:
        raise OnlineRefused(
            "the other table plays {other}: companion play {other} --online CODE", other=rules.slug
        )
    return TwoTables(_request(welcome, welcome.side, own, welcome.player), guest, welcome.side, intervals)


def _request(welcome: Welcome, side: Side, own: str, other: str) -> Begin:
    """Return the game for the table that plays *side*, which keeps no time."""
    by, names = (PlayedBy.TABLE, PlayedBy.ELSEWHERE), (own, other)
    return Begin(
        welcome.game,
        welcome.options,
        (names if side == 0 else names[::-1]) if any(names) else (),
        NONE,
        played_by=by if side == 0 else by[::-1],
    )


def _control(text: str) -> Control | None:
    """Return the control *text*. Raises `InvalidArgument` for one that is not plain."""
    control = read_control(text, 2)
    if control is None:
        return None
    plain = {
        (Period(periods[0].time_ms, increment_ms=periods[0].increment_ms),) for periods in control.periods
    }
    if control.is_hourglass or not control.by_moves or set(control.periods) != plain:
        raise InvalidArgument(
            "two tables know minutes, and seconds for each move, not {clock}: name a clock such as 15+10",
            clock=text,
        )
    return control


def _places(via: str) -> tuple[str, ...]:
    """Return *via* as the other table has to name it."""
    scheme, _, place = via.partition("://")
    host, _, port = place.partition(":")
    if scheme != "ws" or host not in ("0.0.0.0", "::"):
        return (via,)
    found = [url.rstrip("/") for url in urls("ws", host, int(port or 7810)) if "localhost" not in url]
    return tuple(each for each in found if ".local" not in each) or (via,)

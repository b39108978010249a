# SPDX-License-Identifier: Apache-2.0
"""How two tables agree on a game: one says a code, the other types it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion import games
from companion.host.clock import monotonic
from companion.host.online.following import follow
from companion.host.online.two_tables import kept_file
from companion.host.online.two_tables.carriers import Carrier, carrier_for
from companion.host.online.two_tables.code import Code, draw_code, read_code
from companion.host.online.two_tables.guest import Guest
from companion.host.online.two_tables.host import Host
from companion.host.online.two_tables.kept_game import KeptGame
from companion.host.online.two_tables.kept_table import KeptTable, file_of
from companion.host.online.two_tables.messages import Welcome
from companion.host.online.two_tables.sealing import Sealer
from companion.host.play.start import PlayOptions
from companion.host.retry import Intervals
from companion.host.table.game_setup import Begin
from companion.host.table.table import Interest, Table
from companion.host.tasks import running
from companion.host.text.error_translation import translate
from companion.host.web.allowed_hosts import urls
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError, InvalidArgument, OnlineRefused, SettingsError
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
    server: Host | Guest
    side: Side
    intervals: Intervals
    kept: KeptTable
    """What a restart needs to know."""

    async def play(self, table: Table, inform: Inform) -> None:
        """Play it at *table*; what a restart needs lies beside the journal meanwhile."""
        path = file_of(table.current.journal.path)
        try:
            self.server.keep(path, self.kept)
        except SettingsError as fault:
            inform(translate(str(fault), table.pipeline.words.language))
        try:
            await follow(table, self.server, frozenset({self.side}), inform, self.intervals)
        finally:
            if self.server.state is not None and self.server.state.is_over:
                path.unlink(missing_ok=True)


async def go_on(table: Table, intervals: Intervals, inform: Inform) -> None:
    """Play games that were resumed at *table* with their other tables, until cancelled."""
    journal = None
    with table.watch(Interest.PLAY) as has_changed:
        while True:
            current = table.current
            if current.journal is not journal and current.is_resumed:
                try:
                    joined = rejoin(current.journal.path, intervals)
                except CompanionError as fault:
                    joined = None
                    inform(translate(str(fault), table.pipeline.words.language))
                if joined is not None:
                    await joined.play(table, inform)
            journal = current.journal
            if table.current.journal is journal:
                await has_changed.wait()
            has_changed.clear()


def rejoin(journal: Path, intervals: Intervals, carrier: Carrier | None = None) -> TwoTables | None:
    """Return the game of *journal* with another table; None if it has none.

    *carrier* is that of the inviting table, if it has one already.

    Raises `SettingsError` if what was kept cannot be read, and like `carrier_for`.
    """
    path = file_of(journal)
    kept = kept_file.read(path, KeptTable)
    if kept is None:
        return None
    welcome, code, invites = kept.welcome, read_code(kept.code), kept.game is not None
    rules = games.find(welcome.game).rules(dict(welcome.options))
    if carrier is None or not invites:
        carrier = carrier_for(kept.via, code.room, invites=invites, intervals=intervals)
    if kept.game is None:
        guest = Guest(
            Sealer(code, b"guest", b"host"), carrier, intervals, player=kept.guest_player, name=kept.guest
        )
        return _joined(guest, welcome.side, intervals, kept)
    clock = monotonic()
    try:
        game = KeptGame.restored(rules, _control(welcome.control), kept.game, 1 - welcome.side, clock())
    except ValueError as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=path, reason=fault) from fault
    host = Host(
        game,
        1 - welcome.side,
        welcome,
        Sealer(code, b"host", b"guest"),
        carrier,
        intervals,
        clock,
        guest=kept.guest,
        guest_player=kept.guest_player,
        done=kept.done,
        has_welcomed=True,
    )
    return _joined(host, host.side, intervals, kept)


def _joined(server: Host | Guest, side: Side, intervals: Intervals, kept: KeptTable) -> TwoTables:
    """Return the game of *kept* for the table that plays *side*."""
    names = (kept.welcome.player, kept.guest_player)
    own, other = names if side != kept.welcome.side else names[::-1]
    return TwoTables(_request(kept.welcome, side, own, other), server, side, intervals, kept)


async def invite(play_options: PlayOptions, via: str, colour: str, inform: Inform) -> TwoTables:
    """Say a code, and return the game when a table has come with it.

    Raises `InvalidArgument` and `SettingsError`.
    """
    code = draw_code()
    for place in places(via):
        inform(
            Phrase(
                "At the other table: companion play {game} --online {code} --via {via}",
                game=play_options.game,
                code=code,
                via=place,
            )
        )
    side: Side = {"white": 0, "black": 1}.get(colour, secrets.randbelow(2))
    carrier = carrier_for(via, code.room, invites=True, intervals=play_options.intervals)
    return await wait_for(play_options, code, via, side, inform, carrier)


async def wait_for(
    play_options: PlayOptions, code: Code, via: str, side: Side, inform: Inform, carrier: Carrier
) -> TwoTables:
    """Return the game in which this table plays *side*, when one has come with *code*.

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
    intervals = play_options.intervals
    own = (play_options.players or ("",))[0]
    welcome = Welcome(game.slug, tuple(rules.options.items()), 1 - side, write_control(control), own)
    host = Host(KeptGame(rules, control), side, welcome, Sealer(code, b"host", b"guest"), carrier, intervals)
    await _until_there(host, inform)
    kept = KeptTable(str(code), via, welcome, host.guest, host.guest_player)
    return _joined(host, side, intervals, kept)


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


async def visit(play_options: PlayOptions, code: Code, via: str, name: str = "") -> TwoTables:
    """Return the game of the table that waits with *code*.

    It knows this one again by *name*; a new one is drawn if it is empty. Raises `OnlineRefused`.
    """
    own = (play_options.players or ("",))[0]
    intervals = play_options.intervals
    carrier = carrier_for(via, code.room, invites=False, intervals=intervals)
    name = name or secrets.token_hex(16)
    guest = Guest(Sealer(code, b"guest", b"host"), carrier, intervals, player=own, name=name)
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
    kept = KeptTable(str(code), via, welcome, guest.name, own)
    return _joined(guest, welcome.side, intervals, kept)


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


def places(via: str) -> tuple[str, ...]:
    """Return *via* as the other table has to name it."""
    scheme, _, place = via.partition("://")
    host, _, port = place.partition(":")
    if scheme != "ws" or host not in ("0.0.0.0", "::"):
        return (via,)
    found = [url.rstrip("/") for url in urls("ws", host, int(port or 7810)) if "localhost" not in url]
    return tuple(each for each in found if ".local" not in each) or (via,)

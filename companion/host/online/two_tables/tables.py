# SPDX-License-Identifier: Apache-2.0
"""How two tables agree on a game: one says a code, the other types it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from companion import games
from companion.host.clock import monotonic
from companion.host.journal.setup import GameSetup
from companion.host.online.following import follow
from companion.host.online.two_tables.carriers import Carrier, carrier_for
from companion.host.online.two_tables.code import Code, draw_code, read_code
from companion.host.online.two_tables.guest import Guest
from companion.host.online.two_tables.host import Host
from companion.host.online.two_tables.kept_game import KeptGame, KeptMoves
from companion.host.online.two_tables.kept_table import (
    Keeping,
    KeptTable,
    begun_journal,
    folder_of,
    of_journal,
    result_in,
    unfinished,
)
from companion.host.online.two_tables.messages import Welcome
from companion.host.online.two_tables.sealing import Sealer
from companion.host.play.start import PlayOptions
from companion.host.retry import Intervals
from companion.host.table.table import Table
from companion.host.table.table_game import Begin
from companion.host.tasks import running
from companion.host.text.error_translation import translate
from companion.host.web.allowed_hosts import urls
from companion.model.absent import PlayedBy
from companion.model.errors import InvalidArgument, OnlineRefused, SettingsError
from companion.model.game import Outcome
from companion.model.lots import drawn
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.referee.values.clocks import Control, Period
from companion.referee.values.commands import Conclude
from companion.referee.values.controls import NONE, read_control, write_control

EVERYWHERE: Final = "ws://0.0.0.0:7810"
"""Where an inviting table waits, unless another place is named."""

Inform = Callable[[str], None]


@dataclass
class TwoTables:
    """A `Joined` game between two tables."""

    server: Host | Guest
    side: Side
    intervals: Intervals
    keeping: Keeping
    """What a restart needs to know."""
    ended: Outcome | None = None
    """The result with which the game had ended before a restart."""

    @property
    def request(self) -> Begin:
        """The game for this table, which keeps no time."""
        welcome, own, other = self.keeping.welcome, PlayedBy.TABLE, PlayedBy.ELSEWHERE
        names = (welcome.player, self.keeping.now.guest_player)
        names = names if welcome.side == 1 else names[::-1]
        setup = GameSetup(
            welcome.game,
            welcome.options,
            names if any(names) else (),
            NONE,
            played_by=(own, other) if self.side == 0 else (other, own),
        )
        return Begin(setup)

    async def play(self, table: Table, inform: Inform) -> None:
        """Play it at *table*, whose journal is noted for a restart."""
        journal = table.current.journal

        def has_ended() -> bool:
            return table.current.journal is journal and table.pipeline.view.outcome is not None

        self.server.has_ended = has_ended
        try:
            self.keeping.bind(journal.path)
        except SettingsError as fault:
            inform(translate(str(fault), table.pipeline.words.language))
        if self.ended is not None:  # a resumed game goes on; the other table may not know its end
            table.ask(Conclude(self.ended.winners, self.ended.termination))
        try:
            await follow(table, self.server, frozenset({self.side}), inform, self.intervals)
        finally:
            self.keeping.release()


def rejoin(journal: Path, play_options: PlayOptions, carrier: Carrier | None = None) -> TwoTables | None:
    """Return the game of *journal* with another table; None if it has none.

    *carrier* is that of the inviting table, if it has one already.

    Raises `SettingsError` if what was kept cannot be read, and like `carrier_for`.
    """
    folder = folder_of(play_options)
    kept = of_journal(folder, play_options.setup.game, journal)
    if kept is None:
        return None
    keeping = Keeping.of(folder, read_code(kept.code), kept)
    with keeping.released_by_errors():
        joined = _restored(keeping, play_options.intervals, carrier)
        return replace(joined, ended=result_in(journal))


def _restored(keeping: Keeping, intervals: Intervals, carrier: Carrier | None = None) -> TwoTables:
    """Return the agreed game of *keeping*; an inviting table may have a *carrier*.

    Raises like `rejoin`.
    """
    kept, welcome = keeping.now, keeping.welcome
    code = read_code(kept.code)
    if carrier is None:
        carrier = carrier_for(kept.via, code.room, invites=kept.invites, intervals=intervals)
    if not kept.invites:
        return TwoTables(_guest(keeping, carrier, intervals), welcome.side, intervals, keeping)
    rules = games.find(welcome.game).rules(dict(welcome.options))
    clock, side = monotonic(), 1 - welcome.side
    try:
        moves = kept.game or KeptMoves()
        game = KeptGame.restored(rules, _control(welcome.control), moves, side, clock())
    except ValueError as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=keeping.path, reason=fault) from fault
    host = Host(
        game,
        side,
        welcome,
        Sealer(code, b"host", b"guest"),
        carrier,
        intervals,
        clock,
        guest=kept.guest,
        guest_player=kept.guest_player,
        done=kept.done,
        has_welcomed=True,
        keeping=keeping,
    )
    return TwoTables(host, side, intervals, keeping)


def _guest(keeping: Keeping, carrier: Carrier, intervals: Intervals) -> Guest:
    """Return the invited end of *keeping*."""
    kept = keeping.now
    sealer = Sealer(read_code(kept.code), b"guest", b"host")
    return Guest(sealer, carrier, intervals, player=kept.guest_player, name=kept.guest, keeping=keeping)


async def invite(
    play_options: PlayOptions,
    via: str,
    colour: str,
    inform: Inform,
    code: Code | None = None,
    *,
    is_another: bool = False,
) -> TwoTables:
    """Say *code*, or a chosen one, and return the game when a table has come.

    Unless *is_another*, the last code for such a game is said again if no play has begun with it.
    Raises `InvalidArgument`, `JournalError`, `OnlineRefused` and `SettingsError`.
    """
    last = None if is_another or code else last_invited(play_options, via)
    if last is not None and begun_journal(folder_of(play_options), last) is None:
        code = read_code(last.code)
    code = code or draw_code()

    def say() -> None:
        for place in places(via):
            inform(
                Phrase(
                    "At the other table: companion play {game} --online {code} --via {via}",
                    game=play_options.setup.game,
                    code=code,
                    via=place,
                )
            )

    side: Side = {"white": 0, "black": 1}.get(colour, secrets.randbelow(2))
    carrier = carrier_for(via, code.room, invites=True, intervals=play_options.intervals)
    return await wait_for(play_options, code, via, side, inform, carrier, say)


def last_invited(play_options: PlayOptions, via: str) -> KeptTable | None:
    """Return the last game by *via* to which this table invited, unless over."""
    kept = unfinished(folder_of(play_options), play_options.setup.game)
    return next((each for each in kept if each.invites and each.via == via), None)


async def wait_for(
    play_options: PlayOptions,
    code: Code,
    via: str,
    side: Side,
    inform: Inform,
    carrier: Carrier,
    say: Callable[[], None] = lambda: None,
) -> TwoTables:
    """Return the game in which this table plays *side*, when one has come with *code*.

    One that was agreed with it before goes on. *say* is called when the code is kept.

    Raises `InvalidArgument`, `OnlineRefused` and `SettingsError`.
    """
    intervals = play_options.intervals
    welcome = _offered(play_options, side)
    rules, control = games.find(welcome.game).rules(dict(welcome.options)), _control(welcome.control)
    first = KeptTable(str(code), via, welcome.game, invites=True)
    keeping = Keeping.of(folder_of(play_options), code, first)
    with keeping.released_by_errors():
        say()
        if keeping.now.guest:
            return _restored(keeping, intervals, carrier)
        sealer = Sealer(code, b"host", b"guest")
        host = Host(KeptGame(rules, control), side, welcome, sealer, carrier, intervals, keeping=keeping)
        await _until_there(host, inform)
    return TwoTables(host, side, intervals, keeping)


def _offered(play_options: PlayOptions, side: Side) -> Welcome:
    """Return the game to which a table that plays *side* invites. Raises `InvalidArgument`."""
    game, rules = games.find(play_options.setup.game), play_options.setup.rules
    if len(rules.sides) != 2:
        raise InvalidArgument(
            "two tables play games of two sides; {game} has {count} here",
            game=game.title,
            count=len(rules.sides),
        )
    rules = game.rules(drawn(rules.options, len(rules.sides), play_options.pick))
    control = _control(play_options.setup.control or rules.options.get("clock", NONE))
    own = (play_options.setup.players or ("",))[0]
    return Welcome(game.slug, tuple(rules.options.items()), 1 - side, write_control(control), own)


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
    """Return the game of the table that waits with *code*.

    It knows this one again by a name, which is kept before it is sent. Raises `OnlineRefused`, and
    `SettingsError` if that cannot be kept.
    """
    intervals, own = play_options.intervals, (play_options.setup.players or ("",))[0]
    carrier = carrier_for(via, code.room, invites=False, intervals=intervals)
    name = secrets.token_hex(16)
    first = KeptTable(str(code), via, play_options.setup.game, invites=False, guest=name, guest_player=own)
    keeping = Keeping.of(folder_of(play_options), code, first)
    with keeping.released_by_errors():
        guest = _guest(keeping, carrier, intervals)
        if keeping.now.welcome is None:
            welcome = await guest.join()
            _check_offered(welcome, play_options)
            keeping.change(welcome=welcome, wanted=welcome.game, via=via)
    return TwoTables(guest, keeping.welcome.side, intervals, keeping)


def _check_offered(welcome: Welcome, play_options: PlayOptions) -> None:
    """Raise `OnlineRefused` if *welcome* is no game that can be played with *play_options*."""
    try:
        rules = games.find(welcome.game).rules(dict(welcome.options))
    except ValueError as fault:
        raise OnlineRefused(
            "the other table has another version of the program: install the same at both"
        ) from fault
    if welcome.game != play_options.setup.game:
        raise OnlineRefused(
            "the other table plays {other}: companion play {other} --online CODE", other=rules.slug
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

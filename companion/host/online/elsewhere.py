# SPDX-License-Identifier: Apache-2.0
"""Games with people elsewhere, as every table has them in mind.

Its rule: what talks to other places is imported when one is asked for. Few tables need it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, Protocol

from companion import games
from companion.host.online.lichess_wish import ANYONE
from companion.host.online.tokens import LICHESS, address_of, has_token, servers
from companion.host.play.start import OnlineOptions, PlayOptions
from companion.host.table.table import Interest, Table
from companion.host.table.table_game import Begin, Invitation
from companion.host.text.error_translation import translate
from companion.model.errors import CompanionError

NEW: Final = "new"
"""Place of a game to which another table is invited; the last one goes on."""
ANOTHER: Final = "another"
"""Likewise, but no game goes on."""
_CHESS: Final = "chess"
"""The one game of lichess here."""
_ANYONES_CLOCK: Final = "15+10"
"""The clock on lichess, unless another is chosen: anyone needs one."""


class Joined(Protocol):
    """A game that a table plays with a place elsewhere."""

    @property
    def request(self) -> Begin:
        """What the table is to begin."""
        ...

    async def play(self, table: Table, inform: Callable[[str], None]) -> None:
        """Play it at *table* until another game begins there; *inform* gets remarks."""
        ...


class GamesElsewhere:
    """The places that a program can reach: an `Elsewhere` for the menu."""

    def __init__(self, play_options: PlayOptions) -> None:
        self._play_options = play_options

    def places(self, slug: str) -> Iterator[str]:
        """Yield the places where *slug* can be played: `new`, `lichess`."""
        if len(games.find(slug).rules().sides) == 2 and importlib.util.find_spec("cryptography"):
            yield NEW
        if slug == _CHESS and importlib.util.find_spec("httpx") and has_token(address_of(LICHESS)):
            yield LICHESS

    def server(self) -> str:
        """Return the server to which somebody is logged in, lichess before others."""
        found = servers() if importlib.util.find_spec("httpx") else ()
        return LICHESS if address_of(LICHESS) in found else next(iter(found), "")

    async def play(self, invitation: Invitation, table: Table, inform: Callable[[str], None]) -> None:
        """Join the game of *invitation*, and play it until another game begins.

        It waits for an opponent. Raises `CompanionError`.
        """
        place, wish = invitation.place, invitation.game.setup

        def show(said: str) -> None:
            table.remark("elsewhere", said)
            inform(translate(said, table.pipeline.words.language))

        is_plain = invitation.opponent == ANYONE and invitation.days is None
        language = invitation.game.language
        usual = _ANYONES_CLOCK if place == LICHESS and is_plain else ""
        play_options = replace(
            self._play_options,
            setup=replace(wish, players=wish.players[:1], control=wish.control or usual),
            language=language or table.pipeline.words.language,
        )
        online = self._play_options.online
        is_as_before = online is not None and (
            online.place == place or (online.place, place) == (ANOTHER, NEW)
        )
        via = online.via if online is not None and is_as_before else ""
        options = OnlineOptions(place, via, invitation.opponent, invitation.days)
        from companion.host.online.join import joined

        game = await joined(play_options, options, show)
        await table.request_game(replace(game.request, language=language))
        with table.watch(Interest.PLAY) as has_changed:
            while not table.current.setup.is_elsewhere:
                await has_changed.wait()
                has_changed.clear()
        await game.play(table, inform)


async def go_on(table: Table, play_options: PlayOptions, inform: Callable[[str], None]) -> None:
    """Play games that were resumed at *table* with their other tables, until cancelled."""
    journal = None
    with table.watch(Interest.PLAY) as has_changed:
        while True:
            current = table.current
            if current.journal is not journal and current.is_resumed:
                from companion.host.online.two_tables.tables import rejoin

                try:
                    joined = rejoin(
                        current.journal.path,
                        replace(play_options, setup=replace(play_options.setup, game=current.setup.game)),
                    )
                except CompanionError as fault:
                    joined = None
                    inform(translate(str(fault), table.pipeline.words.language))
                if joined is not None:
                    await joined.play(table, inform)
            journal = current.journal
            if table.current.journal is journal:
                await has_changed.wait()
            has_changed.clear()

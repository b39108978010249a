# SPDX-License-Identifier: Apache-2.0
"""Finds the game with people elsewhere that command line or menu ask for."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from companion import games
from companion.host.online.joined import Joined
from companion.host.online.lichess import CHESS, find_game
from companion.host.online.lichess_wish import ANYONE, Wish
from companion.host.online.tokens import LICHESS, address_of, has_token, servers, token_of
from companion.host.online.two_tables.code import read_code
from companion.host.online.two_tables.tables import EVERYWHERE, invite, visit
from companion.host.play.start import OnlineOptions, PlayOptions
from companion.host.table.game_setup import Invitation
from companion.host.table.table import Interest, Table
from companion.host.text.error_translation import translate
from companion.model.absent import PlayedBy
from companion.model.errors import InvalidArgument

NEW: Final = "new"
"""Place of a game to which another table is invited."""
_ANYONES_CLOCK: Final = "15+10"
"""The clock on lichess, unless another is chosen: anyone needs one."""

Inform = Callable[[str], None]


def join(play_options: PlayOptions, inform: Inform) -> Joined | None:
    """Return the game elsewhere that *play_options* ask for; None without one.

    It may wait for an opponent. Raises `CompanionError`.
    """
    if play_options.online is None:
        return None

    def show(said: str) -> None:
        inform(translate(said, play_options.language))

    return asyncio.run(joined(play_options, play_options.online, show))


async def joined(play_options: PlayOptions, online: OnlineOptions, show: Inform) -> Joined:
    """Return the game of *online*; *show* gets messages that are not translated yet.

    It may wait for an opponent. Raises `CompanionError`.
    """
    if online.place == NEW:
        return await invite(play_options, online.via or EVERYWHERE, online.colour, show)
    if online.place == LICHESS or "://" in online.place:
        return await _on_lichess(play_options, online, show)
    code = read_code(online.place)
    if not online.via:
        raise InvalidArgument("name the place of the other table with --via, as it says beside the code")
    return await visit(play_options, code, online.via)


async def _on_lichess(play_options: PlayOptions, online: OnlineOptions, show: Inform) -> Joined:
    """Return the game on lichess that *online* asks for. Raises `CompanionError`."""
    if play_options.game != CHESS or play_options.options:
        raise InvalidArgument("lichess plays chess, without options: companion play chess --online lichess")
    clock = play_options.clock or ""
    wish = Wish(online.opponent, clock, online.days, online.colour, is_rated=online.is_rated)
    wish.form()  # refused before anybody is asked
    url = address_of(online.place)
    return await find_game(url, token_of(url), wish, online.number, show, play_options.intervals)


class GamesElsewhere:
    """The places that a program can reach: an `Elsewhere` for the menu."""

    def __init__(self, play_options: PlayOptions) -> None:
        self._play_options = play_options

    def places(self, slug: str) -> Iterator[str]:
        """Yield the places where *slug* can be played: `new`, `lichess`."""
        if len(games.find(slug).rules().sides) == 2 and importlib.util.find_spec("cryptography"):
            yield NEW
        if slug == CHESS and importlib.util.find_spec("httpx") and has_token(address_of(LICHESS)):
            yield LICHESS

    def server(self) -> str:
        """Return the server to which somebody is logged in, lichess before others."""
        found = servers() if importlib.util.find_spec("httpx") else ()
        return LICHESS if address_of(LICHESS) in found else next(iter(found), "")

    async def play(self, invitation: Invitation, table: Table, inform: Callable[[str], None]) -> None:
        """Join the game of *invitation*, and play it until another game begins.

        It waits for an opponent. Raises `CompanionError`.
        """
        place, wish = invitation.place, invitation.game

        def show(said: str) -> None:
            table.remark("elsewhere", said)
            inform(translate(said, table.pipeline.words.language))

        is_plain = invitation.opponent == ANYONE and invitation.days is None
        usual = _ANYONES_CLOCK if place == LICHESS and is_plain else None
        play_options = replace(
            self._play_options,
            game=wish.game,
            options=dict(wish.options),
            players=wish.players[:1],
            clock=wish.control or usual,
            language=wish.language or table.pipeline.words.language,
        )
        online = self._play_options.online
        via = online.via if online is not None and online.place == place else ""
        options = OnlineOptions(place, via, invitation.opponent, invitation.days)
        game = await joined(play_options, options, show)
        await table.request_game(replace(game.request, language=wish.language))
        with table.watch(Interest.PLAY) as has_changed:
            while PlayedBy.ELSEWHERE not in table.current.played_by:
                await has_changed.wait()
                has_changed.clear()
        await game.play(table, inform)

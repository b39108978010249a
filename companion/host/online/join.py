# SPDX-License-Identifier: Apache-2.0
"""Finds the game with people elsewhere that the command line asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from companion.host.online.joined import Joined
from companion.host.online.lichess import find_game
from companion.host.online.lichess_wish import Wish
from companion.host.online.tokens import LICHESS, address_of, token_of
from companion.host.online.two_tables.code import read_code
from companion.host.online.two_tables.tables import EVERYWHERE, invite, visit
from companion.host.play.start import OnlineOptions, PlayOptions
from companion.host.text.error_translation import translate
from companion.model.errors import InvalidArgument

NEW: Final = "new"
"""Place of a game to which another table is invited."""
_CHESS: Final = "chess"

Inform = Callable[[str], None]


def join(play_options: PlayOptions, inform: Inform) -> Joined | None:
    """Return the game elsewhere that *play_options* ask for; None without one.

    It may wait for an opponent. Raises `CompanionError`.
    """
    online = play_options.online
    if online is None:
        return None

    def show(said: str) -> None:
        inform(translate(said, play_options.language))

    if online.place == NEW:
        return asyncio.run(invite(play_options, online.via or EVERYWHERE, online.colour, show))
    if online.place == LICHESS or "://" in online.place:
        return _on_lichess(play_options, online, show)
    code = read_code(online.place)
    if not online.via:
        raise InvalidArgument("name the place of the other table with --via, as it says beside the code")
    return asyncio.run(visit(play_options, code, online.via))


def _on_lichess(play_options: PlayOptions, online: OnlineOptions, show: Inform) -> Joined:
    """Return the game on lichess that *online* asks for. Raises `CompanionError`."""
    if play_options.game != _CHESS or play_options.options:
        raise InvalidArgument("lichess plays chess, without options: companion play chess --online lichess")
    clock = play_options.clock or ""
    wish = Wish(online.opponent, clock, online.days, online.colour, is_rated=online.is_rated)
    wish.form()  # refused before anybody is asked
    url = address_of(online.place)
    return asyncio.run(find_game(url, token_of(url), wish, online.number, show, play_options.intervals))

# SPDX-License-Identifier: Apache-2.0
"""Finds the game with people elsewhere that the command line asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from companion.host.online.joined import Joined
from companion.host.online.lichess import find_game
from companion.host.online.lichess_wish import Wish
from companion.host.online.tokens import address_of, token_of
from companion.host.play.start import PlayOptions
from companion.host.text.error_translation import translate
from companion.model.errors import InvalidArgument

_CHESS = "chess"


def join(play_options: PlayOptions, inform: Callable[[str], None]) -> Joined | None:
    """Return the game elsewhere that *play_options* ask for; None without one.

    It may wait for an opponent.

    Raises `CompanionError`.
    """
    online = play_options.online
    if online is None:
        return None
    if play_options.game != _CHESS or play_options.options:
        raise InvalidArgument("lichess plays chess, without options: companion play chess --online lichess")
    wish = Wish(
        online.opponent, play_options.clock or "", online.days, online.colour, is_rated=online.is_rated
    )
    wish.form()  # refused before anybody is asked
    url = address_of(online.place)
    language = play_options.language
    return asyncio.run(
        find_game(
            url,
            token_of(url),
            wish,
            online.number,
            lambda said: inform(translate(said, language)),
            play_options.intervals,
        )
    )

# SPDX-License-Identifier: Apache-2.0
"""Finds the game with people elsewhere that command line or menu ask for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from companion.host.journal import files
from companion.host.online.elsewhere import ANOTHER, NEW, Joined
from companion.host.online.lichess import CHESS, find_game
from companion.host.online.lichess_wish import Wish
from companion.host.online.tokens import LICHESS, address_of, token_of
from companion.host.online.two_tables.code import read_code
from companion.host.online.two_tables.kept_table import (
    KeptTable,
    begun_journal,
    file_of,
    folder_of,
    of_code,
    unfinished,
)
from companion.host.online.two_tables.tables import EVERYWHERE, invite, last_invited, visit
from companion.host.play.start import OnlineOptions, PlayOptions
from companion.host.text.error_translation import translate
from companion.model.errors import InvalidArgument, OnlineRefused
from companion.model.phrase import Phrase

Inform = Callable[[str], None]


def join(play_options: PlayOptions, inform: Inform) -> Joined | None:
    """Return the game elsewhere that *play_options* ask for; None without one.

    It may wait for an opponent. Raises `CompanionError`.
    """
    if play_options.online is None or play_options.resume:
        return None

    def show(said: str) -> None:
        inform(translate(said, play_options.language))

    return asyncio.run(joined(play_options, play_options.online, show))


async def joined(play_options: PlayOptions, online: OnlineOptions, show: Inform) -> Joined:
    """Return the game of *online*; *show* gets messages that are not translated yet.

    It may wait for an opponent. Raises `CompanionError`.
    """
    if online.place in (NEW, ANOTHER):
        via, is_another = online.via or EVERYWHERE, online.place == ANOTHER
        return await invite(play_options, via, online.colour, show, is_another=is_another)
    if online.place == LICHESS or "://" in online.place:
        return await _on_lichess(play_options, online, show)
    code = read_code(online.place)
    kept = of_code(folder_of(play_options), code)
    via = online.via or ("" if kept is None else kept.via)
    if not via:
        raise InvalidArgument("name the place of the other table with --via, as it says beside the code")
    if kept is not None and kept.invites:
        return await invite(play_options, kept.via, online.colour, show, code=code)
    return await visit(play_options, code, via)


def going_on(play_options: PlayOptions, inform: Inform) -> PlayOptions:
    """Return *play_options* that resume the game with another table that they ask for again.

    The same, if play has not begun in one. *inform* gets which one goes on.

    Raises `InvalidArgument` for a game that is to be resumed and is not there, and `OnlineRefused`
    for one that is over.
    """
    found = _kept(play_options)
    if found is None:
        return play_options
    kept, place = found
    if kept.is_over:
        raise OnlineRefused("the game of this code is over: ask for a new code")
    online = replace(play_options.online or OnlineOptions(kept.code), place=place)
    journal = begun_journal(folder_of(play_options), kept)
    said = Phrase("going on with the game of {code}", code=kept.code)
    if kept.invites:
        said = Phrase(
            "{reason}; for another: companion play {game} --online another",
            reason=said,
            game=play_options.setup.game,
        )
    if kept.welcome is not None:
        inform(translate(said, play_options.language))
    if journal is None:
        return replace(play_options, online=online, resume=False)
    return replace(play_options, online=online, resume=True, journal=journal, may_have_ended=True)


def _kept(play_options: PlayOptions) -> tuple[KeptTable, str] | None:
    """Return the game with another table that *play_options* ask for again, and its place.

    Raises `InvalidArgument` if it is to be resumed and is not there.
    """
    online, folder = play_options.online, folder_of(play_options)
    if online is None:
        kept = _agreed_last(play_options) if play_options.resume else None
        return None if kept is None else (kept, kept.code)
    if online.place == NEW:
        kept = last_invited(play_options, online.via or EVERYWHERE)
    elif is_with_table(online.place):
        kept = of_code(folder, read_code(online.place))
    else:
        return None
    if kept is None and play_options.resume:
        raise InvalidArgument("no game with this other table was broken off here: leave out --resume")
    return None if kept is None else (kept, online.place)


def _agreed_last(play_options: PlayOptions) -> KeptTable | None:
    """Return a game that was agreed after all play here, and has not begun."""
    if play_options.journal is not None or play_options.record is not None:
        return None
    folder = folder_of(play_options)
    kept = next(
        (each for each in unfinished(folder, play_options.setup.game) if each.welcome is not None), None
    )
    if kept is None or begun_journal(folder, kept) is not None:
        return None
    broken_off = files.newest_under_way(play_options.setup.game, folder)
    file = file_of(folder, read_code(kept.code), invites=kept.invites)
    is_newer = broken_off is None or file.stat().st_mtime_ns > broken_off.path.stat().st_mtime_ns
    return kept if is_newer else None


def is_with_table(place: str) -> bool:
    """True if *place* asks for a game with another table that may go on."""
    return place not in (ANOTHER, LICHESS) and "://" not in place


async def _on_lichess(play_options: PlayOptions, online: OnlineOptions, show: Inform) -> Joined:
    """Return the game on lichess that *online* asks for. Raises `CompanionError`."""
    if play_options.setup.game != CHESS or play_options.setup.options:
        raise InvalidArgument("lichess plays chess, without options: companion play chess --online lichess")
    wish = Wish(
        online.opponent, play_options.setup.control, online.days, online.colour, is_rated=online.is_rated
    )
    wish.form()  # refused before anybody is asked
    url = address_of(online.place)
    return await find_game(url, token_of(url), wish, online.number, show, play_options.intervals)

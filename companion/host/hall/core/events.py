# SPDX-License-Identifier: Apache-2.0
"""The game of a tournament's tables, its set-up at stations, and its points.

Pure. A station is compared with the game of its table whenever either changes; if they differ, an
order starts the right game.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from companion import games
from companion.host.hall.core.station_states import Hello, StationState, is_name
from companion.host.journal.setup import GameSetup
from companion.model.errors import CompanionError, OptionError, TournamentError
from companion.model.game import Outcome
from companion.tournament.acts import Act, Noted, Opened
from companion.tournament.book import Book
from companion.tournament.values import DRAW, LOSS, WIN, Points, Tournament, places

PLAYERS: Final = "players"
"""Option with the number of players: set from the pairing in games that have it."""

MOST_ROUNDS: Final = 60
"""Limit of planned rounds."""
LONGEST_NOTE: Final = 8 << 10
"""Bytes of a remark in the book, which every desk shows."""
_LONGEST_KEY: Final = 40
"""Length limit of a tournament's key, which is part of URLs and file names."""


def check(opened: Opened) -> None:
    """Check key, name, rounds, game, options and number of seats of a tournament.

    Raises `SettingsError`, `OptionError` and `TournamentError`.
    """
    if len(opened.key) > _LONGEST_KEY or not is_name(opened.key):
        raise TournamentError(
            "{key!r} is not a short name: expected letters, digits, - and _, {longest} at most",
            key=opened.key,
            longest=_LONGEST_KEY,
        )
    if not opened.name.strip():
        raise TournamentError("a tournament needs a name")
    if not 0 <= opened.planned <= MOST_ROUNDS:
        raise TournamentError(
            "{tournament}: 0 to {most} rounds can be planned", tournament=opened.name, most=MOST_ROUNDS
        )
    if not opened.game:
        if opened.options:
            raise TournamentError("{tournament}: options are of one game: name it", tournament=opened.name)
        return
    game = games.find(opened.game)
    chosen = _options(opened.game, dict(opened.options), opened.seats)
    sides = len(game.rules(chosen).sides)
    if sides < opened.seats:
        raise TournamentError(
            "{tournament}: {game} is for {sides}, not for {seats} at a table",
            tournament=opened.name,
            game=game.title,
            sides=sides,
            seats=opened.seats,
        )


def check_note(act: Act) -> None:
    """Check the length of the remark in *act*. Raises `TournamentError`."""
    size = len(getattr(act, "text" if isinstance(act, Noted) else "note", "").encode())
    if size > LONGEST_NOTE:
        raise TournamentError(
            "a remark has {most} KB at most, not {size}: keep a longer text elsewhere",
            most=LONGEST_NOTE >> 10,
            size=-(-size >> 10),
        )


def wanted(book: Book, station: str) -> GameSetup | None:
    """Return the game for the table at *station*;

    None without a table, or if any game may be played.
    """
    given = book.at_station(station)
    if given is None:
        return None
    of = book.of(given.key).tournament
    pairing = of.pairing(given.round, given.table)
    setup = setup_for(of, len(pairing.players)) if pairing.is_on else None
    names = tuple(of.player(number).name for number in pairing.seated)
    return setup and replace(setup, players=names)


def setup_for(of: Tournament, players: int) -> GameSetup | None:
    """Return the game for a table of *players*; None if it is open or unknown."""
    with contextlib.suppress(CompanionError):
        chosen = _options(of.game, games.kept_options(of.game, dict(of.options)), players)
        games.find(of.game).rules(chosen)
        return GameSetup(of.game, tuple(chosen.items()))
    return None


def is_set_out(hello: Hello, setup: GameSetup) -> bool:
    """True if the station of *hello* plays the game of *setup*."""
    game = games.find(setup.game)
    with contextlib.suppress(OptionError):  # a station of another version may have other options
        if hello.game == setup.game:
            played = game.rules(games.kept_options(hello.game, dict(hello.options)))
            return dict(played.options) == dict(setup.rules.options)
    return False


def set_out(hello: Hello) -> tuple[object, ...]:
    """Return what identifies the game that the program of *hello* has set up."""
    return hello.instance, hello.game, hello.options


def is_busy(state: StationState) -> bool:
    """True if a game is in progress at the station."""
    glance = state.glance
    return glance is not None and glance.ply > 0 and glance.outcome is None


def is_under_way(state: StationState) -> bool:
    """True if a game is in progress, or its clock runs before the first move."""
    glance = state.glance
    if glance is None or glance.outcome is not None:
        return False
    return glance.ply > 0 or any(clock.is_running for clock in glance.clocks)


def points_of_outcome(outcome: Outcome, seats: int) -> tuple[Points, ...]:
    """Return the points of each seat: by the game's scores, otherwise by winners.

    Raises `TournamentError` if the number of sides does not fit.
    """
    sides = len(outcome.scores) or 1 + max((1, *outcome.winners))
    if sides != seats and (outcome.scores or sides > seats):
        raise TournamentError("the game was for {sides}, at the table sit {seats}", sides=sides, seats=seats)
    if seats == 2:
        return tuple(
            WIN if seat in outcome.winners else LOSS if outcome.winners else DRAW for seat in range(2)
        )
    worth = [
        (seat in outcome.winners, outcome.scores[seat] if outcome.scores else 0) for seat in range(seats)
    ]
    ranking = tuple(
        tuple(seat for seat in range(seats) if worth[seat] == value)
        for value in sorted(set(worth), reverse=True)
    )
    return places(ranking)


def _options(slug: str, options: Mapping[str, str], players: int) -> dict[str, str]:
    """Return *options* of game *slug* for *players*. Raises `SettingsError`."""
    counts = any(option.name == PLAYERS for option in games.find(slug).options)
    return {**options, PLAYERS: str(players)} if counts else dict(options)

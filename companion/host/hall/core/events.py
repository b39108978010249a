# SPDX-License-Identifier: Apache-2.0
"""What is played at the tables of a tournament: its game under its options, whether a board has set that out, what it brings.

Pure. A board is held against what its table is to play whenever either is new; what differs is begun there by an order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Final

from companion import games
from companion.host.hall.core.seats import Hello, Seat, is_name
from companion.host.table.game_setup import Begin
from companion.model.errors import CompanionError, OptionError, TournamentError
from companion.model.game import Outcome
from companion.tournament.acts import Opened
from companion.tournament.book import Book
from companion.tournament.values import DRAW, LOSS, WIN, Points, Tournament, places

PLAYERS: Final = "players"
"""The option that says how many play: where a game has it, it follows from who sits at the table."""

MOST_ROUNDS: Final = 60
"""That can be planned."""
_LONGEST_KEY: Final = 40
"""Letters of a tournament's short name: it is part of addresses and of the names of files."""


def check(opened: Opened) -> None:
    """Raise unless it can be called so, and the game is known, has these options, and is for as many as are to sit at a table.

    Raises `SettingsError`, `OptionError`, `TournamentError`.
    """
    if len(opened.key) > _LONGEST_KEY or not is_name(opened.key):
        raise TournamentError(
            "{key!r} is no short name: it wants letters, digits, - and _, {longest} at most",
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


def wanted(book: Book, board: str) -> Begin | None:
    """The game that the table at *board* is to play; None if there is no such table, or it may play any."""
    given = book.at_board(board)
    if given is None:
        return None
    of = book.of(given.key).tournament
    pairing = of.pairing(given.round, given.table)
    return request_for(of, len(pairing.players)) if pairing.is_on else None


def request_for(of: Tournament, players: int) -> Begin | None:
    """What is played at a table of *players*; None if that is open, or the game is unknown here."""
    with contextlib.suppress(CompanionError):
        chosen = _options(of.game, games.kept_options(of.game, dict(of.options)), players)
        games.find(of.game).rules(chosen)
        return Begin(of.game, tuple(chosen.items()))
    return None


def is_set_out(hello: Hello, request: Begin) -> bool:
    """True if the board that says *hello* plays what *request* wants, which is known here."""
    game = games.find(request.game)
    with contextlib.suppress(OptionError):  # a board of another version may have others
        if hello.game == request.game:
            played = game.rules(games.kept_options(hello.game, dict(hello.options)))
            return dict(played.options) == dict(game.rules(dict(request.options)).options)
    return False


def set_out(hello: Hello) -> tuple[object, ...]:
    """What is set out by the program that says *hello*."""
    return hello.instance, hello.game, hello.options


def is_busy(seat: Seat) -> bool:
    """True if a game is under way there."""
    glance = seat.glance
    return glance is not None and glance.ply > 0 and glance.outcome is None


def points_of_outcome(outcome: Outcome, seats: int) -> tuple[Points, ...]:
    """The points of every seat of a table: where the game counts points, places by these, else who won and who did not.

    Raises `TournamentError` for a game that was for others than sit there.
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
    """*options* of the game *slug* for so many *players*. Raises `SettingsError`."""
    counts = any(option.name == PLAYERS for option in games.find(slug).options)
    return {**options, PLAYERS: str(players)} if counts else dict(options)

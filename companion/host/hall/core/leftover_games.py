# SPDX-License-Identifier: Apache-2.0
"""Detection of leftover games: a board shows the finished game of its previous table."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from companion.host.hall.core.game_ends import first_end, lines_after
from companion.host.hall.core.seats import Seat
from companion.model.errors import JournalError
from companion.tournament.acts import TableGiven
from companion.tournament.book import Book


def is_left_over(
    book: Book, given: TableGiven, seat: Seat | None, folder: Path, names: Sequence[str]
) -> bool:
    """True if the game at *seat* belongs to the previous table of the board.

    That is a finished game, or one still in progress although the arbiter has entered the result.
    *book* is as before the board was *given*. False for a game that began later or before any
    assignment, if the journals do not say, and if the board was the table's already. *names* are
    the board's journals in *folder*, oldest first.
    """
    glance = seat.glance if seat is not None else None
    own = book.of(given.key).boards.get((given.round, given.table))
    is_theirs = own is not None and own.board == given.board
    if glance is None or (glance.ply == 0 and glance.outcome is None) or is_theirs:
        return False
    before = [
        ((each.journal, each.size), running.tournament.pairing(each.round, each.table), each)
        for running in book.running.values()
        for each in running.boards.values()
        if each.board == given.board
    ]
    _, pairing, newest = max(before, key=lambda each: each[0], default=(None, None, None))
    if pairing is None or newest is None or pairing.is_on:
        return False
    with contextlib.suppress(OSError, JournalError):
        return glance.outcome is not None or first_end(lines_after(newest, folder, names)) is None
    return False

# SPDX-License-Identifier: Apache-2.0
"""Whether a board that is given to a table still shows the game of another: one that is over, or that the arbiter has decided."""

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
    """True if what *seat* shows is not for the table to which its board is *given*, by *book* as it was before.

    It is what a table that has its result left there: the game that is over, or is in play although that table's has never ended.
    One that was begun later, or before anybody had the board, is theirs who sit there, and so is one of which nobody can tell,
    and whatever is shown at a board that the table has already.
    *names* are the board's journals in *folder*, the oldest first.
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

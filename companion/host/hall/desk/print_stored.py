# SPDX-License-Identifier: Apache-2.0
"""Prints lists and score sheets of a book without a running hall."""

from __future__ import annotations

from functools import partial

from companion.host.clock import monotonic, wall
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.finished_games import game_at
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import copies_folder
from companion.host.hall.desk.api_print import SHEETS
from companion.host.hall.desk.printouts import LISTS, print_list, print_score_sheets
from companion.host.journal import files
from companion.host.records.database import database_at
from companion.model.errors import UnknownName
from companion.sheets.page import PAPERS


def print_from(store: str | None, what: tuple[str, str, int], language: str, paper: str) -> bytes:
    """Print list, tournament and round *what* as a PDF. Raises `CompanionError`."""
    kind, key, in_round = what
    known = (*LISTS, SHEETS)
    if kind not in known:
        raise UnknownName("there is no list {kind!r}; there are: {known}", name=kind, known=known, kind=kind)
    with database_at(store) as database:
        hall = Hall(BookKeeper(database), copies_folder(), monotonic(), wall)
        running = hall.keeper.book.of(key)
        if kind != SHEETS:
            return print_list(running, kind, language, PAPERS[paper], in_round)
        for given in running.stations.values():
            home = files.folder() / given.board
            if home.is_dir():
                hall.homes[given.board] = home
        return print_score_sheets(running, partial(game_at, hall, running), language, PAPERS[paper], in_round)

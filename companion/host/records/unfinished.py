# SPDX-License-Identifier: Apache-2.0
"""Finds the journal of an unfinished game, to go on with it."""

from __future__ import annotations

from pathlib import Path

from companion.host.journal import files
from companion.host.journal import journal as journals
from companion.host.journal.journal import Journal
from companion.host.records.records import from_journal
from companion.model.errors import JournalError


def to_resume(
    game: str,
    folder: Path,
    path: Path | None,
    number: int | None,
    store: str | None,
    *,
    may_have_ended: bool = False,
) -> Journal:
    """Return the journal at *path*, of stored game *number*, or the newest in *folder*.

    The game at *path* *may_have_ended*.
    Raises `JournalError`, and `StoreError` for a number.
    """
    if path is not None:
        return _named(game, path, may_have_ended=may_have_ended)
    if number is not None:
        return _kept(game, folder, number, store)
    newest = files.newest_under_way(game, folder)
    if newest is None:
        raise JournalError(
            "there is no unfinished game of {game} in {folder}: play without --resume",
            game=game,
            folder=folder,
        )
    return newest


def _named(game: str, path: Path, *, may_have_ended: bool) -> Journal:
    """Return the journal at *path*. Raises `JournalError` if it does not go on."""
    found = journals.read(path)
    if found.header.setup.game != game:
        raise JournalError(
            "{path} is a game of {game}, not of {other}",
            path=found.path,
            game=found.header.setup.game,
            other=game,
        )
    if not (found.is_under_way or may_have_ended):
        raise JournalError("{path} holds no game that was broken off: play without --resume", path=found.path)
    return found


def _kept(game: str, folder: Path, number: int, url: str | None) -> Journal:
    """Return the journal in *folder* of stored game *number*.

    Raises `JournalError` and `StoreError`.
    """
    from companion.host.records.store import Store

    with Store.open(url) as store:
        kept = store.game(number)
    if kept.record.game != game:
        raise JournalError(
            "game {number} is one of {game}, not of {other}",
            number=number,
            game=kept.record.game,
            other=game,
        )
    for path in sorted(folder.glob(f"*_{game}{journals.SUFFIX}")):
        found = journals.read(path)
        *_, last = (None, *from_journal(found))
        if found.is_under_way and last is not None and last.origin == kept.origin:
            return found
    raise JournalError(
        "game {number} cannot go on: it has ended, or no journal of it is in {folder}; "
        "`companion records list` shows all",
        number=number,
        folder=folder,
    )

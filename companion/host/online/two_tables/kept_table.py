# SPDX-License-Identifier: Apache-2.0
"""What a table keeps of a game with another one, before any message.

It lies in the folder of the journals, in a file that only this user can read: the code is in it.
Its rule: what the other table hears is in the file before.
"""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, Final

from companion.host import private_files
from companion.host.journal import files
from companion.host.journal import journal as journals
from companion.host.online.two_tables import kept_file
from companion.host.online.two_tables.code import Code
from companion.host.online.two_tables.kept_game import KeptMoves
from companion.host.online.two_tables.messages import Welcome
from companion.host.play.start import PlayOptions
from companion.host.text.os_errors import reporting
from companion.model.errors import OnlineRefused, SettingsError
from companion.model.game import Outcome
from companion.referee.state.replay_events import outcome_after
from companion.referee.values.events import GameBegan

_SUFFIX: Final = ".two-tables"
_ROLES: Final = ("guest", "host")


@dataclass(frozen=True, slots=True)
class KeptTable:
    """One end of a game between two tables."""

    code: str
    via: str
    wanted: str
    """The slug of the game."""
    invites: bool
    """True at the table that has said the code."""
    guest: str = ""
    """By which the inviting table knows the invited one; empty before it has come."""
    guest_player: str = ""
    welcome: Welcome | None = None
    """The game that was agreed; None before."""
    game: KeptMoves | None = None
    """The moves, at the inviting table."""
    done: int = 0
    """Number of the invited table's last request that was carried out."""
    journal: str = ""
    """The file of the journal, as seen from the folder; empty before there is one."""
    is_over: bool = False
    """True once both tables know the end."""


class Keeping:
    """The file of one end of a game, which no other program has."""

    def __init__(self, path: Path, kept: KeptTable, claimed: int) -> None:
        """*claimed* is the descriptor that keeps others away."""
        self.path: Final = path
        self.now = kept
        self._leave: Final = weakref.finalize(self, os.close, claimed)

    @classmethod
    def of(cls, folder: Path, code: Code, first: KeptTable) -> Keeping:
        """Take the file of *code*, which begins with *first*.

        Raises `OnlineRefused` if that game is over, and `SettingsError`.
        """
        path = file_of(folder, code, invites=first.invites)
        claimed = _claim(path)
        if claimed is None:
            raise _is_elsewhere()
        keeping = cls(path, first, claimed)
        with keeping.released_by_errors():
            kept = kept_file.read(path, KeptTable)
            if kept is None:
                kept_file.write(path, first)
            elif kept.is_over:
                raise OnlineRefused("the game of this code is over: ask for a new code")
            else:
                keeping.now = kept
        return keeping

    @property
    def welcome(self) -> Welcome:
        """The game, which was agreed."""
        assert self.now.welcome is not None
        return self.now.welcome

    def change(self, **values: Any) -> None:
        """Write *values*, fields of `KeptTable`. Raises `SettingsError`."""
        now = replace(self.now, **values)
        if now != self.now:
            kept_file.write(self.path, now)
            self.now = now

    def bind(self, journal: Path) -> None:
        """Note that *journal* is that of the game. Raises `SettingsError`."""
        is_here = journal.parent.resolve() == self.path.parent.resolve()
        self.change(journal=journal.name if is_here else str(journal.resolve()))

    @contextlib.contextmanager
    def released_by_errors(self) -> Iterator[None]:
        """Release the file if the block raises."""
        try:
            yield
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Leave the file to other programs."""
        self._leave()


def folder_of(play_options: PlayOptions) -> Path:
    """Return the folder where games of *play_options* are kept."""
    return play_options.folder or files.folder()


def file_of(folder: Path, code: Code, *, invites: bool) -> Path:
    """Return the file in *folder* of the end of *code* that *invites*, or not."""
    return folder / f"{code.room}.{_ROLES[invites]}{_SUFFIX}.json"


def of_code(folder: Path, code: Code) -> KeptTable | None:
    """Return what *folder* has of the game of *code*.

    None if that is nothing, or an invitation by another program. Raises `SettingsError`, also if
    another program plays as the invited table.
    """
    for invites in (False, True):
        path = file_of(folder, code, invites=invites)
        found = kept_file.read(path, KeptTable)
        if found is None:
            continue
        if not _is_claimed(path):
            return found
        if not invites:
            raise _is_elsewhere()
    return None


def _is_elsewhere() -> SettingsError:
    return SettingsError("another program of this computer plays the game of this code: close it first")


def unfinished(folder: Path, game: str, *, with_claimed: bool = False) -> Iterator[KeptTable]:
    """Yield what is kept of *game*, and not over, the newest first.

    What cannot be read is left out; unless *with_claimed*, what another program plays, too.
    """
    found = sorted(folder.glob(f"*{_SUFFIX}.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in found:
        with contextlib.suppress(SettingsError):
            kept = kept_file.read(path, KeptTable)
            if kept is None or kept.wanted != game or kept.is_over:
                continue
            if with_claimed or not _is_claimed(path):
                yield kept


def of_journal(folder: Path, game: str, journal: Path) -> KeptTable | None:
    """Return what *folder* has of the *game* in *journal*; None without another table."""
    found = (each for each in unfinished(folder, game, with_claimed=True) if each.journal)
    return next((each for each in found if (folder / each.journal).resolve() == journal.resolve()), None)


def begun_journal(folder: Path, kept: KeptTable) -> Path | None:
    """Return the journal of *kept* if play has begun in it. Raises `JournalError`."""
    path = folder / kept.journal
    if not kept.journal or not path.exists():
        return None
    has_begun = any(isinstance(entry, GameBegan) for entry in journals.read(path).entries)
    return path if has_begun else None


def result_in(journal: Path) -> Outcome | None:
    """Return the result in *journal*; None during the game. Raises `JournalError`."""
    return reduce(outcome_after, journals.read(journal).entries, None)


def _is_claimed(path: Path) -> bool:
    """True if a program has taken *path*. Raises `SettingsError`."""
    claimed = _claim(path)
    if claimed is not None:
        os.close(claimed)
    return claimed is None


def _claim(path: Path) -> int | None:
    """Return a descriptor that keeps other programs away from *path* while it is open.

    None if one of them has it. Raises `SettingsError`.
    """
    with reporting("{path} cannot be written: {reason}", SettingsError, path=path):
        private_files.make_folder(path.parent)
        claimed = private_files.opener(str(path.with_suffix(".lock")), os.O_RDWR | os.O_CREAT)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(claimed, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(claimed, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(claimed)
        return None
    return claimed

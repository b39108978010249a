# SPDX-License-Identifier: Apache-2.0
"""The journals of a folder: their place, their names, and the game under way."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import platformdirs

from companion.host.journal.journal import SUFFIX, Journal, read

_STAMP: Final = len("2026-11-22_20-15-00")


def folder() -> Path:
    """Return the default folder of journals, in the platform's data folder."""
    return platformdirs.user_data_path("companion", appauthor=False) / "journals"


def fresh_path(game: str, began: datetime, among: Path | None = None) -> Path:
    """Return the path of a new journal.

    It is named by the time *began*, or the next free second.

    Its folder is *among*, otherwise `folder`. Names sort in the order of the games.
    """
    home = among or folder()
    taken = {path.name[:_STAMP] for path in home.glob(f"*{SUFFIX}")}
    stamps = (f"{began + timedelta(seconds=later):%Y-%m-%d_%H-%M-%S}" for later in itertools.count())
    stamp = next(each for each in stamps if each not in taken)
    return home / f"{stamp}_{game}{SUFFIX}"


def newest_under_way(game: str, among: Path) -> Journal | None:
    """Return the unfinished journal of *game* in *among* that was written last, if any.

    Raises `JournalError` if the newest one is damaged, rather than resume an older game.
    """
    for path in sorted(
        among.glob(f"*_{game}{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns, reverse=True
    ):
        journal = read(path)
        if journal.is_under_way:
            return journal
    return None

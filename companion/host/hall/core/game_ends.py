# SPDX-License-Identifier: Apache-2.0
"""Results of games, read from lines of journals. Pure, except for what reads the files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from itertools import dropwhile
from pathlib import Path
from typing import Final

from companion.host.journal import journal as journals
from companion.host.journal.checksum import whole_lines
from companion.model.game import Outcome
from companion.referee.events import GameBegan
from companion.referee.replay_events import outcome_after
from companion.tournament.acts import TableGiven

_TELLING: Final = (b"GameBegan", b"GameEnded", b"MoveRetracted", b"RecordCorrected")


def first_end(lines: Iterable[bytes]) -> Outcome | None:
    """Return the result of the first game in *lines* to end, with later corrections.

    None if no game has ended.
    """
    ended: Outcome | None = None
    for line in lines:
        event = _telling(line)
        if isinstance(event, GameBegan) and ended is not None:
            return ended
        ended = outcome_after(ended, event)
    return ended


def is_begun_by(content: bytes, order: str) -> bool:
    """True if the journal with this *content* was started by the hall's *order*."""
    with contextlib.suppress(ValueError, AttributeError):
        return bool(json.loads(content.partition(b"\n")[0]).get("order") == order)
    return False


def since_order(found: Iterable[tuple[Path, bytes]], order: str) -> Iterator[tuple[Path, bytes]]:
    """Return the journals of *found*, oldest first, starting with that of *order*."""
    return dropwhile(lambda each: bool(order) and not is_begun_by(each[1], order), found)


def lines_after(given: TableGiven, folder: Path, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the lines of the journals *names* written after their board was *given*.

    Raises `OSError`, and `JournalError` for a changed journal.
    """
    found = ((folder / name, (folder / name).read_bytes()) for name in names if name >= given.journal)
    for path, content in since_order(found, given.order):
        before = given.size if path.name == given.journal else 0
        if b"\n" in content[before:]:
            yield from whole_lines(path, content)[0][content[:before].count(b"\n") :]


def _telling(line: bytes) -> journals.Entry | None:
    """Decode *line* if it may begin or end a game."""
    if any(word in line for word in _TELLING):
        with contextlib.suppress(ValueError):
            return journals.entry_of(line)
    return None

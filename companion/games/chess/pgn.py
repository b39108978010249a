# SPDX-License-Identifier: Apache-2.0
"""Game records as Portable Game Notation: values and writer; `pgn_reader.py` has the reader.

The writer produces the export format: the seven tags first, lines of at most 79 letters.
Times are commands in comments: `[%emt 0:00:05]` is the time used for a move,
`[%clk 0:09:57]` the time left after it.
Draws are left to the players: a record goes on for as long as there are legal moves.

Sources: PGN Standard (1994), S. J. Edwards;
its Supplement (2001), A. Cowderoy, B. Bulsink and others.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from companion.games.chess import fen, san
from companion.games.chess.generation import legal_moves
from companion.games.chess.position import Position, apply
from companion.games.chess.tables import BIT, Move
from companion.model.occupancy import cells_of

ROSTER: Final = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
}
"""The seven tags of every record, in order, with their values for unknown."""

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")

_COLUMNS: Final = 79
_UNBROKEN: Final = "\xa0"
"""A blank at which no line is broken; replaced when the text is written."""


@dataclass(frozen=True, slots=True)
class Spent:
    """The times of a move; None for unknown."""

    elapsed_ms: int | None = None
    """Thinking time of its side."""
    left_ms: int | None = None
    """Time left on its clock after the move."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game as PGN records it."""

    tags: tuple[tuple[str, str], ...]
    """All tags in order, without `Result`, `SetUp`, `FEN` and `Variant`.

    Those follow from the other fields.
    """
    start: Position
    moves: tuple[Move, ...]
    result: str
    """One of `RESULTS`."""
    times: tuple[Spent, ...] = ()
    """Times of the moves, or () if unknown."""


def write(record: Record) -> str:
    """*record* as PGN, ending in an empty line."""
    tags = ROSTER | dict(record.tags) | {"Result": record.result}
    start = fen.write(record.start)
    if start != fen.STANDARD:
        tags |= {"Variant": "Chess960"} if _is_960(record.start) else {}
        tags |= {"SetUp": "1", "FEN": start}
    lines = [f'[{name} "{_escape(value)}"]' for name, value in tags.items()]
    text = " ".join([*_numbered(record), record.result])
    filled = textwrap.fill(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", filled.replace(_UNBROKEN, " "), "", ""])


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _is_960(start: Position) -> bool:
    """True if a castling right exists that is only possible in Chess960."""
    usual = BIT[0] | BIT[7] | BIT[56] | BIT[63]
    kings = {4 if rook < 8 else 60 for rook in cells_of(start.rights)}
    return bool(start.rights & ~usual) or any(not start.kings & BIT[king] for king in kings)


def _numbered(record: Record) -> Iterator[str]:
    """The moves with their times and numbers; a number is repeated after a comment."""
    position = record.start
    comment = ""
    for index, move in enumerate(record.moves):
        if position.turn == 0:
            yield f"{position.number}."
        elif index == 0 or comment:
            yield f"{position.number}..."
        yield san.write_move(position, move, legal_moves(position))
        comment = _comment(record.times[index]) if record.times else ""
        if comment:
            yield comment
        position = apply(position, move)


def _comment(times: Spent) -> str:
    """*times* as comment commands; "" if unknown.

    An elapsed time is rounded to seconds; a clock time is rounded up.
    """
    told = []
    if times.elapsed_ms is not None:
        told.append(f"[%emt{_UNBROKEN}{_time((times.elapsed_ms + 500) // 1000)}]")
    if times.left_ms is not None:
        told.append(f"[%clk{_UNBROKEN}{_time(-(-times.left_ms // 1000))}]")
    return f"{{{_UNBROKEN.join(told)}}}" if told else ""


def _time(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

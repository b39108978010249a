# SPDX-License-Identifier: Apache-2.0
"""Game records as Portable Game Notation, in and out.

Reading takes what programs and people write: comments, variations, annotation glyphs and move numbers are skipped.
Writing gives the export format: the seven tags first, lines of at most 79 letters; times stand in comments, as commands
that programs read: `[%emt 0:00:05]` for what a move took, `[%clk 0:09:57]` for what its clock showed then.
Draws are the players' affair here: a record goes on for as long as there are legal moves.

Sources: PGN Standard (1994), S. J. Edwards; its Supplement (2001), A. Cowderoy, B. Bulsink and others.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from companion.games.chess import fen, san
from companion.games.chess.generation import legal_moves
from companion.games.chess.position import Position, apply
from companion.games.chess.tables import BIT, Move
from companion.model.errors import NotationError
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
"""The seven tags of every record, in their order, as they are when nothing is known."""

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")

_COLUMNS: Final = 79
_UNBROKEN: Final = "\xa0"
"""A blank at which no line ends, until it is written."""

_TOKEN: Final = re.compile(
    r"""
      (?P<skipped> \s+ | ^%[^\n]* | ;[^\n]* | \{[^}]*\} | \$\d+ | \d+\.+ | \d+(?=\s) | \.+ | e\.p\. | [!?]+ )
    | \[ \s* (?P<tag>\w+) \s* "(?P<value>(?:[^"\\]|\\.)*)" \s* \]
    | (?P<result> 1-0 | 0-1 | 1/2-1/2 | \* )
    | (?P<bracket> [()] )
    | (?P<move> [a-hKQRBNO0] [\w=+\#:/-]* )
    """,
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Spent:
    """The times of a move; None for what nobody knows."""

    elapsed_ms: int | None = None
    """How long its side thought."""
    left_ms: int | None = None
    """What its clock showed when it was made."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game as PGN tells it."""

    tags: tuple[tuple[str, str], ...]
    """All tags in their order; `Result`, `SetUp`, `FEN` and `Variant` are told by the other fields."""
    start: Position
    moves: tuple[Move, ...]
    result: str
    """One of `RESULTS`."""
    times: tuple[Spent, ...] = ()
    """Those of the moves, or none at all; `read` leaves them out."""


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
    """True if castling is possible that only Chess960 knows."""
    usual = BIT[0] | BIT[7] | BIT[56] | BIT[63]
    kings = {4 if rook < 8 else 60 for rook in cells_of(start.rights)}
    return bool(start.rights & ~usual) or any(not start.kings & BIT[king] for king in kings)


def _numbered(record: Record) -> Iterator[str]:
    """The moves with their numbers, which are said again after a comment, and their times."""
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
    """*times* as programs read them; empty if nothing is known. An elapsed time is rounded; a clock shows the second that runs."""
    told = []
    if times.elapsed_ms is not None:
        told.append(f"[%emt{_UNBROKEN}{_time((times.elapsed_ms + 500) // 1000)}]")
    if times.left_ms is not None:
        told.append(f"[%clk{_UNBROKEN}{_time(-(-times.left_ms // 1000))}]")
    return f"{{{_UNBROKEN.join(told)}}}" if told else ""


def _time(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def read(text: str) -> tuple[Record, ...]:
    """All games in *text*. Raises `NotationError` naming the game and the move at fault."""
    games: list[Record] = []
    for tags, moves, result in _split(text):
        title = f"game {len(games) + 1} ({tags.get('White', '?')} - {tags.get('Black', '?')})"
        start = fen.read(tags.get("FEN", fen.STANDARD))
        played = tuple(_played(title, start, moves))
        kept = {name: value for name, value in tags.items() if name not in ("SetUp", "FEN", "Variant")}
        named = {"Result": result} if "Result" in kept else {}
        games.append(Record(tuple((kept | named).items()), start, played, result))
    return tuple(games)


def _played(title: str, start: Position, texts: Iterable[str]) -> Iterator[Move]:
    """The moves that *texts* write, one after another from *start*."""
    position = start
    for text in texts:
        try:
            move = san.read_move(position, text, legal_moves(position))
        except NotationError as error:
            dots = "..." if position.turn else "."
            raise NotationError(f"{title}, move {position.number}{dots} {error}", text=text) from error
        yield move
        position = apply(position, move)


def _split(text: str) -> Iterator[tuple[dict[str, str], list[str], str]]:
    """Tags, moves of the main line and result of each game in *text*."""
    tags: dict[str, str] = {}
    moves: list[str] = []
    for token in _main_line(_tokens(text)):
        is_next = token["tag"] and (moves or token["tag"] in tags)  # the result of the game before is missing
        if token["result"] or is_next:
            yield tags, moves, token["result"] or _result(tags)
            tags, moves = {}, []
        if token["tag"]:
            tags[token["tag"]] = re.sub(r"\\(.)", r"\1", token["value"])
        elif token["move"]:
            moves.append(token["move"])
    if tags or moves:
        yield tags, moves, _result(tags)


def _main_line(tokens: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Those of *tokens* that stand outside all variations."""
    depth = 0
    for token in tokens:
        if token["bracket"]:
            depth = max(0, depth + (1 if token["bracket"] == "(" else -1))
        elif not depth:
            yield token


def _result(tags: dict[str, str]) -> str:
    """What the tags say of the result, for a game that does not end in it."""
    return tags["Result"] if tags.get("Result") in RESULTS else "*"


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The parts of *text*, those that only people read left out. Raises `NotationError`."""
    place = 0
    text = text.removeprefix("\ufeff")
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            line = text.count("\n", 0, place) + 1
            strange = text[place : place + 20].splitlines()[0]
            raise NotationError(f"line {line} is no PGN from {strange!r} on", text=strange)
        if not token["skipped"]:
            yield token
        place = token.end()

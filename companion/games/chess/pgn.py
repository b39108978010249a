# SPDX-License-Identifier: Apache-2.0
"""Game records as Portable Game Notation: reader and writer.

The reader accepts PGN as programs and people write it:
variations, annotation glyphs, marks such as `+-` and move numbers are skipped.
A game that cannot be read is reported, and the games around it are read.
The writer produces the export format: the seven tags first, lines of at most 79 letters.
Times are commands in comments: `[%emt 0:00:05]` is the time used for a move,
`[%clk 0:09:57]` the time left after it.
Draws are left to the players: a record goes on for as long as there are legal moves.

Sources: PGN Standard (1994), S. J. Edwards;
its Supplement (2001), A. Cowderoy, B. Bulsink and others.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from companion.games.chess import fen, san
from companion.games.chess.generation import legal_moves
from companion.games.chess.position import Position, apply
from companion.games.chess.tables import BIT, Move
from companion.model.errors import NotationError
from companion.model.occupancy import cells_of
from companion.model.phrase import Phrase

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

_TOKEN: Final = re.compile(
    r"""
      (?P<null> --(?![-+=/]) | Z0 | @@@@ | 0000 )
    | \{ (?P<comment> [^}\n]* (?: \n (?!\[\w+\s*") [^}\n]* )* ) \}
    | (?P<skipped>
          \s+ | ^%[^\n]* | ;[^\n]* | <[^>\n]*> | \$\d+ | \d+[.…]+ | \d+(?=\s) | [.…]+ | e\.?p\.?(?!\w) | [!?]+
        | (?: TN | N | D )(?![\w=+\#:/-]) | [-+=/±∓⩲⩱∞□⊕↑→⇆⇄○⨀⟳⌓∆]+
      )
    | \[ \s* (?P<tag>[\w+\#=:-]+) \s* "(?P<value> (?:[^"\\]|\\.)* | [^\n]{0,500} )" \s* \]
    | (?P<result> 1[-–]0 | 0[-–]1 | 1/2(?:[-–]1/2)? | ½(?:[-–]½)? | \* )
    | (?P<bracket> [()] )
    | (?P<move> [a-hKQRBNO0♔-♟] [\w=+\#:/♔-♟\ufe0e\ufe0f-]* (?: \.p\.?[+\#]* )? )
    | (?P<strange> \{[^\n]*(?:\n(?!\[\w+\s*")[^\n]*)* | \S[^\s()\[\]{};]* )
    """,
    re.VERBOSE | re.MULTILINE,
)
_TIME: Final = re.compile(r"\[%(clk|emt)\s+(?:(\d{1,4}):)?(\d{1,4}):(\d{1,4}(?:\.\d{0,6})?)\s*\]")
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")
_CHESS: Final = re.compile(
    r"(?:chess|standard|classical|normal|fromposition|(?:chess)?960|fischerr?andom(?:chess)?|wild\d\w?)?"
)
"""Values of the tag `Variant`, without blanks and signs, that denote supported games."""


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


@dataclass(slots=True)
class _Draft:
    """A game during reading."""

    line: int = 0
    """Line of its start, counted from 1; 0 until a part of it was found."""
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, Spent]] = field(default_factory=list)
    result: str = ""
    fault: Phrase | None = None
    """Where the first text is that could not be read."""


def read(text: str) -> tuple[Record, ...]:
    """All games in *text*.

    Raises `NotationError` naming the first game that cannot be read, and its faulty move.
    """
    found = []
    for _, each in games(text):
        if isinstance(each, NotationError):
            raise each
        found.append(each)
    return tuple(found)


def games(text: str) -> Iterator[tuple[int, Record | NotationError]]:
    """Each game in *text* with the line on which it starts.

    A game that cannot be read is a `NotationError`.
    """
    for number, draft in enumerate(_drafts(text), start=1):
        names = f"{draft.tags.get('White', '?')} - {draft.tags.get('Black', '?')}"
        try:
            yield draft.line, _record(draft)
        except NotationError as error:
            yield (
                draft.line,
                NotationError(
                    "game {number} ({names}): {reason}",
                    number=number,
                    names=names,
                    reason=error,
                    text=error.text,
                ),
            )


def _record(draft: _Draft) -> Record:
    """The game of *draft*. Raises `NotationError` without the name of the game."""
    tags = draft.tags
    if draft.fault:
        raise NotationError(draft.fault, text=draft.fault)
    variant = tags.get("Variant", "")
    if not _CHESS.fullmatch(re.sub(r"\W", "", variant).casefold()):
        raise NotationError("it is a game of {text}, not of chess", text=variant)
    start = fen.read(tags.get("FEN", fen.STANDARD))
    played = tuple(_played(start, [move for move, _ in draft.moves]))
    times = tuple(spent for _, spent in draft.moves)
    result = draft.result or _result(tags.get("Result", ""))
    kept = {name: value for name, value in tags.items() if name not in ("SetUp", "FEN", "Variant")}
    named = {"Result": result} if "Result" in kept else {}
    is_timed = any(spent != Spent() for spent in times)
    return Record(tuple((kept | named).items()), start, played, result, times if is_timed else ())


def _played(start: Position, texts: Iterable[str]) -> Iterator[Move]:
    """The moves that *texts* denote, one after another from *start*."""
    position = start
    for text in texts:
        try:
            move = san.read_move(position, text, legal_moves(position))
        except NotationError as error:
            dots = "..." if position.turn else "."
            raise NotationError(
                "move {number}{dots} {reason}", number=position.number, dots=dots, reason=error, text=text
            ) from error
        yield move
        position = apply(position, move)


def _drafts(text: str) -> Iterator[_Draft]:
    """The games in *text*, each with its tokens."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    draft, depth, end = _Draft(), 0, 0
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        if token["skipped"]:
            continue
        line, counted = line + text.count("\n", counted, token.start()), token.start()
        depth = _depth(depth, token)
        if token["tag"] and _is_next(draft, token["tag"], text[end : token.start()]):
            yield draft  # a missing result
            draft = _Draft()
        end = token.end()
        if not depth:
            draft.line = draft.line or line
            _take(draft, token, line)
        if draft.result:
            yield draft
            draft = _Draft()
    if draft.tags or draft.moves or draft.fault:
        yield draft


def _depth(depth: int, token: re.Match[str]) -> int:
    """The number of open variations after *token*; a tag closes all of them."""
    if token["tag"]:
        return 0
    return max(0, depth + {"(": 1, ")": -1}.get(token["bracket"], 0))


def _is_next(draft: _Draft, tag: str, between: str) -> bool:
    """True if *tag* belongs to the game after *draft*; *between* is the text before it."""
    is_known = bool(draft.fault) or tag in draft.tags
    return bool(draft.moves) or (is_known and _BLANK_LINE.search(between) is not None)


def _take(draft: _Draft, token: re.Match[str], line: int) -> None:
    """Add the content of *token*, on *line*, to *draft*."""
    if token["tag"]:
        draft.tags[token["tag"]] = re.sub(r"\\(.)", r"\1", token["value"])
    elif token["move"] or token["null"]:
        draft.moves.append((token[0], Spent()))
    elif token["comment"] and draft.moves:
        move, spent = draft.moves[-1]
        draft.moves[-1] = move, _spent(token["comment"], spent)
    elif token["result"]:
        draft.result = _result(token["result"])
    elif token["strange"] and not draft.fault:
        draft.fault = Phrase(
            "line {line} is no PGN from {token!r} on", line=line, token=token[0].splitlines()[0][:20]
        )


def _spent(comment: str, before: Spent) -> Spent:
    """*before* with the times in *comment*."""
    for name, hours, minutes, seconds in _TIME.findall(comment):
        time_ms = (int(hours or 0) * 60 + int(minutes)) * 60_000 + round(float(seconds) * 1000)
        before = replace(before, left_ms=time_ms) if name == "clk" else replace(before, elapsed_ms=time_ms)
    return before


def _result(text: str) -> str:
    """The result that *text* denotes, one of `RESULTS`."""
    plain = text.replace("–", "-").replace("½", "1/2")
    plain = "1/2-1/2" if plain == "1/2" else plain
    return plain if plain in RESULTS else "*"

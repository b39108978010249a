# SPDX-License-Identifier: Apache-2.0
"""Reader of Portable Game Notation, as programs and people write it.

Variations, comments, annotation glyphs and marks such as `+-` are skipped. The moves are read as
far as they are legal: the game is brought up to there, and a note names the rest. Move numbers tell
where a part is missing, or whether strange text was only a mark. A game is refused if not one of
its moves can be read, or if it has other rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from companion.games.chess import fen, san
from companion.games.chess.generation import legal_moves
from companion.games.chess.pgn import RESULTS, Record, Spent
from companion.games.chess.position import Position, apply
from companion.games.chess.tables import Move
from companion.model.errors import NotationError
from companion.model.phrase import Phrase
from companion.model.reading import Note, Reading

_DASH: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212-"
"""Last in a class of letters, where `-` means itself."""
_HYPHENS: Final = dict.fromkeys(map(ord, _DASH), "-")
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))
"""Letters without a shape, which word processors and web pages insert."""
_TOKEN: Final = re.compile(
    rf"""
      (?P<null> --(?![-+=/]) | Z0 | @@@@ | 0000 )
    | \{{ (?P<comment> [^}}\n]* (?: \n (?!\[\w+\s*") [^}}\n]* )* ) \}}
    | (?P<number> \d+ ) (?: (?P<dots> [.…]+ ) | (?=\s) )
    | (?P<skipped>
          \s+ | ^%[^\n]* | ;[^\n]* | <[^>\n]*> | \$\d+ | [.…]+ | e\.?p\.?(?!\w) | [!?]+
        | (?: TN | N | D )(?![\w=+\#:/{_DASH}]) | [+=/±∓⩲⩱∞□⊕↑→⇆⇄○⨀⟳⌓∆{_DASH}]+
      )
    | \[ \s* (?P<tag>[\w+\#=:-]+) \s* "(?P<value> (?:[^"\\]|\\.)* | [^\n]{{0,500}} )" \s* \]
    | (?P<result> 1[{_DASH}]0 | 0[{_DASH}]1 | 1/2(?:[{_DASH}]1/2)? | ½(?:[{_DASH}]½)? | \* )
    | (?P<bracket> [()] )
    | (?P<move> [a-hKQRBNoO0♔-♟] [\w=+\#:/♔-♟\ufe0e\ufe0f{_DASH}]* (?: \.p\.?[+\#]* )? )
    | (?P<strange> \{{[^\n]*(?:\n(?!\[\w+\s*")[^\n]*)* | \S[^\s()\[\]{{}};]* )
    """,
    re.VERBOSE | re.MULTILINE,
)
_TIME: Final = re.compile(r"\[%(clk|emt)\s+(?:(\d{1,4}):)?(\d{1,4}):(\d{1,4}(?:[.,]\d{0,6})?)\s*\]")
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")
_CHESS: Final = re.compile(
    r"(?:chess|standard|classical|normal|fromposition|(?:chess)?960|fischerr?andom(?:chess)?|wild\d\w?)?"
)
"""Values of the tag `Variant`, without blanks and signs, that denote supported games."""
_UNKNOWN: Final = ("", "?", "*")
"""Values of the tag `Result` that say nothing."""


@dataclass(slots=True)
class _Text:
    """A move as it is written, or strange text between moves."""

    text: str
    line: int
    is_strange: bool = False
    number: int | None = None
    """The number before it."""
    is_blacks: bool = False
    """True if that has more than one dot."""
    comment: str = ""


@dataclass(slots=True)
class _Draft:
    """A game during reading."""

    line: int = 0
    """Line of its start, counted from 1; 0 until a part of it was found."""
    tags: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """Line of each tag."""
    moves: list[_Text] = field(default_factory=list)
    number: tuple[int, bool] | None = None
    """Number that stands before the next move; true if it has more than one dot."""
    result: str = ""
    end: int = 0
    """Line of its last part."""
    notes: list[Note] = field(default_factory=list)


def games(text: str) -> Iterator[tuple[int, Reading[Record] | NotationError]]:
    """Yield each game in *text* with the line on which it starts.

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


def _record(draft: _Draft) -> Reading[Record]:
    """The game of *draft*. Raises `NotationError` without the name of the game."""
    tags, notes = draft.tags, draft.notes
    variant = tags.get("Variant", "")
    if not _CHESS.fullmatch(re.sub(r"\W", "", variant).casefold()):
        raise NotationError("it is a game of {text}, not of chess", text=variant)
    start, dropped = fen.read_generously(tags.get("FEN", fen.STANDARD))
    notes += (
        Note(draft.lines["FEN"], Phrase("left out of the position: {what}", what=each)) for each in dropped
    )
    played = _played(start, draft)
    moves = [each for each in draft.moves if not each.is_strange][: len(played)]
    times = _times(moves, tags.get("TimeControl", ""), notes)
    kept = {name: value for name, value in tags.items() if name not in ("SetUp", "FEN", "Variant")}
    result = _agreed_result(draft)
    named = {"Result": result} if "Result" in kept else {}
    is_timed = any(spent != Spent() for spent in times)
    record = Record(tuple((kept | named).items()), start, tuple(played), result, times if is_timed else ())
    return Reading(record, tuple(sorted(notes)))


def _agreed_result(draft: _Draft) -> str:
    """The result of *draft*, one of `RESULTS`: that after the moves, or of the tag."""
    tag, notes = draft.tags.get("Result", ""), draft.notes
    by_tag, line = _result(tag), draft.lines.get("Result", draft.line)
    if tag not in _UNKNOWN and by_tag == "*":
        notes.append(Note(line, Phrase("the result {text!r} is not understood", text=tag)))
    if not draft.result:
        notes.append(Note(draft.end, Phrase("the game has no result after its moves: it may be cut off")))
        return by_tag
    if draft.result == "*" and by_tag != "*":
        notes.append(Note(line, Phrase("the result {result} is taken from the tag", result=by_tag)))
        return by_tag
    if by_tag not in ("*", draft.result):
        what = Phrase(
            "the tag says {tag}, the end of the moves {result}: the latter is taken",
            tag=by_tag,
            result=draft.result,
        )
        notes.append(Note(line, what))
    return draft.result


class _Doubt(NamedTuple):
    """A place in a game where something may be wrong."""

    at: _Text
    before: int
    """Number of the moves before it."""
    why: Phrase


def _played(start: Position, draft: _Draft) -> list[Move]:
    """The moves of *draft* from *start*, as far as they can be read.

    The rest is noted.

    Raises `NotationError` if none of them can be.
    """
    position, made, doubt = start, list[Move](), None
    numbered = next((each.number for each in draft.moves if each.number is not None), start.number)
    for each in draft.moves:
        doubt = _doubted(doubt, each, position, (len(made), numbered - start.number), draft)
        if each.is_strange:
            continue
        try:
            move = san.read_move(position, each.text, legal_moves(position))
        except NotationError as error:
            dots = "..." if position.turn else "."
            why = Phrase("move {number}{dots} {reason}", number=position.number, dots=dots, reason=error)
            return _until(doubt or _Doubt(each, len(made), why), made, draft)
        made.append(move)
        position = apply(position, move)
    if doubt is not None and doubt.at.is_strange and doubt.before < len(made):
        return _until(doubt, made, draft)
    draft.notes += [Note(doubt.at.line, doubt.why)] if doubt else []
    return made


def _doubted(
    doubt: _Doubt | None, each: _Text, position: Position, place: tuple[int, int], draft: _Draft
) -> _Doubt | None:
    """The *doubt* that remains at *each*, which is to be played in *position*.

    *place* are the moves before it, and by how much the numbers are ahead of the position's. A
    number that fits the next move shows that strange text before it was only a mark.
    """
    before, ahead = place
    if each.is_strange:
        return doubt or _Doubt(each, before, Phrase("{text!r} is no move", text=each.text[:20]))
    if each.number is None:
        return doubt
    if each.number != position.number + ahead or (each.is_blacks and not position.turn):
        why = Phrase("the move number {number} does not fit", number=each.number)
        return doubt or _Doubt(each, before, why)
    if doubt is not None and doubt.at.is_strange and each.is_blacks == bool(position.turn):
        draft.notes.append(Note(doubt.at.line, doubt.why))
        return None
    return doubt


def _until(doubt: _Doubt, made: Sequence[Move], draft: _Draft) -> list[Move]:
    """Those of the moves *made* before *doubt*; what follows is noted as left out.

    Raises `NotationError` without a move.
    """
    if not doubt.before:
        raise NotationError(doubt.why, text=doubt.at.text)
    what = Phrase("{reason}; the moves before it are taken", reason=doubt.why)
    draft.notes.append(Note(doubt.at.line, what))
    return list(made[: doubt.before])


def _drafts(text: str) -> Iterator[_Draft]:
    """The games in *text*, each with its tokens."""
    text = text.translate(_INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")
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
    if draft.tags or draft.moves:
        yield draft


def _depth(depth: int, token: re.Match[str]) -> int:
    """The number of open variations after *token*; a tag closes all of them."""
    if token["tag"]:
        return 0
    return max(0, depth + {"(": 1, ")": -1}.get(token["bracket"], 0))


def _is_next(draft: _Draft, tag: str, between: str) -> bool:
    """True if *tag* belongs to the game after *draft*; *between* is the text before it."""
    is_known = any(each.is_strange for each in draft.moves) or tag in draft.tags
    has_moves = any(not each.is_strange for each in draft.moves)
    return has_moves or (is_known and _BLANK_LINE.search(between) is not None)


def _take(draft: _Draft, token: re.Match[str], line: int) -> None:
    """Add the content of *token*, on *line*, to *draft*."""
    draft.end = line
    if token["tag"]:
        draft.tags[token["tag"]] = re.sub(r"\\(.)", r"\1", token["value"])
        draft.lines[token["tag"]] = line
    elif token["number"]:
        draft.number = int(token["number"]), len((token["dots"] or "").replace("…", "...")) > 1
    elif token["move"] or token["null"]:
        number, is_blacks = draft.number or (None, False)
        draft.moves.append(_Text(token[0].translate(_HYPHENS), line, number=number, is_blacks=is_blacks))
        draft.number = None
    elif token["comment"] and draft.moves:
        draft.moves[-1].comment += token["comment"]
    elif token["result"]:
        draft.result = _result(token["result"])
    elif token["strange"]:
        draft.moves.append(_Text(token[0].splitlines()[0], line, is_strange=True))


def _times(moves: Sequence[_Text], control: str, notes: list[Note]) -> tuple[Spent, ...]:
    """The times in the comments after *moves*, under the time control *control*."""
    found = [_TIME.findall(each.comment) for each in moves]
    short = [
        (move.line, int(minutes), float(seconds.replace(",", ".")))
        for move, times in zip(moves, found, strict=True)
        for name, hours, minutes, seconds in times
        if name == "clk" and not hours
    ]
    unit = 1
    if short:
        unit, what = _unit([(first, second) for _, first, second in short], control)
        notes += [] if what is None else [Note(short[0][0], what)]
    return tuple(_spent(each, unit) for each in found)


def _unit(clocks: Sequence[tuple[int, float]], control: str) -> tuple[int, Phrase | None]:
    """The seconds in a unit of clocks such as `1:30`, and what is guessed.

    A time control of 90 minutes begins with 1:30 in hours and minutes; 5 minutes never do.
    """
    as_hours, as_minutes = (
        Phrase("clocks are read as hours and minutes"),
        Phrase("clocks are read as minutes and seconds"),
    )
    may_be_hours = all(first < 24 and second < 60 and second.is_integer() for first, second in clocks)
    base = re.match(r"(?:\d+/)?(\d+)", control)
    if not may_be_hours:
        return 1, None
    if base is None:
        return 1, as_minutes
    wrong = {unit: abs(int(base[1]) - unit * (60 * clocks[0][0] + clocks[0][1])) for unit in (1, 60)}
    return (60, as_hours) if wrong[60] < wrong[1] else (1, None)


def _spent(times: Sequence[Sequence[str]], unit: int) -> Spent:
    """The *times* of a comment; a clock without hours counts in *unit* seconds."""
    spent = Spent()
    for name, hours, minutes, text in times:
        seconds = (int(hours or 0) * 60 + int(minutes)) * 60 + float(text.replace(",", "."))
        time_ms = round(1000 * seconds * (unit if name == "clk" and not hours else 1))
        spent = replace(spent, left_ms=time_ms) if name == "clk" else replace(spent, elapsed_ms=time_ms)
    return spent


def _result(text: str) -> str:
    """The result that *text* denotes, one of `RESULTS`."""
    plain = text.translate(_HYPHENS).replace("½", "1/2")
    plain = "1/2-1/2" if plain == "1/2" else plain
    return plain if plain in RESULTS else "*"

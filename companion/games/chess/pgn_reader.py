# SPDX-License-Identifier: Apache-2.0
"""Reader of Portable Game Notation, as programs and people write it.

Variations, comments, annotation glyphs and marks such as `+-` are skipped. The moves are read as
far as they are legal: the game is brought up to there, and a note names the rest. Move numbers tell
where a part is missing, or whether strange text was only a mark. A game is refused if not one of
its moves can be read, if it has neither tags nor moves, or if it has other rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from companion.games.chess import fen, san
from companion.games.chess.generation import legal_moves
from companion.games.chess.pgn import RESULTS, Record
from companion.games.chess.pgn_times import times
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
_HALF: Final = "(?:1/2|½|0[.,]5)"
_TOKEN: Final = re.compile(
    rf"""
      (?P<null> --(?![-+=/]) | Z0 | @@@@ | 0000 )
    | \{{ (?P<comment> [^}}\n]* (?: \n (?!\[\w+\s*") [^}}\n]* )* ) \}}
    | (?P<result>
        (?: 1 [ ]? [:{_DASH}] [ ]? 0 | 0 [ ]? [:{_DASH}] [ ]? 1 | {_HALF} (?: [ ]? [:{_DASH}] [ ]? {_HALF} )? )
        (?![\w:]) | \* )
    | (?P<number> \d+ ) (?: (?P<dots> [.…]+ (?: [ ]+ [.…]+ )? ) | (?=\s) )
    | (?P<skipped>
          \s+ | ^%[^\n]* | ;[^\n]* | <[^>\n]*> | \$\d+ | [.…]+ | e\.?p\.?(?!\w) | [!?]+
        | (?: TN | N | D )(?![\w=+\#:/{_DASH}]) | [+=/±∓⩲⩱∞□⊕↑→⇆⇄○⨀⟳⌓∆{_DASH}]+
      )
    | \[ \s* (?P<tag>[\w+\#=:-]+) \s*
        "(?P<value> (?:[^"\\\n]|\\.|\n(?![\n\[]))* | (?: [^"\]\n] | ["\]](?!\s*\[\w) ){{0,500}} )" \s* \]
    | (?P<broken>
        ^[ \t]* (?: \[[ \t]*[A-Za-z]\w*[ \t] | [A-Z]\w*[ \t]*(?="[^"\n]*"[ \t]*\]) )
        (?: (?!\[\w+[ \t]*")[^\n] )* )
    | (?P<bracket> [()] )
    | (?P<move> (?= [\w:♔-♟\ufe0e\ufe0f{_DASH}]* [a-h][1-8] | [oO0] [{_DASH}]? [oO0] )
        [a-hKQRBNoO0♔-♟] [\w=+\#:/♔-♟\ufe0e\ufe0f{_DASH}]* (?: \.p\.?[+\#]* )? )
    | (?P<strange> \{{[^\n]*(?:\n(?!\[\w+\s*")[^\n]*)* | \S[^\s()\[\]{{}};]* )
    """,
    re.VERBOSE | re.MULTILINE,
)
_DAMAGED: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x19\x1b-\x1f\x7f-\x84\x86-\x9f]")
"""Letters that no program writes. 1A ends old files, and 85 a line."""
_ESCAPED: Final = re.compile(r"\\(.)")
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
    if not tags and all(each.is_strange for each in draft.moves):
        raise NotationError("it has neither tags nor moves", text="")
    if tags.get("SetUp") == "1" and "FEN" not in tags:
        notes.append(
            Note(draft.lines["SetUp"], Phrase("the start position is missing: the usual one is taken"))
        )
    start, dropped = fen.read_generously(tags.get("FEN", fen.STANDARD))
    notes += (
        Note(draft.lines["FEN"], Phrase("left out of the position: {what}", what=each)) for each in dropped
    )
    played = _played(start, draft)
    moves = [each for each in draft.moves if not each.is_strange][: len(played)]
    spent = times([(each.line, each.comment) for each in moves], tags.get("TimeControl", ""))
    notes += spent.notes
    kept = {name: value for name, value in tags.items() if name not in ("SetUp", "FEN", "Variant")}
    result = _agreed_result(draft)
    named = {"Result": result} if "Result" in kept else {}
    record = Record(tuple((kept | named).items()), start, tuple(played), result, spent.value)
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
    first = next((each.number for each in draft.moves if each.number is not None), start.number)
    ahead = first - start.number if "FEN" in draft.tags else 0
    for each in draft.moves:
        doubt = _doubted(doubt, each, position, (len(made), ahead), draft)
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
    damaged = [text.count("\n", 0, each.start()) + 1 for each in _DAMAGED.finditer(text)]
    text = _DAMAGED.sub("", text) if damaged else text
    has_tags = False
    for draft in _split(text):
        of_it = [line for line in dict.fromkeys(damaged) if draft.line <= line <= draft.end]
        if has_tags and not draft.tags:
            draft.notes.append(Note(draft.line, Phrase("the game has no tags")))
        has_tags = has_tags or bool(draft.tags)
        draft.notes += (Note(line, Phrase("letters that are damaged are left out")) for line in of_it)
        yield draft


def _split(text: str) -> Iterator[_Draft]:
    """The games in *text*, which has no damaged letters."""
    draft, depth, end, before = _Draft(), 0, 0, ""
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        if token["skipped"]:
            continue
        line, counted = line + text.count("\n", counted, token.start()), token.start()
        outer, depth = depth, _depth(depth, token)
        if _is_next(draft, token, "" if depth else text[end : token.start()]):
            yield draft  # a missing result
            draft = _Draft()
        end = token.start() + len(token[0].rstrip())
        if not depth and not (outer and token["bracket"]):
            draft.line = draft.line or line
            _take(draft, token, line)
        if draft.result:
            if draft.tags or draft.moves or draft.result != before:
                yield draft
            draft, before = _Draft(), draft.result
    if draft.tags or draft.moves or draft.notes:
        yield draft


def _depth(depth: int, token: re.Match[str]) -> int:
    """The number of open variations after *token*; a tag closes all of them."""
    if token["tag"] or token["broken"]:
        return 0
    return max(0, depth + {"(": 1, ")": -1}.get(token["bracket"], 0))


def _is_next(draft: _Draft, token: re.Match[str], between: str) -> bool:
    """True if *token* belongs to the game after *draft*; *between* is the text before it.

    Where a result is missing, the next game begins with a tag, or with move 1 after an empty line.
    """
    if not (token["tag"] or token["broken"] or token["number"] == "1"):
        return False
    has_moves = any(not each.is_strange for each in draft.moves)
    if token["number"]:
        return has_moves and token["dots"] in (None, ".") and _BLANK_LINE.search(between) is not None
    is_known = any(each.is_strange for each in draft.moves) or token["tag"] in draft.tags
    return has_moves or (is_known and _BLANK_LINE.search(between) is not None)


def _take(draft: _Draft, token: re.Match[str], line: int) -> None:
    """Add the content of *token*, on *line*, to *draft*."""
    draft.end = line
    if token["tag"]:
        draft.tags[token["tag"]] = _ESCAPED.sub(r"\1", token["value"]).replace("\n", " ")
        draft.lines[token["tag"]] = line
    elif token["number"]:
        draft.number = int(token["number"]), len((token["dots"] or "").replace("…", "...")) > 1
    elif token["move"] or token["null"]:
        _take_text(draft, token[0].translate(_HYPHENS), line)
    elif token["comment"] is not None:
        _take_comment(draft, token["comment"], line)
    elif token["result"]:
        draft.result = _result(token["result"])
    elif token["broken"]:
        what = Phrase("{text!r} is left out: it is no tag", text=token[0].strip()[:40])
        draft.notes.append(Note(line, what))
    else:
        _take_text(draft, token[0].splitlines()[0], line, is_strange=True)


def _take_text(draft: _Draft, text: str, line: int, *, is_strange: bool = False) -> None:
    """Add a move or strange text to *draft*, with the number before it."""
    number, is_blacks = draft.number or (None, False)
    draft.moves.append(_Text(text, line, is_strange, number, is_blacks))
    draft.number = None


def _take_comment(draft: _Draft, text: str, line: int) -> None:
    """Add a comment to *draft*.

    One with another in it may have swallowed moves: it had no end.
    """
    if draft.moves:
        draft.moves[-1].comment += text
    if "{" in text:
        _take_text(draft, f"{{{text.splitlines()[0]}", line, is_strange=True)


def _result(text: str) -> str:
    """The result that *text* denotes, one of `RESULTS`."""
    plain = text.translate(_HYPHENS).translate({32: None, 58: "-"}).replace("½", "1/2")
    plain = re.sub(r"0[.,]5", "1/2", plain)
    plain = "1/2-1/2" if plain == "1/2" else plain
    return plain if plain in RESULTS else "*"

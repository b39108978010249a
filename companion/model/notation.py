# SPDX-License-Identifier: Apache-2.0
"""Game records: a game as text for people and programs.

    [Game "close-quarters"]
    [Option "sword" "king"]
    [White "Ada"]                  any other tag, as the players like
    [Result "sword: weapons-eliminated"]

    1. a1-a2 d8-d7
    2. {adopted: A2P/4/4/4/4/4/4/S2M s 0} a2-a3

A number for each round of turns, then its moves in the game's own notation.
A position in braces was let stand by an arbiter before the next move.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companion.model.errors import NotationError
from companion.model.game import AnyRules, Outcome
from companion.model.pieces import Side

_TAG: Final = re.compile(r'\[([\w-]+) "((?:[^"\\]|\\.)*)"(?: "((?:[^"\\]|\\.)*)")?\]')
_TOKEN: Final = re.compile(r"\{adopted: ([^{}]*)\}|(\d+)\.|([^\s{}]+)|(\S)")
_OWN: Final = ("Game", "Option", "Start", "Result", "Scores")
UNFINISHED: Final = "*"


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game record; all fields are text."""

    game: str
    """Slug of the game."""
    options: Mapping[str, str] = field(default_factory=dict)
    start: str = ""
    """The first position; empty for the game's initial one."""
    moves: tuple[str, ...] = ()
    adopted: Mapping[int, str] = field(default_factory=dict)
    """Positions that an arbiter let stand, by the number of moves before them."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Players, place, date: the names consist of letters, digits and underscores."""
    result: str = UNFINISHED
    """`sides: termination`, sides joined by `+` or `draw`; `*` while the game goes on."""
    scores: tuple[int, ...] = ()


def describe_outcome(outcome: Outcome | None, sides: tuple[str, ...]) -> str:
    """*outcome* in the form of a record's result."""
    if outcome is None:
        return UNFINISHED
    return f"{'+'.join(sides[side] for side in outcome.winners) or 'draw'}: {outcome.termination}"


def not_legal(position: str, text: str) -> NotationError:
    """The refusal of *text*, which denotes no legal move in *position*."""
    return NotationError("{text!r} is not a legal move in {position}", position=position, text=text)


def is_legal(rules: AnyRules, position: Any, text: str) -> bool:
    """True if *text* denotes a legal move in *position*."""
    try:
        rules.read_move(position, text)
    except NotationError:
        return False
    return True


def replay(rules: AnyRules, record: GameRecord) -> Iterator[tuple[Any, str]]:
    """Each position of *record* with the text of the move that led to it.

    The text is "" for the first position and for adopted ones.
    Raises `NotationError` naming the ply that cannot be read.
    """
    position = rules.read_position(record.start) if record.start else rules.initial()
    yield position, ""
    for ply in range(len(record.moves) + 1):
        if ply in record.adopted:
            position = rules.read_position(record.adopted[ply])
            yield position, ""
        if ply == len(record.moves):
            return
        try:
            position = rules.apply(position, rules.read_move(position, record.moves[ply]))
        except NotationError as fault:
            raise NotationError(
                "ply {ply}: {reason}", ply=ply, reason=fault, text=record.moves[ply]
            ) from fault
        yield position, record.moves[ply]


def write_line(rules: AnyRules, position: Any, line: Iterable[Any]) -> tuple[str, ...]:
    """The notation of each move of *line*, which is played from *position*."""
    texts = []
    for move in line:
        texts.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return tuple(texts)


def write_record(record: GameRecord, sides: int) -> str:
    """The text of *record*; *sides* is the number of sides."""
    tags = [("Game", record.game)]
    lines = [f'[Option "{name}" "{_escape(value)}"]' for name, value in record.options.items()]
    tags.extend(record.tags.items())
    if record.start:
        tags.append(("Start", record.start))
    tags.append(("Result", record.result))
    if record.scores:
        tags.append(("Scores", " ".join(map(str, record.scores))))
    first, *others = [f'[{name} "{_escape(value)}"]' for name, value in tags]
    return "\n".join([first, *lines, *others, "", *_rounds(record, sides)]) + "\n"


def numbers(turns: Iterable[Side]) -> Iterator[str]:
    """The number before each move, from the sides to move.

    A round begins when its first side is to move again.

    >>> list(numbers([0, 1, 0, 1]))
    ['1.', '1…', '2.', '2…']
    """
    number, before = 0, None
    for side in turns:
        number += before is None or side <= before
        before = side
        yield f"{number}{'…' if side else '.'}"


def _rounds(record: GameRecord, sides: int) -> Iterator[str]:
    """The moves, one round of turns per line."""
    for start in range(0, len(record.moves) + 1, sides):
        words = []
        for ply in range(start, min(start + sides, len(record.moves) + 1)):
            if ply in record.adopted:
                words.append(f"{{adopted: {record.adopted[ply]}}}")
            words.extend(record.moves[ply : ply + 1])
        if words:
            yield " ".join([f"{start // sides + 1}.", *words])


def read_record(text: str) -> GameRecord:
    """The record that *text* denotes: the inverse of `write_record`.

    Raises `NotationError` naming the line.
    """
    own: dict[str, str] = {}
    tags: dict[str, str] = {}
    options: dict[str, str] = {}
    moves: list[str] = []
    adopted: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        tag = _TAG.fullmatch(line.strip())
        if tag is None:
            _read_moves(line, number, moves, adopted)
        elif tag[1] == "Option" and tag[3] is not None:
            options[_unescape(tag[2])] = _unescape(tag[3])
        elif tag[1] in _OWN:
            own[tag[1]] = _unescape(tag[2])
        else:
            tags[tag[1]] = _unescape(tag[2])
    if "Game" not in own:
        raise NotationError('this is not a game record: expected a line [Game "…"]', text=text[:80])
    scores = own.get("Scores", "").split()
    if not all(score.lstrip("-").isdecimal() for score in scores):
        raise NotationError("{text!r} are not scores: expected whole numbers", text=own["Scores"])
    return GameRecord(
        game=own["Game"],
        options=options,
        start=own.get("Start", ""),
        moves=tuple(moves),
        adopted=adopted,
        tags=tags,
        result=own.get("Result", UNFINISHED),
        scores=tuple(map(int, scores)),
    )


def _read_moves(line: str, number: int, moves: list[str], adopted: dict[int, str]) -> None:
    """Append the moves and adopted positions of a line without a tag."""
    if line.lstrip().startswith("["):
        raise NotationError(
            'line {line}: {text!r} is not a tag: expected [Name "value"]', line=number, text=line
        )
    for position, _round, move, stray in _TOKEN.findall(line):
        if stray:
            raise NotationError(
                "line {line}: {stray!r} is not understood: {{adopted: POSITION}} is",
                line=number,
                stray=stray,
                text=line,
            )
        if position:
            adopted[len(moves)] = position
        elif move:
            moves.append(move)


def _escape(value: str) -> str:
    """*value* escaped for use in quotation marks."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _unescape(value: str) -> str:
    """The inverse of `_escape`."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], value)

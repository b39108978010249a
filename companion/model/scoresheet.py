# SPDX-License-Identifier: Apache-2.0
"""A whole game written down, in a text that people read and programs read back.

    companion record 1
    game: close-quarters
    option: sword=king
    tag: place=Club evening
    start: A2P/4/4/4/4/4/4/S2M s 0

    1. a1-a2 | d8-d7
    2. a2-b3
    stand: A3/3P/4/4/4/1S2/4/3M w 0
    2. d1-c3
    result: weapons, resignation

A line of moves is one round, from the ply with its number on; `stand` is a position that an arbiter let stand.
The result names the winning sides, `nobody` for a draw, then why, then the points where the game counts them;
a game that is not over has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.model.errors import NotationError
from companion.model.game import AnyRules, Outcome

_TITLE: Final = "companion record 1"
_BAR: Final = " | "
_NOBODY: Final = "nobody"


@dataclass(frozen=True, slots=True)
class Stand:
    """A position that an arbiter let stand, in place of a move."""

    position: str


@dataclass(frozen=True, slots=True)
class Result:
    """How the game ended, in slugs."""

    winners: tuple[str, ...]
    termination: str
    scores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scoresheet:
    """A game as text can hold it: nothing in it has been held against the rules."""

    game: str
    options: tuple[tuple[str, str], ...]
    tags: tuple[tuple[str, str], ...]
    """Whatever else is worth keeping: players, place, date."""
    start: str
    """The position at the start."""
    entries: tuple[str | Stand, ...]
    """The notation of each ply, or what an arbiter let stand."""
    result: Result | None = None


def scoresheet(
    rules: AnyRules,
    start: Any,
    moves: Iterable[Any],
    outcome: Outcome | None = None,
    tags: Mapping[str, str] | None = None,
) -> Scoresheet:
    """The scoresheet of *moves*, played one after another from the position *start*."""
    position, entries = start, []
    for move in moves:
        entries.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    result = None
    if outcome is not None:
        winners = tuple(rules.sides[side] for side in outcome.winners)
        result = Result(winners, outcome.termination, outcome.scores)
    return Scoresheet(
        rules.slug,
        tuple(rules.options.items()),
        tuple((tags or {}).items()),
        rules.write_position(start),
        tuple(entries),
        result,
    )


def positions(rules: AnyRules, sheet: Scoresheet) -> list[Any]:
    """The start of *sheet* and the position after each entry. Raises `NotationError` naming the ply at fault."""
    found = [rules.read_position(sheet.start)]
    for ply, entry in enumerate(sheet.entries, start=1):
        try:
            if isinstance(entry, Stand):
                found.append(rules.read_position(entry.position))
            else:
                found.append(rules.apply(found[-1], rules.read_move(found[-1], entry)))
        except NotationError as error:
            raise NotationError(f"ply {ply}: {error}", text=error.text) from error
    return found


def write(sheet: Scoresheet, sides: int) -> str:
    """*sheet* as text; a round is a line of as many moves as there are *sides*."""
    lines = [_TITLE, f"game: {sheet.game}"]
    lines += [f"option: {name}={value}" for name, value in sheet.options]
    lines += [f"tag: {name}={value}" for name, value in sheet.tags]
    lines += [f"start: {sheet.start}", ""]
    lines += _rounds(sheet.entries, sides)
    if sheet.result is not None:
        result = sheet.result
        scores = [" ".join(map(str, result.scores))] if result.scores else []
        lines.append(
            "result: " + ", ".join([" ".join(result.winners) or _NOBODY, result.termination, *scores])
        )
    return "\n".join(lines) + "\n"


def _rounds(entries: Sequence[str | Stand], sides: int) -> list[str]:
    """The lines of moves and of what was let stand."""
    lines: list[str] = []
    moves: list[str] = []
    for ply, entry in enumerate(entries):
        if isinstance(entry, Stand):
            lines += [*_line(ply - len(moves), moves, sides), f"stand: {entry.position}"]
            moves = []
            continue
        moves.append(entry)
        if (ply + 1) % sides == 0:
            lines += _line(ply + 1 - len(moves), moves, sides)
            moves = []
    return lines + _line(len(entries) - len(moves), moves, sides)


def _line(ply: int, moves: list[str], sides: int) -> list[str]:
    """The line of *moves* whose first is number *ply* from 0, if there are any."""
    return [f"{ply // sides + 1}. {_BAR.join(moves)}"] if moves else []


def read(text: str) -> Scoresheet:
    """The scoresheet that *text* writes. Raises `NotationError` naming the line at fault."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != _TITLE:
        raise NotationError(f"no game record: its first line must be {_TITLE!r}", text=text[:40])
    fields: dict[str, list[str]] = {"game": [], "option": [], "tag": [], "start": [], "result": []}
    entries: list[str | Stand] = []
    for number, line in enumerate(lines[1:], start=2):
        head, _, rest = line.partition(" ")
        name = head.removesuffix(":")
        if head.removesuffix(".").isdecimal():
            entries += rest.split(_BAR)
        elif name == "stand":
            entries.append(Stand(rest))
        elif name in fields and head != name:
            fields[name].append(rest)
        elif line.strip():
            raise NotationError(f"line {number} of a game record says nothing known: {line!r}", text=line)
    if not fields["game"] or not fields["start"]:
        raise NotationError("a game record needs a game and a start", text=text[:40])
    return Scoresheet(
        fields["game"][0],
        _pairs(fields["option"]),
        _pairs(fields["tag"]),
        fields["start"][0],
        tuple(entries),
        _result(fields["result"][0]) if fields["result"] else None,
    )


def _pairs(texts: list[str]) -> tuple[tuple[str, str], ...]:
    """Names and values written as `name=value`."""
    return tuple((name, value) for name, _, value in (text.partition("=") for text in texts))


def _result(text: str) -> Result:
    """The result that *text* writes. Raises `NotationError`."""
    winners, termination, *scores = [*text.split(", "), ""][:3]
    numbers = " ".join(scores).split()
    if not termination or not all(number.lstrip("-").isdecimal() for number in numbers):
        raise NotationError(f"{text!r} is no result: write winners, reason, points", text=text)
    named = () if winners == _NOBODY else tuple(winners.split())
    return Result(named, termination, tuple(map(int, numbers)))

# SPDX-License-Identifier: Apache-2.0
"""Times of moves in the comments of Portable Game Notation, as programs write them.

`[%clk 0:09:57]` is the time left, `[%emt 0:00:05]` the time used; some programs write `1:30` for
hours and minutes, and `[%emt 5.2]` for seconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from companion.games.chess.pgn import Spent
from companion.model.phrase import Phrase
from companion.model.reading import Note, Reading

_COMMAND: Final = re.compile(r"\[%(clk|emt)\b\s*([^\]]*?)\s*(?:\]|$)")
_TIME: Final = re.compile(r"(?:(?:(\d{1,4})[:.])?(\d{1,4}):)?(\d{1,6}(?:[.,]\d{0,6})?)")


def times(comments: Sequence[tuple[int, str]], control: str) -> Reading[tuple[Spent, ...]]:
    """Return the times in *comments* after the moves, each with the line of its move.

    *control* is the time control; () if there are no times. What is not understood is noted.
    """
    if not any("[%" in text for _, text in comments):
        return Reading(())
    notes = list[Note]()
    found = [_found(line, text, notes) for line, text in comments]
    clocks = [
        (line, int(minutes), float(seconds.replace(",", ".")))
        for (line, _), commands in zip(comments, found, strict=True)
        for name, hours, minutes, seconds in commands
        if name == "clk" and not hours
    ]
    unit, what = _unit([(first, second) for _, first, second in clocks], control) if clocks else (1, None)
    notes += [] if what is None else [Note(clocks[0][0], what)]
    spent = tuple(_spent(each, unit) for each in found)
    return Reading(spent if any(each != Spent() for each in spent) else (), tuple(notes))


def _found(line: int, text: str, notes: list[Note]) -> list[tuple[str, str, str, str]]:
    """The times in the comment *text*: command, hours, minutes and seconds.

    Seconds alone are a time used. What is no time is noted.
    """
    found = []
    for name, value in _COMMAND.findall(text):
        time = _TIME.fullmatch(value)
        if time is None or (time[2] is None and name == "clk"):
            notes.append(Note(line, Phrase("the time {text!r} is not understood", text=value)))
        else:
            found.append((name, time[1] or "", time[2] or "0", time[3]))
    return found


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

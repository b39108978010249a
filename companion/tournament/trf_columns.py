# SPDX-License-Identifier: Apache-2.0
"""A player's line of a federation's report (TRF16), in whatever columns.

Each field has its columns. Where one does not fit, the rest of the line may be shifted, as behind
a name of more than 33 letters: if all of it fits some columns further, it is read from there.
Otherwise that field is left out. Columns are counted from 0 here.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament.roster import plain
from companion.tournament.trf_entries import BLANK, WIDTH, Entry, entry_of, fits
from companion.tournament.values import Number, Player, Points

PLAYER: Final = "001"
RESULTS: Final = 91
"""First column of a player's rounds."""
_NUMBER, _SEX, _TITLE, _NAME, _RATING = 4, 9, 10, 14, 48
_FIELDS: Final = {
    "rating": (48, 52, re.compile(r" *\d+| +")),
    "federation": (53, 56, re.compile(r"[A-Za-z]{3}| +")),
    "licence": (57, 68, re.compile(r" *\d+ *| +")),
    "born": (69, 79, re.compile(r"[\d/.-]+ *| *\d{4} *| +")),
    "points": (80, 84, re.compile(r" *\d+([.,]\d)?| +")),
    "rank": (85, 89, re.compile(r" *\d+| +")),
}
"""Columns, and what fits them."""
_NAMES: Final = {
    "rating": Phrase("rating"),
    "federation": Phrase("federation"),
    "licence": Phrase("FIDE ID"),
    "born": Phrase("date of birth"),
    "points": Phrase("points"),
}
_FAR: Final = sorted((*range(-33, 0), *range(1, 41)), key=abs)
"""By how many columns a name may shift what follows it."""
_NEAR: Final = (1, -1, 2, -2)
"""By how many columns anything else may."""
_TAB: Final = 8
_TITLES: Final = {
    **{title: title for title in ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")},
    **{"G": "GM", "M": "IM", "F": "FM", "C": "CM", "WG": "WGM", "WM": "WIM", "WF": "WFM", "WC": "WCM"},
}
"""Titles, and their codes before 2016."""
_SEXES: Final = {"m": "m", "w": "w", "f": "w"}


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """What one line tells of a player."""

    row: int
    number: Number
    """The starting number in the report; 0 if it cannot be read."""
    player: Player
    points: Points | None
    """In half points; None if they are not told."""
    is_short: bool
    """True if the line has no points."""
    is_ranked: bool
    """False if the rank is 0: some programs write that for those who have withdrawn."""
    entries: tuple[Entry, ...]
    """The rounds, without blank ones at the end."""
    notes: tuple[Note, ...]

    def entry(self, index: int) -> Entry:
        """The entry of a round, counted from 0."""
        return self.entries[index] if index < len(self.entries) else BLANK


def is_player(line: str) -> bool:
    """True for the line of a player, be it shifted."""
    return re.match(rf" {{0,2}}{PLAYER}[ \t]", line) is not None


def read_player(row: int, line: str) -> PlayerLine:
    """The player in the *line* with the number *row*."""
    if "\t" not in line:
        return _read(row, line)
    both = (_read(row, text) for text in (line.replace("\t", " "), line.expandtabs(_TAB)))
    return min(both, key=lambda found: len(found.notes))


def _read(row: int, line: str) -> PlayerLine:
    notes: list[Phrase] = []
    head, is_head = _headed(line.rstrip())
    number = head[_NUMBER : _SEX - 1].strip()
    if head != line.rstrip():
        notes.append(_shifted(len(line.rstrip()) - len(head)))
    texts, entries, shift = _fields(head, notes)
    start = _NAME if is_head or head[_NAME - 1 : _NAME] in ("", " ") else head.rfind(" ", 0, _NAME) + 1
    name = plain(head[start : _RATING + shift])
    if not name:
        name = f"Player {number}"
        notes.append(Phrase("the line has no name; the player is called {player}", player=name))
    player = Player(0, name)
    if is_head:
        player = _with_head(player, head[_SEX:_TITLE], head[_TITLE : _NAME - 1].strip(), notes)
    elif head[_SEX : _NAME - 1].strip():
        notes.append(_without(player, Phrase("sex and title"), head[_SEX : _NAME - 1]))
    player, points = _with_fields(player, texts, notes)
    read = tuple(_entries(player.name, entries, notes))
    return PlayerLine(
        row,
        int(number) if number.isdecimal() and number.isascii() else 0,
        player,
        points,
        not texts["points"].strip(),
        texts["rank"].strip() != "0",
        read,
        tuple(Note(row, each) for each in notes),
    )


def _shifted(count: int) -> Phrase:
    return Phrase("the columns are shifted by {count}; the line is read without the shift", count=count)


def _without(player: Player, field: Phrase, text: str) -> Phrase:
    return Phrase(
        "{player} comes without {field}: {text!r} is not known here",
        player=player.name,
        field=field,
        text=text.strip(),
    )


def _headed(line: str) -> tuple[str, bool]:
    """*line* with its beginning in its columns, and whether that could be done."""
    line = line.lstrip()
    for shift in (0, *_NEAR):
        moved = line[:_NUMBER] + (line[_NUMBER + shift :] if shift > 0 else " " * -shift + line[_NUMBER:])
        head = moved[: _NAME + 1].ljust(_NAME + 1)
        blank = head[_NUMBER - 1] + head[_SEX - 1] + head[_NAME - 1]
        if re.fullmatch(r" *\d+ *", head[_NUMBER : _SEX - 1]) and blank == "   ":
            return moved, True
    return line, False


def _fields(line: str, notes: list[Phrase]) -> tuple[dict[str, str], list[str], int]:
    """The texts of the fields and rounds of *line*, and the shift of the first.

    The text of a field that does not fit goes on to the next blanks.
    """
    bounds = [(name, *_FIELDS[name][:2]) for name in _FIELDS]
    rounds = max(0, -(-(len(line) - RESULTS) // WIDTH)) + 1
    bounds += [("", RESULTS + WIDTH * each, RESULTS + WIDTH * (each + 1)) for each in range(rounds)]
    shift = first = 0
    texts: dict[str, str] = {}
    entries: list[str] = []
    for index, (name, start, end) in enumerate(bounds):
        text = _cut(line, start + shift, end + shift)
        fitting = _does_fit(line, name, start, end, shift)
        if fitting and not index:  # a rating that is blank fits anywhere
            fitting = bool(text.strip()) or all(_does_fit(line, *each, shift) for each in bounds)
        if not fitting:
            further = _resumed(line, bounds[index:], shift, _NEAR if index else _FAR)
            if further != shift:
                notes.append(_shifted(further - shift))
                shift = further
                text = _cut(line, start + shift, end + shift)
            elif name:
                text = _whole(line, start + shift, end + shift)
        if not index:
            first = shift
        if name:
            texts[name] = text
        else:
            entries.append(text)
    return texts, entries, first


def _whole(line: str, start: int, end: int) -> str:
    """The text from *start* to *end*, with the rest of its first and last word."""
    while start > _NAME and not line[start - 1 : start + 1].count(" ") and start < len(line):
        start -= 1
    while end < len(line) and not line[end - 1 : end + 1].count(" "):
        end += 1
    return _cut(line, start, end)


def _cut(line: str, start: int, end: int) -> str:
    return line[max(0, start) : max(0, end)].ljust(end - start)


def _does_fit(line: str, name: str, start: int, end: int, shift: int) -> bool:
    """True if the field, and the blanks behind it, are in their columns."""
    text = _cut(line, start + shift, end + shift)
    if not name:
        return fits(text)
    after = _cut(line, end + shift, end + shift + (2 if name == "rank" else 1))
    return not after.strip() and _FIELDS[name][2].fullmatch(text) is not None


def _resumed(line: str, bounds: list[tuple[str, int, int]], shift: int, by: Iterable[int]) -> int:
    """The shift with which all of *bounds* fits and is not blank; else *shift*."""
    for more in by:
        moved = shift + more
        told = any(_cut(line, start + moved, end + moved).strip() for _, start, end in bounds)
        if told and all(_does_fit(line, *each, moved) for each in bounds):
            return moved
    return shift


def _with_head(player: Player, sex: str, title: str, notes: list[Phrase]) -> Player:
    if sex.strip() and sex.lower() not in _SEXES:
        notes.append(_without(player, Phrase("sex"), sex))
    if title and title.upper() not in _TITLES:
        notes.append(_without(player, Phrase("title"), title))
    return replace(player, sex=_SEXES.get(sex.lower(), ""), title=_TITLES.get(title.upper(), ""))


def _with_fields(player: Player, texts: dict[str, str], notes: list[Phrase]) -> tuple[Player, Points | None]:
    """*player* with the other fields, and the points; None if they are not told."""
    values = {name: _value(name, text.strip()) for name, text in texts.items() if name != "rank"}
    for name, value in values.items():
        if value is None:
            notes.append(_without(player, _NAMES[name], texts[name]))
    points = values.pop("points")
    rating = int(values.pop("rating") or 0)
    known = {name: value or "" for name, value in values.items()}
    return replace(player, rating=rating, **known), int(2 * float(points)) if points else None  # type: ignore[arg-type]  # the others are text


def _value(name: str, text: str) -> str | None:
    """The value in *text*, which may be empty; None if it cannot be read."""
    start, end, _ = _FIELDS[name]
    if len(text) > end - start or not text.isascii():
        return None
    if not text or (name in ("rating", "licence") and not text.strip("0")):
        return ""
    if name in ("rating", "licence"):
        return text if text.isdecimal() else None
    if name == "federation":
        return text.upper() if re.fullmatch(r"[A-Za-z]{3}", text) else None
    return _points(text) if name == "points" else _born(text)


def _points(text: str) -> str | None:
    return text.replace(",", ".") if re.fullmatch(r"\d+([.,][05])?", text) else None


def _born(text: str) -> str | None:
    """The year, or the date with slashes; zeros stand for what is not known.

    >>> [_born(text) for text in ("1990/05/01", "01.05.1990", "1990/00/00", "0000/00/00", "90/5")]
    ['1990/05/01', '1990/05/01', '1990', '', None]
    """
    parts = re.split(r"[/.-]", text)
    if len(parts[-1]) == 4 and "." in text:
        parts.reverse()
    if [len(part) for part in parts] not in ([4], [4, 2, 2]) or not all(map(str.isdecimal, parts)):
        return None
    year, month, day = (*map(int, parts), 0, 0)[:3]
    if not year or not month:
        return f"{year:04}" if year else None if month or day else ""
    is_date = month <= 12 and day <= monthrange(year, month)[1]
    return "/".join(parts) if is_date else None


def _entries(player: str, texts: list[str], notes: list[Phrase]) -> Iterator[Entry]:
    """The rounds, without blank ones at the end."""
    found = [entry_of(text) for text in texts]
    while found and found[-1] == BLANK:
        found.pop()
    for index, each in enumerate(found):
        if each.read:
            notes.append(
                Phrase(
                    "round {round} of {player}: {text!r} is read as {read!r}",
                    round=index + 1,
                    player=player,
                    text=texts[index].strip(),
                    read=each.read,
                )
            )
        yield each

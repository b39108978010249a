# SPDX-License-Identifier: Apache-2.0
"""Lamps: one palette index for each cell of a view.

Rule: the lamps depend on the view alone; their colours are in `lights.toml`.
A lower lamp level changes the palette, not the image.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Final, Literal, TypeAlias

from companion.feedback.prompts import drawn_to_begin
from companion.model.advice import AdviceKind
from companion.model.game import CallOut, Outcome
from companion.model.grid import Cell
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.model.toml import build, parse
from companion.referee.values.view import Phase, TableView

Rgb: TypeAlias = tuple[int, int, int]

DARK: Final = 0
"""The palette index that is always dark."""
PALETTE_SIZE: Final = 16
"""A panel's colour indices have four bits."""
_TICK_MS: Final = 10
"""Unit of period and phase on the link."""


class Meaning(StrEnum):
    """Meanings of a lit cell, the most important first.

    A cell shows the first meaning that applies.
    """

    WINNER = "winner"
    WAY_BACK_FROM = "way-back-from"
    WAY_BACK_TO = "way-back-to"
    WAY_BACK_LATER = "way-back-later"
    ILLEGAL = "illegal"
    CARRY_FROM = "carry-from"
    CARRY_TO = "carry-to"
    CARRY_LATER = "carry-later"
    SET_UP_WRONG = "set-up-wrong"
    SET_UP_MISSING = "set-up-missing"
    SET_UP_LATER = "set-up-later"
    QUESTION = "question"
    WARNING = "warning"
    HINT_FROM = "hint-from"
    HINT_TO = "hint-to"
    LIFTED_SOURCE = "lifted-source"
    CAPTURE_TARGET = "capture-target"
    TARGET = "target"
    CHECK_TARGET = "check-target"
    CHECK_CAUSE = "check-cause"
    ESCAPE = "escape"
    LESSON = "lesson"
    LAST_TO = "last-to"
    LAST_FROM = "last-from"
    BEGINS = "begins"
    MENU_CHOICE = "menu-choice"
    """Of the menu on the board, as the next two; no view claims them."""
    MENU_CHOSEN = "menu-chosen"
    MENU_BEGIN = "menu-begin"
    FRAME = "frame"
    """Beside the game's cells, on a panel that is larger; no view claims it."""


class LampLevel(StrEnum):
    """Amount of information that the lamps show."""

    OFF = "off"
    QUIET = "quiet"
    """Dimmed, and without hints for a lifted piece."""
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Look:
    """A palette entry: two alternating colours."""

    rgb: Rgb
    rgb2: Rgb = (0, 0, 0)
    period_ms: int = 0
    """0: the first colour, steady."""
    phase_ms: int = 0


@dataclass(frozen=True, slots=True)
class LightImage:
    """The state of all lamps."""

    cells: tuple[int, ...]
    """Palette index of each cell, by cell."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A meaning's row in `lights.toml`."""

    rgb: Rgb
    mark: str = field(compare=False)
    about: str = field(compare=False)
    colour: str
    rgb2: Rgb = (0, 0, 0)
    period_ms: int = 0
    phase_ms: int = 0
    brightness: float = 1.0
    level: Literal["quiet", "full"] = "quiet"

    def __post_init__(self) -> None:
        if len(self.mark) != 1:
            raise ValueError(Phrase("a mark is one letter, not {mark!r}", mark=self.mark))
        if not all(0 <= part <= 255 for part in (*self.rgb, *self.rgb2)):
            raise ValueError(Phrase("colours go from 0 to 255"))
        times_ms = self.period_ms, self.phase_ms
        if any(value % _TICK_MS or not 0 <= value <= 255 * _TICK_MS for value in times_ms):
            raise ValueError(
                Phrase(
                    "period and phase are multiples of {tick_ms} ms, up to {most_ms} ms",
                    tick_ms=_TICK_MS,
                    most_ms=255 * _TICK_MS,
                )
            )

    def blinking(self) -> str:
        """Its blinking, as text."""
        if not self.period_ms:
            return "steady"
        late = ", half a period later" if self.phase_ms else ""
        return f"{1000 / self.period_ms:.1f} times a second{late}"


@dataclass(frozen=True, slots=True)
class _Table:
    """The content of `lights.toml`."""

    levels: Mapping[str, float]
    meanings: Mapping[str, _Row]
    indices: dict[Meaning, int] = field(init=False, default_factory=dict)
    """Palette index of each meaning; meanings that look alike share one."""
    rows: dict[int, _Row] = field(init=False, default_factory=dict)
    """Row of each palette index."""

    def __post_init__(self) -> None:
        if set(self.meanings) != set(Meaning) or set(self.levels) != set(LampLevel):
            raise ValueError(
                Phrase("meanings must be {meanings}, and levels {levels}", meanings=Meaning, levels=LampLevel)
            )
        first: dict[_Row, int] = {}
        for meaning in Meaning:
            row = self.meanings[meaning]
            index = self.indices[meaning] = first.setdefault(row, len(self.rows) + 1)
            self.rows.setdefault(index, row)
        if len(self.rows) >= PALETTE_SIZE:
            raise ValueError(
                Phrase(
                    "{count} looks and the dark one are more than {most}: "
                    "let two meanings that are never lit together look alike",
                    count=len(self.rows),
                    most=PALETTE_SIZE,
                )
            )


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the legend: a look and its meaning."""

    meaning: Meaning
    about: str
    mark: str
    colour: str
    blinking: str
    share: float
    """Its brightness at the full level, 0 to 1."""
    level: LampLevel
    """The lowest level at which it is shown."""


def legend() -> tuple[Entry, ...]:
    """The legend of the lamps, the most important meaning first."""
    rows = ((meaning, _table().meanings[meaning]) for meaning in Meaning)
    return tuple(
        Entry(meaning, row.about, row.mark, row.colour, row.blinking(), row.brightness, LampLevel(row.level))
        for meaning, row in rows
    )


@cache
def palette(level: LampLevel = LampLevel.FULL) -> tuple[Look, ...]:
    """The looks of the palette indices at *level*, entry 0 dark; at most `PALETTE_SIZE`."""
    table = _table()
    order = list(LampLevel)
    looks = [Look((0, 0, 0))]
    for row in table.rows.values():
        is_shown = order.index(level) >= order.index(LampLevel(row.level))
        brightness = row.brightness * table.levels[level] if is_shown else 0
        colours = _dimmed(row.rgb, brightness), _dimmed(row.rgb2, brightness)
        looks.append(Look(*colours, row.period_ms, row.phase_ms))
    return tuple(looks)


def index_of(meaning: Meaning) -> int:
    """The palette index of *meaning*."""
    return _table().indices[meaning]


def meanings(view: TableView) -> dict[Cell, Meaning]:
    """The meaning of each lit cell of *view*."""
    said: dict[Cell, Meaning] = {}
    for meaning, lit in _claims(view):
        for cell in lit:
            said.setdefault(cell, meaning)
    return said


def mark(meaning: Meaning) -> str:
    """The letter for *meaning* on devices without colour."""
    return _table().meanings[meaning].mark


def render(view: TableView) -> LightImage:
    """The lamps for *view*."""
    cells, looks = [DARK] * len(view.grid), _table().indices
    for meaning, lit in _claims(view):
        for cell in lit:
            if cells[cell] == DARK:
                cells[cell] = looks[meaning]
    return LightImage(tuple(cells))


_GUIDED: Final = {
    Phase.SETTING_UP: (Meaning.SET_UP_WRONG, Meaning.SET_UP_MISSING, Meaning.SET_UP_LATER),
    Phase.CARRYING_OUT: (Meaning.CARRY_FROM, Meaning.CARRY_TO, Meaning.CARRY_LATER),
}
"""Meanings of the guides: what leaves its cell, where it goes, and what comes later."""


def _claims(view: TableView) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """Meanings and their cells, the most important first."""
    if view.is_suspended:
        yield Meaning.QUESTION, _touches(view)
        return
    if view.phase is Phase.PAUSED:
        return
    if view.outcome is not None:
        yield from _ended(view, view.outcome)
    elif view.fault is not None or view.phase is Phase.ILLEGAL:
        yield from _guided(view, Meaning.WAY_BACK_FROM, Meaning.WAY_BACK_TO, Meaning.WAY_BACK_LATER)
        if view.fault is not None:
            yield Meaning.ILLEGAL, (*view.fault.violation.cells, *view.fault.cells)
    elif view.phase in _GUIDED:
        yield from _guided(view, *_GUIDED[view.phase])
    elif view.phase is Phase.HANDLING:
        yield from _advised(view)
        yield from _lifted(view)
    else:
        yield Meaning.QUESTION, _touches(view)
        yield from _advised(view)
        yield from _announced(view)
        yield Meaning.LESSON, () if view.lesson is None else view.lesson.shows
        yield from _last_move(view)


def _ended(view: TableView, outcome: Outcome) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """The winner's pieces, or the last move of a draw."""
    if outcome.winners:
        yield Meaning.WINNER, _pieces_of(view, outcome.winners)
    else:
        yield from _last_move(view)


def _advised(view: TableView) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """The hint, or the piece of a move that loses at once."""
    advice = view.advice
    if advice is None:
        return
    if advice.kind in (AdviceKind.WARNING, AdviceKind.MISSED):
        yield Meaning.WARNING, advice.target
    else:
        yield Meaning.HINT_TO, advice.target
        yield Meaning.HINT_FROM, advice.source


def _touches(view: TableView) -> tuple[Cell, ...]:
    """The cells that select an answer."""
    choices = () if view.question is None else view.question.choices
    return tuple(choice.touch for choice in choices if choice.touch is not None)


def _guided(
    view: TableView, source: Meaning, target: Meaning, later: Meaning
) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """The present correction, and the later ones.

    Lamps cannot show which of several pieces goes where.
    """
    now = [guide for guide in view.guides if not guide.is_later]
    yield source, tuple(guide.source for guide in now if guide.source is not None)
    yield target, tuple(guide.target for guide in now if guide.target is not None)
    rest = ((guide.source, guide.target) for guide in view.guides if guide.is_later)
    yield later, tuple(cell for cells in rest for cell in cells if cell is not None)


def _pieces_of(view: TableView, sides: tuple[Side, ...]) -> tuple[Cell, ...]:
    """The cells of the pieces of *sides*, or their zones.

    Zones, where pieces have no owner or none is left.
    """
    if all(piece.side is None for piece, _ in view.placement.entries):
        return tuple(cell for region in view.regions if region.side in sides for cell in region.cells)
    pieces = [cells for piece, cells in view.placement.entries if piece.side in sides]
    return tuple(cell for cells in pieces for cell in cells)


def _lifted(view: TableView) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """The origin of the piece in the hand and its legal targets."""
    occupancy = view.placement.occupancy
    yield (
        Meaning.CAPTURE_TARGET,
        tuple(c for c in view.targets if occupancy >> c & 1 and c not in view.lifted),
    )
    yield Meaning.TARGET, view.targets
    yield Meaning.LIFTED_SOURCE, view.lifted


def _announced(view: TableView) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """The threatened cells and the threatening pieces."""
    if not view.announcements:
        return
    checks = [each for each in view.announcements if each.cry is CallOut.CHECK]
    escapes = [each for each in view.announcements if each.cry is CallOut.ESCAPE]
    yield Meaning.CHECK_TARGET, tuple(cell for each in checks for cell in each.targets)
    yield Meaning.CHECK_CAUSE, tuple(cell for each in checks for cell in each.causes)
    yield Meaning.ESCAPE, tuple(cell for each in escapes for cell in (*each.causes, *each.targets))


def _last_move(view: TableView) -> Iterator[tuple[Meaning, tuple[Cell, ...]]]:
    """The last move; before the first one, the side that was drawn to begin."""
    if (side := drawn_to_begin(view)) is not None:
        yield Meaning.BEGINS, _pieces_of(view, (side,))
    if view.record:
        yield Meaning.LAST_TO, view.record[-1].target
        yield Meaning.LAST_FROM, view.record[-1].source


def _dimmed(rgb: Rgb, brightness: float) -> Rgb:
    """*rgb* at *brightness*, 0 to 1."""
    red, green, blue = (round(part * brightness) for part in rgb)
    return red, green, blue


@cache
def _table() -> _Table:
    """The content of `lights.toml`, read once. Raises `SettingsError`."""
    file = resources.files("companion.feedback") / "lights.toml"
    tables = parse(file.read_text(encoding="utf-8"), file.name)
    return build(_Table, tables, file.name)

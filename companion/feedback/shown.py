# SPDX-License-Identifier: Apache-2.0
"""A view and what lies over it.

Rule: lamps, display and page derive from this one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from companion.feedback import lights, prompts, text, voice
from companion.feedback import notices as beside
from companion.feedback.lights import DARK, Meaning
from companion.feedback.standins import Standins
from companion.feedback.voice import Utterance
from companion.feedback.words import Words
from companion.model.grid import Cell
from companion.referee.values.questions import Question
from companion.referee.values.view import Guide, TableView


@dataclass(frozen=True, slots=True)
class Overlay:
    """Lamps and lines over those of a view."""

    lit: Sequence[tuple[Cell, Meaning]]
    lines: tuple[str, str]
    """For the display; an empty line leaves what is below."""
    is_alone: bool
    """True if nothing else is lit."""


@dataclass(frozen=True, slots=True)
class MenuCell:
    """A lit cell of the menu on the board, and what it means."""

    cell: Cell
    meaning: Meaning
    name: str


@dataclass(frozen=True, slots=True)
class MenuView:
    """What is shown of an open menu on the board."""

    cells: tuple[MenuCell, ...]
    sentence: str
    lines: tuple[str, str]
    """For the display; empty lines leave what it shows without a menu."""
    has_chosen: bool
    """True if something is chosen: then nothing else is lit or said."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said of a game elsewhere."""

    about: str
    """Its subject, independent of the language."""
    sentence: str


class Shown(NamedTuple):
    """What people see of a table; a named tuple, for every lamp waits for it."""

    view: TableView
    language: str = ""
    """That of the layers' sentences; empty for the table's own."""
    names: tuple[str, ...] = ()
    """The players, shown on the display before the clocks start."""
    overlays: tuple[Overlay, ...] = ()
    """The lowest first."""
    menu: MenuView | None = None
    remarks: tuple[Remark, ...] = ()
    standins: Standins | None = None
    """What stands in for the pieces, while they are set up."""
    offered: Question | None = None
    """How a hand completes its move; a drop may answer that, too."""
    over: Cell | None = None
    """The cell over which a hand holds its piece, and is asked."""
    places: tuple[Cell, ...] = ()
    """Targets of a piece from beside the board, of which no panel knows."""
    has_arbiter: bool = False
    """True if commands for an arbiter are left out."""

    @property
    def question(self) -> Question | None:
        """The pending question: the referee's, or one to a hand."""
        return self.offered or self.view.question


def lamps(shown: Shown) -> tuple[int, ...]:
    """The palette index of each cell."""
    image = lights.render(shown.view).cells
    for overlay in shown.overlays:
        cells = [DARK] * len(image) if overlay.is_alone else list(image)
        for cell, meaning in overlay.lit:
            cells[cell] = lights.index_of(meaning)
        image = tuple(cells)
    return image


def lines(shown: Shown, words: Words) -> tuple[str, str]:
    """The two lines of the display."""
    first, second = text.render(shown.view, words, names=shown.names)
    for overlay in shown.overlays:
        first, second = overlay.lines[0] or first, overlay.lines[1] or second
    return first, second


def prompt(shown: Shown, words: Words) -> str:
    """The prompt, with the menu's sentence until the end of the game, or that alone."""
    menu = shown.menu
    if menu is not None and menu.has_chosen:
        return menu.sentence
    said = prompts.prompt(shown.view, words)
    return said if menu is None or shown.view.outcome is not None else f"{said} {menu.sentence}"


def notices(shown: Shown, words: Words) -> Iterator[str]:
    """The remarks, the notices of the view, and the menu's sentence after the end."""
    menu = shown.menu
    yield from (remark.sentence for remark in shown.remarks)
    if menu is None or not menu.has_chosen:
        yield from beside.notices(shown.view, words)
        if menu is not None and shown.view.outcome is not None:
            yield menu.sentence


def spoken(shown: Shown, words: Words) -> Iterator[Utterance]:
    """The messages of the view, the menu after a choice, and the remarks."""
    menu = shown.menu
    yield from voice.render(shown.view, words)
    if menu is not None and menu.has_chosen:
        yield Utterance(menu.sentence, menu.sentence)
    for each in shown.remarks:
        if each.about != "lag":
            yield Utterance(f"remark {each.about} {each.sentence}", each.sentence)


def guides(shown: Shown) -> tuple[Guide, ...]:
    """The corrections of the board; none once something is chosen from the menu."""
    return () if shown.menu is not None and shown.menu.has_chosen else shown.view.guides

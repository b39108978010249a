# SPDX-License-Identifier: Apache-2.0
"""The menu on the board: a piece put on a lit cell chooses something.

Pure. Lifting a piece undoes its choice. Before a game the menu is open from the moment the board is
empty until a piece stands elsewhere; after a game it is open until another begins. It lights the
choices of one topic at a time, then of the next, and as soon as anything is chosen a cell that
begins. Games and words come from its content.

A game that starts with an empty board has begun while the menu is open: then the pieces on the
menu's cells are withheld from the referee, until they are lifted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

from companion.feedback.lights import Meaning
from companion.feedback.shown import MenuCell, MenuView, Overlay, Shown
from companion.feedback.text import fit
from companion.host.table.layers.layer import Layer
from companion.model.grid import Cell, Grid
from companion.model.observation import Change, Observation, Sightings
from companion.model.occupancy import Occupancy
from companion.referee.values.view import Phase, TableView

DWELL_MS: Final = 600
"""How long a piece stands on a lit cell before that is a choice."""
_EMPTY_MS: Final = 1500
"""After this time with an empty board, a game without moves is not begun."""


class Moment(StrEnum):
    """When the menu is open."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class MenuChoice:
    """One choice of a topic."""

    value: str
    name: str
    short: str = ""
    """For the display; empty if the name is short."""
    label: str = ""
    """For its cell on the page; empty for the name."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Something to choose."""

    name: str
    choices: tuple[MenuChoice, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the players have chosen, and want to begin."""

    moment: Moment
    selected: Mapping[str, str]
    """Values by topic; a topic may be missing."""


class MenuContent(Protocol):
    """The topics and their words."""

    def topics(self, moment: Moment, selected: Mapping[str, str], language: str = "") -> Sequence[Topic]:
        """Return the topics after *selected*, in *language*; if empty, in the one selected."""
        ...

    def words(self, selected: Mapping[str, str], language: str = "") -> Mapping[str, str]:
        """Return the menu's words."""
        ...


class BoardMenu(Layer):
    """The menu of one game at a table; closed until something is offered."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._content: MenuContent | None = None
        self._start = self._taken = self._entered = 0
        """Cells of the start position, those never lit, and those of a first piece."""
        self._is_bare = False
        """True if the game starts with an empty board."""
        self._waits = False
        """True if the menu of such a game opens only when somebody asks for it."""
        self._is_asked = False
        self._withheld: Occupancy = 0
        """Cells of pieces of which the referee does not know."""
        self._moment: Moment | None = None
        self._at_end: Occupancy = 0
        """The cells on which pieces stood when the game ended."""
        self._is_open = False
        self._chosen: dict[str, tuple[Cell, str]] = {}
        """Cell and value of each topic, in the order of the choices."""
        self._lit: tuple[Cell, ...] = ()
        """Cells of the choices of the present topic."""
        self._is_outdated = False
        """True if there may be other choices than those lit."""
        self._is_short = False
        """True if choices are not lit because too few cells are free."""
        self._begin: Cell | None = None
        self._since: dict[Cell, int] = {}
        """Since when a piece stands on a lit cell."""
        self._occupied: Occupancy = 0
        self._empty_ms: int | None = None
        """Since when the board is empty before the first move; None once said."""
        self._has_said = False
        self._wish: Wish | None = None
        self._done: TableView | None = None
        """The view of which nothing follows before another input; None if something may."""

    # --- input ---

    def offer(
        self, content: MenuContent, start: Occupancy, entered: Occupancy = 0, *, waits: bool = False
    ) -> None:
        """Offer *content*, on other cells than *start*, where the start position stands.

        If that is empty, the first move places a piece on one of *entered*; with *waits*, the menu
        is then closed until `ask`.
        """
        self._content, self._done, self._is_outdated = content, None, True
        self._start, self._is_bare, self._waits = start, not start, waits
        self._taken = start | sum(1 << cell for cell in self._grid.obstacles)
        self._entered = entered

    def ask(self) -> None:
        """Note that somebody wants to choose at the board."""
        self._is_asked, self._done = True, None

    def withhold(self, observation: Observation) -> Observation:
        """Return *observation* without pieces on the menu's cells, if the game has begun."""
        if not self._is_bare or self._moment is Moment.AFTER:
            return observation
        own = sum(1 << cell for cell in self._own_cells()) if self._is_open else self._withheld
        known = self._withheld | own
        seen = observation.sightings
        self._withheld, self._done = seen.occupied & own, None
        if not known:
            return observation
        inputs = (
            each for each in observation.inputs if not (isinstance(each, Change) and known >> each.cell & 1)
        )
        details = tuple((cell, each) for cell, each in seen.seen if not known >> cell & 1)
        hidden = Sightings(seen.occupied & ~known, seen.hidden & ~known, details)
        return replace(observation, inputs=tuple(inputs), sightings=hidden)

    def tend(self, view: TableView, now_ms: int) -> bool:
        """Process what *view* shows at *now_ms*; true if the menu has changed."""
        if view is self._done:
            return False
        before = self.state
        is_deserted = self._start and view.is_begun and not (view.record or view.outcome or view.occupied)
        if not is_deserted:
            self._empty_ms, self._has_said = None, False
        elif self._empty_ms is None and not self._has_said:
            self._empty_ms = now_ms
        moment = self._moment_of(view)
        if moment is not self._moment:
            self._moment, self._at_end = moment, view.occupied if moment is Moment.AFTER else 0
            self._close()
        occupied, self._occupied = self._occupied, view.occupied | self._withheld
        if moment is Moment.BEFORE and self._is_open and self._has_strangers():
            self._is_asked = False
            self._close()
        is_touched = moment is Moment.AFTER and (self._is_open or view.occupied != self._at_end)
        if is_touched or (moment is Moment.BEFORE and not self._occupied):
            self._open()
        if self._is_open:
            self._follow(occupied, now_ms)
        self._done = view if self.next_deadline_ms() is None else None
        return self.state != before

    def next_deadline_ms(self) -> int | None:
        """Return when a piece has stood, or the board was empty, long enough."""
        if not self._since and self._empty_ms is None:
            return None
        due_ms = [since_ms + DWELL_MS for since_ms in self._since.values()]
        return min([*due_ms, *([] if self._empty_ms is None else [self._empty_ms + _EMPTY_MS])])

    def take_desertion(self, now_ms: int) -> bool:
        """Return true, once, if all pieces were taken off before the first move."""
        is_due = self._empty_ms is not None and self._empty_ms + _EMPTY_MS <= now_ms
        if is_due:
            self._empty_ms, self._has_said = None, True
        return is_due

    def take_wish(self) -> Wish | None:
        """Return what is to begin, once."""
        wish, self._wish, self._done = self._wish, None, None
        return wish

    # --- output ---

    @property
    def state(self) -> tuple[object, ...]:
        """Return everything of which people see a change, or which they have asked for."""
        return self._is_open, tuple(self._chosen.items()), self._lit, self._begin, self._wish

    def view(self, language: str = "") -> MenuView | None:
        """Return what is shown, in *language* or the selected one; None if closed."""
        if self._content is None or not (self._is_open or (self._moment is Moment.AFTER and self._topics())):
            return None
        said = self._content.words(self._selected, language)
        if not self._is_open:  # the end of a game is not to blink until somebody has a piece in the hand
            return MenuView((), said["lift-to-choose"], ("", ""), has_chosen=False)
        topic = self._topic(language)
        made = self._made(language)
        chosen = [
            MenuCell(cell, Meaning.MENU_CHOSEN, choice.label or choice.name)
            for (cell, _), choice in zip(self._chosen.values(), made, strict=True)
        ]
        choices = topic.choices if topic else ()
        offered = [
            MenuCell(cell, Meaning.MENU_CHOICE, choice.label or choice.name)
            for cell, choice in zip(self._lit, choices, strict=False)
        ]
        begin = [] if self._begin is None else [MenuCell(self._begin, Meaning.MENU_BEGIN, said["begin"])]
        return MenuView(
            (*chosen, *begin, *offered),
            self._sentence(said, topic, made),
            self._lines(said, topic, made),
            bool(chosen),
        )

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with the menu, if it is open."""
        menu = self.view(shown.language)
        if menu is None:
            return shown
        overlay = Overlay([(each.cell, each.meaning) for each in menu.cells], menu.lines, menu.has_chosen)
        return shown._replace(menu=menu, overlays=(*shown.overlays, overlay))

    # --- internal ---

    def _moment_of(self, view: TableView) -> Moment | None:
        """Which menu *view* leaves room for; None if a game goes on."""
        if view.question is not None or view.phase is Phase.PAUSED or not view.is_sensed:
            return None
        if view.outcome is not None:
            return Moment.AFTER
        if self._is_bare and view.phase is Phase.WAITING and view.is_begun and not view.record:
            return Moment.BEFORE if self._is_asked or not self._waits else None
        return Moment.BEFORE if view.phase is Phase.SETTING_UP and not view.is_begun else None

    def _own_cells(self) -> Iterator[Cell]:
        """Yield the lit cells, those of choices made, and that which begins."""
        yield from self._lit
        yield from (cell for cell, _ in self._chosen.values())
        if self._begin is not None:
            yield self._begin

    @property
    def _selected(self) -> dict[str, str]:
        return {name: value for name, (_, value) in self._chosen.items()}

    def _topics(self, language: str = "") -> Sequence[Topic]:
        assert self._moment is not None
        assert self._content is not None
        return self._content.topics(self._moment, self._selected, language)

    def _topic(self, language: str = "") -> Topic | None:
        """Return the first topic of which nothing is chosen."""
        return next((topic for topic in self._topics(language) if topic.name not in self._chosen), None)

    def _made(self, language: str) -> list[MenuChoice]:
        """Return the choices made, the latest last."""
        known = {
            (topic.name, choice.value): choice for topic in self._topics(language) for choice in topic.choices
        }
        return [known.get(each, MenuChoice(each[1], each[1])) for each in self._selected.items()]

    def _sentence(self, said: Mapping[str, str], topic: Topic | None, made: Sequence[MenuChoice]) -> str:
        if not made:
            return said["or-choose"] if self._moment is Moment.BEFORE else said["what-next"]
        return " ".join([f"{made[-1].name}.", *([said[topic.name]] if topic else []), said["ready"]])

    def _lines(
        self, said: Mapping[str, str], topic: Topic | None, made: Sequence[MenuChoice]
    ) -> tuple[str, str]:
        if not made:
            return "", fit(said["short-or"]) if self._moment is Moment.BEFORE else ""
        latest = made[-1].short or made[-1].name
        return fit(latest), fit(said[f"short-{topic.name}"] if topic else said["short-begin"])

    def _has_strangers(self) -> bool:
        """True if a piece stands on a cell that is not of the menu."""
        own = set(self._own_cells())
        return any(self._occupied >> cell & 1 and cell not in own for cell in range(len(self._grid)))

    def _open(self) -> None:
        """Open the menu, or light what it offers besides by now."""
        if self._is_open and self._is_outdated and not self._chosen:
            self._light()
        if not self._is_open and self._wish is None and self._content is not None and self._topics():
            self._is_open = True
            self._light()

    def _close(self) -> None:
        self._is_open, self._lit, self._begin = False, (), None
        self._chosen.clear()
        self._since.clear()

    def _follow(self, occupied: Occupancy, now_ms: int) -> None:
        """Undo what was lifted, and choose what has stood long enough; *occupied* was so before."""
        lifted = [name for name, (cell, _) in self._chosen.items() if not self._occupied >> cell & 1]
        for name in lifted:
            del self._chosen[name]
        for cell in (*self._lit, self._begin):
            if cell is not None and self._occupied >> cell & 1:
                self._since.setdefault(cell, now_ms)
            elif cell is not None:
                self._since.pop(cell, None)
        ripe = [cell for cell, since_ms in self._since.items() if since_ms + DWELL_MS <= now_ms]
        if self._begin in ripe and self._moment is not None:
            self._wish = Wish(self._moment, self._selected)
            self._close()
        elif ripe:
            self._choose(ripe[0])
        elif lifted or (self._is_short and occupied & ~self._occupied):
            self._light()

    def _choose(self, cell: Cell) -> None:
        topic = self._topic()
        assert topic is not None
        self._chosen[topic.name] = (cell, topic.choices[self._lit.index(cell)].value)
        self._light()

    def _free(self, count: int) -> list[Cell]:
        """Return the cells for *count* choices and the one that begins.

        A cell that a piece has left since the end is among them only if there are too few others:
        the piece may be put back.
        """
        mine = sum(1 << cell for cell, _ in self._chosen.values())
        taken = self._taken | self._occupied | mine | (0 if self._moment is Moment.AFTER else self._entered)
        others = [cell for cell in range(len(self._grid)) if not (taken | self._at_end) >> cell & 1]
        if len(others) > count:
            return others
        return [cell for cell in range(len(self._grid)) if not taken >> cell & 1]

    def _light(self) -> None:
        """Light the choices of the present topic, in its own rows if possible."""
        self._is_outdated = False
        self._since.clear()
        topic, topics = self._topic(), self._topics()
        free = self._free(len(topic.choices) if topic else 0)
        if not self._chosen:
            self._begin = None
        elif self._begin is None and free:
            self._begin = free[-1]
        free = [cell for cell in free if cell != self._begin]
        self._lit, self._is_short = (), topic is not None
        if topic is None or not free:
            return
        first = len(free) * [each.name for each in topics].index(topic.name) // len(topics)
        width = self._grid.files or 1
        begins = next(
            (at for at in range(first, -1, -1) if at == 0 or free[at] // width != free[at - 1] // width), 0
        )
        self._lit = tuple((*free[begins:], *free[:begins])[: len(topic.choices)])
        self._is_short = len(self._lit) < len(topic.choices)

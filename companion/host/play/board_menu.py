# SPDX-License-Identifier: Apache-2.0
"""What the menu on the board offers, and the games that it begins."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from companion import games
from companion.feedback.text import spell
from companion.feedback.wordfiles import ENGLISH, read_common
from companion.host.clock import local_time
from companion.host.coach.mistakes import FoundMistakes, MistakeFinder, level_after
from companion.host.game_info import fitting_options, named_levels, words_of
from companion.host.journal.lessons import read_done
from companion.host.journal.setup import GameSetup
from companion.host.table.catalogue import spoken
from companion.host.table.layers.board_menu import MenuChoice, Moment, Topic, Wish
from companion.host.table.table import Interest, Table
from companion.host.table.table_game import (
    Again,
    Begin,
    Invitation,
    NewGameRequest,
    TableGame,
    puzzle_request,
)
from companion.host.tasks import guarded
from companion.host.text.error_translation import translate
from companion.host.watch.reviewer import Reviewer
from companion.lessons.course import lessons_of
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError
from companion.model.phrase import Phrase
from companion.opponent.levels import levels
from companion.opponent.puzzles import Puzzle, of_the_day, puzzles
from companion.referee.values.controls import NONE, PRESETS

GAME: Final = "game"
OPPONENT: Final = "opponent"
CLOCK: Final = "clock"
LANGUAGE: Final = "language"
NEXT: Final = "next"
"""The topics; the last one is that after a game."""

_PLACES: Final = {"new": "another-table", "lichess": "lichess"}
"""In place of a level: people elsewhere, with the key of their name."""
_PEOPLE: Final = "0"
"""In place of a level of the computer."""
_LESSONS: Final = "lessons"
"""Likewise: no opponent, but the lessons of the game."""
_PUZZLE: Final = "puzzle"
"""Likewise: a puzzle of the game, and after one the next."""
_AGAIN, _SIDES, _ANOTHER, _REVIEW = "again", "sides", "another", "review"
"""The choices after a game."""


class Elsewhere(Protocol):
    """Games with people elsewhere, as far as this program can join them."""

    def places(self, slug: str) -> Iterable[str]:
        """Return the places where *slug* can be played, of `_PLACES`."""
        ...

    def server(self) -> str:
        """Return the place of chess with anyone, friends and a computer; empty without one."""
        ...

    async def play(self, invitation: Invitation, table: Table, inform: Callable[[str], None]) -> None:
        """Join the game of *invitation*, and play it until another game begins."""
        ...


class TableMenu:
    """The `MenuContent` for the table of one game."""

    def __init__(self, table_game: TableGame, elsewhere: Elsewhere | None = None) -> None:
        """Find the games that fit. Slow: call it in a thread. Raises `SettingsError`."""
        self._table_game = table_game
        self.mistakes: FoundMistakes | None = None
        """Those of the game that is over, as soon as they are known."""
        self._is_elsewhere = table_game.setup.is_elsewhere and not table_game.setup.lesson
        self._language = table_game.pipeline.words.language
        fits = table_game.has_place_for
        found = ((slug, fitting_options(games.find(slug), fits)) for slug in games.slugs())
        self._options = {slug: options for slug, options in found if options is not None}
        self._puzzled = [slug for slug in self._options if fits(games.find(slug).rules().grid)]
        """The games of which the puzzles have room."""
        self._places = {slug: tuple(elsewhere.places(slug)) if elsewhere else () for slug in self._options}

    def topics(self, moment: Moment, selected: Mapping[str, str], language: str = "") -> tuple[Topic, ...]:
        """Return the topics after *selected*, in *language*; if empty, in the one selected."""
        code = language or selected.get(LANGUAGE, self._language)
        return tuple(self._topics(moment, selected, code))

    def words(self, selected: Mapping[str, str], language: str = "") -> Mapping[str, str]:
        """Return the menu's words."""
        return read_common(language or selected.get(LANGUAGE, self._language)).menu

    def request(self, wish: Wish) -> NewGameRequest | Invitation | None:
        """Return the request for what *wish* begins; None for a review.

        Raises `SettingsError` if the lessons that are done cannot be read.
        """
        chosen, current, language = wish.selected, self._table_game.setup, wish.selected.get(LANGUAGE, "")
        what = chosen.get(NEXT, _ANOTHER)
        if what == _REVIEW:
            return None
        if self.mistakes and (shown := self.mistakes.request(what, level_after(self._table_game))):
            return shown
        slug = chosen.get(GAME, current.game)
        if _PUZZLE in (what, chosen.get(OPPONENT)):
            return puzzle_request(self._puzzle(slug), language)
        if what != _ANOTHER:
            return Again(keeps_sides=what == _AGAIN)
        if chosen.get(OPPONENT) == _LESSONS:
            return Begin(GameSetup(slug, lesson=read_done().first_open(slug)), language)
        is_game = not (current.is_exercise or self._is_elsewhere)
        is_same = is_game and slug == current.game
        setup = current if is_same else GameSetup(slug, tuple(self._options[slug].items()))
        opponent = chosen.get(OPPONENT, _PEOPLE)
        if opponent in _PLACES:
            wanted = GameSetup(slug, setup.options, setup.players[:1], chosen.get(CLOCK, ""))
            return Invitation(opponent, Begin(wanted, language))
        if OPPONENT in chosen:
            sides = len(setup.rules.sides)
            played_by, numbers = _opponents(slug, sides, int(chosen[OPPONENT]))
            setup = replace(setup, played_by=played_by, levels=numbers)
        return Begin(replace(setup, control=chosen.get(CLOCK, setup.control)), language)

    def _topics(self, moment: Moment, selected: Mapping[str, str], language: str) -> Iterator[Topic]:
        if moment is Moment.BEFORE and self._is_elsewhere:
            return  # the players elsewhere wait
        if moment is Moment.AFTER:
            if self._table_game.setup.lesson:
                return  # another lesson follows
            shown = () if self.mistakes is None else self.mistakes.choices(language)
            yield Topic(NEXT, (*self._again(language), *_said(language, _ANOTHER, _REVIEW), *shown))
            if selected.get(NEXT) != _ANOTHER:
                return
        yield Topic(GAME, tuple(_titled(slug, language) for slug in self._options))
        slug = selected.get(GAME, self._table_game.setup.game)
        puzzle = [_called(_PUZZLE, _PUZZLE, language)] if slug in self._puzzled else []
        places = _named_places(self._places[slug], language)
        yield Topic(OPPONENT, (*_players(slug, language), *puzzle, *places))
        if selected.get(OPPONENT) not in (_LESSONS, _PUZZLE):
            yield Topic(CLOCK, tuple(_clocks(language)))
        yield Topic(LANGUAGE, tuple(MenuChoice(code, name, _short(name, code)) for code, name in spoken()))

    def _again(self, language: str) -> Iterator[MenuChoice]:
        """Yield what goes on with the same game."""
        if self._table_game.setup.puzzle:
            yield from _said(language, _AGAIN)
            yield _called(_PUZZLE, "another-puzzle", language)
        elif not self._is_elsewhere:
            yield from _said(language, _AGAIN, _SIDES)

    def _puzzle(self, slug: str) -> Puzzle:
        """Return the puzzle of the day of *slug*; after another one of it, the next."""
        current, among = self._table_game.setup, puzzles(slug)
        if current.puzzle and current.game == slug:
            found = [each.number for each in among if each.position == current.position]
            return among[found[0] % len(among)] if found else among[0]
        return of_the_day(local_time().toordinal(), slug)


async def follow_menu(
    table: Table,
    inform: Callable[[str], None],
    elsewhere: Elsewhere | None = None,
    reviewer: Reviewer | None = None,
) -> None:
    """Offer a menu on the board of *table*, and begin what is chosen, also *elsewhere*.

    *reviewer* finds the mistakes of a game for the menu after it.
    """
    content: TableMenu | None = None
    offered: TableGame | None = None
    async with contextlib.AsyncExitStack() as stack:
        beginning = await stack.enter_async_context(_Beginning(table, inform))
        has_changed = stack.enter_context(table.watch(Interest.PLAY))
        finder = MistakeFinder(table, reviewer, has_changed.set, beginning.show)
        stack.push_async_callback(finder.close)
        while True:
            current = table.current
            if current is not offered:
                content = await asyncio.to_thread(TableMenu, current, elsewhere)
                table.invitations.server = "" if elsewhere is None else elsewhere.server()
                table.offer_menu(content)
                if not current.setup.is_elsewhere:
                    beginning.cancel()
            offered, found = current, finder.look()
            if content is not None and content.mistakes is not found:
                content.mistakes = found
                table.offer_menu(content)
            wish = current.pipeline.layers.menu.take_wish()
            if wish is not None and content is not None:
                work = _carry_out(content, wish, table, inform, elsewhere)
                beginning.begin(Phrase("the menu on the board"), work)
            invitation = table.invitations.take()
            if invitation is not None and elsewhere is not None:
                beginning.begin(Phrase("the game elsewhere"), elsewhere.play(invitation, table, inform))
            await has_changed.wait()
            has_changed.clear()


class _Beginning:
    """What was chosen last, until it has begun; elsewhere, until its end."""

    def __init__(self, table: Table, inform: Callable[[str], None]) -> None:
        self._table, self._inform = table, inform
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> _Beginning:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def begin(self, what: Phrase, work: Coroutine[Any, Any, None]) -> None:
        """Do *work*, called *what*, in place of what was chosen before."""
        self.cancel()
        self._table.remark("menu", "")
        task = asyncio.create_task(guarded(what, work, self.show))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Leave the game elsewhere, or no longer wait for it."""
        for task in self._tasks:
            if not task.cancelling():  # a second time would interrupt its end
                task.cancel()

    def show(self, said: str | CompanionError) -> None:
        """Say *said* on the page and to the players."""
        self._table.remark("menu", str(said))
        self._inform(translate(said, self._table.pipeline.words.language))


async def _carry_out(
    content: TableMenu, wish: Wish, table: Table, inform: Callable[[str], None], elsewhere: Elsewhere | None
) -> None:
    """Begin what *wish* asks for, or show the review. Raises `CompanionError`."""
    request = await asyncio.to_thread(content.request, wish)
    if request is None:
        table.ask_for_review(content.mistakes.judged if content.mistakes else ())
    elif isinstance(request, Invitation):
        assert elsewhere is not None
        await elsewhere.play(request, table, inform)
    else:
        await table.request_game(request)


def _opponents(slug: str, sides: int, level: int) -> tuple[tuple[PlayedBy, ...], tuple[int, ...]]:
    """Return who plays: the computer of *level*, if not 0, all sides but the first."""
    if not level:
        return (), ()
    number = min(level, len(levels(slug)))
    others = sides - 1
    return (PlayedBy.TABLE, *[PlayedBy.COMPUTER] * others), (0, *[number] * others)


def _said(language: str, *keys: str) -> Iterator[MenuChoice]:
    """Yield choices with the menu's own words."""
    for key in keys:
        name = read_common(language).menu[key]
        yield MenuChoice(key, name, _short(name, read_common(ENGLISH).menu[key]))


def _called(value: str, key: str, language: str) -> MenuChoice:
    """Return the choice *value* with a name of the start page."""
    name = read_common(language).start[key]
    return MenuChoice(value, name, _short(name, read_common(ENGLISH).start[key]))


def _titled(slug: str, language: str) -> MenuChoice:
    title = words_of(slug, language).game.title
    return MenuChoice(slug, title, _short(title, words_of(slug, ENGLISH).game.title))


def _players(slug: str, language: str) -> Iterator[MenuChoice]:
    said = read_common(language)
    people, english = said.menu["people"], read_common(ENGLISH)
    yield MenuChoice(_PEOPLE, people, _short(people, english.menu["people"]))
    named = zip(named_levels(slug, language), named_levels(slug, ENGLISH), strict=True)
    for number, (level, other) in enumerate(named, 1):
        short = f"{number} {_short(level.name, other.name)}"
        name = f"{said.labels['computer']}: {level.label}"
        yield MenuChoice(str(number), name, short, f"{number} {level.name}")
    if lessons_of(slug):
        name = said.labels["lessons"]
        yield MenuChoice(_LESSONS, name, _short(name, english.labels["lessons"]))


def _named_places(places: Iterable[str], language: str) -> Iterator[MenuChoice]:
    """Yield the choices of people elsewhere."""
    for place in places:
        name = read_common(language).menu[_PLACES[place]]
        yield MenuChoice(place, name, _short(name, read_common(ENGLISH).menu[_PLACES[place]]))


def _clocks(language: str) -> Iterator[MenuChoice]:
    said, english = read_common(language).labels, read_common(ENGLISH).labels
    yield MenuChoice(NONE, said["no-time"], _short(said["no-time"], english["no-time"]))
    for name, written in PRESETS.items():
        yield MenuChoice(written, f"{said[name]} · {written}", _short(said[name], english[name]))


def _short(name: str, otherwise: str) -> str:
    """Return *name* if a display can show its letters, else *otherwise*."""
    return otherwise if "?" in spell(name) else name

# SPDX-License-Identifier: Apache-2.0
"""What the menu on the board offers, and the games that it begins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from companion import games
from companion.feedback.board_menu import MenuChoice, Moment, Topic, Wish
from companion.feedback.text import spell
from companion.feedback.wordfiles import ENGLISH, read_common
from companion.host.game_info import fitting_options, words_of
from companion.host.table.catalogue import spoken
from companion.host.table.game_setup import Again, Begin, NewGameRequest, TableGame
from companion.host.table.table import Interest, Table
from companion.host.text.error_translation import translate
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError
from companion.opponent import levels
from companion.referee.controls import NONE, PRESETS

GAME: Final = "game"
OPPONENT: Final = "opponent"
CLOCK: Final = "clock"
LANGUAGE: Final = "language"
NEXT: Final = "next"
"""The topics; the last one is that after a game."""

_PEOPLE: Final = "0"
"""In place of a level of the computer."""
_AGAIN, _SIDES, _ANOTHER, _REVIEW = "again", "sides", "another", "review"
"""The choices after a game."""


class TableMenu:
    """The `MenuContent` for the table of one game."""

    def __init__(self, table_game: TableGame) -> None:
        """Find the games that fit. Slow: call it in a thread."""
        self._table_game = table_game
        self._language = table_game.pipeline.words.language
        fits = table_game.has_place_for
        found = ((slug, fitting_options(games.find(slug), fits)) for slug in games.slugs())
        self._options = {slug: options for slug, options in found if options is not None}

    def topics(self, moment: Moment, selected: Mapping[str, str], language: str = "") -> tuple[Topic, ...]:
        """Return the topics after *selected*, in *language*; if empty, in the one selected."""
        code = language or selected.get(LANGUAGE, self._language)
        return tuple(self._topics(moment, selected, code))

    def words(self, selected: Mapping[str, str], language: str = "") -> Mapping[str, str]:
        """Return the menu's words."""
        return read_common(language or selected.get(LANGUAGE, self._language)).menu

    def request(self, wish: Wish) -> NewGameRequest | None:
        """Return the request for what *wish* begins; None for a review."""
        chosen, current = wish.selected, self._table_game
        what = chosen.get(NEXT, _ANOTHER)
        if what == _REVIEW:
            return None
        if what != _ANOTHER:
            return Again(keeps_sides=what == _AGAIN)
        slug = chosen.get(GAME, current.game.slug)
        is_same = slug == current.game.slug
        options = current.pipeline.session.rules.options if is_same else self._options[slug]
        played_by, numbers = (current.played_by, current.levels) if is_same else ((), ())
        if OPPONENT in chosen:
            sides = len(games.find(slug).rules(options).sides)
            played_by, numbers = _opponents(slug, sides, int(chosen[OPPONENT]))
        return Begin(
            slug,
            tuple(options.items()),
            current.players if is_same else (),
            chosen.get(CLOCK, current.control if is_same else ""),
            chosen.get(LANGUAGE, ""),
            current.start if is_same else "",
            played_by=played_by,
            levels=numbers,
        )

    def _topics(self, moment: Moment, selected: Mapping[str, str], language: str) -> Iterator[Topic]:
        if moment is Moment.AFTER:
            yield Topic(NEXT, tuple(_said(language, _AGAIN, _SIDES, _ANOTHER, _REVIEW)))
            if selected.get(NEXT) != _ANOTHER:
                return
        yield Topic(GAME, tuple(_titled(slug, language) for slug in self._options))
        slug = selected.get(GAME, self._table_game.game.slug)
        yield Topic(OPPONENT, tuple(_players(slug, language)))
        yield Topic(CLOCK, tuple(_clocks(language)))
        yield Topic(LANGUAGE, tuple(MenuChoice(code, name, _short(name, code)) for code, name in spoken()))


async def follow_menu(table: Table, inform: Callable[[str], None]) -> None:
    """Offer a menu on the board of *table*, and begin what is chosen."""
    content: TableMenu | None = None
    offered: TableGame | None = None
    with table.watch(Interest.PLAY) as has_changed:
        while True:
            current = table.current
            if current is not offered and _has_menu(current):
                content = await asyncio.to_thread(TableMenu, current)
                table.offer_menu(content)
            offered = current
            wish = current.pipeline.menu.take_wish()
            if wish is not None and content is not None:
                await _carry_out(content.request(wish), table, inform)
            await has_changed.wait()
            has_changed.clear()


def _has_menu(table_game: TableGame) -> bool:
    """True where the players decide what follows: not in lessons and games elsewhere."""
    return not table_game.lesson and PlayedBy.ELSEWHERE not in table_game.played_by


async def _carry_out(request: NewGameRequest | None, table: Table, inform: Callable[[str], None]) -> None:
    """Begin the game of *request*; without one, show the review."""
    if request is None:
        table.ask_for_review()
        return
    try:
        await table.request_game(request)
    except CompanionError as fault:
        inform(translate(fault, table.pipeline.words.language))


def _opponents(slug: str, sides: int, level: int) -> tuple[tuple[PlayedBy, ...], tuple[int, ...]]:
    """Return who plays: the computer of *level*, if not 0, all sides but the first."""
    if not level:
        return (), ()
    number = min(level, len(levels.levels(slug)))
    others = sides - 1
    return (PlayedBy.TABLE, *[PlayedBy.COMPUTER] * others), (0, *[number] * others)


def _said(language: str, *keys: str) -> Iterator[MenuChoice]:
    """Yield choices with the menu's own words."""
    for key in keys:
        name = read_common(language).menu[key]
        yield MenuChoice(key, name, _short(name, read_common(ENGLISH).menu[key]))


def _titled(slug: str, language: str) -> MenuChoice:
    title = words_of(slug, language).game.title
    return MenuChoice(slug, title, _short(title, words_of(slug, ENGLISH).game.title))


def _players(slug: str, language: str) -> Iterator[MenuChoice]:
    said, most = read_common(language), len(levels.levels(slug))
    people, english = said.menu["people"], read_common(ENGLISH)
    yield MenuChoice(_PEOPLE, people, _short(people, english.menu["people"]))
    named = zip(levels.names(language)[:most], levels.names(ENGLISH), strict=False)
    for number, (name, other) in enumerate(named, 1):
        short, label = f"{number} {_short(name, other)}", f"{number} {name}"
        yield MenuChoice(str(number), f"{said.labels['computer']}: {label}", short, label)


def _clocks(language: str) -> Iterator[MenuChoice]:
    said, english = read_common(language).labels, read_common(ENGLISH).labels
    yield MenuChoice(NONE, said["no-time"], _short(said["no-time"], english["no-time"]))
    for name, written in PRESETS.items():
        yield MenuChoice(written, f"{said[name]} · {written}", _short(said[name], english[name]))


def _short(name: str, otherwise: str) -> str:
    """Return *name* if a display can show its letters, else *otherwise*."""
    return otherwise if "?" in spell(name) else name

# SPDX-License-Identifier: Apache-2.0
"""Who may begin another game in place of the one on the table.

Its rule: a game under way belongs to those who have a seat; while nobody has, to the person at this
machine and to those who play at its page. Others ask them. A game that is over or without a move
may be replaced by everybody, but not too often.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from companion import games
from companion.feedback.wordfiles import languages
from companion.host.game_info import is_offered, words_of
from companion.host.journal.setup import GameSetup
from companion.host.table.table import Table
from companion.host.table.table_game import Begin
from companion.host.text.error_translation import translate
from companion.host.web.seats import Seats
from companion.lessons.course import lessons_of
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError, OrderRefused
from companion.model.phrase import Phrase
from companion.opponent.levels import levels
from companion.referee.values.view import TableView

MOST: Final = 5
"""Games that others may begin, or ask for, within `WITHIN_MS`."""
WITHIN_MS: Final = 60_000
LONGEST_NAME: Final = 40
LONGEST_POSITION: Final = 2_000
"""Longest text of a position; Tank Chess has the longest."""
PATIENCE_S: Final = 60.0
"""For the answer of the players; after a refusal they are left alone as long."""

_ASKED: Final = Phrase("A game is under way. Those who play it have been asked: wait for their answer.")
_KEPT: Final = Phrase("Those who play want to go on with their game. Begin another one when it is over.")
_SILENT: Final = Phrase("Those who play have not answered. Ask them, or begin when their game is over.")
_MEANWHILE: Final = Phrase("Another game has begun in the meantime.")
_BUSY: Final = Phrase("Another device asks for a game just now. Try again in a minute.")
_NOBODY: Final = Phrase(
    "A game is under way, and nobody is at its page to be asked. Open that page, and begin the new game there."
)
_OFTEN: Final = Phrase("Too many games were begun within a minute. Wait a moment.")


@dataclass(frozen=True, slots=True, eq=False)
class Asker:
    """A browser that wants to begin a game."""

    browser: WebSocket
    name: str
    """By which its seats are known; may be empty."""
    is_here: bool
    """True if it runs on this machine."""
    language: str

    async def say(self, said: str | CompanionError) -> None:
        """Say *said* at its page."""
        await self.browser.send_text(json.dumps({"told": translate(said, self.language)}))


@dataclass(frozen=True, slots=True)
class _Wish:
    """A game that waits for the answer of those who play."""

    asker: Asker
    game: str
    answer: asyncio.Future[str | None]
    """None: it may begin; otherwise the reason why not, empty if nobody waits for it."""


class Beginning:
    """The requests for another game at one table."""

    def __init__(
        self, table: Table, seats: Seats, notify: Callable[[], None], patience_s: float = PATIENCE_S
    ) -> None:
        """*notify* lets the pages look again; the players have *patience_s* for an answer."""
        self._table, self._seats, self._notify = table, seats, notify
        self._patience_s = patience_s
        self._wish: _Wish | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._counted_ms: list[int] = []
        """When others began a game, or asked for one."""
        self._refused_ms: int | None = None
        """When the players last kept their game."""

    async def request(self, asker: Asker, game: str, begin: Callable[[], Awaitable[None]]) -> None:
        """Do *begin*, which starts *game*, if *asker* may; otherwise ask those who play first."""
        try:
            may_begin = self._may_begin(asker)
        except OrderRefused as refusal:
            await asker.say(refusal)
            return
        if may_begin:
            await begin()
            return
        asking = asyncio.create_task(self._ask(asker, game, begin), name="wish for another game")
        self._tasks.add(asking)
        asking.add_done_callback(self._tasks.discard)

    def asked_of(self, browser: str, language: str) -> str:
        """Return the title of the game that *browser* may let begin; "" without one."""
        if self._wish is None or browser not in (self._seats.deciders(self._wish.asker.name) or ()):
            return ""
        return words_of(self._wish.game, self._table.words(language).language).game.title

    def answer(self, browser: str, *, lets: bool) -> None:
        """*browser* lets the game begin that others wish for, or keeps its own."""
        if self.asked_of(browser, ""):
            self._refused_ms = None if lets else _now_ms()
            self._settle(None if lets else _KEPT)

    def withdraw(self, browser: WebSocket) -> None:
        """*browser* has gone, or wants something else."""
        if self._wish is not None and self._wish.asker.browser is browser:
            self._settle("")

    def note_other_game(self) -> None:
        """Another game has begun."""
        self._refused_ms = None
        self._settle(_MEANWHILE)

    def _may_begin(self, asker: Asker) -> bool:
        """True if *asker* may begin at once, false if others decide. Raises `OrderRefused`."""
        seats, view = self._seats, self._table.pipeline.view
        is_owned = is_under_way(view) or (self._table.has_arbiter and seats.is_taken)
        if seats.holds(asker.name) or (asker.is_here and not (is_owned and seats.is_taken)):
            return True
        deciders = seats.deciders(asker.name) if is_owned else None
        if deciders is not None:
            self._check_wish(asker, deciders)
        self._count(_now_ms())
        return deciders is None

    def _check_wish(self, asker: Asker, deciders: frozenset[str]) -> None:
        """Raise `OrderRefused` if *deciders* cannot be asked now."""
        if not deciders:
            raise OrderRefused(_NOBODY)
        if self._wish is not None and self._wish.asker.browser is not asker.browser:
            raise OrderRefused(_BUSY)
        if self._refused_ms is not None and _now_ms() - self._refused_ms < self._patience_s * 1000:
            raise OrderRefused(_KEPT)

    def _count(self, now_ms: int) -> None:
        """Count a request of others. Raises `OrderRefused` if there were too many."""
        recent = [each for each in self._counted_ms if now_ms - each < WITHIN_MS]
        if len(recent) >= MOST:
            raise OrderRefused(_OFTEN)
        self._counted_ms = [*recent, now_ms]

    async def _ask(self, asker: Asker, game: str, begin: Callable[[], Awaitable[None]]) -> None:
        """Begin *game* once those who play let *asker*, or say why not."""
        self.withdraw(asker.browser)
        loop = asyncio.get_running_loop()
        wish = self._wish = _Wish(asker, game, loop.create_future())
        self._notify()
        patience = loop.call_later(self._patience_s, self._settle, _SILENT)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the asker may be gone
            try:
                await asker.say(_ASKED)
                reason = await wish.answer
            finally:
                patience.cancel()
                if self._wish is wish:
                    self._settle("")
            if reason is None:
                await begin()
            elif reason:
                await asker.say(reason)

    def _settle(self, reason: str | None) -> None:
        """End the wish with its answer."""
        wish, self._wish = self._wish, None
        if wish is not None and not wish.answer.done():
            wish.answer.set_result(reason)
            self._notify()


def is_under_way(view: TableView) -> bool:
    """True if the game of *view* has moves, and is not over."""
    is_over = view.outcome is not None if view.lesson is None else view.lesson.is_done
    return bool(view.record) and not is_over


def _now_ms() -> int:
    return round(asyncio.get_running_loop().time() * 1000)


def is_sensible(command: Begin) -> bool:
    """True if *command* has an existing game, allowed options and valid names."""
    setup = command.setup
    if setup.game not in games.slugs() or command.language not in ("", *languages()):
        return False
    options = {option.name: option for option in games.find(setup.game).options}
    is_offer = all(name in options and is_offered(options[name], value) for name, value in setup.options)
    is_lesson = not setup.lesson or setup.lesson in lessons_of(setup.game)
    are_names = all(len(name) <= LONGEST_NAME and (name.isprintable()) for name in setup.players)
    is_short = len(setup.position) <= LONGEST_POSITION
    are_sides = all(side >= 0 for side in setup.warned)  # how many there are depends on the options
    return is_offer and are_names and is_lesson and is_short and are_sides and _are_players(setup)


def _are_players(setup: GameSetup) -> bool:
    """True if people play, or the computer at a level of the game."""
    if len(setup.levels) != len(setup.played_by) or setup.is_elsewhere:
        return False
    least_and_most = {PlayedBy.TABLE: (0, 0), PlayedBy.COMPUTER: (1, len(levels(setup.game)))}
    ranges = (least_and_most[by] for by in setup.played_by)
    return all(least <= level <= most for level, (least, most) in zip(setup.levels, ranges, strict=True))

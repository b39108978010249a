# SPDX-License-Identifier: Apache-2.0
"""The table of a program, and the games that the start page begins.

Its rule: without a game there is no table; a missing board is shown, and waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from companion import games
from companion.feedback.lesson_words import heading
from companion.feedback.page import Json
from companion.feedback.wordfiles import read_common
from companion.feedback.words import Words, load
from companion.host.coach.results import Results
from companion.host.devices.panels import VIRTUAL_TABLE, Device
from companion.host.game_info import words_of
from companion.host.journal import files
from companion.host.online.elsewhere import Joined
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions, StartedGame
from companion.host.records.records import KeptGame, games_in, player_names
from companion.host.start_page.cards import cards
from companion.host.start_page.device_finder import DeviceFinder, Found, FoundPanel, Presence, fitting
from companion.host.start_page.kept_lists import JournalGame, UnfinishedGames, called, is_kept, listed, stored
from companion.host.start_page.requests import VIRTUAL, Delete, Exercise, GoOn, Play
from companion.host.table import catalogue
from companion.host.table.catalogue import spoken
from companion.host.table.link_status import LinkState
from companion.host.table.table import Interest, Table
from companion.host.table.table_game import TableGame
from companion.host.tasks import Watchers
from companion.host.text.error_translation import translate
from companion.host.watch.review import ReviewedGame, kept_game
from companion.host.watch.reviewer import Reviewer
from companion.model.errors import CompanionError, SettingsError
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.referee.values.view import TableView

if TYPE_CHECKING:
    from companion.host.records.store import Imported


class Home:
    """The start page's view of the program: one table at most, devices, and stored games."""

    def __init__(
        self,
        play_options: PlayOptions,
        inform: Callable[[str], None],
        make_finder: Callable[[Callable[[], None]], DeviceFinder],
    ) -> None:
        """*make_finder* makes the finder of devices; its argument is called on news."""
        self.play_options = play_options
        self.table: Table | None = None
        """None before the first game."""
        self.addresses: tuple[str, ...] = ()
        """URLs of the page that other devices can open."""
        self.joined: Joined | None = None
        """The game with people elsewhere that the first table plays."""
        self.authority: Path | None = None
        """The certificate that a phone can trust, if this machine made it."""
        self.factory = TableGameFactory(play_options, inform)
        self.reviewer = Reviewer(play_options.store)
        """Analyses finished games, on the table and in the store."""
        self.results = Results()
        self._watchers = Watchers()
        self.finder = make_finder(self._watchers.notify)
        self._unfinished = UnfinishedGames(play_options.folder or files.folder())
        self._begun = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    # --- the table ---

    def start(self, started: StartedGame, *, is_patient: bool) -> Table:
        """Make the table with *started*, the game of the command line.

        Raises `CompanionError`.
        """
        return self._sit_down(self.factory.first(started), is_patient=is_patient)

    async def begin(self, wish: Play | Exercise) -> None:
        """Begin the game of *wish*. Raises `CompanionError`."""
        device = self._device(wish.device, wish.grid)
        self._take(await asyncio.to_thread(self.factory.begin, wish.request, device))

    async def resume(self, wish: GoOn) -> None:
        """Resume the game of *wish*. Raises `CompanionError`."""
        game = await asyncio.to_thread(self._find, wish)
        if game is None:
            raise SettingsError("there is no unfinished game {name}: choose another", name=wish.journal)
        grid = await asyncio.to_thread(game.grid)
        device = self._device(wish.device, grid)
        language = wish.language or self.play_options.language
        self._take(await asyncio.to_thread(self.factory.resume, game.journal, game.game, device, language))

    def carry_out(self, work: Coroutine[object, object, None]) -> None:
        """Do *work*, which may take long, beside everything else."""
        task = asyncio.create_task(work, name="change of the kept games")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def delete(self, wish: Delete) -> None:
        """Delete the game of *wish*. Raises `CompanionError`."""
        await asyncio.to_thread(self._delete, wish)
        self._watchers.notify()

    def _delete(self, wish: Delete) -> None:
        """Delete the game of *wish*, in the store and its journal. Writes files."""
        found = self._unfinished_game(wish.journal) if wish.journal else None
        if wish.number:
            from companion.host.records.store import Store

            with Store.find(self.play_options.store) as store:
                store.delete(wish.number)
        if found is not None:
            found.journal.unlink(missing_ok=True)

    async def keep_games(self, content: bytes, name: str) -> Imported:
        """Keep the games in *content*, which messages call *name*. Raises `StoreError`."""
        from companion.host.records.store import Imported, Store

        imported = Imported()

        def take() -> None:
            with Store.open(self.play_options.store) as store:
                imported.take(store, games_in(content, name), name)

        await asyncio.to_thread(take)
        self._watchers.notify()
        return imported

    def game_of(self, wish: Play | Exercise | GoOn) -> str:
        """Return the slug of the game that *wish* begins; may be "". Reads files."""
        if not isinstance(wish, GoOn):
            return wish.game
        found = self._find(wish)
        return "" if found is None else found.game

    def _find(self, wish: GoOn) -> JournalGame | None:
        """Return the game that *wish* resumes. Reads files."""
        return self._unfinished_game(wish.journal)

    def _unfinished_game(self, name: str) -> JournalGame | None:
        """Return the game in the journal *name* that can go on. Reads files.

        None for that on the table.
        """
        current = self._journal
        listed = (each for each in self._unfinished.list(current) if each.journal != current)
        return next((each for each in listed if each.can_go_on and each.journal.name == name), None)

    def unfinished(self, name: str) -> KeptGame | None:
        """Return the unfinished game in the journal *name*. Reads files."""
        found = self._unfinished_game(name)
        return None if found is None else found.kept

    async def wait_for_table(self) -> Table:
        """Return the table as soon as there is one."""
        await self._begun.wait()
        assert self.table is not None
        return self.table

    async def run(self) -> None:
        """Play at the table as soon as there is one, until cancelled. Raises like `Table.run`."""
        table = await self.wait_for_table()
        async with asyncio.TaskGroup() as group:
            following = group.create_task(self._follow(table), name="news of the table")
            try:
                await table.run()
            finally:
                following.cancel()

    def _take(self, table_game: TableGame) -> None:
        """Put *table_game* on the table."""
        if self.table is None:
            self._sit_down(table_game, is_patient=True)
        else:
            self.table.inbox.put(table_game)

    def _sit_down(self, table_game: TableGame, *, is_patient: bool) -> Table:
        table = self.table = Table(
            table_game, self.factory, intervals=self.play_options.intervals, is_patient=is_patient
        )
        self._begun.set()
        self._watchers.notify()
        return table

    def _device(self, key: str, grid: Grid) -> Device:
        """Return the device *key* for a game on *grid*. Raises `SettingsError`."""
        if key == VIRTUAL:
            return VIRTUAL_TABLE
        found = next((each for each in self._devices() if each.key == key), None)
        device = None if found is None or found.presence is Presence.GONE else found.device_for(grid)
        if device is None:
            raise SettingsError(
                "the board {name} is not there, or does not fit the game: plug it in, or choose another",
                name=key if found is None else found.name,
            )
        return device

    # --- the page ---

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Event]:
        """Yield an event that is set on every change; the waiting side clears it."""
        try:
            with self._watchers.watch() as has_changed:
                self.finder.wanted.set()
                yield has_changed
        finally:
            if not self._watchers:
                self.finder.wanted.clear()

    async def _follow(self, table: Table) -> None:
        """Pass on the news of *table* that concern the start page, until cancelled."""
        before: object = None
        with table.watch(Interest.PLAY) as has_changed:
            while True:
                view, current = table.pipeline.view, table.current
                now = (current.journal, len(view.record), view.outcome, table.pipeline.status)
                if now != before:
                    self.finder.use(self._device_of(current))
                    self._watchers.notify()
                before = now
                await has_changed.wait()
                has_changed.clear()

    def constants(self, language: str) -> Json:
        """Return what does not change: words, languages and cards."""
        common = read_common(language)
        return {
            "language": language,
            "languages": [{"value": code, "label": name} for code, name in spoken()],
            "labels": {**common.labels, **common.start},
            "cards": cards(language),
        }

    def state(self, language: str) -> Json:
        """Return what changes, in *language*. Reads files: call it in a thread."""
        fault, rows = "", []
        try:
            rows = stored(self.play_options.store)
        except CompanionError as failed:
            fault = translate(failed, language)
        current = self._journal
        found = self._unfinished.list(current)
        return {
            "current": None if is_kept(rows, found, current) else self._current(language),
            "games": listed(rows, found, current, language),
            "fault": fault,
        }

    def devices(self, language: str) -> list[Json]:
        """Return the found devices, in *language*, with the games that can be played on them."""
        said = read_common(language).start
        test = translate(Phrase("Test the switches"), language)
        grids = {slug: games.find(slug).rules().grid for slug in games.slugs()}
        listed = []
        for found in self._devices():
            fits = [slug for slug, grid in grids.items() if fitting((found,), grid)]
            kind = "panel" if isinstance(found, FoundPanel) else "camera"
            listed.append(
                {
                    "key": found.key,
                    "kind": kind,
                    "name": f"{said[kind]} {found.name}",
                    "presence": found.presence.value,
                    "text": said[f"presence-{found.presence.value}"],
                    "games": fits,
                    "titles": [words_of(slug, language).game.title for slug in fits],
                    "test": test if isinstance(found, FoundPanel) and found.identity else "",
                }
            )
        return listed

    def offer(self, language: str) -> Json:
        """Return all games with their options. Slow."""
        return catalogue.offer(language, lambda _grid: True)

    def kept(self, number: int) -> ReviewedGame:
        """Return the game *number* of the store. Reads files. Raises `CompanionError`."""
        from companion.host.records.store import Store

        with Store.find(self.play_options.store) as store:
            game = store.game(number)
        return kept_game(game, self._unfinished.folder)

    @property
    def _journal(self) -> Path | None:
        return None if self.table is None else self.table.current.journal.path

    def _device_of(self, table_game: TableGame) -> Device | None:
        """Return the device of *table_game*; None if it is virtual."""
        if table_game.virtual_table is not None:
            return None
        if table_game.device is not None:
            return table_game.device
        return Device(self.play_options.port, camera=self.play_options.camera)

    def _devices(self) -> tuple[Found, ...]:
        """Return the found devices; that of the table as the table sees it."""
        found, table = self.finder.found, self.table
        if table is None or table.current.virtual_table is not None:
            return found
        is_lost = table.pipeline.status.state not in (LinkState.CONNECTED, LinkState.ABSENT)
        presence = Presence.GONE if is_lost else Presence.USED
        seen = tuple(
            replace(each, presence=presence) if self.finder.is_used(each) else each for each in found
        )
        shape, status = table.pipeline.panel.shape, table.pipeline.status
        if shape is None or any(map(self.finder.is_used, found)):
            return seen
        port = self.play_options.port or ""
        name = status.text if presence is Presence.USED else port
        return (FoundPanel("table", port, name or port, shape, presence=presence), *seen)

    def _current(self, language: str) -> Json | None:
        """Return the game on the table; None without one."""
        if self.table is None:
            return None
        view, current = self.table.pipeline.view, self.table.current
        setup = current.setup
        words = load(language, setup.game, current.pipeline.session.rules.sides)
        return {
            "game": setup.game,
            "title": words.game.title,
            "players": list(called(setup.game, words, tuple(player_names(setup)))),
            # a lesson or puzzle is left without a question
            "plies": 0 if view.lesson or setup.puzzle else len(view.record),
            "is_finished": view.outcome is not None and view.lesson is None,
            "result": _result(view, words),
        }


def _result(view: TableView, words: Words) -> str:
    """Return the result on the table, or the lesson; "" during a game."""
    if view.lesson is not None:
        return heading(view.lesson, view, words)
    return "" if view.outcome is None else words.outcome(view.outcome)

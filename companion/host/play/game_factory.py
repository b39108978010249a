# SPDX-License-Identifier: Apache-2.0
"""Starts the games of a table one after another, and closes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.feedback.page import Json
from companion.host.devices.ports import OpenPort
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import TableDevices, make_table
from companion.host.play.reports import keep_games
from companion.host.play.start import PlayOptions, StartedGame, begin, open_journal
from companion.host.table import catalogue
from companion.host.table.game_setup import Begin, NewGameRequest, TableGame
from companion.host.text.error_translation import translate
from companion.model.errors import CompanionError, SettingsError
from companion.referee.controls import write_control


class TableGameFactory:
    """Starts games at the panel of the play options: a `GameFactory`."""

    def __init__(
        self, play_options: PlayOptions, inform: Callable[[str], None], open_port: OpenPort | None = None
    ) -> None:
        """*open_port* opens the panel if it was found already."""
        self._play_options = play_options
        self._offers: dict[tuple[object, ...], Json] = {}
        self._inform = inform
        self._open_port = open_port

    def first(self, started: StartedGame) -> TableGame:
        """Start the first game of a table. Raises `CompanionError`."""
        evaluate = self._evaluation(started)
        writer = open_journal(started, self._play_options, self._play_options.journal)
        return self._start(started, writer, evaluate, self._open_port)

    def offer(self, language: str, table_game: TableGame) -> Json:
        """Return the games that fit in place of *table_game*; cached, since it takes long."""
        grid, shape = table_game.pipeline.session.rules.grid, table_game.pipeline.panel.shape
        key = (language, grid.slug, shape, table_game.camera_task is None)
        if key not in self._offers:
            self._offers[key] = catalogue.offer(language, table_game.has_place_for)
        return self._offers[key]

    def create(self, request: NewGameRequest, table_game: TableGame, order: str = "") -> TableGame:
        """Start *request* in place of *table_game*, for a hall's *order*.

        Raises `CompanionError`.
        """
        rules, language = table_game.pipeline.session.rules, table_game.pipeline.words.language
        if not isinstance(request, Begin):
            options = tuple(rules.options.items())
            slug, start = table_game.game.slug, table_game.start
            request = Begin(
                slug,
                options,
                table_game.players,
                table_game.control,
                position=start,
                played_by=table_game.played_by,
            )
        started = begin(request, self._play_options, request.language or language, order)
        if not table_game.has_place_for(started.rules.grid):
            raise SettingsError(
                "{game} needs the {grid} grid; this table has {other}",
                game=started.game.title,
                grid=started.rules.grid.slug,
                other=rules.grid.slug,
            )
        evaluate = self._evaluation(started)
        return self._start(started, open_journal(started, self._play_options), evaluate, table_game.open_port)

    def close(self, table_game: TableGame) -> None:
        """Close the journal of *table_game* and store its games. Raises `JournalError`."""
        try:
            table_game.journal.close()
        finally:
            if table_game.journal.path.exists():
                keep_games(table_game, self._play_options.store, self._inform)

    def _start(
        self,
        started: StartedGame,
        writer: JournalWriter,
        evaluate: Callable[[Any], str] | None,
        open_port: OpenPort | None = None,
    ) -> TableGame:
        """Start *started* at the panel of *open_port*, if known; a virtual panel is new."""
        words, status = started.words, started.words.common.status
        note = started.resumed.note if started.resumed else ""
        path = f"{writer.path}: {translate(note, words.language)}" if note else str(writer.path)
        self._inform(words.fill(status["going-on" if started.resumed else "journal"], path=path))
        play_options = self._play_options
        try:
            table = make_table(
                play_options.port,
                started.game,
                started.session,
                started.words,
                writer,
                started.clock,
                TableDevices(
                    play_options.lamps,
                    play_options.broken,
                    started.camera_setup,
                    play_options.intervals,
                    play_options.at,
                    play_options.virtual_panel,
                ),
            )
        except CompanionError:
            writer.close()
            raise
        return replace(
            table.current,
            open_port=open_port
            if open_port and table.current.virtual_table is None
            else table.current.open_port,
            players=started.header.players,
            control=write_control(started.header.control),
            order=started.header.order,
            start=started.header.start,
            played_by=started.header.played_by,
            evaluate=evaluate,
        )

    def _evaluation(self, started: StartedGame) -> Callable[[Any], str] | None:
        """Return what says the result of positions of *started*, if that is wanted.

        Called before there is a journal: it takes seconds and may fail. Raises `ExtraMissing`.
        """
        if not self._play_options.analysis:
            return None
        from companion.host.analysis.evaluation import evaluation

        language = started.words.language
        return evaluation(started.rules, lambda said: self._inform(translate(said, language)))

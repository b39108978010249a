# SPDX-License-Identifier: Apache-2.0
"""Starts the games of a table one after another, and closes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.feedback.page import Json
from companion.feedback.standins import standin_notice
from companion.host.devices.panels import Device
from companion.host.devices.ports import OpenPort
from companion.host.journal.setup import GameSetup
from companion.host.play.new_table import TableDevices, make_table
from companion.host.play.reports import keep_games
from companion.host.play.start import PlayOptions, StartedGame, begin, open_journal, resume
from companion.host.table import catalogue
from companion.host.table.layers.standins import standins_of
from companion.host.table.table_game import Begin, NewGameRequest, TableGame
from companion.host.text.error_translation import translate
from companion.model.errors import CompanionError, SettingsError


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
        play_options = self._play_options
        return self._start(started, play_options, play_options.journal, open_port=self._open_port)

    def begin(self, request: Begin, device: Device | None) -> TableGame:
        """Start *request* on *device*, or on that of the play options.

        Raises `CompanionError`.
        """
        play_options = self._options_on(device)
        started = begin(request, play_options, request.language or play_options.language)
        return self._start(started, play_options, device=device)

    def resume(self, journal: Path, game: str, device: Device | None, language: str) -> TableGame:
        """Resume the *game* of *journal* on *device*. Raises `CompanionError`."""
        play_options = replace(
            self._options_on(device),
            setup=GameSetup(game),
            journal=journal,
            record=None,
            language=language,
            warned=(),
        )
        return self._start(resume(play_options), play_options, device=device)

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
        moved_on = 0
        if not isinstance(request, Begin):
            moved_on = 0 if request.keeps_sides or table_game.setup.is_exercise else 1
            request = Begin(table_game.setup.again(len(rules.sides), moved_on))
        play_options = self._options_on(table_game.device)
        started = begin(request, play_options, request.language or language, order)
        if not table_game.has_place_for(started.rules.grid):
            raise SettingsError(
                "{game} needs the {grid} grid; this table has {other}",
                game=started.game.title,
                grid=started.rules.grid.slug,
                other=rules.grid.slug,
            )
        made = self._start(started, play_options, open_port=table_game.open_port, device=table_game.device)
        return replace(made, moved_on=moved_on)

    def close(self, table_game: TableGame) -> None:
        """Close the journal of *table_game* and store its games. Raises `JournalError`."""
        try:
            table_game.journal.close()
        finally:
            if table_game.setup.is_exercise:
                table_game.journal.path.unlink(missing_ok=True)
            elif table_game.journal.path.exists():
                keep_games(table_game, self._play_options.store, self._inform)

    def _options_on(self, device: Device | None) -> PlayOptions:
        """Return the play options with *device* in place of theirs."""
        if device is None:
            return self._play_options
        return replace(
            self._play_options, port=device.port, camera=device.camera, broken=(), at="", virtual_panel=""
        )

    def _start(
        self,
        started: StartedGame,
        play_options: PlayOptions,
        path: Path | None = None,
        *,
        open_port: OpenPort | None = None,
        device: Device | None = None,
    ) -> TableGame:
        """Start *started*, with its journal at *path*, if given.

        The panel is that of *open_port*, if known, or of *device*; a virtual panel is new.
        """
        evaluate = self._evaluation(started)
        writer = open_journal(started, play_options, path)
        words, status = started.words, started.words.common.status
        note = started.resumed.note if started.resumed else ""
        said = f"{writer.path}: {translate(note, words.language)}" if note else str(writer.path)
        if started.teacher is None:
            self._inform(words.fill(status["going-on" if started.resumed else "journal"], path=said))
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
        made = table.current
        if started.teacher is not None:
            made.pipeline.teach(started.teacher)
        if device is not None and open_port is None:
            open_port = device.opener(started.rules.grid, started.clock)
        if made.pipeline.has_standins:
            self._inform(standin_notice(standins_of(made.pipeline.session.rules), words))
        return replace(
            made,
            open_port=open_port if open_port and made.virtual_table is None else made.open_port,
            setup=started.header.setup,
            order=started.header.order,
            evaluate=evaluate,
            device=device,
            is_resumed=started.resumed is not None,
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

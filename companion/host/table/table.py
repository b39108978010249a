# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one task with one mailbox; its parts are in other files already.
"""Task of one table: panel port, camera, pipeline, journal sync, notifications.

Its rule: all input passes through one mailbox and is processed in order. A lost panel is searched
for, while the game and the page stay as they are. Games follow each other at a table.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from enum import IntEnum
from functools import partial
from typing import Any, Final, TypeAlias

from companion.feedback import page
from companion.feedback.page import Json
from companion.feedback.page_types import PageState
from companion.feedback.words import Words
from companion.host.clock import RecordingClock
from companion.host.devices.camera_status import CameraState, ImageResult
from companion.host.devices.ports import OpenPort, Port
from companion.host.game_info import named_levels
from companion.host.mailbox import Mailbox, Priority, Turns
from companion.host.retry import USUAL, Intervals
from companion.host.table.catalogue import spoken, words_with_players
from companion.host.table.drops import dropped, entered, offered
from companion.host.table.journal_sync import Fsync, JournalSaver, Room, Saved, sync_in_thread
from companion.host.table.layers.board_menu import MenuContent
from companion.host.table.layers.board_review import MoveJudgement
from companion.host.table.link_status import LinkState
from companion.host.table.page_state import PageStates, seen
from companion.host.table.piece_follower import PieceFollower, believed
from companion.host.table.pipeline import Pipeline
from companion.host.table.recovery import ErrorGuard
from companion.host.table.requests import (
    Advised,
    Asked,
    HintPress,
    Look,
    MenuWanted,
    Offered,
    Request,
    ReviewWanted,
)
from companion.host.table.table_game import GameFactory, Invitations, Moment, NewGameRequest, TableGame
from companion.host.tasks import Watchers
from companion.host.virtual_table.hands import Choose, Clear, Motion, PressClock, turned
from companion.host.virtual_table.table import Permits
from companion.link.port import PortEnded
from companion.link.protocol_gen import Edges
from companion.model.absent import PlayedBy
from companion.model.advice import Advice
from companion.model.errors import PortUnavailable
from companion.model.phrase import Phrase
from companion.opponent.levels import usual_level
from companion.opponent.solved import SOLVED
from companion.referee.values.commands import Adjourn, Answer, Command, SetLevel
from companion.referee.values.view import TableView

_LOG = logging.getLogger(__name__)

_EDGES: Final = bytes((Edges.TYPE,))
"""Byte that every such packet contains; other packets only by chance."""


class Interest(IntEnum):
    """Which changes a watcher is notified of."""

    PLAY = 0
    """Play, and the state of panel, camera and journal."""
    ALL = 1
    """Also the panel's outputs and the pieces of a virtual table."""
    PATIENT = 2
    """All, but after the others: two hundred spectators must not delay the players."""


_Item: TypeAlias = bytes | PortEnded | ImageResult | Asked | Request | Look | Saved | Room | TableGame


class Table:
    """Games of a table one after another, and their watchers."""

    def __init__(
        self,
        table_game: TableGame,
        game_factory: GameFactory | None = None,
        fsync: Fsync = sync_in_thread,
        turns: Turns | None = None,
        *,
        is_patient: bool = False,
        has_arbiter: bool = False,
        intervals: Intervals = USUAL,
    ) -> None:
        """*game_factory* starts further games; without one, *table_game* is the only one.

        Tables of one event loop can share *fsync* and *turns*. *is_patient*: wait from the start
        for a panel or camera that is missing or does not fit. *has_arbiter*: only a hall's arbiter
        corrects the record.
        """
        self.has_arbiter: Final = has_arbiter
        self._intervals = intervals
        self.current = table_game
        """The current game."""
        self._name_players()
        self.game_factory = game_factory
        self.inbox: Mailbox[_Item] = Mailbox(turns)
        self._saver = JournalSaver(fsync, self._later, intervals)
        self._open_packet = b""
        """Start of an incomplete packet, up to its type."""
        self._watchers = {interest: Watchers() for interest in Interest}
        """Watchers to notify of changes, players first."""
        self._last_news: tuple[object, ...] = ()
        """What the followers of the play were last notified of."""
        self._follower = PieceFollower()
        self._words: dict[str, Words] = {}
        self._descriptions: dict[str, Json] = {}
        self._page_states: dict[str, PageStates] = {}
        self.reviews = 0
        """Counts the requests to go over a game."""
        self._following: TableGame | None = None
        """The next game, as soon as it is due."""
        self.invitations: Final = Invitations()
        self._done_orders: set[str] = set()
        """Orders that were executed; a repeated one is ignored."""
        self._has_played = is_patient
        """True once a fitting panel has connected: a lost one is waited for."""
        self._has_watched = is_patient
        """The same for the camera; also true once a second game has started."""

    @property
    def pipeline(self) -> Pipeline:
        """Pipeline of the current game."""
        return self.current.pipeline

    # --- for watchers and commands ---

    def words(self, language: str) -> Words:
        """Return the words of *language*; the table's own if empty. Raises `SettingsError`."""
        own = self.pipeline.words
        if language in ("", own.language):
            return own
        if language not in self._words:
            self._words[language] = words_with_players(self.current.setup, own.sides, language)
        return self._words[language]

    def description(self, language: str = "") -> Json:
        """Return the constant data of the current game in *language*; cached."""
        words, table_game, setup = self.words(language), self.current, self.current.setup
        made = self._descriptions.get(words.language)
        if made is None:
            made = {
                **page.table(table_game.pipeline.session.rules.grid, table_game.game.options, words),
                "players": list(setup.players),
                "control": setup.control,
                "computers": list(setup.levels),
                "warned": list(setup.warned),
                "levels": []
                if self.has_arbiter
                else [*map(asdict, named_levels(setup.game, words.language))],
                "usual_level": usual_level(setup.game),
                "languages": [{"value": code, "label": name} for code, name in spoken()],
            }
            self._descriptions[words.language] = made
        return made

    def page_state(self, language: str = "") -> PageState:
        """Return the page state in *language*.

        What has not changed since the last call is the same object.
        """
        words, game = self.words(language), self.current
        if words.language not in self._page_states:
            self._page_states[words.language] = PageStates(words)
        return self._page_states[words.language].now(
            self.pipeline,
            game.virtual_table,
            game.evaluate or self.pipeline.layers.hints.evaluate,
            is_secret=game.evaluate is None,
            has_arbiter=self.has_arbiter,
            reviews=self.reviews,
        )

    def remark(self, about: str, said: str) -> None:
        """Show *said* on the page, instead of what it said *about* the same."""
        if self.pipeline.layers.remarks.say(about, said):
            self._notify_display()

    @property
    def remarks(self) -> Mapping[str, str]:
        """What the page says of a game elsewhere, by subject."""
        return self.pipeline.layers.remarks.said

    def watch(self, interest: Interest = Interest.ALL) -> contextlib.AbstractContextManager[asyncio.Event]:
        """Return a block whose event is set on every change; the waiting side clears it."""
        return self._watchers[interest].watch()

    @property
    def view(self) -> TableView:
        """The view on show, with the question how the hand completes its move."""
        return seen(self.pipeline, self.current.virtual_table).view

    def ask(self, command: Command, order: str = "", over: Moment | None = None) -> None:
        """Queue *command*, for a hall's *order* of the moment *over*."""
        virtual_table = self.current.virtual_table
        is_asked = order or virtual_table is None or self.pipeline.view.question is not None
        if isinstance(command, Answer) and not is_asked:
            self.do(Choose(command.ply, command.choice))
        else:
            self.inbox.put(Asked(command, order, over))

    def press_hint(self) -> None:
        """Ask for a hint, or for more of it; without a coach, no effect."""
        self.inbox.put(HintPress())

    def want_result(self) -> None:
        """Note that somebody wants to see who wins, where that is known and no secret."""
        is_elsewhere = PlayedBy.ELSEWHERE in self.pipeline.view.played_by
        if self.current.game.slug in SOLVED and not is_elsewhere and not self.has_arbiter:
            self.pipeline.layers.hints.wants_result = True
            self.notify()

    def show_result(self, evaluate: Callable[[Any], str]) -> None:
        """Let the page of the current game say the results of positions by *evaluate*."""
        self.pipeline.layers.hints.evaluate = evaluate
        self._notify_display()

    def end_lesson(self) -> None:
        """Ask for the next lesson; without a lesson that is done, no effect."""
        if self.pipeline.teacher is not None:
            self.pipeline.teacher.go_on()
            self.notify()

    def advise(self, advice: Advice | None, judged: str = "") -> None:
        """Show *advice* as the pipeline does; *judged* is the position that is judged by now."""
        self.inbox.put(Advised(advice, judged))

    def do(self, hand: Motion, permits: Permits | None = None) -> None:
        """Move pieces of a virtual table, if *permits*; at others only press."""
        virtual_table = self.current.virtual_table
        if virtual_table is None:
            if isinstance(hand, PressClock):
                self.inbox.put(hand)
            return
        virtual_table.do(turned(hand, self.pipeline.session.rotation), permits)
        if isinstance(hand, Clear) and (permits is None or permits(virtual_table.pieces)):
            self.inbox.put(MenuWanted())

    def offer_menu(self, content: MenuContent) -> None:
        """Offer *content* in the menu on the board of the current game."""
        rules, start = self.pipeline.session.rules, self.current.setup.position
        position = rules.read_position(start) if start else rules.initial()
        occupied = rules.placement(position).occupancy
        self.inbox.put(Offered(content, occupied, 0 if occupied else entered(rules, position)))

    def ask_for_review(self, judged: Sequence[MoveJudgement] = ()) -> None:
        """Let the pages, and the lamps of a real board, go over the game.

        *judged* is the judgement of each move, if the game is analysed.
        """
        self.reviews += 1
        if self.current.virtual_table is None:
            self.inbox.put(ReviewWanted(judged))
        self.notify()

    async def request_game(
        self, request: NewGameRequest, order: str = "", over: Moment | None = None
    ) -> None:
        """Queue another game, for a hall's *order* of the moment *over*.

        No effect without a game factory, or if there was play since. Raises `CompanionError` if it
        cannot be played here; the current game then continues.
        """
        if self.game_factory is not None and not (self.pipeline.view.record and self._is_late(order, over)):
            made = await asyncio.to_thread(self.game_factory.create, request, self.current, order)
            self.inbox.put(replace(made, over=over))

    # --- the task ---

    async def run(self) -> None:
        """Play until cancelled.

        Raises `LinkError`, `CameraUnavailable` or `CameraMismatch` if no fitting panel or camera is
        there at the start, and `JournalError`.
        """
        async with self._saver:
            while True:
                await self._play()
                await self._switch_game()

    async def _play(self) -> None:
        """Play the current game until another is due."""
        virtual_table, camera_task, open_port = (
            self.current.virtual_table,
            self.current.camera_task,
            self.current.open_port,
        )
        async with asyncio.TaskGroup() as group:
            beside = []
            if virtual_table is not None:
                self._look_at_pieces()
                believes, judges = partial(believed, self.current), partial(dropped, self)
                offers = partial(offered, self.pipeline)
                hands = virtual_table.run(believes, self._look_at_pieces, judges, offers)
                beside.append(group.create_task(hands))
            if camera_task is not None:
                watching = camera_task.run(self.inbox.put, was_there=self._has_watched)
                beside.append(group.create_task(watching, name="camera"))
            while self._following is None:
                if open_port is not None:
                    await self._play_on_one_port(open_port)
                await self._wait_for_port()
            for each in beside:
                each.cancel()

    async def _switch_game(self) -> None:
        """Close the current game and start the next."""
        assert self._following is not None
        before, self.current, self._following = self.current, self._following, None
        self._name_players()
        self._has_watched = True
        self._follower.forget()
        self._words.clear()
        self._descriptions.clear()
        self._page_states.clear()
        self._clear_inbox()
        self.notify()
        if self.game_factory is not None:
            closing = asyncio.create_task(asyncio.to_thread(self.game_factory.close, before))
            try:
                await asyncio.shield(closing)
            finally:
                await closing  # also if the table ends meanwhile
            self.pipeline.orders |= before.pipeline.orders  # synced now, though perhaps not answered yet
            self.notify()

    def _name_players(self) -> None:
        """Let the display of a hall's station name its players before the start."""
        if self.has_arbiter:
            self.current.pipeline.name_players(self.current.setup.players)

    def _clear_inbox(self) -> None:
        """Drop the input of panel and people for the previous game; keep queued games."""
        self._saver.forget()
        for item in self.inbox.empty():
            if isinstance(item, TableGame):
                self.inbox.put(item)

    async def _play_on_one_port(self, open_port: OpenPort) -> None:
        """Open the port and serve it until it ends."""
        port = await self._open(open_port)
        if port is None:
            return
        try:
            self.pipeline.reopen(self.current.clock())
            await self._serve(port)
        finally:
            await port.close()

    async def _open(self, open_port: OpenPort) -> Port | None:
        """Return the open port, or None if it is not available now."""
        try:
            return await open_port(self.arrive, self.inbox.put)
        except PortUnavailable as fault:
            if not self._has_played:
                raise
            self._lose(str(fault))
            return None

    def arrive(self, chunk: bytes) -> None:
        """Queue *chunk* from the panel, first in line if it may report a switch edge."""
        tells = self._open_packet + chunk
        self._open_packet = tells.rpartition(b"\0")[2][:2]
        self.inbox.put(chunk, Priority.FIRST if _EDGES in tells else Priority.IN_TURN)

    def _later(self, what: Saved | Room) -> None:
        """Queue the result of a sync."""
        self.inbox.put(what, Priority.IN_TURN)

    async def _wait_for_port(self) -> None:
        """Wait before the next attempt, processing commands and camera results meanwhile."""
        clock = self.current.clock
        until_ms = clock() + round(self._intervals.port_s * 1000)
        while self._following is None and (now_ms := clock()) < until_ms:
            due_ms, has_changed = self.pipeline.next_play_deadline_ms(), True
            item = await self.inbox.take(min(until_ms, until_ms if due_ms is None else due_ms) - now_ms)
            if isinstance(item, ImageResult):
                await self._reach(item)
            with ErrorGuard(self.current):
                has_changed = self._take(item, now_ms := clock())
                self.pipeline.tick(now_ms)
                self.pipeline.complete()
            if has_changed or (due_ms is not None and due_ms <= now_ms):  # however late it was
                self.notify()
            self._saver.save(self.current)
            self._obey_teacher()

    async def _reach(self, result: ImageResult) -> None:
        """Process what is due before an image, and set the clock of a film."""
        clock, is_behind = self.current.clock, True
        while is_behind:
            is_behind = False
            with ErrorGuard(self.current):
                is_behind = self.pipeline.catch_up(result.at_ms)
            await asyncio.sleep(0)  # a search takes many steps, and pages are served meanwhile
        if isinstance(clock, RecordingClock):
            clock.reach(result.at_ms)
            if result.status.state is not CameraState.WATCHING:
                clock.end()

    async def _serve(self, port: Port) -> None:
        """Move bytes until the port ends, no panel answers on it, or another game follows."""
        pipeline, clock, inbox = self.pipeline, self.current.clock, self.inbox
        opened_ms, guard = clock(), ErrorGuard(self.current)
        self._settle(port)
        while self._following is None:
            item, due_ms = inbox.pop(), pipeline.next_deadline_ms()
            if item is None:
                item = await inbox.take(None if due_ms is None else due_ms - clock())
            now_ms = clock()
            if isinstance(item, PortEnded):
                self._lose(Phrase("{port} is gone: {reason}", port=item.port, reason=item.reason))
                return
            is_due = item is None or (due_ms is not None and due_ms <= now_ms)  # also on a flooded line
            has_changed = True
            with guard:
                has_changed = self._take(item, now_ms)
            if not has_changed and not is_due:
                if isinstance(item, bytes):
                    self._send(port)  # an acknowledgement changes the panel's next packets
                    if self.current.virtual_table is not None:
                        self._notify_display()  # that of its panel has changed
                continue
            with guard:
                pipeline.tick(now_ms)
            self._judge_panel()
            self._settle(port)
            if not pipeline.connection.is_greeted and now_ms - opened_ms > self._intervals.greeting_ms:
                remedy = pipeline.connection.advice
                self._lose(Phrase("no panel answers on {port}: {remedy}", port=port.name, remedy=remedy))
                return

    def _take(self, item: _Item | None, now_ms: int) -> bool:
        """Process *item*, or switch to the next game; true if anything may have changed."""
        match item:
            case bytes() | ImageResult() | Look():
                return self._sense(item, now_ms)
            case Asked(command, order, over) if order not in self._done_orders:
                self._done_orders |= {order} - {""}
                if not self._is_late(order, over):
                    self._carry_out(command, now_ms, order)
            case HintPress() | PressClock() | Advised() | Offered() | MenuWanted() | ReviewWanted():
                self._help(item, now_ms)
            case Saved() | Room():
                self._saver.take(item, self.current)
            case TableGame():
                self._replace(item, now_ms)
        return item is not None

    def _replace(self, following: TableGame, now_ms: int) -> None:
        """Let *following* begin, unless there was play since a hall ordered it."""
        if self.pipeline.view.record and self._is_late(following.order, following.over):
            following.journal.close(is_unused=True)
            return
        if following.order and self.pipeline.view.ply:  # the hall leaves this game unfinished
            self.pipeline.command(Adjourn(), now_ms)
        self._following = following

    def _is_late(self, order: str, over: Moment | None) -> bool:
        """True if a hall's *order* of the moment *over* comes too late, which is answered."""
        fault = "" if over is None else over.fault(self.current)
        if fault:
            self.pipeline.orders[order] = fault
        return bool(fault)

    def _carry_out(self, command: Command, now_ms: int, order: str) -> None:
        """Execute *command*, for a hall's *order*."""
        if isinstance(command, SetLevel):
            if not self.current.may_set_level(command):
                return
            self.current = self.current.with_level(command)
            self._descriptions.clear()
        self._follower.note(command, self.current)
        self.pipeline.command(command, now_ms, order)

    def _help(self, item: Request, now_ms: int) -> None:
        """Process a request for help, a press, or what is offered to the players."""
        match item:
            case HintPress():
                self.pipeline.layers.hints.presses += 1
            case PressClock(side):
                self.pipeline.press(side, now_ms)
            case Advised(advice, judged):
                self.pipeline.advise(advice, judged)
            case Offered(content, start, first):
                waits = self.current.virtual_table is not None or bool(self.current.setup.lesson)
                self.pipeline.layers.menu.offer(content, start, first, waits=waits)
            case MenuWanted():
                self.pipeline.layers.menu.ask()
            case ReviewWanted(judged):
                self.pipeline.go_over(now_ms, judged)

    def _sense(self, item: bytes | ImageResult | Look, now_ms: int) -> bool:
        """Process what a sensor reports; true if anything may have changed."""
        if isinstance(item, bytes):
            return self.pipeline.receive(item, now_ms)
        if isinstance(item, ImageResult):
            return self.pipeline.watch(item)
        return self.pipeline.look(item.standing, now_ms, is_held=item.is_held)

    def _judge_panel(self) -> None:
        """Raise if the first panel does not fit; later ones are reported on the page."""
        if self.pipeline.status.state is LinkState.CONNECTED:
            self._has_played = True
        elif self.pipeline.panel.objection is not None and not self._has_played:
            raise self.pipeline.panel.objection

    def _settle(self, port: Port) -> None:
        """Send pending bytes, notify, and sync the journal."""
        self._send(port)
        self.notify()
        self._saver.save(self.current)
        if self._follower.tend(self.current):
            self.notify()
        self._obey_teacher()

    def _obey_teacher(self) -> None:
        """Queue what the lesson wants done at the table."""
        teacher = self.pipeline.teacher
        if teacher is not None and (command := teacher.take_command()) is not None:
            self.ask(command)

    def _send(self, port: Port) -> None:
        """Send pending bytes, those of the lamps first."""
        data = b"-"
        while data:
            data = b""
            with ErrorGuard(self.current):
                data = self.pipeline.bytes_to_send(self.current.clock())
            if data:
                port.write(data)

    def _look_at_pieces(self, is_felt: bool = False) -> None:
        """Queue the pieces of the virtual board; if *is_felt*, its panel reports a change, too."""
        assert self.current.virtual_table is not None
        if self.pipeline.has_piece_sensor:
            priority = Priority.NONE if is_felt else Priority.FIRST
            pieces = self.current.virtual_table.pieces
            self.inbox.put(Look(pieces.standing, pieces.hand is not None), priority)
        self.notify()

    def _lose(self, reason: str) -> None:
        """Report the panel as lost."""
        _LOG.info("panel lost: %s", reason)
        self.pipeline.lose(reason, self.current.clock())
        self.notify()

    def _news(self) -> tuple[object, ...]:
        """Return what the followers of the play are notified of."""
        pipeline, journal = self.pipeline, self.current.journal
        kept = pipeline.is_kept, len(pipeline.orders), journal.safe_bytes, journal.fault
        shown = (
            pipeline.view,
            pipeline.layers.menu.state,
            pipeline.layers.hints.news,
            pipeline.tune,
            pipeline.reply,
        )
        asked = self.current.setup.levels, self.invitations.wanted
        return journal, *asked, *shown, pipeline.status, pipeline.camera, *kept

    def notify(self) -> None:
        """Notify the watchers of a possible change, if only of display or pieces."""
        news = self._news()
        has_news, self._last_news = news != self._last_news, news
        if has_news:
            self._watchers[Interest.PLAY].notify()
        self._notify_display()

    def _notify_display(self) -> None:
        """Notify those who watch display and pieces; followers of the play are not woken."""
        for interest in (Interest.ALL, Interest.PATIENT):
            self._watchers[interest].notify()

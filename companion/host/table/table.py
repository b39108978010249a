# SPDX-License-Identifier: Apache-2.0
"""One table as one task: it opens the port, moves bytes between it and the chain, takes in what a camera sees, makes the
journal safe, and tells those who watch that something has changed.

Its rule: everything that happens goes through one queue and is dealt with in turn; a panel that is lost is looked for
again, while the game and the page stay as they are. One game follows another at it: each is a sitting.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from operator import itemgetter
from typing import Final, TypeAlias

from companion.feedback import page
from companion.feedback.words import Words, load
from companion.host.devices.camera_status import ImageResult
from companion.host.devices.ports import OpenPort, Port
from companion.host.journal.group_fsync import GroupFsync
from companion.host.mailbox import Mailbox, Priority, Scheduler
from companion.host.table.catalogue import spoken
from companion.host.table.drop_targets import in_the_way
from companion.host.table.error_guard import surviving
from companion.host.table.game_setup import GameFactory, NewGameRequest, TableGame
from companion.host.table.journal_sync import JournalSaver, Room, Saved
from companion.host.table.link_status import LinkState
from companion.host.table.page_state import picture
from companion.host.table.piece_follower import PieceFollower, believed
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.hands import Hand, turned
from companion.host.virtual_table.table import Move
from companion.link.connection import LOOK_FOR_PANEL
from companion.link.port import PortEnded
from companion.link.protocol_gen import Edges
from companion.model.errors import PortUnavailable
from companion.model.placement import Placement
from companion.referee.commands import Adjourn, Command

_LOG = logging.getLogger(__name__)

_RETRY_S: Final = 0.25
"""Between attempts to open a port: a board that returns is heard within its next heartbeat, a second."""
_GREETING_MS: Final = 6000
"""A port on which no panel has answered by then has none: twice the patience for a board that restarts."""
_EDGES: Final = bytes((Edges.TYPE,))
"""Is in whatever holds such a packet, and else but by chance."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A command that waits for its turn."""

    command: Command
    order: str = ""


@dataclass(frozen=True, slots=True)
class _Look:
    """What stands on the virtual board has changed."""

    standing: Placement


class Interest(IntEnum):
    """What somebody who watches a table wants to be told of."""

    PLAY = 0
    """What is played, and how it stands with panel, camera and journal."""
    ALL = 1
    """Also what the panel shows, and what lies on a virtual table."""
    PATIENT = 2
    """All, but after the others: two hundred spectators do not keep the players waiting."""


_Item: TypeAlias = bytes | PortEnded | ImageResult | _Asked | _Look | Saved | Room | TableGame


class Table:
    """A sitting, and those who watch it."""

    def __init__(
        self,
        table_game: TableGame,
        game_factory: GameFactory | None = None,
        fsync: GroupFsync | None = None,
        turns: Scheduler | None = None,
        *,
        is_patient: bool = False,
        has_arbiter: bool = False,
    ) -> None:
        """*game_factory* sets out other games when they are wished for; without one there is but *table_game*.

        Many tables of one loop share a *fsync* and *turns*. *is_patient*: a panel or camera that is not there, or does not
        fit, is waited for from the beginning. *has_arbiter*: a hall's arbiter alone puts the record right.
        """
        self.has_arbiter: Final = has_arbiter
        self.current = table_game
        """What is played now."""
        self.game_factory = game_factory
        self._inbox: Mailbox[_Item] = Mailbox(turns)
        self._saver = JournalSaver(fsync or GroupFsync(), self._later)
        self._open_packet = b""
        """The beginning, which holds its type, of a packet that is not whole."""
        self._watchers: dict[asyncio.Event, Interest] = {}
        """Who is told of changes, the players first."""
        self._last_news: tuple[object, ...] = ()
        """What those who follow the play were told of last."""
        self._follower = PieceFollower()
        self._words: dict[str, Words] = {}
        self._descriptions: dict[str, str] = {}
        self._pictures: dict[str, str] = {}
        self._following: TableGame | None = None
        """What is to be played next, as soon as its turn has come."""
        self._done_orders: set[str] = set()
        """Orders that were carried out: one that comes again is not."""
        self._has_played = is_patient
        """True once a panel was there that fits: from then on one that is gone is waited for."""
        self._has_watched = is_patient
        """The same of the camera; it has watched once a game has made way for another."""

    @property
    def pipeline(self) -> Pipeline:
        """The chain of what is played now."""
        return self.current.pipeline

    # --- for those who watch and ask ---

    def words(self, language: str) -> Words:
        """The words of *language*; the table's own if it is empty. Raises `SettingsError` if there are none."""
        own = self.pipeline.words
        if language in ("", own.language):
            return own
        if language not in self._words:
            self._words[language] = load(language, self.current.game.slug, own.sides)
        return self._words[language]

    def description(self, language: str = "") -> str:
        """What stays the same during the sitting, in words of *language*, as JSON; made once."""
        words, table_game = self.words(language), self.current
        made = self._descriptions.get(words.language)
        if made is None:
            told = page.table(table_game.pipeline.session.rules.grid, table_game.game.options, words)
            setting = {
                "players": list(table_game.players),
                "control": table_game.control,
                "languages": [{"value": code, "label": name} for code, name in spoken()],
            }
            made = json.dumps({"table": {**told, **setting}}, separators=(",", ":"))
            self._descriptions[words.language] = made
        return made

    def picture(self, language: str = "") -> str:
        """All that is to be seen now, as JSON; made once, however many look."""
        words = self.words(language)
        made = self._pictures.get(words.language)
        if made is None:
            shown = picture(self.pipeline, words, self.current.virtual_table, has_arbiter=self.has_arbiter)
            made = json.dumps(shown, separators=(",", ":"))
            self._pictures[words.language] = made
        return made

    @contextlib.contextmanager
    def watch(self, interest: Interest = Interest.ALL) -> Iterator[asyncio.Event]:
        """An event that is set whenever something may have changed; whoever waits for it clears it."""
        event = asyncio.Event()
        self._watchers = dict(sorted([*self._watchers.items(), (event, interest)], key=itemgetter(1)))
        try:
            yield event
        finally:
            del self._watchers[event]

    def ask(self, command: Command, order: str = "") -> None:
        """Have *command* carried out in its turn, for a hall by its *order*."""
        self._inbox.put(_Asked(command, order))

    def do(self, hand: Hand | Move) -> None:
        """Have *hand*, or a whole move, done at a virtual table; at a real one nothing happens."""
        if self.current.virtual_table is not None:
            self.current.virtual_table.do(turned(hand, self.pipeline.session.turn))

    async def request_game(self, request: NewGameRequest, order: str = "") -> None:
        """Have another game begun in its turn, for a hall by its *order*; nothing happens where nobody deals.

        Raises `CompanionError` if it cannot be had here: then the game under way goes on.
        """
        if self.game_factory is not None:
            self._inbox.put(await asyncio.to_thread(self.game_factory.create, request, self.current, order))

    # --- the task ---

    async def run(self) -> None:
        """Play until cancelled.

        Raises `LinkError`, `CameraUnavailable`, `CameraMismatch` if there is no panel or camera that fits to begin with,
        and `JournalError`.
        """
        while True:
            await self._play()
            await self._switch_game()

    async def _play(self) -> None:
        """Play what is set out until another game is to follow."""
        virtual_table, camera_task, open_port = (
            self.current.virtual_table,
            self.current.camera_task,
            self.current.open_port,
        )
        async with asyncio.TaskGroup() as group:
            beside = []
            if virtual_table is not None:
                self._look_at_pieces()
                believes, judges = partial(believed, self.current), partial(in_the_way, self)
                beside.append(group.create_task(virtual_table.run(believes, self._look_at_pieces, judges)))
            if camera_task is not None:
                watching = camera_task.run(self._inbox.put, was_there=self._has_watched)
                beside.append(group.create_task(watching, name="camera"))
            while self._following is None:
                if open_port is not None:
                    await self._play_on_one_port(open_port)
                await self._wait_for_port()
            for each in beside:
                each.cancel()

    async def _switch_game(self) -> None:
        """Put away what was played and take what follows."""
        assert self._following is not None
        before, self.current, self._following = self.current, self._following, None
        self._has_watched = True
        self._follower.forget()
        self._words.clear()
        self._descriptions.clear()
        self._clear_inbox()
        self._notify()
        if self.game_factory is not None:
            await asyncio.to_thread(self.game_factory.close, before)
            self.pipeline.orders |= before.pipeline.orders  # safe now, though perhaps not answered before
            self._notify()

    def _clear_inbox(self) -> None:
        """Drop what was said by a panel or a person about the game before; further games wait on."""
        self._saver.forget()
        for item in self._inbox.empty():
            if isinstance(item, TableGame):
                self._inbox.put(item)

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
        """The open port, or None if it cannot be had now."""
        try:
            return await open_port(self._arrive, self._inbox.put)
        except PortUnavailable as fault:
            if not self._has_played:
                raise
            self._lose(str(fault))
            return None

    def _arrive(self, chunk: bytes) -> None:
        """Take *chunk*, which the panel has sent, before all else if it may tell of a hand, or end what does."""
        tells = self._open_packet + chunk
        self._open_packet = tells.rpartition(b"\0")[2][:2]
        self._inbox.put(chunk, Priority.FIRST if _EDGES in tells else Priority.IN_TURN)

    def _later(self, what: Saved | Room) -> None:
        """Take *what* comes of the journal in its turn."""
        self._inbox.put(what, Priority.IN_TURN)

    async def _wait_for_port(self) -> None:
        """Until it is worth another try; what people ask for, and what a camera sees meanwhile, is dealt with."""
        clock = self.current.clock
        until_ms = clock() + round(_RETRY_S * 1000)
        while self._following is None and (now_ms := clock()) < until_ms:
            due_ms = min(until_ms, self.pipeline.session.next_deadline_ms() or until_ms)
            item, has_changed = await self._inbox.take(due_ms - now_ms), True
            with surviving(self.current):
                has_changed = self._take(item, clock())
                self.pipeline.tick(clock())
            if has_changed or due_ms < until_ms:
                self._notify()
            self._saver.save(self.current)

    async def _serve(self, port: Port) -> None:
        """Move bytes until the port ends, nobody answers on it while there may be others, or another game follows."""
        pipeline, clock, inbox = self.pipeline, self.current.clock, self._inbox
        opened_ms = clock()
        self._settle(port)
        while self._following is None:
            item, due_ms = inbox.pop(), pipeline.next_deadline_ms()
            if item is None:
                item = await inbox.take(None if due_ms is None else due_ms - clock())
            now_ms = clock()
            if isinstance(item, PortEnded):
                self._lose(f"{item.port} is gone: {item.reason}")
                return
            is_due = item is None or (due_ms is not None and due_ms <= now_ms)  # also while something babbles
            has_changed = True
            with surviving(self.current):
                has_changed = self._take(item, now_ms)
            if not has_changed and not is_due:
                if isinstance(item, bytes):
                    self._send(port)  # an answer changes what the panel shows, and what it hears next
                    self._notify_display()
                continue
            with surviving(self.current):
                pipeline.tick(now_ms)
            self._judge_panel()
            self._settle(port)
            if pipeline.connection.hello is None and now_ms - opened_ms > _GREETING_MS:
                self._lose(f"no panel answers on {port.name}: {LOOK_FOR_PANEL}")
                return

    def _take(self, item: _Item | None, now_ms: int) -> bool:
        """Let the chain have *item*, or make way for what follows; True if anything may have come of it."""
        match item:
            case bytes():
                return self.pipeline.receive(item, now_ms)
            case ImageResult():
                return self.pipeline.watch(item)
            case _Look(standing):
                return self.pipeline.look(standing, now_ms)
            case _Asked(command, order) if order not in self._done_orders:
                self._done_orders |= {order} - {""}
                self._follower.note(command, self.current)
                self.pipeline.command(command, now_ms, order)
            case Saved() | Room():
                self._saver.take(item, self.current)
            case TableGame():
                if item.order and self.pipeline.view.ply:  # a game that a hall leaves unfinished
                    self.pipeline.command(Adjourn(), now_ms)
                self._following = item
        return item is not None

    def _judge_panel(self) -> None:
        """Give up if the first panel of all does not fit; later the page says so and another may be plugged in."""
        if self.pipeline.status.state is LinkState.CONNECTED:
            self._has_played = True
        elif self.pipeline.objection is not None and not self._has_played:
            raise self.pipeline.objection

    def _settle(self, port: Port) -> None:
        """Send what is to be sent, and make safe what is to be safe."""
        self._send(port)
        self._notify()
        self._saver.save(self.current)
        if self._follower.tend(self.current):
            self._notify()

    def _send(self, port: Port) -> None:
        """Send what is to be sent."""
        data = self.pipeline.bytes_to_send(self.current.clock())
        if data:
            port.write(data)

    def _look_at_pieces(self, is_felt: bool = False) -> None:
        """What stands on the virtual board may have changed; if that *is_felt*, the panel is about to tell of it, too."""
        assert self.current.virtual_table is not None
        if self.pipeline.has_piece_sensor:
            self._inbox.put(
                _Look(self.current.virtual_table.pieces.standing),
                Priority.NONE if is_felt else Priority.FIRST,
            )
        self._notify()

    def _lose(self, reason: str) -> None:
        """Let everybody know that the panel is lost."""
        _LOG.info("panel lost: %s", reason)
        self.pipeline.lose(reason, self.current.clock())
        self._notify()

    def _news(self) -> tuple[object, ...]:
        """What those who follow the play are told of."""
        pipeline, journal = self.pipeline, self.current.journal
        kept = pipeline.is_kept, len(pipeline.orders), journal.safe_bytes, journal.fault
        return journal, pipeline.view, pipeline.status, pipeline.camera, pipeline.tune, pipeline.reply, *kept

    def _notify(self) -> None:
        """Something may have changed, if only what the panel shows or what lies on the table."""
        news = self._news()
        has_news, self._last_news = news != self._last_news, news
        if has_news:
            for event, interest in self._watchers.items():
                if interest is Interest.PLAY:
                    event.set()
        self._notify_display()

    def _notify_display(self) -> None:
        """What the panel shows, or what lies on the table, may have changed: nothing for those who follow the play."""
        self._pictures.clear()
        for event, interest in self._watchers.items():
            if interest is not Interest.PLAY:
                event.set()

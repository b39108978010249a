# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one object in one task; its decisions are in other files already.
"""The hall: stations, book, copies of journals, watchers.

Its rule: it owns no data. Decisions are in the book's database, games in the journals. Killed at
any moment and restarted, it reads both, requests missing data from the stations, and is in the same
state as before.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from companion.feedback.glance import Glance
from companion.host.clock import Clock
from companion.host.codec import decode, encode
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.delayed_view import Spectators
from companion.host.hall.core.events import (
    check_note,
    is_busy,
    is_set_out,
    points_of_outcome,
    set_out,
    wanted,
)
from companion.host.hall.core.finished_games import (
    DecidedGames,
    first_end,
    given_by_station,
    is_left_over,
    latest_given,
    lines_after,
)
from companion.host.hall.core.hub import Hub
from companion.host.hall.core.journal_copies import JournalCopies, Limits, Route
from companion.host.hall.core.journal_sync import Have, Kept, Part
from companion.host.hall.core.station_states import Hello, StationState
from companion.host.hall.core.taken_alarms import TakenAlarms
from companion.host.hall.core.wire import BOUND, Done, Down, Order, Shown, Up, Wanted
from companion.host.hall.keys.joining import Admission
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.retry import USUAL, Intervals
from companion.host.table.table_game import Begin, Moment
from companion.host.tasks import Watchers
from companion.host.text.os_errors import why
from companion.model.errors import GameUnderWay, JournalError, StationSilent, StoreError, TournamentError
from companion.model.phrase import Phrase
from companion.tournament.acts import Act, Entry, Obeyed, Ordered, PlayedOn, ResultReported, TableGiven
from companion.tournament.book import written

_LOG = logging.getLogger(__name__)

GHOST_MS: Final = 120_000
"""Time after which a silent station without a key is forgotten."""
TICK_S: Final = 0.05
"""Interval between two looks at what is due; too short to notice."""
ITSELF: Final = "hall"
"""Author of the hall's own acts, in the book."""


class Hall:
    """State of a hall, and the operations on it."""

    def __init__(
        self,
        keeper: BookKeeper,
        copies: Path,
        clock: Clock,
        wall: Callable[[], str],
        name: str = "",
        limits: Limits | None = None,
        intervals: Intervals = USUAL,
    ) -> None:
        """*copies* is the folder for journals, within *limits*; *wall* returns UTC in ISO 8601."""
        self.keeper = keeper
        self.clock = clock
        self.spectators = Spectators(keeper)
        self.taken_alarms = TakenAlarms()
        self.decided_games = DecidedGames()
        self.faults: dict[str, tuple[str, ...]] = {}
        """Faults outside the stations, by source."""
        self.wall = wall
        self.copies = copies
        """Folder with the copies of journals."""
        self._kept = JournalCopies(copies, self._miss, limits)
        self.hub = Hub(name or secrets.token_hex(8), self._kept.store, intervals)
        self.admission: Admission | None = None
        """Admission of tables on other machines; None if there are none, or all are admitted."""
        self.homes: dict[str, Path] = {}
        """Folders with the journals of stations on this machine, which are read in place."""
        self._routes: dict[str, Route] = {}
        self._watchers = Watchers()
        self._writing = asyncio.Lock()
        self._settling = asyncio.Lock()
        self.unsettled: set[str] = self._stations_in_play()
        """Stations with a result that may be missing in the book."""
        self._revoked: set[str] = set()
        """Stations whose key was revoked, until they have joined again."""
        self._mismatched: set[str] = set()
        """Stations that may have set up another game than their table's."""
        self.answered: dict[str, tuple[str, str]] = {}
        """Answered orders that are open in the book: station and fault."""
        for ordered in keeper.book.orders.values():
            self.hub.order(ordered.board, _order(ordered, ITSELF))
        self.spectators.publish_past(self.clock(), datetime.fromisoformat(wall()))

    # --- from the stations ---

    def take(self, message: Up, route: Route) -> None:
        """Process *message*; answers and later orders go by *route*."""
        now_ms, station = self.clock(), message.board
        before = self.hub.station_states.known.get(station)
        answers = self.hub.receive(message, now_ms)
        for answer in answers:
            self._kept.answer(route, answer)
        state = self.hub.station_states.known.get(station)
        if state is None or state.hello.instance != message.instance:
            return
        self._routes[station] = route
        match message.what:
            case Hello() as hello:
                self._greet(before, hello, now_ms)
            case Shown() if state.glance is not None:
                self._show(before, state, state.glance, now_ms)
            case Part() as part:
                self._copy(station, part, answers, now_ms)
            case Kept() as kept if station in self.homes:
                self.spectators.have(station, kept.journal, kept.size, now_ms)
            case Done() as done:
                self.answered[done.order] = station, done.fault
        self._watchers.notify()

    def _greet(self, before: StationState | None, hello: Hello, now_ms: int) -> None:
        """Process *hello* of a station whose state was *before*."""
        self._revoked.discard(hello.board)
        if before is None or set_out(before.hello) != set_out(hello):
            self._mismatched.add(hello.board)
        self.spectators.correct_clock(hello, now_ms)

    def _show(self, before: StationState | None, state: StationState, glance: Glance, now_ms: int) -> None:
        """Process *glance* of a station whose state was *before*."""
        self.spectators.show(state.hello, glance, now_ms)
        had_ended = before is not None and before.glance is not None and before.glance.outcome is not None
        if glance.outcome is not None and not had_ended:
            self.unsettled.add(state.hello.board)

    def _copy(self, station: str, part: Part, answers: Iterable[Down], now_ms: int) -> None:
        """Process the result of taking *part*: publish its length, and note an end of game.

        A part without text asks what an earlier run of the hall has.
        """
        for answer in answers:
            if isinstance(answer.what, Have) and answer.what.size:
                self.spectators.have(station, answer.what.journal, answer.what.size, now_ms)
        if "GameEnded" in part.text:
            self.unsettled.add(station)

    def house(self, station: str, home: Path) -> None:
        """Read the journals of *station*, a station of this machine, in the folder *home*."""
        self.homes[station] = home
        self.unsettled.add(station)

    def folder(self, station: str) -> Path:
        """Return the folder with the journals of *station*, or their copies."""
        return self.homes.get(station) or self._kept.path / station

    def _miss(self, fault: str) -> None:
        """Note that copies cannot be written."""
        self.hub.fault = fault

    def complain(self, source: str, *faults: str) -> None:
        """Set the present *faults* of *source*: logged once, shown at the desk while they last."""
        before = self.faults.get(source, ())
        if faults == before:
            return
        for fault in faults:
            if fault not in before:
                _LOG.warning("%s", fault)
        self.faults[source] = faults
        self._watchers.notify()

    async def run(self) -> None:
        """Run the periodic work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._kept.run(), name="copies")
            await self._run()

    async def _run(self) -> None:
        """Release, send orders, and write results, every `TICK_S`."""
        while True:
            if self.spectators.release(self.clock()):
                self._watchers.notify()
            self._forget_ghosts()
            for down in self.hub.orders_to_send(self.clock()):
                self._routes[down.board](down)
            try:
                await self.settle_results()
                self.complain("store")
            except StoreError as fault:
                self.complain(
                    "store",
                    Phrase("results are written as soon as the store is back: {reason}", reason=fault),
                )
            await asyncio.sleep(TICK_S)

    async def settle_results(self) -> None:
        """Write the stations' answers and results into the book.

        Raises `StoreError`; what is left is then tried again. Concurrent calls wait for each other.
        """
        async with self._settling:
            await self._settle()

    async def _settle(self) -> None:
        for order, (station, fault) in tuple(self.answered.items()):
            ordered = self.keeper.book.orders.get(order)
            if ordered is not None and ordered.board == station:
                await self.act(station, Obeyed(station, order, fault))
            del self.answered[order]
        for station in tuple(self._mismatched):
            self._mismatched.discard(station)  # a hello that comes meanwhile is news
            try:
                await self._set_out(station)
                await self._recognize(station)
            except StoreError:
                self._mismatched.add(station)
                raise
        for station in tuple(self.unsettled):
            await self._write_result(station)

    async def _write_result(self, station: str) -> None:
        """Write the result of the game at *station*, if it has ended. Raises `StoreError`."""
        unread: tuple[str, ...] = ()
        self.unsettled.discard(station)  # what comes while the journals are read is news
        try:
            reported = await asyncio.to_thread(self._result_of, station)
            if reported is not None:
                await self.act(station, reported)
        except TournamentError as fault:
            _LOG.warning("the result at %s does not fit: %s", station, fault)
        except OSError as fault:
            unread = (
                Phrase("the journals of {board} cannot be read: {reason}", board=station, reason=why(fault)),
            )
            self.unsettled.add(station)
        except JournalError as fault:  # permanent: the arbiter enters the result
            unread = (str(fault),)
        except StoreError:
            self.unsettled.add(station)
            raise
        self.complain(f"journals of {station}", *unread)

    async def _set_out(self, station: str) -> None:
        """Order *station* to set up the game of its table, if necessary."""
        state, setup = self.hub.station_states.known.get(station), wanted(self.keeper.book, station)
        if state is None or setup is None or is_set_out(state.hello, setup) or is_busy(state):
            return
        request = Begin(setup)
        waiting = (each for each in self.keeper.book.orders.values() if each.board == station)
        if request not in [_order(each, ITSELF).command for each in waiting]:
            await self.order(ITSELF, station, request)

    async def _recognize(self, station: str) -> None:
        """Note whose game is at *station*, if an earlier run decided its table."""
        given = latest_given(map(given_by_station, self.keeper.book.running.values()), station)
        if given is not None and self.is_decided(given) and not self.decided_games.is_known(given):
            await self.decided_games.note(self, given)

    # --- from arbiters ---

    async def act(self, by: str, act: Act) -> Entry:
        """Write *act* by *by*. Raises `TournamentError` or `StoreError` without a change."""
        check_note(act)
        async with self._writing:
            entry = await asyncio.to_thread(self.keeper.write, by, self.wall(), act)
            self.spectators.publish(self.keeper.book, act, self.clock())
        self._watchers.notify()
        return entry

    async def give(
        self, by: str, key: str, in_round: int, table: int, station: str, *, over_game: bool = False
    ) -> Entry:
        """Assign a table of a round to *station* and start a new game there.

        A table that plays there already continues. Raises like `act`. Unless *over_game*, raises
        `GameUnderWay` if another game is in progress, which would be left unfinished, and
        `StationSilent` if that is not known.
        """
        given = TableGiven(key, in_round, table, station, *self._newest(station))
        state, after = self.hub.station_states.known.get(station), written(self.keeper.book, given)
        own = self.keeper.book.of(key).stations.get((in_round, table))
        if own is not None and own.board == station and own.order not in self.keeper.book.refused:
            entry = await self.act(by, own)
        elif state is None:
            entry = await self.act(by, given)
        else:
            looked = self.keeper.book, given, state, self.folder(station), self.journals(station)
            if is_busy(state) and not over_game and not await asyncio.to_thread(is_left_over, *looked):
                raise GameUnderWay(station)
            if state.is_silent(self.clock()) and not over_game:
                raise StationSilent(station)
            setup = wanted(after, station) or GameSetup(state.hello.game, state.hello.options)
            order = await self.order(by, station, Begin(setup))
            entry = await self.act(by, replace(given, order=order))
        self._mismatched.add(station)
        return entry

    def is_seated(self, station: str) -> bool:
        """True if a table without a result plays at *station*."""
        given = self.keeper.book.at_station(station)
        if given is None:
            return False
        return self.keeper.book.of(given.key).tournament.pairing(given.round, given.table).is_on

    def is_decided(self, given: TableGiven | None) -> bool:
        """True if the present game is that of the decided table *given*.

        Its clocks stand, and its alarms concern nobody any more.
        """
        if given is None or self.keeper.book.of(given.key).tournament.pairing(given.round, given.table).is_on:
            return False
        return self.decided_games.has(given, self.hub.moment_of(given.board)[0])

    async def play_on(self, by: str, act: PlayedOn) -> Entry:
        """Let one more game be played at a table, at the same station.

        Raises like `act`.
        """
        given = self.keeper.book.of(act.key).stations.get((act.round, act.table))
        check_note(act)
        written(self.keeper.book, act)
        # Before the act: the last game's result must not count as the next one's.
        if given is not None:
            journal, size = self._newest(given.board)
            await self.act(by, replace(given, journal=journal, size=size, order=""))
        return await self.act(by, act)

    def take_alarm(self, by: str, station: str, kind: str, *, is_back: bool = False) -> None:
        """Let arbiter *by* take an alarm, or give it back. Raises `TournamentError`."""
        present = self.hub.station_states.alarms(self.clock())
        if is_back:
            self.taken_alarms.give_back(station, kind, present)
        else:
            self.taken_alarms.take(by, station, kind, present)
        self._watchers.notify()

    def admit_by(self, admission: Admission) -> None:
        """Admit tables on other machines by *admission*; the desk shows its invitations."""
        self.admission = admission
        admission.notify = self._watchers.notify

    def revoke(self, station: str) -> None:
        """Revoke the key of *station*. Raises `TournamentError` and `SettingsError`."""
        admission_of(self).revoke(station)
        self._revoked.add(station)
        state = self.hub.station_states.known.get(station)
        if state is not None:
            self.hub.station_states.part(station, state.hello.instance)

    def dismiss(self, station: str) -> None:
        """Forget *station* until it presents itself again.

        Raises `TournamentError` if it is connected.
        """
        state = self.hub.station_states.known.get(station)
        if state is None or not state.is_silent(self.clock()):
            raise TournamentError("{board} cannot be dismissed: only a silent board can", board=station)
        self._forget(station)

    def _forget(self, station: str) -> None:
        self.hub.forget(station)
        self.spectators.forget(station)
        self._watchers.notify()

    def _forget_ghosts(self) -> None:
        """Forget long-silent stations without a key at which no table ever played: ghosts."""
        now_ms = self.clock()
        for station, state in tuple(self.hub.station_states.known.items()):
            has_key = station in self.homes or (self.admission is not None and station not in self._revoked)
            is_unused = not has_key and not self.spectators.has_played(station)
            if is_unused and now_ms - state.received_ms > GHOST_MS:
                self._forget(station)

    async def order(
        self, by: str, station: str, command: Wanted, note: str = "", seen: Moment | None = None
    ) -> str:
        """Order *command* for the present game at *station*; return the order's name.

        *seen* is the moment that *by* has seen, if it may be another one. Raises like `act`.
        """
        journal = self.hub.moment_of(station)[0]
        return (await self.order_all(by, [station], command, note, journal=journal, seen=seen))[0]

    async def order_all(
        self,
        by: str,
        stations: Sequence[str],
        command: Wanted,
        note: str,
        *,
        in_ms: int = 0,
        journal: str = "",
        seen: Moment | None = None,
    ) -> list[str]:
        """Order *command* at all *stations*, *in_ms* after the last entry in the book.

        It is for the game of *journal*, or for any present one; if `BOUND`, for the moment *seen*,
        or the present ply of each. A station that receives it later executes it at once, or refuses
        it if there was play since. Returns the names of the orders. Raises like `act`.
        """
        text = json.dumps(encode(Wanted, command), separators=(",", ":"))
        given: list[Ordered] = []
        try:
            for station in stations:
                is_bound = isinstance(command, BOUND)
                moment = (seen or self.hub.moment_of(station)) if is_bound else Moment(journal, None)
                ordered = Ordered(station, secrets.token_hex(8), text, note, *moment)
                await self.act(by, ordered)
                given.append(ordered)
        finally:  # orders in the book are sent even if the rest could not be written
            at_ms = self.clock() + in_ms if in_ms else None
            for ordered in given:
                self.hub.order(ordered.board, replace(_order(ordered, by), at_ms=at_ms))
            self._watchers.notify()
        return [ordered.order for ordered in given]

    # --- for watchers ---

    def watch(self) -> contextlib.AbstractContextManager[asyncio.Event]:
        """Return a block whose event is set on every change; the waiting side clears it."""
        return self._watchers.watch()

    # --- results ---

    def _stations_in_play(self) -> set[str]:
        running = self.keeper.book.running.values()
        return {given.board for each in running for given in each.stations.values()}

    def _newest(self, station: str) -> tuple[str, int]:
        """Return name and size of *station*'s newest journal, here or announced; "" without one."""
        names, state = self.journals(station), self.hub.station_states.known.get(station)
        here = (names[-1], (self.folder(station) / names[-1]).stat().st_size) if names else ("", 0)
        # the rest of a finished game must not count as the next one
        return max([here, *((each.journal, each.size) for each in (state.hello.lacking if state else ()))])

    def journals(self, station: str) -> list[str]:
        """Return the names of *station*'s journals here, oldest first."""
        return sorted(path.name for path in self.folder(station).glob(f"*{journals.SUFFIX}"))

    def _result_of(self, station: str) -> ResultReported | None:
        """Return the result of the game assigned to *station*;

        None without news.

        Raises `OSError`, and `TournamentError` if the number of players does not fit.
        """
        given = self.keeper.book.at_station(station)
        if given is None:
            return None
        running = self.keeper.book.of(given.key)
        pairing = running.tournament.pairing(given.round, given.table)
        outcome = first_end(lines_after(given, self.folder(given.board), self.journals(given.board)))
        if outcome is None or not pairing.is_on:
            return None
        points = points_of_outcome(outcome, len(pairing.players))
        if len(pairing.further) % 2:  # replayed games swap the sides
            points = points[::-1]
        result = ResultReported(given.key, given.round, given.table, points, outcome.termination)
        return None if running.reported.get((given.round, given.table)) == result else result


def admission_of(hall: Hall) -> Admission:
    """Return the admission of *hall*. Raises `TournamentError` if it uses no keys."""
    if hall.admission is None:
        raise TournamentError("no table can be invited: the hall runs without --broker, or it is open")
    return hall.admission


def _order(ordered: Ordered, by: str) -> Order:
    """Return the order to send to the station."""
    command: Wanted = decode(Wanted, json.loads(ordered.command))
    return Order(ordered.order, command, by, journal=ordered.journal, ply=ordered.ply)

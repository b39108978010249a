# SPDX-License-Identifier: Apache-2.0
"""Stored games, read from journals, record texts and PGN.

Pure, except for what reads files. Its rule: a game that its own rules cannot replay is not stored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from companion import games
from companion.games.chess import pgn
from companion.host.codec import encode
from companion.host.journal import journal as journals
from companion.host.journal.journal import Continued, Header, Journal, following
from companion.host.text.os_errors import why
from companion.model.errors import JournalError, NotationError
from companion.model.game import AnyRules, Outcome
from companion.model.notation import (
    UNFINISHED,
    GameRecord,
    describe_outcome,
    read_record,
    replay,
)
from companion.model.pieces import Side
from companion.referee.clocks import Clocks
from companion.referee.events import (
    ClockStarted,
    Event,
    GameAdjourned,
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    MoveMade,
    MoveRetracted,
    PositionAdopted,
    RecordCorrected,
    Stage,
)
from companion.referee.ledger import Ledger
from companion.referee.restoring import times_left

PGN_WINNERS: Final = {"1-0": "white", "0-1": "black", "1/2-1/2": "draw"}
"""Winner by PGN result."""
CORRECTED: Final = "Corrected"
"""Tag with the numbers of the moves from which an arbiter corrected the record."""
_UNTOLD: Final = "unknown"
"""Reason of a result without one."""


@dataclass(frozen=True, slots=True)
class KeptMove:
    """A move of a stored game."""

    side: Side
    text: str
    thought_ms: int | None = None
    """Thinking time of its side; None if unknown."""
    left_ms: int | None = None
    """Its side's clock after the move; None if unknown or untimed."""


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game with its thinking times."""

    record: GameRecord
    moves: tuple[KeptMove, ...]
    """The moves of the record, in order."""
    origin: str | None = None
    """Identity of the game in its journal while it grows; None for other sources."""

    @property
    def digest(self) -> str:
        """Hash that is equal for the same game from any source: moves, winner, players, date."""
        record = self.record
        known = sorted(
            (name, value)
            for name, value in record.tags.items()
            if name in ("Date", "Time", "Round", *map(str.capitalize, rules_of(record).sides))
            and value.strip("?.")
        )
        told = (
            record.game,
            record.start,
            record.moves,
            sorted(record.adopted.items()),
            winners(record),
            known,
        )
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def rules_of(record: GameRecord) -> AnyRules:
    """Return the rules of *record*. Raises `CompanionError` if they are unknown."""
    return games.find(record.game).rules(games.kept_options(record.game, record.options))


def winners(record: GameRecord) -> str:
    """Return the winners of *record*: sides joined by `+`, `draw`, or `*` if unfinished."""
    return record.result.partition(":")[0]


def outcome_of(record: GameRecord) -> Outcome | None:
    """Return the outcome of *record*; None if it is unfinished."""
    sides, winner, reason = rules_of(record).sides, *record.result.partition(": ")[::2]
    if record.result == UNFINISHED:
        return None
    won = () if winner == "draw" else tuple(sides.index(side) for side in winner.split("+") if side in sides)
    return Outcome(won, reason or _UNTOLD, record.scores)


def from_record(record: GameRecord) -> KeptGame:
    """Convert *record* to a game. Raises `CompanionError` if its rules reject it."""
    rules = rules_of(record)
    moves: list[KeptMove] = []
    turn: Side = 0
    for position, text in replay(rules, record):
        if text:
            moves.append(KeptMove(turn, text))
        turn = position.turn
    return KeptGame(record, tuple(moves))


def read_games(path: Path) -> Iterator[KeptGame | NotationError]:
    """Yield the games of a journal, record text or PGN file.

    Yields a `NotationError` for each game that cannot be replayed. Raises `CompanionError` if the
    file cannot be read at all.
    """
    if path.suffix == journals.SUFFIX:
        yield from from_journal(journals.read(path))
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise JournalError("{path} cannot be read: {reason}", path=path, reason=why(fault)) from fault
    if text.lstrip().startswith("[Game "):
        try:
            yield from_record(read_record(text))
        except NotationError as fault:
            yield NotationError("{path}: {reason}", path=path, reason=fault, text=fault.text)
        return
    yield from _read_pgn(path, text)


def _read_pgn(path: Path, text: str) -> Iterator[KeptGame | NotationError]:
    """Yield the games of a PGN file lazily: there may be thousands."""
    for line, found in pgn.games(text):
        try:
            if isinstance(found, NotationError):
                raise found
            yield _from_pgn(found)
        except NotationError as fault:
            yield NotationError(
                "{path}, from line {line} on: {reason}", path=path, line=line, reason=fault, text=fault.text
            )


def _from_pgn(found: pgn.Record) -> KeptGame:
    """Convert a PGN game; without automatic draws if it was played on after one."""
    try:
        return _told_under(games.find("chess").rules(), found)
    except NotationError:
        return _told_under(games.find("chess").rules({"draw_rules": "none"}), found)


def _told_under(rules: AnyRules, found: pgn.Record) -> KeptGame:
    """Convert a PGN game under *rules*. Raises `NotationError` if they end it earlier."""
    tags = {name: value for name, value in found.tags if pgn.ROSTER.get(name) != value and name != "Result"}
    termination = tags.pop("Termination", _UNTOLD)
    position = found.start
    moves = []
    for move in found.moves:
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    ended = rules.status(position)
    if ended is not None:
        result = describe_outcome(ended, rules.sides)
    elif found.result in PGN_WINNERS:
        slug = termination if re.fullmatch(r"[a-z-]+", termination) else _UNTOLD
        result = f"{PGN_WINNERS[found.result]}: {slug}"
    else:
        result = UNFINISHED
    start = "" if found.start == rules.initial() else rules.write_position(found.start)
    game = from_record(GameRecord("chess", dict(rules.options), start, tuple(moves), {}, tags, result))
    times = found.times or (pgn.Spent(),) * len(moves)
    return replace(
        game,
        moves=tuple(
            replace(move, thought_ms=spent.elapsed_ms, left_ms=spent.left_ms)
            for move, spent in zip(game.moves, times, strict=True)
        ),
    )


def from_journal(journal: Journal) -> Iterator[KeptGame]:
    """Yield the games of *journal* with at least one announced move, in order.

    Raises `CompanionError` if rules or times are unknown, or a line is invalid.
    """
    rules = games.find(journal.header.game).rules(dict(journal.header.options))
    wall = _Wall(_time(journal, journal.header.began), 0)
    scribe: _Scribe | None = None
    due: ClockStarted | None = None
    with following(journal) as entries:
        for line, entry in enumerate(entries, start=2):
            if isinstance(entry, Continued):
                wall = _Wall(_time(journal, entry.on), entry.at_ms)
            elif isinstance(entry, GameBegan):
                if scribe is not None and scribe.line:
                    yield _told(journal, scribe)
                scribe = _Scribe(rules, journal.header, entry, wall.at(entry.at_ms), line)
                scribe.events += [due] if due else []
            due = _due(entry, due)
            if scribe is not None:
                scribe.take(entry)
        if scribe is not None and scribe.line:
            yield _told(journal, scribe)


def _due(entry: object, due: ClockStarted | None) -> ClockStarted | None:
    """Return the pending clock start after *entry*, for a game that begins later."""
    if isinstance(entry, GameBegan | GameResumed | GameEnded):
        return None
    return entry if isinstance(entry, ClockStarted) and entry.side is None else due


def _told(journal: Journal, scribe: _Scribe) -> KeptGame:
    """Return the game of *scribe*. Raises `JournalError` if its rules reject it."""
    try:
        return scribe.game()
    except NotationError as fault:
        raise JournalError(
            "{path}, the game from line {line} on: {reason}",
            path=journal.path,
            line=scribe.began_line,
            reason=fault,
        ) from fault


def _time(journal: Journal, text: str) -> datetime:
    """Parse the time *text* in *journal*. Raises `JournalError`."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as fault:
        raise JournalError(
            "{path} says {text!r} where a time belongs", path=journal.path, text=text
        ) from fault


@dataclass(frozen=True, slots=True)
class _Wall:
    """Wall time at a moment of the journal."""

    time: datetime
    at_ms: int

    def at(self, at_ms: int) -> datetime:
        return self.time + timedelta(milliseconds=at_ms - self.at_ms)


@dataclass(frozen=True, slots=True)
class _Line:
    """A move, or an adopted position."""

    ply: int
    move: KeptMove | None
    adopted: str = ""


class _Scribe:
    """Collects one game from its events."""

    def __init__(
        self, rules: AnyRules, header: Header, began: GameBegan, time: datetime, began_line: int
    ) -> None:
        self.rules = rules
        self.began = began
        self.began_line = began_line
        self.time = time
        self.names = {
            side.capitalize(): name for side, name in zip(rules.sides, header.players, strict=False) if name
        }
        self.header = header
        self.events: list[Event] = []
        """All events since the start of the game."""
        self.line: list[_Line] = []
        self.result = UNFINISHED
        self.scores: tuple[int, ...] = ()
        self.corrected: list[int] = []
        """Numbers from 1 of the moves from which an arbiter corrected the record."""
        told = json.dumps([encode(Header, header), began.at_ms, began.position])
        self.origin = hashlib.sha256(told.encode()).hexdigest()
        self._since_ms = began.at_ms
        """When the side to move started thinking, shifted by pauses since."""
        self._seen: MoveMade | None = None
        """The first event of the last move."""
        self._paused_ms: int | None = None

    def take(self, entry: object) -> None:  # noqa: C901  one case an event
        """Process *entry*."""
        if isinstance(entry, Event):
            self.events.append(entry)
        match entry:
            case MoveMade():
                self._made(entry)
            case MoveRetracted(stage=Stage.ANNOUNCED | Stage.SETTLED):
                self._retracted(entry)
            case PositionAdopted():
                self.line.append(_Line(-1, None, entry.position))
                self._since_ms = entry.at_ms
            case RecordCorrected():
                self._corrected(entry)
            case GameEnded():
                self.result = describe_outcome(entry.outcome, self.rules.sides)
                self.scores = entry.outcome.scores
            case GamePaused() | GameAdjourned():
                self._paused_ms = entry.at_ms
            case GameResumed():
                if self._paused_ms is not None:
                    self._since_ms += entry.at_ms - self._paused_ms
                self._paused_ms = None

    def _made(self, made: MoveMade) -> None:
        """Process a move; an announced one is recorded."""
        if self._seen is None or (self._seen.ply, self._seen.move) != (made.ply, made.move):
            self._seen = made
        if made.stage is not Stage.ANNOUNCED:
            return
        seen_ms = self._seen.at_ms
        thought_ms = made.spent_ms if made.spent_ms is not None else max(0, seen_ms - self._since_ms)
        self.line.append(_Line(made.ply, KeptMove(made.side, made.move, thought_ms)))
        self._since_ms = seen_ms

    def _retracted(self, gone: MoveRetracted) -> None:
        """Remove the last ply, and the result with it."""
        while self.line and self.line[-1].move is None and gone.move:
            self.line.pop()
        if self.line:
            self.line.pop()
        self.result, self.scores, self._seen = UNFINISHED, (), None
        self._since_ms = gone.at_ms

    def _corrected(self, put_right: RecordCorrected) -> None:
        """Replace the moves from an arbiter's correction on."""
        numbers = [line.ply for line in self.line]
        cut = next((place for place, ply in enumerate(numbers) if ply >= put_right.ply), len(numbers))
        while cut and self.line[cut - 1].move is None and self.line[cut - 1].adopted != put_right.base:
            cut -= 1
        del self.line[cut:]
        position = self.rules.read_position(put_right.base)
        for ply, text in enumerate(put_right.moves, put_right.ply):
            self.line.append(_Line(ply, KeptMove(position.turn, text)))
            position = self.rules.apply(position, self.rules.read_move(position, text))
        self.corrected.append(put_right.ply + 1)
        self.result, self.scores, self._seen = UNFINISHED, (), None
        self._since_ms = put_right.at_ms

    def game(self) -> KeptGame:
        """Return the game so far."""
        moves: list[KeptMove] = []
        adopted: dict[int, str] = {}
        left_ms = self._times_left()
        for each in self.line:
            if each.move is None:
                adopted[len(moves)] = each.adopted
            else:
                moves.append(replace(each.move, left_ms=left_ms.get(each.ply)))
        rules = self.rules
        marks = {CORRECTED: ", ".join(map(str, self.corrected))} if self.corrected else {}
        is_usual = self.began.position == rules.write_position(rules.initial())
        record = GameRecord(
            game=rules.slug,
            options=dict(rules.options),
            start="" if is_usual else self.began.position,
            moves=tuple(move.text for move in moves),
            adopted=adopted,
            tags={"Date": f"{self.time:%Y.%m.%d}", "Time": f"{self.time:%H:%M:%S}", **self.names, **marks},
            result=self.result,
            scores=self.scores,
        )
        return replace(from_record(record), moves=tuple(moves), origin=self.origin)

    def _times_left(self) -> dict[int, int]:
        """Return the clock after each ply; empty for untimed games."""
        header = self.header
        if header.control is None:
            return {}
        ledger = Ledger(self.rules, header.sensor, header.timing, self.rules.initial())
        ledger.clocks = Clocks.of(header.control)
        return times_left(ledger, self.events)

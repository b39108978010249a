# SPDX-License-Identifier: Apache-2.0
"""Stored games, read from journals, record texts and PGN.

Pure, except for what reads files. Its rule: a game that its own rules cannot replay is not stored.
What only the readers need is imported by them, since a list of games needs its rules alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion import games
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError, JournalError, NotationError
from companion.model.game import AnyRules, Outcome
from companion.model.notation import (
    UNFINISHED,
    GameRecord,
    describe_outcome,
    read_record,
    replay,
)

if TYPE_CHECKING:
    from companion.feedback.words import Words
    from companion.games.chess import pgn
    from companion.host.journal.journal import Header, Journal
    from companion.host.journal.setup import GameSetup
    from companion.model.pieces import Side
    from companion.model.reading import Note
    from companion.referee.state.replay_events import Replay
    from companion.referee.values.events import GameBegan

PGN_WINNERS: Final = {"1-0": "white", "0-1": "black", "1/2-1/2": "draw"}
"""Winner by PGN result."""
CORRECTED: Final = "Corrected"
"""Tag with the numbers of the moves from which an arbiter corrected the record."""
_COMPUTER: Final = "Computer"
"""Name of a side that the computer played, unless it has another."""
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
        content = (
            record.game,
            record.start,
            record.moves,
            sorted(record.adopted.items()),
            winners(record),
            known,
        )
        return _digest(content)


def _digest(content: object) -> str:
    """Return the hash of *content* as JSON."""
    import hashlib

    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


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


def read_games(path: Path) -> Iterator[KeptGame | NotationError | Note]:
    """Yield the games of a file: journal, record text, PGN, or moves of Tank Chess.

    Yields a `NotationError` for each game that cannot be replayed, and before a game the notes
    about it. Raises `CompanionError` if the file cannot be read at all.
    """
    from companion.host.journal import journal as journals
    from companion.host.text.os_errors import reporting

    if path.suffix == journals.SUFFIX:
        yield from from_journal(journals.read(path))
        return
    with reporting("{path} cannot be read: {reason}", JournalError, path=path):
        content = path.read_bytes()
    yield from games_in(content, str(path))


def games_in(content: bytes, path: str) -> Iterator[KeptGame | NotationError | Note]:
    """Yield the games in *content*, of a file that is no journal.

    Messages call it *path*. Yields what `read_games` does. Raises `CompanionError` if it
    holds no game at all.
    """
    from companion.games.tank_chess import kifu
    from companion.host.text.encodings import legacy_encoding
    from companion.model.reading import decoded

    found = decoded(content, legacy_encoding())
    yield from found.notes
    text = found.value
    noted = kifu.record_of(text)
    if noted is not None or text.lstrip().startswith("[Game "):
        try:
            yield from_record(read_record(text) if noted is None else _in_our_notation(noted))
        except NotationError as fault:
            yield NotationError("{path}: {reason}", path=path, reason=fault, text=fault.text)
        return
    yield from _read_pgn(path, text)


def _in_our_notation(record: GameRecord) -> GameRecord:
    """Return *record* with moves as the program writes them. Raises `NotationError`."""
    rules = rules_of(record)
    positions = [position for position, _ in replay(rules, record)]
    moves = [
        rules.write_move(position, rules.read_move(position, text))
        for position, text in zip(positions, record.moves, strict=False)
    ]
    return replace(record, options=dict(rules.options), moves=tuple(moves))


def _read_pgn(path: str, text: str) -> Iterator[KeptGame | NotationError | Note]:
    """Yield the games of a PGN file lazily: there may be thousands."""
    from companion.games.chess import pgn_reader

    for line, found in pgn_reader.games(text):
        try:
            if isinstance(found, NotationError):
                raise found
            game = _from_pgn(found.value)
            yield from found.notes
            yield game
        except NotationError as fault:
            yield NotationError(
                "{path}, from line {line} on: {reason}", path=path, line=line, reason=fault, text=fault.text
            )


def _from_pgn(found: pgn.Record) -> KeptGame:
    """Convert a PGN game; without automatic draws if it was played on after one."""
    try:
        return _played_under(games.find("chess").rules(), found)
    except NotationError:
        return _played_under(games.find("chess").rules({"draw_rules": "none"}), found)


def _played_under(rules: AnyRules, found: pgn.Record) -> KeptGame:
    """Convert a PGN game under *rules*. Raises `NotationError` if they end it earlier."""
    from companion.games.chess import pgn

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


def players(text: str) -> dict[str, str]:
    """Return the players' names in the *text* of a record by side, "" where unknown."""
    try:
        return named_sides(read_record(text.partition("\n\n")[0]))  # the moves do not matter
    except CompanionError:  # such as a game that this version does not have
        return {}


def named_sides(record: GameRecord) -> dict[str, str]:
    """Return the players' names in *record* by side, "" where unknown."""
    names = {side: record.tags.get(side.capitalize(), "") for side in rules_of(record).sides}
    return {side: name if name.strip("?.") else "" for side, name in names.items()}


def computer_level(name: str) -> int | None:
    """Return the level of the computer that a record calls *name*.

    0 if it is unknown; None for people.
    """
    found = re.fullmatch(rf"{_COMPUTER}(?: \(level (\d+)\))?", name)
    return None if found is None else int(found[1] or 0)


def spoken_names(names: Iterable[str], words: Words) -> Iterator[str]:
    """Yield *names* as in a record; those of computers in the language of *words*."""
    computer = words.common.labels["computer"]
    yield from (name if computer_level(name) is None else computer for name in names)


def from_journal(journal: Journal) -> Iterator[KeptGame]:
    """Yield the games of *journal* with at least one announced move, in order.

    Raises `CompanionError` if rules or times are unknown, or a line is invalid.
    """
    from companion.host.journal.journal import Continued, following
    from companion.referee.state.replay_events import Replay
    from companion.referee.values.events import Event, GameBegan

    header = journal.header
    rules = header.setup.rules
    wall = _Wall(_time(journal, header.began), 0)
    state, scribe = Replay(rules, header.control), None
    with following(journal) as entries:
        for entry in entries:
            if isinstance(entry, Continued):
                wall = _Wall(_time(journal, entry.on), entry.at_ms)
            elif isinstance(entry, GameBegan):
                if scribe is not None and state.entries:
                    yield scribe.game(state)
                scribe = _Scribe(header, entry, wall.at(entry.at_ms))
            if isinstance(entry, Event):
                state.take(entry)
        if scribe is not None and state.entries:
            yield scribe.game(state)


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
class _Scribe:
    """What the journal tells of a game apart from its events."""

    header: Header
    began: GameBegan
    time: datetime

    def game(self, state: Replay) -> KeptGame:
        """The game of *state*, as far as it went."""
        rules, header = state.rules, self.header
        moves: list[KeptMove] = []
        adopted: dict[int, str] = {}
        for each in state.entries:
            if each.adopted:
                adopted[len(moves)] = each.adopted
            else:
                left_ms = state.left_ms.get(each.ply)
                moves.append(KeptMove(each.side, each.move, each.thought_ms, left_ms))
        names = {
            side.capitalize(): name
            for side, name in zip(rules.sides, player_names(header.setup), strict=False)
        }
        marks = {CORRECTED: ", ".join(str(ply + 1) for ply in state.corrected)} if state.corrected else {}
        is_usual = self.began.position == rules.write_position(rules.initial())
        outcome = state.outcome
        record = GameRecord(
            game=rules.slug,
            options=dict(rules.options),
            start="" if is_usual else self.began.position,
            moves=tuple(move.text for move in moves),
            adopted=adopted,
            tags={
                "Date": f"{self.time:%Y.%m.%d}",
                "Time": f"{self.time:%H:%M:%S}",
                **{side: name for side, name in names.items() if name},
                **marks,
            },
            result=UNFINISHED if outcome is None else describe_outcome(outcome, rules.sides),
            scores=() if outcome is None else outcome.scores,
        )
        from companion.host.codec import encode
        from companion.host.journal.journal import Header

        content = [encode(Header, header), self.began.at_ms, self.began.position]
        return KeptGame(record, tuple(moves), _digest(content))


def player_names(setup: GameSetup) -> Iterator[str]:
    """Yield the names of the players by side; empty if unknown."""
    for name, by, level in zip_longest(setup.players, setup.played_by, setup.levels):
        computer = f"{_COMPUTER} (level {level})" if level else _COMPUTER
        yield name or (computer if by is PlayedBy.COMPUTER else "")

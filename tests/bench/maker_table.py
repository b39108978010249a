# SPDX-License-Identifier: Apache-2.0
"""The examination of the referee at simulated eboards.

All games that fit are played. Bytes, codec and lamps are between the hands and the referee, as at a
real eboard; it reports later than switches do, and hands do not wait for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Final

from companion.eboards.codec import CHESS_SHAPE, chess_piece
from companion.eboards.standins import SET, lacking, recoding
from companion.games import find
from companion.host.devices.eboards import EBOARDS
from companion.host.journal.journal import CommandEntry, Continued, Ticked
from companion.model.game import AnyRules
from companion.model.grid import rectangle
from companion.model.observation import Observation, SensorKind, Sighting
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.commands import Command
from companion.referee.values.events import Event
from tests.bench.examiner import examine
from tests.bench.score import Score
from tests.eboards.rig import BESIDE, MAKERS, EboardRig, chess_pieces
from tests.fakes import FakeTable
from tests.virtual.hands import PROFILES

SQUARES: Final = rectangle(CHESS_SHAPE.files, CHESS_SHAPE.ranks).names
_LEARNING_MS: Final = 3000
"""Time in which an eboard is greeted, and the tags of its pieces are learned."""


class MakerTable(FakeTable):
    """A table with an eboard: bytes and lamps in between, as at a real one."""

    lag_ms = 900
    """Longer than three frames of any eboard, and the wait for an old square."""

    def __init__(self, rules: AnyRules, name: str) -> None:
        """A table with the eboard *name*, which has seen the start of chess before."""
        session = Session(rules, EBOARDS[name].kind(rules))
        super().__init__(rules, session.kind, session=session)
        begun = chess_pieces()
        self.rig = EboardRig(name, MAKERS[name](begun, bytes), begun, slug=rules.slug, session=session)
        self._recoding = recoding(rules) or {chess_piece(letter): chess_piece(letter) for letter in SET}
        self._read = 0
        self.wait(_LEARNING_MS)

    def set_up(self) -> None:
        """Put the pieces of the session's position on the eboard, and wait."""
        self.on = dict(self.rules.placement(self.session.position).by_cell())
        self._arrange()
        self.wait(_LEARNING_MS)

    def change(self, _cell: int, _sighting: Sighting) -> list[Event]:
        """Let the eboard stand as hands have made it; returns the events."""
        self._arrange()
        return self._follow()

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.rig.advance(ms)
        self._follow()

    def ask(self, command: Command) -> None:
        """Give a command."""
        self.rig.pipeline.command(command, self.now_ms)
        self._follow()

    def turn_lever(self, side: int) -> None:
        """Complete a ply that leaves no trace, once the page shows the pieces."""
        self.wait(self.lag_ms)
        self.rig.pipeline.press(side, self.now_ms)
        self._follow()

    def _arrange(self) -> None:
        """Let the pieces stand that hands have put there; emptied squares come first."""
        under = self.rig.pipeline.mounting.under
        wanted = {SQUARES[under[cell]]: self._letters(piece) for cell, piece in self.on.items()}
        standing = self.rig.standing
        for square in [each for each in standing if each not in wanted]:
            self.rig.lift(square)
        for square, letters in wanted.items():
            if standing.get(square, BESIDE) not in letters:
                self.rig.put(square, self._from_box(letters))

    def _letters(self, piece: Piece) -> str:
        """The letters of the chess pieces that may stand for *piece*."""
        seen = look(piece, self.kind)
        return "".join(
            letter for letter in SET if _is_like(self._recoding.get(chess_piece(letter)), seen, self.kind)
        )

    def _from_box(self, letters: str) -> str:
        """That of *letters* whose piece is taken from the box."""
        left = Counter(SET)
        left.subtract(self.rig.standing.values())
        return max(letters, key=lambda letter: left[letter])

    def _follow(self) -> list[Event]:
        """The events since the last call; they are kept with their inputs."""
        self.now_ms = self.rig.now_ms
        fresh = self.rig.kept.entries[self._read :]
        self._read += len(fresh)
        self.entries += fresh
        for each in fresh:
            if isinstance(each, Observation):
                self.rest_since_ms = each.rest_since_ms
        events = [
            each for each in fresh if not isinstance(each, Observation | CommandEntry | Ticked | Continued)
        ]
        self.history += events
        return events


def _is_like(piece: Sighting | None, seen: Sighting, kind: SensorKind) -> bool:
    if kind is SensorKind.OCCUPANCY:
        return True
    if piece is None or piece.side != seen.side:
        return False
    return kind is SensorKind.SIDE or piece.kind == seen.kind


GAMES: Final = ("chess", "close-quarters", "fightopia", "gottaz", "martian-chess")
"""Those that need at most 8 by 8 cells."""
PEOPLE: Final = tuple(name for name, habits in PROFILES.items() if not (habits.bounces or habits.losses))
"""Temperaments of hands; no switch bounces at these eboards."""
_COUNTS: Final = (
    "plies",
    "right",
    "asked",
    "missed",
    "wrong",
    "illegal_tried",
    "illegal_flagged",
    "illegal_silent",
    "false_alarms",
)


def examine_eboard(name: str, plies: int, seed: int, people: Sequence[str] = PEOPLE) -> Score:
    """The score of *plies* of each game by each of *people* at the eboard *name*."""
    total = Score()
    for slug, person in product(games_at(name), people):
        kind = EBOARDS[name].kind(find(slug).rules())
        score = examine(find(slug), kind, person, plies, seed, lambda rules: MakerTable(rules, name))
        for count in _COUNTS:
            setattr(total, count, getattr(total, count) + getattr(score, count))
        total.failures += score.failures
    return total


def games_at(name: str) -> list[str]:
    """The games that are played at the eboard *name*.

    One with tags knows those of one chess set.
    """
    return [slug for slug in GAMES if name != "certabo" or not lacking(find(slug).rules())]


def counts(score: Score) -> dict[str, int]:
    """The counts of *score* that are of interest at an eboard."""
    return {name: getattr(score, name) for name in _COUNTS}

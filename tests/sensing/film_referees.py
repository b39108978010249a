# SPDX-License-Identifier: Apache-2.0
"""A referee that watches a film, and what it said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from companion.model.errors import NotationError
from companion.model.grid import Cell
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.events import Event, GameBegan, IllegalMended, IllegalSeen, QuestionAsked
from companion.referee.values.questions import Question
from companion.sensing.untagged_sensor import UntaggedSensor
from tests.sensing.phone_films import Film, Frame

_AFTER_MS = 5000
"""Time after the last image in which the referee may still announce a move."""


class Watched:
    """The camera's sensor and the referee, without a picture of the empty board.

    Questions are answered according to *game*, the moves that are going to be played.
    """

    def __init__(self, film: Film, game: Sequence[str]) -> None:
        self.film = film
        self.sensor = UntaggedSensor(film.table, None)
        self.session: Session | None = None
        self.events: list[Event] = []
        self.needless: list[Question] = []
        """Questions whose choices look different on the board."""
        self.needed = 0
        self.images = 0
        self._positions, self._game = [film.rules.initial()], list[str]()
        for text in game:
            move = film.rules.read_move(self._positions[-1], text)
            self._game.append(film.rules.write_move(self._positions[-1], move))
            self._positions.append(film.rules.apply(self._positions[-1], move))

    def see(self, *parts: Iterable[Frame]) -> None:
        """Watch the next *parts* of the film."""
        for part in parts:
            for now_ms, image in part:
                self.images += 1
                observation = self.sensor.observe(image, now_ms)
                if self.session is None and observation is not None:
                    self.session = Session(self.film.rules, self.sensor.kind)
                if self.session is not None:
                    session = self.session
                    events = session.tick(now_ms) if observation is None else session.observe(observation)
                    self._hear(events, now_ms)

    def wait(self) -> None:
        """The film is over; the clock goes on."""
        for now_ms in range(self.film.now_ms + 250, self.film.now_ms + _AFTER_MS, 250):
            if self.session is not None:
                self._hear(self.session.tick(now_ms), now_ms)

    def record(self) -> list[str]:
        """The moves so far."""
        return [] if self.session is None else [each.move for each in self.session.view().record]

    def has_begun(self) -> bool:
        """True if the game has begun."""
        return any(isinstance(event, GameBegan) for event in self.events)

    def illegal(self) -> list[IllegalSeen]:
        """The illegal positions that were announced."""
        return [event for event in self.events if isinstance(event, IllegalSeen)]

    def mended(self) -> int:
        """How often the board was legal again."""
        return sum(isinstance(event, IllegalMended) for event in self.events)

    def named(self) -> set[str]:
        """The cells that the sensor names, or that the referee wants put right."""
        cells: set[Cell] = {cell for cells in self.sensor.places.values() for cell in cells}
        if self.session is not None:
            guides = self.session.view().guides
            cells |= {at for guide in guides for at in (guide.source, guide.target) if at is not None}
        return {self.film.grid.name(cell) for cell in cells}

    def summary(self) -> str:
        """For those who read a failure."""
        troubles = {trouble.value: self.film.grid.spell(at) for trouble, at in self.sensor.places.items()}
        return (
            f"{len(self.record())} of {len(self.film.played)} moves, {len(self.illegal())} illegal, "
            f"{self.needed} needed and {len(self.needless)} needless questions, {self.images} images, {troubles}"
        )

    def _hear(self, events: Iterable[Event], now_ms: int) -> None:
        for event in events:
            self.events.append(event)
            if isinstance(event, QuestionAsked):
                self._answer(event.question, now_ms)

    def _answer(self, question: Question, now_ms: int) -> None:
        assert self.session is not None
        if self._looks_alike(question):
            self.needed += 1
        else:
            self.needless.append(question)
        known = self._game[question.ply] if question.ply < len(self._game) else ""
        fitting = [number for number, choice in enumerate(question.choices) if known in choice.moves]
        if fitting:
            self.session.command(Answer(question.ply, fitting[0]), now_ms)

    def _looks_alike(self, question: Question) -> bool:
        """True if all choices leave pieces of the same sides on the same cells."""
        if question.ply >= len(self._game):
            return False
        before = self._positions[question.ply]
        try:
            looks = {self._look(before, text) for choice in question.choices for text in choice.moves}
        except NotationError:  # the referee believes in another game
            return False
        return len(looks) == 1

    def _look(self, position: Any, text: str) -> tuple[tuple[Cell, Any], ...]:
        rules = self.film.rules
        after = rules.apply(position, rules.read_move(position, text))
        return tuple(sorted((cell, piece.side) for cell, piece in rules.placement(after).by_cell().items()))

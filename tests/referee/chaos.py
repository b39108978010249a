# SPDX-License-Identifier: Apache-2.0
"""Random players: legal moves mixed with random edges, presses, commands and losses."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

from companion import games
from companion.model.errors import OrderRefused
from companion.model.game import HasBox
from companion.model.observation import EMPTY, SensorKind
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.commands import (
    Adjourn,
    AdjustClock,
    Answer,
    Command,
    Correct,
    Hold,
    LetStand,
    NewGame,
    OfferDraw,
    Pause,
    Release,
    Resign,
    Restore,
    Resume,
    TakeBack,
)
from companion.referee.values.controls import read_control
from tests.fakes import FakeTable

CONTROLS: Final = ("none", "300", "300@press", "60+5@press")
WAITS_MS: Final = (0, 0, 1, 5, 10, 20, 40, 70, 130, 300, 600, 800, 1500, 3000, 6000)


class TimedSession(Session):
    """A session that records the processor time of its slowest call."""

    slowest: tuple[float, str] = (0.0, "")
    """Milliseconds, and the name of the call."""

    def observe(self, *arguments: Any) -> Any:
        return self._timed(super().observe, *arguments)

    def tick(self, *arguments: Any) -> Any:
        return self._timed(super().tick, *arguments)

    def command(self, *arguments: Any) -> Any:
        return self._timed(super().command, *arguments)

    def _timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        gc.disable()  # garbage collection belongs to the program, not to the call
        start = time.thread_time()
        try:
            return call(*arguments)
        finally:
            gc.enable()
            took_ms = (time.thread_time() - start) * 1000
            self.slowest = max(self.slowest, (took_ms, f"{call.__name__}{arguments}"))


class CountedSession(TimedSession):
    """The same with the number of function calls, which no other program changes."""

    def _timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        count = 0

        def counting(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(counting)
        try:
            return call(*arguments)
        finally:
            sys.setprofile(before)
            self.slowest = max(self.slowest, (count, f"{call.__name__}{arguments}"))


class Chaos:
    """One table with a player who acts at random."""

    def __init__(
        self, slug: str, kind: SensorKind, seed: object, session: type[TimedSession] = TimedSession
    ) -> None:
        self.chance = Random(f"{slug} {kind} {seed}")
        rules = games.find(slug).rules()
        control = read_control(self.chance.choice(CONTROLS), len(rules.sides))
        self.session = session(rules, kind, control=control)
        self.table = FakeTable(rules, kind, session=self.session)
        self.table.set_up()
        self.pieces = [*self.table.on.values()]
        if isinstance(rules, HasBox):
            self.pieces += [piece for figure in rules.box() for piece in figure.faces]
        self.hand: list[Piece] = []
        self.acts: tuple[tuple[int, Callable[[], None]], ...] = (
            (30, self._play),
            (14, self._lift),
            (14, self._put),
            (10, self._press),
            (2, self.table.report_gap),
            (1, self._hide),
            (4, self._command),
            (4, self._set_up),
        )

    def act(self) -> None:
        """Do one random action, then wait."""
        weights, acts = zip(*self.acts, strict=True)
        self.chance.choices(acts, weights)[0]()
        self.table.wait(self.chance.choice(WAITS_MS))
        self.session.view()

    def _play(self) -> None:
        """Make a legal move of the current position.

        Sometimes it is incomplete or in another order.
        """
        rules, position = self.session.rules, self.session.position
        moves = [*rules.legal_moves(position)] if rules.status(position) is None else []
        if not moves:
            return
        steps = [*rules.steps(position, self.chance.choice(moves))]
        changes: list[tuple[int, Piece | None]] = []
        for step in steps:
            changes += [(cell, None) for cell in step.source]
            changes += [(cell, step.becomes) for cell in step.target]
        if self.chance.random() < 0.2:
            self.chance.shuffle(changes)
        for cell, piece in changes[: None if self.chance.random() < 0.9 else -1]:
            self._change(cell, piece)
            self.table.wait(self.chance.choice((0, 5, 40, 100, 250)))

    def _lift(self) -> None:
        if self.table.on:
            cell = self.chance.choice([*self.table.on])
            self.hand.append(self.table.on[cell])
            self._change(cell, None)

    def _put(self) -> None:
        held = self.hand and self.chance.random() < 0.8
        piece = (
            self.hand.pop(self.chance.randrange(len(self.hand))) if held else self.chance.choice(self.pieces)
        )
        self._change(self.chance.randrange(len(self.table.rules.grid.names)), piece)

    def _change(self, cell: int, piece: Piece | None) -> None:
        if piece is None:
            self.table.on.pop(cell, None)
            self.table.change(cell, EMPTY)
        else:
            self.table.on[cell] = piece
            self.table.change(cell, look(piece, self.table.kind))

    def _press(self) -> None:
        side = self.chance.randrange(len(self.table.rules.sides))
        self.chance.choice((self.table.turn_lever, self.table.press))(side)

    def _hide(self) -> None:
        names = self.table.rules.grid.names
        self.table.hide(" ".join(self.chance.sample(names, self.chance.randrange(3))))

    def _set_up(self) -> None:
        """Put every piece on its expected cell, unseen."""
        self.table.on = dict(self.table.rules.placement(self.session.position).by_cell())
        self.hand.clear()
        self.table.report_gap()

    def _command(self) -> None:
        rules, question = self.table.rules, self.session.view().question
        side = self.chance.randrange(len(rules.sides))
        commands: list[Command] = [
            TakeBack(),
            LetStand(side),
            Pause(),
            Resume(),
            Resume(),
            OfferDraw(side),
            NewGame(),
            Resign(side),
            Adjourn(),
            Hold(),
            Release(),
            AdjustClock(side, self.chance.choice((-10_000, 10_000))),
            Correct(max(0, self.session.ply - 1)),
            Restore(rules.write_position(self.session.position)),
        ]
        if question is not None:
            commands += [Answer(question.ply, self.chance.randrange(len(question.choices)))] * 12
        try:
            self.table.ask(self.chance.choice(commands))
        except OrderRefused:
            return

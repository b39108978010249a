# SPDX-License-Identifier: Apache-2.0
"""One ply by hand: gestures before the move, its steps in some order, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from tests.bench.players.hand import Desk, Hand
from tests.bench.players.kinds import KINDS, Slot, choose
from tests.bench.players.looks import is_traceless
from tests.bench.players.people import Person
from tests.bench.players.physics import Body, look


@dataclass
class Scene:
    """A ply to be made."""

    desk: Desk
    person: Person
    rng: Random
    position: Any
    move: Any
    side: int
    clock: str
    """`none`, `moves` or `press`."""
    right: Hand
    left: Hand
    used: list[str] = field(default_factory=list)
    """Names of the chosen kinds."""
    begins_ms: float = 0.0
    lands_ms: float = 0.0
    """The time at which the mover stands in its place."""
    has_pressed: bool = False
    """True if a gesture pressed the clock in the middle of the move."""
    presses: bool = True
    """False if the clock is not pressed because the move is taken back."""
    owes: str = ""
    """`begun` or `done`: the clock is pressed once the answer has begun, or stands."""
    ends_ms: float = 0.0
    """The time at which all pieces of the move are in their places."""
    decided_ms: float = 0.0
    """The time from which a carried piece stands on no other cell."""
    turns_ms: float = 0.0
    """The time at which a piece begins to be turned in its place; 0 without."""
    reply_steps: tuple[Step, ...] = ()
    """The steps of the answer, once it is drawn."""
    reply_waits_ms: float = 0.0
    """Until then the answering piece is held in the hand."""
    before_names: tuple[str, ...] = ()
    """The kinds of gestures before the move."""
    previous: Any = None
    """The position before the last ply, if there was one."""
    only: str | None = None
    """For tests: the one kind to choose where it fits."""
    _told: list[str] = field(default_factory=list)

    @property
    def rules(self) -> AnyRules:
        return self.desk.rules

    @property
    def kind(self) -> SensorKind:
        return self.desk.board.kind

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.rules.steps(self.position, self.move)

    def next_side(self) -> int:
        """The side that plays after this ply."""
        after: int = self.rules.apply(self.position, self.move).turn
        return after

    def choose(self, slot: Slot, *what: Any) -> Any:
        """The act of a kind for *slot*, or None for the plain way."""
        if self.only is not None:
            named = KINDS[self.only]
            if named.slot is not slot or not named.fits(self, *what):
                return None
            self.used.append(named.name)
            return named.act
        found = choose(slot, self.rng, self.person.temperament.habits, self, *what)
        if found is None:
            return None
        self.used.append(found.name)
        return found.act

    def before(self) -> None:
        """Do gestures before the move."""
        for each in list(KINDS.values()):
            if each.slot is not Slot.BEFORE:
                continue
            chosen = self.person.temperament
            share = each.weight * (chosen.mistakes * 10 if each.is_mistake else chosen.habits)
            wanted = each.name == self.only if self.only is not None else self.rng.random() < share
            if wanted and each.fits(self):
                self.used.append(each.name)
                known = len(self._told)
                if not each.is_mistake:
                    self.begin_gesture()
                each.act(self)
                if each.is_mistake and len(self._told) == known:  # it would have been legal
                    self.used.remove(each.name)
        self.before_names = tuple(self.used)

    def begin_gesture(self) -> None:
        """Note that the last gesture before the move begins now."""
        self._told.append(self.used[-1])
        self.desk.table.note(self.right.t, {"note": "gesture", "name": self.used[-1]})

    def play(self) -> None:
        """Make the move."""
        self.begins_ms = self.right.t
        first = self.right.first_ms, self.left.first_ms
        self.right.first_ms = self.left.first_ms = None
        self._make_steps()
        touched = [hand.first_ms for hand in (self.right, self.left) if hand.first_ms is not None]
        self.begins_ms = min(touched, default=self.begins_ms)
        self.right.first_ms = min((each for each in (*first, *touched) if each is not None), default=None)
        self.ends_ms = max(self.right.t, self.left.t)
        self.lands_ms = self.lands_ms or self.ends_ms

    def _make_steps(self) -> None:
        movers = [step for step in self.steps if step.source and step.target and step.source != step.target]
        entering = [step for step in self.steps if not step.source]
        leaving = [step for step in self.steps if step.source and not step.target]
        inside = [step for step in self.steps if step.source and step.source == step.target]
        self.right.reach()
        if len(movers) == 2:
            self.pair(*movers)
        elif movers and movers[0].becomes.kind != movers[0].piece.kind and self.rules.slug == "chess":
            self.promote(movers[0], leaving[0] if leaving else None)
        elif movers and self._is_merge(movers[0], leaving):
            self.merge(movers[0], leaving[0])
        elif movers and leaving:
            self.capture(movers[0], leaving[0])
        elif entering:
            for step in leaving:
                self.right.off(self.desk.body_on(*step.source))
                self.right.reach()
            self.enter(entering[0])
        elif movers:
            self.transfer(self.right, movers[0])
        else:
            for step in leaving:
                self.right.off(self.desk.body_on(*step.source))
                self.right.reach()
        for step in inside:
            self.alter(step)

    def _is_merge(self, mover: Step, leaving: Sequence[Step]) -> bool:
        """True for a merge in Martian Chess."""
        return bool(leaving) and self.rules.slug == "martian-chess" and mover.becomes != mover.piece

    # parts of a move

    def transfer(self, hand: Hand, step: Step) -> None:
        """Move the piece of *step* from its source to its target."""
        body = self.desk.body_on(*step.source)
        act = self.choose(Slot.MOVE, hand, body, step.target)
        if act is not None:
            act(self, hand, body, step.target)
        else:
            hand.lift(body)
            self.travel(hand, body, step.target)
            self.land(hand, body, step.target)
        if step.becomes != body.piece:
            self.turn(hand, body, step.becomes)
            self.lands_ms = hand.t

    def travel(self, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
        """Do a gesture on the way, if one is chosen."""
        act = self.choose(Slot.TRAVEL, hand, body, cells)
        if act is not None:
            act(self, hand, body, cells)
            self.decided_ms = hand.t

    def land(self, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
        """Put a lifted piece down on *cells*."""
        act = self.choose(Slot.LANDING, hand, body, cells)
        if act is not None:
            act(self, hand, body, cells)
        else:
            hand.put(body, cells)
        self.lands_ms = self.lands_ms or hand.t

    def turn(self, hand: Hand, body: Body, piece: Piece) -> None:
        """Turn *body* into *piece*, in the plain way within the hand.

        On the board, a sensor would see nothing else change.
        """
        self.turns_ms = hand.t if piece.facing is not None else 0.0
        act = self.choose(Slot.TURN, hand, body, piece)
        if act is not None:
            act(self, hand, body, piece)
        else:
            hand.wait(self.person.takes_ms(120))
            hand.change(body, piece)

    def capture(self, mover: Step, victim: Step) -> None:
        """Remove *victim* and move *mover* to its cell."""
        if self.right.holds_until:  # the waiting hand has lifted its own piece
            KINDS["capture_same_hand"].act(self, mover, victim)
            return
        act = self.choose(Slot.CAPTURE, mover, victim)
        if act is not None:
            act(self, mover, victim)
            return
        self.right.off(self.desk.body_on(*victim.source))
        self.right.reach()
        self.transfer(self.right, mover)

    def merge(self, mover: Step, lower: Step) -> None:
        """Put *mover* on top of *lower*, or exchange both for the bigger piece."""
        body, under = self.desk.body_on(*mover.source), self.desk.body_on(*lower.source)
        if self.rng.random() < 0.25:
            self.right.lift(under)
            self.right.reach()
            self.left.t = max(self.left.t, self.right.t)
        self.left.t = max(self.left.t, self.right.t)
        hand = self.left if under.is_held else self.right
        hand.lift(body)
        if not under.is_held:
            self.travel(hand, body, mover.target)
        spots = self.desk.good_spots(mover.target, 0.02)
        hand.fly(body, spots)
        hand.lower(body, mover.target, spots)
        hand.change(body, mover.becomes)
        self.right.t = self.left.t = max(self.left.t, self.right.t)
        self.right.off(under, quick=True)
        self.lands_ms = self.right.t

    def pair(self, first: Step, second: Step) -> None:
        """Move two pieces: castling, or a swap."""
        act = self.choose(Slot.PAIR, first, second)
        if act is not None:
            act(self, first, second)
            return
        if set(first.target) & set(second.source):
            waiting = self.desk.body_on(*second.source)
            self.right.lift(waiting)
            waiting.cells = ()
            self.left.t = self.right.t
            self.left.reach()
            self.transfer(self.left, first)
            self.right.t = max(self.right.t, self.left.t)
            self.land(self.right, waiting, second.target)
            return
        self.transfer(self.right, first)
        self.right.reach()
        self.transfer(self.right, second)
        self.lands_ms = self.right.t

    def promote(self, mover: Step, victim: Step | None) -> None:
        """Remove the pawn from the board and bring the new piece."""
        act = self.choose(Slot.PROMOTION, mover, victim)
        if act is not None:
            act(self, mover, victim)
            return
        if victim is not None:
            self.right.off(self.desk.body_on(*victim.source))
            self.right.reach()
        self.right.off(self.desk.body_on(*mover.source))
        self.right.reach()
        self.crown(self.right, mover)

    def crown(self, hand: Hand, mover: Step) -> None:
        """Bring the promoted piece of *mover* from beside the board."""
        body = self.desk.from_box(mover.becomes)
        hand.bring(body, mover.target)
        hand.put(body, mover.target)
        self.lands_ms = hand.t

    def enter(self, step: Step) -> None:
        """Bring a piece from the hand onto the board."""
        body = self.desk.from_box(step.becomes)
        self.right.bring(body, step.target)
        self.travel(self.right, body, step.target)
        self.land(self.right, body, step.target)

    def alter(self, step: Step) -> None:
        """Turn or flip a piece on its cell, or lay it on its side."""
        body = self.desk.body_on(*step.source)
        hand = self.right
        if self.lands_ms:
            hand.reach()
        is_seen = look(step.piece, self.kind) != look(step.becomes, self.kind)
        if step.becomes.pose == "wreck":
            hand.lift(body)
            hand.change(body, step.becomes)
            hand.put(body, step.target)
        elif self.rng.random() < (0.5 if is_seen or step.becomes.facing is not None else 0.9):
            hand.lift(body)
            hand.wait(self.person.takes_ms(250))
            hand.change(body, step.becomes)
            self.land(hand, body, step.target)
        else:
            self.turn(hand, body, step.becomes)
        self.lands_ms = hand.t

    # the end of a ply

    def press(self) -> float | None:
        """Press the clock; returns the time, or None without a press."""
        self.right.t = max(self.right.t, self.left.t)
        if self.has_pressed or not self.presses:
            return None
        must = is_traceless(self.rules, self.position, self.move, self.kind)
        if self.clock != "press" and not must:
            return None
        act = None if must else self.choose(Slot.PRESS)
        if act is not None:
            at: float | None = act(self)
            return at
        self.right.wait(self.person.takes_ms(300, 0.5))
        return self.right.t

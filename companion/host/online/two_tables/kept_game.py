# SPDX-License-Identifier: Apache-2.0
"""The game of two tables, as the inviting one keeps it: moves, proposals, clocks, result.

Pure. Its rule: a side is charged for the time that its own table has measured, from the moment when
the pieces stood there. What the messages take is charged to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from companion.host.online.game_elsewhere import GameElsewhere
from companion.model.errors import IllegalMoveError, NotationError, OnlineRefused
from companion.model.game import AnyRules, FlagRules, Outcome
from companion.model.pieces import Side
from companion.referee.values import clocks as timing
from companion.referee.values.clocks import Clocks, Control
from companion.referee.values.record import claim, outcome


@dataclass(frozen=True, slots=True)
class KeptMoves:
    """A `KeptGame` as it is kept in a file."""

    moves: tuple[str, ...] = ()
    draw_offers: tuple[Side, ...] = ()
    take_backs: tuple[tuple[Side, int], ...] = ()
    outcome: Outcome | None = None
    left_ms: tuple[int, ...] = ()
    """Time left of each side before the ply that is thought about."""
    running: Side | None = None
    thought_ms: int = 0
    """Time that the running side has thought about it."""


@dataclass
class KeptGame:
    """One game between two sides."""

    rules: AnyRules
    control: Control | None = None
    moves: list[str] = field(default_factory=list)
    draw_offers: set[Side] = field(default_factory=set)
    take_backs: dict[Side, int] = field(default_factory=dict)
    """The ply to go back to that each side proposes."""
    outcome: Outcome | None = None
    clocks: Clocks | None = None
    positions: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.positions = [self.rules.initial()]
        self.clocks = None if self.control is None else Clocks.of(self.control)

    @classmethod
    def restored(
        cls, rules: AnyRules, control: Control | None, kept: KeptMoves, own: Side, now_ms: int
    ) -> KeptGame:
        """Return the game *kept*; its clock runs on from *now_ms*. Raises `ValueError`.

        The table of *own* begins to measure again now; the other one has never stopped.
        """
        game = cls(rules, control, outcome=kept.outcome)
        for move in kept.moves:
            position = game.positions[-1]
            game.positions.append(rules.apply(position, rules.read_move(position, move)))
        game.moves, game.draw_offers = list(kept.moves), set(kept.draw_offers)
        game.take_backs = dict(kept.take_backs)
        if game.clocks is not None:
            charged = kept.thought_ms if kept.running == own else 0
            reserves = tuple(
                replace(reserve, left_ms=max(0, left - charged * (side == own)))
                for side, (reserve, left) in enumerate(zip(game.clocks.reserves, kept.left_ms, strict=True))
            )
            game.clocks = replace(game.clocks, reserves=reserves)
            if kept.running is not None:
                since_ms = now_ms - kept.thought_ms + charged
                game.clocks = timing.started(game.clocks, kept.running, since_ms)
        return game

    def saved(self, now_ms: int) -> KeptMoves:
        """Return what `restored` needs; the clocks as they are at *now_ms*."""
        state, clocks = self.state(now_ms), self.clocks
        return KeptMoves(
            state.moves,
            state.draw_offers,
            tuple(sorted(self.take_backs.items())),
            self.outcome,
            () if clocks is None else tuple(reserve.left_ms for reserve in clocks.reserves),
            state.running,
            0 if clocks is None or state.running is None else timing.used_ms(clocks, now_ms),
        )

    @property
    def turn(self) -> Side:
        """The side to move."""
        side: Side = self.positions[-1].turn
        return side

    def state(self, now_ms: int) -> GameElsewhere:
        """Return the state at *now_ms*."""
        clocks = self.clocks
        left = (
            () if clocks is None else tuple(timing.reserve(clocks, side, now_ms).left_ms for side in (0, 1))
        )
        return GameElsewhere(
            moves=tuple(self.moves),
            draw_offers=tuple(sorted(self.draw_offers)),
            take_backs=tuple(sorted(self.take_backs)),
            outcome=self.outcome,
            clocks=left,
            running=None if clocks is None or self.outcome is not None else clocks.running,
        )

    def restart(self, side: Side, heard_ms: int, now_ms: int) -> None:
        """Charge *side*, if its time runs, for its thought until *heard_ms*.

        Its table was started again, and has forgotten that thought.
        """
        clocks = self.clocks
        if clocks is None or clocks.running != side or self.outcome is not None:
            return
        left_ms = timing.reserve(clocks, side, heard_ms).left_ms
        reserves = tuple(
            replace(reserve, left_ms=left_ms) if each == side else reserve
            for each, reserve in enumerate(clocks.reserves)
        )
        self.clocks = timing.started(replace(clocks, reserves=reserves), side, now_ms)

    def make(self, side: Side, ply: int, move: str, spent_ms: int, now_ms: int) -> None:
        """Make *move*, for which *side* has thought *spent_ms*. Raises `OnlineRefused`.

        A move that was made already is no error.
        """
        if self.moves[ply : ply + 1] == [move]:
            return
        if self.outcome is not None or ply != len(self.moves) or self.turn != side:
            raise OnlineRefused("the move {move} came too late", move=move)
        position = self.positions[-1]
        try:
            after = self.rules.apply(position, self.rules.read_move(position, move))
        except (NotationError, IllegalMoveError) as fault:
            raise OnlineRefused("the move {move} is not legal: {reason}", move=move, reason=fault) from fault
        self.moves.append(move)
        self.positions.append(after)
        self.draw_offers &= {side}
        self.take_backs.clear()
        self._switch(side, after.turn, max(0, spent_ms), now_ms)
        if (ended := outcome(self.rules, self.positions[:-1], after)) is not None:
            self._end(ended, now_ms)

    def offer_draw(self, side: Side, now_ms: int) -> None:
        """Offer, accept or claim a draw for *side*."""
        if self.outcome is not None:
            return
        claimed = None
        if side == self.turn:
            claimed = claim(self.rules, self.positions[:-1], self.positions[-1])
        self.draw_offers.add(side)
        if claimed is not None or len(self.draw_offers) > 1:
            self._end(claimed or Outcome((), "agreement"), now_ms)

    def decline_draw(self, side: Side) -> None:
        """Let *side* decline what the other has offered."""
        self.draw_offers &= {side}

    def resign(self, side: Side, now_ms: int) -> None:
        self._end(Outcome((1 - side,), "resignation"), now_ms)

    def flag(self, side: Side, now_ms: int) -> None:
        """End the game: the table of *side* has measured that its time is over."""
        rules = self.rules
        saved = rules.flagged(self.positions[-1], side) if isinstance(rules, FlagRules) else None
        self._end(saved or Outcome((1 - side,), "time"), now_ms)

    def take_back(self, side: Side, ply: int, now_ms: int) -> None:
        """Propose for *side* to go back to before *ply*, or agree to the other's proposal."""
        if self.outcome is not None or not 0 <= ply < len(self.moves):
            return
        agreed = self.take_backs.get(1 - side)
        if agreed is None:
            self.take_backs[side] = ply
            return
        del self.moves[agreed:], self.positions[agreed + 1 :]
        self.take_backs.clear()
        self.draw_offers.clear()
        if self.clocks is not None and self.clocks.running is not None:
            self.clocks = timing.passed(self.clocks, self.turn, now_ms)

    def _switch(self, side: Side, following: Side, spent_ms: int, now_ms: int) -> None:
        """Charge *side* with *spent_ms*, and start the clock of *following*."""
        clocks = self.clocks
        if clocks is None:
            return
        if clocks.running is None:
            self.clocks = timing.set_going(clocks, side, following, now_ms)
        else:
            thought = replace(clocks, since_ms=now_ms - spent_ms, thought_ms=0)
            self.clocks = timing.switched(thought, following, now_ms)

    def _end(self, ended: Outcome, now_ms: int) -> None:
        if self.outcome is None:
            self.outcome = ended
            if self.clocks is not None:
                self.clocks = timing.stopped(self.clocks, now_ms)

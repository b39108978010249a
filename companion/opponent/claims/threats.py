# SPDX-License-Identifier: Apache-2.0
"""What a move threatens, what it defends, and which pieces escape.

It is compared with a turn that is passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from companion.model.claims import Claim, ClaimKind
from companion.model.game import AnyRules
from companion.model.pieces import Piece
from companion.opponent.claims.budget import Budget
from companion.opponent.claims.ends import Ends
from companion.opponent.claims.exchange import exchange, exchanged
from companion.opponent.claims.material import Material
from companion.opponent.knowledge import Knowledge

_LEAST: Final = 100


class _Target(NamedTuple):
    """A piece on its cells."""

    piece: Piece
    cells: tuple[int, ...]


class Threats:
    """The threats before and after one move, between two sides."""

    def __init__(
        self, rules: AnyRules, knowledge: Knowledge[Any, Any], before: Any, move: Any, budget: Budget
    ) -> None:
        self._rules, self._knowledge = rules, knowledge
        self._before, self._move = before, move
        self._after = knowledge.after(before, move)
        self._side = before.turn
        self._own = Material(knowledge, (self._side,), budget.spend)
        self._others = Material(knowledge, (1 - self._side,), budget.spend)
        self._ends = Ends(knowledge, self._side, budget)
        self._plies = tuple(range(0, knowledge.claim_plies + 1, 2))
        self._moved = {
            step.source: step.target
            for step in rules.steps(before, move)
            if step.source and step.target  # also one that turns where it stands
        }

    def threatened(self) -> Iterator[Claim]:
        """What the mover would win if the other side passed, not before."""
        passed = self._knowledge.passed(self._after)
        if passed is None:
            return
        if self._ends.holds(passed, 1):
            if not self._ends.holds(self._before, 1):
                move = next(each for each in self._rules.legal_moves(passed) if self._is_win(passed, each))
                yield Claim(ClaimKind.THREATENS, line=(self._move,), threat=move)
            return
        found = self._won(self._own, passed)
        if found is not None:
            move, target = found
            if not self._is_old(passed, move, target):
                yield from self._threat(passed, move, target)

    def _is_old(self, passed: Any, threat: Any, target: _Target) -> bool:
        """True if the piece of *threat* could take *target* before, or another could win it."""
        acting = self._knowledge.acting(passed, threat)
        for move in self._takers(self._before, target):
            cells = self._knowledge.acting(self._before, move)
            if self._moved.get(cells, cells) == acting or self._wins(self._own, self._before, move):
                return True
        return False

    def _threat(self, passed: Any, threat: Any, target: _Target) -> Iterator[Claim]:
        """The claim that *threat* is threatened, which takes *target*, with what would be given."""
        swing = self._own.swing(passed, threat)
        following = self._knowledge.after(passed, threat)
        found = exchange(self._own, following, self._knowledge.gain_plies, _LEAST - swing)
        if found is not None:
            won, lost = exchanged(self._knowledge, passed, (threat, *found.line))
            given, worth = tuple(each.piece for each in lost), self._knowledge.worth_of
            is_won = any(each.cells == target.cells for each in won)
            if is_won and worth(target.piece) - sum(map(worth, given)) >= _LEAST:
                yield Claim(
                    ClaimKind.THREATENS,
                    (target.piece,),
                    given,
                    target.cells,
                    points=self._knowledge.points([target.piece], ()),
                    line=(self._move,),
                    threat=threat,
                )

    def _is_win(self, position: Any, move: Any) -> bool:
        return self._ends.holds(self._knowledge.after(position, move), 0)

    def _won(self, material: Material[Any, Any], position: Any) -> tuple[Any, _Target] | None:
        """The most valuable piece that the side to move wins, and how."""
        found: list[tuple[int, Any, _Target]] = []
        for move in self._knowledge.capturing(position):
            for target in self._targets(position, move):
                worth = self._knowledge.worth_of(target.piece)
                if all(worth > other for other, _, _ in found) and self._wins(material, position, move):
                    found.append((worth, move, target))
        return max(found, key=lambda each: each[0])[1:] if found else None

    def _targets(self, position: Any, move: Any) -> Sequence[_Target]:
        """The pieces of the side that is not to move that *move* takes."""
        side = position.turn
        return [
            _Target(piece, cells)
            for piece, owner, cells in self._knowledge.taken(position, move)
            if owner != side
        ]

    def _takers(self, position: Any, target: _Target) -> Iterator[Any]:
        """The moves that take a piece on the cells of *target*."""
        for move in self._knowledge.capturing(position):
            if any(set(each.cells) & set(target.cells) for each in self._targets(position, move)):
                yield move

    def _wins(self, material: Material[Any, Any], position: Any, move: Any) -> bool:
        """True if *move* wins material, at once as well as after some more plies."""
        return all(material.after(position, move, plies, _LEAST) >= _LEAST for plies in self._plies)

    def _may_win(self, position: Any, move: Any) -> bool:
        """True if *move* of the others may win material."""
        return any(self._others.after(position, move, plies, _LEAST) >= _LEAST for plies in self._plies)

    def defended(self) -> Iterator[Claim]:
        """The pieces that the others would have won and do not win any more."""
        passed = self._knowledge.passed(self._before)
        if passed is None:
            return
        moved = self._moved
        pieces: list[_Target] = []
        seen: set[tuple[int, ...]] = set()
        for move in self._knowledge.capturing(passed):
            for target in self._targets(passed, move):
                if target.cells not in seen and self._wins(self._others, passed, move):
                    seen.add(target.cells)
                    pieces.append(target)
        saved = [each for each in pieces if not self.is_lost(moved.get(each.cells, each.cells))]
        for kind, is_moved in ((ClaimKind.ESCAPES, True), (ClaimKind.DEFENDS, False)):
            found = [each for each in saved if (each.cells in moved) is is_moved and self._is_kept(each)]
            if found:
                found.sort(key=lambda each: -self._knowledge.worth_of(each.piece))
                cells = tuple(cell for each in found for cell in each.cells)
                yield Claim(kind, tuple(each.piece for each in found), cells=cells, line=(self._move,))

    def _is_kept(self, target: _Target) -> bool:
        """True if the mover still has *target* on the board after the move."""
        cells = self._moved.get(target.cells, target.cells)
        entry = self._rules.placement(self._after).entry_at(cells[0])
        if entry is None or entry[0].kind != target.piece.kind or entry[0].side != target.piece.side:
            return False
        return bool(self._knowledge.owner(self._after, entry[0], cells) == self._side)

    def is_lost(self, cells: Sequence[int]) -> bool:
        """True if the others may win what stands on *cells* after the move."""
        target = _Target(Piece(""), tuple(cells))
        return any(self._may_win(self._after, move) for move in self._takers(self._after, target))

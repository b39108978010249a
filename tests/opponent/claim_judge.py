# SPDX-License-Identifier: Apache-2.0
"""The judge of claims: it searches for itself whether a claim is true.

It shares nothing with the search of the claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.model.claims import Claim, ClaimKind
from companion.model.grid import Cell
from companion.model.pieces import Piece, Side
from companion.opponent.knowledge import SURE, WIN
from tests.opponent.plain_material import Table
from tests.opponent.plain_minimax import Minimax, TooLarge

LEAST: Final = 0.75
"""About the worth of the least piece."""
TWO_LEAST: Final = 1.75
MANY_MOVES: Final = 200
"""Of more moves each alternative is searched for one ply only."""
SEARCHED_WINS: Final = 3
"""Longer wins of Close Quarters are looked up in its tablebase."""


@dataclass(frozen=True)
class Verdict:
    """What the judge found; `is_true` is None if the search was too large."""

    is_true: bool | None
    why: str = ""


TRUE: Final = Verdict(True)


class Judge:
    """Judges claims about one position of a game."""

    def __init__(self, table: Table, position: Any, most_nodes: int) -> None:
        self.table = table
        self.position = position
        self.side: Side = position.turn
        self.other: Side = 1 - position.turn
        self.most_nodes = most_nodes
        self.search = Minimax(table, most_nodes)

    def judge(self, claim: Claim, together: Sequence[Claim]) -> Verdict:
        """The verdict on *claim*, one of those returned *together*."""
        fault = self._line_fault(claim)
        if fault:
            return Verdict(False, fault)
        self._renew(claim)
        by_kind: dict[ClaimKind, Callable[[Claim], Verdict]] = {
            ClaimKind.WINS: self._wins,
            ClaimKind.LOSES: self._loses,
            ClaimKind.MATE: self._mate,
            ClaimKind.MATED: self._mated,
            ClaimKind.THREATENS: self._threatens,
            ClaimKind.DEFENDS: self._keeps,
            ClaimKind.ESCAPES: self._keeps,
            ClaimKind.REACHES: self._reaches,
            ClaimKind.ONLY_MOVE: self._only_move,
            ClaimKind.DRAW: self._draw,
            ClaimKind.REFUTED: lambda each: self._refuted(each, together),
        }
        try:
            return by_kind[claim.kind](claim)
        except TooLarge:
            return Verdict(None, "too large")

    def _renew(self, claim: Claim) -> None:
        """A new search with all its nodes, that tries the line of *claim* first."""
        self.search = Minimax(self.table, self.most_nodes)
        position = self.position
        for move in claim.line:
            self.search.suggest(position, move)
            position = self.table.after(position, move)

    # lines

    def _line_fault(self, claim: Claim) -> str:
        """What is wrong with the moves of *claim*, or ""."""
        position = self.position
        if not claim.line:
            return "no line"
        for number, move in enumerate(claim.line):
            if move not in self.table.rules.legal_moves(position):
                return f"move {number + 1} of the line is illegal"
            position = self.table.after(position, move)
        return ""

    def _first(self, move: Any) -> tuple[Any, float]:
        """The position after *move* and what it brings."""
        after = self.table.after(self.position, move)
        return after, self.table.gain(self.position, move, after)

    def _end(self, line: Sequence[Any]) -> tuple[Any, float, Counter[str], Counter[str]]:
        """The end of *line*, what the mover has got, and the kinds taken and lost."""
        position, got = self.position, 0.0
        taken: Counter[str] = Counter()
        lost: Counter[str] = Counter()
        for move in line:
            for piece, cells in self.table.losses(position, move):
                is_own = self.table.owner(position, piece, cells) == self.side
                (lost if is_own else taken)[piece.kind] += 1
            after = self.table.after(position, move)
            gain = self.table.gain(position, move, after)
            got += gain if position.turn == self.side else -gain
            position = after
        return position, got, taken, lost

    def _deepest(self, ask: Callable[[int], bool], length: int) -> bool:
        """The answer at the *length* of a line and two plies more, if possible."""
        answer = ask(length - 1)
        for depth in (length, length + 1):
            try:
                answer = ask(depth)
            except TooLarge:
                break
        return answer

    def _content_fault(self, claim: Claim, pieces: Counter[str], given: Counter[str]) -> str:
        """How the pieces of *claim* differ from those that go along its line, or "".

        Pieces of one kind that are exchanged for each other may be left out.
        """
        said = Counter(piece.kind for piece in claim.pieces), Counter(piece.kind for piece in claim.given)
        if said in ((pieces, given), (pieces - given, given - pieces)):
            return ""
        return f"content: the line takes {dict(pieces)} for {dict(given)}"

    # material

    def _wins(self, claim: Claim) -> Verdict:
        after, gain = self._first(claim.line[0])
        end, got, taken, lost = self._end(claim.line)
        fault = self._content_fault(claim, taken, lost)
        if fault:
            return Verdict(False, fault)
        if not self.search.gets_calmly(end, self.side, LEAST, got):
            return Verdict(False, "hangs: a capture at the end of the line changes it")
        if self._deepest(lambda d: self.search.gets(after, self.side, LEAST, d, gain), len(claim.line)):
            return TRUE
        return Verdict(False, "a reply prevents it")

    def _loses(self, claim: Claim) -> Verdict:
        after, gain = self._first(claim.line[0])
        end, got, taken, lost = self._end(claim.line)
        fault = self._content_fault(claim, lost, taken)
        if fault:
            return Verdict(False, fault)
        if self.search.gets_calmly(end, self.side, -LEAST + 0.01, got):
            return Verdict(False, "hangs: a capture at the end of the line changes it")
        keep = 0.01 - LEAST
        if self._deepest(lambda d: self.search.gets(after, self.side, keep, d, gain), len(claim.line)):
            return Verdict(False, "the mover keeps its material")
        self._renew(claim)
        net = self._net(claim)
        others = self._others(claim)
        depth = 1 if len(others) > MANY_MOVES else min(len(claim.line), 3)
        for move in others:
            other, won = self._first(move)
            if self.search.gets(other, self.side, LEAST - net, depth, won):
                return TRUE
        return Verdict(False, "every other move loses as much")

    def _net(self, claim: Claim) -> float:
        """What the pieces of *claim* are worth, less what is given."""
        return sum(map(self.table.worth, claim.pieces)) - sum(map(self.table.worth, claim.given))

    def _others(self, claim: Claim) -> list[Any]:
        """The other legal moves."""
        return [move for move in self.table.moves(self.position) if move != claim.line[0]]

    # ends

    def _wins_in(self, position: Any, side: Side, count: int) -> bool:
        """True if *side* wins within *count* own moves."""
        exact = self.table.exact_value(position) if count > SEARCHED_WINS else None
        if exact is None:
            return self.search.wins(position, side, count)
        plies = 2 * count - (position.turn == side)
        return bool((exact if position.turn == side else -exact) >= WIN - plies)

    def _mate(self, claim: Claim) -> Verdict:
        after, _ = self._first(claim.line[0])
        if not self._wins_in(after, self.side, claim.count - 1):
            return Verdict(False, "a reply prevents it")
        if claim.count > 1 and self._wins_in(after, self.side, claim.count - 2):
            return Verdict(False, "it is faster")
        return self._ends_with(claim, self.side)

    def _ends_with(self, claim: Claim, side: Side) -> Verdict:
        """True if the line of *claim* shows the win of *side* in its count."""
        end, *_ = self._end(claim.line)
        length = 2 * claim.count - (side == self.side)
        if len(claim.line) < length:
            return (
                TRUE if self._wins_in(end, side, claim.count) else Verdict(False, "the line leaves the win")
            )
        return TRUE if self.table.is_won(end, side) else Verdict(False, "the line does not end with the win")

    def _mated(self, claim: Claim) -> Verdict:
        after, _ = self._first(claim.line[0])
        if not self._wins_in(after, self.other, claim.count):
            return Verdict(False, "the mover holds out")
        if self._wins_in(after, self.other, claim.count - 1):
            return Verdict(False, "it is faster")
        self._renew(claim)
        others = self._others(claim)
        if all(self._wins_in(self._first(move)[0], self.other, claim.count) for move in others):
            return Verdict(False, "every other move loses as fast")
        return self._ends_with(claim, self.other)

    def _draw(self, claim: Claim) -> Verdict:
        after, _ = self._first(claim.line[0])
        exact = self.table.exact_value(after)
        if exact is not None:
            return TRUE if exact == 0 else Verdict(False, f"the tablebase says {exact}")
        depth = len(claim.line) + 1
        both = all(self.search.avoids_loss(after, side, depth) for side in (self.side, self.other))
        return TRUE if both else Verdict(False, "no forced draw")

    # threats

    def _takers(self, position: Any, cells: Sequence[Cell]) -> Iterator[Any]:
        """The moves that take an enemy piece on one of *cells*."""
        for move in self.table.moves(position):
            if self.table.is_noisy(position, move):
                for piece, covered in self.table.losses(position, move):
                    is_enemy = self.table.owner(position, piece, covered) != position.turn
                    if is_enemy and set(covered) & set(cells):
                        yield move

    def _pays(self, position: Any, move: Any) -> bool:
        """True if *move* wins a least piece or the game."""
        after = self.table.after(position, move)
        gain = self.table.gain(position, move, after)
        return self.search.gets(after, position.turn, LEAST, 2, gain)

    def _is_taken(self, position: Any, cells: Sequence[Cell]) -> bool:
        """True if the side to move wins something by taking a piece on *cells*."""
        return any(self._pays(position, move) for move in self._takers(position, cells))

    def _threatens(self, claim: Claim) -> Verdict:
        after, _ = self._first(claim.line[0])
        table, threat = self.table, claim.threat
        if table.ended(after, table.moves(after)) is not None:
            return Verdict(False, "the game is over")
        again = table.passed(after)
        if again is None:
            return Verdict(False, "the other side is in check and cannot pass")
        if threat not in table.rules.legal_moves(again):
            return Verdict(False, "the threat is illegal")
        if table.wins_at_once(after):
            return Verdict(False, "the other side wins at once instead")
        then = table.after(again, threat)
        if not claim.pieces:
            if not any(self.search.wins(then, self.side, count) for count in range(3)):
                return Verdict(False, "the threat does not win the game")
            is_old = table.is_won(then, self.side) and table.wins_at_once(self.position)
            return Verdict(False, "it could be done before") if is_old else TRUE
        if not self._pays(again, threat):
            return Verdict(False, "the threat wins nothing")
        taken = [cell for _, cells in table.losses(again, threat) for cell in cells]
        if self._is_taken(self.position, taken or claim.cells):
            return Verdict(False, "it could be done before")
        return TRUE

    def _keeps(self, claim: Claim) -> Verdict:
        """DEFENDS and ESCAPES."""
        table, move = self.table, claim.line[0]
        entry = table.rules.placement(self.position).entry_at(claim.cells[0])
        if entry is None or table.owner(self.position, *entry) != self.side:
            return Verdict(False, "no own piece there")
        passing = table.passed(self.position)
        if passing is None:
            return Verdict(False, "the mover is in check and cannot pass")
        if not self._is_taken(passing, claim.cells):
            return Verdict(False, "it was not threatened")
        steps = table.rules.steps(self.position, move)
        moved = [step.target for step in steps if set(step.source) & set(entry[1])]
        if bool(moved) != (claim.kind is ClaimKind.ESCAPES):
            return Verdict(False, "the wrong kind: whether it has moved")
        after, _ = self._first(move)
        if table.ended(after, table.moves(after)) is not None:
            return TRUE
        cells = moved[0] if moved else entry[1]
        if not self._is_taken(after, cells):
            return TRUE
        takers = set(self._takers(after, cells))
        if any(
            table.is_noisy(after, other) and other not in takers and self._pays(after, other)
            for other in table.moves(after)
        ):
            return Verdict(None, "something else hangs, too")
        return Verdict(False, "it is still lost")

    def _reaches(self, claim: Claim) -> Verdict:
        after, _ = self._first(claim.line[0])
        cells = self.table.goal(self.position, claim.line[0], after)
        if not set(claim.cells) & set(cells):
            return Verdict(False, f"the cell does not matter; those that do: {cells}")
        if self.table.decided(after) is not None or not self._is_taken(after, claim.cells):
            return TRUE
        return Verdict(False, "it is lost at once")

    # choice

    def _only_move(self, claim: Claim) -> Verdict:
        after, gain = self._first(claim.line[0])
        if self._is_lost(after, gain, 0.01 - LEAST):
            return Verdict(False, "the move itself loses")
        others = self._others(claim)
        undecided = 0
        for move in others:
            self._renew(claim)
            other, won = self._first(move)
            try:
                if not self._is_lost(other, won, 0.01 - TWO_LEAST):
                    name = self.table.rules.write_move(self.position, move)
                    return Verdict(False, f"{name} does not lose")
            except TooLarge:
                undecided += 1
        return Verdict(None, "too large") if undecided else TRUE

    def _is_lost(self, after: Any, gain: float, keep: float) -> bool:
        """True if the mover loses the game or does not *keep* its material."""
        exact = self.table.exact_value(after)
        if exact is not None:
            return bool(exact > SURE)
        if any(self.search.wins(after, self.other, count) for count in (1, 2)):
            return True
        return not self._deepest(lambda d: self.search.gets(after, self.side, keep, d, gain), 2)

    def _refuted(self, claim: Claim, together: Sequence[Claim]) -> Verdict:
        kinds = (ClaimKind.LOSES, ClaimKind.MATED)
        beside = [each for each in together if each.kind in kinds]
        same = [each for each in beside if _content(each) == _content(claim)]
        if not same:
            return Verdict(False, "no LOSES or MATED of the same content beside it")
        if len(claim.line) < 2:
            return Verdict(False, "no refutation in the line")
        return self._loses(claim) if same[0].kind is ClaimKind.LOSES else self._mated(claim)


def _content(claim: Claim) -> tuple[tuple[Piece, ...], tuple[Piece, ...], int]:
    return claim.pieces, claim.given, claim.count

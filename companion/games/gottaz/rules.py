# SPDX-License-Identifier: Apache-2.0
"""The rules of GOTTAZ: positions, actions, battles, limits.

A piece on the board is a code: 0 for none, else 1 + side * faces + face,
a face being 2 * pawn + (0 weaker, 1 stronger).
Limits are tested on the board *before* the battle:
the arriving pawn counts, and so does the one it will fight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from companion.games._shared.announce import called_out
from companion.games.gottaz.pawns import SHARES, Pawn, load_pool, load_ten
from companion.model.game import Announcement, CallOut, Outcome
from companion.model.grid import OFF, Cell, Grid, rectangle
from companion.model.pieces import Side

GRID: Final = rectangle(5, 5)
CENTRE: Final = range(10, 15)
TERRITORIES: Final = (range(5), range(20, 25))
LIMIT: Final = 8
GOAL: Final = 3
TEN: Final = 10
CHOSEN: Final = ("common", "free-choice", "draft")
"""Values of `pawns` under which pawns are chosen before the first turn."""

PLACE, MOVE, LEAP, SLANT, JUMP, SWAP, TSUNAMI, ROTATE, PASS, PICK = range(10)
"""Kinds of actions; of several with the same result the first is kept."""
_KIND_OF: Final = {
    "leap": LEAP,
    "slant": SLANT,
    "jump": JUMP,
    "swap": SWAP,
    "tsunami": TSUNAMI,
    "rotate": ROTATE,
}

Move: TypeAlias = tuple[int, int, int]
"""(kind, what, where).

A face and a cell for PLACE, a pawn for PICK, else two cells.
"""


class GameState(NamedTuple):
    """A position."""

    turn: Side
    board: bytes
    """Code of the piece on each cell."""
    hands: tuple[bytes, bytes]
    """Number of each pawn in each side's hand."""
    winner: int = OFF
    """The side whose own action put three of its pawns into the centre row."""


class Change(NamedTuple):
    """A board before its battle."""

    board: bytes
    arrivals: tuple[tuple[Cell, int], ...]
    """Pieces that have entered a cell, by code; an enemy may still be there."""
    gains: tuple[tuple[Side, int], ...]
    """Rows, by side, whose sum may have grown."""


class Battle(NamedTuple):
    """Attacker, defender, and the strength of each side."""

    cell: Cell
    attacker: int
    defender: int
    strengths: tuple[int, int]


class GottazBoard:
    """Legal actions under chosen options; the base of the other rules."""

    slug = "gottaz"
    grid: Grid = GRID
    sides = ("first", "second")
    allows_take_back = True

    def __init__(self, options: Mapping[str, str], first: Side) -> None:
        """Rules under *options*; *first* moves first."""
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        way = options["pawns"]
        self.is_chosen = way in CHOSEN
        listed = (
            load_pool(options["pool"], is_draft=way == "draft") if self.is_chosen else load_ten(way)
        ).pawns
        self.pawns: tuple[Pawn, ...] = tuple(dict.fromkeys(listed))
        self.copies = tuple(listed.count(pawn) for pawn in self.pawns)
        self.faces = tuple(face for pawn in self.pawns for face in pawn.faces)
        self._span = len(self.faces)
        empty = bytes(len(self.pawns))
        full = bytes(self.copies)
        self._start = GameState(first, bytes(25), (empty, empty) if self.is_chosen else (full, full))
        every = range(8) if options["adjacency"] == "all-eight" else range(0, 8, 2)
        self._beside = tuple(
            tuple(GRID.steps[way][cell] for way in every if GRID.steps[way][cell] != OFF)
            for cell in range(25)
        )
        self._strength = (0, *(face.strength for _ in range(2) for face in self.faces))
        self._supply = (0, *(int(face.ability == "supply") for _ in range(2) for face in self.faces))
        self._support = (0, *(int(face.ability == "support") for _ in range(2) for face in self.faces))

    def initial(self) -> GameState:
        """An empty board; the hands are full, or empty before the choice of pawns."""
        return self._start

    # pieces

    def code(self, side: Side, face: int) -> int:
        """The code of a piece."""
        return 1 + side * self._span + face

    def owner(self, code: int) -> Side:
        """The side of a piece."""
        return (code - 1) // self._span

    def face(self, code: int) -> int:
        """The face that is up."""
        return (code - 1) % self._span

    def ability(self, code: int) -> str:
        """The ability of the face that is up."""
        return self.faces[self.face(code)].ability

    # rows

    def row_sum(self, board: bytes, side: Side, row: int, arrivals: tuple[tuple[Cell, int], ...] = ()) -> int:
        """The total strength of *side*'s pawns in *row* (0 to 4), *arrivals* included."""
        return sum(self._strength[code] for code in self._own(board, side, row, arrivals))

    def row_limit(
        self, board: bytes, side: Side, row: int, arrivals: tuple[tuple[Cell, int], ...] = ()
    ) -> int:
        """The limit of the row's strength: 8, plus 1 per own Supply pawn."""
        return LIMIT + sum(self._supply[code] for code in self._own(board, side, row, arrivals))

    def _own(
        self, board: bytes, side: Side, row: int, arrivals: tuple[tuple[Cell, int], ...]
    ) -> Iterator[int]:
        """Codes of *side*'s pieces in *row*."""
        for code in board[row * 5 : row * 5 + 5]:
            if code and self.owner(code) == side:
                yield code
        for cell, code in arrivals:
            if cell // 5 == row and self.owner(code) == side:
                yield code

    def overfull(self, change: Change) -> tuple[Side, int] | None:
        """The first row that *change* would put over its limit, as (side, row), or None.

        Only rows that gain strength are tested:
        a Supply pawn that leaves takes with it at least the 1 it allowed,
        so that no row is ever over its limit,
        and a rule about leaving Supply pawns would decide nothing.
        """
        for side, row in change.gains:
            total = self.row_sum(change.board, side, row, change.arrivals)
            if total > self.row_limit(change.board, side, row, change.arrivals):
                return side, row
        return None

    # actions

    def change(self, position: GameState, move: Move) -> Change:
        """The board after the hands' part of *move*, before any battle."""
        kind, what, where = move
        board = bytearray(position.board)
        if kind == PLACE:
            code = self.code(position.turn, what)
            return Change(bytes(board), ((where, code),), ((position.turn, where // 5),))
        code = board[what]
        if kind == ROTATE:
            board[what] = self.code(self.owner(code), self.face(code) ^ 1)
            return Change(bytes(board), (), ((position.turn, what // 5),))
        if kind == SWAP:
            other = board[where]
            board[what], board[where] = other, code
            both = ((self.owner(code), where // 5), (self.owner(other), what // 5))
            return Change(bytes(board), (), both if what // 5 != where // 5 else ())
        source = self.ahead(position.turn, what, 1) if kind == TSUNAMI else what
        code, board[source] = board[source], 0
        return Change(
            bytes(board),
            ((where, code),),
            ((self.owner(code), where // 5),) if source // 5 != where // 5 else (),
        )

    def battle(self, change: Change) -> Battle | None:
        """The battle that *change* causes, or None."""
        for cell, attacker in change.arrivals:
            defender = change.board[cell]
            if defender:
                helped = (True, self.options["defender_support"] == "yes")
                strengths = [
                    self._strength[code] + (self._support_for(change.board, cell, code) if may else 0)
                    for code, may in zip((attacker, defender), helped, strict=True)
                ]
                return Battle(cell, attacker, defender, (strengths[0], strengths[1]))
        return None

    def _support_for(self, board: bytes, cell: Cell, fighter: int) -> int:
        """The number of Support pawns of the fighter's side beside *cell*."""
        side = self.owner(fighter)
        return sum(
            self._support[board[at]]
            for at in self._beside[cell]
            if board[at] and self.owner(board[at]) == side
        )

    def ahead(self, side: Side, cell: Cell, distance: int) -> Cell:
        """The cell *distance* rows ahead of *cell* for *side*, or OFF."""
        target = cell + (5 * distance if side == 0 else -5 * distance)
        return target if 0 <= target < 25 else OFF

    def apply(self, position: GameState, move: Move) -> GameState:
        """The position after *move*."""
        kind, what, _ = move
        side = position.turn
        if kind == PASS:
            return position._replace(turn=1 - side)
        hands = [bytearray(hand) for hand in position.hands]
        if kind == PICK:
            for each in (0, 1) if self.options["pawns"] == "common" else (side,):
                hands[each][what] += 1
            return position._replace(turn=1 - side, hands=(bytes(hands[0]), bytes(hands[1])))
        change = self.change(position, move)
        if kind == PLACE:
            hands[side][what // 2] -= 1
        board = bytearray(change.board)
        for cell, code in change.arrivals:
            board[cell] = code
        fight = self.battle(change)
        if fight is not None:
            attack, defence = fight.strengths
            losers = ([fight.attacker] if attack <= defence else []) + (
                [fight.defender] if defence <= attack else []
            )
            for code in losers:
                hands[self.owner(code)][self.face(code) // 2] += 1
            board[fight.cell] = (
                0 if len(losers) == 2 else fight.attacker if attack > defence else fight.defender
            )
        winner = OFF if kind == PLACE else self._winner(bytes(board), side)
        return GameState(1 - side, bytes(board), (bytes(hands[0]), bytes(hands[1])), winner)

    def _winner(self, board: bytes, side: Side) -> int:
        """*side* if enough of its pawns are in the centre row, else OFF."""
        count = sum(1 for code in board[10:15] if code and self.owner(code) == side)
        return side if count >= GOAL else OFF

    def legal_moves(self, position: GameState) -> list[Move]:
        """All legal actions, one per resulting position."""
        if position.winner != OFF:
            return []
        if self.is_choosing(position):
            return sorted(self._picks(position))
        found: dict[GameState, Move] = {}
        for move in sorted(self.candidates(position)):
            if self.overfull(self.change(position, move)) is None:
                after = self.apply(position, move)
                if (after.board, after.hands) != (position.board, position.hands):
                    found.setdefault(after, move)
        if not found and self.options["no_move"] == "pass":
            return [(PASS, 0, 0)]
        return list(found.values())

    def is_choosing(self, position: GameState) -> bool:
        """True while pawns are chosen from the pool."""
        return self.is_chosen and not any(position.board) and sum(map(sum, position.hands)) < 2 * TEN

    def _picks(self, position: GameState) -> Iterator[Move]:
        """Pawns that the side to move may choose: at most its share of each strength.

        A common pawn is chosen for both hands.
        """
        own, other = position.hands[position.turn], position.hands[1 - position.turn]
        for index, pawn in enumerate(self.pawns):
            is_taken = own[index] == self.copies[index] or (other[index] and self.options["pawns"] == "draft")
            strength = pawn.weak.strength
            count = sum(n for n, kin in zip(own, self.pawns, strict=True) if kin.weak.strength == strength)
            if not is_taken and count < SHARES[strength]:
                yield PICK, index, 0

    def candidates(self, position: GameState) -> Iterator[Move]:
        """Actions of a valid shape; limits are not checked."""
        side, board = position.turn, position.board
        for index, count in enumerate(position.hands[side]):
            if count:
                for cell in TERRITORIES[side]:
                    if self._may_place(board, side, cell):
                        yield from ((PLACE, 2 * index + face, cell) for face in (0, 1))
        for cell, code in enumerate(board):
            if code and self.owner(code) == side:
                yield from ((MOVE, cell, target) for target in self._reach(board, side, cell, range(0, 8, 2)))
                kind = _KIND_OF.get(self.ability(code))
                if kind is not None:
                    yield from (
                        (kind, cell, target) for target in self._ability_targets(board, side, cell, kind)
                    )

    def _may_place(self, board: bytes, side: Side, cell: Cell) -> bool:
        """True if a pawn may be placed on *cell* of the own territory."""
        if not board[cell]:
            return True
        return self.options["enter_occupied_territory"] == "battle" and self.owner(board[cell]) != side

    def _reach(self, board: bytes, side: Side, cell: Cell, ways: range) -> Iterator[Cell]:
        """Neighbours of *cell* without a pawn of *side*."""
        for way in ways:
            target = GRID.steps[way][cell]
            if target != OFF and not (board[target] and self.owner(board[target]) == side):
                yield target

    def _ability_targets(self, board: bytes, side: Side, cell: Cell, kind: int) -> Iterator[Cell]:
        """Targets of the action ability *kind* of the pawn on *cell*."""
        if kind == ROTATE:
            yield cell
        elif kind == SWAP:
            yield from (at for at in self._beside[cell] if board[at])
        elif kind == SLANT:
            yield from self._reach(board, side, cell, range(1, 8, 2))
        elif kind == JUMP:
            yield from (at for at in TERRITORIES[side] if not (board[at] and self.owner(board[at]) == side))
        elif kind == LEAP:
            yield from self._leaps(board, side, cell)
        else:
            pushed, target = self.ahead(side, cell, 1), self.ahead(side, cell, 3)
            is_pushable = target != OFF and board[pushed]
            if is_pushable and not (board[target] and self.owner(board[target]) == self.owner(board[pushed])):
                yield target

    def _leaps(self, board: bytes, side: Side, cell: Cell) -> Iterator[Cell]:
        """Cells exactly two away in a straight line."""
        for way in range(0, 8, 2):
            over = GRID.steps[way][cell]
            target = GRID.steps[way][over] if over != OFF else OFF
            is_free = target != OFF and not (board[target] and self.owner(board[target]) == side)
            if is_free and (self.options["leap_over"] == "yes" or not board[over]):
                yield target

    # outcome

    def status(self, position: GameState) -> Outcome | None:
        """A win by three in the centre; by agreement, a loss without actions."""
        if position.winner != OFF:
            return Outcome((position.winner,), "centre")
        if self.options["no_move"] == "loss" and not self.legal_moves(position):
            return Outcome((1 - position.turn,), "no-move")
        return None

    def announcements(self, position: GameState) -> tuple[Announcement, ...]:
        """ESCAPE! if the last mover could have three in the centre next turn."""
        if position.winner != OFF or self.is_choosing(position):
            return ()
        side = 1 - position.turn
        again = position._replace(turn=side)
        winning = [move for move in self.legal_moves(again) if self.apply(again, move).winner == side]
        if not winning:
            return ()
        causes = sorted({what for _, what, _ in winning})  # placing and passing never win
        return called_out(self.options, [Announcement(CallOut.ESCAPE, side, tuple(causes), tuple(CENTRE))])

# SPDX-License-Identifier: Apache-2.0
"""The rules of GOTTAZ: positions, actions, battles, limits.

Limits are tested on the board *before* the battle:
the arriving pawn counts, and so does the one it will fight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from companion.games._shared.announce import called_out
from companion.games.gottaz.actions import Actions
from companion.games.gottaz.pawns import SHARES, Pawn, load_pool, load_ten
from companion.games.gottaz.state import (
    CENTRE,
    CHOSEN,
    GOAL,
    GRID,
    LIMIT,
    PASS,
    PICK,
    PLACE,
    ROTATE,
    SWAP,
    TEN,
    TSUNAMI,
    Battle,
    Change,
    GameState,
    Move,
    ahead,
)
from companion.model.game import Announcement, CallOut, Outcome
from companion.model.grid import OFF, Cell, Grid
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Side

_CENTRE_ROW: Final = occupancy_of(CENTRE)


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
        self.actions = Actions(self.faces, options)
        self._owners = self.actions.owners

    def initial(self) -> GameState:
        """An empty board; the hands are full, or empty before the choice of pawns."""
        return self._start

    # pieces

    def code(self, side: Side, face: int) -> int:
        """The code of a piece."""
        return 1 + side * self._span + face

    def owner(self, code: int) -> Side:
        """The side of a piece."""
        return self._owners[code]

    def face(self, code: int) -> int:
        """The face that is up."""
        return (code - 1) % self._span

    def ability(self, code: int) -> str:
        """The ability of the face that is up."""
        return self.faces[self.face(code)].ability

    @property
    def enters(self) -> bool:
        """True if a pawn may be placed on an enemy."""
        return self.options["enter_occupied_territory"] == "battle"

    # rows

    def row_sum(self, board: bytes, side: Side, row: int, arrivals: tuple[tuple[Cell, int], ...] = ()) -> int:
        """The total strength of *side*'s pawns in *row* (0 to 4), *arrivals* included."""
        return sum(self.actions.strength[code] for code in self._own(board, side, row, arrivals))

    def row_limit(
        self, board: bytes, side: Side, row: int, arrivals: tuple[tuple[Cell, int], ...] = ()
    ) -> int:
        """The limit of the row's strength: 8, plus 1 per own Supply pawn."""
        return LIMIT + sum(self.actions.supply[code] for code in self._own(board, side, row, arrivals))

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
        if kind == PLACE:
            code = self.code(position.turn, what)
            return Change(position.board, ((where, code),), ((position.turn, where // 5),))
        board = bytearray(position.board)
        code = board[what]
        if kind == ROTATE:
            board[what] = self.actions.turned(code)
            return Change(bytes(board), (), ((position.turn, what // 5),))
        if kind == SWAP:
            other = board[where]
            board[what], board[where] = other, code
            both = ((self.owner(code), where // 5), (self.owner(other), what // 5))
            return Change(bytes(board), (), both if what // 5 != where // 5 else ())
        source = ahead(position.turn, what, 1) if kind == TSUNAMI else what
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
                return Battle(cell, attacker, defender, self.actions.strengths(change.board, cell, attacker))
        return None

    def apply(self, position: GameState, move: Move) -> GameState:
        """The position after *move*."""
        kind, what, where = move
        side, board, hands, winner = position
        if kind == PASS:
            return GameState(1 - side, board, hands, winner)
        if kind == PICK:
            each = (0, 1) if self.options["pawns"] == "common" else (side,)
            return GameState(1 - side, board, _changed(hands, [(to, what, 1) for to in each]), winner)
        cells = bytearray(board)
        if kind == ROTATE:
            cells[what] = self.actions.turned(board[what])
        elif kind == SWAP:
            cells[what], cells[where] = board[where], board[what]
        else:
            hands = self._arrive(position, move, cells)
        after = bytes(cells)
        return GameState(1 - side, after, hands, OFF if kind == PLACE else self._winner(after, side))

    def _arrive(self, position: GameState, move: Move, cells: bytearray) -> tuple[bytes, bytes]:
        """The hands after *move*, which is carried out on *cells* with its battle."""
        kind, what, where = move
        side, board, hands, _ = position
        if kind == PLACE:
            source, code = OFF, self.code(side, what)
            hands = _changed(hands, [(side, what // 2, -1)])
        else:
            source = ahead(side, what, 1) if kind == TSUNAMI else what
            code, cells[source] = board[source], 0
        defender = board[where]
        if not defender:
            cells[where] = code
            return hands
        attack, defence = self.actions.strengths(board, where, code, source)
        cells[where] = 0 if attack == defence else code if attack > defence else defender
        losers = ([code] if attack <= defence else []) + ([defender] if defence <= attack else [])
        return _changed(hands, [(self.owner(code), self.face(code) // 2, 1) for code in losers])

    def _winner(self, board: bytes, side: Side) -> int:
        """*side* if enough of its pawns are in the centre row, else OFF."""
        return side if self._in_centre(board, side) >= GOAL else OFF

    def _in_centre(self, board: bytes, side: Side) -> int:
        """The number of pawns of *side* in the centre row."""
        owners = self._owners
        return [owners[code] for code in board[10:15]].count(side)

    def legal_moves(self, position: GameState) -> list[Move]:
        """All legal actions, one per resulting position."""
        if self.is_choosing(position) and position.winner == OFF:
            return sorted(self._picks(position))
        moves = self.moves_touching(position, -1)
        if not moves and position.winner == OFF and self.options["no_move"] == "pass":
            return [(PASS, 0, 0)]
        return moves

    def moves_touching(self, position: GameState, cells: Occupancy) -> list[Move]:
        """The legal actions with a step from or to *cells*, in `legal_moves` order."""
        if position.winner != OFF or self.is_choosing(position):
            return []
        return self.actions.legal(position, cells)

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
        return self.actions.candidates(position)

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
        own = self._in_centre(position.board, side)
        if own < GOAL - 1:
            return ()  # an action brings one pawn at most
        again = position._replace(turn=side)
        moves = self.actions.legal(again, _CENTRE_ROW if own < GOAL else -1)
        winning = [move for move in moves if self.apply(again, move).winner == side]
        if not winning:
            return ()
        causes = sorted({what for _, what, _ in winning})  # placing and passing never win
        return called_out(self.options, [Announcement(CallOut.ESCAPE, side, tuple(causes), tuple(CENTRE))])


def _changed(hands: tuple[bytes, bytes], changes: Iterable[tuple[Side, int, int]]) -> tuple[bytes, bytes]:
    """*hands* after *changes*: side, pawn, and by how many it changes."""
    after = [bytearray(hand) for hand in hands]
    for side, pawn, more in changes:
        after[side][pawn] += more
    return bytes(after[0]), bytes(after[1])

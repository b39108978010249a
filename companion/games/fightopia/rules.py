# SPDX-License-Identifier: Apache-2.0
"""Fightopia under chosen options."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Final

from companion.games._shared.announce import called_out
from companion.games._shared.chequered import dark_cells
from companion.games.fightopia import notation
from companion.games.fightopia.board import (
    AIMS,
    BIT,
    BLOCK,
    BLOCK_CELLS,
    CORNER_OF,
    DRIVE,
    EDGE,
    GIANT_WAYS,
    GOALS,
    GRID,
    KILL,
    NEIGHBOURS,
    PAIR,
    PAIR_CELLS,
    PASS,
    PAWN_MOVES,
    SHOOT,
    STANCE_OF,
    STEP,
    Army,
    Battle,
    Move,
    apply,
    covered,
    flip_tank,
    move_of,
    stances,
    tank_ways,
)
from companion.games.fightopia.explain import explain
from companion.model.game import Announcement, CallOut, InvalidPosition, Outcome, Region, Violation
from companion.model.grid import OFF, Grid
from companion.model.moves import Step
from companion.model.observation import Difference
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Piece, Side
from companion.model.placement import Entry, Placement

_START: Final = "vppggppv/v1pggp1v/2pppp2/8/8/2PPPP2/V1PGGP1V/VPPGGPPV w"
_TANKS: Final = 2
_PAWNS: Final = 10


class FightopiaRules:
    """Fightopia under chosen options."""

    slug = "fightopia"
    grid: Grid = GRID
    sides = ("white", "black")
    allows_take_back = True
    standins: Mapping[str, str] = MappingProxyType({"pawn": "PNpn", "tank": "RBrb", "giant": "KQkq"})

    def __init__(self, options: Mapping[str, str], first: Side) -> None:
        """Rules under *options*; *first* moves first."""
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self._tank_ways = tank_ways(swept=options["pivot_clearance"] == "swept")
        self._start = notation.read_position(_START)._replace(turn=first)
        self._passes = options["no_move"] == "pass"

    def initial(self) -> Battle:
        """The printed start position."""
        return self._start

    # moves

    def legal_moves(self, position: Battle) -> list[Move]:
        """All legal moves in rising order of action, source and target."""
        if _winner(position) is not None:
            return []
        moves = self._moves(position)
        return moves if moves or not self._passes else [move_of(PASS, 0, 0)]

    def _moves(self, position: Battle) -> list[Move]:
        """Moves of the side to move, even if the game is over."""
        turn, white, black = position
        own, enemy = (black, white) if turn else (white, black)
        occupied = covered(white) | covered(black)
        moves: list[Move] = []
        pawns = own.pawns
        while pawns:
            cell = pawns.bit_length() - 1
            pawns ^= BIT[cell]
            moves += PAWN_MOVES[cell][NEIGHBOURS[cell] & ~occupied]
        moves += [move for clear, move in GIANT_WAYS[own.giant] if not clear & occupied]
        shot = 0
        for stance in stances(own):
            moves += [move for clear, move in self._tank_ways[stance] if not clear & occupied]
            line, met = AIMS[stance]
            shot |= met[occupied & line]
        moves += [move_of(SHOOT, 0, cell) for cell in cells_of(shot & enemy.pawns)]
        moves += [move_of(KILL, 0, stance) for stance in _in_reach(own, enemy)]
        moves.sort()
        return moves

    def apply(self, position: Battle, move: Move) -> Battle:
        """The position after *move*."""
        return apply(position, move)

    # outcome and threats

    def status(self, position: Battle) -> Outcome | None:
        """The outcome, or None.

        Under `no_move=pass` both sides are never without moves:
        with 28 empty cells or more, one can always act.
        """
        won = _winner(position)
        if won is not None:
            return won
        if self.legal_moves(position):
            return None
        winners = (1 - position.turn,) if self.options["no_move"] == "loss" else ()
        return Outcome(winners, "no-move")

    def announcements(self, position: Battle) -> tuple[Announcement, ...]:
        """CHECK! if the last tank could be killed, ESCAPE! if the giant could cross.

        Both on the next turn of the side that has just moved.
        """
        if self.status(position) is not None:
            return ()
        side = 1 - position.turn
        own, enemy = (position.black, position.white) if side else (position.white, position.black)
        causes = tuple(sorted(BLOCK_CELLS[own.giant]))
        found = []
        tanks = stances(enemy)
        if len(tanks) == 1 and _in_reach(own, enemy):
            found.append(Announcement(CallOut.CHECK, side, causes, PAIR_CELLS[tanks[0]]))
        occupied, goal = covered(own) | covered(enemy), 0
        for clear, move in GIANT_WAYS[own.giant]:
            goal |= 0 if clear & occupied else BLOCK[move & 127] & GOALS[side]
        if goal:
            found.append(Announcement(CallOut.ESCAPE, side, causes, tuple(cells_of(goal))))
        return called_out(self.options, found)

    # pieces

    def regions(self) -> tuple[Region, ...]:
        """The dark cells."""
        return (dark_cells(self.grid),)

    def placement(self, position: Battle) -> Placement:
        """The pieces and their cells; a tank covers two, a giant four."""
        entries: list[Entry] = []
        for side, army in enumerate((position.white, position.black)):
            entries += [(Piece("pawn", side), (cell,)) for cell in cells_of(army.pawns)]
            entries += [(Piece("tank", side), PAIR_CELLS[stance]) for stance in stances(army)]
            entries.append((Piece("giant", side), BLOCK_CELLS[army.giant]))
        return Placement(tuple(entries))

    def steps(self, position: Battle, move: Move) -> tuple[Step, ...]:
        """The step of the piece that moves or is removed."""
        turn = position.turn
        deed, source, target = move >> 14, move >> 7 & 127, move & 127
        if deed == STEP:
            return (Step.move(Piece("pawn", turn), source, target),)
        if deed == SHOOT:
            return (Step.remove(Piece("pawn", 1 - turn), target),)
        if deed == KILL:
            return (Step.remove(Piece("tank", 1 - turn), *PAIR_CELLS[target]),)
        if deed == PASS:
            return ()
        kind, cells = ("tank", PAIR_CELLS) if deed == DRIVE else ("giant", BLOCK_CELLS)
        piece = Piece(kind, turn)
        return (Step(piece, cells[source], cells[target], piece),)

    def explain(self, position: Battle, difference: Difference) -> Violation:
        """The rule that *difference* breaks."""
        if not self.legal_moves(position):
            return Violation.of("game-over")
        return explain(self.options, position, self.placement(position), difference)

    def adopt(self, placement: Placement, turn: Side, before: Battle) -> Battle | InvalidPosition:
        """The position with *placement* and *turn* to move.

        All of a Fightopia position is visible, so *before* is not used.
        """
        armies = [Army(0, 0, 0, OFF), Army(0, 0, 0, OFF)]
        reasons = []
        for piece, cells in placement.entries:
            army = (
                None if piece.side is None else _enlist(armies[piece.side], piece.kind, occupancy_of(cells))
            )
            if army is None or piece.side is None:
                name = GRID.name(cells[0])
                reasons.append(Violation.of("piece-unknown", *cells, piece=piece, cell=name))
            else:
                armies[piece.side] = army
        missing = [side for side, army in enumerate(armies) if army.giant == OFF]
        reasons += [Violation.of("giant-missing", piece=Piece("giant", side)) for side in missing]
        return InvalidPosition(tuple(reasons)) if reasons else Battle(turn, armies[0], armies[1])

    # text

    def key(self, position: Battle) -> Hashable:
        """A value equal for repeated positions: pieces, cells and side to move."""
        return position

    def write_move(self, position: Battle, move: Move) -> str:
        """*move* in the form that `notation` describes, with its suffix.

        `#` is the end, `!` CHECK!, `>` ESCAPE!.
        """
        after = apply(position, move)
        marks = {CallOut.CHECK: "!", CallOut.ESCAPE: ">"}
        cries = "".join(marks[announcement.cry] for announcement in self.announcements(after))
        return notation.readings(position, move)[0] + ("#" if self.status(after) else cries)

    def read_move(self, position: Battle, text: str) -> Move:
        """The legal move that *text* denotes; suffixes are optional. Raises `NotationError`."""
        return notation.read_move(position, text, self.legal_moves(position))

    def write_position(self, position: Battle) -> str:
        """*position* as one line.

        >>> from companion.games.fightopia import GAME
        >>> GAME.rules().write_position(GAME.rules().initial())
        'vppggppv/v1pggp1v/2pppp2/8/8/2PPPP2/V1PGGP1V/VPPGGPPV w'
        """
        return notation.write_position(position)

    def read_position(self, text: str) -> Battle:
        """The position that *text* denotes. Raises `NotationError`."""
        return notation.read_position(text)


def _in_reach(own: Army, enemy: Army) -> list[int]:
    """The stances of enemy tanks that share an edge with the own giant."""
    edge = EDGE[own.giant]
    standing, lying = enemy.standing, enemy.lying
    if not edge & (standing | standing << 8 | lying | lying << 1):
        return []
    return [stance for stance in stances(enemy) if PAIR[stance] & edge]


def _winner(position: Battle) -> Outcome | None:
    """The outcome after a giant's crossing or the loss of all tanks, or None."""
    for side, (own, enemy) in enumerate(((position.white, position.black), (position.black, position.white))):
        if BLOCK[own.giant] & GOALS[side]:
            return Outcome((side,), "giant-across")
        if not enemy.standing | enemy.lying:
            return Outcome((side,), "tanks-killed")
    return None


def _enlist(army: Army, kind: str, cells: Occupancy) -> Army | None:
    """*army* with one more piece, or None.

    None if the kind is unknown, the cells do not form such a piece, or there are too many.
    """
    if kind == "pawn" and cells.bit_count() == 1 and army.pawns.bit_count() < _PAWNS:
        return army._replace(pawns=army.pawns | cells)
    if kind == "tank" and cells in STANCE_OF and len(stances(army)) < _TANKS:
        return flip_tank(army, STANCE_OF[cells])
    if kind == "giant" and cells in CORNER_OF and army.giant == OFF:
        return army._replace(giant=CORNER_OF[cells])
    return None

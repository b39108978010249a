# SPDX-License-Identifier: Apache-2.0
"""Martian Chess for two to six players; most points win.

A piece belongs to the player in whose zone it is.

    8  q q d .       q Queen 3 points, d Drone 2, p Pawn 1
    7  q d p .
    6  d p p .       two players: the second owns ranks 5 to 8, the first ranks 1 to 4
    ...
    3  . p p d
    2  . p d q
    1  . d q q

Source: Andrew Looney, *How to Play Martian Chess* (Looney Labs),
with its official FAQ for the no-undo rule.
Not settled there: wedge boards, stalled games and the options below, the default first.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final

from companion.games._shared.first import beginner, first
from companion.games.martian_chess.reasons import explain
from companion.games.martian_chess.rules import CALL, NOBODY, Code, GameState, Move
from companion.games.martian_chess.text import LETTERS, MartianText, shown
from companion.games.martian_chess.zones import board_for
from companion.model.game import Count, InvalidPosition, Option, Region, RetiredOption, Violation, choose
from companion.model.moves import Step
from companion.model.observation import Difference, SensorKind
from companion.model.phrase import Phrase
from companion.model.pieces import Figure, Piece, Side
from companion.model.placement import Placement

_KINDS: Final = ("", "pawn", "drone", "queen")
_PIECES: Final = {code: Piece(_KINDS[code & 3], shows=_KINDS[code >> 2] or None) for code in LETTERS}
_CODES: Final = {piece: code for code, piece in _PIECES.items()}


class MartianRules(MartianText):
    """Martian Chess under chosen options: hands and sensors, on top of moves and texts."""

    def box(self) -> tuple[Figure, ...]:
        """Three pieces of each kind per player, set by set.

        Tags for many players therefore serve fewer players, too.
        """
        kinds = [kind for kind in _KINDS[1:] for _ in range(3)]
        return tuple(Figure((Piece(kind),)) for _ in self.sides for kind in kinds)

    def regions(self) -> tuple[Region, ...]:
        """The zones, which the canals separate."""
        return tuple(Region(zone, side=side) for side, zone in enumerate(self.layout.zones))

    def scores(self, position: GameState) -> tuple[int, ...]:
        """The points of the captures of each player."""
        return position.scores

    def counts(self, position: GameState) -> tuple[Count, ...]:
        """The moves without a capture after which a stalled game ends, once there are any."""
        left = self.limit - position.quiet
        if self.calls and position.quiet != NOBODY:
            return (Count("clock-called", left, self.limit),)
        return (Count("quiet-moves", left, self.limit),) if position.quiet > 0 else ()

    def placement(self, position: GameState) -> Placement:
        """The pieces and their cells, without owners: the cell decides."""
        return Placement.of((cell, _PIECES[code]) for cell, code in enumerate(position.board) if code)

    def steps(self, position: GameState, move: Move) -> tuple[Step, ...]:
        """The mover's step, then that of the captured, merged or exchanged piece."""
        if move == CALL:
            return ()
        source, target = move >> 7, move & 127
        code, other = position.board[source], position.board[target]
        merges = other and self.layout.zone_of[target] == position.turn
        becomes = _PIECES[self.merged(code, other)] if merges else _PIECES[code]
        moved = Step(_PIECES[code], (source,), (target,), becomes)
        return (moved, Step.remove(_PIECES[other], target)) if other else (moved,)

    def adopt(self, placement: Placement, turn: Side, before: GameState) -> GameState | InvalidPosition:
        """The position with *placement* and *turn* to move; scores and counters are kept.

        A stack of *before* remains where its upper piece is seen.
        """
        board = bytearray(len(self.grid))
        reasons = []
        for piece, cells in placement.entries:
            code = _CODES.get(piece)
            if code is None or len(cells) != 1:
                name = self.grid.name(cells[0])
                reasons.append(Violation.of("piece-unknown", *cells, piece=piece, cell=name))
                continue
            stood: Code = before.board[cells[0]]
            board[cells[0]] = stood if stood and shown(stood) == code else code
        if before.out >> turn & 1:
            reasons.append(Violation.of("side-out", side=self.sides[turn]))
        if reasons:
            return InvalidPosition(tuple(reasons))
        occupied = placement.occupancy
        return before._replace(turn=turn, board=bytes(board), occupied=occupied, undo=NOBODY)

    def explain(self, position: GameState, difference: Difference) -> Violation:
        """The rule that *difference* breaks."""
        return explain(self, position, self.placement(position), difference)

    def key(self, position: GameState) -> Hashable:
        """A value equal for repeated positions: everything but the make-up of stacks."""
        return position._replace(board=bytes(code & 3 for code in position.board))


_FIRST: Final = first("agreed")


class _MartianChess:
    """The game's description and its rules."""

    slug = "martian-chess"
    title = "Martian Chess"
    source = "Andrew Looney, How to Play Martian Chess (Looney Labs)"
    needs = SensorKind.IDENTITY
    options = (
        Option("players", ("2", "3", "4", "5", "6"), "4 x 8 cells for two, 8 x 8 for four, else wedges"),
        Option(
            "no_undo",
            ("two-players", "quiet-only", "all", "off"),
            "where the next move may not take a move over a canal back: with two players, with two and"
            " only if it captured nothing, with any number, never",
        ),
        Option(
            "deadlock",
            ("none", "27-quiet-moves", "call-the-clock-7"),
            "what ends a stalled game: 27 moves without a capture, or seven once a player has called the clock;"
            " a capture sets the count back",
        ),
        Option(
            "centre",
            ("stop", "either-neighbour"),
            "with an odd number of wedges, a diagonal into the centre stops or goes on into either opposite wedge",
        ),
        Option(
            "teams",
            ("no", "opposite-corners"),
            "four players: do those in opposite corners add their points?",
        ),
        Option(
            "merge", ("stack", "replace"), "a promotion stacks both pieces, or exchanges them from the supply"
        ),
        _FIRST,
    )
    # whatever single move `no_undo` forbids, another is left
    retired = (RetiredOption("no_move", Phrase("a side that has a piece always has a move")),)

    def rules(self, options: Mapping[str, str] | None = None) -> MartianRules:
        """The rules under *options*. Raises `OptionError`."""
        chosen = choose(self.options, options or {}, self.retired)
        forks = chosen["centre"] == "either-neighbour"
        players = int(chosen["players"])
        board = board_for(players, forks=forks)
        return MartianRules(chosen, board, beginner(_FIRST, chosen, players))


GAME: Final = _MartianChess()

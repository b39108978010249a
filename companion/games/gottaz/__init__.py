# SPDX-License-Identifier: Apache-2.0
"""GOTTAZ: ten double-sided pawns a side on 5 x 5 cells.
Three in the centre row win.

    5  second side's territory
    3  centre row
    1  first side's territory      the board starts empty, all pawns in the open hands

Source: GOTTAZ instructions, version 1.0, 2023.
Not settled there: the abilities of the faces (data, see `pawn_sets`),
and the options below, the default first.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Final

from companion.games._shared.announce import announce
from companion.games._shared.first import beginner, first
from companion.games.gottaz.pawns import SHARES, SPELLED, find_set, load_ten, to_line
from companion.games.gottaz.reasons import explain
from companion.games.gottaz.state import (
    CENTRE,
    CHOSEN,
    PASS,
    PICK,
    PLACE,
    ROTATE,
    SWAP,
    TEN,
    TERRITORIES,
    TSUNAMI,
    GameState,
    Move,
    ahead,
)
from companion.games.gottaz.text import GottazText
from companion.model.game import (
    CallOut,
    Count,
    InvalidPosition,
    Option,
    PartGroup,
    Region,
    RetiredOption,
    Violation,
    choose,
)
from companion.model.grid import OFF, Cell
from companion.model.moves import Step
from companion.model.observation import Difference, SensorKind
from companion.model.phrase import Phrase
from companion.model.pieces import Figure, Piece, Side
from companion.model.placement import Placement


class GottazRules(GottazText):
    """GOTTAZ under chosen options: hands and sensors, on top of board and texts."""

    def __init__(self, options: Mapping[str, str], first: Side) -> None:
        super().__init__(options, first)
        self._pieces = tuple(
            Piece(self.pawns[face // 2].slug, side, pose=self.faces[face].slug)
            for side in range(2)
            for face in range(len(self.faces))
        )
        self._journey = lru_cache(maxsize=4096)(self._travel)

    def piece(self, code: int) -> Piece:
        """The pawn as a piece: the kind names the pawn, the pose its upper face."""
        return self._pieces[code - 1]

    def box(self) -> tuple[Figure, ...]:
        """Every pawn of both sides, its weaker face first.

        If pawns are chosen from a pool: the whole pool for each side.
        """
        return tuple(
            Figure((self.piece(self.code(side, 2 * pawn)), self.piece(self.code(side, 2 * pawn + 1))))
            for side, hand in enumerate(self.initial().hands)
            for pawn in range(len(self.pawns))
            for _ in range(self.copies[pawn] if self.is_chosen else hand[pawn])
        )

    @property
    def standins(self) -> Mapping[str, str]:
        """Any chess piece of a colour, for any pawn of that side.

        Sets have more kinds of pawns than chess has of pieces.
        """
        return {pawn.slug: "PNBRQKpnbrqk" for pawn in self.pawns}

    def regions(self) -> tuple[Region, ...]:
        """Both territories, and the centre row shaded."""
        territories = (Region(tuple(row), side=side) for side, row in enumerate(TERRITORIES))
        return *territories, Region(tuple(CENTRE), is_shaded=True)

    def hands(self, position: GameState) -> tuple[tuple[Piece, ...], ...]:
        """The pawns in both open hands, the weaker face up."""
        return tuple(
            tuple(
                self.piece(self.code(side, 2 * pawn)) for pawn, count in enumerate(hand) for _ in range(count)
            )
            for side, hand in enumerate(position.hands)
        )

    def counts(self, position: GameState) -> tuple[Count, ...]:
        """The pawns that are still to be chosen."""
        if not self.is_choosing(position):
            return ()
        hands = position.hands[:1] if self.options["pawns"] == "common" else position.hands
        limit = TEN * len(hands)
        return (Count("to-choose", limit - sum(map(sum, hands)), limit),)

    def actor(self, _position: GameState, move: Move) -> Cell | None:
        """The pawn whose Tsunami moves another one."""
        kind, what, _ = move
        return what if kind == TSUNAMI else None

    def picked(self, move: Move) -> Piece | None:
        """The pawn that *move* chooses from the pool."""
        kind, pawn, _ = move
        return Piece(self.pawns[pawn].slug) if kind == PICK else None

    def brought(self, text: str, side: Side) -> Piece | None:
        """The pawn that *text* places, with its upper face, or chooses."""
        face, is_placed = self.named_face(text) or (OFF, False)
        if is_placed:
            return self.piece(self.code(side, face))
        return None if face == OFF else Piece(self.pawns[face // 2].slug)

    def placement(self, position: GameState) -> Placement:
        """The pawns and their cells."""
        return Placement.of((cell, self.piece(code)) for cell, code in enumerate(position.board) if code)

    def steps(self, position: GameState, move: Move) -> tuple[Step, ...]:
        """The moving pawn's step, then those of pawns that a battle removes.

        None for a pass or a choice.
        """
        kind, what, where = move
        board = position.board
        if kind in (PASS, PICK):
            return ()
        if kind == ROTATE:
            turned = self.piece(self.actions.turned(board[what]))
            return (Step(self.piece(board[what]), (what,), (what,), turned),)
        if kind == SWAP:
            return tuple(
                Step.move(self.piece(board[at]), at, to) for at, to in ((what, where), (where, what))
            )
        source, code = OFF, self.code(position.turn, what)
        if kind != PLACE:
            source = ahead(position.turn, what, 1) if kind == TSUNAMI else what
            code = board[source]
        if not board[where]:
            return self._journey(code, source, where)
        attack, defence = self.actions.strengths(board, where, code, source)
        travels = self._journey(code, source, where if attack > defence else OFF)
        home = Step.remove(self.piece(board[where]), where)
        return (*travels, home) if attack >= defence else travels

    def _travel(self, code: int, source: Cell, target: Cell) -> tuple[Step, ...]:
        """The step of a pawn; OFF is its hand."""
        mover = self.piece(code)
        left = () if source == OFF else (source,)
        reached = () if target == OFF else (target,)
        return (Step(mover, left, reached, mover),) if source != target else ()

    def adopt(self, placement: Placement, turn: Side, before: GameState) -> GameState | InvalidPosition:
        """The position with *placement*; the hands hold the other pawns of *before*."""
        board = bytearray(25)
        hands = [bytearray(hand) for hand in before.hands]
        for code in filter(None, before.board):
            hands[self.owner(code)][self.face(code) // 2] += 1
        faces = {
            (pawn.slug, face.slug): 2 * n + m
            for n, pawn in enumerate(self.pawns)
            for m, face in enumerate(pawn.faces)
        }
        reasons = []
        for piece, cells in placement.entries:
            face, side = faces.get((piece.kind, piece.pose)), piece.side
            if face is None or side is None or not hands[side][face // 2]:
                reasons.append(
                    Violation.of("piece-unknown", *cells, piece=piece, cell=self.grid.name(cells[0]))
                )
            else:
                hands[side][face // 2] -= 1
                board[cells[0]] = self.code(side, face)
        if reasons:
            return InvalidPosition(tuple(reasons))
        return GameState(turn, bytes(board), (bytes(hands[0]), bytes(hands[1])))

    def explain(self, position: GameState, difference: Difference) -> Violation:
        """The rule that *difference* breaks."""
        return explain(self, self.placement(position), position, difference)

    def key(self, position: GameState) -> Hashable:
        """Board, hands and turn."""
        return position


_FIRST: Final = first("agreed", "second")


class _Gottaz:
    """The game's description and its rules."""

    slug = "gottaz"
    title = "GOTTAZ"
    source = "GOTTAZ instructions, version 1.0, 2023"
    needs = SensorKind.IDENTITY
    options = (
        Option(
            "pawns",
            ("starter", *CHOSEN, "file"),
            "the pawns that are played with; a file is a pawn set",
            spelled=SPELLED,
        ),
        Option(
            "pool",
            ("full", "file"),
            "the pawns from which they are chosen; a file is a pawn set",
            spelled=SPELLED,
        ),
        Option("adjacency", ("orthogonal", "all-eight"), "the neighbours that Support and Swap reach"),
        Option("defender_support", ("yes", "no"), "does Support help the pawn that is attacked?"),
        Option("leap_over", ("yes", "no"), "may Leap pass over a pawn?"),
        Option(
            "enter_occupied_territory",
            ("no", "battle"),
            "may a pawn be placed on an enemy in its own territory?",
        ),
        Option("no_move", ("pass", "loss"), "what it means when the side to move has no action"),
        Option(
            "repetition", ("none", "threefold-draw"), "is a position that stands for the third time a draw?"
        ),
        _FIRST,
        announce(CallOut.ESCAPE),
    )
    # a Supply pawn that leaves a row takes with it at least the 1 that it allowed
    retired = (
        RetiredOption("supply_leaves", Phrase("a Supply pawn that leaves never puts its row over the limit")),
    )

    def parts(self, option: str) -> tuple[PartGroup, ...]:
        """The pawns of the pool by their strengths, for a choice of ten."""
        if option != "pawns":
            return ()
        pool = find_set("full").pawns
        return tuple(
            PartGroup(
                f"{strength}/{6 - strength}",
                share,
                tuple(
                    (pawn.sign(0), Piece(pawn.slug, None)) for pawn in pool if pawn.weak.strength == strength
                ),
            )
            for strength, share in SHARES.items()
        )

    def rules(self, options: Mapping[str, str] | None = None) -> GottazRules:
        """The rules under *options*. Raises `OptionError`, `SettingsError`.

        A set from a file is kept with them in full.
        """
        chosen = choose(self.options, options or {}, self.retired)
        pawns, pool = self.options[:2]
        if not pawns.is_named(chosen["pawns"]):
            chosen["pawns"] = to_line(load_ten(chosen["pawns"]))
        if not pool.is_named(chosen["pool"]):
            chosen["pool"] = to_line(find_set(chosen["pool"]))
        return GottazRules(chosen, beginner(_FIRST, chosen, len(GottazRules.sides)))


GAME: Final = _Gottaz()

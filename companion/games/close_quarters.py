# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: all rules of one game, next to the page of the rulebook.
"""Close Quarters: the Sword alone against Spear, Mace and Axe, on 4 x 8 cells.

    8  A . . P      A Axe    P Spear
    ...
    1  S . . M      S Sword  M Mace      the Sword moves first

Source: TooToneGames, *close quarters game*, 2010.
The rulebook leaves open which corners are opposite, how the Sword reaches two squares,
how the Mace turns its corner, and the result for a side that cannot move:
each is an option here, the default first.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from companion.games._shared.announce import announce, called_out
from companion.games._shared.attempts import Attempt, read_attempt
from companion.model.errors import NotationError
from companion.model.game import (
    Announcement,
    CallOut,
    Count,
    InvalidPosition,
    Option,
    Outcome,
    RetiredOption,
    Violation,
    choose,
)
from companion.model.grid import OFF, Cell, Grid, rectangle
from companion.model.moves import Step
from companion.model.notation import not_legal
from companion.model.observation import Difference, SensorKind
from companion.model.phrase import Phrase
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement

SWORD_SIDE: Final = 0
WEAPONS_SIDE: Final = 1

_GRID: Final = rectangle(4, 8)
_LETTERS: Final = "SPMA"
_PIECES: Final = (Piece("sword", 0), Piece("spear", 1), Piece("mace", 1), Piece("axe", 1))
_SPEAR, _MACE, _AXE = 1, 2, 3
_STARTS: Final = {
    "diagonal": "a1 d8 d1 a8",
    "diagonal-swapped": "a1 d8 a8 d1",
    "long-side": "a1 a8 d1 d8",
    "long-side-swapped": "a1 a8 d8 d1",
    "short-side": "a1 d1 a8 d8",
    "short-side-swapped": "a1 d1 d8 a8",
}

Move: TypeAlias = int
"""source * 32 + target, in cells."""


class GameState(NamedTuple):
    """A position: the cell of each piece, or OFF once it is eliminated."""

    turn: Side
    sword: Cell
    spear: Cell
    mace: Cell
    axe: Cell
    rounds: int = 0
    """Turns of the Sword; counted only under a turn limit.

    Without a limit, counting would make equal positions differ.
    """


class CloseQuartersRules:
    """Close Quarters under chosen options."""

    slug = "close-quarters"
    grid: Grid = _GRID
    sides = ("sword", "weapons")
    standins: Mapping[str, str] = MappingProxyType({"sword": "K", "spear": "r", "mace": "n", "axe": "b"})

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self.allows_take_back = options["take_back"] == "yes"
        self._reach = 1 if options["sword"] == "king" else 2
        self._leaps = options["sword_jumps"] == "yes"
        self._limit = 0 if options["turn_limit"] == "none" else int(options["turn_limit"])
        self._sword_paths = tuple(
            tuple(ray[: self._reach] for ray in _rays(cell, range(8))) for cell in range(32)
        )
        self._spear_paths = tuple(_rays(cell, (0, 2, 4, 6)) for cell in range(32))
        self._axe_paths = tuple(_rays(cell, (1, 3, 5, 7)) for cell in range(32))
        either = options["mace_path"] == "either"
        self._mace_paths = tuple(_mace_paths(cell, either=either) for cell in range(32))

    def initial(self) -> GameState:
        """The four corners, the Sword to move."""
        return GameState(SWORD_SIDE, *_GRID.cells(_STARTS[self.options["start"]]))

    # moves

    def legal_moves(self, position: GameState) -> list[Move]:
        """All legal moves in rising order of source and target."""
        if self._is_over(position):
            return []
        if position.turn == SWORD_SIDE:
            base = position.sword * 32
            moves = [base + target for target in self._sword_targets(position)]
        else:
            moves = self._weapon_moves(position)
        moves.sort()
        return moves

    def apply(self, position: GameState, move: Move) -> GameState:
        """The position after *move*."""
        source, target = divmod(move, 32)
        turn, sword, spear, mace, axe, rounds = position
        if turn == SWORD_SIDE:
            return GameState(
                WEAPONS_SIDE,
                target,
                OFF if spear == target else spear,
                OFF if mace == target else mace,
                OFF if axe == target else axe,
                rounds + 1 if self._limit else 0,
            )
        if sword == target:
            sword = OFF
        if spear == source:
            return GameState(SWORD_SIDE, sword, target, mace, axe, rounds)
        if mace == source:
            return GameState(SWORD_SIDE, sword, spear, target, axe, rounds)
        return GameState(SWORD_SIDE, sword, spear, mace, target, rounds)

    def _sword_targets(self, position: GameState) -> list[Cell]:
        """Cells that the Sword reaches: weapons block it, and are captured."""
        weapons = position[2:5]
        targets = []
        for path in self._sword_paths[position.sword]:
            for cell in path:
                targets.append(cell)
                if cell in weapons and not self._leaps:
                    break
        return targets

    def _weapon_moves(self, position: GameState) -> list[Move]:
        """Moves of Spear, Mace and Axe, unordered."""
        _, sword, spear, mace, axe, _ = position
        own = (spear, mace, axe)
        moves: list[Move] = []
        if spear != OFF:
            _slide(spear, self._spear_paths[spear], sword, own, moves)
        if axe != OFF:
            _slide(axe, self._axe_paths[axe], sword, own, moves)
        if mace != OFF:
            for target, ways in self._mace_paths[mace]:
                if target not in own and any(_blocker(way, position) is None for way in ways):
                    moves.append(mace * 32 + target)
        return moves

    # outcome and threats

    def status(self, position: GameState) -> Outcome | None:
        """How the game has ended, or None."""
        if position.sword == OFF:
            return Outcome((WEAPONS_SIDE,), "sword-eliminated")
        if position[2:5] == (OFF, OFF, OFF):
            return Outcome((SWORD_SIDE,), "weapons-eliminated")
        if self._limit and position.turn == SWORD_SIDE and position.rounds >= self._limit:
            return Outcome((SWORD_SIDE,), "turn-limit")
        if not self.legal_moves(position):  # the rulebook's end; never reached with these pieces
            return Outcome((1 - position.turn,), "no-move")
        return None

    def _is_over(self, position: GameState) -> bool:
        """True if the game has ended, other than by a side without moves."""
        turn, sword, spear, mace, axe, rounds = position
        if sword == OFF or spear == mace == axe == OFF:
            return True
        return bool(self._limit) and turn == SWORD_SIDE and rounds >= self._limit

    def announcements(self, position: GameState) -> tuple[Announcement, ...]:
        """CHECK! if the side that has just moved could eliminate the rest of the other."""
        mover = 1 - position.turn
        if self._is_over(position):
            return ()
        if mover == WEAPONS_SIDE:
            moves = self._weapon_moves(position)
            causes = tuple(sorted({move // 32 for move in moves if move % 32 == position.sword}))
            targets: tuple[Cell, ...] = (position.sword,)
        else:
            targets = tuple(cell for cell in position[2:5] if cell != OFF)
            is_reached = len(targets) == 1 and targets[0] in self._sword_targets(position)
            causes = (position.sword,) if is_reached else ()
        return called_out(
            self.options, [Announcement(CallOut.CHECK, mover, causes, targets)] if causes else []
        )

    def counts(self, position: GameState) -> tuple[Count, ...]:
        """The turns that the Sword still has to survive."""
        left = max(self._limit - position.rounds, 0)
        return (Count("turns-left", left, self._limit),) if self._limit else ()

    # pieces

    def placement(self, position: GameState) -> Placement:
        """The pieces and their cells."""
        return Placement.of(
            (cell, piece) for cell, piece in zip(position[1:5], _PIECES, strict=True) if cell != OFF
        )

    def steps(self, position: GameState, move: Move) -> tuple[Step, ...]:
        """The mover's step, then the captured piece's."""
        source, target = divmod(move, 32)
        cells = position[1:5]
        moved = Step.move(_PIECES[cells.index(source)], source, target)
        return (moved, Step.remove(_PIECES[cells.index(target)], target)) if target in cells else (moved,)

    def adopt(self, placement: Placement, turn: Side, before: GameState) -> GameState | InvalidPosition:
        """The position with *placement* and *turn* to move; each piece occurs at most once."""
        cells = [OFF] * len(_PIECES)
        reasons = []
        for piece, covered in placement.entries:
            index = _PIECES.index(piece) if piece in _PIECES else OFF
            if index == OFF or cells[index] != OFF:
                name = _GRID.name(covered[0])
                reasons.append(Violation.of("piece-unknown", *covered, piece=piece, cell=name))
            else:
                cells[index] = covered[0]
        return (
            InvalidPosition(tuple(reasons))
            if reasons
            else GameState(turn, cells[0], cells[1], cells[2], cells[3], before.rounds)
        )

    # reasons

    def explain(self, position: GameState, difference: Difference) -> Violation:
        """The rule that *difference* breaks."""
        attempt = read_attempt(_GRID, self.placement(position), difference, position.turn)
        if isinstance(attempt, Violation):
            return attempt
        standing = self.placement(position).at(attempt.target)
        if standing is not None and standing.side == position.turn:
            return self._violation("own-piece", attempt, other=standing)
        return self._explain_kind(position, attempt)

    def _explain_kind(self, position: GameState, attempt: Attempt) -> Violation:
        """The reason why the piece of *attempt* does not move like that."""
        kind = attempt.piece.kind
        if kind == "mace":
            ways = dict(self._mace_paths[attempt.source]).get(attempt.target)
            if ways is None:
                return self._violation("mace-shape", attempt)
            return self._blocked("mace-blocked", position, attempt, ways[0])
        paths = {"spear": self._spear_paths, "axe": self._axe_paths, "sword": self._sword_paths}[kind]
        for path in paths[attempt.source]:
            if attempt.target in path:
                return self._blocked(f"{kind}-blocked", position, attempt, path[: path.index(attempt.target)])
        shape = "sword-king" if kind == "sword" and self._reach == 1 else f"{kind}-shape"
        return self._violation(shape, attempt)

    def _blocked(self, rule: str, position: GameState, attempt: Attempt, path: tuple[Cell, ...]) -> Violation:
        """The violation by the first piece on *path*."""
        cell = _blocker(path, position)
        if cell is None:  # legal by itself: something else is different, too
            return self._violation("several-moved", attempt)
        blocker = _PIECES[position[1:5].index(cell)]
        return Violation.of(
            rule,
            attempt.target,
            attempt.source,
            cell,
            piece=attempt.piece,
            blocker=blocker,
            cell=_GRID.name(cell),
        )

    @staticmethod
    def _violation(rule: str, attempt: Attempt, **more: Piece) -> Violation:
        """A violation of *rule* by *attempt*."""
        cells = (attempt.target, attempt.source)
        names = {"source": _GRID.name(attempt.source), "target": _GRID.name(attempt.target)}
        return Violation.of(rule, *cells, piece=attempt.piece, **names, **more)

    # text

    def key(self, position: GameState) -> Hashable:
        """A value equal for repeated positions: pieces, cells and side to move."""
        return position[:5]

    def write_move(self, position: GameState, move: Move) -> str:
        """`a1-a3`, or `a1xa8` for a capture; suffix `!` for CHECK, `#` for the end."""
        source, target = divmod(move, 32)
        after = self.apply(position, move)
        mark = "#" if self.status(after) else "!" if self.announcements(after) else ""
        return f"{_GRID.name(source)}{'x' if target in position[1:5] else '-'}{_GRID.name(target)}{mark}"

    def read_move(self, position: GameState, text: str) -> Move:
        """The legal move that *text* denotes; signs between and after the cells are optional."""
        bare = text.strip().rstrip("!#").replace("-", "").replace("x", "")
        move = _GRID.cell(bare[:2]) * 32 + _GRID.cell(bare[2:])
        if move not in self.legal_moves(position):
            raise not_legal(self.write_position(position), text)
        return move

    def write_position(self, position: GameState) -> str:
        """Ranks from the eighth down; side to move; the Sword's turns.

        `S P M A` are the pieces, digits count empty cells.

        >>> GAME.rules().write_position(GAME.rules().initial())
        'A2P/4/4/4/4/4/4/S2M s 0'
        """
        signs = ["."] * 32
        for cell, letter in zip(position[1:5], _LETTERS, strict=True):
            if cell != OFF:
                signs[cell] = letter
        text = "/".join(["".join(signs[first : first + 4]) for first in range(28, -1, -4)])
        for gap in (4, 3, 2, 1):
            text = text.replace("." * gap, str(gap))
        return f"{text} {'sw'[position.turn]} {position.rounds}"

    def read_position(self, text: str) -> GameState:
        """The position that *text* denotes. Raises `NotationError`."""
        fields = text.split()
        if len(fields) != 3 or fields[1] not in ("s", "w") or not fields[2].isdecimal():
            raise NotationError("{text!r} is not a position: expected ranks, s or w, and a number", text=text)
        ranks = fields[0].split("/")
        rows = ["".join("." * int(sign) if sign.isdecimal() else sign for sign in rank) for rank in ranks]
        if len(rows) != 8 or any(len(row) != 4 for row in rows):
            raise NotationError("{text!r} is not a position: expected 8 ranks of 4 cells", text=text)
        signs = "".join(reversed(rows))
        strange = next(
            (sign for sign in signs if sign not in _LETTERS + "." or (sign != "." and signs.count(sign) > 1)),
            "",
        )
        if strange:
            raise NotationError(
                "{text!r} is not a position: {sign!r} is unknown or stands twice", sign=strange, text=text
            )
        sword, spear, mace, axe = (signs.find(letter) for letter in _LETTERS)
        return GameState("sw".index(fields[1]), sword, spear, mace, axe, int(fields[2]))


def _rays(cell: Cell, directions: tuple[int, ...] | range) -> tuple[tuple[Cell, ...], ...]:
    """The cells from *cell* to the edge, for each of *directions* with at least one."""
    rays = []
    for direction in directions:
        ray = []
        at = _GRID.steps[direction][cell]
        while at != OFF:
            ray.append(at)
            at = _GRID.steps[direction][at]
        if ray:
            rays.append(tuple(ray))
    return tuple(rays)


def _slide(
    source: Cell, paths: tuple[tuple[Cell, ...], ...], sword: Cell, own: tuple[Cell, ...], moves: list[Move]
) -> None:
    """Append the moves along *paths*, up to the Sword or short of an own piece."""
    for path in paths:
        for cell in path:
            if cell in own:
                break
            moves.append(source * 32 + cell)
            if cell == sword:
                break


def _mace_paths(cell: Cell, *, either: bool) -> tuple[tuple[Cell, tuple[tuple[Cell, ...], ...]], ...]:
    """Each target of the Mace with its paths, the long leg first.

    A path is the cells that must be empty.

    With *either*, the short leg may come first.
    """
    steps = _GRID.steps
    paths = []
    for ahead in (0, 2, 4, 6):
        for side in ((ahead + 2) % 8, (ahead - 2) % 8):
            first = steps[ahead][cell]
            second = steps[ahead][first] if first != OFF else OFF
            target = steps[side][second] if second != OFF else OFF
            if target == OFF:
                continue
            beside = steps[side][cell]
            ways = ((first, second), (beside, steps[ahead][beside])) if either else ((first, second),)
            paths.append((target, ways))
    return tuple(paths)


def _blocker(path: tuple[Cell, ...], position: GameState) -> Cell | None:
    """The first occupied cell of *path*, or None."""
    cells = position[1:5]
    return next((cell for cell in path if cell in cells), None)


class _CloseQuarters:
    """The game's description and its rules."""

    slug = "close-quarters"
    title = "Close Quarters"
    source = "TooToneGames, close quarters game, 2010"
    needs = SensorKind.OCCUPANCY
    options = (
        Option(
            "sword", ("one-or-two", "king"), "how far the Sword goes; the rulebook also says eight squares"
        ),
        Option("sword_jumps", ("no", "yes"), "may the Sword pass over a piece next to it?"),
        Option("mace_path", ("straight-first", "either"), "the leg of the Mace's L that comes first"),
        Option("start", tuple(_STARTS), "the corner of each piece"),
        Option("turn_limit", ("none", "number"), "the Sword wins if it is alive after so many turns"),
        Option("take_back", ("no", "yes"), "may an announced move be taken back?"),
        announce(CallOut.CHECK),
    )
    retired = (RetiredOption("no_move", Phrase("a side always has a move")),)

    def rules(self, options: Mapping[str, str] | None = None) -> CloseQuartersRules:
        """The rules under *options*. Raises `OptionError`."""
        return CloseQuartersRules(choose(self.options, options or {}, self.retired))


GAME: Final = _CloseQuarters()

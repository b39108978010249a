# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: the whole interface that a game implements.
"""Interface of a game: declared options, and pure rules over opaque immutable positions.

A `Game` is what a file under `games/` offers; with chosen options it becomes `Rules`.
A broken rule is a `Violation`: a value with the slug of the rule and its arguments;
its sentence is in the language files.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from companion.model.errors import OptionError
from companion.model.grid import Cell, Grid
from companion.model.lots import RANDOM, is_random
from companion.model.moves import Step
from companion.model.observation import Difference, SensorKind
from companion.model.occupancy import Occupancy
from companion.model.phrase import Phrase
from companion.model.pieces import Figure, Piece, Side
from companion.model.placement import Placement

Argument: TypeAlias = int | str | Piece
"""Argument of a sentence: number, cell name, slug, or piece."""


THREEFOLD: Final = "threefold-draw"
"""Value of option `repetition`: the third occurrence is a draw."""
_ALIKE: Final = 0.8
"""Least likeness of a mistyped value, on which no file is looked for."""
_WORD: Final = re.compile(r"[\w-]+")
_MOST_DIGITS: Final = 9
"""Digits of a number that an option takes."""


@dataclass(frozen=True, slots=True)
class Option:
    """A documented setting of a game."""

    name: str
    values: tuple[str, ...]
    """Allowed values, the default first.

    `number` stands for any whole number from 1, `file` for any text.
    With `random`, the value that records a draw is allowed, too: see `companion.model.lots`.
    """
    about: str
    former: tuple[tuple[str, str], ...] = ()
    """Values of older records, each with its present equivalent; they are not offered."""
    spelled: str = ""
    """Pattern of texts that stand for themselves, where `file` is listed: never a file's name."""

    @property
    def default(self) -> str:
        """The value used if the option is not given."""
        return self.values[0]

    def is_named(self, value: str) -> bool:
        """True if *value* is listed and stands for itself only."""
        return value in self.values and value not in ("number", "file")

    def is_number(self, value: str) -> bool:
        """True if *value* is a whole number from 1 that is allowed here."""
        is_short = value.isdecimal() and len(value) <= _MOST_DIGITS  # Python refuses to read very long ones
        return is_short and int(value) > 0 and "number" in self.values

    def is_spelled_out(self, value: str) -> bool:
        """True if *value* is a text that names no file."""
        return bool(self.spelled) and re.fullmatch(self.spelled, value, re.DOTALL) is not None

    def check(self, value: str) -> str:
        """*value* in its stored form. Raises `OptionError` if it is not allowed."""
        value = dict(self.former).get(value, value)
        is_number = self.is_number(value)
        is_named = self.is_named(value)
        is_drawn = RANDOM in self.values and is_random(value)
        if is_named or is_number or is_drawn or ("file" in self.values and not self._is_slip(value)):
            return str(int(value)) if is_number and not is_named else value
        raise OptionError(
            "option {option}: {value!r} is not allowed; allowed are {allowed}",
            option=self.name,
            value=value,
            allowed=self.values,
        )

    def _is_slip(self, value: str) -> bool:
        """True if *value* is rather a mistyped value than the name of a file."""
        listed = [each for each in self.values if self.is_named(each)]
        return _WORD.fullmatch(value) is not None and bool(get_close_matches(value, listed, 1, _ALIKE))


@dataclass(frozen=True, slots=True)
class RetiredOption:
    """A former option of a game: allowed in kept games only."""

    name: str
    reason: Phrase
    """Why it was removed, as the second half of a sentence."""


def choose(
    options: Sequence[Option], chosen: Mapping[str, str], retired: Sequence[RetiredOption] = ()
) -> dict[str, str]:
    """Every option of *options* with its chosen or default value. Raises `OptionError`."""
    known = {option.name: option for option in options}
    former = {option.name: option for option in retired}
    for name, value in chosen.items():
        if name in former:
            raise OptionError(
                "option {option} was removed: {reason}; leave it out",
                reason=former[name].reason,
                option=name,
                value=value,
                allowed=tuple(known),
            )
        if name not in known:
            raise OptionError(
                "there is no option {option!r} here; known are {known}",
                known=tuple(known) or Phrase("none"),
                option=name,
                value=value,
                allowed=tuple(known),
            )
    return {name: option.check(chosen.get(name, option.default)) for name, option in known.items()}


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a move or change breaks."""

    rule: str
    """Slug of the rule: the key of its sentence in the game's word file."""
    arguments: tuple[tuple[str, Argument], ...] = ()
    """Values of the sentence's placeholders, by name."""
    cells: tuple[Cell, ...] = ()
    """Cells concerned, the offending one first."""

    @classmethod
    def of(cls, rule: str, *cells: Cell, **arguments: Argument) -> Violation:
        """A violation of *rule* concerning *cells*."""
        return cls(rule, tuple(arguments.items()), cells)


@dataclass(frozen=True, slots=True)
class InvalidPosition:
    """The reasons why a placement is not a position of the game."""

    reasons: tuple[Violation, ...]


class CallOut(StrEnum):
    """The kinds of announced threats: a side could win on its next turn."""

    CHECK = "check"
    ESCAPE = "escape"


@dataclass(frozen=True, slots=True)
class Announcement:
    """A side that has just moved could win on its next turn."""

    cry: CallOut
    side: Side
    """The side that could win."""
    causes: tuple[Cell, ...]
    """Cells of the pieces that could do it."""
    targets: tuple[Cell, ...]
    """Cells of the pieces that would be captured or destroyed, or of the goal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a finished game."""

    winners: tuple[Side, ...]
    """One side, several partners, or () for a draw."""
    termination: str
    """Slug of the reason: a key in the game's word file."""
    scores: tuple[int, ...] = ()
    """Points of each side, where the game counts them."""


class Position(Protocol):
    """Placement, side to move and everything else that decides the future.

    Each game has its own compact, frozen type.
    """

    @property
    def turn(self) -> Side:
        """The side to move."""
        ...

    def __hash__(self) -> int: ...


P = TypeVar("P", bound=Position)
M = TypeVar("M", bound=Hashable)


class Rules(Protocol[P, M]):
    """A game under chosen options.

    Pure: no call changes anything; positions and moves are values of the game.
    """

    @property
    def slug(self) -> str:
        """The game's slug, as in `Game.slug`."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """Every option with its value in force."""
        ...

    @property
    def grid(self) -> Grid:
        """The board's cells."""
        ...

    @property
    def sides(self) -> tuple[str, ...]:
        """Slug of each side, in the order of the turns."""
        ...

    @property
    def allows_take_back(self) -> bool:
        """False under touch-move: an announced move cannot be taken back."""
        ...

    def initial(self) -> P:
        """The position at the start."""
        ...

    def legal_moves(self, position: P) -> Sequence[M]:
        """All legal moves in a fixed order, one per resulting position;
        none when the game is over.
        """
        ...

    def apply(self, position: P, move: M) -> P:
        """The position after *move*, which must be legal: this is not checked."""
        ...

    def status(self, position: P) -> Outcome | None:
        """The outcome in *position*, or None while the game goes on."""
        ...

    def announcements(self, position: P) -> tuple[Announcement, ...]:
        """Threats by the side that is not to move; () after the end.

        The position does not say whether that side has moved at all:
        before the first move the referee announces nothing.
        """
        ...

    def placement(self, position: P) -> Placement:
        """The pieces of *position* and their cells."""
        ...

    def steps(self, position: P, move: M) -> tuple[Step, ...]:
        """The physical steps of *move*, the mover's first.

        They are recorded when no sensor has seen the actual order.
        """
        ...

    def explain(self, position: P, difference: Difference) -> Violation:
        """The rule that forbids *difference*, which no legal move causes.

        Where several rules do, the one that fits the player's most likely intention.
        """
        ...

    def adopt(self, placement: Placement, turn: Side, before: P) -> P | InvalidPosition:
        """The position with *placement* and *turn* to move, or the faults that prevent it.

        Values that cannot be seen (hands, scores, rights) are taken from *before*,
        as far as *placement* is consistent with them.
        """
        ...

    def key(self, position: P) -> Hashable:
        """A value that is equal for positions that count as repetitions of each other."""
        ...

    def write_move(self, position: P, move: M) -> str:
        """The notation of *move*."""
        ...

    def read_move(self, position: P, text: str) -> M:
        """The legal move that *text* denotes. Raises `NotationError`, `AmbiguousMove`."""
        ...

    def write_position(self, position: P) -> str:
        """*position* as one line of text."""
        ...

    def read_position(self, text: str) -> P:
        """The position that *text* denotes: the inverse of `write_position`.
        Raises `NotationError`.
        """
        ...


@runtime_checkable
class HasShortNotation(Protocol):
    """Additional method of rules whose notation leaves out the source cell."""

    def carries(self, position: Any, text: str) -> Sequence[tuple[Cell, Cell]]:
        """Source and target of the pieces that *text* may carry.

        The move need not be legal; () if *text* is not written like one.
        """
        ...


@runtime_checkable
class ContinuesAfterResignation(Protocol):
    """Additional method of rules whose game goes on after a resignation (three or more sides)."""

    def withdraw(self, position: Any, side: Side) -> Any:
        """The position after *side* has resigned or lost on time.

        It has no more turns and cannot win.
        """
        ...


@runtime_checkable
class HasLeaders(Protocol):
    """Additional property of rules with one leading piece per side, such as a king."""

    @property
    def leader(self) -> str:
        """Slug of the leading piece's kind."""
        ...


@runtime_checkable
class TouchRules(Protocol):
    """Additional method of rules with hundreds of legal moves.

    The moves near a few cells are found faster than all moves.
    """

    def moves_touching(self, position: Any, cells: Occupancy) -> Sequence[Hashable]:
        """The legal moves with a step from or to *cells*, in `legal_moves` order."""
        ...


@runtime_checkable
class LocalRules(Protocol):
    """Mark of rules in which far pieces matter only by the cells that they cover.

    A move stays legal, and its steps the same, if other pieces than those on the cells of its
    steps are turned or become other pieces, unless the game is over by that. Moves with the same
    cells differ in facings and poses.
    """

    def is_local(self) -> None:
        """Does nothing."""


@runtime_checkable
class ActorRules(Protocol):
    """Additional method of rules in which a piece moves another one and stays."""

    def actor(self, position: Any, move: Any) -> Cell | None:
        """The cell of the piece that acts, if *move* moves others only; None otherwise."""
        ...


@runtime_checkable
class PickRules(Protocol):
    """Additional method of rules with moves that choose a piece beside the board."""

    def picked(self, move: Any) -> Piece | None:
        """The piece that *move* chooses; None for another move."""
        ...


@runtime_checkable
class NamesBroughtPieces(Protocol):
    """Additional method of rules whose notation names pieces that come from beside the board."""

    def brought(self, text: str, side: Side) -> Piece | None:
        """The piece of *side* that *text*, the notation of a move, brings in or chooses."""
        ...


@runtime_checkable
class HasJointMoves(Protocol):
    """Additional method of rules with a named move of several own pieces."""

    def joint(self, move: Any) -> str:
        """The noun that names such a *move* in the word file; "" for another."""
        ...


@runtime_checkable
class FlagRules(Protocol):
    """Additional method of rules whose placement may save a flagged side."""

    def flagged(self, position: Any, side: Side) -> Outcome | None:
        """The outcome after the flag fall of *side*; None if the others win, as usual."""
        ...


@dataclass(frozen=True, slots=True)
class Region:
    """Cells that a printed board distinguishes from the others."""

    cells: tuple[Cell, ...]
    is_shaded: bool = False
    """True if shaded; otherwise a line is drawn round it."""
    side: Side | None = None
    """The side that owns it."""


@runtime_checkable
class HasRegions(Protocol):
    """Additional method of rules whose board shows territories, zones or a chequered pattern."""

    def regions(self) -> Sequence[Region]:
        """The regions of the board."""
        ...


@runtime_checkable
class HasHands(Protocol):
    """Additional method of rules in which sides bring pieces onto the board."""

    def hands(self, position: Any) -> Sequence[Sequence[Piece]]:
        """Pieces that each side may still bring in, by side; equal pieces are adjacent."""
        ...


@runtime_checkable
class HasScores(Protocol):
    """Additional method of rules that count points during the game."""

    def scores(self, position: Any) -> Sequence[int]:
        """The points of each side so far."""
        ...


@dataclass(frozen=True, slots=True)
class Count:
    """Moves, turns or choices that are left before a limit.

    Rules with limits have a method `counts(position)`: those worth showing.
    """

    name: str
    """Slug of the limit: a key in the game's word file."""
    left: int
    limit: int


@runtime_checkable
class HasBox(Protocol):
    """Additional method of rules whose set has more pieces or faces than the start."""

    def box(self) -> Sequence[Figure]:
        """Every piece of the game's set."""
        ...


@runtime_checkable
class HasStandins(Protocol):
    """Additional value of rules whose pieces can be played with a set of chess pieces."""

    @property
    def standins(self) -> Mapping[str, str]:
        """FEN letters of the chess pieces that may stand in for each kind."""
        ...


AnyRules: TypeAlias = Rules[Any, Any]
"""Rules of any game, for code that does not depend on one."""


def all_faces(rules: AnyRules) -> list[Piece]:
    """The pieces of the start position, and every face of the game's set."""
    faces = [piece for piece, _ in rules.placement(rules.initial()).entries]
    if isinstance(rules, HasBox):
        faces += [face for figure in rules.box() for face in figure.faces]
    return faces


@runtime_checkable
class DrawRules(Protocol):
    """Rules under which repetition may be a draw, at once or on a claim.

    *times* is how often the position has occurred.
    """

    def repeated(self, position: Any, times: int) -> Outcome | None:
        """The draw that ends the game now, or None."""
        ...

    def claim(self, position: Any, times: int) -> Outcome | None:
        """The draw that the side to move may claim, or None."""
        ...

    def nears_claim(self, position: Any, times: int) -> bool:
        """True if a move may lead to a claim.

        *times* is the highest count of any position. Cheap: asked before all moves are tried.
        """
        ...


@dataclass(frozen=True, slots=True)
class PartGroup:
    """Parts of an option's value, of which *count* are chosen."""

    title: str
    count: int
    parts: tuple[tuple[str, Piece], ...]
    """Each part as text, and what it stands for."""


@runtime_checkable
class ComposesOptions(Protocol):
    """Additional method of a game with options that have parts."""

    def parts(self, option: str) -> Sequence[PartGroup]:
        """The parts of a value of *option*, joined by `+`; () without parts."""
        ...


class Game(Protocol):
    """The value that a file under `games/` offers as `GAME`."""

    @property
    def slug(self) -> str:
        """Name on the command line and in records, such as `close-quarters`."""
        ...

    @property
    def title(self) -> str:
        """Name as its makers print it."""
        ...

    @property
    def source(self) -> str:
        """The rulebook: makers, edition, year."""
        ...

    @property
    def options(self) -> tuple[Option, ...]:
        """Its options, in display order."""
        ...

    @property
    def retired(self) -> tuple[RetiredOption, ...]:
        """Settings that it had once."""
        ...

    @property
    def needs(self) -> SensorKind:
        """The least sensor kind with which no questions are needed."""
        ...

    def rules(self, options: Mapping[str, str] | None = None) -> AnyRules:
        """The rules under *options*; missing options have their defaults. Raises `OptionError`."""
        ...

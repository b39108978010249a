# SPDX-License-Identifier: Apache-2.0
"""What a game is to the rest of the house: declared options, and pure rules over opaque immutable positions.

A `Game` is what a file under `games/` offers; choosing options turns it into `Rules`.
A rule that is broken is a `Violation`: a value with the name of the rule and what it speaks of;
the words for it live in the language files.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from companion.model.errors import OptionError
from companion.model.grid import Cell, Grid
from companion.model.lots import RANDOM, is_random
from companion.model.moves import Step
from companion.model.observation import Difference, SensorKind
from companion.model.occupancy import Occupancy
from companion.model.pieces import Figure, Piece, Side
from companion.model.placement import Placement

Argument: TypeAlias = int | str | Piece
"""What a violation or outcome speaks of: a number, the name of a cell or slug of a word, or a piece."""


_MOST_DIGITS: Final = 9
"""Of a number that an option takes."""


@dataclass(frozen=True, slots=True)
class Option:
    """A documented setting of a game."""

    name: str
    values: tuple[str, ...]
    """Allowed values, the default first; `number` stands for any whole number from 1, `file` for any text.

    With `random` the value that tells what was drawn is allowed, too: see `companion.model.lots`.
    """
    about: str
    former: tuple[tuple[str, str], ...] = ()
    """Values that older records hold, each with the one that means the same now; they are not offered."""

    @property
    def default(self) -> str:
        """The value taken when nothing is said."""
        return self.values[0]

    def is_named(self, value: str) -> bool:
        """True if *value* is one of those that are listed, and does not stand for others."""
        return value in self.values and value not in ("number", "file")

    def is_number(self, value: str) -> bool:
        """True if *value* is a whole number from 1 that is allowed here."""
        is_short = value.isdecimal() and len(value) <= _MOST_DIGITS  # Python refuses to read very long ones
        return is_short and int(value) > 0 and "number" in self.values

    def check(self, value: str) -> str:
        """*value* as it is stored. Raises `OptionError` if it is not allowed."""
        value = dict(self.former).get(value, value)
        is_number = self.is_number(value)
        is_named = self.is_named(value)
        is_drawn = RANDOM in self.values and is_random(value)
        if is_named or is_number or is_drawn or "file" in self.values:
            return str(int(value)) if is_number and not is_named else value
        raise OptionError(
            f"option {self.name}: {value!r} is not allowed; allowed are {', '.join(self.values)}",
            option=self.name,
            value=value,
            allowed=self.values,
        )


def choose(options: Sequence[Option], chosen: Mapping[str, str]) -> dict[str, str]:
    """Every option of *options* with its chosen or default value. Raises `OptionError`."""
    known = {option.name: option for option in options}
    for name, value in chosen.items():
        if name not in known:
            raise OptionError(
                f"there is no option {name!r} here; known are {', '.join(known) or 'none'}",
                option=name,
                value=value,
                allowed=tuple(known),
            )
    return {name: option.check(chosen.get(name, option.default)) for name, option in known.items()}


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that an attempt breaks."""

    rule: str
    """Slug of the rule: the key of its sentence among the game's words."""
    arguments: tuple[tuple[str, Argument], ...] = ()
    """What the sentence speaks of, by placeholder."""
    cells: tuple[Cell, ...] = ()
    """Cells concerned, the offending one first."""

    @classmethod
    def of(cls, rule: str, *cells: Cell, **arguments: Argument) -> Violation:
        """A violation of *rule* concerning *cells*."""
        return cls(rule, tuple(arguments.items()), cells)


@dataclass(frozen=True, slots=True)
class InvalidPosition:
    """Why a placement is no position of the game."""

    reasons: tuple[Violation, ...]


class CallOut(StrEnum):
    """What is called out when a side could win next turn."""

    CHECK = "check"
    ESCAPE = "escape"


@dataclass(frozen=True, slots=True)
class Announcement:
    """A side that has just moved could win on its next turn."""

    cry: CallOut
    side: Side
    """Who could win."""
    causes: tuple[Cell, ...]
    """Cells of the pieces that could do it."""
    targets: tuple[Cell, ...]
    """Cells of what would be captured or destroyed, or of the goal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winners: tuple[Side, ...]
    """One side, several partners, or () for a draw."""
    termination: str
    """Slug of the reason: a key among the game's words."""
    scores: tuple[int, ...] = ()
    """Points of each side, where the game counts them."""


class Position(Protocol):
    """Placement, whose turn it is and all that decides the future; each game has its own compact, frozen kind."""

    @property
    def turn(self) -> Side:
        """The side to move."""
        ...

    def __hash__(self) -> int: ...


P = TypeVar("P", bound=Position)
M = TypeVar("M", bound=Hashable)


class Rules(Protocol[P, M]):
    """A game under chosen options. Pure: no call changes anything; positions and moves are values of the game."""

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
        """The cells it is played on."""
        ...

    @property
    def sides(self) -> tuple[str, ...]:
        """Slug of each side, in the order of the turns."""
        ...

    @property
    def allows_take_back(self) -> bool:
        """False under touch-move: an announced move stands."""
        ...

    def initial(self) -> P:
        """The position at the start."""
        ...

    def legal_moves(self, position: P) -> Sequence[M]:
        """All lawful moves, one for each resulting position, in a fixed order; none when the game is over."""
        ...

    def apply(self, position: P, move: M) -> P:
        """The position after *move*, which must be legal: this is not checked."""
        ...

    def status(self, position: P) -> Outcome | None:
        """How the game has ended in *position*, or None while it goes on."""
        ...

    def announcements(self, position: P) -> tuple[Announcement, ...]:
        """What the side that is not to move could do next turn; () after the end.

        Whether it has moved at all is not known here: before the first move the referee calls nothing out.
        """
        ...

    def placement(self, position: P) -> Placement:
        """Which piece stands where in *position*."""
        ...

    def steps(self, position: P, move: M) -> tuple[Step, ...]:
        """What *move* does to the pieces, the mover first; the reading that is recorded when none was seen."""
        ...

    def explain(self, position: P, difference: Difference) -> Violation:
        """The rule that forbids *difference*, which no legal move brings about: the one the player most likely meant."""
        ...

    def adopt(self, placement: Placement, turn: Side, before: P) -> P | InvalidPosition:
        """The position with *placement* and *turn* to move, or the reasons why there is none.

        What cannot be seen (hands, scores, rights) goes on from *before*, as far as *placement* leaves it true.
        """
        ...

    def key(self, position: P) -> Hashable:
        """What two positions share that count as repetitions of one another."""
        ...

    def write_move(self, position: P, move: M) -> str:
        """The notation of *move*."""
        ...

    def read_move(self, position: P, text: str) -> M:
        """The legal move that *text* writes. Raises `NotationError`, `AmbiguousMove`."""
        ...

    def write_position(self, position: P) -> str:
        """*position* as one line of text."""
        ...

    def read_position(self, text: str) -> P:
        """The position that *text* writes: the inverse of `write_position`. Raises `NotationError`."""
        ...


@runtime_checkable
class ContinuesAfterResignation(Protocol):
    """What rules offer, too, if a game of three or more goes on when one of them gives up."""

    def withdraw(self, position: Any, side: Side) -> Any:
        """The position after *side* has resigned or lost on time: it has no more turns and cannot win."""
        ...


@runtime_checkable
class HasLeaders(Protocol):
    """What rules offer, too, if each side has one leading piece, a king for instance."""

    @property
    def leader(self) -> str:
        """Slug of its kind."""
        ...


@runtime_checkable
class TouchRules(Protocol):
    """What rules offer, too, if there are hundreds of legal moves, and those about a few cells are found sooner."""

    def moves_touching(self, position: Any, cells: Occupancy) -> Sequence[Hashable]:
        """The legal moves whose steps come from or lead to one of *cells*, in their order."""
        ...


@runtime_checkable
class FlagRules(Protocol):
    """What rules offer, too, if a side that has run out of time may be saved by what stands on the board."""

    def flagged(self, position: Any, side: Side) -> Outcome | None:
        """How the game ends when *side* has run out of time; None if the others win, as usual."""
        ...


@dataclass(frozen=True, slots=True)
class Region:
    """Cells that a printed board sets off from the others."""

    cells: tuple[Cell, ...]
    is_shaded: bool = False
    """Shaded; else a line goes round it."""
    side: Side | None = None
    """Whose it is."""


@runtime_checkable
class HasRegions(Protocol):
    """What rules offer, too, if the board shows more than cells: territories, zones, a chequered pattern."""

    def regions(self) -> Sequence[Region]:
        """What is set off on the board."""
        ...


@runtime_checkable
class HasHands(Protocol):
    """What rules offer, too, if pieces come onto the board from the hands of the sides."""

    def hands(self, position: Any) -> Sequence[Sequence[Piece]]:
        """What each side may still bring in, as it lies in its hand, by side; equal pieces stand together."""
        ...


@runtime_checkable
class HasScores(Protocol):
    """What rules offer, too, if points are counted during the game."""

    def scores(self, position: Any) -> Sequence[int]:
        """The points of each side so far."""
        ...


@runtime_checkable
class HasBox(Protocol):
    """What rules offer, too, if there is more in the box than stands on the board, or if pieces have several faces."""

    def box(self) -> Sequence[Figure]:
        """Every piece that the game is played with."""
        ...


AnyRules: TypeAlias = Rules[Any, Any]
"""Rules of some game, for rooms that know none."""


@runtime_checkable
class DrawRules(Protocol):
    """Rules under which a position that has occurred *times* times may be a draw, at once or on a claim."""

    def repeated(self, position: Any, times: int) -> Outcome | None:
        """The draw that ends the game now, or None."""
        ...

    def claim(self, position: Any, times: int) -> Outcome | None:
        """The draw that the side to move may claim, or None."""
        ...

    def nears_claim(self, position: Any, times: int) -> bool:
        """True if a move may lead to a claim, where some position has occurred *times* times: asked before all are tried."""
        ...


class Game(Protocol):
    """What a file under `games/` offers as `GAME`."""

    @property
    def slug(self) -> str:
        """Name on the command line and in records: `close-quarters`."""
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
        """Its settings, in the order they are shown."""
        ...

    @property
    def needs(self) -> SensorKind:
        """The least sensor with which it plays without questions."""
        ...

    def rules(self, options: Mapping[str, str] | None = None) -> AnyRules:
        """The rules under *options*; what is not named has its default. Raises `OptionError`."""
        ...


def play(rules: Rules[P, M], position: P, text: str) -> P:
    """The position after the move that *text* writes. Raises `NotationError`, `AmbiguousMove`."""
    return rules.apply(position, rules.read_move(position, text))

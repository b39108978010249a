# SPDX-License-Identifier: Apache-2.0
"""Simulated hands: moves as a sequence of changes on the board.

Pure: the random generator is passed in, times are waits in ms,
and the result depends on nothing else.
Hands know the steps of pieces, not rules; sensors and referees are elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final, NamedTuple

from companion.model.grid import OFF, Cell, Grid
from companion.model.moves import Step
from companion.model.pieces import Piece


class Motion(NamedTuple):
    """After *wait_ms*, *piece* is on *cell*; None if the cell is empty."""

    wait_ms: int
    cell: Cell
    piece: Piece | None


@dataclass(frozen=True, slots=True)
class Habits:
    """Habits of handling pieces.

    The shares are probabilities from 0 to 1 for each move to which they apply.
    """

    victim_first: float = 0.5
    """A captured piece is removed before the mover is lifted; otherwise after."""
    slides: float = 0.0
    """The mover is pushed along the board and closes the cells that it passes."""
    stops: float = 0.0
    """A sliding hand pauses on the way."""
    pushes: float = 0.0
    """The mover pushes the captured piece off: the cell is never seen empty."""
    early: float = 0.0
    """The sensor reports the new cell before the old one."""
    two_hands: float = 0.0
    """Where several pieces move, both hands move at the same time."""
    puts_back: float = 0.0
    """The mover is lifted, put back, and lifted again."""
    tries: float = 0.0
    """The mover is held over, and briefly put on, another cell."""
    bumps: float = 0.0
    """A neighbour is lifted in passing and put back."""
    knocks: float = 0.0
    """A neighbour is knocked onto an adjacent cell and carried back.

    The share applies to each neighbour that would be bumped.
    """
    adjusts: float = 0.0
    """Some piece is lifted and adjusted before the move."""
    bounces: float = 0.0
    """A switch closes or opens several times."""
    flickers: float = 0.0
    """A switch under an untouched piece opens briefly, before each motion."""
    losses: float = 0.0
    """The line fails briefly, for each motion: changes in that time are lost."""
    is_stuck: bool = False
    """One switch is known to be stuck, and is ignored."""
    turns_in_place: float = 0.5
    """A piece that only turns is turned without being lifted."""
    pause_ms: int = 250
    """Median wait between two motions of a hand."""
    longest_ms: int = 2000
    """The 99th percentile of these waits."""


PROFILES: Final[Mapping[str, Habits]] = {
    "careful": Habits(),
    "casual": Habits(
        slides=0.2, stops=0.3, pushes=0.15, two_hands=0.5, adjusts=0.05, early=0.15, puts_back=0.1
    ),
    "blitz": Habits(slides=0.1, pushes=0.05, early=0.2, two_hands=0.3, pause_ms=60, longest_ms=300),
    "clumsy": Habits(bumps=0.3, knocks=0.3, adjusts=0.15, tries=0.15, puts_back=0.2),
    "noisy": Habits(bounces=0.5, flickers=0.1, losses=0.05, is_stuck=True),
    "illegal": Habits(slides=0.05, puts_back=0.05),
}
"""Habits of people, by temperament."""

_QUICKEST_MS: Final = 15
"""Shortest time between lifting one piece and placing another with the other hand."""

_BOUNCE_MS: Final = 12
"""Upper limit of the time for which a bouncing or flickering contact is open.

Valid once a few ms of debouncing are over.
"""

_SIGMA: Final = 2.326
"""Standard deviations from the median to the 99th percentile."""


def pause(habits: Habits, chance: Random) -> int:
    """A wait between two motions in ms: log-normal, like reaction times.

    No two motions are closer than `_QUICKEST_MS`; none waits longer than twice the 99th percentile.
    """
    ratio = habits.longest_ms / habits.pause_ms
    drawn = int(habits.pause_ms * ratio ** (chance.gauss(0, 1) / _SIGMA))
    return max(_QUICKEST_MS, min(drawn, 2 * habits.longest_ms))


def motions(
    grid: Grid, standing: Mapping[Cell, Piece], steps: Sequence[Step], habits: Habits, chance: Random
) -> list[Motion]:
    """One random sequence of motions for *steps* on a board with *standing*.

    The mover's step is the first one.
    """
    hands = _Hands(grid, dict(standing), habits, chance)
    if standing and chance.random() < habits.adjusts:
        hands.adjust(chance.choice(sorted(standing)))
    hands.perform(tuple(steps))
    found = hands.done
    if habits.flickers:
        found = _flickering(found, standing, habits, chance)
    return _bounced(found, habits, chance) if habits.bounces else found


class _Hands:
    """Hands during a move; `done` grows."""

    def __init__(self, grid: Grid, standing: dict[Cell, Piece], habits: Habits, chance: Random) -> None:
        self.grid = grid
        self.standing = standing
        self.habits = habits
        self.chance = chance
        self.done: list[Motion] = []

    def does(self, share: float) -> bool:
        """True with the probability *share*."""
        return self.chance.random() < share

    def show(
        self,
        cells: Iterable[Cell],
        piece: Piece | None,
        wait_ms: int | None = None,
        *,
        is_another: bool = False,
    ) -> None:
        """Put *piece* on *cells* after a pause, cell by cell within a few ms.

        *is_another*: it is a different piece, even if it looks like the present one.
        """
        wait = pause(self.habits, self.chance) if wait_ms is None else wait_ms
        for cell in cells:
            if self.standing.get(cell) == piece and not is_another:
                continue
            self.done.append(Motion(wait, cell, piece))
            wait = self.chance.randrange(4)
            if piece is None:
                del self.standing[cell]
            else:
                self.standing[cell] = piece

    def adjust(self, cell: Cell) -> None:
        """Lift the piece that covers *cell* and put it back.

        Only one of its cells opens.
        """
        piece = self.standing[cell]
        self.show((cell,), None)
        self.show((cell,), piece)

    def perform(self, steps: tuple[Step, ...]) -> None:
        """Perform *steps* in a random order."""
        turning = [step for step in steps if step.source == step.target]
        going = [step for step in steps if step.source != step.target]
        movers = [step for step in going if step.target]
        victims = [step for step in going if not step.target]
        if movers and self._is_pushed(movers[0], victims):
            self._push(movers[0], victims)
        elif len(movers) > 1:
            self._together(movers, victims)
        else:
            self._one(movers, victims)
        for step in turning:
            self._turn(step)

    def _is_pushed(self, mover: Step, victims: list[Step]) -> bool:
        entered = set(mover.target)
        return any(entered & set(victim.source) for victim in victims) and self.does(self.habits.pushes)

    def _push(self, mover: Step, victims: list[Step]) -> None:
        """The captured pieces leave while the mover arrives: their cells are never seen empty."""
        self.show(mover.source, None)
        self.show(mover.target, mover.becomes, is_another=True)
        for victim in victims:
            self.show((cell for cell in victim.source if cell not in mover.target), None)

    def _together(self, movers: list[Step], victims: list[Step]) -> None:
        """Several pieces move: one after the other, or with both hands at once."""
        for victim in victims:
            self.show(victim.source, None)
        movers = self.chance.sample(movers, len(movers))
        needs_room = any(
            set(one.target) & set(other.source) for one in movers for other in movers if one is not other
        )
        if needs_room or self.does(self.habits.two_hands):
            for mover in movers:
                self.show(mover.source, None)
            for mover in self.chance.sample(movers, len(movers)):
                self.show(mover.target, mover.becomes)
            return
        for mover in movers:
            self._carry(mover)

    def _one(self, movers: list[Step], victims: list[Step]) -> None:
        """One piece moves, or none.

        Captured pieces leave before it is lifted, before it is placed, or after.
        """
        entered = {cell for mover in movers for cell in mover.target}
        blocking = [victim for victim in victims if entered & set(victim.source)]
        aside = [victim for victim in victims if victim not in blocking]
        is_first = self.does(self.habits.victim_first)
        if is_first:
            for victim in victims:
                self.show(victim.source, None)
        for mover in movers:
            self._carry(mover, () if is_first else tuple(blocking))
        if not is_first:
            for victim in (*aside, *(() if movers else blocking)):
                self.show(victim.source, None)

    def _carry(self, step: Step, blocking: tuple[Step, ...] = ()) -> None:
        """Carry a piece from its cells, or from the hand, to its target."""
        if not step.source:
            for victim in blocking:
                self.show(victim.source, None)
            self.show(step.target, step.becomes)
            return
        if self.does(self.habits.puts_back):
            self.show(step.source, None)
            self.show(step.source, step.piece)
        if self._is_early(step, blocking):
            self.show(step.target, step.becomes)
            self.show(
                (cell for cell in step.source if cell not in step.target), None, self.chance.randrange(5, 40)
            )
            return
        self.show(step.source, None)
        if self.does(self.habits.bumps):
            self._bump(step)
        for victim in blocking:
            self.show(victim.source, None)
        self._wander(step)
        self.show(step.target, step.becomes)

    def _is_early(self, step: Step, blocking: tuple[Step, ...]) -> bool:
        is_free = not blocking and not any(
            cell in self.standing for cell in step.target if cell not in step.source
        )
        return is_free and self.does(self.habits.early)

    def _wander(self, step: Step) -> None:
        """Touch empty cells on the way, depending on the habits."""
        if len(step.source) > 1 or not step.target:
            return
        if self.does(self.habits.slides):
            pushed = replace(step.piece, facing=step.becomes.facing)  # first turned, then driven
            for cell in self._between(step.source[0], step.target[0]):
                is_stop = self.does(self.habits.stops)
                self.show((cell,), pushed, None if is_stop else self.chance.randrange(20, 80))
                self.show((cell,), None, None if is_stop else self.chance.randrange(20, 80))
        if self.does(self.habits.tries):
            free = [
                cell
                for cell in range(len(self.grid))
                if cell not in self.standing and cell not in step.target
            ]
            other = self.chance.choice(free)
            self.show((other,), step.piece)
            self.show((other,), None, self.chance.randrange(50, 300))

    def _between(self, start: Cell, stop: Cell) -> list[Cell]:
        """The cells strictly between two on a straight line, while they are empty."""
        for steps in self.grid.steps:
            passed, cell = list[Cell](), steps[start]
            while cell not in (OFF, stop) and len(passed) < len(self.grid):
                passed.append(cell)
                cell = steps[cell]
            if cell == stop:
                free = [cell for cell in passed if cell not in self.standing]
                return free if len(free) == len(passed) else []
        return []

    def _bump(self, step: Step) -> None:
        """Lift or knock over a neighbour of the mover's path, and put it back."""
        near = {steps[cell] for steps in self.grid.steps for cell in (*step.source, *step.target)}
        bumped = sorted(cell for cell in near if cell in self.standing and cell not in step.target)
        if not bumped:
            return
        cell = self.chance.choice(bumped)
        aside = self._beside(cell, step) if self.habits.knocks and self.does(self.habits.knocks) else []
        if not aside:
            self.adjust(cell)
            return
        fallen, piece = self.chance.choice(aside), self.standing[cell]
        self.show((cell,), None)
        self.show((fallen,), piece, self.chance.randrange(15, 80))
        self.show((fallen,), None)
        self.show((cell,), piece)

    def _beside(self, cell: Cell, step: Step) -> list[Cell]:
        """The free cells beside *cell* onto which its piece may fall.

        () for a piece that may cover several cells.
        """
        around = sorted({steps[cell] for steps in self.grid.steps} - {OFF, *self.grid.obstacles})
        if any(self.standing.get(other) == self.standing[cell] for other in around):
            return []
        return [other for other in around if other not in self.standing and other not in step.target]

    def _turn(self, step: Step) -> None:
        """Turn, flip or lay down a piece on its cell, with or without lifting it."""
        if self.does(self.habits.turns_in_place):
            self.show(step.target, step.becomes)
            return
        self.show(step.source, None)
        self.show(step.target, step.becomes)


def _flickering(
    found: list[Motion], standing: Mapping[Cell, Piece], habits: Habits, chance: Random
) -> list[Motion]:
    """*found* with added flickers: switches that open briefly under resting pieces.

    *standing* is the board before.
    """
    result = list[Motion]()
    resting = dict(standing)
    for motion in found:
        wait_ms = motion.wait_ms
        if resting and wait_ms > 2 * _BOUNCE_MS and chance.random() < habits.flickers:
            cell, opens_ms = chance.choice(sorted(resting)), chance.randrange(wait_ms - _BOUNCE_MS)
            open_ms = chance.randrange(1, _BOUNCE_MS)
            result += [Motion(opens_ms, cell, None), Motion(open_ms, cell, resting[cell])]
            wait_ms -= opens_ms + open_ms
        result.append(motion._replace(wait_ms=wait_ms))
        if motion.piece is None:
            resting.pop(motion.cell, None)
        else:
            resting[motion.cell] = motion.piece
    return result


def _bounced(found: list[Motion], habits: Habits, chance: Random) -> list[Motion]:
    """*found* with some bouncing switches: a change happens twice within a few ms."""
    result = list[Motion]()
    standing: dict[Cell, Piece | None] = {}
    for motion in found:
        before = standing.get(motion.cell)
        standing[motion.cell] = motion.piece
        result.append(motion)
        is_switch = (before is None) != (motion.piece is None)
        if is_switch and chance.random() < habits.bounces:
            result.append(Motion(chance.randrange(1, _BOUNCE_MS), motion.cell, before))
            result.append(Motion(chance.randrange(1, _BOUNCE_MS), motion.cell, motion.piece))
    return result

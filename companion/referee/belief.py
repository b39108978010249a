# SPDX-License-Identifier: Apache-2.0
"""What the referee holds to be true: a settled position, the moves made since, and what it has sensed since.

Every value here is frozen; `reconcile` makes the next from the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.observation import SensorKind
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.events import Stage
from companion.referee.footprints import Imprint, Prospect
from companion.referee.looks import NOTHING_SEEN, Seen
from companion.referee.timing import Timing

MOST_EDGES: Final = 256
"""Edges kept since the settled position; older ones of a long adjusting decide nothing any more."""


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change while a game is played."""

    rules: AnyRules
    kind: SensorKind
    timing: Timing


class Edge(NamedTuple):
    """At *t_ms* wood was set on *cell*, or left it."""

    t_ms: int
    cell: Cell
    is_occupied: bool


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that is believed to have been made and is not yet settled."""

    imprint: Imprint
    after: Prospect
    since: int
    """Number of edges until it was complete."""
    stage: Stage = Stage.PROVISIONAL
    is_pressed: bool = False
    """True if its side has said that it is done."""
    is_left: bool = False
    """True if its hand has left it: the board was at rest for the dwell, or the clock was pressed."""
    is_doubted: bool = False
    """True if nothing was sensed of it, and it is believed only because of what followed."""
    hidden: Occupancy = 0
    """Cells that could not be seen when it was believed."""
    others: tuple[Imprint, ...] = ()
    """Moves that it may have been as well, as far as anything was sensed; *imprint* stands for them all."""

    @property
    def is_conjecture(self) -> bool:
        """True if its mover was not seen where it should stand: it may still be in a hand."""
        return not self.imprint.shows & ~self.hidden & occupancy_of(self.imprint.target)

    @property
    def is_open(self) -> bool:
        """True if somebody has to say which move it was, or whether it was one."""
        return bool(self.others) or self.is_doubted

    @property
    def candidates(self) -> tuple[Imprint, ...]:
        """All moves that it may have been."""
        return (self.imprint, *self.others)


class Reading(NamedTuple):
    """A way to understand the board: keep *depth* plies of the line, then one of *imprints* was made."""

    depth: int
    imprints: tuple[Imprint, ...]
    is_sure: bool
    """True if wood was seen to be put down for it."""
    is_doubted: bool = False
    """True if nothing was sensed of it: it would only explain what followed."""
    loose: Occupancy = 0
    """Cells empty besides: wood in a hand, to be put right or to be moved next."""


@dataclass(frozen=True, slots=True)
class Belief:
    """A settled position, the plies since, and everything sensed since."""

    table: Table
    root: Prospect
    root_ply: int
    """Number of the ply that is played from *root*."""
    line: tuple[Ply, ...] = ()
    seen: Seen = NOTHING_SEEN
    edges: tuple[Edge, ...] = ()
    first_edge: int = 0
    """Number of the first of *edges*, counted from the start of the game."""
    now_ms: int = 0
    rest_since_ms: int = 0
    root_since: int = 0
    is_over: bool = False
    """True if the last ply ended the game: whoever clears the board takes nothing back."""
    is_clocked: bool = False
    """True once somebody has pressed a clock: who does so need not be suspected of moves that cannot be seen."""
    is_denied: bool = False
    """True if somebody has said that no such move was made."""
    gap: int = 0
    """Edges before this number may have come in another order, and others among them: some were lost."""
    guess: Reading | None = None
    """What the empty cells mean if no wood is in a hand."""

    @property
    def tip(self) -> Prospect:
        """The position after all that is believed."""
        return self.line[-1].after if self.line else self.root

    @property
    def edge_count(self) -> int:
        """Edges since the start of the game."""
        return self.first_edge + len(self.edges)

    @property
    def rest_ms(self) -> int:
        """How long the board has been at rest."""
        return self.now_ms - self.rest_since_ms

    @property
    def open_depth(self) -> int:
        """The first ply of the line that may have been several moves; the length of the line if none is open."""
        return next((depth for depth, ply in enumerate(self.line) if ply.is_open), len(self.line))

    def stage(self, depth: int) -> Stage:
        """How sure the ply at *depth* is: never more than provisional while it or an earlier one is open."""
        return self.line[depth].stage if depth < self.open_depth else Stage.PROVISIONAL

    def before(self, depth: int) -> Prospect:
        """The position after the first *depth* plies of the line."""
        return self.line[depth - 1].after if depth else self.root

    def since(self, depth: int) -> int:
        """Number of edges until the first *depth* plies of the line were complete."""
        return self.line[depth - 1].since if depth else self.root_since

    def stands(self, depth: int) -> bool:
        """True if the ply at *depth* may not be revised by a hand any more: it was answered, ended the game, or touch-move holds."""
        ply = self.line[depth]
        if ply.stage is Stage.SETTLED:
            return True
        is_free = self.table.rules.allows_take_back and not self.is_over
        if is_free or ply.stage is Stage.PROVISIONAL or not ply.is_left:
            return False
        return not ply.is_conjecture or self.is_touched(depth)

    def is_touched(self, depth: int) -> bool:
        """True if wood was lifted where the mover of the ply at *depth* should stand."""
        ply = self.line[depth]
        later = self.edges[max(0, ply.since - self.first_edge) :]
        return any(edge.cell in ply.imprint.target and not edge.is_occupied for edge in later)

    def sensed(self, t_ms: int, cell: Cell, seen: Seen) -> Belief:
        """The same after *cell*, and nothing else, has changed to what *seen* shows of it."""
        is_occupied = bool(seen.occupied >> cell & 1)
        edges, first = self.edges, self.first_edge
        if is_occupied != bool(self.seen.occupied >> cell & 1):
            edges = (*edges, Edge(t_ms, cell, is_occupied))
            if len(edges) > MOST_EDGES:
                edges, first = edges[1:], first + 1
        now_ms = max(self.now_ms, t_ms)
        return replace(
            self,
            seen=seen,
            edges=edges,
            first_edge=first,
            now_ms=now_ms,
            rest_since_ms=max(self.rest_since_ms, t_ms),
        )

    def settled(self, depth: int) -> Belief:
        """The same with the first *depth* plies of the line behind it."""
        if depth == 0:
            return self
        since = self.since(depth)
        start = max(0, since - self.first_edge)
        return replace(
            self,
            root=self.before(depth),
            root_ply=self.root_ply + depth,
            line=self.line[depth:],
            root_since=since,
            edges=self.edges[start:],
            first_edge=self.first_edge + start,
            is_denied=False,
        )

    def afresh(self, root: Prospect, *, ply: int) -> Belief:
        """Nothing but *root* is believed, from which *ply* is to be played; what is seen stays."""
        return Belief(
            self.table,
            root,
            root_ply=ply,
            seen=self.seen,
            first_edge=self.edge_count,
            root_since=self.edge_count,
            is_clocked=self.is_clocked,
            now_ms=self.now_ms,
            rest_since_ms=self.rest_since_ms,
        )

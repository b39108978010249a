# SPDX-License-Identifier: Apache-2.0
"""What the referee believes: a settled position, the plies since, and what was sensed.

The plies are those of the story that is shown. Every value here is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.observation import Change, Observation, SensorKind
from companion.model.occupancy import Occupancy, cells_of
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import NOTHING_SEEN, Seen
from companion.referee.values.board.marks import Edge, Mark
from companion.referee.values.events import Stage
from companion.referee.values.timing import BOUNCE_MS, Timing

_STAGE: Final = attrgetter("stage")

MOST_EDGES: Final = 256
"""Edges kept since the settled position."""


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change while a game is played."""

    rules: AnyRules
    kind: SensorKind
    timing: Timing
    costs: Costs = DEFAULT
    """What each cause of an edge costs."""


class Ply(NamedTuple):
    """A move that is believed to have been made and is not yet settled."""

    imprint: Imprint
    after: Prospect
    mark: Mark
    """When it was found to be complete."""
    stage: Stage = Stage.PROVISIONAL
    is_pressed: bool = False
    """True if its side has pressed for it."""
    is_left: bool = False
    """True if its hand has left it.

    The board was at rest for the dwell, or its side has pressed, or the ply was answered.
    """
    others: tuple[Imprint, ...] = ()
    """Moves that it may have been as well; *imprint* stands for them all."""
    is_doubted: bool = False
    """True if nothing was sensed of it: it is believed because of later edges only."""
    is_told: bool = False
    """True if a player has named it."""

    @property
    def since(self) -> int:
        """Number of edges until it was complete."""
        return self.mark.edges

    @property
    def candidates(self) -> tuple[Imprint, ...]:
        """All moves that it may have been."""
        return (self.imprint, *self.others)

    @property
    def is_open(self) -> bool:
        """True if a player has to say which move it was, or whether any."""
        return self.is_doubted or bool(self.others)

    @property
    def is_arrival_unseen(self) -> bool:
        """True if its mover was not seen on its target.

        It may still be in a hand.
        """
        return not self.imprint.shows & ~self.mark.seen.hidden & self.imprint.entered


class Belief(NamedTuple):
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
    presses: int = 0
    """Presses since play began, or since a position was set."""
    now_ms: int = 0
    rest_since_ms: int = 0
    root_since: int = 0
    is_over: bool = False
    """True if the last ply ended the game: clearing the board takes nothing back."""
    gap: int = 0
    """Edges before this number may be in another order, or incomplete: some were lost."""
    live: tuple[Any, ...] = ()
    """The hypotheses of the tracker."""
    searched: object = None
    """For what the tracker has searched a line that was not followed."""
    halts: tuple[Any, ...] = ()
    """The times at which a complete ply was at rest."""
    decided: tuple[Any, ...] = ()
    """What the tracker's last decision depends on, and the decision."""
    unexplained: tuple[tuple[Cell, float, int], ...] = ()
    """Cells that changed in a picture without a reason so far: nats, and time."""
    pictured: Prospect | None = None
    """The position that the last picture showed, if it showed one."""

    @property
    def tip(self) -> Prospect:
        """The position after all plies."""
        return self.line[-1].after if self.line else self.root

    @property
    def ply(self) -> int:
        """Number of the next ply."""
        return self.root_ply + len(self.line)

    @property
    def edge_count(self) -> int:
        """Edges since the start of the game."""
        return self.first_edge + len(self.edges)

    @property
    def mark(self) -> Mark:
        """Now."""
        return Mark(self.edge_count, self.seen, self.now_ms, self.rest_since_ms)

    @property
    def rest_ms(self) -> int:
        """How long the board has been at rest."""
        return self.now_ms - self.rest_since_ms

    @property
    def open_depth(self) -> int:
        """The first open ply of the line; the length of the line without one."""
        for depth, ply in enumerate(self.line):  # often asked for: no call for each ply
            if ply.is_doubted or ply.others:
                return depth
        return len(self.line)

    @property
    def undoubted(self) -> Belief:
        """The belief without its first doubted ply and those after it."""
        doubted = (depth for depth, ply in enumerate(self.line) if ply.is_doubted)
        depth = next(doubted, len(self.line))
        return self if depth == len(self.line) else self._replace(line=self.line[:depth])

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stage of each ply: provisional from the first open one on."""
        sure = self.open_depth
        return (*map(_STAGE, self.line[:sure]), *[Stage.PROVISIONAL] * (len(self.line) - sure))

    def before(self, depth: int) -> Prospect:
        """The position after the first *depth* plies of the line."""
        return self.line[depth - 1].after if depth else self.root

    def since(self, depth: int) -> int:
        """Number of edges until the first *depth* plies of the line were complete."""
        return self.line[depth - 1].mark.edges if depth else self.root_since

    def stands(self, depth: int) -> bool:
        """True if a hand may no longer revise the ply at *depth*.

        It was answered, it ended the game, or touch-move holds.
        """
        ply = self.line[depth]
        if ply.stage is Stage.SETTLED:
            return True
        is_free = self.table.rules.allows_take_back and not self.is_over
        if is_free or ply.stage is Stage.PROVISIONAL or not ply.is_left:
            return False
        return not ply.is_arrival_unseen or self._was_lifted(ply.imprint.entered, ply.since)

    def _was_lifted(self, cells: Occupancy, since: int) -> bool:
        """True if a piece on *cells* was lifted by an edge from number *since* on.

        A contact that only bounced does not count.
        """
        lifted_ms = dict[Cell, int]()
        for edge in self.edges[max(0, since - self.first_edge) :]:
            if not cells >> edge.cell & 1:
                continue
            if not edge.is_occupied:
                lifted_ms[edge.cell] = edge.t_ms
            elif edge.t_ms - lifted_ms.get(edge.cell, edge.t_ms) < BOUNCE_MS:
                lifted_ms.pop(edge.cell, None)
        return bool(lifted_ms)

    def sensed(self, change: Change) -> Belief:
        """The same after *change*, and nothing else."""
        seen = self.seen.changed(change.cell, change.sighting)
        is_occupied = bool(seen.occupied >> change.cell & 1)
        edges, first = self.edges, self.first_edge
        if is_occupied != bool(self.seen.occupied >> change.cell & 1):
            edges = (
                *edges,
                Edge(change.t_ms, change.cell, is_occupied, change.sighting if is_occupied else None),
            )
            if len(edges) > MOST_EDGES:
                edges, first = edges[1:], first + 1
        return self._replace(
            seen=seen,
            edges=edges,
            first_edge=first,
            now_ms=max(self.now_ms, change.t_ms),
            rest_since_ms=max(self.rest_since_ms, change.t_ms),
        )

    def at(self, now_ms: int) -> Belief:
        """The same at *now_ms*, unless that is past."""
        return self if now_ms <= self.now_ms else self._replace(now_ms=now_ms)

    def released(self, observation: Observation) -> Belief:
        """The same before *observation*, if that shows that no hand holds a piece any more."""
        if self.rest_ms >= 0 or observation.rest_since_ms > observation.at_ms:
            return self
        return self._replace(rest_since_ms=self.now_ms)

    def looking(self, at_ms: int, seen: Seen) -> Belief:
        """The same when all cells look as *seen*, in an unknown order of changes."""
        belief, changed = self, self.seen.occupied ^ seen.occupied
        for cell in (*cells_of(changed & ~seen.occupied), *cells_of(changed & seen.occupied)):
            belief = belief.sensed(Change(at_ms, cell, seen.look(cell)))
        return belief._replace(seen=seen, now_ms=max(belief.now_ms, at_ms))

    def settled(self, depth: int) -> Belief:
        """The same with the first *depth* plies of the line behind it, at least one."""
        edges = self.line[depth - 1].since
        oldest = min((node.since.edges for node in self.live), default=edges)
        start = max(0, min(edges, oldest) - self.first_edge)
        return self._replace(
            root=self.before(depth),
            root_ply=self.root_ply + depth,
            line=self.line[depth:],
            root_since=edges,
            edges=self.edges[start:],
            first_edge=self.first_edge + start,
        )

    def afresh(self, root: Prospect, *, ply: int, line: tuple[Ply, ...] = ()) -> Belief:
        """Nothing but *root*, from which *ply* is played, and *line* are believed.

        What is seen stays.
        """
        return Belief(
            self.table,
            root,
            root_ply=ply,
            line=tuple(
                each._replace(mark=self.mark._replace(rest_since_ms=each.mark.rest_since_ms)) for each in line
            ),
            seen=self.seen,
            first_edge=self.edge_count,
            gap=self.edge_count + 1 if root.differing(self.seen) else 0,
            root_since=self.edge_count,
            now_ms=self.now_ms,
            rest_since_ms=self.rest_since_ms,
        )

# SPDX-License-Identifier: Apache-2.0
"""One story of the game: explained plies and an open segment.

Hypotheses form a tree: the parent is the same story before its last step.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Side
from companion.referee.inference.tracker.needs import NOTHING, Needs
from companion.referee.inference.tracker.segment import Charge, Trail
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.marks import Edge, Mark

Edges: TypeAlias = tuple[Edge, ...]


class Outlook(NamedTuple):
    """The costs of an open segment."""

    key: object
    """What they depend on."""
    nothing: float
    """The least cost of putting all right."""
    begun: float
    """That of beginning a move."""
    limit: float
    """The lesser of them is exact unless it exceeds this."""
    is_late: bool | None
    """True after `order.early_ms` at rest; None if it does not matter."""


class Exchanged(NamedTuple):
    """A story with another move of one of its plies.

    It ends where all later plies stay as they are.
    """

    tip: Hypothesis | None
    """Its last node; None if it is impossible."""
    cells: Occupancy
    """Where pieces may differ from those of the story; -1 for anywhere."""


@dataclass(slots=True)
class Notes:
    """What was worked out about a node, and could be worked out again."""

    outlook: Outlook | None = None
    exchanged: dict[tuple[int, Hashable], Exchanged] = field(default_factory=dict)
    """By the number and the other move of a ply."""
    unchecked: tuple[tuple[int, Hashable], ...] = ()
    """The same where that took too long."""
    prospect: Prospect | None = None
    trace: int | None = None
    reach: Occupancy | None = None
    """The cells that have to do with other moves of the last ply."""
    trail: Trail | None = None
    """The edges of the open segment, as far as they were looked at."""


@dataclass(frozen=True, eq=False, slots=True)
class Hypothesis:
    """A node of the tree: one ply, its parent is the story before it."""

    parent: Hypothesis | None
    before: Prospect
    """The position in which the last ply was played."""
    imprints: tuple[Imprint, ...]
    """Possible moves of the last ply, all with the same trace.

    The first stands for all. () at the root.
    """
    needs: Needs
    """The edges that the last ply needed."""
    ply: int
    """Number of plies of the game so far."""
    made: Mark
    """What was sensed when the last ply was concluded."""
    since: Mark
    """What was sensed when the open segment began."""
    cost: float
    """In nats, from the root."""
    done_ms: int
    """When the last edge of the last ply was reported."""
    pressed: tuple[int, ...]
    """For each side, the number of the last ply for which it pressed, or -1."""
    pressed_ms: int = 0
    """When a side pressed last."""
    pressed_at: int = 0
    """Number of edges before that."""
    early: Edges = ()
    """Edges before `since` that belong to the open segment.

    The next player lifted a piece early.
    """
    is_answered: bool = False
    """True if a player has said that the last ply is one of `imprints`."""
    is_unfollowed: bool = False
    """True if the last ply begins a line that only the board shows."""
    segment: Edges = ()
    """The edges that the last ply explains."""
    charges: tuple[Charge, ...] = ()
    """The causes since the parent: what `cost` adds to that of the parent."""
    denied: int = -1
    """Number of edges until which no further ply was played, as a player said."""
    notes: Notes = field(default_factory=Notes, repr=False)

    @property
    def trace(self) -> int:
        """The same for stories whose plies need the same edges at the same times."""
        if self.notes.trace is None:
            before = self.parent.trace if self.parent is not None else 0
            self.notes.trace = hash((before, self.needs, self.ply, self.since.edges, self.early))
        return self.notes.trace

    @property
    def prospect(self) -> Prospect:
        """The position of the story."""
        notes = self.notes
        if notes.prospect is None:
            notes.prospect = self.before.after(self.imprints[0].move) if self.imprints else self.before
        return notes.prospect

    @property
    def turn(self) -> Side:
        """The side to move."""
        turn: Side = self.prospect.position.turn
        return turn

    @property
    def is_pressed(self) -> bool:
        """True if the mover of the last ply has pressed for it."""
        return self.ply - 1 in self.pressed

    @property
    def arrived(self) -> Occupancy:
        """The cells where pieces of the last ply were seen to arrive."""
        cells = self.needs.closes | self.needs.exchanges | self.needs.free
        return cells & occupancy_of(edge.cell for edge in self.segment if edge.is_occupied)

    def by_ply(self) -> Iterator[Hypothesis]:
        """The story backwards, from here to the root."""
        node: Hypothesis | None = self
        while node is not None:
            yield node
            node = node.parent

    def line(self, root_ply: int = -1) -> tuple[Hypothesis, ...]:
        """The nodes of the plies after *root_ply*, in order.

        The oldest node that is kept is left out.
        """
        found, node = list[Hypothesis](), self
        while node.parent is not None and node.ply > root_ply:
            found.append(node)
            node = node.parent
        return tuple(found[::-1])

    def last_of(self, side: Side) -> Hypothesis | None:
        """The node of the last ply of *side*, if it has moved since the root."""
        return next((node for node in self.line()[::-1] if node.before.position.turn == side), None)

    def pressed_by(self, side: Side, ply: int) -> tuple[int, ...]:
        """`pressed` after *side* has pressed for *ply*."""
        return (*self.pressed[:side], ply, *self.pressed[side + 1 :])

    def presses_after_attempt(self) -> tuple[tuple[int, ...], ...]:
        """`pressed` after an attempt: a press over it is used up or stays in force."""
        used = self.pressed_by(self.turn, min(self.pressed[self.turn], self.ply - 1))
        return tuple(dict.fromkeys((used, self.pressed)))

    def is_same_ply(self, other: Hypothesis) -> bool:
        """True if *other* ends with the same move."""
        return self is other or (
            self.imprints[0].move == other.imprints[0].move and self.needs == other.needs
        )

    def is_alike(self, other: Hypothesis) -> bool:
        """True if the last plies may have been the same move."""
        if self is other:
            return True
        moves = {each.move for each in self.imprints}
        return self.needs == other.needs and not moves.isdisjoint(each.move for each in other.imprints)

    def again(self, cost: float, **changes: object) -> Hypothesis:
        """The same plies at *cost*, with other presses or a later segment."""
        notes = Notes(prospect=self.notes.prospect)
        return replace(self, cost=cost, notes=notes, **changes)  # type: ignore[arg-type]

    def instead(self, parent: Hypothesis, imprints: tuple[Imprint, ...], more: float) -> Hypothesis:
        """The same last ply after *parent*, with *imprints*, which cost *more*."""
        before = self.parent.cost if self.parent is not None else parent.cost
        return replace(
            self,
            parent=parent,
            cost=self.cost + parent.cost - before + more,
            before=parent.prospect,
            imprints=imprints,
            notes=Notes(),
        )


def root_of(prospect: Prospect, ply: int, mark: Mark) -> Hypothesis:
    """The story that begins with *prospect*, in which *ply* is played next."""
    pressed = (ply - 1,) * len(prospect.rules.sides)
    return Hypothesis(None, prospect, (), NOTHING, ply, mark, mark, 0.0, mark.rest_since_ms, pressed)


def recent(live: tuple[Hypothesis, ...], ply: int) -> tuple[Hypothesis, ...]:
    """*live* from the nodes with the number *ply* on; what they share stays shared."""
    oldest = live[0]
    while oldest.parent is not None:
        oldest = oldest.parent
    if oldest.ply >= ply:
        return live
    made: dict[Hypothesis | None, Hypothesis] = {}
    for tip in live:
        for node in reversed([*tip.by_ply()]):
            if node.ply >= ply and node not in made:
                parent, notes = made.get(node.parent), replace(node.notes, trace=None, exchanged={})
                made[node] = replace(node, parent=parent, notes=notes)
    return tuple(made.get(tip, tip) for tip in live)

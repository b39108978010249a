# SPDX-License-Identifier: Apache-2.0
"""What the referee holds to be true: a settled position, the moves made since, and what it has heard since.

The moves are the likeliest of all histories that what was heard leaves possible.
The others are not spelt out: each open ply knows what else it may have been, and all that was heard is kept,
so that `reconcile` can live through it again with another choice. Every value here is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.observation import Change, Input, SensorKind
from companion.model.occupancy import Occupancy
from companion.referee.events import Stage
from companion.referee.footprints import Imprint, Prospect
from companion.referee.looks import NOTHING_SEEN, Seen
from companion.referee.marks import Edge, Exclusion, Mark, Reading
from companion.referee.timing import ANSWER_MS, BOUNCE_MS, LINGER_MS, Timing
from companion.referee.tracker.costs import DEFAULT, Costs

MOST_RIVALS: Final = 12
"""Rivals that are kept: what was possible longer ago was refuted, or confirmed, by what followed."""

_STAGE: Final = attrgetter("stage")

MOST_EDGES: Final = 256
"""Edges, and inputs, kept since the settled position; older ones of a long adjusting decide nothing any more."""


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change while a game is played."""

    rules: AnyRules
    kind: SensorKind
    timing: Timing
    costs: Costs = DEFAULT
    """What each cause of an edge costs, for the tracker."""


class Ply(NamedTuple):
    """A move that is believed to have been made and is not yet settled."""

    imprint: Imprint
    after: Prospect
    mark: Mark
    """When it was found to be complete."""
    stage: Stage = Stage.PROVISIONAL
    is_pressed: bool = False
    """True if its side has said that it is done."""
    left_at: int | None = None
    """Number of edges until its hand had left it: the board was at rest for the dwell, or the clock was pressed."""
    stood_at: int = 0
    """Number of edges until the board last stood so for the dwell: what was lifted before was put right."""
    is_doubted: bool = False
    """True if nothing was sensed of it, and it is believed only because of what followed."""
    is_inferred: bool = False
    """True if no wood was seen to be put down for it, though its mover may have gone where nobody sees."""
    is_slow: bool = False
    """True if it is inferred, and its hand held wood for longer than it is waited for."""
    others: tuple[Imprint, ...] = ()
    """Moves that it may have been as well, as far as anything was sensed; *imprint* stands for them all."""
    refuted: tuple[Imprint, ...] = ()
    """Moves that it cannot have been if all that followed is understood aright."""
    exclusion: Exclusion | None = None
    """Those of *others* that leave what followed unexplained."""
    loose: Occupancy = 0
    """Cells that were empty besides, when it was complete or its side pressed: wood in a hand."""
    is_kept: bool = False
    """True if nothing that followed is read instead of it."""
    is_told: bool = False
    """True if somebody has said that it was made."""
    instead_of: Ply | None = None
    """What its hand had made and left before, if it revised that."""
    is_odd: bool = False
    """True if its hand had made another ply with other wood before, to which it did not first put that back."""

    @property
    def since(self) -> int:
        """Number of edges until it was complete."""
        return self.mark.edges

    @property
    def handled_since(self) -> int:
        """Number of edges until the hands on its wood may mean to revise it: what was put right has nothing to do with that."""
        return max(self.mark.edges, self.stood_at)

    def is_same(self, other: Ply) -> bool:
        """True if *other* is the same move, found at the same moment."""
        return self.mark is other.mark and self.imprint == other.imprint

    @property
    def is_left(self) -> bool:
        """True if its hand has left it."""
        return self.left_at is not None

    @property
    def is_conjecture(self) -> bool:
        """True if its mover was not seen where it should stand: it may still be in a hand."""
        return not self.imprint.shows & ~self.mark.seen.hidden & self.imprint.entered

    @property
    def is_unseen(self) -> bool:
        """True if its mover went where nobody sees."""
        return bool(self.mark.seen.hidden & self.imprint.entered)

    @property
    def is_supposed(self) -> bool:
        """True if wood should have been seen to be put down for it and was not, although it changed the board."""
        is_changing = bool(self.imprint.changed or self.imprint.unseen)
        return self.is_inferred and is_changing and not self.is_unseen

    @property
    def is_phantom(self) -> bool:
        """True if it exchanged wood without a trace."""
        return self.is_supposed and not self.imprint.changed

    @property
    def candidates(self) -> tuple[Imprint, ...]:
        """All moves that it may have been."""
        return (self.imprint, *self.others)


def answered(line: tuple[Ply, ...]) -> tuple[Ply, ...]:
    """*line* with its last ply announced: the opponent has answered it."""
    if not line or line[-1].stage is not Stage.PROVISIONAL:
        return line
    return (*line[:-1], line[-1]._replace(stage=Stage.ANNOUNCED))


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
    inputs: tuple[Input, ...] = ()
    """All that was heard since the settled position; *edges* are what it did to the wood."""
    first_input: int = 0
    """Number of the first of *inputs*, counted from the start of the game."""
    idle_presses: int = 0
    """How often a side said that it was done and nothing it could have done was found."""
    now_ms: int = 0
    rest_since_ms: int = 0
    root_since: int = 0
    root_ms: int | None = None
    """When the settled position was reached by a ply; None if play began with it."""
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
    strained: int = 0
    """How much of it was supposed, or explained nothing, when other histories were last tried."""
    is_cut: bool = False
    """True if there were more other histories then than could be tried."""
    rivals: tuple[tuple[Ply, ...], ...] = ()
    """Lines by which the board was understood of late instead, the latest first."""
    live: tuple[Any, ...] = ()
    halts: tuple[Any, ...] = ()
    """The hypotheses of the tracker."""

    @property
    def tip(self) -> Prospect:
        """The position after all that is believed."""
        return self.line[-1].after if self.line else self.root

    @property
    def ply(self) -> int:
        """Number of the ply that is to be played."""
        return self.root_ply + len(self.line)

    @property
    def edge_count(self) -> int:
        """Edges since the start of the game."""
        return self.first_edge + len(self.edges)

    @property
    def mark(self) -> Mark:
        """Now."""
        return Mark(
            self.edge_count,
            self.first_input + len(self.inputs),
            self.seen,
            self.now_ms,
            self.rest_since_ms,
            self.idle_presses,
        )

    @property
    def rest_ms(self) -> int:
        """How long the board has been at rest."""
        return self.now_ms - self.rest_since_ms

    @property
    def open_depth(self) -> int:
        """The first ply of the line that may have been several moves; the length of the line if none is open."""
        for depth, ply in enumerate(self.line):
            if (ply.others or ply.is_doubted) and self.is_open(depth):
                return depth
        return len(self.line)

    @property
    def undoubted(self) -> Belief:
        """The belief without the first ply that may not have been played at all, and those after it."""
        doubted = (depth for depth, ply in enumerate(self.line) if ply.is_doubted)
        depth = next(doubted, len(self.line))
        return self if depth == len(self.line) else self._replace(line=self.line[:depth])

    def is_open(self, depth: int) -> bool:
        """True if somebody has to say which move the ply at *depth* was, or whether it was one."""
        ply = self.line[depth]
        return ply.is_doubted or (bool(ply.others) and len(self.candidates(depth)) > 1)

    def candidates(self, depth: int) -> tuple[Imprint, ...]:
        """All moves that the ply at *depth* may have been, but for those that what followed excludes."""
        ply = self.line[depth]
        found = ply.exclusion
        if found is None or all(each.mark is not found.by for each in self.line[:depth:-1]):
            return ply.candidates
        return tuple(each for each in ply.candidates if each not in found.imprints)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """How sure each ply of the line is: never more than provisional while it or an earlier one is open."""
        sure = self.open_depth
        return (*map(_STAGE, self.line[:sure]), *[Stage.PROVISIONAL] * (len(self.line) - sure))

    def before(self, depth: int) -> Prospect:
        """The position after the first *depth* plies of the line."""
        return self.line[depth - 1].after if depth else self.root

    def since(self, depth: int) -> int:
        """Number of edges until the first *depth* plies of the line were complete."""
        return self.line[depth - 1].mark.edges if depth else self.root_since

    def stands(self, depth: int) -> bool:
        """True if the ply at *depth* may not be revised by a hand any more: it was answered, ended the game, or touch-move holds."""
        ply = self.line[depth]
        if ply.is_kept or ply.stage is Stage.SETTLED:
            return True
        is_free = self.table.rules.allows_take_back and not self.is_over
        if is_free or ply.stage is Stage.PROVISIONAL or not ply.is_left:
            return False
        return not ply.is_conjecture or self.has_changed(ply.imprint.entered, ply.since, to_occupied=False)

    def is_touched(self, depth: int) -> bool:
        """True if wood was lifted where the mover of the ply at *depth* should stand, and not put right since."""
        ply = self.line[depth]
        return self.has_changed(ply.imprint.entered, ply.handled_since, to_occupied=False)

    def is_refilled(self, depth: int) -> bool:
        """True if the mover of the ply at *depth* was not seen to arrive, and wood was put down where it was emptied."""
        ply = self.line[depth]
        emptied = ply.imprint.changed & ~ply.imprint.shows
        return ply.is_conjecture and self.has_changed(emptied, ply.handled_since, to_occupied=True)

    def is_passing(self, depth: int) -> bool:
        """True if the mover of the ply at *depth* was surely lifted again sooner than anybody answers: it slides on."""
        ply, stood_ms = self.line[depth], self.stood_ms(depth)
        is_sure = not ply.is_pressed and self.gap <= ply.since
        return is_sure and stood_ms is not None and stood_ms < ANSWER_MS

    def stood_ms(self, depth: int) -> int | None:
        """How long the mover of the ply at *depth* stood where it was put; None if it was not lifted again within `LINGER_MS`."""
        ply, lifted_ms = self.line[depth], None
        decided_ms = ply.mark.rest_since_ms + LINGER_MS
        for edge in self.edges[max(0, ply.handled_since - self.first_edge) :]:
            if edge.t_ms >= decided_ms if lifted_ms is None else edge.t_ms - lifted_ms >= BOUNCE_MS:
                break
            if edge.cell not in ply.imprint.target:
                continue
            if edge.is_occupied:
                lifted_ms = None
            elif lifted_ms is None:
                lifted_ms = edge.t_ms
        return None if lifted_ms is None else lifted_ms - ply.mark.rest_since_ms

    def has_changed(self, cells: Occupancy, since: int, *, to_occupied: bool) -> bool:
        """True if one of *cells* has come to be occupied, or empty, by an edge from number *since* on, and no contact only bounced."""
        since_ms = dict[Cell, int]()
        for edge in self.edges[max(0, since - self.first_edge) :]:
            if not cells >> edge.cell & 1:
                continue
            if edge.is_occupied is to_occupied:
                since_ms[edge.cell] = edge.t_ms
            elif edge.t_ms - since_ms.get(edge.cell, edge.t_ms) < BOUNCE_MS:
                since_ms.pop(edge.cell, None)
        return bool(since_ms)

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
        inputs, first_input = self._recorded(change)
        return self._replace(
            seen=seen,
            edges=edges,
            first_edge=first,
            inputs=inputs,
            first_input=first_input,
            now_ms=max(self.now_ms, change.t_ms),
            rest_since_ms=max(self.rest_since_ms, change.t_ms),
        )

    def heard(self, entered: Input) -> Belief:
        """The same, with *entered* on record."""
        inputs, first = self._recorded(entered)
        return self._replace(inputs=inputs, first_input=first, now_ms=max(self.now_ms, entered.t_ms))

    def _recorded(self, entered: Input) -> tuple[tuple[Input, ...], int]:
        """The inputs with *entered*, and the number of the first of them."""
        inputs = (*self.inputs, entered)
        return (inputs[1:], self.first_input + 1) if len(inputs) > MOST_EDGES else (inputs, self.first_input)

    def back_at(self, mark: Mark) -> Belief | None:
        """The same plies, with nothing heard after *mark*; None if what was heard until then is no longer kept, or yet to be heard."""
        edges, inputs = mark.edges - self.first_edge, mark.inputs - self.first_input
        if edges < 0 or inputs < 0 or inputs > len(self.inputs):
            return None
        return self._replace(
            seen=mark.seen,
            edges=self.edges[:edges],
            inputs=self.inputs[:inputs],
            now_ms=mark.now_ms,
            rest_since_ms=mark.rest_since_ms,
            idle_presses=mark.idle_presses,
            guess=None,
        )

    def unburdened(self) -> Belief:
        """The same; if the board fits, with nothing heard until now that could speak for what follows."""
        if self.tip.differing(self.seen):
            return self
        if not self.line:
            return self._replace(root_since=self.edge_count)
        return self._replace(line=(*self.line[:-1], self.line[-1]._replace(mark=self.mark)))

    def rivalled(self, line: tuple[Ply, ...], *, is_kept: bool = True) -> Belief:
        """The same, with *line* as one more rival, to whose last ply it is to be kept if *is_kept*."""
        rival = (*answered(line[:-1]), line[-1]._replace(is_kept=is_kept))
        return self._replace(rivals=(rival, *self.rivals)[:MOST_RIVALS])

    def shared_with(self, line: tuple[Ply, ...]) -> int:
        """Number of plies until *line* parts from the line."""
        together = zip(self.line, line, strict=False)
        parts = (depth for depth, (ply, other) in enumerate(together) if not ply.is_same(other))
        return next(parts, min(len(self.line), len(line)))

    def settled(self, depth: int) -> Belief:
        """The same with the first *depth* plies of the line behind it, at least one."""
        mark = self.line[depth - 1].mark
        oldest = min((node.since.edges for node in self.live), default=mark.edges)
        start = max(0, min(mark.edges, oldest) - self.first_edge)
        first_input = max(0, mark.inputs - self.first_input)
        guess = self.guess._replace(depth=self.guess.depth - depth) if self.guess else None
        return self._replace(
            guess=guess if guess and guess.depth >= 0 else None,
            root=self.before(depth),
            root_ply=self.root_ply + depth,
            line=self.line[depth:],
            root_since=self.line[depth - 1].handled_since,
            root_ms=mark.rest_since_ms,
            edges=self.edges[start:],
            first_edge=self.first_edge + start,
            inputs=self.inputs[first_input:],
            first_input=self.first_input + first_input,
            rivals=tuple(
                rival[depth:] for rival in self.rivals if self.shared_with(rival) >= depth < len(rival)
            ),
            is_denied=False,
        )

    def afresh(self, root: Prospect, *, ply: int, line: tuple[Ply, ...] = ()) -> Belief:
        """Nothing but *root*, from which *ply* is to be played, and *line* are believed; what is seen stays."""
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
            first_input=self.first_input + len(self.inputs),
            root_since=self.edge_count,
            is_clocked=self.is_clocked,
            now_ms=self.now_ms,
            rest_since_ms=self.rest_since_ms,
        )

# SPDX-License-Identifier: Apache-2.0
"""The state of a session, and its few kinds of change."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import InitVar, dataclass, field
from itertools import dropwhile
from typing import Any, Final

from companion.model.absent import PlayedBy, absent_sides
from companion.model.game import AnyRules, Outcome, Violation
from companion.model.grid import Cell
from companion.model.observation import SensorKind
from companion.model.occupancy import occupancy_of
from companion.model.pieces import Piece, Side
from companion.referee.inference.belief import Belief, Ply, Table
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.event_diff import played
from companion.referee.inference.guidance import PiecesInPlay, tracked
from companion.referee.inference.illegal_position import (
    CLOCK_WITHOUT_MOVE,
    PRESS_WITHOUT_MOVE,
    IllegalFinding,
)
from companion.referee.state import chart
from companion.referee.state.chart import Facts
from companion.referee.state.clock_switching import rest
from companion.referee.state.inquiry import Inquiry
from companion.referee.state.replay_events import Replay
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.board.decided import DecidedMove
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import Seen
from companion.referee.values.clocks import Clocks
from companion.referee.values.events import Level, Stage
from companion.referee.values.gestures import Gestures, Presses
from companion.referee.values.questions import Pointed, Question
from companion.referee.values.record import Claims, Played
from companion.referee.values.timing import Timing
from companion.referee.values.view import ClockView, MoveView, Phase

_ASIDE: Final = (Phase.SETTING_UP, Phase.PAUSED, Phase.CARRYING_OUT)
"""Phases in which the board is not compared with the rules."""
_WITHOUT_MOVE: Final = (PRESS_WITHOUT_MOVE, CLOCK_WITHOUT_MOVE)


@dataclass(eq=False, slots=True)
class SessionState:
    """The state of one session: mutable, and owned by it alone."""

    rules: AnyRules
    kind: SensorKind
    timing: InitVar[Timing]
    start: InitVar[Any]
    costs: InitVar[Costs] = DEFAULT
    played_by: tuple[PlayedBy, ...] = ()
    """Who plays each side; () if people at the table play all."""

    phase: Phase = field(default=Phase(chart.INITIAL), init=False)
    """The state of the statechart."""
    absent: frozenset[Side] = field(init=False)
    """The sides that are not played at the table."""
    decided: DecidedMove | None = field(default=None, init=False)
    """The move of an absent side that is to be carried out."""
    clocks_elsewhere: tuple[ClockView, ...] = field(default=(), init=False)
    """The clocks as the place reported them that keeps the game's time; () without one."""
    initial: Prospect = field(init=False)
    belief: Belief = field(init=False)
    pieces: PiecesInPlay = field(default_factory=lambda: PiecesInPlay({}), init=False)
    """The pieces at the start of the set-up."""
    played: list[Played] = field(default_factory=list, init=False)
    fault: tuple[Level, IllegalFinding] | None = field(default=None, init=False)
    asked: Question | None = field(default=None, init=False)
    asked_ms: int = field(default=0, init=False)
    """When `asked` was asked."""
    undecided: int = field(default=-1, init=False)
    """The number of edges at which an undecided ply was written down last."""
    worded: tuple[Hashable, Question | None] | None = field(default=None, init=False)
    """The latest question, after its subject."""
    pointed: Pointed | None = field(default=None, init=False)
    """The choice selected by presses."""
    inquiry: Inquiry | None = field(default=None, init=False)
    """A question that is not about a move; play waits for its answer."""
    declined: Seen | None = field(default=None, init=False)
    """The board with the start position for which a new game was declined."""
    touched: tuple[Question, int] | None = field(default=None, init=False)
    """The choice of the touch of a lit cell that has just ended, if any."""
    outcome: Outcome | None = field(default=None, init=False)
    is_decided: bool = field(default=False, init=False)
    """True if the game ended by a command: no piece can change that."""
    is_sensed: bool = field(default=False, init=False)
    """True once the sensors have reported: before that a board only seems to be empty."""
    is_begun: bool = field(default=False, init=False)
    begun_ms: int = field(default=0, init=False)
    """Time at which play began or went on."""
    is_start_amended: bool = field(default=False, init=False)
    """True if an arbiter adopted another position before the first move, same side to move.

    It is nobody's ply.
    """
    ended_ms: int | None = field(default=None, init=False)
    """Time at which a move ended the game and stopped the clocks."""
    is_adjourned: bool = field(default=False, init=False)
    """True while play rests and the pieces may be anywhere."""
    is_held: bool = field(default=False, init=False)
    """True while play must not begin or go on until it is released."""
    rotation: Rotation = field(init=False)
    """Orientation of the pieces on the sensor's cells."""
    is_turn_unclear: bool = field(default=False, init=False)
    """True while the position is set up in an ambiguous orientation."""
    gestures: Gestures = field(default=Gestures.OFF, init=False)
    """The gestures by which players may end the game."""
    presses: Presses = field(default_factory=Presses, init=False)
    done: tuple[int, int] | None = field(default=None, init=False)
    """Time and number of a ply declared complete by a press.

    Kept while its piece may still be placed with the same stroke.
    """
    pressed: tuple[int, int] | None = field(default=None, init=False)
    """Time and ply of a press of the side to move without a move.

    None if there was no such press, or it was reported.
    """
    draw_offered_by: Side | None = field(default=None, init=False)
    draw_declined_by: Side | None = field(default=None, init=False)
    draw_agreed: frozenset[Side] = field(default=frozenset(), init=False)
    """The sides that agree to the offered draw, with the one that offered it."""
    claiming: tuple[Side, int] | None = field(default=None, init=False)
    """Side and ply of a draw offer before the ply, which may be the claim."""
    claims: tuple[object, Claims] = field(default=(None, Claims()), init=False)
    """The possible claims, after the data that they were computed from."""
    immobile: tuple[object, Violation | None] = field(default=(None, None), init=False)
    """Why a lifted piece cannot move, after its position and cell."""
    clocks: Clocks | None = field(default=None, init=False)
    is_start_due: bool = field(default=False, init=False)
    """True if the first clock starts as soon as play begins."""
    earlier_clocks: dict[int, Clocks] = field(default_factory=dict, init=False)
    """The clocks in each ply."""
    made_ms: dict[int, int] = field(default_factory=dict, init=False)
    """Time of each ply, announced or not, and even if it was identified late.

    For a ply without a trace, the time of the press.
    """
    spent_ms: dict[int, int] = field(default_factory=dict, init=False)
    """Thinking time of each ply."""
    shown: tuple[tuple[list[Played], dict[int, int]], tuple[MoveView, ...]] = field(
        default_factory=lambda: (([], {}), ()), init=False
    )
    """The settled plies as last shown, after the data that they were made of."""
    captured: tuple[tuple[list[Played], Any], tuple[Piece, ...]] = field(init=False)
    """The pieces that the settled plies captured, after these plies and the position after them."""
    shown_captured: tuple[tuple[object, object], tuple[Piece, ...]] = field(
        default=((None, None), ()), init=False
    )
    """The captured pieces as last shown, after root and line of the belief."""

    def __post_init__(self, timing: Timing, start: Any, costs: Costs) -> None:
        """Begin at the position *start*."""
        self.absent = absent_sides(self.played_by)
        self.initial = self.prospect(start)
        self.captured = ([], start), ()
        self.belief = Belief(
            Table(self.rules, self.kind, timing, costs.paced(timing)), self.initial, root_ply=0
        )
        self.rotation = Rotation.of(self.rules.grid, 0, len(self.rules.sides))

    def prospect(self, position: Any) -> Prospect:
        """*position* as the sensor sees it, with the moves that the hands may make."""
        return Prospect(self.rules, position, self.kind, self.absent)

    @property
    def is_carrying_out(self) -> bool:
        """True while hands carry out a move that was decided elsewhere: no clock runs."""
        return self.decided is not None

    @property
    def current(self) -> Any:
        """The position after the last believed ply."""
        return self.belief.tip.position

    @property
    def to_move(self) -> Side:
        """The side to move there."""
        turn: Side = self.belief.tip.position.turn
        return turn

    @property
    def next_ply(self) -> int:
        """Number of the next ply."""
        return self.belief.ply

    def side_of(self, ply: int) -> Side:
        """The side that plays *ply*, a believed one or the next."""
        if ply < len(self.played):
            return self.played[ply].side
        turn: Side = self.belief.before(ply - self.belief.root_ply).position.turn
        return turn

    def send(self, event: str) -> None:
        """Send *event* to the statechart, which decides what phase follows."""
        self.phase = Phase(chart.after(self.phase, event, self.facts))

    @property
    def is_played(self) -> bool:
        """True while the board is compared with the rules."""
        is_resting = self.phase in _ASIDE or self.inquiry is not None
        return not is_resting and not self.is_decided

    @property
    def is_without_move(self) -> bool:
        """True if the fault is a press without a move."""
        return self.fault is not None and self.fault[1].violation.rule in _WITHOUT_MOVE

    @property
    def shown_fault(self) -> tuple[Level, IllegalFinding] | None:
        """The fault to be shown; a missing move is not, while something is moved."""
        if self.fault is None:
            return None
        belief = self.belief
        return None if self.is_without_move and belief.tip.differing(belief.seen) else self.fault

    @property
    def awaits_clock(self) -> bool:
        """True if the clocks wait for the first move, a press, or a start command."""
        clocks = self.clocks
        if clocks is None or clocks.running is not None or self.is_start_due or self.outcome is not None:
            return False
        return clocks.control.starts_by_hand or not clocks.control.by_moves

    @property
    def pressers(self) -> tuple[Side, ...]:
        """The sides whose presses have an effect.

        The side whose clock runs, where presses switch it, or who may start the first one;
        else the side to move, if a move may leave no trace.
        """
        if self.outcome is not None:
            return ()
        return tuple(side for side in self._pressers() if side not in self.absent)

    def _pressers(self) -> tuple[Side, ...]:
        """The same, with the absent sides."""
        tip, clocks = self.belief.tip, self.clocks
        if clocks is not None and not clocks.control.by_moves:
            return tuple(range(len(clocks.reserves))) if clocks.running is None else (clocks.running,)
        turn, is_unseen = tip.position.turn, tip.has_unseen()
        if self.awaits_clock and not self.belief.line:
            return tuple(side for side in range(len(self.rules.sides)) if is_unseen or side != turn)
        return (turn,) if is_unseen else ()

    def pieces_now(self) -> PiecesInPlay:
        """The present places of the pieces, as far as the hands could be followed."""
        belief = self.belief
        if self.phase is Phase.SETTING_UP:
            return tracked(self.pieces, belief.edges, belief.tip.position.turn)
        belief = belief.undoubted
        since = max(0, belief.since(len(belief.line)) - belief.first_edge)
        return tracked(PiecesInPlay(belief.tip.pieces), belief.edges[since:], belief.tip.position.turn)

    def earlier(self) -> list[Any]:
        """The positions before each ply so far."""
        belief = self.belief
        before = [entry.before for entry in self.played]
        return before + [belief.before(depth).position for depth in range(len(belief.line))]

    def believe(self, belief: Belief) -> None:
        """Replace the belief, and put its settled plies on record."""
        is_known = belief.line is self.belief.line and belief.edges is self.belief.edges
        for depth, ply in enumerate(() if is_known else belief.line):
            mark = ply.mark
            is_traceless = ply.is_pressed and not ply.imprint.changed & ~mark.seen.hidden
            is_just_said = is_traceless and mark.now_ms > self.begun_ms  # else it was kept while play rested
            made_ms = mark.now_ms if is_just_said else _done_ms(belief, depth)
            self.made_ms[belief.root_ply + depth] = made_ms
        settled = belief.stages.count(Stage.SETTLED)
        self.played += [played(belief, depth) for depth in range(settled)]
        self.belief = belief.settled(settled) if settled else belief
        if settled:  # the start would keep every position of the game in memory
            belief.root.left()

    def take_over(self, replay: Replay) -> None:
        """Continue, in a fresh state, from *replay*.

        Its position is to be set up, and the clocks rest.
        """
        self.is_held, self.is_start_due, self.ended_ms = replay.is_held, replay.is_start_due, replay.ended_ms
        if replay.degrees is not None:
            self.rotation = Rotation.of(self.rules.grid, replay.degrees // 90, len(self.rules.sides))
        if replay.began is not None:
            start = self.rules.read_position(replay.began.position)
            self.initial = self.prospect(start)
            self.is_begun, self.is_start_amended = True, replay.is_start_amended
            self.played = replay.played
            is_first = not replay.entries
            self.clear(self.initial if is_first else self.prospect(replay.current))
            self.is_begun = True
        if replay.decided is not None and replay.began is not None:
            tip = self.belief.tip
            move = self.rules.read_move(tip.position, replay.decided.move)
            self.decided = DecidedMove.of(tip, move, replay.decided.ply, self.belief.edge_count)
        self.clocks = replay.clocks
        self.earlier_clocks, self.spent_ms = dict(replay.earlier_clocks), dict(replay.spent_ms)
        rest(self, replay.proved_ms)

    def amend(self, before: Any, position: Any) -> None:
        """Record that *position*, reached by no move, follows *before*.

        As a ply, or with the same side to move as part of the one before it.
        """
        if position.turn != before.turn:
            self.played.append(Played(before, before.turn, ""))
        elif self.played:
            self.played[-1] = self.played[-1]._replace(is_amended=True)
        else:
            self.is_start_amended = True

    def enter(self) -> None:
        """Enter the phase that the present belief calls for."""
        self.send("judged")

    @property
    def facts(self) -> Facts:
        """What the statechart decides by."""
        return Facts(
            is_over=self.outcome is not None,
            is_decided=self.decided is not None,
            is_at_fault=self.shown_fault is not None,
            is_handled=bool(self.belief.tip.differing(self.belief.seen)),
            is_asked=self.asked is not None,
        )

    def clear(self, goal: Prospect, line: tuple[Ply, ...] = ()) -> None:
        """Leave play: the position after *goal* and *line* is to be set up.

        If it is the initial one, for a new game.
        """
        belief = self.belief
        self.pieces = self.pieces_now()
        if self.phase is not Phase.SETTING_UP:
            self.send("cleared")
        if goal is self.initial and not line:
            self.played.clear()
            self.is_begun = self.is_start_amended = False
            self.earlier_clocks.clear()
            self.made_ms.clear()
            self.spent_ms.clear()
            if self.clocks is not None:
                self.clocks = Clocks.of(self.clocks.control)
        self.fault = self.asked = self.outcome = self.draw_offered_by = self.done = self.pressed = None
        self.draw_declined_by = self.inquiry = self.decided = None
        self.is_decided = self.is_adjourned = False
        self.claiming, self.claims = None, (None, Claims())
        self.belief = belief.afresh(goal, ply=len(self.played), line=line)


def _done_ms(belief: Belief, depth: int) -> int:
    """Time at which the ply at *depth* was complete on the board.

    If its mover had left all its cells again when the ply was found,
    the time of its first placement, if seen.
    A piece that turns on its cell may be placed after all others.
    """
    ply, first = belief.line[depth], belief.first_edge
    imprint, absent = ply.imprint, ~(ply.mark.seen.occupied | ply.mark.seen.hidden)
    if not imprint.filled & absent:
        return ply.mark.rest_since_ms
    if imprint.target and not imprint.entered & ~absent:
        since = dropwhile(
            lambda edge: edge.is_occupied or edge.cell not in imprint.source,
            belief.edges[max(0, belief.since(depth) - first) : max(0, ply.since - first)],
        )
        put_ms = (edge.t_ms for edge in since if edge.is_occupied and edge.cell in imprint.target)
        return next(put_ms, ply.mark.rest_since_ms)
    turned = occupancy_of(cell for source, target in imprint.carried if source == target for cell in target)
    down_ms = dict[Cell, int]()
    for edge in belief.edges[max(0, ply.since - first) :] if turned & absent else ():
        if edge.is_occupied and turned & absent & 1 << edge.cell:
            down_ms.setdefault(edge.cell, edge.t_ms)
    return max(down_ms.values(), default=ply.mark.rest_since_ms)

# SPDX-License-Identifier: Apache-2.0
"""One game at one table: observations, commands and the time go in, events come out, a view can be had at any time.

Rule: deterministic. It takes the time and never asks for it; the same inputs give the same events.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from companion.model.game import AnyRules, Outcome, Unlawful
from companion.model.observation import Change, Observation, SensorKind
from companion.model.pieces import Side
from companion.model.placement import Placement
from companion.referee.belief import Belief, Table
from companion.referee.chart import TableChart
from companion.referee.commands import (
    Command,
    LetStand,
    NewGame,
    OfferDraw,
    Pause,
    Resign,
    Resume,
    TakeBack,
)
from companion.referee.events import (
    DrawOffered,
    Event,
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    IllegalMended,
    IllegalSeen,
    Level,
    MoveMade,
    MoveRetracted,
    PositionAdopted,
    Stage,
)
from companion.referee.fault import TOUCH_MOVE, Wrong, difference, wrong
from companion.referee.footprints import Prospect
from companion.referee.guidance import Wood, followed
from companion.referee.looks import Seen
from companion.referee.reconcile import announced, looking, reconcile, rested, understood
from companion.referee.record import Played, outcome
from companion.referee.telling import played, told
from companion.referee.timing import DEFAULT_TIMING, Timing
from companion.referee.view import Fault, Phase, TableView
from companion.referee.viewing import picture

_ENTERING: Final = {
    Phase.WAITING: "rested",
    Phase.HANDLING: "lifted",
    Phase.CHOOSING: "doubted",
    Phase.ASTRAY: "strayed",
    Phase.FINISHED: "ended",
}


class Session:
    """A game under way. Not for sharing between tasks: one table, one session."""

    def __init__(
        self,
        rules: AnyRules,
        kind: SensorKind = SensorKind.OCCUPANCY,
        timing: Timing = DEFAULT_TIMING,
        *,
        start: Any = None,
    ) -> None:
        """A table at which the position *start*, by default the game's initial one, is to be set up."""
        self.rules = rules
        self.kind = kind
        self._chart = TableChart()
        position = rules.initial() if start is None else start
        root = Prospect(rules, position, kind)
        self._initial = root
        self._belief = Belief(Table(rules, kind, timing), root, root_ply=0)
        self._wood = Wood({})
        """What lay where when setting up began."""
        self._played: list[Played] = []
        self._fault: tuple[Level, Wrong] | None = None
        self._outcome: Outcome | None = None
        self._is_decided = False
        """True if the game ended by a command: no piece can change that."""
        self._is_begun = False
        self._draw_offered_by: Side | None = None

    @classmethod
    def restore(
        cls,
        rules: AnyRules,
        events: Iterable[Event],
        kind: SensorKind = SensorKind.OCCUPANCY,
        timing: Timing = DEFAULT_TIMING,
    ) -> Session:
        """The session that the *events* of a journal lead to; its position is to be found or set up on the board.

        What was only provisional is forgotten. Raises `NotationError` if the events are of another game.
        """
        session = cls(rules, kind, timing)
        for event in events:
            session._replay(event)
        return session

    # what comes in

    def observe(self, observation: Observation) -> tuple[Event, ...]:
        """What has happened, now that *observation* was made, in order."""
        belief = self._belief
        for entered in observation.inputs:
            if self._is_played:
                belief = reconcile(belief, entered)
            elif isinstance(entered, Change):
                belief = belief.sensed(
                    entered.t_ms, entered.cell, belief.seen.changed(entered.cell, entered.sighting)
                )
        seen = Seen.of(observation.sightings, self.kind)
        if seen != belief.seen:
            belief = looking(belief, observation.at_ms, seen)
            belief = understood(belief) if self._is_played else belief
        belief = replace(
            belief,
            now_ms=max(belief.now_ms, observation.at_ms),
            rest_since_ms=max(belief.rest_since_ms, observation.rest_since_ms),
        )
        return tuple(self._follow(belief, observation.at_ms))

    def tick(self, now_ms: int) -> tuple[Event, ...]:
        """What has happened because nothing else did until *now_ms*."""
        self._belief.tip.prepare()
        if not self._is_played:
            return tuple(self._follow(replace(self._belief, now_ms=max(self._belief.now_ms, now_ms)), now_ms))
        return tuple(self._follow(rested(self._belief, now_ms), now_ms))

    def next_deadline_ms(self) -> int | None:
        """When `tick` is to be called next if nothing is observed until then; None if it never need be."""
        belief, timing = self._belief, self._belief.table.timing
        if not belief.tip.is_prepared:
            return belief.now_ms
        if self.phase is Phase.PAUSED or (self._is_played and self._is_quiet()):
            return None
        waits = (timing.rest_ms, timing.hint_ms, timing.dwell_ms, timing.dwell_emptied_ms)
        due = [belief.rest_since_ms + wait for wait in (waits if self._is_played else waits[:1])]
        return next((deadline for deadline in due if deadline > belief.now_ms), None)

    def command(self, command: Command, now_ms: int) -> tuple[Event, ...]:
        """What has happened because somebody asked for *command*; nothing if it cannot be had now."""
        match command:
            case Resign(side):
                events = self._end(now_ms, self._resigned(side))
            case OfferDraw(side):
                events = self._offer_draw(side, now_ms)
            case Pause():
                events = self._pause(now_ms)
            case Resume():
                events = self._resume(now_ms)
            case LetStand(turn):
                events = self._let_stand(turn, now_ms)
            case TakeBack(plies):
                events = self._take_back(plies, now_ms)
            case NewGame():
                events = self._restart()
        return (
            *events,
            *self._follow(replace(self._belief, now_ms=max(self._belief.now_ms, now_ms)), now_ms),
        )

    # what is known

    @property
    def phase(self) -> Phase:
        """The state of the statechart."""
        (state,) = self._chart.configuration_values
        return Phase(state)

    @property
    def ply(self) -> int:
        """Number of the ply to be played."""
        return self._belief.root_ply + len(self._belief.line)

    @property
    def position(self) -> Any:
        """The position believed, or the one to be set up."""
        return self._belief.tip.position

    def view(self) -> TableView:
        """All that should be shown now."""
        return picture(
            belief=self._belief,
            phase=self.phase,
            played=self._played,
            wood=self._wood_now(),
            fault=self._shown_fault(),
            outcome=self._outcome,
            draw_offered_by=self._draw_offered_by,
        )

    @property
    def _is_played(self) -> bool:
        """True while the board is held against the rules."""
        return self.phase not in (Phase.SETTING_UP, Phase.PAUSED) and not self._is_decided

    def _is_quiet(self) -> bool:
        """True if time alone can change nothing."""
        belief = self._belief
        is_open = bool(belief.line) and belief.line[-1].stage is Stage.PROVISIONAL
        if self._outcome is not None:
            return belief.rest_ms >= belief.table.timing.rest_ms
        return not is_open and not belief.tip.differing(belief.seen)

    def _wood_now(self) -> Wood:
        """Where the pieces lie, as far as the hands could be followed."""
        belief = self._belief
        if self.phase is Phase.SETTING_UP:
            return followed(self._wood, belief.edges, belief.root.position.turn)
        since = max(0, belief.since(len(belief.line)) - belief.first_edge)
        return followed(Wood(belief.tip.pieces), belief.edges[since:], belief.tip.position.turn)

    def _shown_fault(self) -> Fault | None:
        """The fault as it is shown."""
        if self._fault is None:
            return None
        level, found = self._fault
        told = found.difference
        cells = (*told.emptied, *told.filled, *(cell for cell, _ in told.changed))
        return Fault(level, found.violation, cells or found.violation.cells)

    # what follows

    def _follow(self, belief: Belief, at_ms: int) -> list[Event]:
        """The events of going on from what was believed to *belief*."""
        if not self._is_played:
            self._belief = belief
            return self._set_up(at_ms) if self.phase is Phase.SETTING_UP else []
        events: list[Event] = []
        if self._outcome is None:
            belief = self._judge(belief, at_ms, events)
        moves = told(self._belief, belief, at_ms)
        self._believe(belief)
        if any(isinstance(event, MoveRetracted) for event in moves):
            self._outcome = None
        events += moves
        events += self._conclude(moves, at_ms)
        self._enter()
        if self._outcome is not None:
            events += self._rematch(at_ms)
        return events

    def _judge(self, belief: Belief, at_ms: int, events: list[Event]) -> Belief:
        """*belief* without what its fault undoes; what is found or mended is added to *events*."""
        timing = belief.table.timing
        if self._fault and (belief.line != self._belief.line or not belief.tip.differing(belief.seen)):
            self._fault = None
            events.append(IllegalMended(at_ms))
        if belief.rest_ms < timing.hint_ms or not belief.tip.differing(belief.seen):
            return belief
        is_dwelt = belief.rest_ms >= timing.dwell_ms
        level = Level.COMPLETED if is_dwelt else Level.HINT
        found = wrong(belief)
        if found is None or self._is_known(level, found):
            return belief
        return self._fail(belief, level, found, at_ms, events)

    def _is_known(self, level: Level, found: Wrong) -> bool:
        """True if *found* has been told at *level* or a graver one."""
        if self._fault is None:
            return False
        told_level, told_wrong = self._fault
        is_same = told_wrong.violation == found.violation and told_wrong.difference == found.difference
        return is_same and (told_level is Level.COMPLETED or level is Level.HINT)

    def _fail(self, belief: Belief, level: Level, found: Wrong, at_ms: int, events: list[Event]) -> Belief:
        """*belief* as far as it holds after *found*, which is added to *events*."""
        belief = replace(belief, line=belief.line[: found.depth])
        side = belief.tip.position.turn
        if found.violation.rule == TOUCH_MOVE:
            side = belief.before(found.depth - 1).position.turn
        self._fault = (level, found)
        events.append(IllegalSeen(at_ms, side, level, found.difference, found.violation))
        return belief

    def _believe(self, belief: Belief) -> None:
        """Hold *belief* and put what is settled in it on record."""
        settled = sum(ply.stage is Stage.SETTLED for ply in belief.line)
        for depth in range(settled):
            self._played.append(played(belief, depth))
        self._belief = belief.settled(settled)

    def _conclude(self, moves: list[Event], at_ms: int) -> list[Event]:
        """The end of the game, if one of *moves* brought it."""
        announced_now = [
            event for event in moves if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED
        ]
        if any(event.side != self._draw_offered_by for event in announced_now):
            self._draw_offered_by = None
        if not announced_now or not self._belief.line:
            return []
        belief = self._belief
        earlier = [entry.before for entry in self._played]
        earlier += [belief.before(depth).position for depth in range(len(belief.line))]
        ended = outcome(self.rules, earlier, belief.tip.position)
        self._belief = replace(belief, is_over=ended is not None)
        self._outcome = ended
        return [GameEnded(at_ms, ended)] if ended else []

    def _enter(self) -> None:
        """Send the statechart where the belief leads."""
        belief = self._belief
        if self._outcome is not None:
            phase = Phase.FINISHED
        elif self._fault is not None:
            phase = Phase.ASTRAY
        elif belief.tip.differing(belief.seen):
            phase = Phase.HANDLING
        else:
            phase = Phase.WAITING
        if phase is not self.phase:
            self._chart.send(_ENTERING[phase])

    def _set_up(self, at_ms: int) -> list[Event]:
        """The beginning of play, if the wanted position stands on the board at rest."""
        belief = self._belief
        if belief.rest_ms < belief.table.timing.rest_ms or belief.root.differing(belief.seen):
            return []
        self._chart.send("set_up")
        self._belief = replace(belief, edges=(), first_edge=belief.edge_count, root_since=belief.edge_count)
        if self._is_begun:
            return [GameResumed(at_ms)]
        self._is_begun = True
        return [GameBegan(at_ms, self.rules.write_position(belief.root.position))]

    def _rematch(self, at_ms: int) -> list[Event]:
        """A new game, if the start position was set up after the end of one."""
        belief = self._belief
        if belief.tip.differing(belief.seen) == 0 or self._initial.differing(belief.seen):
            return []
        if belief.rest_ms < belief.table.timing.rest_ms:
            return []
        self._clear(self._initial)
        return self._set_up(at_ms)

    # what people ask for

    def _end(self, at_ms: int, ended: Outcome) -> list[Event]:
        """The game ends by decision."""
        if self._outcome is not None or self.phase is Phase.SETTING_UP:
            return []
        events = told(self._belief, sealed := announced(self._belief), at_ms)
        self._believe(sealed)
        if self.phase is Phase.PAUSED:
            self._chart.send("resumed")
        self._outcome, self._is_decided, self._fault, self._draw_offered_by = ended, True, None, None
        self._enter()
        return [*events, GameEnded(at_ms, ended)]

    def _resigned(self, side: Side) -> Outcome:
        """What comes of *side* giving up."""
        others = tuple(other for other in range(len(self.rules.sides)) if other != side)
        return Outcome(others, "resignation")

    def _offer_draw(self, side: Side, at_ms: int) -> list[Event]:
        """An offer, or the end if it answers one."""
        if self._outcome is not None or self._draw_offered_by == side or self.phase is Phase.SETTING_UP:
            return []
        if self._draw_offered_by is not None:
            return self._end(at_ms, Outcome((), "agreement"))
        self._draw_offered_by = side
        return [DrawOffered(at_ms, side)]

    def _pause(self, at_ms: int) -> list[Event]:
        """Play rests, if there is any."""
        if self.phase in (Phase.SETTING_UP, Phase.PAUSED, Phase.FINISHED):
            return []
        self._chart.send("halted")
        return [GamePaused(at_ms)]

    def _resume(self, at_ms: int) -> list[Event]:
        """Play goes on, if it was paused."""
        if self.phase is not Phase.PAUSED:
            return []
        self._chart.send("resumed")
        self._belief = replace(self._belief, rest_since_ms=max(self._belief.rest_since_ms, at_ms))
        return [GameResumed(at_ms), *self._follow(understood(self._belief), at_ms)]

    def _take_back(self, plies: int, at_ms: int) -> list[Event]:
        """The last *plies* undone, if the game allows it; the position before them is to be set up."""
        if not self.rules.allows_take_back or not 0 < plies <= self.ply or self.phase is Phase.SETTING_UP:
            return []
        events = told(self._belief, replace(self._belief, line=()), at_ms)
        left = plies - len(self._belief.line)
        if left < 0:
            position = self._belief.before(len(self._belief.line) - plies).position
            kept = self._belief.line[: len(self._belief.line) - plies]
            events = told(self._belief, replace(self._belief, line=kept), at_ms)
            self._played += [played(self._belief, depth) for depth in range(len(kept))]
        elif left == 0:
            position = self._belief.root.position
        else:
            undone = self._played[-left:]
            events += [
                MoveRetracted(at_ms, len(self._played) - number - 1, entry.text, Stage.SETTLED)
                for number, entry in enumerate(reversed(undone))
            ]
            position = undone[0].before
            del self._played[-left:]
        self._clear(Prospect(self.rules, position, self.kind))
        return events

    def _let_stand(self, turn: Side, at_ms: int) -> list[Event]:
        """The position on the board becomes the game's, if it is one."""
        belief = self._belief
        if self._outcome is not None or not self._is_played or not belief.tip.differing(belief.seen):
            return []
        placement = Placement.of(self._wood_now().on.items())
        adopted = self.rules.adopt(placement, turn, belief.tip.position)
        if isinstance(adopted, Unlawful):
            told_difference = difference(belief, len(belief.line))
            found = Wrong(len(belief.line), told_difference, adopted.reasons[0])
            events: list[Event] = []
            self._belief = self._fail(belief, Level.COMPLETED, found, at_ms, events)
            return events
        line = tuple(replace(ply, stage=Stage.SETTLED) for ply in belief.line)
        events = told(belief, sealed := replace(belief, line=line), at_ms)
        for depth in range(len(sealed.line)):
            self._played.append(played(sealed, depth))
        if turn != sealed.tip.position.turn:
            self._played.append(Played(sealed.tip.position, sealed.tip.position.turn, ""))
        self._fault = None
        self._belief = replace(
            sealed,
            root=Prospect(self.rules, adopted, self.kind),
            root_ply=len(self._played),
            line=(),
            edges=(),
            first_edge=sealed.edge_count,
            root_since=sealed.edge_count,
        )
        return [*events, PositionAdopted(at_ms, self.rules.write_position(adopted))]

    def _restart(self) -> list[Event]:
        """The initial position is to be set up for a new game."""
        self._clear(self._initial)
        return []

    def _clear(self, goal: Prospect) -> None:
        """Leave play: *goal* is to be set up."""
        belief = self._belief
        self._wood = self._wood_now()
        if self.phase is not Phase.SETTING_UP:
            self._chart.send("cleared")
        if goal is self._initial:
            self._played.clear()
            self._is_begun = False
        self._fault = self._outcome = self._draw_offered_by = None
        self._is_decided = False
        self._belief = Belief(
            belief.table,
            goal,
            root_ply=len(self._played),
            seen=belief.seen,
            first_edge=belief.edge_count,
            root_since=belief.edge_count,
            now_ms=belief.now_ms,
            rest_since_ms=belief.rest_since_ms,
        )

    def _replay(self, event: Event) -> None:
        """Take over what *event* of a journal tells of the position."""
        rules, root = self.rules, self._belief.root
        if isinstance(event, GameBegan):
            self._initial = Prospect(rules, rules.read_position(event.position), self.kind)
            self._clear(self._initial)
            self._is_begun = True
        elif isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED:
            move = rules.read_move(root.position, event.move)
            self._played.append(Played(root.position, root.position.turn, event.move))
            self._clear(root.after(move))
        elif isinstance(event, MoveRetracted) and event.stage is not Stage.PROVISIONAL:
            self._clear(Prospect(rules, self._played.pop().before, self.kind))
        elif isinstance(event, PositionAdopted):
            position = rules.read_position(event.position)
            if position.turn != root.position.turn:
                self._played.append(Played(root.position, root.position.turn, ""))
            self._clear(Prospect(rules, position, self.kind))

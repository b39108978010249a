# SPDX-License-Identifier: Apache-2.0
"""Explains the decisions in a journal by the stories of the tracker.

Pure, except for what reads the file. The journal is replayed with today's tracker, which may
decide otherwise than the program that wrote it: then the explanation names the move in the journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from companion.host.journal.journal import Journal
from companion.host.records.replay import opened
from companion.host.records.tracked import kept_moves, tracked
from companion.model.absent import absent_sides
from companion.model.game import AnyRules
from companion.model.grid import OFF
from companion.referee.inference.costs import Costs
from companion.referee.inference.tracker.account import Account, Story, account
from companion.referee.session.session import Session
from companion.referee.values.events import (
    Event,
    GameBegan,
    IllegalSeen,
    MoveMade,
    MoveRetracted,
    QuestionAsked,
    Stage,
)
from companion.referee.values.view import Phase

_PLAYED: Final = (Phase.WAITING, Phase.HANDLING, Phase.CHOOSING, Phase.ILLEGAL)


class Kind(StrEnum):
    """What was decided."""

    ANNOUNCED = "announced"
    RETRACTED = "retracted"
    ILLEGAL = "illegal"
    ASKED = "asked"
    OPEN = "open"
    """Nothing yet: the journal ends."""


class Decision(NamedTuple):
    """A decision about one ply."""

    kind: Kind
    ply: int
    """Its number, counted from 0."""
    at_ms: int
    move: str
    """The move that was announced or retracted; otherwise empty."""
    account: Account
    kept: str | None = None
    """The move in the journal, if that is another one.

    "" if the journal has none.
    """


class Explained(NamedTuple):
    """A journal and the decisions about one of its plies, or about its end."""

    rules: AnyRules
    decisions: tuple[Decision, ...]
    plies: int
    """Number of plies about which something was decided."""


def explain(journal: Journal, ply: int | None = None, costs: Costs | None = None) -> Explained:
    """The decisions of the last game of *journal* about *ply*, in their order.

    Each kind once. Without *ply* those about what is on the board at the end,
    or else about the last ply.
    Stories cost what the header says, or *costs*.
    Raises `CompanionError` if the game is unknown or a line is invalid.
    """
    found, session = _decisions(journal, costs)
    last = _open(session)
    if last is not None:
        found[last.ply, Kind.OPEN] = last
    plies = max((number + 1 for number, _ in found), default=0)
    if ply is None:
        ply = plies - 1 if last is None else last.ply
    kept = kept_moves(journal, session.rules)
    decisions = tuple(_with_kept(each, kept) for each in found.values() if each.ply == ply)
    return Explained(session.rules, decisions, plies)


def _decisions(journal: Journal, costs: Costs | None) -> tuple[dict[tuple[int, Kind], Decision], Session]:
    """The latest decision of each kind about each ply, and the session at the end."""
    found: dict[tuple[int, Kind], Decision] = {}
    session = None
    for session, events in tracked(journal, costs):
        for event in events:
            if isinstance(event, GameBegan):
                found.clear()
            for decision in _decision(event, session):
                found.pop((decision.ply, decision.kind), None)
                found[decision.ply, decision.kind] = decision
    return found, session or opened(journal, costs)


def _decision(event: Event, session: Session) -> Iterator[Decision]:
    """What *event* decided, as *session* saw it."""
    belief, absent = session.belief, absent_sides(session.played_by)
    match event:
        case MoveMade(side=side) if side in absent:
            return  # the hands have not decided it, and neither have the sensors
        case MoveMade(at_ms, ply, _, move, Stage.ANNOUNCED):
            yield Decision(Kind.ANNOUNCED, ply, at_ms, move, account(belief, ply))
        case MoveRetracted(at_ms, ply, move, stage) if stage is not Stage.PROVISIONAL:
            yield Decision(Kind.RETRACTED, ply, at_ms, move, account(belief, ply, move))
        case IllegalSeen(at_ms):
            yield Decision(
                Kind.ILLEGAL, belief.ply, at_ms, "", account(belief, belief.ply, shares_earlier=True)
            )
        case QuestionAsked(at_ms, question):
            yield Decision(Kind.ASKED, question.ply, at_ms, "", account(belief, question.ply))


def _open(session: Session) -> Decision | None:
    """What is on the board at the end and not decided; None if all is."""
    belief = session.belief
    is_provisional = any(ply.stage is Stage.PROVISIONAL for ply in belief.line)
    if (
        session.phase not in _PLAYED
        or not belief.live
        or not (is_provisional or belief.tip.differing(belief.seen))
    ):
        return None
    ply = belief.root_ply + sum(each.stage is not Stage.PROVISIONAL for each in belief.line)
    return Decision(Kind.OPEN, ply, belief.now_ms, "", account(belief, ply))


def _with_kept(decision: Decision, kept: dict[int, str]) -> Decision:
    """*decision* with the move in the journal, if that is another one."""
    move = kept.get(decision.ply, "")
    is_other = decision.kind is Kind.ANNOUNCED and move != decision.move
    return decision._replace(kept=move) if is_other else decision


def as_data(explained: Explained) -> dict[str, object]:
    """*explained* as JSON values; plies are counted from 1."""
    grid = explained.rules.grid

    def story(of: Story) -> dict[str, object]:
        return {
            "moves": of.moves,
            "begun": of.begun,
            "nats": round(of.nats, 3),
            "charges": [
                {
                    "cause": charge.cause,
                    "cell": None if charge.cell == OFF else grid.name(charge.cell),
                    "nats": round(charge.nats, 3),
                }
                for charge in of.charges
            ],
        }

    decisions = [
        {
            "kind": each.kind,
            "ply": each.ply + 1,
            "at_ms": each.at_ms,
            "move": each.move or None,
            "journal": each.kept,
            "parted": each.account.ply + 1,
            "stories": [story(of) for of in (each.account.best, each.account.rival) if of is not None],
        }
        for each in explained.decisions
    ]
    return {"game": explained.rules.slug, "decisions": decisions}

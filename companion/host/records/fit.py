# SPDX-License-Identifier: Apache-2.0
"""Fits a table of costs to the journals of kept games.

Pure, except for what reads the files.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from companion.host.journal.journal import Journal
from companion.host.records.tracked import kept_moves, tracked
from companion.model.errors import JournalError
from companion.model.game import AnyRules
from companion.referee.inference.belief import Belief
from companion.referee.inference.costs import DEFAULT
from companion.referee.inference.costs_fit import LEAST_PLIES, Evidence, Tally, evidence, fitted, written
from companion.referee.inference.tracker.account import shown_story
from companion.referee.values.events import Event, GameBegan, MoveRetracted, RecordCorrected, Stage


def fit(journals: Iterable[Journal]) -> str:
    """The table, as TOML, that fits the announced and never corrected plies of *journals*.

    Raises `JournalError` if they are too few, and `CompanionError` if a journal is invalid.
    """
    tally, games = Tally(), 0
    for journal in journals:
        games += 1
        count(tally, journal)
    if tally.plies < LEAST_PLIES:
        raise JournalError(
            "a table of costs needs {least} plies that were announced and not corrected; there are {count}",
            least=LEAST_PLIES,
            count=tally.plies,
        )
    usual = (resources.files("companion.referee.inference") / "costs.toml").read_text("utf-8")
    heading = (
        "SPDX-License-Identifier: Apache-2.0",
        f"Costs of causes in nats, fitted by `companion tools fit-costs` to {tally.plies} plies in {games} journals.",
        "The brackets say what was counted; rows with another word in them keep their default.",
    )
    return written(fitted(tally, DEFAULT), usual, heading)


def count(tally: Tally, journal: Journal) -> None:
    """Count the plies of the last game of *journal* that are as it has them."""
    found: dict[int, Evidence] = {}
    corrected = set[int]()
    costs = DEFAULT
    rules: AnyRules | None = None
    for session, events in tracked(journal):
        rules, costs = session.rules, session.belief.table.costs
        for event in events:
            if isinstance(event, GameBegan):
                found.clear()
                corrected.clear()
            corrected |= _corrected(event)
        _note(found, session.belief)
    if rules is None:
        return
    corrected |= _corrected_in(journal)
    for ply, move in kept_moves(journal, rules).items():
        each = found.get(ply)
        if each is not None and ply not in corrected and _move(each) == move:
            tally.add(each, costs)


def _note(found: dict[int, Evidence], belief: Belief) -> None:
    """Note the evidence of the plies of *belief* that are still kept one by one."""
    if belief.live:
        for node in shown_story(belief).line(max(0, belief.root_ply - 2)):
            found[node.ply - 1] = evidence(node)


def _move(found: Evidence) -> str:
    """The notation of the ply of *found*."""
    node = found.node
    return node.before.written(node.imprints[0].move)


def _corrected(event: Event) -> set[int]:
    """The plies that *event* corrects."""
    match event:
        case MoveRetracted(ply=ply, stage=stage) if stage is not Stage.PROVISIONAL:
            return {ply}
        case RecordCorrected(ply=ply, moves=moves):
            return set(range(ply, ply + len(moves) + 1))
    return set()


def _corrected_in(journal: Journal) -> set[int]:
    """The plies that were corrected in the last game of *journal*."""
    found = set[int]()
    for event in journal.events:
        if isinstance(event, GameBegan):
            found.clear()
        found |= _corrected(event)
    return found

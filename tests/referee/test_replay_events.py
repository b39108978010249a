# SPDX-License-Identifier: Apache-2.0
"""Replayed events give the session's state: position, record, result and clocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion import games
from companion.host.journal import journal
from companion.host.records.records import from_journal
from companion.host.records.replay import restored
from companion.model.errors import NotationError
from companion.model.game import Outcome
from companion.referee.state.replay_events import Replay, outcome_after, replayed
from companion.referee.values.events import (
    Event,
    GameBegan,
    GameEnded,
    MoveMade,
    MoveRetracted,
    PositionAdopted,
    RecordCorrected,
    Stage,
)

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*.jsonl"))
RULES = games.find("close-quarters").rules()
START = "A2P/4/4/4/4/4/4/S2M s 0"
LOST = Outcome((1,), "sword-eliminated")


def made(at_ms: int, ply: int, move: str) -> MoveMade:
    return MoveMade(at_ms, ply, ply % 2, move, Stage.ANNOUNCED, "")


def state_of(*events: Event) -> Replay:
    return replayed(RULES, [GameBegan(0, START), *events])


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_session_and_kept_game_agree_with_the_state(path: Path) -> None:
    found = journal.read(path)
    rules = found.header.setup.rules
    state = replayed(rules, found.events, found.header.control)
    session = restored(found, rules, found.header.sensor)
    assert rules.write_position(session.position) == rules.write_position(state.current)
    assert [move.move for move in session.view().record] == [entry.text for entry in state.played]
    kept = list(from_journal(found))
    assert bool(kept) == bool(state.entries)
    if kept:
        assert kept[-1].record.moves == tuple(entry.move for entry in state.entries if not entry.adopted)
        assert [move.left_ms for move in kept[-1].moves] == [
            state.left_ms.get(entry.ply) for entry in state.entries if not entry.adopted
        ]


def test_a_retraction_takes_an_adopted_position_after_the_move_with_it() -> None:
    stood = "A3/3P/4/4/4/4/1S2/3M w 0"
    state = state_of(made(100, 0, "a1-b2"), PositionAdopted(200, stood))
    assert [(entry.ply, entry.is_between) for entry in state.entries] == [(0, False), (1, True)]
    assert state.played[0].is_amended
    state.take(MoveRetracted(300, 0, "a1-b2", Stage.SETTLED))
    assert not state.entries
    assert RULES.write_position(state.current) == START


def test_an_adopted_position_with_the_other_side_to_move_is_a_ply() -> None:
    state = state_of(made(100, 0, "a1-b2"), PositionAdopted(200, "A3/3P/4/4/4/4/1S2/3M s 0"))
    assert (state.next_ply, state.to_move) == (2, 0)
    assert [entry.text for entry in state.played] == ["a1-b2", ""]


def test_a_correction_cuts_the_record_and_the_result() -> None:
    state = state_of(made(100, 0, "a1-b2"), made(200, 1, "d8-b8!"), GameEnded(200, LOST))
    assert state.outcome == LOST
    state.take(RecordCorrected(300, 1, ("d8-d7",), RULES.write_position(state.entries[1].before), ""))
    assert [entry.move for entry in state.entries] == ["a1-b2", "d8-d7!"]
    assert state.corrected == [1]
    after: list[Outcome | None] = [state.outcome]
    assert after == [None]


def test_a_second_game_in_the_same_journal_starts_with_an_empty_state() -> None:
    state = state_of(made(100, 0, "a1-b2"), GameEnded(200, LOST), GameBegan(300, START))
    assert (state.entries, state.outcome, state.ended_ms) == ([], None, None)
    state.take(made(1000, 0, "a1-b2"))
    assert state.entries[0].thought_ms == 700


def test_only_an_announced_move_withdraws_the_result() -> None:
    assert outcome_after(LOST, MoveRetracted(1, 2, "a1-b2", Stage.PROVISIONAL)) == LOST
    assert outcome_after(LOST, MoveRetracted(1, 2, "a1-b2", Stage.SETTLED)) is None
    assert outcome_after(None, GameEnded(1, LOST)) == LOST


def test_a_move_of_another_game_is_refused() -> None:
    with pytest.raises(NotationError):
        state_of(made(100, 0, "e2-e4"))
    with pytest.raises(IndexError):
        state_of(made(100, 3, "a1-b2"))

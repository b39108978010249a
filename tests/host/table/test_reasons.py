# SPDX-License-Identifier: Apache-2.0
"""People who ask get one sentence about what the referee has decided last."""

from __future__ import annotations

from companion.feedback.words import load
from companion.host.table.announcements import Reasons
from companion.referee.values.events import GameBegan
from tests.fakes import FakeTable
from tests.referee.support import perform, table

WORDS = load("en", "chess", ("white", "black"))


def reasons_of(fake: FakeTable) -> Reasons:
    """The reasons after what *fake* has told."""
    reasons = Reasons()
    reasons.note(fake.take_events(), fake.session)
    return reasons


def test_nothing_is_explained_before_something_is_decided() -> None:
    fake = table("chess")
    assert reasons_of(fake).sentence(fake.session, WORDS) == ""


def test_an_illegal_move_is_explained_by_what_hands_did() -> None:
    fake = table("chess")
    perform(fake, "b1- 300 b3+ 1500")
    assert reasons_of(fake).sentence(fake.session, WORDS) == (
        "What happened, most likely: a piece lifted that does not belong to the move (b1), "
        "a held piece touched another cell (b3); no legal move comes near."
    )


def test_a_question_is_explained_by_the_trace() -> None:
    fake = table("chess", "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1")
    perform(fake, "a7- 200 a8+ 1500")
    said = reasons_of(fake).sentence(fake.session, WORDS)
    assert said.endswith(" leave the same trace.")
    assert {"a8=Q+", "a8=N"} <= set(said.replace(",", "").split())


def test_a_retracted_move_is_explained_until_its_answer_is_announced() -> None:
    fake = table("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    reasons = Reasons()
    perform(fake, "e4- 500 d5- 90 d5+ 5500 e5+ 3000")
    reasons.note(fake.take_events(), fake.session)
    assert (fake.record, reasons.retracted) == (["e5"], "exd5")
    assert reasons.sentence(fake.session, WORDS).startswith(
        "e5 explains the board better; against exd5 speaks: "
    )
    again = Reasons()
    again.note(fake.history, fake.session)
    assert again.retracted == "exd5"
    again.note([GameBegan(0, "")], fake.session)
    assert again.retracted == "", "that was another game"
    perform(fake, "e8- 200 e7+ 1500")
    reasons.note(fake.take_events(), fake.session)
    assert (reasons.retracted, reasons.sentence(fake.session, WORDS)) == ("", "")

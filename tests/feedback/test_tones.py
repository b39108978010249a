# SPDX-License-Identifier: Apache-2.0
"""The notes."""

from __future__ import annotations

from companion.feedback.tones import MAX_NOTES, Tone, render
from companion.model.game import Announcement, CallOut, Outcome, Violation
from companion.model.observation import Difference
from companion.referee.events import (
    DrawOffered,
    Event,
    GameBegan,
    GameEnded,
    GamePaused,
    IllegalMended,
    IllegalSeen,
    Level,
    MoveMade,
    PositionAdopted,
    QuestionAsked,
    Stage,
)

from .views import QUESTION


def made(stage: Stage, *cries: CallOut) -> MoveMade:
    announcements = tuple(Announcement(cry, 0, (1,), (2,)) for cry in cries)
    return MoveMade(0, 0, 0, "a1-a2", stage, "", announcements)


ILLEGAL = IllegalSeen(0, 0, Level.HINT, Difference((0,), (1,)), Violation("spear-shape"))
QUESTIONED = QuestionAsked(0, QUESTION)
ENDED = GameEnded(0, Outcome((0,), "resignation"))
HEARD: tuple[Event, ...] = (
    ENDED,
    ILLEGAL,
    QUESTIONED,
    made(Stage.ANNOUNCED, CallOut.CHECK),
    made(Stage.ANNOUNCED, CallOut.ESCAPE),
    made(Stage.ANNOUNCED),
    IllegalMended(0),
    GameBegan(0, ""),
    DrawOffered(0, 0),
)
"""Everything that makes a sound, the weightiest first."""


def test_every_sound_is_another_one_and_fits_a_panel() -> None:
    tunes = [render([event]) for event in HEARD]
    assert len(set(tunes)) == len(HEARD)
    assert all(0 < len(tune) <= MAX_NOTES for tune in tunes)
    assert all(isinstance(tone, Tone) and tone.length_ms > 0 for tune in tunes for tone in tune)


def test_the_weightiest_of_several_events_is_heard_in_whatever_order_they_come() -> None:
    for place, event in enumerate(HEARD):
        assert render(HEARD[place:]) == render(reversed(HEARD[place:])) == render([event])


def test_check_is_heard_rather_than_escape() -> None:
    both = made(Stage.ANNOUNCED, CallOut.ESCAPE, CallOut.CHECK)
    assert render([both]) == render([made(Stage.ANNOUNCED, CallOut.CHECK)])


def test_what_is_not_sure_or_not_news_is_silent() -> None:
    assert render([]) == ()
    assert render([made(Stage.PROVISIONAL, CallOut.CHECK), made(Stage.SETTLED), GamePaused(0)]) == ()


def test_what_is_wrong_is_heard_once_until_it_is_right_again() -> None:
    graver = IllegalSeen(900, 0, Level.COMPLETED, ILLEGAL.difference, ILLEGAL.violation)
    assert render([graver], is_astray=True) == ()
    assert render([IllegalMended(0), ILLEGAL], is_astray=True) == render([ILLEGAL])
    assert render([ILLEGAL, IllegalMended(0)], is_astray=True) == render([IllegalMended(0)])
    assert render([PositionAdopted(0, ""), ILLEGAL], is_astray=True) == render([ILLEGAL])
    assert render([graver, QUESTIONED], is_astray=True) == render([QUESTIONED])

# SPDX-License-Identifier: Apache-2.0
"""Tones: the notes for events, and their priorities."""

from __future__ import annotations

from companion.feedback.tones import MAX_NOTES, Tone, render
from companion.model.game import Announcement, CallOut, Outcome, Violation
from companion.model.observation import Difference
from companion.referee.values.events import (
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
"""All events with a sound, by priority."""


def test_sounds_are_distinct_and_fit_a_panel() -> None:
    tunes = [render([event]) for event in HEARD]
    assert len(set(tunes)) == len(HEARD)
    assert all(0 < len(tune) <= MAX_NOTES for tune in tunes)
    assert all(isinstance(tone, Tone) and tone.length_ms > 0 for tune in tunes for tone in tune)


def test_the_event_of_highest_priority_sounds_in_any_order() -> None:
    for place, event in enumerate(HEARD):
        assert render(HEARD[place:]) == render(reversed(HEARD[place:])) == render([event])


def test_check_sounds_before_escape() -> None:
    both = made(Stage.ANNOUNCED, CallOut.ESCAPE, CallOut.CHECK)
    assert render([both]) == render([made(Stage.ANNOUNCED, CallOut.CHECK)])


def test_uncertain_and_repeated_events_are_silent() -> None:
    assert render([]) == ()
    assert render([made(Stage.PROVISIONAL, CallOut.CHECK), made(Stage.SETTLED), GamePaused(0)]) == ()


def test_a_fault_sounds_once_until_it_is_corrected() -> None:
    graver = IllegalSeen(900, 0, Level.COMPLETED, ILLEGAL.difference, ILLEGAL.violation)
    assert render([graver], is_illegal=True) == ()
    assert render([IllegalMended(0), ILLEGAL], is_illegal=True) == render([ILLEGAL])
    assert render([ILLEGAL, IllegalMended(0)], is_illegal=True) == render([IllegalMended(0)])
    assert render([PositionAdopted(0, ""), ILLEGAL], is_illegal=True) == render([ILLEGAL])
    assert render([graver, QUESTIONED], is_illegal=True) == render([QUESTIONED])

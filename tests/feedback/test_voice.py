# SPDX-License-Identifier: Apache-2.0
"""Speech: what is said aloud, when it is repeated, and what is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.feedback import voice
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.referee.values.events import Level
from companion.referee.values.view import TableView

from .views import (
    AMISS,
    CARRYING_OUT,
    CHECKED,
    CHOOSING,
    DECIDING,
    DRAWN,
    ESCAPING,
    HANDLING,
    ILLEGAL,
    OFFERED,
    TO_CONFIRM,
    VIEWS,
    WAITING,
    WON,
)


def said(view: TableView, language: str = "en") -> list[str]:
    return [each.text for each in voice.render(view, load(language, view.game, view.sides))]


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (CHECKED, ["CHECK! The weapons could win next turn: from d5, against b3."]),
        (ILLEGAL, ["The Mace may not jump: the Axe stands on b4."]),
        (CHOOSING, ["Which piece moved? Choose here, or touch a blinking cell."]),
        (WON, ["The weapons win: the Sword is eliminated."]),
        (DRAWN, ["Draw: both sides agreed."]),
        (WAITING, []),
        (HANDLING, []),
        (OFFERED, []),
        (DECIDING, []),
        (CARRYING_OUT, ["The computer plays d1-b2.", "For the computer: Move the Mace from d1 to b2."]),
        (
            AMISS,
            ["The weapons play d1-b2.", "That is not the move d1-b2: Move the Axe from b7 to a8."],
        ),
        (
            TO_CONFIRM,
            ["The computer plays d1-b2.", "Press the button when the move d1-b2 is on the board."],
        ),
    ],
)
def test_only_important_events_are_spoken(view: TableView, told: list[str]) -> None:
    assert told == said(view)


def test_escape_is_called_out_in_every_language() -> None:
    told = {language: said(ESCAPING, language) for language in languages()}
    assert all(len(each) == 1 for each in told.values())
    assert told["de"][0].startswith("FLUCHT!")
    assert len({each[0] for each in told.values()}) == len(told)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_an_utterance_has_the_same_key_in_every_language(view: TableView) -> None:
    keys = {
        tuple(each.key for each in voice.render(view, load(language, view.game, view.sides)))
        for language in languages()
    }
    assert len(keys) == 1


def test_a_hint_that_becomes_an_arbiters_matter_is_spoken_once_but_a_second_check_again() -> None:
    words = load("en", ILLEGAL.game, ILLEGAL.sides)
    assert ILLEGAL.fault is not None
    hint = replace(ILLEGAL, fault=replace(ILLEGAL.fault, level=Level.HINT))
    assert voice.render(hint, words) == voice.render(ILLEGAL, words)
    (first,), (second,) = (voice.render(replace(CHECKED, ply=ply), words) for ply in (2, 4))
    assert (first.text, first.key == second.key) == (second.text, False)

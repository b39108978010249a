# SPDX-License-Identifier: Apache-2.0
"""A glance: the part of a view for small boards and arbiters.

It exists for every game and survives serialisation.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from companion.feedback.glance import Glance, render
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.games import slugs
from companion.host.codec import decode, encode
from companion.referee.values.view import ClockView
from tests.feedback import views
from tests.feedback.test_every_game import views as views_of

WORDS = load("en", "close-quarters", views.SIDES)


def test_an_illegal_move_that_was_completed_calls_the_arbiter_with_its_reason() -> None:
    glance = render(views.ILLEGAL, WORDS)
    assert glance.is_completed
    assert glance.fault == "The Mace may not jump: the Axe stands on b4."


def test_the_last_move_has_its_origin_and_destination() -> None:
    glance = render(views.CHECKED, WORDS)
    assert (glance.source, glance.target, glance.move) == (views.cells("a8"), views.cells("d5"), "a8-d5")
    assert glance.cries == ("CHECK!",)


def test_a_result_is_a_sentence_and_a_value() -> None:
    glance = render(views.WON, WORDS)
    assert glance.outcome == views.WON.outcome
    assert glance.result == "The weapons win: the Sword is eliminated."


def test_the_speech_is_there_in_all_languages_or_empty_in_all() -> None:
    others = [load(language, "close-quarters", views.SIDES) for language in languages()]
    glance = render(views.ILLEGAL, WORDS, others=others)
    said = {each.language: each.fault for each in glance.said}
    assert said.keys() == {"de", "en", "es", "fr", "hr", "ja"}
    assert said["en"] == glance.fault
    assert said["de"] == others[0].sentence(views.ILLEGAL.fault.violation)  # type: ignore[union-attr]
    assert len(set(said.values())) == 6
    assert render(views.WAITING, WORDS, others=others).said == ()


def test_a_glance_stays_the_same_while_only_time_passes() -> None:
    view = replace(
        views.CHECKED,
        clocks=(ClockView(60_000, True, 1000, delay_ms=3000), ClockView(50_000, False, 0)),
    )
    expected = (ClockView(60_000, True, 1500, delay_ms=3000), ClockView(50_000, False, 500))
    assert render(view, WORDS, 500).clocks == expected


@pytest.mark.parametrize("slug", slugs())
def test_every_glance_of_every_game_is_small_and_survives_serialisation(slug: str) -> None:
    for view in views_of(slug):
        words = load("de", view.game, view.sides)
        glance = render(view, words)
        text = json.dumps(encode(Glance, glance))
        assert decode(Glance, json.loads(text)) == glance
        assert len(text) < 8000

# SPDX-License-Identifier: Apache-2.0
"""Word files: completeness, forms, and sentences of all languages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from importlib import resources

import pytest

from companion.feedback.template import FORMS, Noun, gaps
from companion.feedback.text import spell
from companion.feedback.word_tables import SHORT_COLUMNS, Common, GameWords, Reason
from companion.feedback.wordfiles import languages, read_common, read_game
from companion.feedback.words import load
from companion.model.errors import SettingsError
from companion.model.game import CallOut, Outcome, Violation
from companion.model.pieces import Piece
from tests.words import texts

from .views import AXE, MACE, SIDES

FOLDER = resources.files("companion.feedback") / "words"


def games(language: str) -> list[str]:
    names = (file.name for file in (FOLDER / language).iterdir())
    return sorted(
        name.removesuffix(".toml") for name in names if name.endswith(".toml") and name != "common.toml"
    )


FILES = [(language, game) for language in languages() for game in games(language)]


def everything(language: str) -> Iterator[Common | GameWords]:
    common = read_common(language)
    yield common
    for game in games(language):
        yield read_game(language, game, common)


def reasons(words: Common | GameWords) -> Iterator[tuple[str, Reason]]:
    yield from words.violations.items()
    yield from words.terminations.items()
    if isinstance(words, Common):
        yield from words.questions.items()


@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_game(language: str) -> None:
    assert games(language) == games("en")


@pytest.mark.parametrize(("language", "game"), FILES)
def test_all_nouns_have_every_form_that_sentences_use(language: str, game: str) -> None:
    common = read_common(language)
    asked = {
        form
        for words in (common, read_game(language, game, common))
        for _, text in texts(words)
        for form in FORMS
        if f".{form}}}" in text
    }
    assert asked <= {*common.language.forms, "short"}


@pytest.mark.parametrize("language", languages())
def test_texts_for_the_smallest_display_are_short_and_without_gaps(language: str) -> None:
    for words in everything(language):
        for slug, reason in reasons(words):
            assert 0 < len(spell(reason.short)) <= SHORT_COLUMNS, slug
            assert spell(reason.short).count("?") == reason.short.count("?"), slug
            assert not gaps(reason.short), slug


@pytest.mark.parametrize("language", languages())
def test_violations_are_sentences_and_terminations_are_parts_of_one(language: str) -> None:
    for words in everything(language):
        for slug, reason in words.violations.items():
            assert reason.sentence[0] == "{" or reason.sentence[0] == reason.sentence[0].upper(), slug
            assert reason.sentence[-1] in ".!。", slug
        for slug, reason in words.terminations.items():
            assert reason.sentence[-1] not in ".!。", slug


def test_a_violation_has_a_sentence_for_players() -> None:
    words = load("en", "close-quarters", SIDES)
    violation = Violation.of("mace-blocked", piece=MACE, blocker=AXE, cell="b4")
    assert words.sentence(violation) == "The Mace may not jump: the Axe stands on b4."
    assert words.short(violation) == "No jumping"


def test_a_result_has_its_reason() -> None:
    words = load("en", "close-quarters", SIDES)
    assert words.outcome(Outcome((0,), "weapons-eliminated")) == (
        "The Sword wins: nothing is left of the weapons."
    )
    assert words.outcome(Outcome((1,), "resignation")) == "The weapons win: the Sword has resigned."
    assert words.outcome(Outcome((), "agreement")) == "Draw: both sides agreed."
    assert words.short_termination(Outcome((1,), "resignation")) == "by resignation"


def test_a_result_names_the_players_that_are_known() -> None:
    words = load("en", "close-quarters", SIDES)
    both = words.of_players(("Ann", "Ben"))
    assert both.outcome(Outcome((1,), "resignation")) == "Ben (Weapons) wins: Ann (Sword) has resigned."
    one = words.of_players(("", "Ben"))
    assert one.outcome(Outcome((1,), "resignation")) == "Ben (Weapons) wins: the Sword has resigned."
    assert one.outcome(Outcome((0,), "resignation")) == "The Sword wins: Ben (Weapons) has resigned."
    assert both.outcome(Outcome((), "agreement")) == "Draw: both sides agreed."


def test_a_game_may_have_its_own_announcements() -> None:
    words = load("en", "close-quarters", SIDES)
    own = dataclasses.replace(words.game, announcements={"check": "{side.the} {side?gives|give} check."})
    words = dataclasses.replace(words, game=own)
    assert words.announcement(CallOut.CHECK) == "{side.the} {side?gives|give} check."
    assert words.announcement(CallOut.ESCAPE) == words.common.announcements["escape"]


def test_several_winners_are_listed_with_points() -> None:
    words = dataclasses.replace(
        load("en", "close-quarters", SIDES), sides=("red", "blue", "green", "yellow", "pink")
    )
    outcome = Outcome((0, 2, 4), "unheard-of", (5, 1, 5, 0, 5))
    assert words.outcome(outcome) == (
        "Red, green and pink win: unheard of. Points: red 5, blue 1, green 5, yellow 0, pink 5."
    )


def test_cries_are_called_out() -> None:
    words = load("en", "close-quarters", SIDES)
    assert [words.cry(cry) for cry in CallOut] == ["CHECK!", "ESCAPE!"]


@pytest.mark.parametrize("language", languages())
def test_an_unknown_rule_piece_or_game_is_shown_by_its_name(language: str) -> None:
    words = load(language, "no-such-game", ("north", "south"))
    assert words.game.title == "No such game"
    assert "too heavy" in words.sentence(Violation.of("too-heavy", piece=Piece("fire-dragon", 1)))
    assert words.piece(Piece("fire-dragon", 1)) == Noun("fire dragon", side="south")
    assert words.outcome(Outcome((1,), "long-sleep"))


def test_an_unknown_language_is_refused_with_the_list_of_languages() -> None:
    with pytest.raises(SettingsError, match=r"'xx'.*en"):
        load("xx", "close-quarters", SIDES)


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", "the Tsunami 1/Leap 5 pawn"),
        ("de", "der Stein Tsunami 1/Leap 5"),
        ("es", "la ficha Tsunami 1/Leap 5"),
        ("fr", "le pion Tsunami 1/Leap 5"),
        ("hr", "žeton Tsunami 1/Leap 5"),
        ("ja", ""),
    ],
)
def test_a_pawn_that_no_file_lists_is_named_by_its_two_faces(language: str, named: str) -> None:
    words = load(language, "gottaz", ("first", "second"))
    noun = words.piece(Piece("tsunami-1-leap-5", 0))
    assert (noun.name, noun.the, noun.short) == ("Tsunami 1/Leap 5", named, "T1/L5")
    assert words.pose("leap-5").name == "Leap 5"
    assert words.kind("nobody-knows") == "nobody knows"

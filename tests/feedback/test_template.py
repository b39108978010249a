# SPDX-License-Identifier: Apache-2.0
"""Templates: sentences with gaps."""

from __future__ import annotations

import doctest

import pytest

from companion.feedback import template
from companion.feedback.language import Language, plural_form
from companion.feedback.template import Noun, as_sentence, check, fill

ENGLISH = Language("English", "one-other", ("the",), ", ", " and ", ".")
GERMAN = Language("Deutsch", "one-other", ("the", "acc"), ", ", " und ", ",")

SWORD = Noun("Schwert", the="das Schwert", acc="das Schwert", short="Schw.")
WEAPONS = Noun("weapons", the="the weapons", many=True)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(template).failed == 0


def test_a_gap_takes_its_form_or_else_the_plain_name() -> None:
    assert fill("{piece} {piece.the} {piece.short} {piece.gen}", {"piece": SWORD}, ENGLISH) == (
        "Schwert das Schwert Schw. Schwert"
    )


def test_a_verb_follows_the_number_of_its_noun() -> None:
    assert fill("{side.the} {side?wins|win}", {"side": WEAPONS}, ENGLISH) == "the weapons win"
    assert fill("{side.the} {side?wins|win}", {"side": SWORD}, ENGLISH) == "das Schwert wins"


def test_a_sentence_begins_with_a_capital_only_where_it_begins_with_a_noun() -> None:
    assert as_sentence("{piece.the} moves", {"piece": SWORD}, ENGLISH) == "Das Schwert moves"
    assert as_sentence("{cell} is empty", {"cell": "a1"}, ENGLISH) == "a1 is empty"


def test_a_gap_without_a_value_shows_its_name() -> None:
    assert fill("{piece.the} on {cell}", {}, ENGLISH) == "piece on cell"


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert fill("{px:1} px, {count}, {mm}", {"px": 2, "count": 7, "mm": 57.15}, GERMAN) == "2,0 px, 7, 57,15"
    assert fill("{px:2} px", {"px": 0.126}, ENGLISH) == "0.13 px"


def test_a_measured_number_chooses_a_plural_form_too() -> None:
    assert fill("{mm:1} {mm?Millimeter|Millimeters}", {"mm": 1.0}, ENGLISH) == "1.0 Millimeter"


@pytest.mark.parametrize(
    ("plural", "counts"),
    [
        ("one-other", {0: 1, 1: 0, 2: 1, 21: 1}),
        ("upto-one-other", {0: 0, 1: 0, 2: 1}),
        ("one-few-other", {0: 2, 1: 0, 2: 1, 4: 1, 5: 2, 11: 2, 12: 2, 21: 0, 22: 1, 111: 2, 101: 0}),
        ("other", {0: 0, 1: 0, 5: 0}),
    ],
)
def test_every_language_has_its_own_plural_rule(plural: str, counts: dict[int, int]) -> None:
    assert {count: plural_form(count, plural) for count in counts} == counts


@pytest.mark.parametrize(
    ("faulty", "complaint"),
    [
        ("{piece.ablative}", "'ablative'"),
        ("{count?one}", "needs 2 plural forms"),
        ("{count?one|few|many}", "needs 2 plural forms"),
        ("{Piece}", "brace that opens no gap"),
        ("on {cell", "brace that opens no gap"),
        ("{width:.1f}", "brace that opens no gap"),
    ],
)
def test_a_malformed_template_is_refused_with_its_text(faulty: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check(faulty, ENGLISH)

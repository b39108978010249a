# SPDX-License-Identifier: Apache-2.0
"""Printed lists keep every row, every letter, and the margins."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from companion.sheets.fonts import spelt, width
from companion.sheets.frame import inside
from companion.sheets.lists import Column, Listing, listing_pages
from companion.sheets.page import PAPERS, Text, text_width_mm
from companion.sheets.pdf import to_pdf

A4 = PAPERS["a4"]
COLUMNS = (Column("Rank", "end"), Column("Player"), Column("Points", "middle"))


def texts(pdf: bytes) -> list[str]:
    return [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text("abcdefghij ABC", min_size=1, max_size=60), max_size=90))
def test_every_row_is_printed_within_the_paper(names: list[str]) -> None:
    rows = [(str(number), name, "½") for number, name in enumerate(names, 1)]
    pages = listing_pages(Listing("Open", "Standings", COLUMNS, rows), A4)
    found = [shape for page in pages for shape in page.shapes if isinstance(shape, Text)]
    assert sorted(shape.words for shape in found if shape.words in set(names)) == sorted(
        name for name in names if name
    )
    room = inside(A4)
    for shape in found:
        wide = text_width_mm(shape.words, shape.size_mm)
        left = shape.at[0] - {"start": 0, "middle": wide / 2, "end": wide}[shape.anchor]
        assert left >= room.left - 0.01
        assert left + wide <= room.right + 0.01


def test_each_page_has_the_heads_and_its_number() -> None:
    rows = [(str(number), f"Player {number}", "1") for number in range(1, 101)]
    pages = texts(to_pdf(listing_pages(Listing("Open", "After round 1", COLUMNS, rows), A4), "Open"))
    assert len(pages) == 3
    for number, text in enumerate(pages, 1):
        assert all(word in text for word in ("Open", "After round 1", "Rank", "Player", f"{number} of 3"))
    assert "Player 100" in pages[-1]


def test_a_heading_stands_over_the_rows_that_follow_it() -> None:
    pages = listing_pages(Listing("Cup", "", COLUMNS, [("A – B",), ("1", "Ann", "1")]), A4)
    found = {shape.words: shape.at for page in pages for shape in page.shapes if isinstance(shape, Text)}
    assert found["A – B"][1] > found["Ann"][1]


def test_an_empty_list_has_one_page_and_a_wide_list_is_landscape() -> None:
    (page,) = listing_pages(Listing("Open", "", COLUMNS, [], is_wide=True), A4)
    assert (page.paper.width_mm, page.paper.height_mm) == (297.0, 210.0)


@pytest.mark.parametrize(
    ("words", "fonts"),
    [
        ("Müller – Zoë ½", ["Helvetica"]),
        ("Ćosić, Šime", ["NotoSans"]),
        ("佐藤 Đurđa", ["HeiseiKakuGo-W5", "NotoSans"]),
        ("Řehoř Dvořák", ["NotoSans"]),
        ("Őry Иванов", ["NotoSans"]),
    ],
)
def test_a_name_is_set_in_one_font_that_has_its_letters(words: str, fonts: list[str]) -> None:
    assert [font for font, _ in spelt(words)] == fonts
    assert width(words, 10) > 0


def test_letters_missing_from_all_fonts_lose_their_marks_or_become_question_marks() -> None:
    assert spelt("𝐀na ۞") == (("Helvetica", "Ana ?"),)


def test_european_names_can_be_extracted_from_the_file() -> None:
    rows = [("1", "Ćosić, Šime", "1"), ("2", "Żółć", "½"), ("3", "Đurđica Őry Dvořák", "½")]
    (text,) = texts(to_pdf(listing_pages(Listing("Open", "", COLUMNS, rows), A4), "Open"))
    for _, name, _ in rows:
        assert name in text

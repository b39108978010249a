# SPDX-License-Identifier: Apache-2.0
"""Documents: paper sizes, texts, print scaling, and reproducible bytes."""

from __future__ import annotations

from io import BytesIO

import pytest
from pypdf import PdfReader

from companion import games
from companion.sheets.chart import chart_page, lens_chart
from companion.sheets.page import PAPERS, Text, fitted, text_width_mm
from companion.sheets.pdf import to_pdf
from companion.sheets.scoresheet import score_pages
from companion.sheets.tags import corner_pages

MM = 72 / 25.4


@pytest.mark.parametrize(("paper", "size"), [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))])
def test_pages_have_the_size_of_the_paper(paper: str, size: tuple[float, float]) -> None:
    pages = [*corner_pages(PAPERS[paper]), chart_page(lens_chart(), PAPERS[paper])]
    upright, lying = (page.mediabox for page in PdfReader(BytesIO(to_pdf(pages, "t"))).pages)
    assert (float(upright.width) / MM, float(upright.height) / MM) == pytest.approx(size, abs=0.01)
    assert (float(lying.height) / MM, float(lying.width) / MM) == pytest.approx(size, abs=0.01)


def test_the_document_disables_print_scaling_and_has_a_title() -> None:
    reader = PdfReader(BytesIO(to_pdf(corner_pages(PAPERS["a4"]), "Corners")))
    assert reader.metadata is not None
    assert reader.metadata.title == "Corners"
    assert reader.viewer_preferences is not None
    assert str(reader.viewer_preferences["/PrintScaling"]) == "/None"


def test_the_same_pages_make_the_same_bytes() -> None:
    pages = corner_pages(PAPERS["a4"])
    assert to_pdf(pages, "t") == to_pdf(pages, "t")


def test_text_is_shrunk_to_fit_and_never_enlarged() -> None:
    long = fitted(Text((0, 0), "a very long name of a piece", 3.0), 20.0)
    assert text_width_mm(long.words, long.size_mm) == pytest.approx(20.0)
    assert fitted(Text((0, 0), "short", 3.0), 20.0).size_mm == 3.0


@pytest.mark.parametrize("slug", games.slugs())
def test_a_score_sheet_has_a_column_for_every_side_and_numbered_lines(slug: str) -> None:
    rules = games.find(slug).rules({"players": "6"} if slug == "martian-chess" else {})
    (page,) = score_pages(slug, rules.sides, PAPERS["letter"])
    words = PdfReader(BytesIO(to_pdf([page], slug))).pages[0].extract_text().split()
    for side in rules.sides:
        assert words.count(side) >= 2
    numbers = [
        int(shape.words) for shape in page.shapes if isinstance(shape, Text) and shape.words.isdecimal()
    ]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 20

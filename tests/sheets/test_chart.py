# SPDX-License-Identifier: Apache-2.0
"""The lens chart is printed as its data say."""

from __future__ import annotations

import pytest

from companion.model.tags import CORNERS, family
from companion.sheets.chart import Chart, chart_page, lens_chart
from companion.sheets.page import PAPERS, Area, bounds
from tests.sheets.scans import needs_poppler, scan


@needs_poppler
@pytest.mark.parametrize("paper", PAPERS)
def test_the_printed_chart_shows_the_tags_of_its_data_in_its_white_squares(paper: str) -> None:
    chart = lens_chart()
    page = chart_page(chart, PAPERS[paper])
    (image,) = scan([page])
    squares = page.shapes[0]
    assert isinstance(squares, Area)
    box = bounds(squares)
    assert box.width_mm == pytest.approx(chart.columns * chart.square_mm)
    inset = (chart.square_mm - chart.tag_mm) / 2
    found = []
    for row in range(chart.rows):
        for column in range(chart.columns):
            x = box.left + column * chart.square_mm
            y = box.far - (row + 1) * chart.square_mm
            if (row + column) % 2:
                found.append(image.read_tag((x + inset, y + inset), chart.module_mm))
                assert image.shade((x + 1.0, y + 1.0)) == 255
            else:
                assert image.shade((x + 1.0, y + 1.0)) == 0
    assert found == list(chart.tags)


def test_a_tag_of_the_chart_has_a_white_rim_of_a_module() -> None:
    chart = lens_chart()
    assert chart.square_mm - chart.tag_mm >= 2 * chart.module_mm
    assert not set(chart.tags) & set(CORNERS)
    assert max(chart.tags) < len(family().bits)


def test_a_layout_with_too_few_tags_is_refused() -> None:
    with pytest.raises(ValueError, match="1 tags for 2 white squares"):
        Chart(2, 2, 20.0, 2.0, (5,))

# SPDX-License-Identifier: Apache-2.0
"""Painting leads from any image to any other, in packets within the panel's limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link.framing import OVERHEAD
from companion.link.paint import Image, Stroke, paint, painted
from companion.link.protocol_gen import Lamp, LedFill, LedSet, LedShow, Run


@st.composite
def images(draw: st.DrawFn) -> tuple[Image | None, Image, int]:
    """The old image, the new image, and the maximum length of a packet."""
    leds = draw(st.integers(1, 400))
    image = st.lists(st.integers(0, 15), min_size=leds, max_size=leds).map(tuple)
    few_lit = st.dictionaries(st.integers(0, leds - 1), st.integers(0, 15), max_size=8).map(
        lambda lit: tuple(lit.get(led, 0) for led in range(leds))
    )
    either = st.one_of(image, few_lit)
    return draw(st.none() | either), draw(either), draw(st.sampled_from([64, 250]))


def run_on_panel(strokes: tuple[Stroke, ...], leds: list[int]) -> list[int]:
    """The LEDs set one by one, as the protocol's table specifies."""
    for stroke in strokes:
        if isinstance(stroke, LedShow):
            continue
        if stroke.flags & Lamp.CLEAR:
            leds = [0] * len(leds)
        if isinstance(stroke, LedFill):
            for run in stroke.runs:
                for led in range(run.first, run.first + run.count):
                    leds[led] = run.colour
        else:
            for place in range(stroke.count):
                leds[stroke.first + place] = stroke.colours[place // 2] >> (4 * (place % 2)) & 15
    return leds


@given(images())
def test_painting_leads_to_the_image(case: tuple[Image | None, Image, int]) -> None:
    before, after, max_packet = case
    strokes = paint(before, after, max_packet)
    old = list(before) if before is not None else [9] * len(after)
    assert tuple(run_on_panel(strokes, old)) == after
    assert all(len(stroke.encode()) + OVERHEAD <= max_packet for stroke in strokes)


@given(images())
def test_only_the_last_command_ends_with_show(case: tuple[Image | None, Image, int]) -> None:
    before, after, max_packet = case
    *first, last = paint(before, after, max_packet)
    assert all(not isinstance(stroke, LedShow) and not stroke.flags & Lamp.SHOW for stroke in first)
    assert isinstance(last, LedShow) or last.flags & Lamp.SHOW


@given(images())
def test_the_hosts_copy_equals_the_panels_image(case: tuple[Image | None, Image, int]) -> None:
    before, after, max_packet = case
    believed, true = before, list(before) if before is not None else [9] * len(after)
    for stroke in paint(before, after, max_packet):
        believed = painted(believed, stroke, len(after))
        true = run_on_panel((stroke,), true)
        assert believed == tuple(true)


def test_a_few_lit_cells_take_one_small_packet() -> None:
    after = tuple(3 if led in (10, 11, 300) else 0 for led in range(400))
    (fill,) = paint(None, after, 250)
    assert fill == LedFill(Lamp.CLEAR | Lamp.SHOW, (Run(10, 2, 3), Run(300, 1, 3)))


def test_a_board_of_many_colours_is_sent_as_a_whole() -> None:
    after = tuple(led % 16 for led in range(400))
    strokes = paint(None, after, 250)
    assert [type(stroke) for stroke in strokes] == [LedFill, LedSet, LedSet]


def test_one_changed_lamp_costs_a_run() -> None:
    before = tuple(led % 16 for led in range(64))
    after = (*before[:40], 1, *before[41:])
    (stroke,) = paint(before, after, 64)
    assert len(stroke.encode()) <= 5


@pytest.mark.parametrize("image", [(0,), (5, 0, 3)])
def test_an_unchanged_image_needs_only_show(image: Image) -> None:
    assert paint(image, image, 64) == (LedShow(),)

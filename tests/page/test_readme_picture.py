# SPDX-License-Identifier: Apache-2.0
"""The README's pictures show what they promise, and are small."""

from __future__ import annotations

import pytest
from PIL import Image

from companion import games
from companion.feedback.words import load
from companion.host.play import demo
from tests.page.readme_picture import FOLDER, STILLS, moment


def test_the_moment_has_targets_a_reason_the_way_back_and_a_move() -> None:
    words = load("en", demo.GAME, games.find(demo.GAME).rules().sides)
    drawn = list(moment(words))
    signs = ('class="target"', "The Axe moves", "guide arrow", "Put the Axe on a8.", "b8-b2!")
    first = [next(number for number, (svg, _) in enumerate(drawn) if sign in svg) for sign in signs]
    assert first == sorted(first)
    assert len(set(first)) >= 4
    assert 10_000 < sum(held_ms for _, held_ms in drawn) < 30_000


@pytest.mark.parametrize(
    ("name", "wide", "size"),
    [("game.gif", 800, 1_500_000), *((f"{slug}.png", 320, 60_000) for slug in STILLS)],
)
def test_a_picture_is_small(name: str, wide: int, size: int) -> None:
    file = FOLDER / name
    assert file.stat().st_size <= size
    with Image.open(file) as image:
        assert image.width <= wide
        assert getattr(image, "n_frames", 1) >= (6 if name == "game.gif" else 1)

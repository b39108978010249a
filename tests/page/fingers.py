# SPDX-License-Identifier: Apache-2.0
"""Fingers on the screen of a phone, as Chromium's own input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from playwright.sync_api import Page

Spot: TypeAlias = tuple[float, float]
"""A place in the window, in pixels."""


def middle(page: Page, selector: str) -> Spot:
    """The middle of the element *selector*."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Fingers:
    """The fingers on one page."""

    def __init__(self, page: Page) -> None:
        self._input = page.context.new_cdp_session(page)

    def _send(self, kind: str, *spots: Spot) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(spots)]
        self._input.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def down(self, *spots: Spot) -> None:
        """Put one finger on each of *spots*, one after another."""
        for count in range(1, len(spots) + 1):
            self._send("touchStart", *spots[:count])

    def move(self, *spots: Spot) -> None:
        """Move the fingers to *spots*."""
        self._send("touchMove", *spots)

    def up(self) -> None:
        """Take all fingers away."""
        self._send("touchEnd")

    def tap(self, spot: Spot) -> None:
        """Touch *spot* shortly."""
        self.down(spot)
        self.up()

    def slide(self, *ways: Sequence[Spot]) -> None:
        """Move a finger along each of *ways* at the same time."""
        self.down(*(way[0] for way in ways))
        for spots in zip(*(way[1:] for way in ways), strict=True):
            self.move(*spots)
        self.up()

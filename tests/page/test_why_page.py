# SPDX-License-Identifier: Apache-2.0
"""The page says why a move is illegal, on request."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.page.test_every_game import sit

pytestmark = [pytest.mark.browser]
__all__ = ["sit"]
"""A fixture of another file that a test needs."""


def test_the_reason_of_an_illegal_move_is_one_tap_away(sit: Any) -> None:
    chess = sit("chess")
    why, reason = chess.page.locator("#why"), chess.page.locator("#reason")
    expect(why).to_be_hidden()
    chess.carry("b1", "b3")
    expect(why).to_be_visible()
    expect(reason).to_have_text("")
    why.click()
    expect(reason).to_have_text(re.compile(r"piece lifted that does not belong to the move \(b1\)"))
    expect(why).to_be_hidden()
    expect(reason).to_be_in_viewport()
    chess.carry("b3", "b1")
    expect(why).to_be_hidden()
    expect(reason).to_have_text("")

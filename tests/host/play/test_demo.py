# SPDX-License-Identifier: Apache-2.0
"""The demo as drawn in a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from companion.host.play import demo


def test_a_terminal_shows_the_lit_board_at_the_requested_speed() -> None:
    drawn = StringIO()
    waits: list[float] = []
    console = Console(file=drawn, force_terminal=True, color_system="truecolor", width=100)
    demo.run(console, 10.0, waits.append)
    text = drawn.getvalue()
    assert "The weapons win: the Sword is eliminated." in text
    assert "Axe a5 > a8" in text
    assert "CHECK!" in text
    assert "48;2;0;90;255" in text, "no cell was lit as a target"
    assert 2 < sum(waits) < 6, "ten times as fast as hands"

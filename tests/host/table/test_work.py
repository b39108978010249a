# SPDX-License-Identifier: Apache-2.0
"""How much a table computes for a move, counted in function calls.

A hall with five hundred tables uses nearly all of two processors: a tenth more work for each move
makes all of them several times slower. Calls in virtual time are the same on every machine and
under every load.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any, Final

import companion
from tests.host.tables import WHOLE_GAME, Kept, play, rig_for

_OURS: Final = str(Path(companion.__file__).parent)
_AT_THE_PANEL: Final = f"{_OURS}/virtual/"
_MOST_CALLS: Final = 4_120
"""Limit of calls of our functions for a move.

Raise it only for something that is worth the time of `tests/bench/hall.py --tables 500`.
"""


def calls_of_a_game() -> int:
    """The calls of our functions for a game, without the virtual panel's."""
    rig, found = rig_for(Kept()), 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal found
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(_OURS) and not file.startswith(_AT_THE_PANEL):
            found += 1

    sys.setprofile(note)
    try:
        play(rig, WHOLE_GAME)
    finally:
        sys.setprofile(None)
    return found


def test_a_move_costs_no_more_calls_than_a_large_hall_can_bear() -> None:
    calls_of_a_game()  # rules, words and converters are cached from here on
    assert calls_of_a_game() / len(WHOLE_GAME.split()) <= _MOST_CALLS

# SPDX-License-Identifier: Apache-2.0
"""No edge is lost on a Pico, by the soak of the AVRs.

It has 200 edges a second, repaints, a bad line, a host that stalls, and resets.
"""

from __future__ import annotations

import pytest

from tests.firmware import test_elf_soak as same
from tests.firmware.boards import PICO_PANELS, Board, board

pytestmark = [pytest.mark.firmware, pytest.mark.timeout(0)]


@pytest.fixture(params=PICO_PANELS)
def on(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


test_good_line = same.test_on_a_good_line_every_edge_is_reported_with_its_time


@pytest.mark.parametrize("name", PICO_PANELS)
def test_bad_line(name: str) -> None:
    same.test_under_noise_stalls_and_resets_the_history_is_true_or_marks_its_gaps(name, is_long=False)

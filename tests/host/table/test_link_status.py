# SPDX-License-Identifier: Apache-2.0
"""What is known of a panel once it has identified itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.host.table.link_status import PanelLink
from companion.link.events import EboardGreeted, LinkLost, PanelGreeted
from companion.link.panel import load_panel, shape_of
from companion.model.grid import rectangle
from companion.virtual.panel import VirtualPanel


@pytest.mark.parametrize("lines", [0, 2])
def test_a_panel_has_a_display_if_it_says_so_also_while_its_link_is_lost(lines: int) -> None:
    panel = replace(load_panel("4x8"), text_lines=lines)
    hello = VirtualPanel(panel, unique_id=bytes(8), session=1, now_ms=0).device.describe(0)
    link = PanelLink(rectangle(4, 8))
    assert link.has_display is None
    link.note(PanelGreeted(1_000, hello))
    assert link.has_display is (lines > 0)
    link.note(LinkLost(2_000, "unplugged"))
    assert link.has_display is (lines > 0)
    link.note(EboardGreeted(3_000, "DGT e-Board", shape_of(hello)))
    assert link.has_display is False

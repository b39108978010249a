# SPDX-License-Identifier: Apache-2.0
"""What `companion tools flash` writes to the drive of a Pico runs in rp2040js."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from companion.host.doctor.flash import flash
from companion.link.handshake import panel_name
from companion.link.protocol_gen import BoardKind
from tests.firmware.boards import PICO_PANELS, board
from tests.firmware.pico import PicoSimulator
from tests.firmware.simulator import Simulator
from tests.firmware.talk import Talk
from tests.uf2 import PICO_ABOUT, image_of

pytestmark = pytest.mark.firmware


@pytest.mark.parametrize("name", PICO_PANELS)
def test_the_written_program_runs_and_names_its_panel(name: str, tmp_path: Path) -> None:
    (tmp_path / "INFO_UF2.TXT").write_text(PICO_ABOUT)
    flash(name, str(tmp_path), lambda _said: None)
    (written,) = tmp_path.glob("*.uf2")
    image = tmp_path / "flash.bin"
    image.write_bytes(image_of(written.read_bytes()))
    with PicoSimulator(image, board(name).topology) as sim:
        talk = Talk(cast("Simulator", sim))
        talk.listen(120)
        hello = talk.hello()
        assert (panel_name(hello), hello.board) == (name, BoardKind.RP2040)
        sim.cell(5, True)
        talk.listen(20)
        assert [edge.input for edge in talk.edges()] == [5]

# SPDX-License-Identifier: Apache-2.0
"""The sensor test in terminal and display, at a panel on a pseudo-terminal."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from companion.feedback.wordfiles import languages
from companion.host.clock import monotonic
from companion.host.doctor import as_data
from companion.host.doctor.sensor_terminal import Examined, examine_switches
from companion.host.doctor.sensor_test import display_of, sentence, short, to_and_fro
from companion.host.text.error_translation import translate
from companion.link.panel import load_panel
from companion.model.grid import rectangle
from companion.sensing.sensor_check import FaultKind, SensorCheck, SwitchFault
from companion.virtual.panel import VirtualPanel
from tests.terminals import TerminalPanel

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not to be had"),
]
CLOCK = monotonic(10_000)
GRID = rectangle(20, 20)


def until(holds: Callable[[], bool]) -> None:
    """Wait until *holds*, at most half a minute."""
    pause = threading.Event()
    for _ in range(3000):
        if holds():
            return
        pause.wait(0.01)
    raise AssertionError("the display never said what was expected")


def hand(far: TerminalPanel) -> None:
    """Visit a1, mistake c1 for b1, and leave out the rest by button."""
    panel = far.panel
    assert isinstance(panel, VirtualPanel)

    def press() -> None:
        shown = panel.lines
        far.act(partial(panel.press, 0))
        until(lambda: panel.lines != shown)
        far.act(partial(panel.release, 0))
        until(lambda: not panel.device.inputs.state()[-2])

    until(lambda: panel.lines[0].startswith("Magnet: a1"))
    far.close(0)
    until(lambda: panel.lines[0].startswith("Magnet: b1"))
    far.act(partial(panel.open, 0))
    far.close(2)
    until(lambda: panel.lines[1].startswith("b1: is c1?"))
    far.act(partial(panel.open, 2))
    while not panel.lines[0].startswith("Faults"):
        press()
    press()


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> tuple[Examined, str]:
    """A test of a small panel, and what the terminal showed."""
    path = tmp_path_factory.mktemp("ports") / "A"
    panel = VirtualPanel(load_panel("4x8"), unique_id=b"switches", session=1, now_ms=CLOCK())
    out = Console(record=True, width=150, file=io.StringIO())
    with (
        TerminalPanel(panel, CLOCK, path) as far,
        Path(os.devnull).open() as nobody,
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setattr(sys, "stdin", nobody)
        moving = threading.Thread(target=hand, args=(far,))
        moving.start()
        examined = examine_switches(str(path), out, "en")
        moving.join()
        assert not any(any(rgb) for rgb in panel.leds(CLOCK()))
    return examined, " ".join(out.export_text().split())


def test_faults_are_reported_at_once_and_the_verdict_ends_the_test(tested: tuple[Examined, str]) -> None:
    examined, said = tested
    assert examined.test.check.good == {0}
    assert not examined.is_well
    first = said.index("• a magnet on b1 closes c1: b1 is wired in the place of c1")
    assert first < said.index("• d1 does not close") < said.index("Verdict: 31 of 32 cells have a fault.")


def test_the_test_can_be_read_by_programs(tested: tuple[Examined, str]) -> None:
    verdict, first, *_ = as_data.switches("A", tested[0], "de")
    assert verdict["level"] == first["level"] == "fault"
    assert verdict["text"] == "Ergebnis: 31 von 32 Feldern haben einen Fehler."
    assert first["text"].startswith("ein Magnet auf b1 schließt c1: b1 ")


@pytest.mark.parametrize("language", languages())
def test_what_the_display_says_has_sixteen_letters_of_ascii(language: str) -> None:
    everywhere = SensorCheck(to_and_fro(GRID), 0, 0)
    for _ in range(399):
        everywhere.skip(0)
    cluttered, over = SensorCheck(to_and_fro(GRID), 1, 0), SensorCheck(to_and_fro(GRID), 0, 0)
    over.end()
    lines = [display_of(each, GRID)[0] for each in (everywhere, cluttered, over)]
    lines += [short(SwitchFault(kind, 399, 398), GRID) for kind in FaultKind]
    lines.append(display_of(SensorCheck(to_and_fro(GRID), 0, 0), GRID)[1])
    for line in lines:
        said = translate(line, language)
        assert len(said) <= 16, said
        assert said.isascii()


def test_a_verdict_without_all_cells_says_how_many_were_visited() -> None:
    check = SensorCheck(to_and_fro(GRID), 0, 0)
    check.end()
    assert [translate(line, "en") for line in display_of(check, GRID)] == ["Faults: 0", "0 of 400"]


def test_a_verdict_cuts_no_name() -> None:
    check = SensorCheck(to_and_fro(GRID), 0, 0)
    for _ in range(20):
        check.skip(0)
    check.end()
    names = str(display_of(check, GRID)[1]).split()
    assert names == [GRID.name(cell) for cell in range(5)]


def test_every_fault_has_a_sentence_of_its_own() -> None:
    said = {sentence(SwitchFault(kind, 0, 1), GRID) for kind in FaultKind}
    assert len(said) == len(FaultKind)


def test_the_path_over_a_board_is_short() -> None:
    assert to_and_fro(rectangle(3, 2)) == (0, 1, 2, 5, 4, 3)

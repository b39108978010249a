# SPDX-License-Identifier: Apache-2.0
"""Outputs of the real firmware on every board: display, buzzer pitch, blinking."""

import itertools
from collections.abc import Iterator
from statistics import median

import pytest

from companion.link.protocol_gen import Colour, Lamp, LedFill, LedPalette, Note, Run, Text, Tone
from tests.firmware.boards import DISPLAY_ADDRESS, PANELS, Board, board
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
START_MS = 120
DRAWN_MS = 200
"""After power-up the display is woken by instructions that take their time."""
WOKEN_AGAIN_MS = 10_000 + DRAWN_MS
TEXT = ("White to move", "e2-e4")


@pytest.fixture(params=PANELS)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk(panel: Board) -> Iterator[Talk]:
    with panel.powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        yield talk


def test_both_lines_of_text_are_drawn_and_replaced(talk: Talk) -> None:
    talk.ask(Text(0, "White to move"))
    talk.ask(Text(1, "e2-e4 – now what is too long"))
    talk.listen(DRAWN_MS)
    assert talk.board.display() == ("White to move", "e2-e4 - now what")
    talk.ask(Text(0, "CHECK!"))
    talk.listen(DRAWN_MS)
    assert talk.board.display() == ("CHECK!", "e2-e4 - now what")


@pytest.fixture(params=["8x8", pytest.param("20x20", marks=pytest.mark.long)])
def showing(request: pytest.FixtureRequest) -> Iterator[Talk]:
    """A board of each chip whose display shows TEXT."""
    with board(str(request.param)).powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        show(talk)
        assert sim.display() == TEXT
        yield talk


def show(talk: Talk) -> None:
    for number, line in enumerate(TEXT):
        talk.ask(Text(number, line))
    talk.listen(DRAWN_MS)


def test_a_display_that_is_plugged_in_later_shows_the_text(showing: Talk) -> None:
    showing.board.plug_display(0)
    showing.listen(WOKEN_AGAIN_MS)
    showing.board.plug_display(DISPLAY_ADDRESS)
    showing.listen(WOKEN_AGAIN_MS)
    assert showing.board.display() == TEXT


def test_a_display_that_lost_half_a_byte_shows_the_text_again(showing: Talk) -> None:
    showing.board.lose_nibble()
    showing.ask(Text(0, "???"))
    showing.listen(DRAWN_MS)
    assert showing.board.display()[0] != "???"
    show(showing)
    showing.listen(WOKEN_AGAIN_MS)
    assert showing.board.display() == TEXT


@pytest.mark.parametrize("clocks", [1, 9])
def test_a_data_line_that_the_display_holds_is_freed_by_clocks(showing: Talk, clocks: int) -> None:
    showing.board.hold_bus(clocks)
    showing.ask(Text(1, "held"))
    showing.listen(WOKEN_AGAIN_MS)
    assert showing.board.display() == (TEXT[0], "held")


@pytest.mark.parametrize("name", ["8x8", "20x20"])
def test_a_data_line_held_since_before_the_start_costs_nothing(name: str) -> None:
    with board(name).powered() as sim:
        sim.hold_bus(9)
        talk = Talk(sim)
        talk.listen(START_MS)
        show(talk)
        assert sim.display() == TEXT


def test_a_bus_that_is_never_freed_stops_neither_scan_nor_link(showing: Talk) -> None:
    showing.board.hold_bus(255)
    for _ in range(3):
        showing.board.hold_bus(255)
        showing.board.cell(3, True)
        showing.listen(50)
        showing.board.cell(3, False)
        showing.listen(50)
    assert [edge.is_closed for edge in showing.edges()] == [True, False] * 3
    showing.ask(Text(0, "later"))


@pytest.mark.parametrize(
    "pitch_hz", [40, 440, *(pytest.param(each, marks=pytest.mark.long) for each in (262, 2000, 10_000))]
)
def test_a_note_has_its_pitch_and_ends(talk: Talk, pitch_hz: int) -> None:
    talk.ask(Tone((Note(pitch_hz, 600),)))
    heard = []
    for ms in (250, 150, 150):
        talk.listen(ms)
        heard.append(talk.board.tone_hz())
    # libsimavr now and then loses half a period on a port whose pins are written, so not the mean
    assert median(heard) == pytest.approx(pitch_hz, rel=0.03), "half a semitone"
    talk.listen(150)
    assert talk.board.tone_hz() == 0


def test_a_blinking_colour_takes_turns_on_the_board_itself(talk: Talk, panel: Board) -> None:
    talk.ask(LedPalette(1, (Colour(0, 60, 0, 60, 0, 0, period=20, phase=0),)))
    talk.ask(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(2, 1, 1),)))
    talk.listen(30)
    first = talk.board.image_count()
    talk.listen(1000)
    images = talk.board.images(first)
    begins_ms = [talk.board.ms_at(image.begin_cycle) for image in images]
    assert len(images) in (9, 10, 11), "twice in 200 ms"
    assert all(90 <= later - earlier <= 110 for earlier, later in itertools.pairwise(begins_ms))
    seen = [panel.colours([image])[2] for image in images]
    assert set(seen) == {(0, 60, 0), (60, 0, 0)}
    assert all(one != other for one, other in itertools.pairwise(seen))

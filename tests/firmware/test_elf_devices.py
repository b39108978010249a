# SPDX-License-Identifier: Apache-2.0
"""Outputs of the real firmware on every board: display, buzzer pitch, blinking."""

import itertools
from collections.abc import Iterator

import pytest

from companion.link.protocol_gen import Colour, Lamp, LedFill, LedPalette, Note, Run, Text, Tone
from tests.firmware.boards import PANELS, Board, board
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
START_MS = 120
DRAWN_MS = 200
"""After power-up the display is woken by instructions that take their time."""


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


@pytest.mark.parametrize(
    "pitch_hz", [40, 440, *(pytest.param(each, marks=pytest.mark.long) for each in (262, 2000, 10_000))]
)
def test_a_note_has_its_pitch_and_ends(talk: Talk, pitch_hz: int) -> None:
    talk.ask(Tone((Note(pitch_hz, 400),)))
    talk.listen(350)
    assert talk.board.tone_hz() == pytest.approx(pitch_hz, rel=0.03), "half a semitone"
    talk.listen(150)
    assert talk.board.tone_hz() == 0


def test_a_blinking_colour_takes_turns_on_the_board_itself(talk: Talk, panel: Board) -> None:
    talk.ask(LedPalette(1, (Colour(0, 60, 0, 60, 0, 0, period=20, phase=0),)))
    talk.ask(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(2, 1, 1),)))
    talk.listen(30)
    first = talk.board.image_count()
    talk.listen(1000)
    images = talk.board.images(first)
    begins_ms = [image.begin_cycle / 16_000 for image in images]
    assert len(images) in (9, 10, 11), "twice in 200 ms"
    assert all(90 <= later - earlier <= 110 for earlier, later in itertools.pairwise(begins_ms))
    seen = [panel.colours([image])[2] for image in images]
    assert set(seen) == {(0, 60, 0), (60, 0, 0)}
    assert all(one != other for one, other in itertools.pairwise(seen))

# SPDX-License-Identifier: Apache-2.0
"""Sessions read what hands did."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from companion import games
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.controls import read_control
from companion.referee.values.events import IllegalSeen
from companion.referee.values.timing import DEFAULT_TIMING
from tests.fakes import FakeTable
from tests.referee.trace_files import all_traces
from tests.referee.trace_results import performed, right


class Story(NamedTuple):
    """What hands did at a table, and the plies they made."""

    game: str
    position: str
    trace: str
    """Times in ms; cells that open (-) and close (+); presses of sides (p0, p1)."""
    plies: list[str]
    control: str = ""


STORIES = {
    "a pawn": Story("chess", "", "0 -e2 400 +e4", ["e4"]),
    "a slide with a rest that is a move, too": Story(
        "chess", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "0 -a1 300 +a2 750 -a2 900 +a4", ["Ra4"]
    ),
    "the new cell closes 120 ms before the old one opens": Story(
        "chess", "1r4k1/p2q1pp1/4pb2/RPpr3p/2N5/3P2P1/4PPQP/2R3K1 w - - 0 1", "0 +b1 120 -c1", ["Rb1"]
    ),
    "both pieces of castling are up, and the clock is pressed before the rook is down": Story(
        "chess",
        "r1bqkb1r/pp1n1ppp/4pn2/2p5/2Q5/5NP1/PP1PPPBP/RNB1K2R w KQkq - 0 1",
        "0 -e1 300 -h1 600 +g1 700 p0 900 +f1",
        ["O-O"],
        "5+3@press",
    ),
    "a press after the opponent's answer splits no ply": Story(
        "chess", "", "0 -h2 150 +h3 158 -h3 198 +h4 258 -e7 458 +e5 700 p0", ["h4", "e5"], "5+3@press"
    ),
    "a capture that is carried low over a cell": Story(
        "chess",
        "2rr2k1/pB1qbppp/1p2pn2/1Pp1B3/2N5/P2P2P1/4PP1P/1RRQ2K1 b - - 0 1",
        "0 -d7 300 +c7 308 -c7 608 -b7 668 +a6 676 +b7 686 -a6",
        ["Qxb7"],
    ),
    "the reply comes while the first hand is still at the board": Story(
        "chess", "", "0 -e2 350 -e7 400 +e4 700 +e5", ["e4", "e5"]
    ),
    "a put-back is no move": Story("chess", "", "0 -e2 300 +e2 1500 -d2 1800 +d4", ["d4"]),
    "a piece is put back, and the captured one had only been brushed": Story(
        "close-quarters",
        "4/3A/4/4/4/2M1/1S2/1P2 s 0",
        "0 -b2 260 -b1 390 +b1 1230 +a3",
        ["b2-a3"],
    ),
    "the clock is pressed 200 ms before the piece lands": Story(
        "chess", "", "0 -e2 300 p0 500 +e4", ["e4"], "5+3@press"
    ),
    "a reply begins before the second pawn of a swap is down, and the swap is pressed for after it": Story(
        "gottaz",
        "l4u2,.,s1l5,.,s4w2/.,s1l5,.,.,./.,.,.,.,./.,.,W2S4,.,./.,S1L5,U2L4,.,S1L5 f"
        " 2U1W5+1U2L4+1W2S4+1L3U3+1W3S3 2U1W5+1U2L4+1W2S4+1L3U3+1W3S3 -",
        "0 -c2 400 -c1 900 +c2 1100 -e5 1400 +c1 1700 +d5 2400 p0",
        ["c2<>c1", "e5-d5"],
        "5+3@press",
    ),
    "a reply is complete before the second pawn of a swap is down": Story(
        "gottaz",
        "l4u2,.,s1l5,.,s4w2/.,s1l5,.,.,./.,.,.,.,./.,.,W2S4,.,./.,S1L5,U2L4,.,S1L5 f"
        " 2U1W5+1U2L4+1W2S4+1L3U3+1W3S3 2U1W5+1U2L4+1W2S4+1L3U3+1W3S3 -",
        "0 -c2 400 -c1 900 +c2 1100 -e5 1250 +d5 1400 +c1 2400 p0",
        ["c2<>c1", "e5-d5"],
        "5+3@press",
    ),
    "a queen that could capture is held for twenty seconds": Story(
        "chess", "4k3/8/8/3q4/8/8/8/R2QK3 w - - 0 1", "0 -d1 20500 +d2", ["Qd2"]
    ),
    "six plies in three seconds": Story(
        "chess",
        "",
        "0 -e2 150 +e4 500 -e7 650 +e5 1000 -g1 1150 +f3 1500 -b8 1650 +c6 2000 -f1 2150 +c4 2500 -f8 2650 +c5",
        ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"],
    ),
}


def played(story: Story, kind: SensorKind = SensorKind.OCCUPANCY) -> FakeTable:
    """The table after *story*, three seconds later."""
    rules = games.find(story.game).rules()
    start = rules.read_position(story.position) if story.position else None
    control = read_control(story.control, len(rules.sides)) if story.control else None
    table = FakeTable(rules, kind, session=Session(rules, kind, DEFAULT_TIMING, start=start, control=control))
    table.set_up()
    began_ms, hand = table.now_ms, list[Piece]()
    words = story.trace.split()
    for ms, what in zip(words[::2], words[1::2], strict=True):
        table.wait(began_ms + int(ms) - table.now_ms)
        if what[0] == "p":
            table.turn_lever(int(what[1:]))
        elif what[0] == "-":
            hand.append(table.lift(what[1:]))
        else:
            table.put(what[1:], hand.pop(0) if hand else Piece("pawn", 0))
    table.wait(3000)
    return table


@pytest.mark.parametrize("name", STORIES)
def test_the_record_is_what_the_hands_did(name: str) -> None:
    table = played(STORIES[name])
    assert table.record == STORIES[name].plies
    assert not [event for event in table.history if isinstance(event, IllegalSeen)]


def test_a_pawn_on_a_wrong_cell_is_no_pawn_from_the_hand_for_long() -> None:
    position = (
        ".,.,.,l4u2,./.,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,.,.,W2S4 f"
        " 2S1L5+2U1W5+2U2L4+1W2S4+1L3U3+1W3S3 2S1L5+2U1W5+1U2L4+2W2S4+1L3U3+1W3S3 -"
    )
    table = played(Story("gottaz", position, "0 -e1 900 +b1", []))
    table.wait(3000)
    assert [event for event in table.history if isinstance(event, IllegalSeen)]


def test_a_press_for_an_illegal_move_does_not_count_for_the_next_one() -> None:
    table = played(
        Story("chess", "", "0 -e2 300 +e5 900 p0 2500 -e5 2900 +e2 5000 -d2 5300 +d3", [], "5+3@press")
    )
    assert table.record == ["d3"]
    assert [event for event in table.history if isinstance(event, IllegalSeen)]
    assert not table.session.belief.line[-1].is_pressed


def test_what_stood_on_the_board_stays_when_an_unfollowed_line_could_replace_it() -> None:
    fidgets = "2000 -e1 2300 +h3 2600 -h3 2900 +e1 4000 -e1 4300 +b2 4600 -b2 4900 +e1"
    position = "8/8/3K4/8/5r2/8/8/4k3 b - - 0 1"
    table = played(Story("chess", position, f"0 -f4 300 +f6 {fidgets} 6500 -d6 6900 +c6", []))
    assert table.record == ["Rf6+"]  # and not Rf1 Kc6 Rf6+
    assert [event for event in table.history if isinstance(event, IllegalSeen)]


def test_an_illegal_move_is_reported_in_time_with_its_reason() -> None:
    table = played(Story("chess", "", "0 -b1 300 +b3", []))
    told = [event for event in table.history if isinstance(event, IllegalSeen)]
    assert told
    assert told[0].at_ms <= 1000 + 300 + 60 + 700
    assert table.record == []


@pytest.mark.parametrize("slug", games.slugs())
@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.IDENTITY_FACING])
def test_a_first_move_of_every_game_is_read(slug: str, kind: SensorKind) -> None:
    rules = games.find(slug).rules()
    table = FakeTable(rules, kind)
    table.set_up()
    before = table.session.position
    move = (
        next(
            each
            for each in rules.legal_moves(before)
            if rules.steps(before, each) and next(iter(rules.steps(before, each))).source
        )
        if slug != "gottaz"
        else rules.legal_moves(before)[0]
    )
    for step in rules.steps(before, move):
        for cell in step.source:
            table.lift(rules.grid.name(cell))
        for cell in step.target:
            table.put(rules.grid.name(cell), step.becomes)
    table.wait(3000)
    if table.session.view().question is None:
        assert table.record == [rules.write_move(before, move)]
    else:
        assert rules.write_move(before, move) in table.offered()


def test_a_board_that_fits_is_asked_about_while_other_stories_are_as_likely() -> None:
    """Three plies have brought a piece back, and the board is at rest."""
    name = "three plies that bring a piece back were made"
    (trace,) = [trace for _, trace in all_traces() if trace.name == name]
    assert performed(trace, trace.sensor[0]).differences(right(trace), may_ask_less=True) == []

# SPDX-License-Identifier: Apache-2.0
"""Every edge of a segment is charged to one cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion import games
from companion.model.observation import SensorKind
from companion.model.occupancy import occupancy_of
from companion.referee.inference.costs import DEFAULT
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.needs import NOTHING, needs_of
from companion.referee.inference.tracker.segment import Charge, Halt, Segment, Trail
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.marks import Edge

CHESS = games.find("chess").rules()
ROOK = "4k3/8/8/8/8/8/7P/R3K3 w Q - 0 1"
"""A rook that may slide."""
SWAP = (
    "s1l5,u3l3,s1l5,.,./.,.,.,w5u1,./l4u2,.,W5U1,.,./.,.,.,.,S4W2/U2L4,.,W2S4,W3S3,S1L5 "
    "f 1S1L5+1U1W5+1U2L4+1L3U3 1U1W5+1U2L4+2W2S4+1W3S3 -"
)
"""A piece on d1 that may be exchanged with another."""
CAPTURE = "4k3/8/8/8/3p4/8/8/R2QK3 w Q - 0 1"


def segment(before: Prospect, trace: str) -> Segment:
    """The edges of a text such as "0 -a1 300 +a4" in the position *before*.

    Times are in ms; cells open (-) and close (+).
    """
    words = trace.split()
    edges = [
        Edge(int(ms), before.rules.grid.cell(what[1:]), what[0] == "+")
        for ms, what in zip(words[::2], words[1::2], strict=True)
    ]
    return Segment(Trail(DEFAULT, edges), edges[-1].t_ms)


def charges(
    position: str, move: str, trace: str, *, is_complete: bool = True, game: str = "chess"
) -> list[str]:
    """The causes that explain *trace* if *move* was made; no move if that is empty."""
    rules = games.find(game).rules()
    before = Prospect(rules, rules.read_position(position), SensorKind.OCCUPANCY)
    needs = NOTHING
    if move:
        needs = next(
            needs_of(before, each) for each in before.imprints() if before.written(each.move) == move
        )
    found: list[Charge] = []
    total = explained(before, needs, segment(before, trace), is_complete=is_complete, charges=found)
    assert total == pytest.approx(sum(each.nats for each in found))
    return [each.cause for each in found]


@pytest.mark.parametrize(
    ("move", "trace", "causes"),
    [
        pytest.param("Ra4", "0 -a1 200 +a4", [], id="lifted and put down"),
        pytest.param("Ra4", "0 -a1 100 +a2 180 -a2 280 +a4", ["piece.pass"], id="slid over a cell"),
        pytest.param(
            "Ra4", "0 -a1 200 +a2 700 -a2 900 +a4", ["pause", "piece.stop"], id="rested on a cell of its way"
        ),
        pytest.param(
            "Ra4",
            "0 -a1 100 +a2 180 -a2 260 +a2 340 -a2 500 +a4",
            ["piece.pass", "piece.again"],
            id="trembled over a cell",
        ),
        pytest.param("Ra4", "0 -a1 5 +a1 9 -a1 200 +a4", ["piece.bounce"], id="a contact bounced"),
        pytest.param("Ra4", "0 -a1 200 +a1 400 -a1 600 +a4", ["piece.back"], id="put back and lifted again"),
        pytest.param("Ra4", "0 -a1 200 +h7 600 -h7 800 +a4", ["pause", "piece.try"], id="tried elsewhere"),
        pytest.param("Ra4", "0 -h2 200 +h2 400 -a1 600 +a4", ["piece.adjust"], id="adjusted another piece"),
        pytest.param(
            "Ra4", "0 +a4 40 -a1", ["order.early"], id="two switches report one stroke in the other order"
        ),
        pytest.param("Ra2", "0 +a2 200 -a1", ["order.straddle"], id="the magnet stood on the border"),
        pytest.param("Ra4", "0 +a4 900 -a1", ["pause", "order.wrong"], id="in two places at once"),
    ],
)
def test_what_a_hand_does_besides_a_move_is_named(move: str, trace: str, causes: list[str]) -> None:
    assert charges(ROOK, move, trace) == causes


def test_a_piece_stands_on_one_cell_at_a_time() -> None:
    on_the_way = "0 -a1 200 +a2 500 -a2 600 +a4"
    after_arrival = "0 -a1 200 +a4 300 +a2 600 -a2"
    assert charges(ROOK, "Ra4", on_the_way) == ["piece.stop"]
    assert charges(ROOK, "Ra4", after_arrival) == ["piece.try"]


def test_a_piece_that_goes_on_below_a_hand_has_rested() -> None:
    before = Prospect(CHESS, CHESS.read_position(ROOK), SensorKind.OCCUPANCY)
    (needs,) = {needs_of(before, each) for each in before.imprints() if before.written(each.move) == "Ra4"}
    hidden = occupancy_of(map(CHESS.grid.cell, ("a2", "a4")))
    rested = replace(segment(before, "0 -a1 200 +a2"), now_ms=1500, hidden=hidden)
    found: list[Charge] = []
    explained(before, needs, rested, is_complete=True, charges=found)
    assert [each.cause for each in found] == ["piece.stop", "order.lost", "pause", "ply.emptied"]


def test_a_captured_piece_is_lifted_or_pushed_off() -> None:
    assert charges(CAPTURE, "Qxd4", "0 -d4 200 -d1 400 +d4") == []
    assert charges(CAPTURE, "Qxd4", "0 -d1 200 -d4 210 +d4") == ["piece.bounce", "ply.pushed", "ply.emptied"]


def test_the_beginning_of_a_move_lacks_nothing() -> None:
    assert charges(ROOK, "Ra4", "0 -a1", is_complete=False) == []
    assert charges(ROOK, "Ra4", "0 -a1 300 +a3", is_complete=False) == ["piece.stop"]
    assert charges(ROOK, "Ra4", "0 -a1 300 +h7", is_complete=False) == ["piece.lying"]


def test_two_stray_touches_cost_more_than_twice_one() -> None:
    one = charges(ROOK, "Ra4", "0 -h2 200 +h2 300 -a1 400 +a4")
    two = charges(ROOK, "Ra4", "0 -h2 200 +h2 210 -e8 290 +e8 300 -a1 400 +a4")
    assert (one, two) == (["piece.adjust"], ["piece.adjust", "piece.adjust", "piece.more"])


def test_a_hand_brushes_other_pieces_only_while_it_carries_one() -> None:
    assert charges(ROOK, "Ra4", "0 -a1 50 -h2 120 +h2 300 +a4") == ["piece.brush"]
    assert charges(ROOK, "Ra4", "0 -h2 70 +h2 200 -a1 300 +a4") == ["piece.adjust"]


def test_a_piece_may_rest_beside_its_way() -> None:
    assert charges(ROOK, "Ra4", "0 -a1 200 +c3 800 -c3 1000 +a4") == ["pause", "piece.aside"]
    assert charges(ROOK, "Ra4", "0 -a1 200 +g6 800 -g6 1000 +a4") == ["pause", "piece.try"]
    assert charges(ROOK, "Ra4", "0 -a1 200 +a4 300 +c3 900 -c3") == [
        "pause",
        "piece.try",
    ]  # the rook has arrived


def test_touches_while_a_piece_is_held_are_one_attempt() -> None:
    assert charges(ROOK, "", "0 -a1 300 -h2 500 +h2 800 +a1") == ["piece.adjust", "piece.carried"]
    assert charges(ROOK, "", "0 -a1 300 +a1 500 -h2 800 +h2") == [
        "piece.adjust",
        "piece.adjust",
        "piece.more",
    ]


@pytest.mark.parametrize(
    ("trace", "causes"),
    [
        pytest.param(
            "0 -a1 200 +a2 300 -e8 400 +d8 500 -a2 700 +a4",
            ["piece.stop", "piece.meanwhile"],
            id="on its way",
        ),
        pytest.param(
            "0 -a1 200 +g6 300 -e8 400 +d8 600 -g6 700 +a4", ["piece.try", "piece.meanwhile"], id="beside it"
        ),
        pytest.param(
            "0 -a1 200 +g6 300 -e8 400 +e8 600 -g6 700 +a4", ["piece.try"], id="nothing has changed"
        ),
    ],
)
def test_a_hand_that_rests_a_piece_seldom_moves_another_one_meanwhile(trace: str, causes: list[str]) -> None:
    before = charges(ROOK, "Ra4", trace)
    assert [
        each for each in before if each in ("piece.stop", "piece.try", "piece.aside", "piece.meanwhile")
    ] == causes


def test_a_captured_piece_may_be_taken_off_meanwhile() -> None:
    assert charges(CAPTURE, "Qxd4", "0 -d1 200 +d3 300 -d4 500 -d3 700 +d4") == ["piece.stop"]


def test_a_piece_that_stays_on_the_board_is_not_pushed_off() -> None:
    assert charges(SWAP, "d1<>e1", "0 -d1 200 -e1 400 +d1 600 +e1", game="gottaz") == []
    assert charges(SWAP, "d1<>e1", "0 -e1 200 +e1", game="gottaz") == ["order.missing"]


@pytest.mark.parametrize(
    ("later", "cause"),
    [("900 +a5", "revision.halt"), ("900 -a2 1100 +a4", "revision.touch_move")],
    ids=["other cell", "its own"],
)
def test_going_on_after_a_halt_is_charged(later: str, cause: str) -> None:
    before = Prospect(CHESS, CHESS.read_position(ROOK), SensorKind.OCCUPANCY)
    found = segment(before, f"0 -a1 200 +a2 {later}")
    halt = Halt(2, 1 << CHESS.grid.cell("a2"), nats=40.0)
    assert cause in [each.cause for each in replace(found, halts=(halt,)).halted]


def test_without_a_move_all_is_put_right() -> None:
    assert charges(ROOK, "", "0 -a1 200 +a1") == ["piece.adjust"]

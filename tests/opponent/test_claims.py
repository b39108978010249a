# SPDX-License-Identifier: Apache-2.0
"""What is claimed of a move is true and verified."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.games import find, slugs
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.errors import CompanionError
from companion.model.game import AnyRules
from companion.opponent.claims import checked, claims, written
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import SURE
from tests.opponent.samples import going_on


def read_line(rules: AnyRules, position: Any, moves: str) -> list[Any]:
    """The moves of a line from *position*."""
    line = []
    for text in moves.split():
        line.append(rules.read_move(position, text))
        position = rules.apply(position, line[-1])
    return line


def claimed(slug: str, text: str, moves: str, **options: str) -> tuple[WrittenClaim, ...]:
    """What is claimed of the first of *moves* in the position *text*."""
    rules = find(slug).rules(options)
    position = rules.read_position(text)
    return written(rules, position, claims(rules, position, read_line(rules, position, moves)))


def shown(claim: WrittenClaim) -> str:
    """*claim* in short: `wins queen for rook: Qh4+ Rxh4 Rxh4`."""
    pieces = " ".join(each.kind for each in claim.pieces)
    given = " ".join(("for", *(each.kind for each in claim.given))) if claim.given else ""
    count = str(claim.count or "")
    said = " ".join(filter(None, (claim.kind.value, pieces, given, count)))
    return f"{said}: {claim.threat.text if claim.threat else ' '.join(move.text for move in claim.line)}"


CHESS = {
    "a hanging piece": ("3k4/8/8/3q4/8/4N3/4P3/4K3 w - - 0 1", "Nxd5", ["wins queen: Nxd5"]),
    "a fork": ("4k3/5p2/8/3q4/6N1/8/8/4K3 w - - 0 1", "Nf6+", ["wins queen: Nf6+ Ke7 Nxd5+"]),
    "an exchange": ("3k3q/8/8/8/6R1/6Q1/8/4K3 w - - 0 1", "Rg8+", ["wins queen for rook: Rg8+ Qxg8 Qxg8+"]),
    "an equal exchange": ("3k3q/8/8/8/6R1/6Q1/8/4K3 w - - 0 1", "Qh4+ Qxh4+ Rxh4", []),
    "a defended pawn": (
        "3k3r/7p/8/7Q/8/8/8/4K3 w - - 0 1",
        "Qxh7",
        ["loses queen for pawn: Qxh7 Rxh7", "refuted queen for pawn: Qxh7 Rxh7"],
    ),
    "a fork that was allowed": (
        "4k3/p7/8/8/1n6/8/8/R4K2 w - - 0 1",
        "Ke1",
        ["loses rook: Ke1 Nc2+ Kd1 Nxa1", "refuted rook: Ke1 Nc2+ Kd1 Nxa1"],
    ),
    "mate": ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#", ["mate 1: Ra8#"]),
    "mate in two by a quiet move": (
        "8/3n4/1B2k3/1p5p/1P1K3P/8/r7/2q5 b - - 1 54",
        "Re2",
        ["mate 2: Re2 Kd3 Qd2#"],
    ),
    "mate that was allowed": (
        "6k1/8/8/8/4q3/8/1R3PPP/6K1 w - - 0 1",
        "Rb3",
        ["mated 1: Rb3 Qe1#", "refuted 1: Rb3 Qe1#"],
    ),
    "a stalemate": ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7", ["draw: Qf7"]),
    "a threat": ("4k3/3r4/8/8/2N5/8/P5B1/4K3 w - - 0 1", "Ne5", ["threatens rook for knight: Nxd7"]),
    "a threat of mate": ("6k1/5ppp/8/3p4/8/8/3R4/6K1 w - - 0 1", "Ra2", ["threatens: Ra8#"]),
    "a piece that is defended": ("4k3/8/8/8/r6B/8/1P4P1/4K3 w - - 0 1", "g3", ["defends bishop: g3"]),
    "a piece that escapes": ("4k3/8/8/8/r6B/8/1P4P1/4K3 w - - 0 1", "Bf6", ["escapes bishop: Bf6"]),
    "a promotion": ("8/P6k/8/8/8/8/6P1/6K1 w - - 0 1", "a8=Q", ["reaches queen: a8=Q"]),
    "the only move": (
        "6k1/5ppp/8/8/8/2R5/8/2r3K1 w - - 0 1",
        "Rxc1",
        ["wins rook: Rxc1", "only-move: Rxc1", "threatens: Rc8#"],
    ),
    "an equal exchange that saves a pawn": (
        "k7/pp6/8/8/8/1P6/P4r1q/K4R2 w - - 0 1",
        "Rxf2",
        ["defends pawn: Rxf2", "threatens queen: Rxh2"],
    ),
}


@pytest.mark.parametrize("name", CHESS)
def test_a_chess_move_has_the_claims_that_are_true(name: str) -> None:
    text, moves, expected = CHESS[name]
    assert [shown(each) for each in claimed("chess", text, moves)] == expected


OTHERS = (
    ("close-quarters", "A2P/4/4/4/4/4/4/S2M s 0", "a1-b1", ["draw: a1-b1"]),
    ("close-quarters", "2P1/4/4/3A/4/2M1/4/3S w 0", "c3xd1#", ["mate 1: c3xd1#"]),
    (
        "close-quarters",
        "2P1/4/4/3A/4/2MS/4/4 s 0",
        "d3-d1",
        ["mated 1: d3-d1 c3xd1#", "refuted 1: d3-d1 c3xd1#"],
    ),
    ("close-quarters", "A2P/4/4/4/4/2M1/2S1/4 w 0", "c3-d5", ["draw: c3-d5", "escapes mace: c3-d5"]),
    ("close-quarters", "A2P/4/4/4/4/2M1/2S1/4 w 0", "d8-c8", ["draw: d8-c8", "defends mace: d8-c8"]),
    ("close-quarters", "A2P/4/4/4/4/2M1/4/1S2 s 0", "b1-b2", ["draw: b1-b2", "threatens mace: b2xc3"]),
    (
        "fightopia",
        "vppggppv/v1pgg1pv/2pppp2/8/2P5/2PPP1PP/V2GG2V/VPPGGPPV b",
        "Th7h8*h3",
        ["wins pawn: Th7h8*h3"],
    ),
    (
        "fightopia",
        "vppggppv/v1pgg1pv/2pppp2/8/2P5/2PPP1P1/V2GG1PV/VPPGGPPV w",
        "g2-h3",
        ["loses pawn: g2-h3 Th7h8*h3", "refuted pawn: g2-h3 Th7h8*h3"],
    ),
    (
        "fightopia",
        "v1pggppv/vppggppv/2p4p/2Pp4/2PP4/4P1P1/V1PGGPHH/VP1GG1P1 w",
        "Tg2h2-h2h3",
        ["threatens pawn: Th2h3*h6"],
    ),
    (
        "gottaz",
        ".,w2s4,w5u1,.,./u1w5,.,.,.,./l5s1,.,s3w3,S1L5,W3S3/.,S1L5,.,.,./U2L4,U3L3,W2S4,.,l5s1 s "
        "2U1W5+1U2L4+1W2S4 2U2L4+1W2S4+1L3U3 -",
        "a3-b3",
        ["mate 2: a3-b3^ b2-b3x a4-a3#"],
    ),
    (
        "gottaz",
        "u1w5,l3u3,s3w3,.,./.,.,.,.,./.,.,.,.,l5s1/.,.,L4U2,.,./.,S1L5,.,U1W5,W3S3 s "
        "1S1L5+1U1W5+1U2L4+2W2S4+1L3U3 1S1L5+1U1W5+2U2L4+2W2S4 -",
        "b5>b3",
        ["threatens supply-1-leap-5: b3>b1x", "reaches leap-3-support-3: b5>b3"],
    ),
    (
        "martian-chess",
        "qqd1/q1p1/d1p1/pd1d/4/1pp1/1pdq/1dqq 2 0,0 - - -",
        "b5xb3",
        ["wins pawn: b5xb3"],
    ),
    (
        "tank-chess",
        "w HC1SE MF1N MJ1N HO1S CF2W MH3N LJ3N LN5SE LC7W lD13S mH13NW lI13SE lM13E lO14SW hN15E hD16S "
        "mG16S cI16SW mK16S LH9x",
        "C7-A10NxD13",
        ["wins light-tank: C7-A10NxD13"],
    ),
    (
        "tank-chess",
        "b HC1SE MF1N MJ1N HO1S CF2W MH3N LJ3N LN5SE LC7W lD13S mH13NW lI13SE lK13SE lO14SW hN15E hD16S "
        "mG16S cI16SW mK16S LH9x",
        "D13-D13SW",
        ["escapes light-tank: D13-D13SW"],
    ),
)


@pytest.mark.parametrize(("slug", "text", "moves", "expected"), OTHERS)
def test_a_move_of_another_game_has_the_claims_that_are_true(
    slug: str, text: str, moves: str, expected: list[str]
) -> None:
    found = [shown(each) for each in claimed(slug, text, moves)]
    assert [each for each in found if each in expected] == expected, found


ZONES = "q1dp/qd1p/dp1q/3d/p3/p3/1pdq/1dqq 2 0,0 - - -"
NOT_CLAIMED = (
    ("chess", "4k3/3r4/8/8/8/3R4/8/R3K3 w - - 0 1", "Rad1", ClaimKind.THREATENS),  # Rxd7 was possible
    ("martian-chess", ZONES, "d5-d3", ClaimKind.ESCAPES),  # it belongs to the other side then
)


@pytest.mark.parametrize(("slug", "text", "moves", "kind"), NOT_CLAIMED)
def test_an_old_threat_and_a_piece_that_is_given_away_are_not_claimed(
    slug: str, text: str, moves: str, kind: ClaimKind
) -> None:
    assert kind not in [each.kind for each in claimed(slug, text, moves)]


def test_what_is_won_and_lost_in_martian_chess_has_points() -> None:
    found = claimed("martian-chess", "qqd1/q1p1/d1p1/pd1d/4/1pp1/1pdq/1dqq 2 0,0 - - -", "b5xb3")
    assert [each.points for each in found if each.kind is ClaimKind.WINS] == [1]
    assert not any(each.points for each in claimed("chess", *CHESS["a hanging piece"][:2]))


def test_the_last_piece_that_leaves_its_zone_ends_a_game_of_martian_chess() -> None:
    """Player 1 is far ahead, and left with one Pawn: it moves across and wins."""
    found = claimed("martian-chess", "3d/1qqQ/d3/p3/4/4/1p2/1d2 2 15,4 d7-a4 - -", "d7-d6")
    assert ClaimKind.WINS not in [each.kind for each in found]


@pytest.mark.parametrize("slug", slugs())
def test_a_claim_happens_in_its_line(slug: str) -> None:
    rules = find(slug).rules()
    knowledge = knowledge_of(rules)
    for position in going_on(rules, seed=4, count=6):
        for move in rules.legal_moves(position)[:2]:
            for claim in claims(rules, position, [move], most_nodes=2000):
                at, count = position, len(rules.placement(position).entries)
                for each in claim.line:
                    assert each in rules.legal_moves(at)
                    at = rules.apply(at, each)
                assert claim.line[0] == move
                if claim.kind in (ClaimKind.WINS, ClaimKind.LOSES):
                    worth = knowledge.worth_of
                    assert sum(map(worth, claim.pieces)) > sum(map(worth, claim.given))
                if claim.kind is ClaimKind.MATE:
                    outcome = rules.status(at)
                    assert outcome is None or position.turn in outcome.winners
                assert count >= len(claim.pieces)


def test_what_the_positions_do_not_suffice_for_is_not_claimed() -> None:
    text, moves, expected = CHESS["mate in two by a quiet move"]
    rules = find("chess").rules()
    position = rules.read_position(text)
    line = read_line(rules, position, moves)
    kinds = [each.kind for each in claims(rules, position, line, most_nodes=20)]
    assert expected
    assert ClaimKind.MATE not in kinds
    assert claims(rules, position, line, should_stop=lambda: True) == ()


def test_close_quarters_is_exact() -> None:
    rules = find("close-quarters").rules()
    knowledge = knowledge_of(rules)
    for position in going_on(rules, seed=2, count=30, plies=12):
        for move in rules.legal_moves(position):
            after = rules.apply(position, move)
            value = knowledge.exact_value(after) if rules.status(after) is None else None
            if value is None:
                continue
            found = {each.kind: each for each in claims(rules, position, [move], most_nodes=200)}
            assert (ClaimKind.DRAW in found) is (value == 0)
            assert (ClaimKind.MATE in found) is (value <= -SURE)
            assert (ClaimKind.MATED not in found) or value >= SURE


def test_between_four_sides_a_capture_is_claimed_and_no_threat() -> None:
    found = set()
    rules = find("martian-chess").rules({"players": "4"})
    for position in going_on(rules, seed=1, count=8, plies=40):
        for move in knowledge_of(rules).capturing(position)[:3]:
            found |= {each.kind for each in claims(rules, position, [move])}
    assert ClaimKind.WINS in found
    assert found.isdisjoint({ClaimKind.THREATENS, ClaimKind.DEFENDS, ClaimKind.ESCAPES, ClaimKind.MATED})


def test_claims_that_do_not_fit_the_move_are_refused() -> None:
    rules = find("chess").rules()
    text, moves, _ = CHESS["a threat"]
    position = rules.read_position(text)
    (move,) = read_line(rules, position, moves)
    (said,) = written(rules, position, claims(rules, position, [move]))
    assert checked(rules, position, move, (said,)) == (said,)
    for wrong in (
        replace(said, line=()),
        replace(said, line=(replace(said.line[0], text="a3"),)),
        replace(said, line=(replace(said.line[0], steps=()),)),
        replace(said, line=(*said.line, *said.line)),
        replace(said, cells=(64,)),
        replace(said, places=("a1",)),
        replace(said, threat=None),
        replace(said, kind=ClaimKind.WINS),
    ):
        with pytest.raises((ValueError, CompanionError)):
            checked(rules, position, move, (wrong,))

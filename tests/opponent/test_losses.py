# SPDX-License-Identifier: Apache-2.0
"""What a move loses is said as the refuting line shows it, and no more."""

from __future__ import annotations

import pytest

from companion.feedback.hints import reasons_text
from companion.feedback.words import load
from companion.games import find
from companion.opponent.knowledge import WIN
from companion.opponent.losses import loss


@pytest.mark.parametrize(
    ("slug", "text", "moves", "value", "said"),
    [
        ("chess", "3k4/8/8/3p4/8/8/4Q3/4K3 w - - 0 1", "Qe4 dxe4", -300, "this loses the queen: dxe4."),
        ("chess", "3k3r/7p/8/7Q/8/8/8/4K3 w - - 0 1", "Qxh7 Rxh7", -300, "this loses the queen for the pawn: Rxh7."),
        ("chess", "3k3r/7p/8/8/8/7R/8/4K3 w - - 0 1", "Rxh7 Rxh7", -300, "this loses the rook for the pawn: Rxh7."),
        ("chess", "3k3r/7p/8/8/8/7R/8/4K3 w - - 0 1", "Rh5 Rf8 Rxh7", -300, "there is a better move; the answer to this one is Rf8."),
        ("chess", "3k3r/8/8/8/6R1/6Q1/8/4K3 w - - 0 1", "Qh4+ Rxh4 Rxh4", -300, "this loses the queen for the rook: Rxh4 Rxh4."),
        ("chess", "3k3q/8/8/8/6R1/6Q1/8/4K3 w - - 0 1", "Qh4+ Qxh4+ Rxh4", -300, "there is a better move; the answer to this one is Qxh4+."),
        ("chess", "3k3q/8/8/8/6R1/6Q1/8/4K3 w - - 0 1", "Qh4+ Qxh4+", -300, "there is a better move; the answer to this one is Qxh4+."),
        ("chess", "4k3/8/8/3n4/8/8/P7/R3K3 w - - 0 1", "a4 Nb4 a5 Nc2+ Kd2 Nxa1", -300, "there is a better move; the answer to this one is Nb4."),
        ("chess", "4k3/8/8/8/1n6/8/8/R4K2 w - - 0 1", "Ke1 Nc2+ Kd2 Nxa1", -300, "this loses the rook: Nc2+ Kd2 Nxa1."),
        ("chess", "6k1/8/8/8/4q3/8/1R3PPP/6K1 w - - 0 1", "Rb3 Qe1#", 2 - WIN, "mate in one: Qe1#."),
        ("chess", "3k4/8/8/3p4/8/8/4Q3/4K3 w - - 0 1", "Qe4", -300, "there is a better move."),
        ("close-quarters", "4/1A2/3P/4/4/4/4/1S1M s 0", "b1-b2 d1xb2#", 2 - WIN, "this loses the game: d1xb2# (the Sword is eliminated)."),
        ("chess", "6k1/8/8/8/8/8/5PPP/6K1 w - - 0 1", "f4 Kf7 g3", 4 - WIN, "this loses the game in 2 moves at most: Kf7 g3."),
    ],
)  # fmt: skip
def test_a_move_loses_what_the_line_shows(slug: str, text: str, moves: str, value: int, said: str) -> None:
    rules = find(slug).rules()
    position = at = rules.read_position(text)
    line = []
    for move in moves.split():
        line.append(rules.read_move(at, move))
        at = rules.apply(at, line[-1])
    found = loss(rules, position, line, value)
    assert reasons_text([found], load("en", slug, rules.sides)) == f"Careful: {said}"

# SPDX-License-Identifier: Apache-2.0
"""The reasons for a move are consequences that the rules confirm."""

from __future__ import annotations

from random import Random

import pytest

from companion.games import find, slugs
from companion.model.advice import Reason
from companion.model.pieces import Piece
from companion.opponent.knowledge import WIN
from companion.opponent.reasons import reasons


def of(slug: str, text: str, moves: str, value: int = 0) -> list[tuple[str, ...]]:
    """Slugs and arguments of the reasons for *moves* from the position *text*."""
    rules = find(slug).rules()
    position = at = rules.read_position(text)
    line = []
    for move in moves.split():
        line.append(rules.read_move(at, move))
        at = rules.apply(at, line[-1])
    return [
        (each.slug, *map(str, dict(each.arguments).values()))
        for each in reasons(rules, position, line, value)
    ]


@pytest.mark.parametrize(
    ("text", "moves", "value", "slugs"),
    [
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "Qxf7#", WIN - 1, ["captures", "wins"]),
        ("4k3/5p2/3q4/8/4N3/8/8/4K3 w - - 0 1", "Nxd6+ Kd7", 300, ["captures", "check", "must-leave"]),
        ("3qk3/5p2/8/8/6N1/8/8/4K3 w - - 0 1", "Nf6+ Qxf6", 0, ["check"]),
        ("4k3/5p2/8/3q4/6N1/8/8/4K3 w - - 0 1", "Nf6+ Ke7 Nxd5+", 300, ["check", "must-leave", "then-captures"]),
        ("8/8/3k4/8/8/8/8/KQ6 w - - 0 1", "Ka2 Kc5 Kb3", WIN - 17, ["wins-in"]),
        ("8/8/8/8/8/3k4/1q6/K7 w - - 0 1", "Kxb2", 0, ["captures", "ends"]),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e4 Kd7 e5", 90, ["line"]),
    ],
)  # fmt: skip
def test_the_reasons_for_chess_moves(text: str, moves: str, value: int, slugs: list[str]) -> None:
    assert [slug for slug, *_ in of("chess", text, moves, value)] == slugs


def test_pieces_are_named() -> None:
    rules = find("chess").rules()
    position = rules.read_position("4k3/5p2/8/3q4/6N1/8/8/4K3 w - - 0 1")
    line = [rules.read_move(position, "Nf6+")]
    after = rules.apply(position, line[0])
    line.append(rules.read_move(after, "Ke7"))
    assert reasons(rules, position, line, 0) == (
        Reason.of("check"),
        Reason.of("must-leave", piece=Piece("king", 1), cell="e8"),
    )


def test_pieces_that_merge_are_not_captured() -> None:
    assert of("martian-chess", "p3/4/4/4/2p1/3d/4/4 1 0,0 - - -", "c4+d3=Q") == [("line", "c4+d3=Q")]
    assert of("martian-chess", "p3/4/4/3p/3d/4/4/4 1 0,0 - - -", "d4xd5")[0][0] == "captures"


@pytest.mark.parametrize("slug", slugs())
def test_every_line_has_a_reason(slug: str) -> None:
    rules, chance = find(slug).rules(), Random(3)
    position = rules.initial()
    for _ in range(12):
        if rules.status(position) is not None:
            break
        line = [chance.choice(rules.legal_moves(position))]
        found = reasons(rules, position, line, 0)
        assert found
        before, position = position, rules.apply(position, line[0])
        taken = [each for each in found if each.slug == "captures"]
        count = len(rules.placement(before).entries) - len(rules.placement(position).entries)
        assert len(taken) <= max(count, 0)

# SPDX-License-Identifier: Apache-2.0
"""A second generator of Fightopia moves agrees, and named rules are broken."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from companion.games.fightopia import GAME
from companion.model.observation import Difference
from tests.games.naive import fightopia as naive
from tests.games.support import option_sets, random_positions


def crowds(chance: random.Random, count: int) -> Iterator[str]:
    """*count* random positions of few or many pieces.

    Giants and tanks touch in some of them.
    """
    shapes = {
        "P": [(0, 0)],
        "V": [(0, 0), (0, 1)],
        "H": [(0, 0), (1, 0)],
        "G": [(0, 0), (1, 0), (0, 1), (1, 1)],
    }
    for _ in range(count):
        pawns = chance.randrange(11)
        letters = ["G", "g", *chance.choices("VH", k=2), *chance.choices("vh", k=2), *"Pp" * pawns]
        signs: dict[tuple[int, int], str] = {}
        for letter in letters[: chance.randint(3, len(letters))]:
            for _ in range(50):
                file, rank = chance.randrange(8), chance.randrange(8)
                cells = [(file + right, rank + ahead) for right, ahead in shapes[letter.upper()]]
                if all(max(cell) < 8 and cell not in signs for cell in cells):
                    signs |= dict.fromkeys(cells, letter)
                    break
        text = "/".join(
            "".join(signs.get((file, rank), ".") for file in range(8)) for rank in reversed(range(8))
        )
        for gap in range(8, 0, -1):
            text = text.replace("." * gap, str(gap))
        yield f"{text} {chance.choice('wb')}"


@pytest.mark.parametrize(("share", "options"), [*enumerate(option_sets("fightopia"))], ids=str)
def test_a_second_generator_agrees(share: int, options: dict[str, str], is_long: bool) -> None:
    """Each option has its own positions."""
    rules = GAME.rules(options)
    texts = [*crowds(random.Random(share), 8000 if is_long else 120)]
    games = random_positions(rules, seed=10_000 * share, count=8000 if is_long else 100, plies=120)
    texts += map(rules.write_position, games)
    for text in texts:
        position = rules.read_position(text)
        assert rules.write_position(position) == text
        found = [rules.write_position(rules.apply(position, move)) for move in rules.legal_moves(position)]
        assert len(found) == len(set(found))
        assert set(found) == naive.results(text, dict(rules.options)), text


def true_reason(moved: naive.Piece, target: frozenset[naive.Cell]) -> str:
    """The rule against moving *moved* to the free cells *target*.

    None if the move is legal.
    """
    letter, source = moved
    if letter.upper() != "T":
        return {"P": "pawn-shape", "G": "giant-shape"}[letter.upper()]
    files, target_files = ({file for file, _ in cells} for cells in (source, target))
    ranks, target_ranks = ({rank for _, rank in cells} for cells in (source, target))
    if len(files) != len(target_files):
        return "pivot-swept" if source & target else "tank-pivot"
    along = files == target_files if len(files) == 1 else ranks == target_ranks
    return "tank-too-far" if along else "tank-sideways"


def true_objection(removed: naive.Piece, pieces: list[naive.Piece], side: str) -> set[str]:
    """The rules against killing the enemy piece *removed*; empty if it may be killed."""
    letter, cells = removed
    board = {cell: piece for piece in pieces for cell in piece[1]}
    own = [piece for piece in pieces if piece[0].isupper() == (side == "w")]
    met = [victim for piece in own if piece[0] in "Tt" for victim in naive.victims(piece[1], board)]
    by_giant = any(piece[0] in "Gg" and naive.touches(piece[1], cells) for piece in own)
    if letter in "Gg":
        return {"giant-unkillable"}
    if letter in "Tt":
        return set() if by_giant else {"shot-only-pawns"} if removed in met else {"kill-out-of-reach"}
    if removed in met:
        return set()
    return {"shot-blocked", "shot-no-aim", "pawn-kills-nothing"} | (
        {"giant-spares-pawns"} if by_giant else set()
    )


def cells_in(cells: frozenset[naive.Cell]) -> tuple[int, ...]:
    return tuple(sorted(8 * rank + file for file, rank in cells))


@pytest.mark.parametrize("clearance", ["landing", "swept"])
def test_the_named_rule_is_broken(clearance: str) -> None:
    rules = GAME.rules({"pivot_clearance": clearance, "no_move": "draw"})
    chance, named = random.Random(6), set()
    for text in crowds(chance, 150):
        position = rules.read_position(text)
        if rules.status(position) is not None:
            continue
        pieces, side = naive.read(text)
        legal = naive.results(text, dict(rules.options))
        for piece in pieces:
            letter, source = piece
            rest = [other for other in pieces if other is not piece]
            if letter.isupper() != (side == "w"):
                violation = rules.explain(position, Difference(cells_in(source), ()))
                expected = true_objection(piece, pieces, side)
                assert not expected or violation.rule in expected, (text, piece)
                named.add(violation.rule)
                continue
            taken = {cell for _, cells in rest for cell in cells}
            for _ in range(12):
                shape = source if chance.random() < 0.6 else frozenset((rank, file) for file, rank in source)
                target = naive.moved(shape, chance.randint(-4, 4), chance.randint(-4, 4))
                after = naive.write([*rest, (letter, target)], "b" if side == "w" else "w")
                if target == source or not naive.is_inside(target) or target & taken or after in legal:
                    continue
                emptied, filled = cells_in(source - target), cells_in(target - source)
                violation = rules.explain(position, Difference(emptied, filled))
                assert violation.rule == true_reason(piece, target), (text, piece, target)
                named.add(violation.rule)
    assert {"pawn-shape", "giant-shape", "tank-pivot", "tank-sideways", "tank-too-far"} < named
    assert {"shot-blocked", "shot-no-aim", "shot-only-pawns", "kill-out-of-reach"} < named
    assert ("pivot-swept" in named) == (clearance == "swept")

# SPDX-License-Identifier: Apache-2.0
"""Moves are said in words: pieces, cells, facings and faces, and no notation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from companion import games
from companion.feedback.moves import clause, mover, named, short
from companion.feedback.prompts import written
from companion.feedback.text import fit
from companion.feedback.word_tables import SHORT_COLUMNS
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.model.pieces import Piece
from companion.model.written_move import WrittenMove, WrittenStep, written_move
from companion.referee.values.events import Stage
from companion.referee.values.view import MoveView
from tests.opponent.samples import going_on

FACES = (
    "u2l4,s4w2,.,s3w3,./l4u2,.,.,u3l3,u1w5/.,.,.,L3U3,./.,.,U1W5,.,W2S4/.,W2S4,.,.,. s "
    "2S1L5+1U1W5+2U2L4+1W3S3 2S1L5+1U1W5+1W2S4 -"
)
TANKS = (
    "b HC1N MF1N CH1N MJ1N HM1N LC3N LF3N MH3N LL7NE LO8W lD14S lG14S mI14S hN15SE hD16S mG16S cI16S "
    "mK16S lP11x lJ13x"
)
SAID = [
    ("close-quarters", "A2P/4/4/4/4/2M1/4/2S1 s 0", "c1-c2", "the Sword goes from c1 to c2"),
    ("gottaz", FACES, "S1L5@c5", "the Supply 1/Leap 5 pawn comes to c5 with Supply 1 up"),
    ("tank-chess", TANKS, "K16-K16W", "the Medium Tank on K16 turns and faces west"),
    (
        "tank-chess",
        TANKS,
        "K16-K12SxO8",
        "the Medium Tank goes from K16 to K12, still faces south and destroys the Light Tank on O8",
    ),
    (
        "fightopia",
        "vppggppv/v1pgg1pv/2pppp2/8/2P5/2PPP1PP/V2GG2V/VPPGGPPV b",
        "Th7h8*h3",
        "a tank shoots the pawn on h3",
    ),
    (
        "chess",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "O-O-O",
        "the king goes from e1 to c1 and the rook goes from a1 to d1",
    ),
    (
        "chess",
        "1n5k/P7/8/8/8/8/8/7K w - - 0 1",
        "axb8=N",
        "the pawn goes from a7 to b8, becomes the knight and captures the knight",
    ),
]


@pytest.mark.parametrize(("slug", "position", "text", "said"), SAID)
def test_a_move_is_said_with_piece_cells_and_what_it_does(
    slug: str, position: str, text: str, said: str
) -> None:
    rules = games.find(slug).rules()
    at = rules.read_position(position)
    move = written_move(rules, at, rules.read_move(at, text))
    assert clause(move, load("en", slug, rules.sides)) == said


PAWN, OTHER, THIRD = (
    Piece(kind, side, pose="-".join(kind.split("-")[:2]))
    for kind, side in (("swap-3-supply-3", 0), ("leap-1-slant-5", 1), ("jump-2-rotate-4", 1))
)
MINE, THEIRS = "the Swap 3", "the Leap 1"


MY_LEAP = replace(OTHER, side=0)


def step(piece: Piece, source: str, target: str, becomes: Piece | None = None) -> WrittenStep:
    """A step between cells, "" for none."""
    return WrittenStep(piece, becomes or piece, (source,) if source else (), (target,) if target else ())


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            (step(PAWN, "d5", "c5"), step(OTHER, "c5", "d5")),
            f"{MINE} on d5 changes places with {THEIRS} on c5",
        ),
        (
            (step(PAWN, "c2", "c2"), step(OTHER, "c3", "c5"), step(THIRD, "c5", "")),
            f"{MINE} on c2 pushes {THEIRS} from c3 to c5 and sends the enemy's Jump 2 back to the hand",
        ),
        (
            (step(PAWN, "c2", "c2"), step(OTHER, "c3", "")),
            f"{MINE} on c2 pushes {THEIRS} from c3 into a fight and back to the hand",
        ),
        ((step(PAWN, "a1", ""),), f"{MINE} from a1 returns to the hand after a fight"),
        (
            (step(PAWN, "a1", "a2"), step(OTHER, "a2", "")),
            f"{MINE} goes from a1 to a2 and sends the enemy's Leap 1 back to the hand",
        ),
        ((step(OTHER, "a1", "a2"),), f"{THEIRS} goes from a1 to a2"),
        ((step(OTHER, "a1", "a3"),), f"{THEIRS} leaps from a1 to a3"),
        (
            (step(PAWN, "c2", "c2"), step(OTHER, "c3", "c5"), step(MY_LEAP, "c5", "")),
            f"{MINE} on c2 pushes {THEIRS} from c3 to c5 and the Leap 1 on c5 goes back to the hand",
        ),
        ((step(PAWN, "a1", "a1", replace(PAWN, pose="supply-3")),), f"{MINE} on a1 turns and shows Supply 3"),
        ((step(PAWN, "", ""),), "the Swap 3/Supply 3 pawn is chosen"),
        ((), "no piece is moved"),
    ],
)
def test_what_pawns_do_to_each_other_is_said(steps: tuple[WrittenStep, ...], said: str) -> None:
    assert clause(WrittenMove("", 0, steps), load("en", "gottaz", ("first", "second"))) == said


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (("a4", "b4"), "the tank turns on a4 and then lies on a4 and b4"),
        (("a5", "a6"), "the tank goes from a4 and a5 to a5 and a6"),
    ],
)
def test_a_piece_on_two_cells_turns_on_one_of_them(target: tuple[str, str], said: str) -> None:
    tank = Piece("tank", 0)
    move = WrittenMove("", 0, (WrittenStep(tank, tank, ("a4", "a5"), target),))
    assert clause(move, load("en", "fightopia", ("white", "black"))) == said


def test_a_merger_is_no_capture() -> None:
    words = load("en", "martian-chess", ("player-1", "player-2"))
    drone, pawn, queen = map(Piece, ("drone", "pawn", "queen"))
    move = WrittenMove("c3+b2=Q", 0, (step(drone, "c3", "b2", queen), step(pawn, "b2", "")))
    assert clause(move, words) == "the Drone goes from c3 to b2 and merges with the Pawn into the Queen"


@cache
def played(slug: str) -> Sequence[WrittenMove]:
    """Moves of random games."""
    rules, chance = games.find(slug).rules(), random.Random(5)
    found = []
    for position in going_on(rules, seed=5, count=10):
        for move in chance.sample(moves := rules.legal_moves(position), min(len(moves), 8)):
            found.append(written_move(rules, position, move))
    return found


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", games.slugs())
def test_no_move_is_said_as_a_code_except_where_players_speak_it(slug: str, language: str) -> None:
    rules = games.find(slug).rules()
    words = load(language, slug, rules.sides)
    for move in played(slug):
        assert move.is_named is (slug == "chess")
        for said in (clause(move, words), mover(move, words)):
            assert "{" not in said
            assert move.is_named or move.text.strip("#!>^x") not in said
        assert (named(move, words) == move.text) is move.is_named
        for is_whole in (False, True):
            assert fit(words.fill(words.common.display.hint, cells=short(move, words, is_whole=is_whole)))


@pytest.mark.parametrize("language", languages())
def test_the_longest_hint_of_a_tank_fits_a_display_line(language: str) -> None:
    words = load(language, "tank-chess", ("white", "black"))
    tank = Piece("heavy-tank", 0, facing=7)
    moved = WrittenMove("", 0, (WrittenStep(tank, tank, ("C13",), ("D14",), 7),))
    line = words.fill(words.common.display.hint, cells=short(moved, words, is_whole=True))
    assert line.endswith(f"C13-D14{words.common.compass[7]}")
    assert len(fit(line, 99)) <= SHORT_COLUMNS


@pytest.mark.parametrize(
    ("text", "brought", "listed"),
    [
        ("W3S3@d1", Piece("swap-3-supply-3", 0, pose="swap-3"), "Swap 3 d1"),
        ("W3S3@d1^", Piece("swap-3-supply-3", 0, pose="swap-3"), "Swap 3 d1^"),
        ("+W3S3", Piece("swap-3-supply-3"), "Swap 3/Supply 3"),
        ("d1-d2", None, "d1-d2"),
    ],
)
def test_a_list_of_moves_names_a_pawn_from_the_hand(text: str, brought: Piece | None, listed: str) -> None:
    words = load("en", "gottaz", ("first", "second"))
    assert written(MoveView(0, 0, text, Stage.SETTLED, (), (), brought=brought), words) == listed

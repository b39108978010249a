# SPDX-License-Identifier: Apache-2.0
"""Chess pieces stand in for those of other games, on eboards that know chess pieces."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from companion import games
from companion.eboards.codec import chess_piece
from companion.eboards.standins import SET, lacking, recoding
from companion.feedback.standins import standin_notice
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.devices.eboards import EBOARDS
from companion.host.table.layers.standins import standins_of
from companion.host.table.page_state import PageStates
from companion.model.game import AnyRules, HasStandins
from companion.model.observation import SensorKind
from companion.referee.values.commands import Answer
from companion.referee.values.view import Phase
from tests.eboards.rig import EboardRig
from tests.virtual.eboards.dgt import VirtualDgtEboard

WITH_STANDINS = ["close-quarters", "fightopia", "gottaz", "martian-chess", "tank-chess"]
YARD = (
    'title = "Yard"\nsize = [8, 8]\nboard = """'
    + """
8 . . c l m . . h
7 . . . . . . # .
6 . . . . . . . .
5 . . # . . . . .
4 . . . . . # . .
3 . . . . . . . .
2 . # . . . . . .
1 H . . M L C . .
\"""
"""
)
"""A map that lies on a chess eboard."""


def rules_of(slug: str) -> AnyRules:
    return games.find(slug).rules({"map": YARD} if slug == "tank-chess" else {})


def test_games_whose_pieces_chess_pieces_can_be_name_them() -> None:
    found = [slug for slug in games.slugs() if isinstance(games.find(slug).rules(), HasStandins)]
    assert found == WITH_STANDINS
    assert EBOARDS["dgt"].kind(rules_of("close-quarters")) is SensorKind.IDENTITY
    assert EBOARDS["sentio"].kind(rules_of("close-quarters")) is SensorKind.OCCUPANCY
    for slug in ("gottaz", "tank-chess"):  # their pieces have faces, which a chess piece does not show
        assert EBOARDS["dgt"].kind(rules_of(slug)) is SensorKind.SIDE


@pytest.mark.parametrize(
    ("slug", "missing"),
    [
        ("close-quarters", {}),
        ("fightopia", {"KQ": 2, "kq": 2}),  # a giant covers four cells
        ("gottaz", {}),
        ("martian-chess", {}),
        ("tank-chess", {}),
    ],
)
def test_one_chess_set_is_enough_or_it_is_known_what_is_lacking(slug: str, missing: dict[str, int]) -> None:
    assert dict(lacking(rules_of(slug))) == missing


def test_what_is_lacking_depends_on_the_map() -> None:
    assert dict(lacking(games.find("tank-chess").rules())) == {"N": 1, "n": 1}
    large = games.find("tank-chess").rules({"map": "companion-20"})
    assert dict(lacking(large)) == {"N": 1, "n": 1, "Q": 1, "q": 1}


@pytest.mark.parametrize("slug", WITH_STANDINS)
def test_every_kind_of_the_start_has_standins_of_both_colours_or_one_side(slug: str) -> None:
    rules: Any = rules_of(slug)
    kinds = Counter((piece.kind, piece.side) for piece, _ in rules.placement(rules.initial()).entries)
    for kind, side in kinds:
        seen = [recoding(rules)[chess_piece(letter)] for letter in rules.standins[kind]]
        assert {each.kind for each in seen} == {kind}
        assert side in {each.side for each in seen}


def test_a_chess_piece_is_that_of_the_game_with_its_side() -> None:
    recoded = recoding(rules_of("close-quarters"))
    assert (recoded[chess_piece("K")].kind, recoded[chess_piece("K")].side) == ("sword", 0)
    assert (recoded[chess_piece("r")].kind, recoded[chess_piece("r")].side) == ("spear", 1)
    assert recoding(rules_of("martian-chess"))[chess_piece("k")].side is None
    assert recoding(rules_of("chess")) == {}


def test_a_wrong_piece_in_the_start_is_noticed_and_the_page_says_what_to_set_up() -> None:
    pieces = {"c1": "K", "f1": "n", "c8": "r", "f8": "b"}  # spear and axe are exchanged
    rig = EboardRig("dgt", VirtualDgtEboard(pieces, 0), pieces, slug="close-quarters")
    rig.advance(3000)
    assert rig.pipeline.view.phase is Phase.SETTING_UP
    shown = PageStates(rig.pipeline.words).now(rig.pipeline, None)["view"]["standins"]
    assert shown is not None
    assert shown["sentence"] == "Set up with chess pieces: Sword ♔, Spear ♜, Mace ♞, Axe ♝."
    assert [(each["name"], each["chess"][0]["kind"]) for each in shown["pairs"]] == [
        ("Sword", "king"),
        ("Spear", "rook"),
        ("Mace", "knight"),
        ("Axe", "bishop"),
    ]
    for square, letter in (("c8", "b"), ("f8", "r")):
        rig.lift(square)
        rig.advance(400)
        rig.put(square, letter)
        rig.advance(400)
    rig.advance(3000)
    assert phase(rig) is Phase.WAITING
    assert PageStates(rig.pipeline.words).now(rig.pipeline, None)["view"]["standins"] is None


def phase(rig: EboardRig) -> Phase:
    return rig.pipeline.view.phase


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", ["close-quarters", "fightopia", "gottaz"])
def test_the_notice_is_there_in_every_language(language: str, slug: str) -> None:
    said = standin_notice(standins_of(rules_of(slug)), load(language, slug, rules_of(slug).sides))
    assert "♔" in said
    assert "♞" in said
    assert ("2 × ♔/♕" in said and "2 × ♚/♛" in said) == (slug == "fightopia")


def test_an_eboard_that_begins_empty_says_so_until_the_first_ply() -> None:
    rig = EboardRig("dgt", VirtualDgtEboard({}, 0), {}, slug="gottaz")
    shown = PageStates(rig.pipeline.words).now(rig.pipeline, None)["view"]["standins"]
    assert shown is not None
    assert [each["name"] for each in shown["pairs"]] == ["First side", "Second side"]
    assert {piece["side"] for piece in shown["pairs"][1]["chess"]} == {1}
    rig.put("c2", "N")
    rig.advance(4000)
    assert rig.pipeline.view.question is not None  # which pawn, and which face
    rig.pipeline.command(Answer(0, 0), rig.now_ms)
    rig.advance(2000)
    assert PageStates(rig.pipeline.words).now(rig.pipeline, None)["view"]["standins"] is None


class Standing:
    """Chess pieces as stand-ins on a simulated eboard, and a hand for them."""

    def __init__(self, slug: str) -> None:
        self.rules: Any = rules_of(slug)
        self.eboard = VirtualDgtEboard({}, 0, clock_s=(300, 300))
        self.rig = EboardRig("dgt", self.eboard, {}, slug=slug, options=dict(self.rules.options))
        self.names = games.find("chess").rules().grid.names
        self.spare = Counter({letter: 3 * count for letter, count in SET.items()})
        for piece, cells in self.rules.placement(self.rules.initial()).entries:
            for cell in cells:
                self.rig.put(self.square(cell), self.take(piece))
        self.rig.advance(3000)

    def square(self, cell: int) -> str:
        """The square of the eboard under *cell*."""
        return str(self.names[self.rig.pipeline.mounting.under[cell]])

    def take(self, piece: Any) -> str:
        """A chess piece for *piece*, from beside the eboard."""
        letters: str = self.rules.standins[piece.kind]
        fitting = [each for each in letters if piece.side is None or each.islower() == piece.side]
        letter = next(each for each in fitting or letters if self.spare[each])
        self.spare[letter] -= 1
        return letter

    def make(self, position: Any, move: Any) -> None:
        """Make *move*, press the lever, and answer if something is asked."""
        ply = self.rig.pipeline.view.ply
        steps = [step for step in self.rules.steps(position, move) if step.source != step.target]
        steps.sort(key=lambda step: bool(step.target))  # captured pieces first
        in_hand = []
        for step in steps:
            letters = [self.rig.lift(self.square(cell)) for cell in step.source]
            in_hand.append(letters or [self.take(step.piece) for _ in step.target])
            self.rig.advance(500)
        for step, letters in zip(steps, in_hand, strict=True):
            for cell, letter in zip(step.target, letters, strict=False):
                self.rig.put(self.square(cell), letter)
            self.rig.advance(500)
        self.eboard.press(position.turn, self.rig.now_ms)  # a tank may turn where it stands
        self.rig.advance(3000)
        text = self.rules.write_move(position, move)
        while (question := self.rig.pipeline.view.question) is not None:
            right = [number for number, choice in enumerate(question.choices) if text in choice.moves]
            assert right, (text, question)
            self.rig.pipeline.command(Answer(ply, right[0]), self.rig.now_ms)
            self.rig.advance(2500)


@pytest.mark.parametrize("slug", WITH_STANDINS)
def test_a_game_is_played_with_chess_pieces(slug: str) -> None:
    eboard, chance, written = Standing(slug), Random(slug), list[str]()
    assert phase(eboard.rig) is Phase.WAITING
    position = eboard.rules.initial()
    for _ in range(8):
        moves = [move for move in eboard.rules.legal_moves(position) if eboard.rules.steps(position, move)]
        move = chance.choice(moves)
        eboard.make(position, move)
        written.append(eboard.rules.write_move(position, move))
        assert eboard.rig.moves == written, eboard.rig.pipeline.view.fault
        position = eboard.rules.apply(position, move)
        if eboard.rules.status(position) is not None:
            return

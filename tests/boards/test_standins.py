# SPDX-License-Identifier: Apache-2.0
"""Chess pieces stand in for those of other games, on boards that know chess pieces."""

from __future__ import annotations

from collections import Counter

import pytest

from companion import games
from companion.boards.codec import chess_piece
from companion.boards.standins import recoding
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.devices.boards import BOARDS
from companion.host.table.page_state import picture
from companion.model.game import AnyRules, HasStandins
from companion.model.observation import SensorKind
from companion.referee.view import Phase
from companion.virtual.boards.dgt import VirtualDgtBoard
from tests.boards.rig import BoardRig

SET = Counter({letter: 1 for letter in "KQkq"} | {letter: 2 for letter in "RNBrnb"} | {"P": 8, "p": 8})
"""The pieces of one chess set."""
WITH_STANDINS = [slug for slug in games.slugs() if isinstance(games.find(slug).rules(), HasStandins)]


def rules_of(slug: str) -> AnyRules:
    return games.find(slug).rules()


def test_games_whose_pieces_chess_pieces_can_be_name_them() -> None:
    assert WITH_STANDINS == ["close-quarters", "martian-chess"]
    assert BOARDS["dgt"].kind(rules_of("close-quarters")) is SensorKind.IDENTITY
    assert BOARDS["sentio"].kind(rules_of("close-quarters")) is SensorKind.OCCUPANCY
    assert BOARDS["dgt"].kind(rules_of("gottaz")) is SensorKind.OCCUPANCY


@pytest.mark.parametrize("slug", WITH_STANDINS)
def test_one_chess_set_is_enough_and_no_piece_stands_in_for_two_kinds(slug: str) -> None:
    rules = rules_of(slug)
    assert isinstance(rules, HasStandins)
    needed = Counter(piece.kind for piece, _ in rules.placement(rules.initial()).entries)
    assert needed.keys() == rules.standins.keys()
    letters = "".join(rules.standins.values())
    assert len(set(letters)) == len(letters)
    for kind, count in needed.items():
        assert sum(SET[letter] for letter in rules.standins[kind]) >= count


def test_a_chess_piece_is_that_of_the_game_with_its_side() -> None:
    recoded = recoding(rules_of("close-quarters"))
    assert (recoded[chess_piece("K")].kind, recoded[chess_piece("K")].side) == ("sword", 0)
    assert (recoded[chess_piece("r")].kind, recoded[chess_piece("r")].side) == ("spear", 1)
    assert recoding(rules_of("martian-chess"))[chess_piece("k")].side is None
    assert recoding(rules_of("chess")) == {}


def test_a_wrong_piece_in_the_start_is_noticed_and_the_page_says_what_to_set_up() -> None:
    pieces = {"c1": "K", "f1": "n", "c8": "r", "f8": "b"}  # spear and axe are exchanged
    rig = BoardRig("dgt", VirtualDgtBoard(pieces, 0), pieces, slug="close-quarters")
    rig.advance(3000)
    assert rig.pipeline.view.phase is Phase.SETTING_UP
    shown = picture(rig.pipeline, rig.pipeline.words, None)
    assert shown["view"]["notices"][0] == "Set up with chess pieces: Sword ♔, Spear ♜, Mace ♞, Axe ♝."
    for square, letter in (("c8", "b"), ("f8", "r")):
        rig.lift(square)
        rig.advance(400)
        rig.put(square, letter)
        rig.advance(400)
    rig.advance(3000)
    assert phase(rig) is Phase.WAITING
    assert picture(rig.pipeline, rig.pipeline.words, None)["view"]["notices"] == []


def phase(rig: BoardRig) -> Phase:
    return rig.pipeline.view.phase


@pytest.mark.parametrize("language", languages())
def test_the_notice_is_there_in_every_language(language: str) -> None:
    pieces = {"c1": "K"}
    rig = BoardRig("dgt", VirtualDgtBoard(pieces, 0), pieces, slug="close-quarters")
    said = rig.pipeline.standin_notice(load(language, "close-quarters", ("sword", "weapons")))
    assert "♔" in said
    assert "♞" in said


def test_martian_chess_is_played_with_a_chess_set() -> None:
    rules = rules_of("martian-chess")
    spare = {kind: list(letters * 8) for kind, letters in rules.standins.items()}  # type: ignore[attr-defined]
    placed = rules.placement(rules.initial()).entries
    names = rules.grid.names
    pieces = {}
    for piece, (cell,) in placed:
        file, rank = names[cell][0].lower(), names[cell][1:]
        pieces["cdef"["abcd".index(file)] + rank] = spare[piece.kind].pop()
    rig = BoardRig("dgt", VirtualDgtBoard(pieces, 0), pieces, slug="martian-chess")
    assert phase(rig) is Phase.WAITING
    position = rules.initial()
    move = rules.legal_moves(position)[0]
    (step,) = [step for step in rules.steps(position, move) if step.source and step.target]
    squares = [
        "cdef"["abcd".index(names[cell][0].lower())] + names[cell][1:]
        for cell in (step.source[0], step.target[0])
    ]
    rig.carry(" ".join(squares), rest_ms=3000)
    assert rig.moves == [rules.write_move(position, move)]

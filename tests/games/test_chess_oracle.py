# SPDX-License-Identifier: Apache-2.0
"""Chess compared with python-chess: moves, positions, notation and endings."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from companion.games.chess import GAME
from companion.games.chess.position import Position
from companion.games.chess.rules import ChessRules
from companion.games.chess.tables import Move
from companion.model.errors import NotationError
from companion.model.observation import Difference

RULES = GAME.rules()
PROMOTIONS = {1: "n", 2: "b", 3: "r", 4: "q"}


def uci(rules: ChessRules, move: Move) -> str:
    """*move* as in Chess960 UCI: castling is the king's move to its rook."""
    name = rules.grid.name
    return name(move >> 9) + name(move >> 3 & 63) + PROMOTIONS.get(move & 7, "")


def compare(rules: ChessRules, position: Position, board: chess.Board) -> list[Move]:
    """The legal moves of *position*, after everything was compared with *board*."""
    assert rules.write_position(position) == board.fen()
    assert rules.read_position(board.fen()) == position
    moves = rules.legal_moves(position)
    assert {uci(rules, move) for move in moves} == {board.uci(move) for move in board.legal_moves}
    assert bool(rules.announcements(position)) == (board.is_check() and bool(moves))
    return moves


def compare_notation(rules: ChessRules, position: Position, board: chess.Board, move: Move) -> None:
    """*move* is written and read as by *board*."""
    text = board.san(board.parse_uci(uci(rules, move)))
    assert rules.write_move(position, move) == text
    assert rules.read_move(position, text) == move


def play_along(rules: ChessRules, board: chess.Board, chance: random.Random, plies: int) -> int:
    """Play at random on both boards and compare every position.

    Returns the number of positions.
    """
    position = rules.initial()
    for ply in range(plies):
        moves = compare(rules, position, board)
        if not moves:
            return ply + 1
        move = chance.choice(moves)
        compare_notation(rules, position, board, move)
        board.push_uci(uci(rules, move))
        position = rules.apply(position, move)
    return plies


def lively_boards(chance: random.Random, count: int) -> Iterator[chess.Board]:
    """*count* random boards of few or many pieces.

    Games rarely lead to such positions.
    """
    while count:
        board = chess.Board(None)
        squares = chance.sample(range(64), chance.randint(4, 26))
        for square, colour in zip(squares, (True, False), strict=False):
            board.set_piece_at(square, chess.Piece(chess.KING, colour))
        for square in squares[2:]:
            kind = chance.choice([1, 1, 1, 2, 3, 4, 5])
            if kind != 1 or 0 < square >> 3 < 7:
                board.set_piece_at(square, chess.Piece(kind, chance.random() < 0.5))
        board.turn = chance.random() < 0.5
        if not board.was_into_check():
            count -= 1
            yield board


def test_games_of_chess_960_agree_with_python_chess(is_long: bool) -> None:
    chance = random.Random(960)
    numbers = [518, *(range(960) if is_long else chance.sample(range(960), 40))]
    compared = 0
    for number in numbers:
        rules = GAME.rules({"start": str(number), "draw_rules": "none"})
        board = chess.Board.from_chess960_pos(number)
        assert rules.write_position(rules.initial()) == board.fen()
        compared += play_along(rules, board, chance, plies=80)
    assert compared > 2500


@pytest.mark.long
def test_crowded_and_sparse_boards_agree_with_python_chess(is_long: bool) -> None:
    chance = random.Random(64)
    for board in lively_boards(chance, 20_000 if is_long else 700):
        rules = GAME.rules({"start": board.fen(), "draw_rules": "none"})
        play_along(rules, board, chance, plies=4)


@pytest.mark.parametrize("number", [0, 1, 437, 518, 692, 959])
def test_castling_in_every_arrangement_agrees_with_python_chess(number: int) -> None:
    """Only kings and rooks at home, and enemy pieces attacking or blocking the way."""
    chance = random.Random(number)
    for _ in range(150):
        board = chess.Board.from_chess960_pos(number)
        for square in range(64):
            piece = board.piece_at(square)
            if piece is None or piece.piece_type not in (chess.KING, chess.ROOK):
                board.remove_piece_at(square)
        for square in chance.sample(range(64), 4):
            if board.piece_at(square) is None:
                board.set_piece_at(square, chess.Piece(chance.choice([2, 3, 4, 5]), chance.random() < 0.4))
        if not board.was_into_check():
            rules = GAME.rules({"start": board.fen(), "draw_rules": "none"})
            play_along(rules, board, chance, plies=3)


def test_en_passant_agrees_with_python_chess() -> None:
    """Pawns side by side after a double step.

    Kings and line pieces are near enough to pin the capturing pawn.
    """
    chance, captures = random.Random(3), 0
    for _ in range(600):
        board = chess.Board(None)
        file = chance.randrange(8)
        board.set_piece_at(48 + file, chess.Piece.from_symbol("p"))
        for beside in {max(file - 1, 0), min(file + 1, 7)} - {file}:
            board.set_piece_at(32 + beside, chess.Piece.from_symbol("P"))
        for symbol in "KkQqrbRB":
            square = chance.choice([32, 33, 38, 39, 1, 2, 10, 17, 26, 40, 45, 56, 58, 63])
            if board.piece_at(square) is None:
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn = chess.BLACK
        step = chess.Move(48 + file, 32 + file)
        if len(board.pieces(6, True) | board.pieces(6, False)) == 2 and step in board.legal_moves:
            board.push(step)
            fen = board.fen(en_passant="fen")
            position = RULES.read_position(fen)
            assert RULES.write_position(position) == board.fen()
            moves = {uci(RULES, move) for move in RULES.legal_moves(position)}
            assert moves == {move.uci() for move in board.legal_moves}
            captures += board.has_legal_en_passant()
    assert captures > 50


def test_lack_of_material_ends_the_game_as_in_python_chess() -> None:
    chance = random.Random(2)
    found = set()
    for _ in range(1500):
        board = chess.Board(None)
        for square, symbol in zip(
            chance.sample(range(64), 5), "Kk" + "".join(chance.choices("NnBb ", k=3)), strict=True
        ):
            if symbol != " ":
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        if board.was_into_check() or board.is_checkmate() or board.is_stalemate():
            continue
        outcome = RULES.status(RULES.read_position(board.fen()))
        assert (outcome is not None) == board.is_insufficient_material()
        found.add(outcome)
    assert {outcome.termination for outcome in found if outcome} == {"insufficient-material"}
    assert None in found


def test_mate_and_stalemate_are_found_as_in_python_chess() -> None:
    chance, endings = random.Random(5), set()
    for board in lively_boards(chance, 300):
        rules = GAME.rules({"start": board.fen(), "draw_rules": "none"})
        position = rules.initial()
        for _ in range(30):
            outcome, expected = rules.status(position), board.outcome()
            if expected is not None and expected.termination.name in ("CHECKMATE", "STALEMATE"):
                assert outcome is not None
                assert outcome.termination == expected.termination.name.lower()
                winners = () if expected.winner is None else (0 if expected.winner else 1,)
                assert outcome.winners == winners
                endings.add(outcome.termination)
                break
            assert outcome is None
            moves = rules.legal_moves(position)
            forcing = [move for move in moves if board.gives_check(board.parse_uci(uci(rules, move)))]
            move = chance.choice(forcing or moves)
            board.push_uci(uci(rules, move))
            position = rules.apply(position, move)
    assert endings == {"checkmate", "stalemate"}


def test_texts_that_python_chess_calls_invalid_are_refused() -> None:
    for text in ("Nf6", "e5", "O-O", "Qh5", "exd3", "e9", "Ke1"):
        with pytest.raises((chess.InvalidMoveError, chess.IllegalMoveError)):
            chess.Board().parse_san(text)
        with pytest.raises(NotationError):
            RULES.read_move(RULES.initial(), text)


def attempt(board: chess.Board, source: int, target: int) -> Difference:
    """The piece on *source* stands on *target*, whose piece was lifted before."""
    is_taken = board.piece_at(target) is not None
    return Difference((source,), () if is_taken else (target,), touched=(target,) if is_taken else ())


def true_rules(board: chess.Board, source: int, target: int) -> set[str]:
    """The rules that may be named for moving from *source* to *target*.

    Decided with python-chess; empty if the move is legal.
    """
    piece, other = board.piece_at(source), board.piece_at(target)
    assert piece is not None
    kind = chess.piece_name(piece.piece_type)
    is_last = kind == "pawn" and target >> 3 in (0, 7)
    move = chess.Move(source, target, chess.QUEEN if is_last else None)
    if kind == "king" and abs(target - source) == 2 and source >> 3 == target >> 3:
        return {"king-shape", "own-piece", "castling"}
    if board.is_legal(move):
        return {"promotion-missing"} if is_last else set()
    if other is not None and other.color == board.turn:
        return {"own-piece"}
    if board.is_pseudo_legal(move):
        return {"king-into-check"} if kind == "king" else {"in-check"} if board.is_check() else {"pinned"}
    if kind == "pawn":
        return {
            "backwards-shape", "pawn-shape", "pawn-two-steps", "pawn-captures-straight",
            "pawn-without-capture", "path-blocked",
        }  # fmt: skip
    alone = chess.Board(None)
    alone.set_piece_at(source, piece)
    return {"path-blocked"} if target in alone.attacks(source) else {f"{kind}-shape"}


def test_the_named_rule_is_broken() -> None:
    chance, named = random.Random(8), set()
    for board in lively_boards(chance, 60):
        position = RULES.read_position(board.fen())
        if not RULES.legal_moves(position):
            continue
        for source in chess.SquareSet(board.occupied_co[board.turn]):
            for target in set(chance.sample(range(64), 20)) - {source}:
                expected = true_rules(board, source, target)
                if expected:
                    rule = RULES.explain(position, attempt(board, source, target)).rule
                    rule = "castling" if rule.startswith("castling") else rule
                    assert rule in expected, (board.fen(), source, target)
                    named.add(rule)
    assert {"pinned", "in-check", "king-into-check", "path-blocked", "own-piece", "queen-shape"} < named


def test_a_wrong_pawn_move_names_the_broken_rule() -> None:
    """Every wrong target of every pawn, with a reason derived from ranks and files."""
    chance, named = random.Random(9), set()
    for board in lively_boards(chance, 60):
        position = RULES.read_position(board.fen())
        for source in board.pieces(chess.PAWN, board.turn) if RULES.legal_moves(position) else ():
            for target in set(range(64)) - {source}:
                move = chess.Move(source, target, chess.QUEEN if target >> 3 in (0, 7) else None)
                if board.color_at(target) == board.turn or board.is_pseudo_legal(move):
                    continue
                ahead = ((target >> 3) - (source >> 3)) * (1 if board.turn else -1)
                aside = abs((target & 7) - (source & 7))
                occupied = board.piece_at(target) is not None
                home = source >> 3 == (1 if board.turn else 6)
                if (ahead, aside) == (1, 1):
                    expected = "pawn-without-capture"
                elif ahead < 0:
                    expected = "backwards-shape"
                elif aside or ahead not in (1, 2):
                    expected = "pawn-shape"
                elif ahead == 2 and not home:
                    expected = "pawn-two-steps"
                else:
                    expected = "pawn-captures-straight" if occupied else "path-blocked"
                assert RULES.explain(position, attempt(board, source, target)).rule == expected
                named.add(expected)
    assert len(named) == 6


def test_a_fallen_flag_is_a_draw_exactly_where_the_other_side_could_never_mate() -> None:
    chance, found = random.Random(3), set()
    for _ in range(3000):
        board = chess.Board(None)
        squares = chance.sample(range(8, 56), 6)
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        for square in squares[2 : 2 + chance.randrange(4)]:
            board.set_piece_at(square, chess.Piece(chance.choice((1, 2, 3, 3, 4, 5)), chance.random() < 0.5))
        if not board.is_valid():
            continue
        position = RULES.read_position(board.fen())
        for side, colour in enumerate((chess.WHITE, chess.BLACK)):
            is_saved = board.has_insufficient_material(not colour)
            assert (RULES.flagged(position, side) is not None) == is_saved, board.fen()
            found.add(is_saved)
    assert found == {True, False}

# SPDX-License-Identifier: Apache-2.0
"""The Universal Chess Interface as text: commands, and the meaning of an engine's lines.

Source: S. Meyer-Kahlen, R. Huber, *Description of the universal chess interface (UCI)*, 2006.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.games.chess.position import PROMOTED, Position
from companion.games.chess.san import target_of
from companion.games.chess.tables import CASTLE, GRID, Move
from companion.model.game import Rules
from companion.model.notation import not_legal
from companion.model.phrase import Phrase
from companion.opponent.knowledge import WIN

_LIMIT: Final = "UCI_LimitStrength"
_ELO: Final = "UCI_Elo"
_CHESS960: Final = "UCI_Chess960"
_PONDER: Final = "Ponder"
_LINES: Final = "MultiPV"
_LETTERS: Final = {"knight": "n", "bishop": "b", "rook": "r", "queen": "q"}


@dataclass(frozen=True, slots=True)
class EngineName:
    """The line `id name`."""

    name: str


@dataclass(frozen=True, slots=True)
class EngineOption:
    """An option that an engine declares."""

    name: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """`uciok` or `readyok`."""

    word: str


@dataclass(frozen=True, slots=True)
class BestMove:
    """The move that an engine plays, as it writes it."""

    text: str
    reply: str = ""
    """The reply that the engine expects; "" if it names none."""


@dataclass(frozen=True, slots=True)
class EngineValue:
    """The value of the position, so far, for the side to move."""

    value: int
    """In hundredths of a pawn; near `WIN` if the engine sees a mate."""


STOP: Final = "stop"
"""The command to answer at once."""
PONDERHIT: Final = "ponderhit"
"""The command that says: the position thought about ahead has come."""

Reply: TypeAlias = EngineName | EngineOption | Ready | BestMove | EngineValue


def read_reply(line: str) -> Reply | None:
    """What *line* says; None for lines that do not matter here, and for nonsense.

    >>> read_reply("option name UCI_Elo type spin default 1320 min 1320 max 3190")
    EngineOption(name='UCI_Elo', least=1320, most=3190)
    >>> read_reply("bestmove e2e4 ponder e7e5")
    BestMove(text='e2e4', reply='e7e5')
    >>> read_reply("info depth 12 score cp -35 nodes 9000 pv e7e5")
    EngineValue(value=-35)
    >>> read_reply("info depth 12 multipv 2 score cp -300 pv a7a6")
    """
    words = line.split()
    match words:
        case ["uciok" | "readyok"]:
            return Ready(words[0])
        case ["bestmove", text, "ponder", reply, *_]:
            return BestMove(text, reply)
        case ["bestmove", text, *_]:
            return BestMove(text)
        case ["id", "name", *name]:
            return EngineName(" ".join(name))
        case ["option", "name", *rest] if "type" in rest:
            at = rest.index("type")
            return EngineOption(" ".join(rest[:at]), _number(rest, "min"), _number(rest, "max"))
        case ["info", *rest] if "score" in rest:
            return _value(rest[: rest.index("string")] if "string" in rest else rest)
    return None


def _value(words: Sequence[str]) -> EngineValue | None:
    """The value that *words* state.

    None without one, for other lines than the first, and for bounds.
    """
    if _number(words, "multipv") not in (None, 1) or {"lowerbound", "upperbound"} & set(words):
        return None
    mate = _number(words, "mate")
    if mate is None:
        hundredths = _number(words, "cp")
        return None if hundredths is None else EngineValue(hundredths)
    return EngineValue(WIN - 2 * mate if mate > 0 else -WIN - 2 * mate)


def _number(words: Sequence[str], name: str) -> int | None:
    """The whole number after *name*, or None."""
    if name not in words[:-1]:
        return None
    text = words[words.index(name) + 1]
    return int(text) if text.lstrip("-").isdecimal() else None


def can_play(options: Sequence[EngineOption], elo: int) -> bool:
    """True if an engine with *options* can limit its strength to just *elo*."""
    ranges = [(each.least, each.most) for each in options if each.name == _ELO]
    reaches = any(least is not None and most is not None and least <= elo <= most for least, most in ranges)
    return reaches and any(each.name == _LIMIT for each in options)


def lacks(options: Sequence[EngineOption]) -> tuple[Phrase, ...]:
    """What an engine with *options* cannot do, and who does it instead."""
    names = {option.name for option in options}
    missing = {
        Phrase("limited strength (the program itself plays every level)"): not {_LIMIT, _ELO} <= names,
        Phrase("Chess960 (the program itself plays that)"): _CHESS960 not in names,
        Phrase("several lines"): _LINES not in names,
    }
    return tuple(what for what, is_missing in missing.items() if is_missing)


def can_play_960(options: Sequence[EngineOption]) -> bool:
    """True if an engine with *options* knows the castling of Chess960."""
    return any(option.name == _CHESS960 for option in options)


def can_ponder(options: Sequence[EngineOption]) -> bool:
    """True if an engine with *options* can think while the opponent does."""
    return any(option.name == _PONDER for option in options)


def setup(options: Sequence[EngineOption], elo: int | None, *, is_chess960: bool) -> Iterator[str]:
    """Yield the commands before a game; *elo* None is full strength."""
    names = {option.name: option for option in options}
    if _LIMIT in names:
        yield f"setoption name {_LIMIT} value {'false' if elo is None else 'true'}"
    if elo is not None and _ELO in names:
        yield f"setoption name {_ELO} value {elo}"
    if _CHESS960 in names:
        yield f"setoption name {_CHESS960} value {'true' if is_chess960 else 'false'}"
    if _PONDER in names:
        yield f"setoption name {_PONDER} value true"
    yield "ucinewgame"


def go(
    rules: Rules[Position, Move], position: Position, most_ms: int, *, is_ahead: bool = False
) -> Iterator[str]:
    """Yield the commands that ask for a move in *position* within *most_ms*.

    What *is_ahead* is thought about without a limit until `PONDERHIT` or `STOP`.
    """
    yield f"position fen {rules.write_position(position)}"
    yield f"go {'ponder ' if is_ahead else ''}movetime {most_ms}"


def names_of(move: Move) -> tuple[str, ...]:
    """How engines write *move*; castling also as the king's move to the rook."""
    source = GRID.name(move >> 9)
    becomes = _LETTERS[PROMOTED[move & 7]] if move & 7 in PROMOTED else ""
    name = f"{source}{GRID.name(target_of(move))}{becomes}"
    return (name, f"{source}{GRID.name(move >> 3 & 63)}") if move & 7 == CASTLE else (name,)


def read_move(rules: Rules[Position, Move], position: Position, text: str) -> Move:
    """The legal move that an engine writes as *text*. Raises `NotationError` for any other."""
    fitting = [move for move in rules.legal_moves(position) if text.lower() in names_of(move)]
    castling = [move for move in fitting if move & 7 == CASTLE]
    if not fitting:
        raise not_legal(rules.write_position(position), text)
    # in Chess960 a king's step may have the name of a castling, which then is to the rook's square
    plain = [move for move in fitting if move & 7 != CASTLE]
    by_rook = [move for move in castling if text.lower() == names_of(move)[1]]
    return (by_rook or plain or castling)[0]

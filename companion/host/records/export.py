# SPDX-License-Identifier: Apache-2.0
"""Exports stored games as text, JSON and PGN.

Pure, except for `save`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from companion.games.chess import pgn
from companion.host.records.records import PGN_WINNERS, KeptGame, rules_of, winners
from companion.host.text.os_errors import reporting
from companion.model.errors import NotationError, StoreError
from companion.model.notation import UNFINISHED, GameRecord, write_record


def to_pgn(game: KeptGame) -> str:
    """Return *game* as PGN with clock times. Raises `NotationError` if PGN cannot express it."""
    record = game.record
    if record.game != "chess":
        raise NotationError("PGN is for games of chess, not of {text}: export as text", text=record.game)
    if record.adopted:
        raise NotationError(
            "an arbiter let a position stand in this game, which PGN cannot express: export as text", text=""
        )
    rules = rules_of(record)
    start: Any = rules.read_position(record.start) if record.start else rules.initial()
    position, moves = start, []
    for text in record.moves:
        moves.append(rules.read_move(position, text))
        position = rules.apply(position, moves[-1])
    by_winner = {winner: result for result, winner in PGN_WINNERS.items()}
    tags = list(record.tags.items())
    if record.result != UNFINISHED:
        tags.append(("Termination", record.result.partition(": ")[2]))
    result = by_winner.get(winners(record), "*")
    times = tuple(pgn.Spent(move.thought_ms, move.left_ms) for move in game.moves)
    return pgn.write(pgn.Record(tuple(tags), start, tuple(moves), result, times))


def to_text(record: GameRecord) -> str:
    """Return *record* in the record text format."""
    return write_record(record, len(rules_of(record).sides))


def to_json(game: KeptGame) -> str:
    """Return *game* as JSON with clock times."""
    record, sides = game.record, rules_of(game.record).sides
    data = {
        "game": record.game,
        "options": dict(record.options),
        "tags": dict(record.tags),
        "start": record.start,
        "moves": [
            {
                "side": sides[move.side],
                "move": move.text,
                "thought_ms": move.thought_ms,
                "left_ms": move.left_ms,
            }
            for move in game.moves
        ],
        "adopted": {str(ply): position for ply, position in record.adopted.items()},
        "result": record.result,
        "scores": list(record.scores),
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def save(path: Path, written: str | bytes) -> None:
    """Write a text or bytes to *path*. Raises `StoreError`."""
    with reporting("{path} cannot be written: {reason}", StoreError, path=path):
        path.write_bytes(written.encode() if isinstance(written, str) else written)

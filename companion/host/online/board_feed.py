# SPDX-License-Identifier: Apache-2.0
"""What the board service says of a table of chess: its placement and its moves.

Pure. The field names are those of DGT LiveChess, which clients of its local service know.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final, TypeAlias

from companion.games.chess.fen import LETTER_OF
from companion.host.table.link_status import LinkState
from companion.model.pieces import Piece
from companion.referee.values.events import Stage
from companion.referee.values.view import TableView

BOARD_NAME: Final = "Companion"
"""Serial number and source of the only board."""

Json: TypeAlias = dict[str, Any]


def standing(view: TableView) -> dict[int, Piece]:
    """Return the pieces that stand on the board of *view*, by cell."""
    found = {cells[0]: piece for piece, cells in view.placement.entries}
    led = {guide.source: guide.piece for guide in view.guides if guide.source is not None}
    return {cell: piece for cell, piece in (found | led).items() if view.occupied >> cell & 1}


def written(view: TableView) -> str:
    """Return the pieces on the board of *view* as the first field of a FEN."""
    pieces = standing(view)
    ranks = []
    for rank in reversed(range(8)):
        letters = [_letter(pieces.get(8 * rank + file)) for file in range(8)]
        ranks.append(
            "".join(
                str(len(list(run))) if letter == " " else "".join(run) for letter, run in groupby(letters)
            )
        )
    return "/".join(ranks)


def _letter(piece: Piece | None) -> str:
    """Return the letter of *piece* in a FEN; a blank without one."""
    if piece is None:
        return " "
    letter = LETTER_OF[piece.kind]
    return letter if piece.side else letter.upper()


def moves_since(view: TableView, ply: int) -> list[str]:
    """Return the announced moves of *view* from *ply* on, in SAN.

    A position that an arbiter has adopted begins the list again.
    """
    moves: list[str] = []
    for line in view.record[ply:]:
        if line.stage is Stage.PROVISIONAL:
            break
        if line.move:
            moves.append(line.move)
        if not line.move or line.is_amended:
            moves.clear()
    return moves


def board_of(view: TableView, state: LinkState) -> Json:
    """Return the particulars of the board."""
    return {
        "serialnr": BOARD_NAME,
        "source": BOARD_NAME,
        "state": "ACTIVE" if state in (LinkState.CONNECTED, LinkState.ABSENT) else "NOTRESPONDING",
        "battery": None,
        "comment": None,
        **event_of(view),
    }


def event_of(view: TableView) -> Json:
    """Return what an event says of the board besides moves."""
    return {"serialnr": BOARD_NAME, "flipped": False, "board": written(view), "clock": None}

# SPDX-License-Identifier: Apache-2.0
"""Tables of other machines, over HTTP: an arbiter invites them, takes their keys back, and dismisses boards that are gone."""

import asyncio
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field

from companion.host.hall.core.hall import Hall, admission_of
from companion.host.hall.core.seats import is_name
from companion.model.errors import TournamentError


class Board(BaseModel):
    """The board that is meant."""

    board: str = Field(max_length=40)


def add_inviting(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Let arbiters say which tables belong to *hall*."""

    @app.post("/api/tables/invite")
    async def invite(of: Board, _by: arbiter) -> dict[str, Any]:
        """A code with which one table can join as a board, for so many seconds."""
        admission, board = admission_of(hall), of.board.strip()
        if not is_name(board):
            raise TournamentError("a board's identity has letters, digits, - and _")
        if board in hall.homes:
            raise TournamentError(
                "{board} is a board of the hall's own machine, and needs no code", board=board
            )
        invitation = await asyncio.to_thread(admission.draw, board)
        admission.invite(invitation)
        return {
            "board": board,
            "code": invitation.code,
            "seconds": max(0, invitation.until_ms - hall.clock()) // 1000,
        }

    @app.post("/api/tables/revoke")
    async def revoke(of: Board, _by: arbiter) -> dict[str, bool]:
        """Take back the key of a board: its table is not heard any more, until it joins again."""
        if not is_name(of.board):
            raise TournamentError("a board's identity has letters, digits, - and _")
        hall.revoke(of.board)
        return {"done": True}

    @app.post("/api/tables/dismiss")
    async def dismiss(of: Board, _by: arbiter) -> dict[str, bool]:
        """Expect a board no more that is not heard."""
        hall.dismiss(of.board)
        return {"done": True}

# SPDX-License-Identifier: Apache-2.0
"""HTTP API for tables on other machines: invite, revoke, dismiss."""

import asyncio
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field

from companion.host.hall.core.hall import Hall, admission_of
from companion.host.hall.core.station_states import is_name
from companion.model.errors import TournamentError


class Station(BaseModel):
    """The board concerned."""

    board: str = Field(max_length=40)


def add_inviting(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the endpoints to *app*."""

    @app.post("/api/tables/invite")
    async def invite(of: Station, _by: arbiter) -> dict[str, Any]:
        """Return a code that lets one table join, and its lifetime in seconds."""
        admission, station = admission_of(hall), of.board.strip()
        if not is_name(station):
            raise TournamentError("a board's identity has letters, digits, - and _")
        if station in hall.homes:
            raise TournamentError(
                "{board} is a board of the hall's own machine, and needs no code", board=station
            )
        invitation = await asyncio.to_thread(admission.draw, station)
        admission.invite(invitation)
        return {
            "board": station,
            "code": invitation.code,
            "seconds": max(0, invitation.until_ms - hall.clock()) // 1000,
        }

    @app.post("/api/tables/revoke")
    async def revoke(of: Station, _by: arbiter) -> dict[str, bool]:
        """Revoke the key of a board: its table is ignored until it joins again."""
        if not is_name(of.board):
            raise TournamentError("a board's identity has letters, digits, - and _")
        hall.revoke(of.board)
        return {"done": True}

    @app.post("/api/tables/dismiss")
    async def dismiss(of: Station, _by: arbiter) -> dict[str, bool]:
        """Forget a silent board."""
        hall.dismiss(of.board)
        return {"done": True}

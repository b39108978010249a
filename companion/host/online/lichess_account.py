# SPDX-License-Identifier: Apache-2.0
"""A player's account on lichess: making, checking and revoking a token."""

from __future__ import annotations

import asyncio

from companion.host.online.lichess_api import Lichess

_SCOPES = ("board:play", "challenge:write")


def page_of_tokens(url: str) -> str:
    """Return the address where a user makes a token with what play needs."""
    scopes = "&".join(f"scopes[]={scope}" for scope in _SCOPES)
    return f"{url}/account/oauth/token/create?{scopes}&description=Companion"


def check_token(url: str, token: str) -> str:
    """Return the player with *token*. Raises `OnlineRefused` and `OnlineUnreachable`."""

    async def asked() -> str:
        async with Lichess(url, token) as api:
            return str((await api.get("/api/account")).get("username", "?"))

    return asyncio.run(asked())


def revoke_token(url: str, token: str) -> None:
    """Let the server forget *token*. Raises `OnlineRefused` and `OnlineUnreachable`."""

    async def asked() -> None:
        async with Lichess(url, token) as api:
            await api.delete("/api/token")

    asyncio.run(asked())

# SPDX-License-Identifier: Apache-2.0
"""Routes get their parameters from path and query, by name and type."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from companion.host.pages.application import Application


def made() -> Application:
    app = Application()

    @app.get("/games/{slug}/{number}")
    async def game(request: Request, slug: str, number: int, best: bool = True, at: str = "") -> Any:
        return [request.method, slug, number, best, at]

    @app.get("/plain")
    async def plain(needed: int) -> Response:
        return Response(str(needed + 1))

    @app.websocket("/ws")
    async def talk(browser: WebSocket, language: str = "", watch: bool = False) -> None:
        await browser.accept()
        await browser.send_json([language, watch])

    return app


def asked(path: str, kind: str = "http", method: str = "GET") -> list[Any]:
    """What the application sends for *path*, which may have a query."""
    path, _, query = path.partition("?")
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": [], "method": method}
    sent = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect" if kind == "websocket" else "http.request"}

    asyncio.run(made()(scope, receive, send))
    return sent


def body(path: str) -> tuple[int, bytes]:
    begun, *rest = asked(path)
    return begun["status"], b"".join(each["body"] for each in rest)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/games/chess/3", b'["GET","chess",3,true,""]'),
        ("/games/gottaz/12?best=false&at=a%20b&unknown=1", b'["GET","gottaz",12,false,"a b"]'),
        ("/games/chess/3?slug=gottaz&best=1", b'["GET","chess",3,true,""]'),
        ("/plain?needed=-8", b"-7"),
    ],
)
def test_parameters_come_from_path_and_query(path: str, answer: bytes) -> None:
    assert body(path) == (200, answer)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/games/chess/three", b"number is not understood: 'three'"),
        ("/games/chess/3?best=perhaps", b"best is not understood: 'perhaps'"),
        ("/plain", b"needed is missing"),
    ],
)
def test_what_is_not_understood_is_refused(path: str, said: bytes) -> None:
    assert body(path) == (422, said)


def test_other_methods_are_refused() -> None:
    assert asked("/plain?needed=1", method="POST")[0]["status"] == 405


def test_a_websocket_has_parameters() -> None:
    _, said = asked("/ws?language=de&watch=true", "websocket")
    assert said["text"] == '["de",true]'
    assert asked("/ws?watch=perhaps", "websocket")[0]["type"] == "websocket.close"

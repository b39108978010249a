# SPDX-License-Identifier: Apache-2.0
"""An application whose routes are functions with typed parameters.

    @app.get("/puzzles/{game}/{number}.svg")
    async def position(game: str, number: int, language: str = "") -> Response: ...

A parameter comes from the path or the query by its name, as `str`, `int` or `bool`; the one of
another type is the request or WebSocket itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException, WebSocketException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

_INVALID: Final = 422
_INVALID_MESSAGE: Final = 1008
"""WebSocket close code for parameters that are not understood; before the handshake, a 403."""
_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}
_READERS: Final[Mapping[object, Callable[[str], object]]] = {str: str, int: int, bool: _FLAGS.__getitem__}

Answer = TypeVar("Answer", bound=Callable[..., Awaitable[Any]])
_Take: TypeAlias = Callable[[HTTPConnection], dict[str, object]]
"""Returns the arguments that a connection gives. Raises `ValueError`."""


class Application(Starlette):
    """An application that gets its routes by decorators."""

    def get(self, path: str) -> Callable[[Answer], Answer]:
        """Answer GET requests for *path* with a `Response`, or with other values as JSON."""

        def add(answer: Answer) -> Answer:
            take = _taking(answer)

            async def endpoint(request: Request) -> Response:
                try:
                    given = take(request)
                except ValueError as fault:
                    raise HTTPException(_INVALID, *fault.args) from fault
                found = await answer(**given)
                return found if isinstance(found, Response) else JSONResponse(found)

            self.routes.append(Route(path, endpoint, methods=["GET"]))
            return answer

        return add

    def websocket(self, path: str) -> Callable[[Answer], Answer]:
        """Serve WebSockets at *path*."""

        def add(serve: Answer) -> Answer:
            take = _taking(serve)

            async def endpoint(browser: WebSocket) -> None:
                try:
                    given = take(browser)
                except ValueError as fault:
                    raise WebSocketException(_INVALID_MESSAGE, *fault.args) from fault
                await serve(**given)

            self.routes.append(WebSocketRoute(path, endpoint))
            return serve

        return add


def _taking(function: Callable[..., object]) -> _Take:
    """Return what reads the arguments of *function*."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()

    def take(connection: HTTPConnection) -> dict[str, object]:
        texts = {**connection.query_params, **connection.path_params}
        given: dict[str, object] = {}
        for each in parameters:
            if each.annotation not in _READERS:
                given[each.name] = connection
            elif each.name in texts:
                given[each.name] = _read(each, texts[each.name])
            elif each.default is each.empty:
                raise ValueError(f"{each.name} is missing")
        return given

    return take


def _read(parameter: inspect.Parameter, text: str) -> object:
    try:
        return _READERS[parameter.annotation](text)
    except (KeyError, ValueError) as fault:
        raise ValueError(f"{parameter.name} is not understood: {text!r}") from fault

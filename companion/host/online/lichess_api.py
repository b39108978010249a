# SPDX-License-Identifier: Apache-2.0
"""Requests to lichess, or a server with the same interface: answers, streams and refusals.

Its rule: one request at a time beside the streams. After the answer that it was asked too much,
nothing is asked for a minute. Source: the OpenAPI description of lichess.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from companion import __version__
from companion.host.retry import USUAL, Intervals
from companion.model.errors import OnlineRefused, OnlineUnreachable, SettingsError
from companion.model.installation import importing

if TYPE_CHECKING:
    import httpx

_PATIENCE_S: Final = 10.0
_UNAUTHORIZED: Final = (401, 403)
_TOO_MANY: Final = 429
_FAILED: Final = 500

Json = dict[str, Any]


class Lichess:
    """The server at *url* with the token of a player; an asynchronous context manager."""

    def __init__(self, url: str, token: str, intervals: Intervals = USUAL) -> None:
        """Raises `ExtraMissing` without the library for HTTP.

        Raises `SettingsError` if the proxy that the environment names cannot be used.
        """
        with importing("play on lichess needs {library}, which is not installed: {install}", extra="online"):
            import httpx
        self.url = url
        self.name = url.partition("://")[2]
        """For messages."""
        self._faults: tuple[type[Exception], ...] = (httpx.TransportError, httpx.StreamError)
        self._intervals = intervals
        self._asking = asyncio.Lock()
        self._rests_until_s = 0.0
        try:
            self._client = httpx.AsyncClient(
                base_url=url,
                headers={"Authorization": f"Bearer {token}", "User-Agent": f"Companion/{__version__}"},
                timeout=httpx.Timeout(_PATIENCE_S, read=intervals.server_silence_s),
            )
        except (ImportError, ValueError, httpx.InvalidURL) as fault:  # of a proxy: *url* was checked
            raise SettingsError(
                "the proxy in all_proxy, http_proxy or https_proxy cannot be used: {reason}. Name one as "
                "http://HOST:PORT, or none",
                reason=str(fault).rstrip("."),
            ) from fault

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def get(self, path: str) -> Json:
        """Return the object at *path*. Raises `OnlineRefused` and `OnlineUnreachable`."""
        return await self._ask("GET", path, None)

    async def post(self, path: str, fields: Mapping[str, str] | None = None) -> Json:
        """Send *fields* to *path*; return the answer. Raises like `get`."""
        return await self._ask("POST", path, fields)

    async def delete(self, path: str) -> None:
        """Delete what is at *path*. Raises like `get`."""
        await self._ask("DELETE", path, None)

    async def _ask(self, method: str, path: str, fields: Mapping[str, str] | None) -> Json:
        async with self._asking, self._answered(method, path, fields) as answer:
            return _object(await answer.aread())

    async def lines(
        self, method: str, path: str, fields: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Json | None]:
        """Yield the objects of the stream at *path*; None for a keep-alive. Raises like `get`."""
        async with self._answered(method, path, fields) as answer:
            try:
                async for line in answer.aiter_lines():
                    yield _object(line.encode()) if line.strip() else None
            except self._faults as fault:
                raise self._unreachable(fault) from fault

    @asynccontextmanager
    async def _answered(
        self, method: str, path: str, fields: Mapping[str, str] | None
    ) -> AsyncIterator[httpx.Response]:
        """Yield a good answer, to be read. Raises like `get`."""
        now_s = asyncio.get_running_loop().time
        if now_s() < self._rests_until_s:
            raise self._asked_too_much()
        data = None if fields is None else dict(fields)
        try:
            async with self._client.stream(method, path, data=data) as answer:
                if answer.status_code == _TOO_MANY:
                    self._rests_until_s = now_s() + self._intervals.rate_limit_s
                    raise self._asked_too_much()
                if answer.status_code >= _FAILED:
                    raise self._unreachable(f"HTTP {answer.status_code}")
                if not answer.is_success:
                    raise self._refused(answer.status_code, await answer.aread())
                yield answer
        except self._faults as fault:
            raise self._unreachable(fault) from fault

    def _asked_too_much(self) -> OnlineUnreachable:
        return OnlineUnreachable(
            "{server} was asked too much: it is asked again in a minute", server=self.name
        )

    def _unreachable(self, reason: object) -> OnlineUnreachable:
        said = str(reason) or type(reason).__name__
        return OnlineUnreachable("{where} cannot be reached: {reason}", where=self.name, reason=said)

    def _refused(self, status: int, body: bytes) -> OnlineRefused:
        if status in _UNAUTHORIZED:
            return OnlineRefused(
                "{server} does not accept the token: log in again with `companion online login`",
                server=self.name,
            )
        reason = str(_object(body).get("error", f"HTTP {status}"))
        return OnlineRefused("{server} refuses: {reason}", server=self.name, reason=reason[:200])


def _object(body: bytes) -> Json:
    """Return the JSON object in *body*; {} for anything else."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}

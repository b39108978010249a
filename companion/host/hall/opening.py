# SPDX-License-Identifier: Apache-2.0
"""Opens the store of a hall, and waits for its server.

After a power cut hall and database start at the same time. Until the database is there, the hall's
address has a page that says so; its API refuses everything with 503. Its rule: only a server that
starts or is out of reach is waited for. A wrong password, an unknown database or a book that
another hall holds is an error at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from companion.feedback.wordfiles import choose
from companion.host import hall
from companion.host.hall.book_lock import BookLock, held
from companion.host.hall.books import BookKeeper
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.stations.stations import Inform
from companion.host.records.database import Database, connect, is_away
from companion.host.retry import USUAL, Intervals
from companion.host.tasks import until_stopped
from companion.host.text.error_translation import translate
from companion.host.web.allowed_hosts import Listener
from companion.host.web.server import Certificate, serving_app
from companion.model.errors import StoreError
from companion.model.phrase import Phrase

_STYLE: Final = "waiting.css"
_EVERYTHING: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_RELOAD_S: Final = 2
"""Interval in which the waiting page asks for the real one."""


@dataclass(frozen=True, slots=True)
class HallStore:
    """What a hall needs of its store."""

    database: Database
    book_lock: BookLock
    access: Arbiters
    keeper: BookKeeper
    has_arbiters: bool


@contextlib.contextmanager
def opened(url: str | None) -> Iterator[HallStore]:
    """Open the store at *url*, or the default one, inside the block.

    Raises `StoreError` and `TournamentError`.
    """
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(contextlib.closing(connect(url)))
        book_lock = stack.enter_context(held(database))
        access = Arbiters(database)
        yield HallStore(database, book_lock, access, BookKeeper(database), bool(access.names()))


async def opened_as_soon_as_possible(
    stack: contextlib.ExitStack,
    url: str | None,
    listener: Listener,
    certificate: Certificate | None,
    inform: Inform,
    intervals: Intervals = USUAL,
) -> HallStore | None:
    """Wait for the store at *url* and open it until *stack* closes.

    Return None if a signal stops the wait. Meanwhile *listener* has the waiting page, and *inform*
    gets the reason, again when it changes. Raises like `opened`.
    """
    found: list[HallStore] = []

    async def look(fault: StoreError) -> None:
        said = ""
        while not found:
            if str(fault) != said:
                said = str(fault)
                inform(Phrase("The hall waits for its store, and goes on by itself: {reason}", reason=fault))
            await asyncio.sleep(intervals.retry_s)
            try:
                found.append(await asyncio.to_thread(stack.enter_context, opened(url)))
            except StoreError as again:
                if not await asyncio.to_thread(is_away, url, again):
                    raise
                fault = again

    try:
        return stack.enter_context(opened(url))
    except StoreError as fault:
        if not is_away(url, fault):
            raise
        async with _waiting_page(listener, certificate):
            await until_stopped([asyncio.create_task(look(fault), name="store")])
    return found[0] if found else None


@contextlib.asynccontextmanager
async def _waiting_page(listener: Listener, certificate: Certificate | None) -> AsyncIterator[None]:
    """Serve the waiting page on *listener*, which stays open after the block."""
    async with serving_app(_waiting_app(), listener.again(), certificate=certificate):
        yield


def _waiting_app() -> FastAPI:
    """Make the application that answers everything with the reason of the wait."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.api_route("/{path:path}", methods=[*_EVERYTHING])
    async def wait(path: str, request: Request) -> Response:
        language = choose(request.headers.get("accept-language"))
        said = translate(
            Phrase("The hall waits for its database, and goes on by itself as soon as that is there"),
            language,
        )
        headers = {"Retry-After": str(_RELOAD_S)}
        if path == _STYLE:
            return Response(
                resources.files(hall).joinpath("page", _STYLE).read_bytes(), media_type="text/css"
            )
        if path.startswith("api/"):
            return JSONResponse({"detail": said}, 503, headers)
        return HTMLResponse(_PAGE.format(language=language, said=html.escape(said)), 503, headers)

    return app


_PAGE: Final = f"""<!doctype html>
<html lang="{{language}}">
<meta charset="utf-8">
<meta http-equiv="refresh" content="{_RELOAD_S}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/{_STYLE}">
<title>Companion</title>
<main>
<h1>Companion</h1>
<p role="status">{{said}}</p>
</main>
</html>
"""

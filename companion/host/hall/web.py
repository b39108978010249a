# SPDX-License-Identifier: Apache-2.0
"""Pages and API of the hall: public for spectators, with a password for arbiters.

Its rule: spectators' messages are made from the delayed view, once for all of them.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Final

from fastapi import FastAPI, HTTPException, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse

from companion.feedback.wordfiles import ENGLISH, choose
from companion.host.hall import offered, views, word_files
from companion.host.hall.core.hall import Hall
from companion.host.hall.desk.access import Arbiters, Limit, Tokens
from companion.host.hall.desk.api_arbiter import add_acting
from companion.host.hall.desk.printer import Printer
from companion.host.hall.photographs import LARGEST
from companion.host.hall.spectators.broadcast_pgn import Games
from companion.host.hall.spectators.schema import (
    DESCRIPTION,
    REFUSED,
    ClockSample,
    FormatSchema,
    GameSchema,
    State,
    TournamentSchema,
    response,
)
from companion.host.hall.views import STATIONS, Pages
from companion.host.pages.broadcast import Broadcast, merge_patch
from companion.host.pages.page_files import PageFiles, add_files
from companion.host.text.error_translation import translate
from companion.host.web.allowed_hosts import Listener
from companion.host.web.browser_socket import CROWDED, accepted, line_of, pack, receive_text
from companion.host.web.connections import BODY_S, HEAD_S, PER_ADDRESS
from companion.host.web.file_limit import room_for
from companion.host.web.guard import connection_of
from companion.host.web.server import Certificate, serving_app
from companion.model.errors import CompanionError, StoreError
from companion.model.phrase import Phrase
from companion.tournament.book import Running
from companion.tournament.roster import PUBLIC, published, write_roster
from companion.tournament.trf import write_trf

_POLICY: Final = 4401
"""WebSocket close code without a valid token."""
_SHARE: Final = 0.75
"""Share of the process's connections; the boards' pages have the rest."""


@dataclass(frozen=True, slots=True)
class WebLimits:
    """Limits and timeouts of a hall's web server."""

    per_address: int = PER_ADDRESS
    """Connections of one address, arbiters apart."""
    lines: int = 2_000
    """WebSockets that a client may open per minute: enough for a club."""
    calls: int = 8_000
    """Requests per client and minute: a page makes up to four before its WebSocket."""
    largest: int = LARGEST
    """Bytes of a request's body; more than any list of players."""
    token_s: float = 5.0
    """Time for a desk to send its token."""
    look_s: float = 2.0
    """Interval of checks of an arbiter's token."""
    head_s: float = HEAD_S
    body_s: float = BODY_S


USUAL_LIMITS: Final = WebLimits()


@contextlib.asynccontextmanager
async def serving_hall(
    hall: Hall,
    access: Arbiters,
    listener: Listener,
    certificate: Certificate | None = None,
    limits: WebLimits = USUAL_LIMITS,
) -> AsyncIterator[str]:
    """Serve pages and API of *hall* on *listener* inside the block; yield the URL.

    *certificate* makes it HTTPS. *per_address* limits the connections of an address, except
    arbiters'.
    """
    tokens = await asyncio.to_thread(Tokens, access, hall.wall, hall.clock())

    def knows(token: str) -> bool:
        return tokens.holder(token, hall.clock()) is not None

    room = replace(room_for(_SHARE, limits.per_address), head_s=limits.head_s, body_s=limits.body_s)
    async with Printer() as printer:
        app = make_hall_app(hall, access, tokens, printer, limits)
        async with serving_app(app, listener, certificate, room, knows) as address:
            sifting = asyncio.create_task(_sift(tokens, hall, limits.look_s), name="tokens")
            try:
                yield address
            finally:
                sifting.cancel()
                await asyncio.wait({sifting})


async def _sift(tokens: Tokens, hall: Hall, look_s: float) -> None:
    """Revoke invalid tokens periodically, until cancelled; open desks survive a store failure."""
    while True:
        with contextlib.suppress(StoreError):
            await asyncio.to_thread(tokens.sift, hall.clock())
        await asyncio.sleep(look_s)


def make_hall_app(
    hall: Hall, access: Arbiters, tokens: Tokens, printer: Printer, limits: WebLimits
) -> FastAPI:
    """Make the application of *hall*."""
    app = FastAPI(
        title="Companion hall",
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=REFUSED,
    )
    _add_guards(app, hall, limits)
    _add_files(app)
    pages = Pages(hall)
    _add_reading(app, hall, pages)
    _add_exports(app, hall, pages)
    add_acting(app, hall, access, tokens, printer)
    _add_watching(app, hall, pages, tokens, limits)
    return app


def _add_guards(app: FastAPI, hall: Hall, limits: WebLimits) -> None:
    """Add security headers, rate limits, and error handlers."""
    calls = Limit(limits.calls, 60_000)

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        place = request.client.host if request.client else ""
        if request.url.path.startswith("/api/") and not calls.allows(place, hall.clock()):
            return _refusal(429, Phrase("too many requests: wait a minute"), request)
        length = request.headers.get("content-length", "0")
        if "transfer-encoding" in request.headers or not length.isdecimal() or int(length) > limits.largest:
            return _refusal(413, Phrase("what was sent is too large"), request)
        return await call_next(request)

    @app.exception_handler(CompanionError)
    async def refuse(request: Request, fault: CompanionError) -> Response:
        return _refusal(503 if isinstance(fault, StoreError) else 422, str(fault), request)

    @app.exception_handler(UnicodeEncodeError)
    async def halve(request: Request, _fault: UnicodeEncodeError) -> Response:
        return _refusal(422, Phrase("what was sent has half a letter in it"), request)

    @app.exception_handler(RequestValidationError)
    async def doubt(request: Request, fault: RequestValidationError) -> Response:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in fault.errors())
        return _refusal(422, Phrase("what was sent is not understood: {reason}", reason=wrong), request)

    @app.exception_handler(HTTPException)
    async def decline(request: Request, fault: HTTPException) -> Response:
        return _refusal(fault.status_code, str(fault.detail), request, fault.headers)


def _refusal(
    status: int, fault: str, request: Request, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error in the browser's language."""
    language = choose(request.headers.get("accept-language"))
    return JSONResponse({"detail": translate(fault, language)}, status, dict(headers or {}))


@cache
def _page_files() -> PageFiles:
    return PageFiles({"hall": "companion.host.hall", "page": "companion.host.web"})


def _add_files(app: FastAPI) -> None:
    files = _page_files()
    document = cache(files.document)
    add_files(app, files)

    @app.get("/", include_in_schema=False)
    async def spectators(request: Request) -> Response:
        return document("hall/hall.html").answer(request)

    @app.get("/arbiter", include_in_schema=False)
    async def arbiters(request: Request) -> Response:
        return document("hall/arbiter.html").answer(request)


def _add_reading(app: FastAPI, hall: Hall, pages: Pages) -> None:
    """Add the public, delayed endpoints."""

    @app.get("/api/state", responses=response(State, "All parts by their names."))
    async def state() -> dict[str, Any]:
        """Return all boards (`board/NAME`) and tournaments (`tournament/KEY`)."""
        return pages.spectators()

    @app.get("/api/clock", responses=response(ClockSample))
    async def clock() -> dict[str, int]:
        """Return the hall's time in ms;

        `at_ms` of a board's clock is later by `clock_offset_ms`.
        """
        return {"now_ms": hall.clock()}

    @app.get("/api/words", include_in_schema=False)
    async def words(request: Request, language: str = "") -> dict[str, Any]:
        known = word_files.load(choose(language, request.headers.get("accept-language")))
        return {"language": known.code, "words": dict(known.texts)}

    @app.get("/api/games", responses=response(list[GameSchema], "All games."))
    async def all_games(language: str = ENGLISH) -> list[dict[str, Any]]:
        """Return the games by which tournaments and boards are named."""
        return offered.all_games(choose(language))

    @app.get("/api/formats", responses=response(list[FormatSchema], "All formats."))
    async def all_formats() -> list[dict[str, Any]]:
        """Return the tournament formats with their usual tie-breaks."""
        return offered.all_formats()

    @app.get("/api/sets")
    async def sets(
        name: Annotated[list[str], Query(max_length=50)], language: str = ENGLISH
    ) -> dict[str, Any]:
        """Return the appearance of boards by `set`: cells, regions, names of pieces and sides."""
        return views.sets(name, hall.spectators.described.shown.values(), language)


def _add_exports(app: FastAPI, hall: Hall, pages: Pages) -> None:
    """Add single tournaments and their exports, delayed."""

    def released(key: str) -> Running:
        running = hall.spectators.tournaments.shown.get(key)
        if running is None:
            raise HTTPException(404, Phrase("there is no tournament {key!r}", key=key))
        return running

    @app.get("/api/tournaments/{key}", responses=response(TournamentSchema))
    async def tournament(key: str) -> dict[str, Any]:
        """Return a tournament with rounds and standings."""
        return pages.tournament(key, released(key))

    @app.get("/api/tournaments/{key}/players.csv")
    async def players(key: str) -> PlainTextResponse:
        """Return the players as CSV, without confidential data."""
        players = released(key).tournament.players
        return PlainTextResponse(write_roster(players, PUBLIC), media_type="text/csv")

    told_games = Games(hall)
    reports: dict[str, tuple[Running, str]] = {}
    """The latest reports; that of a large tournament takes time."""

    @app.get("/api/tournaments/{key}/games.pgn")
    async def games(key: str, round: int = 0) -> PlainTextResponse:
        """Return the visible games of a round of chess as PGN."""
        text = await asyncio.to_thread(told_games.round, released(key), round)
        return PlainTextResponse(text, media_type="application/x-chess-pgn")

    @app.get("/api/tournaments/{key}/report.trf")
    async def report(key: str) -> PlainTextResponse:
        """Return the federation report (TRF), without confidential data."""
        running = released(key)
        if key not in reports or reports[key][0] is not running:
            reports[key] = running, await asyncio.to_thread(write_trf, published(running.tournament))
        return PlainTextResponse(reports[key][1])


def _add_watching(app: FastAPI, hall: Hall, pages: Pages, tokens: Tokens, limits: WebLimits) -> None:
    """Add the WebSockets of spectators and arbiters."""
    public = Broadcast(pages.spectators, hall.watch, pack, patch=_patch)
    private = Broadcast(pages.arbiters, hall.watch, pack, patch=_patch)

    lines = Limit(limits.lines, 60_000)

    def comes_too_often(browser: WebSocket) -> bool:
        return not lines.allows(browser.client.host if browser.client else "", hall.clock())

    @app.websocket("/api/watch")
    async def watch(browser: WebSocket) -> None:
        if not await accepted(browser):
            return
        if comes_too_often(browser):
            await browser.close(CROWDED)
            return
        await _serve_changes(browser, public, limits.look_s)

    @app.websocket("/api/desk")
    async def desk(browser: WebSocket) -> None:
        await browser.accept()
        if comes_too_often(browser):
            await browser.close(CROWDED)
            return
        with contextlib.suppress(WebSocketDisconnect):
            token = ""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limits.token_s):
                    token = await receive_text(browser)
            if tokens.holder(token, hall.clock()) is None:
                await browser.close(_POLICY)
                return
            connection_of(browser).trust()
            await _serve_changes(
                browser, private, limits.look_s, lambda: tokens.holder(token, hall.clock()) is not None
            )


def _patch(name: str, before: Any, part: Any) -> Any:
    """Return the patch of a board; other parts are sent as they are."""
    return merge_patch(before, part) if name.startswith(STATIONS) else None


async def _serve_changes(
    browser: WebSocket, broadcast: Broadcast, look_s: float, may_read: Callable[[], bool] | None = None
) -> None:
    """Send changes to *browser* until it leaves, or *may_read* is false."""
    async with broadcast.to(line_of(browser)):
        with contextlib.suppress(WebSocketDisconnect):
            while may_read is None or may_read():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(None if may_read is None else look_s):
                        await receive_text(browser)  # messages have no meaning; a disconnect ends the block
            await browser.close(_POLICY)

# SPDX-License-Identifier: Apache-2.0
"""The application of the program: the start page, the table, kept games.

Its rule: `/` is the table if a game is on it, otherwise the start page. A browser at the start page
gets the whole state whenever it changes.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import secrets
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion import games
from companion.feedback.page import Json
from companion.feedback.wordfiles import choose
from companion.host.clock import local_time
from companion.host.coach.results import answer_results
from companion.host.codec import decode
from companion.host.pages.application import Application
from companion.host.pages.page_files import page, page_app, page_files
from companion.host.start_page.cards import lessons_json, picture, puzzle_json, rules_json
from companion.host.start_page.home import Home
from companion.host.start_page.join import as_svg
from companion.host.start_page.kept_pages import add_kept_games, drawn
from companion.host.start_page.phone_camera import add_phone_camera, is_phone_wanted
from companion.host.start_page.requests import Delete, Exercise, GoOn, Import, Play
from companion.host.start_page.sensor_page import add_sensor_test
from companion.host.table.table import Table
from companion.host.text.error_translation import translate
from companion.host.watch.review import ReviewedGame, game_on
from companion.host.watch.review_page import (
    add_review,
)
from companion.host.web.beginning import LONGEST_NAME, LONGEST_POSITION, Asker, is_sensible
from companion.host.web.browser_socket import accepted, is_here, receive_text
from companion.host.web.permission import START_MESSAGES
from companion.host.web.table_page import add_table, known, with_table
from companion.host.web.table_seats import TableSeats
from companion.lessons.course import taught
from companion.model.errors import CompanionError, UnknownName
from companion.model.phrase import Phrase
from companion.opponent.puzzles import every, numbered, of_the_day

if TYPE_CHECKING:
    from companion.host.records.store import Imported

_LOG = logging.getLogger(__name__)

_PING: Final = "ping"
_PONG: Final = "pong"
_LONGEST_MESSAGE: Final = 20_000
_LONGEST_IMPORT: Final = 2_000_000
"""Of a text or a file in base64; the page refuses longer ones itself."""
_KEEPERS: Final = Phrase("Only this computer, and those who have a seat at the table, change what is kept.")

StartMessage: TypeAlias = Play | GoOn | Exercise | Delete | Import
"""A message of a browser at the start page."""


def make_home_app(home: Home) -> Application:
    """Make the application of *home*."""
    app = page_app()
    seats_of = cache(TableSeats)

    @app.get("/")
    async def index(request: Request) -> Response:
        if home.table is not None:
            return page("index.html", "at-home", "start").answer(request, with_table(home.table))
        query = request.url.query
        return RedirectResponse(f"start?{query}" if query else "start")

    @app.get("/worker.js")
    async def worker(request: Request) -> Response:
        return page_files().answer("page/worker.js", request)

    @app.get("/start")
    async def start(request: Request) -> Response:
        return page("start.html").answer(request)

    _add_talk(app, home, seats_of)
    _add_texts(app, home)
    _add_puzzles(app, home)
    _add_join(app, home)
    add_sensor_test(app, home, partial(_language, home))
    add_phone_camera(app, home, partial(_language, home))
    _add_camera_picture(app, home)
    _add_programs(app)
    add_kept_games(app, home, partial(_language, home))
    add_table(app, lambda: home.table, seats_of)
    add_review(app, lambda: home.table, home.reviewer)
    _add_results(app, home)
    return app


def _add_talk(app: Application, home: Home, seats_of: Callable[[Table], TableSeats]) -> None:
    """Add the WebSocket of the start page to *app*; *seats_of* finds the seats."""

    @app.websocket("/start/ws")
    async def talk(browser: WebSocket, language: str = "", name: str = "") -> None:
        if not await accepted(browser):
            return
        code = _language(home, language, browser.headers.get("accept-language", ""))
        asker = Asker(browser, name[:LONGEST_NAME], is_here(browser), code)
        showing = asyncio.create_task(_show(home, browser, code), name="start page")
        try:
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    await _take(home, asker, seats_of, await receive_text(browser))
        finally:
            if home.table is not None:
                seats_of(home.table).withdraw(browser)
            showing.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
                await showing


def _add_texts(app: Application, home: Home) -> None:
    """Add to *app* what the start page fetches when it is needed."""

    @app.get("/all-games.json")
    async def offered(language: str = "") -> Json:
        return await asyncio.to_thread(home.offer, _language(home, language))

    @app.get("/rules.json")
    async def rules(game: str, language: str = "") -> Response:
        if game not in games.slugs():
            return Response(status_code=404)
        parts = await asyncio.to_thread(rules_json, game, _language(home, language))
        return JSONResponse({"parts": parts})

    @app.get("/lessons.json")
    async def lessons(game: str, language: str = "") -> Response:
        if game not in taught():
            return Response(status_code=404)
        return JSONResponse(await asyncio.to_thread(lessons_json, game, _language(home, language)))

    @app.get("/boards/{slug}.svg")
    async def board(slug: str, position: str = "") -> Response:
        return await drawn(lambda: picture(slug, position[:LONGEST_POSITION]))


def _add_puzzles(app: Application, home: Home) -> None:
    """Add to *app* the puzzle of the day, and others on demand."""

    @app.get("/puzzle.json")
    async def puzzle(another: bool = False, game: str = "", moves: int = 0, language: str = "") -> Response:
        today = of_the_day(local_time().toordinal())
        fitting = [each for each in every() if game in ("", each.game) and moves in (0, each.moves)]
        if not fitting:
            return Response(status_code=404)
        chosen = secrets.choice([each for each in fitting if each != today] or fitting) if another else today
        return JSONResponse(await asyncio.to_thread(puzzle_json, chosen, _language(home, language)))

    @app.get("/puzzles/{game}/{number}.svg")
    async def position(game: str, number: int) -> Response:
        return await drawn(lambda: picture(game, numbered(number, game).position))


def _add_join(app: Application, home: Home) -> None:
    """Add to *app* what shows how a phone joins."""

    @app.get("/join.json")
    async def joining() -> Json:
        return {
            "addresses": list(home.addresses),
            "has_authority": home.authority is not None,
            "camera": "camera" if is_phone_wanted(home) else "",
        }

    @app.get("/companion.crt")
    async def authority() -> Response:
        if home.authority is None:
            return Response(status_code=404)
        content = await asyncio.to_thread(home.authority.read_bytes)
        return Response(content, media_type="application/x-x509-ca-cert")

    @app.get("/join.svg")
    async def join_code() -> Response:
        if not home.addresses:
            return Response(status_code=404)
        return Response(as_svg(home.addresses[0]), media_type="image/svg+xml")


def _add_camera_picture(app: Application, home: Home) -> None:
    """Add to *app* the picture of the camera, while something keeps it from seeing."""

    @app.get("/camera.jpg")
    async def seen() -> Response:
        task = None if home.table is None else home.table.current.camera_task
        packed = None if task is None else await asyncio.to_thread(task.picture)
        if packed is None:
            return Response(status_code=404)
        return Response(packed, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def _add_programs(app: Application) -> None:
    """Add the programs of boards that are flashed by copying a file."""

    @app.get("/programs/{name}")
    async def program(request: Request) -> Response:
        from companion.host.doctor.flash import program_of

        try:
            file = program_of(request.path_params["name"])
        except CompanionError:
            return Response(status_code=404)
        if not file.name.endswith(".uf2"):
            return Response(status_code=404)
        named = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        return Response(file.read_bytes(), media_type="application/octet-stream", headers=named)


def _add_results(app: Application, home: Home) -> None:
    """Add to *app* who wins in the positions of solved games."""

    @app.get("/results.json")
    async def at_table(language: str = "") -> Response:
        find = partial(_game_on_table, home)
        return await answer_results(find, _language(home, language), home.results)


def _game_on_table(home: Home) -> ReviewedGame | None:
    """Return the game on the table; None before a move. Reads its journal."""
    return None if home.table is None else game_on(home.table)


def understand_start(text: str) -> StartMessage | None:
    """Decode and validate a message of the start page; None if it is invalid."""
    if len(text) > _LONGEST_IMPORT:
        return None
    try:
        message: StartMessage = decode(StartMessage, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _LOG.debug("a browser said %r: %s", text[:_LONGEST_MESSAGE], fault)
        return None
    if len(text) > _LONGEST_MESSAGE and not isinstance(message, Import):
        return None
    try:
        return (
            message if isinstance(message, GoOn | Delete | Import) or is_sensible(message.request) else None
        )
    except UnknownName:
        return None  # there is no such puzzle


def _language(home: Home, asked: str, accepted_by_browser: str = "") -> str:
    """Return the language of a browser: as asked, otherwise that of the program."""
    usual = home.play_options.language
    return known(asked) or (choose(accepted_by_browser) if usual == "en" and accepted_by_browser else usual)


async def _take(home: Home, asker: Asker, seats_of: Callable[[Table], TableSeats], text: str) -> None:
    """Execute a message of a browser."""
    if text == _PING:
        await asker.browser.send_text(_PONG)
        return
    may_keep = asker.is_here or (home.table is not None and seats_of(home.table).holds(asker.name))
    if len(text) > _LONGEST_MESSAGE and not may_keep:
        await asker.say(_KEEPERS)
        return
    message = understand_start(text)
    if message is None or type(message).__name__ not in START_MESSAGES:
        return
    if isinstance(message, Delete | Import):
        if may_keep:
            home.carry_out(_change_kept(home, asker, message))
        else:
            await asker.say(_KEEPERS)
        return
    begin = partial(_begin, home, asker, message)
    game = await asyncio.to_thread(home.game_of, message)
    if home.table is None or not game:
        await begin()
    else:
        await seats_of(home.table).begin(asker, game, begin)


async def _begin(home: Home, asker: Asker, message: Play | GoOn | Exercise) -> None:
    """Begin the game of *message*, and lead *asker* to it."""
    try:
        await (home.resume(message) if isinstance(message, GoOn) else home.begin(message))
    except CompanionError as fault:
        await asker.browser.send_text(json.dumps({"refused": translate(fault, asker.language)}))
    else:
        await asker.browser.send_text(json.dumps({"go": "./"}))


async def _change_kept(home: Home, asker: Asker, message: Delete | Import) -> None:
    """Delete or import games, and say what became of it."""
    answer: Json = {}
    try:
        if isinstance(message, Delete):
            await home.delete(message)
        else:
            content = base64.b64decode(message.content)
            imported = await home.keep_games(content, message.name[:LONGEST_NAME])
            answer = {"imported": _imported_json(imported, asker.language)}
    except ValueError as fault:
        _LOG.debug("a browser sent no base64: %s", fault)
    except CompanionError as fault:
        answer = {"refused": translate(fault, asker.language)}
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the asker may be gone
        await asker.browser.send_text(json.dumps(answer))


def _imported_json(imported: Imported, language: str) -> Json:
    """Return how many games were imported, and what was left out, in *language*."""
    from companion.host.records.store import Added

    counts = imported.counts
    left_out = [translate(fault, language) for fault in imported.faults]
    return {
        "new": counts[Added.NEW] + counts[Added.GROWN],
        "known": counts[Added.KNOWN],
        "left_out": [*left_out, *(translate(note, language) for note in imported.notes)],
    }


async def _show(home: Home, browser: WebSocket, language: str) -> None:
    """Send the constants, then the state whenever it changes."""
    constants = await asyncio.to_thread(home.constants, language)
    await browser.send_text(json.dumps({"page": constants}))
    sent = ""
    with home.watch() as has_changed:
        while True:
            has_changed.clear()
            state = await asyncio.to_thread(home.state, language)
            shown = json.dumps({"state": {**state, "devices": home.devices(language)}})
            if shown != sent:
                await browser.send_text(shown)
            sent = shown
            await has_changed.wait()

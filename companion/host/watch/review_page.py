# SPDX-License-Identifier: Apache-2.0
"""What pages fetch of a game under review: its positions, and files to take away.

Its rule: what draws pictures and prints is imported when one is fetched.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from companion.feedback.page import Json
from companion.feedback.words import Words
from companion.host.pages.application import Application
from companion.host.pages.page_files import Document, page, page_app
from companion.host.records.export import to_pgn, to_text
from companion.host.records.records import KeptGame
from companion.host.table.catalogue import spoken
from companion.host.table.table import Table
from companion.host.text.error_translation import translate
from companion.host.watch.review import ReviewedGame, game_on, review_json, words_for
from companion.host.watch.review_report import as_data
from companion.host.watch.reviewer import Reviewer
from companion.host.web.allowed_hosts import Listener
from companion.host.web.server import serving_app
from companion.host.web.table_page import known
from companion.model.errors import CompanionError
from companion.model.installation import install_command
from companion.model.notation import UNFINISHED
from companion.opponent.levels import usual_level

_KINDS: Final = {
    "pgn": "application/x-chess-pgn",
    "txt": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
    "gif": "image/gif",
    "pdf": "application/pdf",
}
_LIBRARIES: Final = {"gif": ("resvg_py", "gif"), "pdf": ("reportlab", "printing")}
"""The module that a form needs, and the extra that installs it."""

T = TypeVar("T")
Find: TypeAlias = Callable[[], ReviewedGame | None]
"""Returns a game; reads files. Raises `CompanionError`."""


def add_review(app: Application, find: Callable[[], Table | None], reviewer: Reviewer | None = None) -> None:
    """Add to *app* the review of the game on the table that *find* returns.

    With a *reviewer* also its analysis, as soon as the game is over.
    """

    def reading() -> ReviewedGame | None:
        table = find()
        return None if table is None else game_on(table)

    def language() -> str:
        table = find()
        return "en" if table is None else table.words("").language

    def over() -> ReviewedGame | None:
        reviewed = reading()
        return None if reviewed is None or reviewed.game.record.result == UNFINISHED else reviewed

    add_review_of(app, reading, language)
    if reviewer is not None:
        _add_analysis(app, over, language, reviewer)


def _add_analysis(app: Application, find: Find, usual: Callable[[], str], reviewer: Reviewer) -> None:
    """Add the analysis of the game that *find* returns."""

    @app.get("/analysis.json")
    async def analysis(language: str = "") -> Response:
        return await answer_analysis(find, known(language) or usual(), reviewer)

    @app.get("/line.json")
    async def line(position: int, language: str = "", best: bool = True) -> Response:
        return await answer_line(find, position, known(language) or usual(), reviewer, best=best)

    @app.get("/try.json")
    async def tried(position: int, language: str = "", move: str = "") -> Response:
        return await answer_try(find, position, move, known(language) or usual(), reviewer)


def add_review_of(app: Application, find: Find, usual: Callable[[], str]) -> None:
    """Add the review of the game that *find* returns, in the language *usual*."""

    @app.get("/review.json")
    async def review(language: str = "") -> Response:
        return await answer_review(find, known(language) or usual())

    @app.get("/game.{form}")
    async def game(form: str, language: str = "") -> Response:
        return await answer_file(find, form, known(language) or usual())

    @app.get("/position.svg")
    async def position(position: int = 0, language: str = "") -> Response:
        return await answer_position(find, position, known(language) or usual())


async def answer_review(find: Find, language: str) -> Response:
    """Answer with the positions of the game that *find* returns, or with 404."""

    def read() -> Json | None:
        reviewed = find()
        if reviewed is None:
            return None
        words = words_for(reviewed.game, language)
        found = review_json(reviewed, words)
        found["table"]["languages"] = [{"value": code, "label": name} for code, name in spoken()]
        found["table"]["usual_level"] = usual_level(reviewed.game.record.game)
        return {**found, "files": files_of(reviewed.game), "lacking": _lacking()}

    return await _answering(read, JSONResponse)


async def answer_analysis(find: Find, language: str, reviewer: Reviewer) -> Response:
    """Answer with the analysis of a game so far, or with 404."""

    async def answer(game: KeptGame, words: Words) -> Json | None:
        return await asyncio.to_thread(as_data, game.record, await reviewer.progress(game), words)

    return await _analysing(find, language, answer)


async def answer_line(find: Find, number: int, language: str, reviewer: Reviewer, *, best: bool) -> Response:
    """Answer with the best line from position *number*, or what refutes the move there."""

    async def answer(game: KeptGame, words: Words) -> Json | None:
        from companion.host.watch.tries import line_json

        analysis = await reviewer.progress(game)
        if not 0 <= number < len(analysis.positions):
            return None
        return await asyncio.to_thread(line_json, game.record, analysis, number, words, best=best)

    return await _analysing(find, language, answer)


async def answer_try(find: Find, number: int, move: str, language: str, reviewer: Reviewer) -> Response:
    """Answer with what *move* is worth in position *number*; without it, with the legal moves."""

    async def answer(game: KeptGame, words: Words) -> Json | None:
        from companion.host.watch.tries import tried_json

        judged = await reviewer.tried(game, number, move)
        if judged is None:
            return None
        return await asyncio.to_thread(tried_json, game.record, number, move, judged, words)

    async def moves(game: KeptGame, _words: Words) -> Json | None:
        from companion.host.watch.tries import moves_json

        return await asyncio.to_thread(moves_json, game.record, number)

    return await _analysing(find, language, answer if move else moves)


async def _analysing(
    find: Find, language: str, answer: Callable[[KeptGame, Words], Awaitable[Json | None]]
) -> Response:
    """Answer with what *answer* returns of the game that *find* returns, or with 404."""
    try:
        reviewed = await asyncio.to_thread(find)
        found = reviewed and await answer(reviewed.game, words_for(reviewed.game, language))
    except CompanionError as fault:
        return Response(translate(fault, "en"), status_code=404, media_type="text/plain")
    return Response(status_code=404) if found is None else JSONResponse(found)


def files_of(game: KeptGame) -> list[str]:
    """Return the forms in which *game* can be taken away."""
    forms = ["txt", "pdf", "svg", "gif"]
    if game.record.game == "chess" and not game.record.adopted:
        forms.insert(0, "pgn")
    lacking = _lacking()
    return [form for form in forms if form not in lacking]


def _lacking() -> dict[str, str]:
    """Return the forms that lack a package, with the command that installs it."""
    return {
        form: install_command(extra)
        for form, (library, extra) in _LIBRARIES.items()
        if importlib.util.find_spec(library) is None
    }


async def answer_file(find: Find, form: str, language: str) -> Response:
    """Answer with the game that *find* returns as a file, or with 404."""

    def read() -> tuple[KeptGame, str | bytes] | None:
        reviewed = find()
        if reviewed is None or form not in files_of(reviewed.game):
            return None
        return reviewed.game, _written(reviewed.game, form, words_for(reviewed.game, language))

    def answer(made: tuple[KeptGame, str | bytes]) -> Response:
        game, content = made
        date = game.record.tags.get("Date", "").replace(".", "-")
        name = "-".join(filter(None, (game.record.game, date)))
        return _file(content, _KINDS[form], f"{name}.{form}")

    return await _answering(read, answer)


async def answer_position(find: Find, number: int, language: str) -> Response:
    """Answer with a picture of position *number* of a game, or with 404."""

    def read() -> str | None:
        from companion.host.watch.svg import still_svg

        reviewed = find()
        if reviewed is None:
            return None
        return still_svg(reviewed.game.record, words_for(reviewed.game, language), number)

    return await _answering(read, lambda drawn: _file(drawn, _KINDS["svg"], f"position-{number}.svg"))


def _written(game: KeptGame, form: str, words: Words) -> str | bytes:
    """Return *game* in one of the `files_of` it."""
    match form:
        case "pgn":
            return to_pgn(game)
        case "svg":
            from companion.host.watch.svg import animated_svg

            return animated_svg(game.record, words)
        case "gif":
            from companion.host.watch.gif import animated_gif

            return animated_gif(game.record, words)
        case "pdf":
            from companion.host.records.score_sheet import score_sheet
            from companion.sheets.page import PAPERS

            return score_sheet(game.record, PAPERS["a4"])
    return to_text(game.record)


def _file(content: str | bytes, kind: str, name: str) -> Response:
    return Response(
        content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


async def _answering(read: Callable[[], T | None], answer: Callable[[T], Response]) -> Response:
    """Answer with what *read* returns in a thread; with 404 without it."""
    try:
        found = await asyncio.to_thread(read)
    except CompanionError as fault:
        return Response(translate(fault, "en"), status_code=404, media_type="text/plain")
    return Response(status_code=404) if found is None else answer(found)


def kept_page(home: str = "") -> Document:
    """Return the page of a kept game; *home* is the start page, if any."""
    return page("index.html", f"kept watch{' at-home' if home else ''}", home)


def make_kept_app(reviewed: ReviewedGame, language: str, reviewer: Reviewer | None = None) -> Application:
    """Make the application that shows the one game *reviewed*, with its analysis by *reviewer*."""
    app = page_app()

    @app.get("/")
    async def index(request: Request) -> Response:
        return kept_page().answer(request)

    add_review_of(app, lambda: reviewed, lambda: language)
    if reviewer is not None:
        _add_analysis(app, lambda: reviewed, lambda: language, reviewer)
    return app


def show(
    reviewed: ReviewedGame,
    language: str,
    listener: Listener,
    opened: Callable[[str], None],
    store: str | None = None,
) -> None:
    """Serve *reviewed* on *listener* until Ctrl-C; its analysis is kept in *store*.

    *opened* gets the URL. Raises `KeyboardInterrupt`.
    """

    async def serving() -> None:
        reviewer = Reviewer(store)
        try:
            async with serving_app(make_kept_app(reviewed, language, reviewer), listener) as address:
                await asyncio.to_thread(opened, address)
                await asyncio.Event().wait()
        finally:
            await reviewer.close()

    asyncio.run(serving())

# SPDX-License-Identifier: Apache-2.0
"""The pages of kept games: each with its review, analysis, files and pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from companion.host.coach.results import answer_results
from companion.host.pages.application import Application
from companion.host.pages.page_files import add_files, page_files
from companion.host.start_page.cards import last_picture
from companion.host.start_page.home import Home
from companion.host.watch.review_page import (
    Find,
    answer_analysis,
    answer_file,
    answer_line,
    answer_position,
    answer_review,
    answer_try,
    kept_page,
)
from companion.model.errors import CompanionError


async def drawn(draw: Callable[[], str]) -> Response:
    """Answer with the picture that *draw* makes in a thread, or with 404."""
    try:
        drawn = await asyncio.to_thread(draw)
    except CompanionError:
        return Response(status_code=404)
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=600"})


def add_kept_games(app: Application, home: Home, language_of: Callable[[str], str]) -> None:
    """Add to *app* the games of the store, each under `kept/NUMBER/`.

    *language_of* returns the language for what a browser asks.
    """
    _add_analyses(app, home, language_of)
    _add_last_boards(app, home)

    @app.get("/kept/{number}/")
    async def index(request: Request, number: int) -> Response:
        return kept_page("../../start").answer(request)

    add_files(app, page_files(), "/kept/{number:int}")

    @app.get("/kept/{number}/review.json")
    async def review(number: int, language: str = "") -> Response:
        return await answer_review(_finding(home, number), language_of(language))

    @app.get("/kept/{number}/game.{form}")
    async def game(number: int, form: str, language: str = "") -> Response:
        return await answer_file(_finding(home, number), form, language_of(language))

    @app.get("/kept/{number}/position.svg")
    async def position(number: int, position: int = 0, language: str = "") -> Response:
        return await answer_position(_finding(home, number), position, language_of(language))


def _finding(home: Home, number: int) -> Find:
    """Return what finds game *number* of the store."""
    return partial(home.kept, number)


def _add_analyses(app: Application, home: Home, language_of: Callable[[str], str]) -> None:
    """Add to *app* the analyses of stored games, and what can be tried."""

    @app.get("/kept/{number}/analysis.json")
    async def analysis(number: int, language: str = "") -> Response:
        return await answer_analysis(_finding(home, number), language_of(language), home.reviewer)

    @app.get("/kept/{number}/line.json")
    async def line(number: int, position: int, language: str = "", best: bool = True) -> Response:
        spoken = language_of(language)
        return await answer_line(_finding(home, number), position, spoken, home.reviewer, best=best)

    @app.get("/kept/{number}/try.json")
    async def tried(number: int, position: int, language: str = "", move: str = "") -> Response:
        spoken = language_of(language)
        return await answer_try(_finding(home, number), position, move, spoken, home.reviewer)

    @app.get("/kept/{number}/results.json")
    async def in_store(number: int, language: str = "") -> Response:
        find = partial(home.kept, number)
        return await answer_results(find, language_of(language), home.results)


def _add_last_boards(app: Application, home: Home) -> None:
    """Add to *app* the boards at the end of listed games."""

    @app.get("/kept/{number}/board.svg")
    async def board(number: int) -> Response:
        return await drawn(lambda: last_picture(home.kept(number).game.record))

    @app.get("/unfinished/{journal}/board.svg")
    async def unfinished(journal: str) -> Response:
        found = await asyncio.to_thread(home.unfinished, journal)
        if found is None:
            return Response(status_code=404)
        return await drawn(lambda: last_picture(found.record))

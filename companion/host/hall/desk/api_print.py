# SPDX-License-Identifier: Apache-2.0
"""HTTP API for printed lists and exports: delayed for the public, current for arbiters."""

import asyncio
from typing import Any, Final, Literal, TypeAlias

from fastapi import FastAPI, HTTPException, Request, Response

from companion.feedback.wordfiles import ENGLISH, choose
from companion.host.codec import encode
from companion.host.hall.core.hall import Hall
from companion.host.hall.desk.printer import Printer
from companion.host.hall.desk.printouts import LISTS
from companion.host.text.error_translation import translate
from companion.model.phrase import Phrase
from companion.sheets.page import PAPERS
from companion.tournament.club_ratings import ClubRating, club_ratings
from companion.tournament.event import Event, missing
from companion.tournament.rating_changes import (
    ELO_GAME,
    RatingChange,
    rating_changes,
    write_changes,
    write_club_ratings,
)
from companion.tournament.roster import write_roster
from companion.tournament.trf import write_trf

SHEETS: Final = "scoresheets"
_PDF: Final = "application/pdf"
PaperName: TypeAlias = Literal["a4", "letter"]


def _elo(of: RatingChange) -> dict[str, Any]:
    is_rated = bool(of.player.rating)
    return {
        "name": of.player.name,
        "before": of.player.rating,
        "games": of.games,
        "score": float(of.score),
        "performance": of.performance,
        "k": of.k if is_rated else 0,
        "change": float(of.change),
        "rating": of.new,
        "deviation": 0,
    }


def _club(of: ClubRating) -> dict[str, Any]:
    return {
        "name": of.name,
        "before": of.before,
        "games": of.games,
        "score": float(of.score),
        "performance": 0,
        "k": 0,
        "change": float(of.change),
        "rating": of.rating,
        "deviation": of.deviation,
    }


def add_printing(app: FastAPI, hall: Hall, printer: Printer, arbiter: Any) -> None:
    """Add the endpoints for what *printer* prints of *hall*'s tournaments."""

    @app.get("/api/tournaments/{key}/{kind}.pdf", response_class=Response)
    async def public(
        key: str, kind: str, language: str = ENGLISH, round: int = 0, paper: PaperName = "a4"
    ) -> Response:
        """Return a list as PDF:

        `pairings`, `standings`, `crosstable` or `teams`.

        In English if *language* is not supported.
        """
        running = hall.spectators.tournaments.shown.get(key)
        if running is None or kind not in LISTS:
            raise HTTPException(
                404, Phrase("there is no list {kind!r} of a tournament {key!r}", kind=kind, key=key)
            )
        made = await printer.public(key, running, kind, language, PAPERS[paper], round)
        return Response(made, media_type=_PDF)

    @app.get("/api/desk/tournaments/{key}/{kind}.pdf", response_class=Response)
    async def desk(
        by: arbiter,
        key: str,
        kind: str,
        language: str = ENGLISH,
        round: int = 0,
        paper: PaperName = "a4",
    ) -> Response:
        """Return the current list, or `scoresheets`: with the games of the round, or blank."""
        running = hall.keeper.book.of(key)
        if kind == SHEETS:
            made = await printer.score_sheets(hall, running, language, PAPERS[paper], round)
        else:
            made = await printer.list_now(running, kind, language, PAPERS[paper], round)
        return Response(made, media_type=_PDF)

    _add_files(app, hall, arbiter)


def _add_files(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the export files, for arbiters only."""

    @app.get("/api/desk/tournaments/{key}/players.csv", response_class=Response)
    async def players(key: str, by: arbiter) -> Response:
        """Return the players as CSV, with all data."""
        of = hall.keeper.book.of(key).tournament
        return Response(write_roster(of.players), media_type="text/csv")

    @app.get("/api/desk/tournaments/{key}/ratings.csv", response_class=Response)
    async def ratings_file(key: str, by: arbiter) -> Response:
        """Return what `ratings` returns as CSV."""
        book = hall.keeper.book
        if book.of(key).tournament.game == ELO_GAME:
            return Response(write_changes(book.of(key).tournament), media_type="text/csv")
        made = await asyncio.to_thread(club_ratings, book.history(key))
        return Response(write_club_ratings(made), media_type="text/csv")

    @app.get("/api/desk/tournaments/{key}/ratings")
    async def ratings(key: str, by: arbiter) -> dict[str, Any]:
        """Return the ratings after a tournament.

        Chess: Elo performance and change. Other games: the club's own rating, Glicko-2, from all
        tournaments of the game in the book.
        """
        book = hall.keeper.book
        if book.of(key).tournament.game == ELO_GAME:
            return {"is_elo": True, "lines": [_elo(each) for each in rating_changes(book.of(key).tournament)]}
        made = await asyncio.to_thread(club_ratings, book.history(key))
        return {"is_elo": False, "lines": [_club(each) for each in made]}

    @app.get("/api/desk/tournaments/{key}/event")
    async def event(key: str, by: arbiter, request: Request) -> dict[str, Any]:
        """Return place, dates and arbiters, and what a federation asks for besides."""
        of = hall.keeper.book.of(key).tournament
        language = choose(request.headers.get("accept-language"))
        absent = [translate(each, language) for each in missing(of.event, len(of.rounds))]
        return {"event": encode(Event, of.event), "missing": absent}

    @app.get("/api/desk/tournaments/{key}/report.trf", response_class=Response)
    async def report(key: str, by: arbiter) -> Response:
        """Return the federation report (TRF), with all data."""
        of = hall.keeper.book.of(key).tournament
        return Response(await asyncio.to_thread(write_trf, of), media_type="text/plain")

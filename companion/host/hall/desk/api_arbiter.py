# SPDX-License-Identifier: Apache-2.0
"""What arbiters do, over HTTP.

Its rule: whatever changes anything wants a token in a header, which no other site's page can send; what comes is checked here,
and each act is in the book before it is answered.
"""

import asyncio
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request
from pydantic import BaseModel

from companion.feedback.wordfiles import ENGLISH, choose
from companion.host.codec import decode
from companion.host.hall import views
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.recalled_games import newest, recall
from companion.host.hall.desk import tournament_setup
from companion.host.hall.desk.access import Arbiters, Limit, Tokens
from companion.host.hall.desk.api_invitations import add_inviting
from companion.host.hall.desk.api_print import add_printing
from companion.host.hall.desk.printer import Printer
from companion.host.text.error_translation import translated
from companion.model.errors import GameUnderWay, TournamentError
from companion.model.phrase import Phrase
from companion.referee.commands import Command, Release
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Excused,
    LinedUp,
    Noted,
    Opened,
    PlayedOn,
    ResultDecided,
    Returned,
    RoundDropped,
    WinnerDecided,
    Withdrew,
)

ByHand: Final = (
    Opened
    | Corrected
    | Withdrew
    | Returned
    | Excused
    | LinedUp
    | RoundDropped
    | ResultDecided
    | PlayedOn
    | WinnerDecided
    | DelaySet
    | Noted
)
"""Acts that an arbiter may write as they are; for the others there is a way that works them out."""


TOGETHER_MS: Final = 1000
"""After which many boards do what all are to do at one time: by then all have heard it."""


class Login(BaseModel):
    """Who wants to act."""

    name: str
    password: str


class Order(BaseModel):
    """What is to be done at a board."""

    board: str
    command: dict[str, Any]
    note: str = ""


class OrderToAll(BaseModel):
    """What is to be done at all boards that are to be heard, or at those where a tournament plays."""

    command: dict[str, Any]
    key: str = ""
    """Of the tournament; empty for all boards."""
    note: str = ""


class Seating(BaseModel):
    """Which pairing plays where."""

    round: int
    table: int
    board: str
    over_game: bool = False
    """True if a game that is under way at the board may be left unfinished."""


class InOrder(BaseModel):
    """Boards, the first for the first table of the round."""

    boards: list[str]
    over_games: list[str] = []
    """Those of them at which a game that is under way may be left unfinished."""


class Given(BaseModel):
    """What came of giving a table its board."""

    number: int = 0
    """Of the line in the book; 0 if there is none."""
    under_way: list[str] = []
    """The board, if a game is under way there and nobody has said that it may be left unfinished: then nothing has changed."""


class Seated(BaseModel):
    """What came of giving the tables of a round their boards."""

    seated: int
    """How many tables have theirs."""
    under_way: list[str]
    """Boards that were not given, because a game is under way there: name them in `over_games` to leave it unfinished."""


class Tables(BaseModel):
    """Who plays whom, chosen by an arbiter; empty for what the format says."""

    tables: list[list[int]] = []
    is_playoff: bool = False
    """True for a round that decides between those who are first together."""


class Roster(BaseModel):
    """Players as a table of text, or as the federations' report tells of them (TRF)."""

    csv: str


def add_acting(app: FastAPI, hall: Hall, access: Arbiters, tokens: Tokens, printer: Printer) -> None:
    """Let those whom *access* knows act."""

    def arbiter(authorization: Annotated[str, Header()] = "") -> str:
        tokens.sift(hall.clock())
        name = tokens.holder(authorization.removeprefix("Bearer "), hall.clock())
        if name is None:
            raise HTTPException(401, Phrase("log in first"), headers={"WWW-Authenticate": "Bearer"})
        return name

    _add_login(app, hall, access, tokens)
    _add_acts(app, hall, Annotated[str, Depends(arbiter)])
    _add_seats(app, hall, Annotated[str, Depends(arbiter)])
    _add_orders(app, hall, Annotated[str, Depends(arbiter)])
    add_printing(app, hall, printer, Annotated[str, Depends(arbiter)])
    add_inviting(app, hall, Annotated[str, Depends(arbiter)])


def _add_login(app: FastAPI, hall: Hall, access: Arbiters, tokens: Tokens) -> None:
    """Tokens for passwords, a few guesses a minute."""
    guesses = Limit(5, 60_000)

    @app.post("/api/login")
    async def log_in(login: Login, request: Request) -> dict[str, str]:
        """A token for whoever knows the password."""
        place = request.client.host if request.client else ""
        if not guesses.allows(place, hall.clock()):
            raise HTTPException(429, Phrase("too many attempts: wait a minute"))
        if not await asyncio.to_thread(access.are, login.name, login.password):
            raise HTTPException(403, Phrase("name or password is wrong"))
        token = await asyncio.to_thread(tokens.give, login.name, hall.clock())
        return {"token": token, "name": login.name}

    @app.post("/api/logout")
    async def log_out(authorization: Annotated[str, Header()] = "") -> dict[str, bool]:
        """The token is good no more."""
        tokens.take_back(authorization.removeprefix("Bearer "))
        return {"done": True}


def _add_acts(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """What arbiters do at their desk."""
    entering = asyncio.Lock()  # of two who enter the same list at once, the second finds it entered

    @app.post("/api/acts")
    async def act(body: dict[str, Any], by: arbiter) -> dict[str, int]:
        """Write down an act."""
        chosen = tournament_setup.checked(_act(body), hall.keeper.book)
        match chosen:
            case PlayedOn():
                entry = await hall.play_on(by, chosen)
            case ResultDecided():
                entry = await tournament_setup.decide(hall, by, chosen)
            case _:
                entry = await hall.act(by, chosen)
        return {"number": entry.number}

    @app.post("/api/tournaments/{key}/players")
    async def enter(key: str, roster: Roster, by: arbiter, request: Request) -> dict[str, Any]:
        """Enter all players of a table of text, or of a federation's report, and its rounds if a fresh Swiss can go on from them.

        `notes` names what of a report was not taken, in the browser's language.
        """
        async with entering:
            told = await tournament_setup.enter(hall, by, key, roster.csv)
        language = choose(request.headers.get("accept-language"))
        notes = [translated(note, language) for note in told.get("notes", ())]
        return told | ({"notes": notes} if notes else {})

    @app.post("/api/tournaments/{key}/rounds")
    async def pair(key: str, tables: Tables, by: arbiter) -> dict[str, int]:
        """Pair the next round: as the format says, or the tables that are named."""
        chosen = [tuple(table) for table in tables.tables]
        return {"round": await tournament_setup.pair(hall, by, key, chosen, is_playoff=tables.is_playoff)}


def _add_seats(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Which board each table of a round gets."""

    @app.post("/api/tournaments/{key}/boards")
    async def give(key: str, seating: Seating, by: arbiter) -> Given:
        """Let a pairing play at a board, which begins its game; at none if it is empty."""
        if seating.board and seating.board not in hall.hub.seats.known:
            raise TournamentError("there is no board {board!r} here", board=seating.board)
        place = seating.round, seating.table, seating.board
        try:
            entry = await hall.give(by, key, *place, over_game=seating.over_game)
        except GameUnderWay as asked:
            return Given(under_way=[asked.board])
        return Given(number=entry.number)

    @app.post("/api/tournaments/{key}/seats")
    async def give_all(key: str, order: InOrder, by: arbiter) -> Seated:
        """Let the tables of the last round that are not decided play at these boards: how many do."""
        seated, under_way = await tournament_setup.seat(hall, by, key, order.boards, order.over_games)
        return Seated(seated=seated, under_way=under_way)


def _add_orders(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """What arbiters do at the boards."""

    @app.post("/api/orders")
    async def order(order: Order, by: arbiter) -> dict[str, str]:
        """Have something done at a board."""
        command = _command(order.command)
        if order.board not in hall.hub.seats.known:
            raise TournamentError("there is no board {board!r} here", board=order.board)
        return {"order": await hall.order(by, order.board, command, order.note)}

    @app.get("/api/desk/boards/{board}")
    async def game(board: str, by: arbiter) -> dict[str, Any]:
        """The record and the position at a board, as far as its journal is here."""
        return await asyncio.to_thread(recall, *newest(hall, board))

    @app.get("/api/desk/sets")
    async def sets(
        name: Annotated[list[str], Query(max_length=50)], by: arbiter, language: str = ENGLISH
    ) -> dict[str, Any]:
        """What boards look like, as `/api/sets` tells it, also of those that spectators do not see yet."""
        boards = (seat.hello for seat in hall.hub.seats.known.values())
        return views.sets(name, boards, language)

    @app.post("/api/orders/all")
    async def order_all(order: OrderToAll, by: arbiter) -> dict[str, int]:
        """Have something done at many boards at one time: how many they are."""
        seats, now_ms = hall.hub.seats.known, hall.clock()
        boards = [name for name, seat in seats.items() if not seat.is_silent(now_ms)]
        if order.key:
            running = hall.keeper.book.of(order.key)
            latest = len(running.tournament.rounds)
            given = {each.board for place, each in running.boards.items() if place[0] == latest}
            boards = [board for board in boards if board in given]
        command = _command(order.command)
        seated = [board for board in boards if hall.is_seated(board)]
        others: list[str] = []
        if command == Release(starts_clock=True) and seated:  # elsewhere, the first move starts the clock
            others = [board for board in boards if board not in seated]
            boards = seated
            await hall.order_all(by, others, Release(), order.note, in_ms=TOGETHER_MS)
        done = await hall.order_all(by, boards, command, order.note, in_ms=TOGETHER_MS)
        return {"boards": len(done) + len(others)}


def _act(told: dict[str, Any]) -> Act:
    """The act that *told* says. Raises `CompanionError`."""
    try:
        chosen: Act = decode(ByHand, told)
    except ValueError as fault:
        raise TournamentError("this is no act: {reason}", reason=fault) from fault
    return chosen


def _command(told: dict[str, Any]) -> Command:
    """The command that *told* says. Raises `TournamentError`."""
    try:
        command: Command = decode(Command, told)
    except ValueError as fault:
        raise TournamentError("this is no command: {reason}", reason=fault) from fault
    return command

# SPDX-License-Identifier: Apache-2.0
"""HTTP API of the arbiters.

Its rule: every change requires a token in a header, which no other site's page can send. Input is
validated here, and each act is in the book before it is answered.
"""

import asyncio
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request
from pydantic import BaseModel

from companion.feedback.wordfiles import ENGLISH, choose
from companion.host.codec import decode
from companion.host.hall import views
from companion.host.hall.core.finished_games import newest, recall
from companion.host.hall.core.hall import Hall
from companion.host.hall.desk import tournament_setup
from companion.host.hall.desk.access import Arbiters, Tokens, add_login
from companion.host.hall.desk.api_invitations import add_inviting
from companion.host.hall.desk.api_print import add_printing
from companion.host.hall.desk.printer import Printer
from companion.host.hall.desk.undoing import undo
from companion.host.hall.photographs import add_photographs
from companion.host.table.table_game import Moment
from companion.host.text.error_translation import translate
from companion.model.errors import GameUnderWay, StationSilent, TournamentError
from companion.model.phrase import Phrase
from companion.referee.values.commands import Command, Release
from companion.tournament import pairing_program
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Described,
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
    | Described
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
"""Acts that an arbiter may send as they are; others have own endpoints."""


class Order(BaseModel):
    """A command for a board."""

    board: str
    command: dict[str, Any]
    note: str = ""
    journal: str = ""
    """The game that the arbiter saw; empty for the one that the hall knows."""
    ply: int | None = None
    """Number of the next ply that the arbiter saw there."""


class OrderToAll(BaseModel):
    """A command for all connected boards, or for those of a tournament."""

    command: dict[str, Any]
    key: str = ""
    """Key of the tournament; empty for all boards."""
    boards: list[str] | None = None
    """Names of the boards, if not all of them are meant."""
    note: str = ""


class TakenAlarm(BaseModel):
    """An alarm that the arbiter takes, or gives back."""

    board: str
    kind: str
    is_back: bool = False


class Seating(BaseModel):
    """Assignment of a table to a board."""

    round: int
    table: int
    board: str
    over_game: bool = False
    """True if a game in progress at the board may be left unfinished."""


class InOrder(BaseModel):
    """Boards in table order."""

    boards: list[str]
    over_games: list[str] = []
    """Boards at which a game in progress may be left unfinished."""


class Written(BaseModel):
    """Result of an act."""

    number: int = 0
    """Number of its entry in the book; 0 without one."""
    numbers: list[int] = []
    """Its entry and what follows from it, as a stopped clock; undone together."""
    reported: list[int] | None = None
    """Half points by seat that the board reported, if the act says something else.

    Nothing has then changed; send it again with `over_report: true` if that is meant.
    """


class Given(BaseModel):
    """Result of assigning a table."""

    number: int = 0
    """Number of the book entry; 0 without one."""
    under_way: list[str] = []
    """The board, if a game is in progress there that may not be left unfinished.

    Nothing has then changed.
    """
    silent: list[str] = []
    """The board, if it is silent: a game may be in progress there."""


class Seated(BaseModel):
    """Result of assigning the tables of a round."""

    seated: int
    """Number of tables with a board."""
    under_way: list[str]
    """Boards skipped because of a game in progress.

    Name them in `over_games` to leave the game unfinished.
    """
    silent: list[str] = []
    """Boards skipped because they are silent.

    Named in `over_games`, they begin the game once they are back.
    """


class ShownResult(BaseModel):
    """A reported result, as the arbiter saw it."""

    table: int
    points: list[int]
    """Half points by seat."""


class ShownResults(BaseModel):
    """Reported results of a round to confirm."""

    round: int
    results: list[ShownResult]


class Undone(BaseModel):
    """Entries of the book that their arbiter undoes together."""

    numbers: list[int]


class Tables(BaseModel):
    """Pairings chosen by an arbiter; empty for those of the format."""

    tables: list[list[int]] = []
    is_playoff: bool = False
    """True for a play-off between players who share first place."""
    answer: str = ""
    """What a pairing program answered to the report of `request`; empty without one."""


class Roster(BaseModel):
    """Players as CSV, or as a federation report (TRF)."""

    csv: str
    rating_list: list[tuple[int, str]] = []
    """Numbered lines of a rating list for a CSV: the first, and its players'."""


def add_acting(app: FastAPI, hall: Hall, access: Arbiters, tokens: Tokens, printer: Printer) -> None:
    """Add the endpoints of arbiters."""

    def arbiter(authorization: Annotated[str, Header()] = "") -> str:
        tokens.sift(hall.clock())
        name = tokens.holder(authorization.removeprefix("Bearer "), hall.clock())
        if name is None:
            raise HTTPException(401, Phrase("log in first"), headers={"WWW-Authenticate": "Bearer"})
        return name

    add_login(app, hall.clock, access, tokens)
    _add_acts(app, hall, Annotated[str, Depends(arbiter)])
    _add_rounds(app, hall, Annotated[str, Depends(arbiter)])
    _add_seats(app, hall, Annotated[str, Depends(arbiter)])
    _add_alarms(app, hall, Annotated[str, Depends(arbiter)])
    _add_orders(app, hall, Annotated[str, Depends(arbiter)])
    add_photographs(app, hall, Annotated[str, Depends(arbiter)])
    add_printing(app, hall, printer, Annotated[str, Depends(arbiter)])
    add_inviting(app, hall, Annotated[str, Depends(arbiter)])


def _add_acts(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the acts of the desk."""
    entering = asyncio.Lock()  # the second of two concurrent uploads must see the first

    @app.post("/api/acts")
    async def act(body: dict[str, Any], by: arbiter) -> Written:
        """Write an act into the book.

        A result that contradicts the board's report is written only with `over_report`.
        """
        is_meant = body.pop("over_report", False) is True
        chosen = tournament_setup.checked(_act(body), hall.keeper.book)
        match chosen:
            case PlayedOn():
                numbers = [(await hall.play_on(by, chosen)).number]
            case ResultDecided():
                reported = tournament_setup.contradicted(hall.keeper.book, chosen)
                if reported is not None and not is_meant:
                    return Written(reported=list(reported.points))
                numbers = await tournament_setup.decide(hall, by, chosen)
            case _:
                numbers = [(await hall.act(by, chosen)).number]
        return Written(number=numbers[0], numbers=numbers)

    @app.post("/api/undo")
    async def undo_acts(undone: Undone, by: arbiter) -> dict[str, int]:
        """Undo the arbiter's own acts by opposite ones; return how many these are."""
        return {"done": len(await undo(hall, by, undone.numbers))}

    @app.post("/api/tournaments/{key}/players")
    async def enter(key: str, roster: Roster, by: arbiter, request: Request) -> dict[str, Any]:
        """Enter the players of a CSV file or federation report.

        The rounds of a report are imported if a new Swiss tournament can continue from them.
        `notes` lists what was not imported, in the browser's language.
        """
        async with entering:
            answer = await tournament_setup.enter(hall, by, key, roster.csv, roster.rating_list)
        language = choose(request.headers.get("accept-language"))
        notes = [translate(note, language) for note in answer.get("notes", ())]
        return answer | ({"notes": notes} if notes else {})

    @app.post("/api/tournaments/{key}/confirm")
    async def confirm(key: str, shown: ShownResults, by: arbiter) -> dict[str, list[int]]:
        """Confirm reported results that have not changed; return the numbers of the entries."""
        results = {each.table: tuple(each.points) for each in shown.results}
        return {"numbers": await tournament_setup.confirm(hall, by, key, shown.round, results)}


def _add_rounds(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the pairing of rounds."""

    @app.post("/api/tournaments/{key}/rounds")
    async def pair(key: str, tables: Tables, by: arbiter) -> dict[str, int]:
        """Pair the next round by the format, or as given."""
        chosen = [tuple(table) for table in tables.tables]
        number = await tournament_setup.pair(
            hall, by, key, chosen, is_playoff=tables.is_playoff, answer=tables.answer
        )
        return {"round": number}

    @app.post("/api/tournaments/{key}/request")
    async def request(key: str, by: arbiter) -> dict[str, str]:
        """Return the report from which a pairing program pairs the next round."""
        return {
            "report": await asyncio.to_thread(pairing_program.request, hall.keeper.book.of(key).tournament)
        }


def _add_seats(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the assignment of tables to boards."""

    @app.post("/api/tournaments/{key}/boards")
    async def give(key: str, seating: Seating, by: arbiter) -> Given:
        """Assign a pairing to a board and start its game; "" removes the assignment."""
        if seating.board and seating.board not in hall.hub.station_states.known:
            raise TournamentError("there is no board {board!r} here", board=seating.board)
        place = seating.round, seating.table, seating.board
        try:
            entry = await hall.give(by, key, *place, over_game=seating.over_game)
        except GameUnderWay as asked:
            return Given(under_way=[asked.board])
        except StationSilent as asked:
            return Given(silent=[asked.board])
        return Given(number=entry.number)

    @app.post("/api/tournaments/{key}/seats")
    async def give_all(key: str, order: InOrder, by: arbiter) -> Seated:
        """Assign the undecided tables of the last round to these boards; return the number."""
        seated, under_way, silent = await tournament_setup.seat(hall, by, key, order.boards, order.over_games)
        return Seated(seated=seated, under_way=under_way, silent=silent)


def _add_alarms(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add who goes to an alarm."""

    @app.post("/api/alarms")
    async def take_alarm(alarm: TakenAlarm, by: arbiter) -> dict[str, bool]:
        """Take an alarm, which every desk shows, or give it back."""
        hall.take_alarm(by, alarm.board, alarm.kind, is_back=alarm.is_back)
        return {"done": True}


def _add_orders(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the commands for boards."""

    @app.post("/api/orders")
    async def order(order: Order, by: arbiter) -> dict[str, Any]:
        """Send a command to a board; return the order and its entry."""
        command = _command(order.command)
        if order.board not in hall.hub.station_states.known:
            raise TournamentError("there is no board {board!r} here", board=order.board)
        seen = Moment(order.journal, order.ply) if order.journal else None
        name = await hall.order(by, order.board, command, order.note, seen)
        return {"order": name, "number": tournament_setup.number_of(hall, name)}

    @app.get("/api/desk/boards/{board}")
    async def game(board: str, by: arbiter) -> dict[str, Any]:
        """Return record and position of a board's game, as far as its journal is here."""
        return await asyncio.to_thread(recall, *newest(hall, board))

    @app.get("/api/desk/sets")
    async def sets(
        name: Annotated[list[str], Query(max_length=50)], by: arbiter, language: str = ENGLISH
    ) -> dict[str, Any]:
        """Return the appearance of boards, also of those hidden from spectators."""
        stations = (state.hello for state in hall.hub.station_states.known.values())
        return views.sets(name, stations, language)

    @app.post("/api/orders/all")
    async def order_all(order: OrderToAll, by: arbiter) -> dict[str, int]:
        """Send a command to many boards for the same time; return their number."""
        command = _command(order.command)
        stations = _stations_of(hall, order, goes_on=isinstance(command, Release))
        seated = [station for station in stations if hall.is_seated(station)]
        others: list[str] = []
        if command == Release(starts_clock=True) and seated:  # elsewhere the first move starts it
            others = [station for station in stations if station not in seated]
            stations = seated
            await hall.order_all(by, others, Release(), order.note, in_ms=tournament_setup.TOGETHER_MS)
        done = await hall.order_all(by, stations, command, order.note, in_ms=tournament_setup.TOGETHER_MS)
        return {"boards": len(done) + len(others)}


def _stations_of(hall: Hall, order: OrderToAll, *, goes_on: bool) -> list[str]:
    """Return the connected boards that *order* concerns. Raises `TournamentError`.

    A game that is decided never *goes_on*.
    """
    states, now_ms = hall.hub.station_states.known, hall.clock()
    stations = [name for name, state in states.items() if not state.is_silent(now_ms)]
    if order.key:
        running = hall.keeper.book.of(order.key)
        latest = len(running.tournament.rounds)
        given = {each.board for place, each in running.stations.items() if place[0] == latest}
        stations = [station for station in stations if station in given]
    if goes_on:
        stations = [
            station for station in stations if not hall.is_decided(hall.keeper.book.at_station(station))
        ]
    return stations if order.boards is None else [station for station in stations if station in order.boards]


def _act(answer: dict[str, Any]) -> Act:
    """Decode an act. Raises `CompanionError`."""
    try:
        chosen: Act = decode(ByHand, answer)
    except ValueError as fault:
        raise TournamentError("this is no act: {reason}", reason=fault) from fault
    return chosen


def _command(answer: dict[str, Any]) -> Command:
    """Decode a command. Raises `TournamentError`."""
    try:
        command: Command = decode(Command, answer)
    except ValueError as fault:
        raise TournamentError("this is no command: {reason}", reason=fault) from fault
    return command

# SPDX-License-Identifier: Apache-2.0
"""Contents of the hall's pages and API, as JSON values.

Its rule: spectators' values are made from the delayed view, arbiters' from the present state; the
two never share a value.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from companion import games
from companion.feedback.glance import Glance, SmallPiece
from companion.feedback.page import grid_json, regions_json
from companion.feedback.wordfiles import choose
from companion.feedback.words import load
from companion.host.codec import encode
from companion.host.hall.core.finished_games import given_by_station, latest_given
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import Alarm, Hello
from companion.host.text.error_translation import everywhere
from companion.model.errors import CompanionError
from companion.model.game import HasRegions, all_faces
from companion.tournament.acts import Act, Entry
from companion.tournament.book import Running
from companion.tournament.pairing import candidates
from companion.tournament.teams import board_points, lineup, scores, team_standings, teams
from companion.tournament.tie_breaks import CODES
from companion.tournament.ties import standings
from companion.tournament.values import Match, Pairing, Round, Tournament

Json = dict[str, Any]
T = TypeVar("T")

LATEST: Final = 200
"""Number of book entries shown to an arbiter."""


STATIONS: Final = "board/"
"""Prefix of the names of stations; these parts have no nulls."""
_OF_GAME: Final = ("illegal", "hint", "question", "draw", "result")
"""Alarms of a game; they end with the decision of its table."""


def station(hello: Hello, glance: Glance | None) -> Json:
    """Return a station; its pieces are keyed by their first cell."""
    data: Json = {
        "board": hello.board,
        "name": hello.name,
        "set": set_name(hello),
        "clock_offset_ms": hello.clock_offset_ms,
    }
    if glance is not None:
        seen = encode(Glance, replace(glance, pieces=()))
        pieces = {str(piece.cells[0]): _piece(piece) for piece in glance.pieces}
        data["glance"] = {**seen, "pieces": pieces}
    return data


@lru_cache(maxsize=20_000)
def _piece(piece: SmallPiece) -> Json:
    """Return *piece* without nulls; cached, so that comparisons are fast."""
    return {key: item for key, item in encode(SmallPiece, piece).items() if item is not None}


def set_name(hello: Hello) -> str:
    """Return the name of a station's set: the game with its options."""
    return _set_name(hello.game, hello.options)


@lru_cache(maxsize=256)
def _set_name(game: str, options: tuple[tuple[str, str], ...]) -> str:
    return f"{game}?{urlencode(options)}"


@lru_cache(maxsize=256)
def game_set(game: str, options: tuple[tuple[str, str], ...], language: str) -> Json:
    """Return what stations of a game share: cells, regions, names.

    Raises `CompanionError` if they are unknown.
    """
    rules = games.find(game).rules(games.kept_options(game, dict(options)))
    words = load(language, game, rules.sides)
    return {
        "game": game,
        "title": words.game.title,
        "grid": grid_json(rules.grid),
        "regions": regions_json(rules.regions() if isinstance(rules, HasRegions) else ()),
        "sides": [words.side(side).name for side in range(len(rules.sides))],
        "kinds": {
            kind: words.kind(kind)
            for kind in dict.fromkeys((*words.game.kinds, *(piece.kind for piece in all_faces(rules))))
        },
        "labels": dict(words.common.labels),
        "endings": {
            slug: each.short
            for slug, each in {**words.common.terminations, **words.game.terminations}.items()
        },
    }


def sets(names: Iterable[str], stations: Iterable[Hello], language: str) -> Json:
    """Return the sets *names* that one of *stations* has, by name.

    Other sets are not made: an option may name a file, and requests must not read files.
    """
    wanted = set(names)
    found: Json = {}
    for hello in stations:
        name = set_name(hello)
        if name in wanted:
            with contextlib.suppress(CompanionError):
                found[name] = game_set(hello.game, hello.options, choose(language))
    return found


def tournament(key: str, running: Running) -> Json:
    """Return a tournament with rounds and standings."""
    of = running.tournament
    return {
        "key": key,
        "name": of.name,
        "format": of.format.value,
        "game": of.game,
        "options": [list(option) for option in of.options],
        "seats": of.seats,
        "planned": of.planned,
        "delay_s": running.delay_s,
        "boards": of.boards,
        "tie_breaks": list(of.tie_breaks),
        "tie_codes": [CODES[name] for name in of.tie_breaks],
        "candidates": candidates(of),
        "teams": _teams(of) if of.boards else [],
        "players": [
            {
                "number": each.number,
                "name": each.name,
                "rating": each.rating,
                "team": each.team,
                "left": each.left,
            }
            for each in of.players
        ],
        "rounds": [_round(each, running) for each in of.rounds],
        "standings": [
            {
                "rank": line.rank,
                "number": line.player.number,
                "name": line.player.name,
                "points": line.points / 2,
                "playoff": None if line.playoff is None else line.playoff / 2,
                "tie_breaks": [float(value) for value in line.tie_breaks],
            }
            for line in standings(replace(of, tie_breaks=()) if of.boards else of)
        ],
    }


def _teams(of: Tournament) -> list[Json]:
    """Return the teams by standing, with their players."""
    found = {team.number: team for team in teams(of)}
    won, following = board_points(of), len(of.rounds) + 1
    return [
        {
            "rank": line.rank,
            "number": line.player.number,
            "name": line.player.name,
            "points": line.points,
            "board_points": won[line.player.number] / 2,
            "tie_breaks": [float(value) for value in line.tie_breaks],
            "players": [player.number for player in found[line.player.number].players],
            "lineup": list(lineup(of, found[line.player.number], following)),
        }
        for line in team_standings(of)
    ]


def _match(of: Round, match: Match, tournament: Tournament) -> Json:
    """Return a team match."""
    won = scores(of, match, tournament)
    return {
        "teams": list(match.teams),
        "tables": list(match.tables),
        "points": None if won is None else [each / 2 for each in won],
        "bye": "" if match.tables else match.bye.value,
        "decided": match.decided,
    }


def _round(of: Round, running: Running) -> Json:
    return {
        "number": of.number,
        "is_complete": of.is_complete,
        "is_playoff": of.is_playoff,
        "matches": [_match(of, match, running.tournament) for match in of.matches],
        "tables": [_pairing(of.number, pairing, running) for pairing in of.pairings],
        "byes": [{"name": _name(running.tournament, number), "bye": bye.value} for number, bye in of.byes],
    }


def _pairing(in_round: int, of: Pairing, running: Running) -> Json:
    place = in_round, of.table
    reported = running.reported.get(place)
    given = running.stations.get(place)
    return {
        "table": of.table,
        "players": [_name(running.tournament, number) for number in of.players],
        "seated": [_name(running.tournament, number) for number in of.seated],
        "numbers": list(of.players),
        "points": None if of.points is None else [each / 2 for each in of.points],
        "is_forfeit": of.is_forfeit,
        "further": [None if game is None else [each / 2 for each in game] for game in of.further],
        "decided": _name(running.tournament, of.decided) if of.decided else "",
        "is_on": of.is_on,
        "winner": of.winner,
        "reported": None if reported is None else [each / 2 for each in reported.points],
        "board": None if given is None else given.board,
    }


def _name(of: Tournament, number: int) -> str:
    return of.player(number).name


class Pages:
    """Parts of the state: `board/NAME`, `tournament/KEY` and others; cached while unchanged."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._made: dict[str, tuple[tuple[object, ...], Any]] = {}

    def spectators(self) -> Json:
        """Return all that spectators may see now."""
        hall, described = self._hall, self._hall.spectators.described.shown
        stations = {
            f"{STATIONS}{name}": self._once(f"public {name}", station, described[name], glance)
            for name, glance in hall.spectators.glances.shown.items()
            if name in described
        }
        data = {
            f"tournament/{key}": self.tournament(key, running)
            for key, running in hall.spectators.tournaments.shown.items()
        }
        return {**stations, **data}

    def tournament(self, key: str, running: Running) -> Json:
        """Return tournament *key* as spectators see it."""
        return self._once(f"public tournament {key}", tournament, key, running)

    def arbiters(self) -> Json:
        """Return all that arbiters see."""
        hall, now_ms = self._hall, self._hall.clock()
        beginning, decided = self._beginning(), self._decided()
        stations = {
            f"{STATIONS}{name}": self._once(
                name,
                _seat,
                state.hello,
                state.glance,
                state.turn_ms,
                state.is_silent(now_ms),
                name in beginning,
                name in decided,
            )
            for name, state in hall.hub.station_states.known.items()
        }
        tournaments = {
            f"tournament/{key}": self._once(f"tournament {key}", tournament, key, running)
            for key, running in hall.keeper.book.running.items()
        }
        return {
            **stations,
            **tournaments,
            "alarms": [
                self._once(
                    f"alarm {alarm.board} {alarm.kind}", _alarm, alarm, hall.taken_alarms.holder(alarm)
                )
                for alarm in hall.hub.station_states.alarms(now_ms)
                if alarm.kind not in _OF_GAME or alarm.board not in beginning | decided
            ],
            "arbiters": list(hall.taken_alarms.arbiters),
            "faults": [
                self._once(f"fault {fault}", _fault, fault)
                for fault in (
                    *filter(None, [hall.hub.fault]),
                    *hall.hub.refused.values(),
                    *chain.from_iterable(hall.faults.values()),
                )
            ],
            "tables": _tables(hall),
            "book": [
                self._once(f"entry {entry.number}", _entry, entry) for entry in hall.keeper.entries[-LATEST:]
            ],
        }

    def _beginning(self) -> set[str]:
        """Return the stations at which the game of their table has not begun."""
        book = self._hall.keeper.book
        orders = book.orders.keys() | book.refused
        if not orders:
            return set()
        seated = (
            self._once(f"orders {key}", _orders_of_round, running) for key, running in book.running.items()
        )
        return {station for each in seated for order, station in each.items() if order in orders}

    def _decided(self) -> set[str]:
        """Return the stations whose present game belongs to a table that has its result."""
        running = self._hall.keeper.book.running.items()
        given = [self._once(f"given {key}", given_by_station, of) for key, of in running]
        return {
            station
            for station in self._hall.hub.station_states.known
            if self._hall.is_decided(latest_given(given, station))
        }

    def _once(self, name: str, make: Callable[..., T], *of: object) -> T:
        """Return *make* of *of*; the cached value if the arguments are the same."""
        known = self._made.get(name)
        if known is not None and known[0] == of:  # usually identical objects, which compare fast
            found: T = known[1]
            return found
        value = make(*of)
        self._made[name] = of, value
        return value


def _tables(hall: Hall) -> Json:
    """Return whether tables on other machines join by code, and the invitations."""
    if hall.admission is None:
        return {"by_code": False, "invited": []}
    return {
        "by_code": True,
        "invited": [
            {
                "board": each.board,
                "code": "" if each.ended else each.code,
                "until_ms": each.until_ms,
                "ended": each.ended or "",
            }
            for each in hall.admission.invitations()
        ],
    }


def _orders_of_round(running: Running) -> dict[str, str]:
    """Return the stations of the last round by the orders that begin its games."""
    last = len(running.tournament.rounds)
    return {given.order: given.board for place, given in running.stations.items() if place[0] == last}


def _seat(
    hello: Hello, glance: Glance | None, turn_ms: int, is_silent: bool, is_beginning: bool, is_decided: bool
) -> Json:
    """Return a station as arbiters see it."""
    return {
        **station(hello, glance),
        "journal": hello.journal,
        "turn_ms": turn_ms,
        "is_silent": is_silent,
        "is_beginning": is_beginning,
        "is_decided": is_decided,
        "trouble": hello.trouble,
        "troubles": dict(hello.troubles),
        "owed": hello.owed,
        "program": hello.program,
        "clock_error_ms": hello.clock_error_ms,
        "clock_drift_ms": hello.clock_drift_ms,
    }


def _alarm(alarm: Alarm, taken_by: str) -> Json:
    return {
        "board": alarm.board,
        "urgency": int(alarm.urgency),
        "kind": alarm.kind,
        "text": alarm.text,
        "said": dict(alarm.said),
        "since_ms": alarm.since_ms,
        "taken_by": taken_by,
    }


def _fault(fault: str) -> Json:
    return {"text": fault, "said": everywhere(fault)}


def _entry(entry: Entry) -> Json:
    data = {"number": entry.number, "at": entry.at, "by": entry.by, "act": encode(Act, entry.act)}
    fault = getattr(entry.act, "fault", "")
    if not fault:
        return data
    return {**data, "act": {**data["act"], "fault": fault}, "said": everywhere(fault)}

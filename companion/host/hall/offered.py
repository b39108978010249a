# SPDX-License-Identifier: Apache-2.0
"""What the desk offers for a new tournament: games and formats, as JSON values."""

from __future__ import annotations

from functools import cache
from typing import Any

from companion import games
from companion.host.hall.core.events import PLAYERS
from companion.host.table.catalogue import offer
from companion.tournament.tie_breaks import OF_TEAMS
from companion.tournament.ties import usual_ties
from companion.tournament.values import Format

Json = dict[str, Any]


@cache
def all_games(language: str) -> list[Json]:
    """Return all games for tournaments, with options and maximum number of players."""
    found = []
    for one in offer(language, lambda _grid: True)["games"]:
        texts = {option.name for option in games.find(one["slug"]).options if "file" in option.values}
        options = {option["name"]: {**option, "text": option["name"] in texts} for option in one["options"]}
        players = options.pop(PLAYERS, {"values": [{"value": "2"}]})
        seats = max(int(each["value"]) for each in players["values"])
        found.append(
            {"slug": one["slug"], "title": one["title"], "seats": seats, "options": [*options.values()]}
        )
    return sorted(found, key=lambda each: str(each["title"]))


def all_formats() -> list[Json]:
    """Return the tournament formats with their usual tie-breaks."""
    return [
        {
            "format": format.value,
            "ties": list(usual_ties(format, teams=False)),
            "team_ties": list(usual_ties(format, teams=True)),
            "only_teams": sorted(OF_TEAMS),
        }
        for format in Format
    ]

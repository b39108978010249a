# SPDX-License-Identifier: Apache-2.0
"""Schema of the hall's API for its OpenAPI description; tests compare it with the output.

Its rule: what is sent as a dataclass is described from that class. A player's fields are listed
here: a new one of `Player` is not public by itself.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.dataclasses import dataclass

from companion.feedback.glance import Glance, SmallPiece
from companion.model.game import Outcome
from companion.model.pieces import Side
from companion.referee.values.view import ClockView

DESCRIPTION: Final = """
What spectators may read of a hall, with the delay of its tournaments; no request returns anything newer.

`GET /api/state` returns all of it. **`WS /api/watch`** sends the same and its changes: first `{"all": STATE}`, then
`{"changed": PARTS, "patched": PATCHES, "gone": [NAMES]}`: new parts of the state, JSON merge patches (RFC 7396) of
boards (`board/NAME`, without nulls), and removed parts. Clients need not send anything.

Every change requires an arbiter's token in the header `Authorization`.
"""


_STRICT: Final = ConfigDict(extra="forbid")
"""No undescribed fields."""


class _Schema(BaseModel):
    """Base of models without undescribed fields."""

    model_config = _STRICT


class Refused(_Schema):
    """Reason of a refusal, in the language of `Accept-Language` if supported."""

    detail: str


@dataclass(frozen=True, kw_only=True, config=_STRICT)
class PieceSchema(SmallPiece):
    """A piece at its recorded cells."""

    side: Side | None = None


@dataclass(frozen=True, config=_STRICT)
class ClockSchema(ClockView):
    """One side's clock:

    `left_ms` at `at_ms` of the board's clock.

    A running clock has run since, after `delay_ms`. It has `spans` periods of byo-yomi of `span_ms`
    left. A clock that `is_growing` gains what the other loses.
    """


@dataclass(frozen=True, config=_STRICT)
class OutcomeSchema(Outcome):
    """Outcome of a game; `winners` are sides."""

    kind: str = Field(alias="is", default="Outcome")


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="allow"))
class GlanceSchema(Glance):
    """View of a board; pieces by their first cell, sides by turn order, from 0."""

    pieces: dict[str, PieceSchema]  # type: ignore[assignment]  # by cell
    clocks: tuple[ClockSchema, ...] = ()
    outcome: OutcomeSchema | None = None


class BoardSchema(_Schema):
    """A board; `clock_offset_ms` is how far its clock is ahead of `GET /api/clock`."""

    board: str
    name: str
    set: str
    clock_offset_ms: int
    glance: GlanceSchema


class PlayerSchema(_Schema):
    """A player of a tournament."""

    number: int
    name: str
    rating: int | None
    team: str
    left: int | None


class TableSchema(BaseModel):
    """A pairing; points by seat, null until decided."""

    model_config = ConfigDict(extra="allow")

    table: int
    players: list[str]
    points: list[float] | None
    board: str | None


class RoundSchema(BaseModel):
    """A round."""

    model_config = ConfigDict(extra="allow")

    number: int
    is_complete: bool
    tables: list[TableSchema]


class StandingSchema(BaseModel):
    """A line of the standings."""

    model_config = ConfigDict(extra="allow")

    rank: int
    number: int
    name: str
    points: float
    tie_breaks: list[float]


class TournamentSchema(BaseModel):
    """A tournament with rounds and standings."""

    model_config = ConfigDict(extra="allow")

    key: str
    name: str
    format: str
    game: str
    delay_s: int
    players: list[PlayerSchema]
    rounds: list[RoundSchema]
    standings: list[StandingSchema]


class OptionSchema(BaseModel):
    """An option of a game: its values, and whether any number or text is allowed."""

    model_config = ConfigDict(extra="allow")

    name: str
    label: str
    default: str
    values: list[dict[str, Any]]
    number: bool
    text: bool


class GameSchema(_Schema):
    """A game with its title, options and number of players."""

    slug: str
    title: str
    seats: int
    options: list[OptionSchema]


class FormatSchema(_Schema):
    """A tournament format with its usual tie-breaks, in order."""

    format: str
    ties: list[str]
    """For players."""
    team_ties: list[str]
    """For teams."""
    only_teams: list[str]
    """All tie-breaks that only teams have."""


class ClockSample(_Schema):
    """The hall's clock."""

    now_ms: int


State = dict[str, BoardSchema | TournamentSchema]
"""All parts by name: `board/NAME`, `tournament/KEY`."""


REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    422: {"model": Refused, "description": "What was sent is not understood, or does not fit what is there."},
    "default": {"model": Refused, "description": "It is refused, or cannot be had now."},
}
"""Responses of all API endpoints in case of errors."""


def response(model: Any, text: str = "") -> dict[int | str, dict[str, Any]]:
    """Return the description of an endpoint that returns *model*."""
    return {200: {"model": model, "description": text or (getattr(model, "__doc__", "") or "")}}

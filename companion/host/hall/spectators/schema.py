# SPDX-License-Identifier: Apache-2.0
"""What the hall's API tells, described for those who write programs that read it; tests hold what is told against it."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

DESCRIPTION: Final = """
What spectators may read of a hall, as late as its tournaments want; nothing newer is told here, whatever is asked.

`GET /api/state` is all of it. **`WS /api/watch`** tells the same as it changes: first `{"all": STATE}`, then
`{"changed": PARTS, "patched": PATCHES, "gone": [NAMES]}`: parts of the state that are new, JSON merge patches (RFC 7396) of
boards (`board/NAME`, in which nothing is null), and parts that are no more. Nothing need be said on it.

What changes anything wants an arbiter's token in the header `Authorization`.
"""


class _Told(BaseModel):
    """Nothing that is not described is told."""

    model_config = ConfigDict(extra="forbid")


class Refused(_Told):
    """Why something is refused, in the language of `Accept-Language` if that is known."""

    detail: str


class PieceTold(_Told):
    """A piece where it is believed to stand."""

    kind: str
    side: int | None = None
    cells: list[int]
    facing: int | None = None
    pose: str = ""


class ClockTold(_Told):
    """One side's clock: `left_ms` at `at_ms`, by the board's clock; a running one has gone on since, after `delay_ms`.

    It has so many `spans` of `span_ms` of byo-yomi left; one that `is_growing` gains what the other loses.
    """

    left_ms: int
    is_running: bool
    at_ms: int
    spans: int = 0
    delay_ms: int = 0
    span_ms: int = 0
    is_in_span: bool = False
    is_growing: bool = False


class OutcomeTold(_Told):
    """How the game has ended; `winners` are sides."""

    kind: str = Field(alias="is", default="Outcome")
    winners: list[int]
    termination: str
    scores: list[int] = []


class GlanceTold(BaseModel):
    """What a board shows; pieces by the first of their cells, sides by their turn, from 0."""

    model_config = ConfigDict(extra="allow")

    game: str
    phase: str
    turn: int
    ply: int
    pieces: dict[str, PieceTold]
    source: list[int] = []
    target: list[int] = []
    move: str = ""
    is_announced: bool = True
    clocks: list[ClockTold] = []
    scores: list[int] = []
    fault: str = ""
    is_completed: bool = False
    cries: list[str] = []
    question: str = ""
    draw_offered_by: int | None = None
    outcome: OutcomeTold | None = None
    result: str = ""


class BoardTold(_Told):
    """A board; `clock_offset_ms` is by how much its clock is ahead of `GET /api/clock`."""

    board: str
    name: str
    set: str
    clock_offset_ms: int
    glance: GlanceTold


class PlayerTold(_Told):
    """A player of a tournament."""

    number: int
    name: str
    rating: int | None
    team: str
    left: int | None


class TableTold(BaseModel):
    """Who plays whom; points by seat, null until they are decided."""

    model_config = ConfigDict(extra="allow")

    table: int
    players: list[str]
    points: list[float] | None
    board: str | None


class RoundTold(BaseModel):
    """A round."""

    model_config = ConfigDict(extra="allow")

    number: int
    is_complete: bool
    tables: list[TableTold]


class StandingTold(BaseModel):
    """A line of the standings."""

    model_config = ConfigDict(extra="allow")

    rank: int
    number: int
    name: str
    points: float
    tie_breaks: list[float]


class TournamentTold(BaseModel):
    """A tournament with rounds and standings."""

    model_config = ConfigDict(extra="allow")

    key: str
    name: str
    format: str
    game: str
    delay_s: int
    players: list[PlayerTold]
    rounds: list[RoundTold]
    standings: list[StandingTold]


class OptionTold(BaseModel):
    """What a game's rules leave open: a list of values, and whether any number or text will do besides."""

    model_config = ConfigDict(extra="allow")

    name: str
    label: str
    default: str
    values: list[dict[str, Any]]
    number: bool
    text: bool


class GameTold(_Told):
    """A game, what it is called, and for how many players it is at most."""

    slug: str
    title: str
    seats: int
    options: list[OptionTold]


class FormatTold(_Told):
    """A tournament format and its usual tie-breaks, the one that decides first in front."""

    format: str
    ties: list[str]
    """For players."""
    team_ties: list[str]
    """For teams."""


class ClockNow(_Told):
    """The hall's own time."""

    now_ms: int


State = dict[str, BoardTold | TournamentTold]
"""All parts by their names: `board/NAME`, `tournament/KEY`."""


REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    422: {"model": Refused, "description": "What was sent is not understood, or does not fit what is there."},
    "default": {"model": Refused, "description": "It is refused, or cannot be had now."},
}
"""How every way of the API answers that does not give what was asked for."""


def told(model: Any, text: str = "") -> dict[int | str, dict[str, Any]]:
    """How a way of the API that answers with *model* is described."""
    return {200: {"model": model, "description": text or (getattr(model, "__doc__", "") or "")}}

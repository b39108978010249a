# SPDX-License-Identifier: Apache-2.0
"""What the page of a table gets, as types of JSON values.

Cells and sides are numbers; a list has the type that Python code gives it. The scripts of the page
read these names: `tests/page/state.schema.json` is made from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypedDict

Ints: TypeAlias = Sequence[int]
Strings: TypeAlias = Sequence[str]


class PieceState(TypedDict):
    """A piece with its name."""

    kind: str
    side: int | None
    facing: int | None
    pose: str
    face: str
    name: str


class StandingState(PieceState):
    """A piece on the board."""

    cells: Ints


class LooseState(PieceState):
    """A piece in the hand or in the box of a virtual table."""

    came_from: int | None
    shape: Sequence[Ints]
    other_face: str | None


class GuideState(PieceState):
    """A correction of the board."""

    source: int | None
    target: int | None
    is_part: bool
    sentence: str


class FaultState(TypedDict):
    """What is wrong with the board."""

    level: str
    rule: str
    sentence: str
    short: str
    cells: Ints
    concerned: Ints


class AnnouncementState(TypedDict):
    """CHECK! or ESCAPE!"""

    cry: str
    word: str
    side: int
    causes: Ints
    targets: Ints
    sentence: str


class ChoiceState(TypedDict):
    """An answer to a question."""

    label: str
    cells: Ints
    touch: int | None
    arrow: Ints | None
    piece: PieceState | None
    moves: Strings


class QuestionState(TypedDict):
    """The pending question."""

    ply: int
    side: int
    aspect: str
    sentence: str
    cells: Ints
    pointed: int | None
    order: Ints
    choices: Sequence[ChoiceState]


class OutcomeState(TypedDict):
    """The result."""

    winners: Ints
    termination: str
    scores: Sequence[int | float]
    sentence: str


class MoveState(TypedDict):
    """A line of the record."""

    ply: int
    side: int
    move: str
    text: str
    stage: str
    source: Ints
    target: Ints
    spent_ms: int | None


class RegionState(TypedDict):
    """A region of the board."""

    cells: Ints
    shaded: bool
    side: int | None


class ClockState(TypedDict):
    """The clock of a side."""

    left_ms: int
    is_running: bool
    at_ms: int
    spans: int
    delay_ms: int
    span_ms: int
    is_in_span: bool
    is_growing: bool


class SpokenState(TypedDict):
    """A spoken message."""

    key: str
    text: str


class LessonState(TypedDict):
    """The lesson at the table."""

    heading: str
    says: str
    is_wrong: bool
    is_done: bool
    following: str


class StandinState(TypedDict):
    """What stands in for pieces of a game."""

    name: str
    piece: PieceState
    chess: Sequence[PieceState]


class StandinsState(TypedDict):
    """All stand-ins."""

    sentence: str
    lead: str
    pairs: Sequence[StandinState]
    lacking: str


class ViewState(TypedDict):
    """All of a view that changes during a game."""

    game: str
    language: str
    options: dict[str, str]
    phase: str
    turn: int
    ply: int
    position: str
    prompt: str
    notices: Strings
    pieces: Sequence[StandingState]
    occupied: Ints
    lifted: Ints
    targets: Ints
    guides: Sequence[GuideState]
    fault: FaultState | None
    announcements: Sequence[AnnouncementState]
    question: QuestionState | None
    outcome: OutcomeState | None
    draw_offered_by: int | None
    draw_declined_by: int | None
    offer: str | None
    record: Sequence[MoveState]
    start: str
    regions: Sequence[RegionState]
    hands: Sequence[Sequence[PieceState]]
    captured: Sequence[PieceState]
    scores: Ints
    pressers: Ints
    seated: Ints
    clock_start: str | None
    clocks: Sequence[ClockState]
    spoken: Sequence[SpokenState]
    gives_hints: bool
    commands: Strings
    lesson: LessonState | None
    standins: StandinsState | None


class MenuCellState(TypedDict):
    """A cell of the menu on the board."""

    cell: int
    name: str


class ReplyState(TypedDict):
    """The answer to a request about the record."""

    number: int
    text: str


class LampsState(TypedDict):
    """The looks of lamps, and the number of the look of each cell."""

    palette: Sequence[Ints]
    cells: Ints


class TuneState(TypedDict):
    """The last tune: pitch and length of each tone."""

    number: int
    notes: Sequence[Sequence[int | float]]


class LinkPageState(TypedDict):
    """The link to the panel."""

    state: str
    text: str
    complaints: Strings
    has_display: bool | None


class CameraPageState(TypedDict):
    """The camera."""

    state: str
    is_well: bool
    has_problems: bool
    sentences: Strings
    cells: Ints


class VirtualState(TypedDict):
    """The pieces of a virtual table."""

    pieces: Sequence[StandingState]
    hand: LooseState | None
    box: Sequence[LooseState]
    over: int | None


class PageState(TypedDict):
    """All that changes at a table."""

    view: ViewState
    menu: Sequence[MenuCellState]
    reply: ReplyState
    retracted: str
    takes_presses: bool
    lamps: LampsState
    lines: Strings
    tune: TuneState
    link: LinkPageState
    camera: CameraPageState | None
    virtual: VirtualState | None
    analysis: str
    blocked: str | None
    is_secret: bool
    reviews: int


class SentState(PageState):
    """The same as browsers get it."""

    now_ms: int
    """The table's time when it was sent."""

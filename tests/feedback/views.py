# SPDX-License-Identifier: Apache-2.0
"""Standard views of a Close Quarters table, built by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from companion.model.absent import PlayedBy
from companion.model.game import Announcement, CallOut, Count, Outcome, Violation
from companion.model.grid import Cell, rectangle
from companion.model.moves import Step
from companion.model.occupancy import occupancy_of
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.events import Level, Stage
from companion.referee.values.questions import Aspect, Choice, Question
from companion.referee.values.view import DecidedView, Guide, IllegalPosition, MoveView, Phase, TableView

GRID: Final = rectangle(4, 8)
SWORD: Final = Piece("sword", 0)
SPEAR, MACE, AXE = Piece("spear", 1), Piece("mace", 1), Piece("axe", 1)
SIDES: Final = ("sword", "weapons")


def at(name: str) -> Cell:
    return GRID.cell(name)


def cells(names: str) -> tuple[Cell, ...]:
    return GRID.cells(names)


def placed(**pieces: str) -> Placement:
    """A placement from keywords such as `sword="a1"`."""
    kinds = {"sword": SWORD, "spear": SPEAR, "mace": MACE, "axe": AXE}
    return Placement.of((at(cell), kinds[kind]) for kind, cell in pieces.items())


def moved(ply: int, source: str, target: str) -> MoveView:
    return MoveView(ply, ply % 2, f"{source}-{target}", Stage.ANNOUNCED, cells(source), cells(target))


START: Final = placed(sword="a1", spear="d8", mace="d1", axe="a8")

WAITING: Final = TableView(
    game="close-quarters",
    options=(("sword", "one-or-two"),),
    grid=GRID,
    sides=SIDES,
    phase=Phase.WAITING,
    turn=0,
    ply=0,
    position="A2P/4/4/4/4/4/4/S2M s 0",
    placement=START,
    occupied=START.occupancy,
    allows_take_back=False,
)

SETTING_UP: Final = replace(
    WAITING,
    phase=Phase.SETTING_UP,
    occupied=occupancy_of(cells("a1 b5 d8")),
    guides=(Guide(AXE, at("b5"), at("a8")), Guide(MACE, None, at("d1"))),
)

HANDLING: Final = replace(
    WAITING,
    phase=Phase.HANDLING,
    turn=1,
    ply=1,
    placement=placed(sword="c3", spear="d8", mace="d1", axe="a8"),
    occupied=occupancy_of(cells("a8 c3 d8")),
    lifted=cells("d1"),
    targets=cells("b2 c3"),
    record=(moved(0, "a1", "c3"),),
)

ILLEGAL: Final = replace(
    WAITING,
    phase=Phase.ILLEGAL,
    turn=1,
    ply=3,
    placement=placed(sword="a2", spear="d8", mace="b2", axe="b4"),
    occupied=occupancy_of(cells("a2 b4 c4 d8")),
    guides=(Guide(MACE, at("c4"), at("b2")),),
    fault=IllegalPosition(
        Level.COMPLETED,
        Violation.of("mace-blocked", at("c4"), at("b2"), at("b4"), piece=MACE, blocker=AXE, cell="b4"),
        cells("b2 c4"),
    ),
    record=(moved(0, "a1", "a2"), moved(1, "a8", "b4"), moved(2, "a2", "a2")),
)

MUDDLED: Final = replace(
    ILLEGAL,
    occupied=occupancy_of(cells("a2 c5 c4 d8")),
    guides=(Guide(MACE, at("c4"), at("b2")), Guide(AXE, at("c5"), at("b4"), is_later=True)),
    fault=IllegalPosition(
        Level.COMPLETED, Violation.of("several-moved", at("c4"), at("c5")), cells("b2 b4 c4 c5")
    ),
)

UNMOVED: Final = replace(
    ILLEGAL,
    occupied=ILLEGAL.placement.occupancy,
    guides=(),
    fault=IllegalPosition(
        Level.COMPLETED,
        Violation.of("clock-without-move", *cells("b2 b4 d8"), side="weapons"),
        cells("b2 b4 d8"),
    ),
)

CHECKED: Final = replace(
    WAITING,
    turn=0,
    ply=2,
    placement=placed(sword="b3", spear="d8", mace="d1", axe="d5"),
    occupied=occupancy_of(cells("b3 d8 d1 d5")),
    announcements=(Announcement(CallOut.CHECK, 1, cells("d5"), cells("b3")),),
    record=(moved(0, "a1", "b3"), moved(1, "a8", "d5")),
)

ESCAPING: Final = replace(
    CHECKED, announcements=(Announcement(CallOut.ESCAPE, 1, cells("d5"), cells("c8 d8")),)
)

QUESTION: Final = Question(
    ply=1,
    side=1,
    aspect=Aspect.PIECE,
    cells=(),
    choices=(
        Choice(cells("a8"), at("a8"), AXE, ("a8-b7",)),
        Choice(cells("d8"), at("d8"), SPEAR, ("d8-b8", "d8-c8")),
    ),
)

CHOOSING: Final = replace(WAITING, phase=Phase.CHOOSING, question=QUESTION)

PAUSED: Final = replace(CHECKED, phase=Phase.PAUSED)

OFFERED: Final = replace(CHECKED, announcements=(), draw_offered_by=1)

WON: Final = replace(
    WAITING,
    phase=Phase.FINISHED,
    turn=0,
    ply=4,
    placement=placed(spear="d8", mace="d1", axe="b3"),
    occupied=occupancy_of(cells("d8 d1 b3")),
    outcome=Outcome((1,), "sword-eliminated"),
    record=(moved(2, "b3", "b3"), moved(3, "d5", "b3")._replace(move="d5xb3#")),
)

DRAWN: Final = replace(WON, outcome=Outcome((), "agreement"))

DECIDING: Final = replace(
    HANDLING,
    phase=Phase.WAITING,
    occupied=HANDLING.placement.occupancy,
    lifted=(),
    targets=(),
    played_by=(PlayedBy.TABLE, PlayedBy.COMPUTER),
    decider=1,
)

CARRYING_OUT: Final = replace(
    DECIDING,
    phase=Phase.CARRYING_OUT,
    decider=None,
    placement=placed(sword="c3", spear="d8", mace="b2", axe="a8"),
    decided=DecidedView(1, PlayedBy.COMPUTER, "d1-b2", (Step.move(MACE, at("d1"), at("b2")),)),
    guides=(Guide(MACE, at("d1"), at("b2")),),
)

AMISS: Final = replace(
    CARRYING_OUT,
    played_by=(PlayedBy.TABLE, PlayedBy.ELSEWHERE),
    decided=DecidedView(
        1, PlayedBy.ELSEWHERE, "d1-b2", (Step.move(MACE, at("d1"), at("b2")),), is_amiss=True
    ),
    occupied=occupancy_of(cells("c3 d8 d1 b7")),
    guides=(Guide(AXE, at("b7"), at("a8")), Guide(MACE, at("d1"), at("b2"), is_later=True)),
)

TO_CONFIRM: Final = replace(
    CARRYING_OUT,
    decided=DecidedView(
        1, PlayedBy.COMPUTER, "d1-b2", (Step.move(MACE, at("d1"), at("b2")),), needs_press=True
    ),
    guides=(),
)

COUNTED: Final = replace(
    WAITING,
    ply=2,
    record=(moved(0, "a1", "a2"), moved(1, "d8", "d7")),
    counts=(Count("turns-left", 12, 20),),
)

VIEWS: Final = {
    "counted": COUNTED,
    "setting-up": SETTING_UP,
    "waiting": WAITING,
    "handling": HANDLING,
    "illegal": ILLEGAL,
    "muddled": MUDDLED,
    "unmoved": UNMOVED,
    "checked": CHECKED,
    "escaping": ESCAPING,
    "choosing": CHOOSING,
    "paused": PAUSED,
    "offered": OFFERED,
    "won": WON,
    "drawn": DRAWN,
    "deciding": DECIDING,
    "carrying-out": CARRYING_OUT,
    "amiss": AMISS,
    "to-confirm": TO_CONFIRM,
}
"""Every standard view by name."""

# SPDX-License-Identifier: Apache-2.0
"""Lamps of other makers' eboards light the same cells as those of a panel."""

from __future__ import annotations

from typing import Protocol, cast

import pytest

from companion import games
from companion.feedback.lights import LampLevel, Meaning, meanings
from companion.host.devices.eboards import EBOARDS
from companion.model.absent import PlayedBy
from companion.referee.session.session import Session
from companion.referee.values.commands import Play
from tests.eboards.rig import MAKERS, EboardRig, VirtualEboard, chess_pieces
from tests.virtual.eboards.millennium import VirtualMillenniumEboard

WITHOUT_LAMPS = {"dgt"}
SAME = ("chessnut-le", "chessnut-move-le", "millennium-le")
"""The kinds that differ from another only in the way of their messages."""

each_eboard = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in SAME else name
        for name in MAKERS
        if name not in WITHOUT_LAMPS
    ],
)


class WithLamps(VirtualEboard, Protocol):
    """A simulated eboard with a lamp in each square."""

    lit: set[str]


def lamps_for(eboard: VirtualEboard, squares: set[str]) -> set[object]:
    """The lamps that light *squares*: one in each, or those at their corners."""
    if not isinstance(eboard, VirtualMillenniumEboard):
        return set(squares)
    places = {("abcdefgh".index(square[0]), int(square[1]) - 1) for square in squares}
    return {(file + x, rank + y) for file, rank in places for x in (0, 1) for y in (0, 1)}


def lit_at(eboard: VirtualEboard) -> set[object]:
    """The lamps that are lit, as in `lamps_for`."""
    if isinstance(eboard, VirtualMillenniumEboard):
        return {(number // 9, 8 - number % 9) for number, pattern in enumerate(eboard.lamps) if pattern}
    return set(cast(WithLamps, eboard).lit)


def rig_of(name: str, lamps: LampLevel = LampLevel.FULL, *, session: Session | None = None) -> EboardRig:
    pieces = chess_pieces()
    return EboardRig(name, MAKERS[name](pieces, bytes), pieces, lamps=lamps, session=session)


def said(rig: EboardRig, *wanted: Meaning) -> set[str]:
    """The cells that a panel lights, of the meanings *wanted* if there are any."""
    lit = meanings(rig.pipeline.view)
    return {
        rig.pipeline.view.grid.name(cell)
        for cell, meaning in lit.items()
        if meaning in (wanted or lit.values())
    }


def test_every_eboard_with_lamps_is_examined() -> None:
    for name, kind in EBOARDS.items():
        assert (name in WITHOUT_LAMPS) == (kind.make().lamps({0}) == b""), name


@each_eboard
@pytest.mark.parametrize("level", list(LampLevel)[1:])
def test_the_way_back_of_an_illegal_move_is_lit(name: str, level: LampLevel) -> None:
    rig = rig_of(name, level)
    rig.play("e2e4 e7e5")
    rig.play("f1f4", rest_ms=3000)
    assert said(rig, Meaning.WAY_BACK_FROM, Meaning.WAY_BACK_TO) == {"f4", "f1"}
    assert lit_at(rig.eboard) == lamps_for(rig.eboard, said(rig))
    rig.carry("f4 f1", rest_ms=2500)
    assert not lit_at(rig.eboard) >= lamps_for(rig.eboard, {"f1", "f4"})


@each_eboard
def test_from_and_to_of_a_move_decided_elsewhere_are_lit(name: str) -> None:
    rules = games.find("chess").rules()
    played_by = [PlayedBy.TABLE, PlayedBy.COMPUTER]
    rig = rig_of(name, session=Session(rules, EBOARDS[name].kind(rules), played_by=played_by))
    rig.play("e2e4")
    rig.pipeline.command(Play(1, "Nf6"), rig.now_ms)
    rig.advance(1000)
    assert lit_at(rig.eboard) == lamps_for(rig.eboard, {"g8", "f6"})
    rig.carry("g8 f6", rest_ms=2500)
    assert rig.moves == ["e4", "Nf6"]
    assert not lit_at(rig.eboard) >= lamps_for(rig.eboard, {"g8"})


@each_eboard
def test_check_is_lit_as_at_a_panel(name: str) -> None:
    rig = rig_of(name)
    rig.play("e2e4 f7f6 d1h5", rest_ms=3000)
    assert said(rig, Meaning.CHECK_TARGET) == {"e8"}
    assert "h5" in said(rig, Meaning.CHECK_CAUSE)
    assert lit_at(rig.eboard) == lamps_for(rig.eboard, said(rig, Meaning.CHECK_TARGET, Meaning.CHECK_CAUSE))

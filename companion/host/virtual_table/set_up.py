# SPDX-License-Identifier: Apache-2.0
"""Sets up a virtual table: the panel below, and the pieces of a position."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from companion.host.clock import Clock
from companion.host.devices.fit import places_on
from companion.host.virtual_table.table import VirtualTable
from companion.link.panel import Shape, load_panel, panel_for
from companion.model.game import AnyRules, HasBox, HasHands
from companion.referee.session.session import Session
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet, UnplacedPiece


def make_virtual_table(session: Session, clock: Clock, name: str = "", at: str = "") -> VirtualTable:
    """Make a virtual table with the pieces in the position of *session*.

    *name* is that of a larger panel, on which the game's first cell is at *at* or in the middle.
    Raises `SettingsError` and `PanelMismatch`.
    """
    rules = session.rules
    below = load_panel(name) if name else panel_for(rules.grid)
    panel = VirtualPanel(
        replace(below, buttons=max(below.buttons, len(rules.sides))),
        unique_id=secrets.token_bytes(8),
        session=secrets.randbits(16),
        now_ms=clock(),
    )
    place = places_on(Shape(below.cells, below.files, below.ranks), rules.grid, at)[0]
    return VirtualTable(panel, pieces_for(rules, session.position), clock, place.under, name)


def pieces_for(rules: AnyRules, position: Any) -> PieceSet:
    """Return the pieces of *position*: on the board, and in hands beside it."""
    figures = rules.box() if isinstance(rules, HasBox) else ()
    faced = tuple(figure for figure in figures if len(figure.faces) > 1)
    hands = rules.hands(position) if isinstance(rules, HasHands) else ()
    box = tuple(UnplacedPiece(piece) for hand in hands for piece in hand)
    return PieceSet(rules.placement(position), box=box, grid=rules.grid, figures=faced)

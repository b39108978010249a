# SPDX-License-Identifier: Apache-2.0
"""The hand of a virtual table.

The page shows what it may do; the panel below does not know of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.feedback.shown import Shown
from companion.host.table.drops import is_played, places_for
from companion.host.table.layers.layer import Layer
from companion.host.virtual_table.table import VirtualTable
from companion.referee.session.session import Session
from companion.referee.values.view import Phase


@dataclass(frozen=True, slots=True)
class HandLayer(Layer):
    """What the hand over *virtual_table* may do with its piece."""

    session: Session
    virtual_table: VirtualTable

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with a question about the move, unless the referee asks one."""
        pieces, view = self.virtual_table.pieces, shown.view
        if pieces.hand is not None:
            shown = shown._replace(places=tuple(places_for(self.session, pieces)))
        offer = self.virtual_table.offer if view.question is None and is_played(view) else None
        if offer is None:
            return shown
        if offer.over is None:
            return shown._replace(offered=offer.question)
        asked = replace(view, phase=Phase.CHOOSING, targets=(), question=offer.question)
        return shown._replace(view=asked, over=self.session.rotation.cells[offer.over])

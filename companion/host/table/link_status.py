# SPDX-License-Identifier: Apache-2.0
"""State of the link to a panel, and its description in the user's language."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from companion.feedback.words import Words
from companion.host.devices.fit import places, places_on
from companion.host.text.error_translation import translate
from companion.link.events import (
    EboardGreeted,
    HealthReported,
    LinkEvent,
    LinkLost,
    PanelForeign,
    PanelGreeted,
    PanelLogged,
)
from companion.link.handshake import panel_name
from companion.link.panel import Shape, shape_of
from companion.link.protocol_gen import Health, LogLevel
from companion.model.errors import ForeignFirmware, LinkError, PanelMismatch
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.sensing.mounting import Mounting

if TYPE_CHECKING:
    from companion.host.table.pipeline import Pipeline

_LOG = logging.getLogger(__name__)

COMPLAINTS: Final = Health.RX_LOST | Health.BAD_PACKET | Health.EDGES_LOST | Health.CHATTER | Health.SELF_TEST
"""Health flags that people should know about; the others are routine."""


PANEL_TEXTS: Final[dict[str, Phrase]] = {
    each: each
    for each in (
        Phrase("settings damaged, defaults"),
        Phrase("a column is shorted"),
        Phrase("every sensor reads closed"),
        Phrase("this was another panel"),
        Phrase("the wiring does not fit"),
        Phrase("a column rises too slowly"),
    )
}
"""What a panel's firmware logs for people."""


class LinkState(StrEnum):
    """State of the link to the panel."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    SILENT = "silent"
    """No panel has answered since the start."""
    LOST = "lost"
    """A panel answered before and is silent now."""
    REFUSED = "refused"
    ABSENT = "absent"
    """The table has a camera and no panel."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """State of the link, with its reason."""

    state: LinkState
    text: str = ""
    """Name of a connected panel, otherwise the fault, in English as errors are."""
    complaints: tuple[str, ...] = ()
    """Faults of a connected panel: keys of the words' `health`."""
    said: str = ""
    """Last fault that the panel itself reported."""

    def why(self, words: Words) -> str:
        """Return `text` in *words*."""
        return translate(self.text, words.language)

    def warnings(self, words: Words) -> tuple[str, ...]:
        """Return the faults of a connected panel, a sentence each."""
        said = (translate(self.said, words.language),) if self.said else ()
        return (*(words.common.health[each] for each in self.complaints), *said)


class PanelLink:
    """State of the link to the panel of one table, as its events tell."""

    def __init__(self, grid: Grid, *, at: str = "", is_absent: bool = False) -> None:
        """Expect a panel for *grid*; none at all if the table has only a camera.

        On a larger panel the game's first cell is over the cell *at*, if that is given.
        """
        self.status = LinkStatus(LinkState.ABSENT if is_absent else LinkState.CONNECTING)
        self.objection: LinkError | None = None
        """Why the connected panel cannot be used; None if it can, or none is connected."""
        self.shape: Shape | None = None
        """Cells of the last panel that identified itself."""
        self.has_display: bool | None = None
        """True if that panel has a display; None before one has identified itself."""
        self.places: tuple[Mounting, ...] = ()
        """Possible positions of the game on the connected panel, the usual one first."""
        self._grid = grid
        self._at = at
        self._was_greeted = False
        """True once a panel has identified itself."""
        self._said = ""
        """Last warning of the panel since it started, for people."""

    def has_place_for(self, grid: Grid) -> bool:
        """True if the last panel that identified itself has room for *grid*."""
        return self.shape is not None and bool(places(self.shape, grid, self._at))

    def note(self, event: LinkEvent) -> None:
        """Update the status from *event*."""
        match event:
            case PanelGreeted(hello=hello):
                self.has_display = hello.text_lines > 0
                self._greet(panel_name(hello), shape_of(hello))
            case EboardGreeted():
                self.has_display = False
                self._greet(event.name, event.shape)
            case PanelForeign():
                self._refuse(
                    ForeignFirmware(
                        "the panel speaks {theirs}, this program {ours}: {remedy}",
                        ours=event.ours,
                        theirs=event.theirs,
                        remedy=event.remedy,
                    )
                )
            case LinkLost():
                self._said = ""
                self.lose(event.reason)
            case PanelLogged():
                self._log(event)
            case HealthReported() if self.objection is None:
                self.status = replace(
                    self.status, state=LinkState.CONNECTED, complaints=complaints_of(event.health)
                )

    def lose(self, reason: str) -> None:
        """Set the link as lost, with *reason*."""
        self.status = LinkStatus(LinkState.LOST if self._was_greeted else LinkState.SILENT, reason)

    def _greet(self, name: str, shape: Shape) -> None:
        """Check that the panel *name*, which speaks a known protocol, has room for the game."""
        self._was_greeted, self.shape = True, shape
        try:
            self.places = places_on(shape, self._grid, self._at)
        except PanelMismatch as fault:
            self._refuse(fault)
        else:
            self.objection = None
            self.status = LinkStatus(LinkState.CONNECTED, name, said=self._said)

    def _log(self, event: PanelLogged) -> None:
        """Log the panel's message; keep a warning for the people at the table."""
        is_grave = event.level >= LogLevel.WARNING
        _LOG.log(logging.WARNING if is_grave else logging.INFO, "the panel reports: %s", event.text)
        if is_grave:
            self._said = Phrase("the panel reports: {text}", text=PANEL_TEXTS.get(event.text, event.text))
            if self.status.state is LinkState.CONNECTED:
                self.status = replace(self.status, said=self._said)

    def _refuse(self, fault: LinkError) -> None:
        self.objection = fault
        self.status = LinkStatus(LinkState.REFUSED, str(fault))


def link_lines(pipeline: Pipeline) -> tuple[str, str]:
    """Return a status line for the panel and one for the camera; empty where absent."""
    status, camera = pipeline.status, pipeline.camera
    reasons = ", ".join(filter(None, [status.why(pipeline.words), *status.warnings(pipeline.words)]))
    templates = pipeline.words.common.status
    panel = ": ".join(filter(None, (templates.get(f"panel-{status.state}", ""), reasons)))
    if camera is None:
        return panel, ""
    sentences = " ".join(camera.sentences(pipeline.words.common, pipeline.cell_names))
    particulars = f" ({translate(camera.text, pipeline.words.language)})" if camera.text else ""
    seen = pipeline.words.fill(templates["camera"], text=f"{sentences}{particulars}")
    return "" if status.state is LinkState.ABSENT else panel, seen


def complaints_of(health: Health) -> tuple[str, ...]:
    """Return the word keys of the flags in *health* that people should know about."""
    return tuple(str(each.name).lower().replace("_", "-") for each in Health if each & health & COMPLAINTS)

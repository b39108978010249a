# SPDX-License-Identifier: Apache-2.0
"""State of the link to a panel, and its description in the user's language."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from companion.feedback.words import Words
from companion.host.text.error_translation import translate
from companion.link.events import HealthReported, LinkEvent, LinkLost, PanelForeign, PanelGreeted, PanelLogged
from companion.link.handshake import panel_name
from companion.link.panel import check_fit
from companion.link.protocol_gen import Health, HelloReply, LogLevel
from companion.model.errors import ForeignFirmware, LinkError, PanelMismatch
from companion.model.grid import Grid
from companion.model.phrase import Phrase

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

    def __init__(self, grid: Grid, *, is_absent: bool = False) -> None:
        """Expect a panel for *grid*; none at all if the table has only a camera."""
        self.status = LinkStatus(LinkState.ABSENT if is_absent else LinkState.CONNECTING)
        self.objection: LinkError | None = None
        """Why the connected panel cannot be used; None if it can, or none is connected."""
        self._grid = grid
        self._was_greeted = False
        """True once a panel has identified itself."""
        self._said = ""
        """Last warning of the panel since it started, for people."""

    def note(self, event: LinkEvent) -> None:
        """Update the status from *event*."""
        match event:
            case PanelGreeted():
                self._was_greeted = True
                self._greet(event.hello)
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

    def _greet(self, hello: HelloReply) -> None:
        """Check that the panel, which speaks our protocol, has the game's cells."""
        try:
            check_fit(hello, self._grid)
        except PanelMismatch as fault:
            self._refuse(fault)
        else:
            self.objection = None
            self.status = LinkStatus(LinkState.CONNECTED, panel_name(hello), said=self._said)

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

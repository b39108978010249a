# SPDX-License-Identifier: Apache-2.0
"""State of the link to a panel, and its description in the user's language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from companion.feedback.words import Words
from companion.host.text.error_translation import translate
from companion.link.protocol_gen import Health
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.table.pipeline import Pipeline


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

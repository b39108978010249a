# SPDX-License-Identifier: Apache-2.0
"""The state of the link to a panel, and how it is told to people in their language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from companion.feedback.words import Words
from companion.host.text.error_translation import translated
from companion.link.protocol_gen import Health

if TYPE_CHECKING:
    from companion.host.table.pipeline import Pipeline


COMPLAINTS: Final = Health.RX_LOST | Health.BAD_PACKET | Health.EDGES_LOST | Health.CHATTER | Health.SELF_TEST
"""What people at the table should know of; the rest is the panel's everyday."""


class LinkState(StrEnum):
    """What the link to the panel does."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    SILENT = "silent"
    """No panel has ever answered."""
    LOST = "lost"
    """A panel answered before, and does not now."""
    REFUSED = "refused"
    ABSENT = "absent"
    """There is a camera instead."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The state of the link, and why."""

    state: LinkState
    text: str = ""
    """The name of a panel that is connected, else what is wrong: in English, as errors are."""
    complaints: tuple[str, ...] = ()
    """What is wrong with a panel that is connected: keys of the words' `health`."""
    said: str = ""
    """What the panel itself says is wrong."""

    def why(self, words: Words) -> str:
        """`text` in *words*."""
        return translated(self.text, words.language)

    def warnings(self, words: Words) -> tuple[str, ...]:
        """What is wrong with a panel that is connected, a sentence each."""
        said = (translated(self.said, words.language),) if self.said else ()
        return (*(words.common.health[each] for each in self.complaints), *said)


def link_lines(pipeline: Pipeline) -> tuple[str, str]:
    """A line for the panel and one for the camera; empty for what is not there."""
    status, camera = pipeline.status, pipeline.camera
    reasons = ", ".join(filter(None, [status.why(pipeline.words), *status.warnings(pipeline.words)]))
    told = pipeline.words.common.told
    panel = ": ".join(filter(None, (told.get(f"panel-{status.state}", ""), reasons)))
    if camera is None:
        return panel, ""
    sentences = " ".join(camera.sentences(pipeline.words.common, pipeline.cell_names))
    particulars = f" ({camera.text})" if camera.text else ""
    seen = pipeline.words.fill(told["camera"], text=f"{sentences}{particulars}")
    return "" if status.state is LinkState.ABSENT else panel, seen


def complaints_of(health: Health) -> tuple[str, ...]:
    """The keys of what people should know of *health*."""
    return tuple(str(each.name).lower().replace("_", "-") for each in Health if each & health & COMPLAINTS)

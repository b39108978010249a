# SPDX-License-Identifier: Apache-2.0
"""How it stands with a table's camera: values that pass between those who watch and those who show. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from companion.model.errors import Outage
from companion.model.grid import Cell
from companion.model.observation import Observation
from companion.sensing.trouble import Trouble


class Watch(StrEnum):
    """How it stands with a camera."""

    OPENING = "opening"
    WATCHING = "watching"
    LOST = "lost"
    REFUSED = "refused"
    """It is another one, or gives other images, than its profile says."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """How it stands with the camera, and why."""

    state: Watch = Watch.OPENING
    outage: Outage | None = None
    """Why there are no images."""
    text: str = ""
    """The same with all particulars, for the terminal."""
    troubles: frozenset[Trouble] = frozenset()
    places: Mapping[Trouble, tuple[Cell, ...]] = field(default_factory=dict)
    """The camera's cells at which some of them are."""

    @property
    def is_well(self) -> bool:
        """True if the game is seen."""
        return self.state is Watch.WATCHING and Trouble.BOARD_NOT_FOUND not in self.troubles

    @property
    def keys(self) -> tuple[str, ...]:
        """The words for all of it, the gravest first; that of the state if nothing is wrong."""
        wrong = [] if self.outage is None else [self.outage.value]
        wrong += [trouble.value for trouble in Trouble if trouble in self.troubles]
        return tuple(wrong) or (self.state.value,)

    def sentences(self, words: Mapping[str, str], names: Sequence[str]) -> list[str]:
        """The same in *words*, with the *names* of the camera's cells."""
        cells = {trouble.value: [names[cell] for cell in at] for trouble, at in self.places.items()}
        return [words[key].format(cells=", ".join(cells.get(key, ()))) for key in self.keys]


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of an image, or of the lack of one."""

    at_ms: int
    status: CameraStatus
    observation: Observation | None = None
    """None if the image showed nothing new, or there was none."""

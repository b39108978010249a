# SPDX-License-Identifier: Apache-2.0
"""The lines of the list of panels and boards, for people and for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from companion.host.text.error_translation import translate
from companion.host.text.listing import Listing
from companion.model.phrase import Phrase

_COLUMNS: Final = (
    Phrase("port"),
    Phrase("device"),
    Phrase("panel"),
    Phrase("cells"),
    Phrase("chip"),
    Phrase("firmware"),
    Phrase("identity"),
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the list of panels and boards."""

    port: str
    device: str
    described: tuple[str, ...]
    """Name, cells, chip, firmware and identity; () if nothing was recognised."""
    fault: str = ""
    """Why nothing was recognised."""


def table(lines: Sequence[Listed], language: str) -> Listing:
    """Return the panels and boards that have answered."""
    explain = partial(translate, language=language)
    rows = [(each.port, each.device, *map(explain, each.described)) for each in lines if each.described]
    return Listing(tuple(map(explain, _COLUMNS)), rows)


def faults(lines: Sequence[Listed], language: str) -> list[str]:
    """Return why nothing was recognised, at each other port."""
    return [f"{each.port}: {translate(each.fault, language)}" for each in lines if not each.described]


def as_data(lines: Sequence[Listed], language: str) -> list[dict[str, Any]]:
    """Return *lines* as JSON values."""
    listed = []
    for each in lines:
        entry: dict[str, Any] = {"port": each.port, "device": each.device}
        if each.described:
            said = (translate(part, language) for part in each.described)
            entry.update(zip(("panel", "cells", "chip", "firmware", "identity"), said, strict=True))
        else:
            entry["fault"] = translate(each.fault, language)
        listed.append(entry)
    return listed

# SPDX-License-Identifier: Apache-2.0
"""The option that says what is called out; every game with announcements has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from companion.model.game import Announcement, Cry, Option

ANNOUNCE: Final = Option(
    "announce", ("all", "check-only", "none"), "which of CHECK! and ESCAPE! are called out"
)


def called_out(options: Mapping[str, str], announcements: Iterable[Announcement]) -> tuple[Announcement, ...]:
    """Those of *announcements* that *options* want to hear."""
    wanted = {"all": tuple(Cry), "check-only": (Cry.CHECK,), "none": ()}[options[ANNOUNCE.name]]
    return tuple(announcement for announcement in announcements if announcement.cry in wanted)

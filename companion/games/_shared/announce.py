# SPDX-License-Identifier: Apache-2.0
"""The option that selects the announced threats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from companion.model.game import Announcement, CallOut, Option

_NAME: Final = "announce"


def announce(*cries: CallOut) -> Option:
    """The option for a game with these kinds of announcements; other kinds cannot be chosen."""
    if len(cries) > 1:
        return Option(_NAME, ("all", "check-only", "none"), "which of CHECK! and ESCAPE! are called out")
    (only,) = cries
    return Option(
        _NAME,
        (only.value, "none"),
        f"is {only.value.upper()}! called out?",
        former=(("all", only.value), ("check-only", "check" if only is CallOut.CHECK else "none")),
    )


def called_out(options: Mapping[str, str], announcements: Iterable[Announcement]) -> tuple[Announcement, ...]:
    """Those of *announcements* that *options* select."""
    wanted = {
        "all": tuple(CallOut),
        "check-only": (CallOut.CHECK,),
        "check": (CallOut.CHECK,),
        "escape": (CallOut.ESCAPE,),
        "none": (),
    }[options[_NAME]]
    return tuple(announcement for announcement in announcements if announcement.cry in wanted)

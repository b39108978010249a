# SPDX-License-Identifier: Apache-2.0
"""Codes of a hall on disk, which outlive its restart.

The file lies beside the hall's keys and is as private as these. It contains the codes that are
open, and the keys derived from those that have ended, so that a table learns why. Its rule: ends
are written as Unix time, since the hall's clock starts at 0 in each run. A wall clock that was
set back in between cannot prolong a code beyond `VALID_MS` from the start.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from companion.host.clock import Clock, unix_ms
from companion.host.codec import decode, encode
from companion.host.hall.keys.keyring import read_private, write_private
from companion.model.errors import SettingsError

VALID_MS: Final = 10 * 60 * 1000
"""Lifetime of a code."""


class Ended(StrEnum):
    """Why a code has ended."""

    JOINED = "joined"
    TRIED = "tried"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Invitation:
    """A code and its state."""

    board: str
    until_ms: int
    code_key: str
    """Key that is derived from the code, as 64 hexadecimal digits."""
    code: str = ""
    """The code, while it is open."""
    missed: tuple[str, ...] = ()
    """Requests with a wrong proof. A table repeats its request: that is one attempt."""
    ended: Ended | None = None
    asked: str = ""
    """Request of the table that has joined with it."""
    answer: str = ""

    def end(self, why: Ended) -> Invitation:
        """Return the invitation after its end; an earlier end remains."""
        return replace(self, ended=self.ended or why, code="")

    def at(self, now_ms: int) -> Invitation:
        """Return the invitation at *now_ms*, when its time may be over."""
        return self.end(Ended.EXPIRED) if now_ms >= self.until_ms else self


class CodeFile:
    """The invitations of a hall in a file."""

    def __init__(self, path: Path, clock: Clock, wall_ms: Clock = unix_ms) -> None:
        """*clock* is that of `until_ms`; *wall_ms* returns Unix time in ms."""
        self._path = path
        self._clock = clock
        self._wall_ms = wall_ms

    def read(self) -> dict[str, Invitation]:
        """Return the invitations by station; none without a file. Raises `SettingsError`."""
        text = read_private(self._path)
        if text is None:
            return {}
        now_ms, offset_ms = self._clock(), self._clock() - self._wall_ms()
        try:
            kept: tuple[Invitation, ...] = decode(tuple[Invitation, ...], json.loads(text))
            for each in kept:
                bytes.fromhex(each.code_key)
        except (ValueError, RecursionError) as fault:
            raise SettingsError(
                "{path} is damaged: delete it, and give new codes to the tables that have not joined yet",
                path=self._path,
            ) from fault
        return {
            each.board: replace(each, until_ms=min(each.until_ms + offset_ms, now_ms + VALID_MS))
            for each in kept
        }

    def write(self, invitations: Iterable[Invitation]) -> None:
        """Replace the file by *invitations*. Raises `SettingsError`."""
        offset_ms = self._wall_ms() - self._clock()
        kept = tuple(replace(each, until_ms=each.until_ms + offset_ms) for each in invitations)
        write_private(self._path, json.dumps(encode(tuple[Invitation, ...], kept)))

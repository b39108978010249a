# SPDX-License-Identifier: Apache-2.0
"""Every exception of ours, one tree.

Only what the world does to us, and what a caller must be told, is raised.
A player's mistake, a noisy line and a hidden cell are data.

    CompanionError
    ├── SettingsError            settings, a panel or a map does not say what it must
    │   └── UnknownName          no game, language, topic or panel has the name that was given
    ├── OptionError              a game's option: unknown name or value (ValueError too)
    ├── CalibrationError         a profile does not fit
    ├── SheetError               something to print does not fit its paper, or cannot be written
    ├── JournalError             a journal cannot be read or does not fit this program
    ├── StoreError              the store of kept games cannot be used
    ├── TournamentError         a tournament cannot be paired, or a result does not fit it
    ├── OrderRefused             what is wanted of a table cannot be had there now
    ├── LinkError
    │   ├── PortUnavailable      transient: will be tried again
    │   ├── ForeignFirmware      protocol or fingerprint differs
    │   ├── PanelMismatch        the panel has not the cells the game needs
    │   └── PanelSilent          no heartbeat within the deadline
    ├── CameraUnavailable        transient; says which outage it is
    ├── RecordingError           what a camera saw cannot be kept
    ├── CameraMismatch           a camera is not the one that a profile was made with
    ├── HallUnreachable          transient: the table plays on
    ├── NotationError            text is no move, cell or position (ValueError too)
    │   └── AmbiguousMove        text fits several legal moves
    └── IllegalMoveError         a move that is not among the legal ones reached `play`: a bug upstairs
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.model.game import Violation


class CompanionError(Exception):
    """The root: catching it catches everything of ours."""


class SettingsError(CompanionError):
    """A settings, panel, map or word file does not say what it must; names file, table and key."""


class UnknownName(SettingsError):
    """Nothing has the name that was given; says which names there are."""

    def __init__(self, message: str, *, name: str, known: Iterable[str]) -> None:
        super().__init__(message)
        self.name = name
        self.known = tuple(known)


class OptionError(CompanionError, ValueError):
    """A game's option is unknown or has a value that is not allowed."""

    def __init__(self, message: str, *, option: str, value: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.option = option
        self.value = value
        self.allowed = allowed


class CalibrationError(CompanionError):
    """A calibration profile does not fit what is seen; its residual is too large."""


class SheetError(CompanionError):
    """Something to print does not fit its paper, or its file cannot be written."""


class JournalError(CompanionError):
    """A journal cannot be read, or was written by a program that plays differently."""


class StoreError(CompanionError):
    """The store of kept games cannot be opened or written, or has not what was asked for."""


class TournamentError(CompanionError):
    """A tournament cannot be paired, or has not the player, round or table that was named."""


class GameUnderWay(TournamentError):
    """A board that is to begin the game of a table is in the middle of another."""

    def __init__(self, board: str) -> None:
        super().__init__(
            f"at {board} a game is under way: confirm that it is left unfinished, or give another board"
        )
        self.board = board


class OrderRefused(CompanionError):
    """What somebody wants of a table cannot be had there now."""

    def __init__(self, message: str, *, violation: Violation | None = None) -> None:
        """*violation* is the rule that forbids it, if one does: games have words for it."""
        super().__init__(message)
        self.violation = violation


class LinkError(CompanionError):
    """Something between this program and a panel is wrong."""


class PortUnavailable(LinkError):
    """The serial port cannot be opened now: missing, taken, or not permitted. Will be tried again."""

    def __init__(self, message: str, *, port: str) -> None:
        super().__init__(message)
        self.port = port


class ForeignFirmware(LinkError):
    """The panel speaks another protocol than this program."""

    def __init__(self, message: str, *, ours: str, theirs: str) -> None:
        super().__init__(message)
        self.ours = ours
        self.theirs = theirs


class PanelMismatch(LinkError):
    """The panel has not the cells that the game needs."""

    def __init__(self, message: str, *, expected: int, found: int) -> None:
        super().__init__(message)
        self.expected = expected
        self.found = found


class PanelSilent(LinkError):
    """The panel has said nothing within its deadline."""


class Outage(StrEnum):
    """Why there are no images, or none that can be used."""

    NOT_INSTALLED = "not-installed"
    """The libraries that see are not there."""
    MISSING = "missing"
    BUSY = "busy"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    """A file or address cannot be opened."""
    SILENT = "silent"
    """It is open and gives nothing."""
    UNPLUGGED = "unplugged"
    """It gave images and has ceased to."""
    ENDED = "ended"
    """A file or folder has come to its end."""
    BROKEN = "broken"
    """A file is no image."""
    WRONG_SIZE = "wrong-size"
    """Images have another size than the profile's."""
    OTHER_CAMERA = "other-camera"
    """It is not the camera that the profile was made with."""


class CameraUnavailable(CompanionError):
    """The camera cannot be opened now: missing, busy, or unplugged. Will be tried again."""

    def __init__(self, message: str, *, outage: Outage) -> None:
        super().__init__(message)
        self.outage = outage


class RecordingError(CompanionError):
    """What a camera saw cannot be kept there."""


class CameraMismatch(CompanionError):
    """Images do not come from where the profile says, or not as it says."""

    def __init__(self, message: str, *, outage: Outage) -> None:
        super().__init__(message)
        self.outage = outage


class HallUnreachable(CompanionError):
    """The hall, or the broker on the way to it, cannot be reached now. Will be tried again."""


class NotationError(CompanionError, ValueError):
    """A text is no cell, move or position."""

    def __init__(self, message: str, *, text: str) -> None:
        super().__init__(message)
        self.text = text


class AmbiguousMove(NotationError):
    """A text fits several legal moves."""


class IllegalMoveError(CompanionError, ValueError):
    """A move that is not legal in the position reached a place that only takes legal ones."""

# SPDX-License-Identifier: Apache-2.0
"""All exceptions of this project, in one tree.

Exceptions are for failures of the outside world, and for errors that a caller has to handle.
A player's mistake, a noisy line and a hidden cell are data, not exceptions.

The message of an error is a template with named gaps, and its arguments fill them (see `phrase`),
so that an error can be shown in the reader's language. Do not use an f-string as a message: it
could not be translated.

    raise PortUnavailable("the port {port} cannot be opened: {reason}", port=name, reason=error)

    CompanionError
    ├── SettingsError            settings, a panel or a map lack or contradict something
    │   ├── UnknownName          no game, language, topic or panel has the given name
    │   └── InvalidArgument      an argument of a command does not have the form that it needs
    ├── OptionError              a game's option: unknown name or value (ValueError too)
    ├── CalibrationError         a profile does not fit
    ├── AnalysisError            the value of a position was not found
    ├── SheetError               a printed sheet does not fit its paper, or cannot be written
    ├── JournalError             a journal cannot be read or does not fit this program
    ├── StoreError              the store of kept games cannot be used
    ├── TournamentError         a tournament cannot be paired, or a result does not fit it
    ├── OrderRefused             an order to a table cannot be carried out there now
    ├── LinkError
    │   ├── PortUnavailable      transient: will be tried again
    │   ├── ForeignFirmware      protocol or fingerprint differs
    │   ├── PanelMismatch        the panel lacks cells that the game needs
    │   │   └── PlaceMismatch    or has none for it at the named cell (InvalidArgument too)
    │   └── PanelSilent          no heartbeat within the deadline
    ├── CameraUnavailable        transient; says which outage it is
    ├── RecordingError           a camera's images cannot be recorded
    ├── CameraMismatch           a camera is not the one that a profile was made with
    ├── HallUnreachable          transient: the table plays on
    ├── OnlineRefused            a place that keeps a game elsewhere refuses something
    ├── OnlineUnreachable        transient: such a place does not answer
    ├── NotationError            text is not a move, cell or position (ValueError too)
    │   └── AmbiguousMove        text fits several legal moves
    └── IllegalMoveError         a move that is not legal reached `play`: a bug in the caller
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from companion.model.phrase import Phrase, gaps

if TYPE_CHECKING:
    from companion.model.game import Violation


class CompanionError(Exception):
    """The base class of all exceptions of this project."""

    def __init__(self, message: str, /, **values: object) -> None:
        """*message* is a template or a phrase.

        Of *values* only those are kept that fill a gap of the template.
        """
        if not isinstance(message, Phrase):
            wanted = gaps(message)
            message = Phrase(message, **{name: each for name, each in values.items() if name in wanted})
        super().__init__(message)
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle attributes rather than arguments, since subclasses take keywords."""
        return _restored, (type(self), self.message), self.__dict__


def _restored(kind: type[CompanionError], message: Phrase) -> CompanionError:
    """Make an error without its attributes, which `pickle` sets next."""
    return kind.__new__(kind, message)


class SettingsError(CompanionError):
    """A settings, panel, map or word file is invalid; names file, table and key."""


class UnknownName(SettingsError):
    """Nothing has the given name; lists the known names."""

    def __init__(self, message: str, /, *, name: str, known: Iterable[str], **values: object) -> None:
        super().__init__(message, name=name, known=known, **values)
        self.name = name
        self.known = tuple(known)


class InvalidArgument(SettingsError):
    """An argument of a command does not have the form that it needs."""


class OptionError(CompanionError, ValueError):
    """A game's option is unknown or its value is not allowed."""

    def __init__(
        self, message: str, /, *, option: str, value: str, allowed: tuple[str, ...], **values: object
    ) -> None:
        super().__init__(message, option=option, value=value, allowed=allowed, **values)
        self.option = option
        self.value = value
        self.allowed = allowed


class OnlineRefused(CompanionError):
    """A place that keeps a game elsewhere refuses a request, with its reason."""


class OnlineUnreachable(CompanionError):
    """A place that keeps a game elsewhere does not answer now."""


class ExtraMissing(CompanionError):
    """A package of an extra is not installed; names the extra."""


class CalibrationError(CompanionError):
    """A calibration profile does not fit the image: its residual is too large."""


class AnalysisError(CompanionError):
    """The value of a position was not found, such as for lack of time."""


class OpponentError(CompanionError):
    """A chess engine or our own opponent's process does not answer, or answers nonsense."""


class SheetError(CompanionError):
    """A printed sheet does not fit its paper, or its file cannot be written."""


class JournalError(CompanionError):
    """A journal cannot be read, or was written by an incompatible program."""


class StoreError(CompanionError):
    """The store of kept games cannot be opened or written, or lacks the requested game."""


class TournamentError(CompanionError):
    """A tournament cannot be paired, or lacks the named player, round or table."""


class GameUnderWay(TournamentError):
    """A board that should begin a table's game is in the middle of another game."""

    def __init__(self, board: str) -> None:
        super().__init__(
            "at {board} a game is under way: confirm that it is left unfinished, or give another board",
            board=board,
        )
        self.board = board


class StationSilent(TournamentError):
    """A board that should begin a table's game cannot be reached."""

    def __init__(self, board: str) -> None:
        super().__init__(
            "{board} is silent, and may be in the middle of a game: look there, and confirm that its next "
            "game is to begin as soon as it is back, or give another board",
            board=board,
        )
        self.board = board


class OrderRefused(CompanionError):
    """An order to a table cannot be carried out there now."""

    def __init__(self, message: str, /, *, violation: Violation | None = None, **values: object) -> None:
        """*violation* is the rule that forbids it, if any: games have sentences for it."""
        super().__init__(message, **values)
        self.violation = violation


class LinkError(CompanionError):
    """The connection between this program and a panel is faulty."""


class PortUnavailable(LinkError):
    """The serial port cannot be opened now: missing, busy, or not permitted.
    Will be tried again.
    """

    def __init__(self, message: str, /, *, port: str, **values: object) -> None:
        super().__init__(message, port=port, **values)
        self.port = port


class ForeignFirmware(LinkError):
    """The panel speaks another version of the protocol."""

    def __init__(self, message: str, /, *, ours: str, theirs: str, **values: object) -> None:
        super().__init__(message, ours=ours, theirs=theirs, **values)
        self.ours = ours
        self.theirs = theirs


class FlashError(LinkError):
    """A panel's program cannot be written."""


class PanelMismatch(LinkError):
    """The panel lacks cells that the game needs."""

    def __init__(self, message: str, /, *, expected: int, found: int, **values: object) -> None:
        super().__init__(message, expected=expected, found=found, **values)
        self.expected = expected
        self.found = found


class PlaceMismatch(PanelMismatch, InvalidArgument):
    """A game does not fit on the panel at the cell that was named."""


class PanelSilent(LinkError):
    """The panel has sent nothing within its deadline."""


class Outage(StrEnum):
    """The reason why there are no usable images."""

    NOT_INSTALLED = "not-installed"
    """The image libraries are not installed."""
    MISSING = "missing"
    BUSY = "busy"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    """A file or address cannot be opened."""
    SILENT = "silent"
    """It is open but delivers nothing."""
    UNPLUGGED = "unplugged"
    """It delivered images and has stopped."""
    ENDED = "ended"
    """A file or folder has reached its end."""
    BROKEN = "broken"
    """A file is not an image."""
    WRONG_SIZE = "wrong-size"
    """The images have another size than the profile's."""
    TOO_SMALL = "too-small"
    """The images have too few pixels for a board."""
    OTHER_CAMERA = "other-camera"
    """The profile was made with another camera."""


class CameraUnavailable(CompanionError):
    """The camera cannot be opened now: missing, busy, or unplugged. Will be tried again."""

    def __init__(self, message: str, /, *, outage: Outage, **values: object) -> None:
        super().__init__(message, **values)
        self.outage = outage


class RecordingError(CompanionError):
    """A camera's images cannot be recorded in that place."""


class CameraMismatch(CompanionError):
    """The images' source or form differs from the profile's."""

    def __init__(self, message: str, /, *, outage: Outage, **values: object) -> None:
        super().__init__(message, **values)
        self.outage = outage


class HallUnreachable(CompanionError):
    """The hall or its broker cannot be reached now. Will be tried again."""


class NotationError(CompanionError, ValueError):
    """A text is not a cell, move or position."""

    def __init__(self, message: str, /, *, text: str, **values: object) -> None:
        super().__init__(message, text=text, **values)
        self.text = text


class AmbiguousMove(NotationError):
    """A text fits several legal moves."""


class IllegalMoveError(CompanionError, ValueError):
    """A move that is not legal reached a function that takes legal moves only."""

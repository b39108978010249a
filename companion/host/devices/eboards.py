# SPDX-License-Identifier: Apache-2.0
"""Eboards: their names in `--port`, and how each is opened.

Its rule: an eboard is opened by its name only, as `dgt:/dev/ttyUSB0`; no port is tried blindly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from companion.eboards import certabo, chessnut, dgt, ichessone, millennium, pegasus, squareoff
from companion.eboards.codec import CHESS_SHAPE, KINDS, Codec
from companion.eboards.connection import EboardConnection
from companion.eboards.recognition import ANY, PRODUCTS, VENDOR
from companion.eboards.standins import sees
from companion.host import settings
from companion.host.devices.ports import OpenPort, ble_eboard, hid_device, serial_line
from companion.link.events import LinkEvent
from companion.link.gatt import Gatt
from companion.link.panel import Shape
from companion.link.port import IsPartial
from companion.link.protocol_gen import Colour, Note
from companion.model.errors import UnknownName
from companion.model.game import AnyRules
from companion.model.observation import SensorKind
from companion.model.phrase import Phrase


class PanelConnection(Protocol):
    """A conversation with a panel, or with an eboard."""

    @property
    def advice(self) -> Phrase:
        """Advice for a port on which nothing answers."""
        ...

    @property
    def is_greeted(self) -> bool:
        """True while the panel has identified itself."""
        ...

    def show(self, image: tuple[int, ...], /) -> None:
        """Light the lamps: a palette index for each cell of the panel."""
        ...

    def colour(self, palette: tuple[Colour, ...], /) -> None:
        """Use *palette* for the images."""
        ...

    def write(self, line: int, text: str, /) -> None:
        """Show *text* on *line* of the display."""
        ...

    def play(self, notes: Sequence[Note], /) -> None:
        """Play *notes*."""
        ...

    def reopen(self, now_ms: int, /) -> list[LinkEvent]:
        """Handle an opened port."""
        ...

    def feed(self, data: bytes, now_ms: int, /) -> list[LinkEvent]:
        """Return the events in *data*."""
        ...

    def tick(self, now_ms: int, /) -> list[LinkEvent]:
        """Return the events due to time alone."""
        ...

    def bytes_to_send(self, now_ms: int, /) -> bytes:
        """Return the bytes to be written to the port now."""
        ...

    def next_deadline_ms(self) -> int | None:
        """Return the latest time for the next call of `tick`."""
        ...


@dataclass(frozen=True, slots=True)
class Eboard:
    """One kind of eboard."""

    slug: str
    """Its name before the device in `--port`."""
    make: Callable[[], Codec]
    open_port: Callable[[str], OpenPort]
    """Makes what opens the device that `--port` names."""
    sees: SensorKind = SensorKind.IDENTITY
    """What it sees of pieces that it knows."""
    shape: Shape = CHESS_SHAPE
    has_battery: bool = False
    """True if it reports its battery."""
    gatt: Gatt | None = None
    """How it is reached, if that is over Bluetooth LE."""
    line: str = ""
    """What connects it, for people; empty for a serial port, whose name says so."""

    @property
    def title(self) -> str:
        """Maker and model, as far as they are known without asking."""
        return self.make().title

    def called(self, device: str) -> str:
        """Return the title with the connection, which tells two eboards of a kind apart.

        >>> EBOARDS["chessnut"].called("A1")
        'Chessnut (USB, A1)'
        """
        known = "" if device == ANY else device
        return f"{self.title} ({', '.join(filter(None, (self.line, known)))})"

    def connection(self) -> EboardConnection:
        """Return a new conversation with such an eboard."""
        wanted = settings.read(settings.path()).boards
        return EboardConnection(self.make(), self.shape, tells_times=wanted.clock_times)

    def kind(self, rules: AnyRules) -> SensorKind:
        """Return what the eboard sees of the pieces of *rules*, or their stand-ins.

        Others only occupy their cells.
        """
        pieces = rules.placement(rules.initial()).entries
        is_chess = bool(pieces) and all(piece.kind in KINDS and piece.side is not None for piece, _ in pieces)
        return self.sees if is_chess or self.sees is SensorKind.OCCUPANCY else sees(rules)


def _serial(baud: int, is_partial: IsPartial) -> Callable[[str], OpenPort]:
    """Return what opens serial eboards of that speed; a message that *is_partial* is waited for."""
    return lambda device: serial_line(device, baud, is_panel=False, is_partial=is_partial)


def _chessnut(slug: str) -> Callable[[str], OpenPort]:
    """Return what opens a Chessnut eboard by its serial number, or any for `auto`."""
    return lambda device: hid_device(f"{slug}:{device}", VENDOR, PRODUCTS, "" if device == ANY else device)


def _over_le(
    slug: str,
    make: Callable[[], Codec],
    gatt: Gatt,
    sees: SensorKind = SensorKind.IDENTITY,
    *,
    has_battery: bool = False,
) -> Eboard:
    """Return a kind of eboard that is reached over Bluetooth LE."""

    def open_port(device: str) -> OpenPort:
        return ble_eboard(f"{slug}:{device}", gatt, "" if device == ANY else device)

    return Eboard(slug, make, open_port, sees, has_battery=has_battery, gatt=gatt, line="Bluetooth LE")


def _pegasus() -> Codec:
    """Return a codec with the key that the owner has entered."""
    return pegasus.PegasusCodec(settings.read(settings.path()).boards.pegasus_key_bytes)


_USB: Final = "USB"

_NAME: Final = re.compile(r"[A-Za-z][\w-]+")
"""A word that may name a kind of eboard, unlike a path or a drive."""
EBOARDS: Final[Mapping[str, Eboard]] = {
    eboard.slug: eboard
    for eboard in (
        Eboard("dgt", dgt.make, _serial(dgt.BAUD, dgt.is_partial)),
        Eboard("millennium", millennium.make, _serial(millennium.BAUD, millennium.is_partial)),
        Eboard("certabo", certabo.make_certabo, _serial(certabo.BAUD, certabo.is_partial)),
        Eboard(
            "sentio", certabo.make_sentio, _serial(certabo.BAUD, certabo.is_partial), SensorKind.OCCUPANCY
        ),
        Eboard("chessnut", chessnut.make, _chessnut("chessnut"), has_battery=True, line=_USB),
        Eboard("chessnut-move", chessnut.make_move, _chessnut("chessnut-move"), has_battery=True, line=_USB),
        _over_le("chessnut-move-le", chessnut.make_move, chessnut.MOVE_LE, has_battery=True),
        _over_le("chessnut-le", chessnut.make, chessnut.LE, has_battery=True),
        _over_le("millennium-le", millennium.make, millennium.LE),
        _over_le("pegasus", _pegasus, pegasus.LE, SensorKind.OCCUPANCY),
        _over_le("ichessone", ichessone.make, ichessone.LE, has_battery=True),
        _over_le("squareoff", squareoff.make, squareoff.LE, SensorKind.OCCUPANCY),
    )
}
"""The known eboards, by name."""
LE_EBOARDS: Final[Mapping[str, Gatt]] = {
    slug: eboard.gatt for slug, eboard in EBOARDS.items() if eboard.gatt is not None
}
"""Those over Bluetooth LE; a longer announced name comes before its beginning."""


def eboard_at(port: str | None) -> tuple[Eboard | None, str]:
    """Return the eboard that *port* names, None for a panel, and the device or URL.

    Raises `UnknownName` for an eboard that is not known.

    >>> eboard_at("dgt:/dev/ttyUSB0")[1]
    '/dev/ttyUSB0'
    >>> eboard_at("socket://localhost:7000")
    (None, 'socket://localhost:7000')
    """
    name, colon, device = (port or "").partition(":")
    eboard = EBOARDS.get(name.lower())
    if eboard is None and device and not device.startswith("//") and _NAME.fullmatch(name):
        raise UnknownName("there is no board {name!r}; known are {known}", name=name, known=tuple(EBOARDS))
    return (eboard, device) if eboard is not None and colon and device else (None, port or "")

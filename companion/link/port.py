# SPDX-License-Identifier: Apache-2.0
"""The only module that uses pyserial: opens, reads, writes and lists ports.

Each port has one reader thread, which makes the callbacks;
an event loop's owner moves them to the loop inside the callback.
The end of a port is a value, reported once: nothing is raised in the thread.
Ports are URLs too: `socket://host:port`, `loop://`, `spy:///dev/ttyUSB0`.
"""

from __future__ import annotations

import errno
import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import serial
from serial.tools import list_ports as serial_list_ports

from companion.model.errors import PortUnavailable
from companion.model.os_errors import reason_of
from companion.model.phrase import Phrase

_LOG = logging.getLogger(__name__)

_READ_TIMEOUT_S: Final = 0.25
"""Longest time to notice a stop, on ports whose reading is not ended by `close`."""
_WRITE_TIMEOUT_S: Final = 0.25
"""Write timeout: with one packet pending the buffer never fills, so the port is broken."""
_CHUNK: Final = 4096
"""Bytes after which a chunk is passed on although more are waiting."""

_LIKELY_VENDORS: Final = {
    0x2341: "Arduino",
    0x2A03: "Arduino",
    0x2E8A: "Raspberry Pi",
    0x303A: "Espressif",
    0x16C0: "Teensy",
    0x1A86: "CH340",
    0x0403: "FTDI",
    0x10C4: "CP210x",
}
"""USB vendors of boards and of their serial chips, likeliest first.

They rank ports; a panel is recognised by its hello only.
"""
_PANELS_MAKER: Final = "Companion"
"""Maker by which a panel with its own USB is known; Windows does not tell."""


IsPartial: TypeAlias = Callable[[bytes], bool]
"""True if the bytes so far begin a message that is not complete.

A slow line delivers a message in a dozen parts, none of which is of use alone.
"""


def never(_received: bytes) -> bool:
    """False: each part is passed on."""
    return False


@dataclass(frozen=True, slots=True)
class PortEnded:
    """The port is gone: unplugged, or closed by the other end."""

    port: str
    reason: str


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A serial port of this computer."""

    name: str
    description: str
    vendor: str
    """Known vendor of the USB chip, or empty."""
    serial_number: str
    adapter: str = field(default="", compare=False)
    """Identity of the adapter: its USB ids and serial number or socket; else its name."""
    is_panel: bool = False
    """True if the device itself says that it is a panel."""


class SerialPort:
    """An open port; made by `open_port`."""

    def __init__(
        self,
        name: str,
        line: serial.Serial,
        on_chunk: Callable[[bytes], None],
        on_end: Callable[[PortEnded], None],
        is_partial: IsPartial,
    ) -> None:
        self.name = name
        self._line = line
        self._is_partial = is_partial
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._is_closing = threading.Event()
        self._has_ended = threading.Lock()
        self._reader = threading.Thread(target=self._read_on, name=f"port {name}", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._reader.start()

    def write(self, data: bytes) -> None:
        """Send *data*; a failure is reported as the port's end."""
        try:
            self._line.write(data)
        except serial.SerialTimeoutException:
            self._end(Phrase("it takes no more bytes: unplug it and plug it in again"))
        except (serial.SerialException, OSError) as fault:
            self._end(_why_ended(self.name, fault))

    def close(self) -> None:
        """Stop reading and close the port; blocks for up to half a second.

        Its end is not reported any more.
        """
        self._is_closing.set()
        if hasattr(self._line, "cancel_read"):
            self._line.cancel_read()
        if self._reader.is_alive() and self._reader is not threading.current_thread():
            self._reader.join()
        connected = getattr(self._line, "_socket", None)
        self._line.close()  # only now: closing under a reading thread raises in it
        if connected is not None:
            connected.close()  # pyserial leaves it open if the other end is already gone

    def _read_on(self) -> None:
        """Pass on received bytes until the port ends or is closed."""
        try:
            while not self._is_closing.is_set():
                chunk = more = self._line.read(1)
                while more and len(chunk) < _CHUNK:
                    more = self._line.read(self._line.in_waiting or int(self._is_partial(chunk)))
                    chunk += more
                if chunk and not self._is_closing.is_set():
                    self._on_chunk(chunk)
        except (serial.SerialException, OSError) as fault:
            self._end(_why_ended(self.name, fault))

    def _end(self, reason: str) -> None:
        """Report the end, once, unless the port is being closed here."""
        if self._has_ended.acquire(blocking=False) and not self._is_closing.is_set():
            self._on_end(PortEnded(self.name, reason))


def open_port(
    name: str,
    on_chunk: Callable[[bytes], None],
    on_end: Callable[[PortEnded], None],
    *,
    baud: int,
    is_panel: bool = True,
    is_partial: IsPartial = never,
) -> SerialPort:
    """The open port *name*, read by its own thread.

    Unless it *is_panel*, DTR is not raised: it may restart another device. Bytes for
    which *is_partial* are kept back until more arrive.

    The thread calls *on_chunk*, and *on_end* at most once.
    The first call may come before this function returns.
    Raises `PortUnavailable` with cause and remedy.
    """
    try:
        line = serial.serial_for_url(
            name,
            baudrate=baud,
            timeout=_READ_TIMEOUT_S,
            write_timeout=_WRITE_TIMEOUT_S,
            exclusive=True,
            do_not_open=True,
        )
        if not is_panel and sys.platform == "win32":
            line.dtr = False  # Windows: otherwise raised at opening
        elif not is_panel:
            line.dsrdtr = True  # elsewhere only this: pyserial leaves DTR alone
        if _is_woken(line):
            line.timeout = None
        line.open()
    except (serial.SerialException, OSError, ValueError) as fault:
        raise PortUnavailable(_explain(name, fault), port=name) from fault
    _hurry(line)
    port = SerialPort(name, line, on_chunk, on_end, is_partial)
    port.start()
    return port


def _is_woken(line: serial.Serial) -> bool:
    """True if `close` ends a read of *line* whenever it comes.

    On Windows it does not end one that begins just afterwards.
    """
    return sys.platform != "win32" and hasattr(line, "cancel_read")


def list_ports() -> tuple[FoundPort, ...]:
    """The serial ports of this computer, the most likely panels first."""
    try:
        present = serial_list_ports.comports()
    except (TypeError, OSError) as fault:  # pyserial fails on missing descriptions of some devices
        _LOG.warning("the serial ports cannot be listed: %s", fault)
        return ()
    ranks = {vendor: rank for rank, vendor in enumerate(_LIKELY_VENDORS)}
    present = sorted(present, key=lambda port: (ranks.get(port.vid, len(ranks)), port.device))
    return tuple(
        FoundPort(
            port.device,
            port.description or "",
            _LIKELY_VENDORS.get(port.vid, "") if port.vid else "",
            port.serial_number or "",
            _adapter(port),
            getattr(port, "manufacturer", None) == _PANELS_MAKER,
        )
        for port in present
    )


def _adapter(port: Any) -> str:
    """The identity of the adapter of *port*, of pyserial's `ListPortInfo`."""
    if port.vid is None:
        return str(port.device)
    place = port.serial_number or getattr(port, "location", None) or ""
    return f"{port.vid:04x}:{getattr(port, 'pid', None) or 0:04x}:{place}"


def _hurry(line: serial.Serial) -> None:
    """Request low latency: FTDI chips otherwise collect bytes for 16 ms.

    Ignored where it is not supported.
    """
    set_low_latency_mode = getattr(line, "set_low_latency_mode", None)
    if set_low_latency_mode is None:
        return
    try:
        set_low_latency_mode(True)
    except (ValueError, OSError, NotImplementedError) as fault:
        _LOG.debug("%s: no low latency: %s", line.name, fault)


def _why_ended(name: str, fault: Exception) -> Phrase:
    """Cause and remedy for the end of *name*, without pyserial's wording."""
    _LOG.info("%s has ended: %s", name, fault)
    if "://" in name:
        return Phrase("the other end has closed the connection: start the panel's program there again")
    return Phrase(
        "it was unplugged, or another program reads from it: plug it in again, or close that program"
    )


def _explain(name: str, fault: Exception) -> Phrase:
    """Cause and remedy if *name* cannot be opened."""
    number = getattr(fault, "errno", None)
    said, text = str(fault), _cause(fault)
    if "://" in name:
        return Phrase(
            "{port} cannot be opened: {reason}. Is the panel's program running there?", port=name, reason=text
        )
    if number == errno.ENOENT or "FileNotFoundError" in said:
        names = tuple(port.name for port in list_ports()) or Phrase("none; plug the panel in")
        return Phrase("there is no port {port}. Ports present: {ports}", port=name, ports=names)
    if (
        number in (errno.EBUSY, errno.EAGAIN) or "PermissionError" in said
    ):  # Windows denies access to a busy port
        return Phrase(
            "port {port} is taken by another program: close that first (a serial monitor, another companion)",
            port=name,
        )
    if number in (errno.EACCES, errno.EPERM):
        return Phrase("no permission to open {port}. {remedy}", port=name, remedy=_permission_remedy(name))
    return Phrase("port {port} cannot be opened: {reason}", port=name, reason=text)


def _cause(fault: Exception) -> str:
    """The system's message inside pyserial's, or else pyserial's own."""
    cause = fault if getattr(fault, "strerror", None) else fault.__context__
    if isinstance(cause, OSError) and cause.strerror:
        return reason_of(cause)
    return str(fault)


def _permission_remedy(name: str) -> Phrase:
    """The command that grants this user access to the device *name*."""
    if sys.platform == "win32":
        return Phrase("Run as a user who may open it")
    import grp

    try:
        group = grp.getgrgid(Path(name).stat().st_gid).gr_name
    except (OSError, KeyError):
        return Phrase("Ask the administrator for it")
    return Phrase(
        "It belongs to the group {group}: run `sudo usermod -aG {group} $USER`, then log out and in again",
        group=group,
    )

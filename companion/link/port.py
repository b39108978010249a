# SPDX-License-Identifier: Apache-2.0
"""The only door to pyserial: open a port, hand its bytes on, write to it, and name the ports there are.

One thread a port reads and calls back from that thread; whoever has an event loop hops onto it in the callback.
The end of a port is a value, given once: nothing is raised in the thread.
Ports are URLs too: `socket://host:port`, `loop://`, `spy:///dev/ttyUSB0`.
"""

from __future__ import annotations

import errno
import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import serial
from serial.tools import list_ports as serial_list_ports

from companion.link.protocol_gen import BAUD
from companion.model.errors import PortUnavailable

_LOG = logging.getLogger(__name__)

_READ_TIMEOUT_S: Final = 0.25
"""How long the reader may miss that it should stop, on ports whose reading cannot be cancelled."""
_WRITE_TIMEOUT_S: Final = 0.25
"""With one packet outstanding the system's buffer never fills; a port that takes so long is broken."""
_CHUNK: Final = 4096
"""Bytes after which a chunk is handed on though more are waiting."""

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
"""USB vendors of boards and of their serial chips, likeliest first. They rank ports; only a hello recognises a panel."""


@dataclass(frozen=True, slots=True)
class PortEnded:
    """The port is gone: unplugged, or the other end has closed it."""

    port: str
    reason: str


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A serial port of this computer."""

    name: str
    description: str
    vendor: str
    """Known maker of the USB chip, or empty."""
    serial_number: str


class SerialPort:
    """An open port; `open_port` makes it."""

    def __init__(
        self,
        name: str,
        line: serial.Serial,
        on_chunk: Callable[[bytes], None],
        on_end: Callable[[PortEnded], None],
    ) -> None:
        self.name = name
        self._line = line
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._is_closing = threading.Event()
        self._has_ended = threading.Lock()
        self._reader = threading.Thread(target=self._read_on, name=f"port {name}", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._reader.start()

    def write(self, data: bytes) -> None:
        """Send *data*; if that fails, the port's end is reported as if reading had found it."""
        try:
            self._line.write(data)
        except serial.SerialTimeoutException:
            self._end("it takes no more bytes: unplug it and plug it in again")
        except (serial.SerialException, OSError) as fault:
            self._end(_why_ended(self.name, fault))

    def close(self) -> None:
        """Stop reading and let the port go; blocks for up to half a second. Its end is not reported any more."""
        self._is_closing.set()
        if hasattr(self._line, "cancel_read"):
            self._line.cancel_read()
        if self._reader.is_alive() and self._reader is not threading.current_thread():
            self._reader.join()
        connected = getattr(self._line, "_socket", None)
        self._line.close()  # only now: closing under a reading thread raises in it
        if connected is not None:
            connected.close()  # pyserial drops it open if the other end is gone already

    def _read_on(self) -> None:
        """Hand on what comes in until the port ends or is closed."""
        try:
            while not self._is_closing.is_set():
                chunk = self._line.read(1)
                while chunk and len(chunk) < _CHUNK and (waiting := self._line.in_waiting):
                    chunk += self._line.read(waiting)
                if chunk and not self._is_closing.is_set():
                    self._on_chunk(bytes(chunk))
        except (serial.SerialException, OSError) as fault:
            self._end(_why_ended(self.name, fault))

    def _end(self, reason: str) -> None:
        """Report the end, once, unless we are closing ourselves."""
        if self._has_ended.acquire(blocking=False) and not self._is_closing.is_set():
            self._on_end(PortEnded(self.name, reason))


def open_port(
    name: str, on_chunk: Callable[[bytes], None], on_end: Callable[[PortEnded], None], *, baud: int = BAUD
) -> SerialPort:
    """The open port *name*, read by its own thread, which calls *on_chunk* and at most once *on_end*.

    The first call may come before this function returns.
    Raises `PortUnavailable` with the cause and what to do about it.
    """
    try:
        line = serial.serial_for_url(
            name, baudrate=baud, timeout=_READ_TIMEOUT_S, write_timeout=_WRITE_TIMEOUT_S, exclusive=True
        )
    except (serial.SerialException, OSError, ValueError) as fault:
        raise PortUnavailable(_explain(name, fault), port=name) from fault
    _hurry(line)
    port = SerialPort(name, line, on_chunk, on_end)
    port.start()
    return port


def list_ports() -> tuple[FoundPort, ...]:
    """The serial ports of this computer, those most likely to be panels first."""
    try:
        present = serial_list_ports.comports()
    except (TypeError, OSError) as fault:  # pyserial trips over some devices' missing descriptions
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
        )
        for port in present
    )


def _hurry(line: serial.Serial) -> None:
    """Ask for bytes as they come: FTDI chips collect them for 16 ms otherwise. What cannot do that need not."""
    set_low_latency_mode = getattr(line, "set_low_latency_mode", None)
    if set_low_latency_mode is None:
        return
    try:
        set_low_latency_mode(True)
    except (ValueError, OSError, NotImplementedError) as fault:
        _LOG.debug("%s: no low latency: %s", line.name, fault)


def _why_ended(name: str, fault: Exception) -> str:
    """Why *name* has ended, and what to do. What pyserial says itself is for programmers."""
    _LOG.info("%s has ended: %s", name, fault)
    if "://" in name:
        return "the other end has closed the connection: start the panel's program there again"
    return "it was unplugged, or another program reads from it: plug it in again, or close that program"


def _explain(name: str, fault: Exception) -> str:
    """Why *name* cannot be opened, and what to do."""
    number = getattr(fault, "errno", None)
    said, text = str(fault), _cause(fault)
    if "://" in name:
        return f"{name} cannot be opened: {text}. Is the panel's program running there?"
    if number == errno.ENOENT or "FileNotFoundError" in said:
        names = ", ".join(port.name for port in list_ports()) or "none; plug the panel in"
        return f"there is no port {name}. Ports present: {names}"
    if (
        number in (errno.EBUSY, errno.EAGAIN) or "PermissionError" in said
    ):  # Windows denies access to a taken port
        return (
            f"port {name} is taken by another program: close that first (a serial monitor, another companion)"
        )
    if number in (errno.EACCES, errno.EPERM):
        return f"no permission to open {name}. {_permission_remedy(name)}"
    return f"port {name} cannot be opened: {text}"


def _cause(fault: Exception) -> str:
    """What the system says, which pyserial wraps in words of its own; without that, pyserial's words."""
    cause = fault if getattr(fault, "strerror", None) else fault.__context__
    return str(getattr(cause, "strerror", None) or fault)


def _permission_remedy(name: str) -> str:
    """The command that lets this user open the device *name*."""
    if sys.platform == "win32":
        return "Run as a user who may open it"
    import grp

    try:
        group = grp.getgrgid(Path(name).stat().st_gid).gr_name
    except (OSError, KeyError):
        return "Ask the administrator for it"
    return f"It belongs to the group {group}: run `sudo usermod -aG {group} $USER`, then log out and in again"

# SPDX-License-Identifier: Apache-2.0
"""Ports: opening, data, the single end report, and errors with causes."""

from __future__ import annotations

import errno
import gc
import os
import queue
import select
import socket
import struct
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import serial
from serial.tools import list_ports as serial_list_ports

from companion.link.port import FoundPort, IsPartial, PortEnded, SerialPort, list_ports, never, open_port
from companion.link.protocol_gen import BAUD
from companion.model.errors import PortUnavailable

PATIENCE_S = 60
"""Long enough for a slow machine; only a broken port waits this long."""


@dataclass
class Collected:
    """The data and end reports that a port delivered."""

    chunks: queue.Queue[bytes] = field(default_factory=queue.Queue)
    ends: queue.Queue[PortEnded] = field(default_factory=queue.Queue)

    def open(self, name: str, is_partial: IsPartial = never) -> SerialPort:
        return open_port(name, self.chunks.put, self.ends.put, baud=BAUD, is_partial=is_partial)

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            data += self.chunks.get(timeout=PATIENCE_S)
        return data


@pytest.fixture
def collected() -> Collected:
    return Collected()


@dataclass
class Terminal:
    """A pseudo-terminal: *name* is the port, *far* the panel's end."""

    name: str
    far: int

    def unplug(self) -> None:
        if self.far >= 0:
            os.close(self.far)
            self.far = -1


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    if not hasattr(os, "openpty"):
        pytest.skip("this system has no pseudo-terminals")
    far, near = os.openpty()
    made = Terminal(os.ttyname(near), far)
    yield made
    os.close(near)
    made.unplug()


def test_bytes_pass_both_ways(terminal: Terminal, collected: Collected) -> None:
    port = collected.open(terminal.name)
    os.write(terminal.far, b"\x00\x01\xff\x0a\x0d")
    assert collected.read(5) == b"\x00\x01\xff\x0a\x0d"
    port.write(b"\x11\x13\x00")
    assert os.read(terminal.far, 3) == b"\x11\x13\x00"
    port.close()
    port.write(b"too late")
    assert collected.ends.empty()  # the caller knows that it closed the port


def test_the_parts_of_a_message_come_as_one(terminal: Terminal, collected: Collected) -> None:
    asked: queue.Queue[int] = queue.Queue()

    def is_partial(received: bytes) -> bool:
        asked.put(len(received))
        return len(received) < 4

    port = collected.open(terminal.name, is_partial)
    for part, count in ((b"ab", 2), (b"c", 3), (b"d", 4)):
        os.write(terminal.far, part)
        while asked.get(timeout=PATIENCE_S) < count:
            pass
    assert collected.chunks.get(timeout=PATIENCE_S) == b"abcd"
    os.write(terminal.far, b"e")
    assert asked.get(timeout=PATIENCE_S) == 1
    port.close()  # which ends waiting
    assert collected.chunks.empty()


def test_unplugging_is_reported_once_and_as_a_value(terminal: Terminal, collected: Collected) -> None:
    port = collected.open(terminal.name)
    terminal.unplug()
    ended = collected.ends.get(timeout=PATIENCE_S)
    assert ended.port == terminal.name
    assert ended.reason.startswith("it was unplugged, or another program reads from it: plug it in again")
    port.write(b"anybody there?")
    port.close()
    assert collected.ends.empty()


def test_only_one_program_can_open_a_port(terminal: Terminal, collected: Collected) -> None:
    port = collected.open(terminal.name)
    with pytest.raises(PortUnavailable, match="taken by another program") as raised:
        collected.open(terminal.name)
    assert raised.value.port == terminal.name
    port.close()
    collected.open(terminal.name).close()


def test_closing_twice_and_from_the_callback_is_harmless(terminal: Terminal) -> None:
    closed: queue.Queue[None] = queue.Queue()
    ports: queue.Queue[SerialPort] = queue.Queue()

    def close_it(ended: PortEnded) -> None:
        assert ended.port == terminal.name
        port = ports.get(timeout=PATIENCE_S)
        port.close()
        port.close()
        closed.put(None)

    ports.put(open_port(terminal.name, lambda _chunk: None, close_it, baud=BAUD))
    terminal.unplug()
    closed.get(timeout=PATIENCE_S)


@pytest.mark.skipif(sys.platform == "win32", reason="there a read has a limit, which nobody sees")
def test_a_silent_port_is_not_looked_at(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    limits: queue.Queue[float | None] = queue.Queue()
    original = select.select

    def recorded(*asked: Any) -> Any:
        limits.put(asked[3])
        return original(*asked)

    monkeypatch.setattr(select, "select", recorded)
    port = collected.open(terminal.name)
    assert limits.get(timeout=PATIENCE_S) is None
    port.close()


def test_low_latency_is_set_on_chips_that_support_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    """A pseudo-terminal lacks the setting and is opened anyway.

    A chip that has it is set once.
    """
    collected.open(terminal.name).close()
    asked: list[bool] = []
    monkeypatch.setattr(
        serial.Serial, "set_low_latency_mode", lambda _line, wanted: asked.append(wanted), raising=False
    )
    collected.open(terminal.name).close()
    assert asked == [True]


def test_only_a_panel_has_its_control_line_raised_at_opening(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    """It restarts a panel, and could restart a board of another maker."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    real, raised = fcntl.ioctl, list[bool]()

    def ioctl(line: int, request: int, *arguments: Any) -> Any:
        if request == termios.TIOCMBIS and arguments[:1] == (struct.pack("I", termios.TIOCM_DTR),):
            raised.append(True)
        return real(line, request, *arguments)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    open_port(terminal.name, collected.chunks.put, collected.ends.put, baud=BAUD, is_panel=False).close()
    assert raised == []
    open_port(terminal.name, collected.chunks.put, collected.ends.put, baud=BAUD).close()
    assert raised == [True]


def test_an_unknown_port_is_refused_with_the_list_of_ports(
    monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    monkeypatch.setattr(serial_list_ports, "comports", lambda: [usb_port("/dev/ttyUSB7", 0x1A86)])
    with pytest.raises(PortUnavailable, match=r"no port /dev/ttyNONE. Ports present: /dev/ttyUSB7"):
        collected.open("/dev/ttyNONE")


def test_without_any_port_the_remedy_is_to_plug_one_in(
    monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    monkeypatch.setattr(serial_list_ports, "comports", list)
    with pytest.raises(PortUnavailable, match="plug the panel in"):
        collected.open("/dev/ttyNONE")


def test_a_forbidden_port_names_the_group_and_how_to_join(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    """Root may open everything, so the refusal is simulated.

    The group is that of the real device.
    """

    def refuse(*_args: object, **_options: object) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr(serial, "serial_for_url", refuse)
    import grp

    group = grp.getgrgid(os.stat(terminal.name).st_gid).gr_name
    with pytest.raises(PortUnavailable, match=f"group {group}: run `sudo usermod -aG {group} "):
        collected.open(terminal.name)


def test_an_invalid_port_name_is_explained(collected: Collected) -> None:
    with pytest.raises(PortUnavailable, match="nonsense://x cannot be opened"):
        collected.open("nonsense://x")


def test_a_refused_connection_has_the_message_of_the_system(collected: Collected) -> None:
    with pytest.raises(PortUnavailable, match=r"opened: Connection refused\. Is the panel's program running"):
        collected.open("socket://127.0.0.1:9")


def test_a_loop_port_echoes_its_bytes(collected: Collected) -> None:
    port = collected.open("loop://")
    port.write(b"echo")
    assert collected.read(4) == b"echo"
    port.close()


@pytest.mark.usefixtures("no_closing_pause")
def test_closing_a_socket_port_is_reported_as_its_end(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        name = f"socket://127.0.0.1:{server.getsockname()[1]}"
        port = collected.open(name)
        peer, _ = server.accept()
        with peer:
            peer.sendall(b"x" * 1000)
            assert collected.read(1000) == b"x" * 1000
            port.write(b"answer")
            assert peer.recv(100) == b"answer"
        assert collected.ends.get(timeout=PATIENCE_S).port == name
        port.close()


@pytest.mark.usefixtures("no_closing_pause")
def test_a_reset_socket_is_released(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        name = f"socket://127.0.0.1:{server.getsockname()[1]}"
        port = collected.open(name)
        far, _ = server.accept()
        far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        far.close()  # at once, with a reset
        assert collected.ends.get(timeout=PATIENCE_S).port == name
        port.close()
        gc.collect()  # would warn of an unclosed socket, and warnings are errors


def test_a_socket_without_listener_is_explained(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    with pytest.raises(PortUnavailable, match="Is the panel's program running there"):
        collected.open(f"socket://127.0.0.1:{number}")


def usb_port(device: str, vendor: int | None, product: int | None = None) -> types.SimpleNamespace:
    return types.SimpleNamespace(device=device, description=None, vid=vendor, pid=product, serial_number="42")


def test_likely_usb_vendors_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        usb_port("/dev/ttyS0", None),
        usb_port("/dev/ttyUSB0", 0x10C4, 0xEA60),
        usb_port("/dev/ttyACM0", 0x2341, 0x8036),
        usb_port("/dev/ttyACM1", 0x2A03, 0x0042),
    ]
    monkeypatch.setattr(serial_list_ports, "comports", lambda: found)
    assert [port.name for port in list_ports()] == [
        "/dev/ttyACM0",
        "/dev/ttyACM1",
        "/dev/ttyUSB0",
        "/dev/ttyS0",
    ]
    assert list_ports()[1] == FoundPort("/dev/ttyACM1", "", "Arduino", "42")


def test_listing_ports_survives_errors_of_pyserial(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble() -> None:
        raise TypeError("argument of type 'NoneType' is not iterable")

    monkeypatch.setattr(serial_list_ports, "comports", stumble)
    assert list_ports() == ()

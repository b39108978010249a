# SPDX-License-Identifier: Apache-2.0
"""Ports open, hand on what comes, report their end once, and say what is wrong when they cannot open."""

from __future__ import annotations

import errno
import gc
import os
import queue
import socket
import struct
import types
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import serial
from serial.tools import list_ports as serial_list_ports
from serial.urlhandler import protocol_socket

from companion.link.port import FoundPort, PortEnded, SerialPort, list_ports, open_port
from companion.model.errors import PortUnavailable

PATIENCE_S = 60
"""A machine may be slow; nothing waits that long unless it is broken."""


@dataclass
class Collected:
    """What a port has called back with."""

    chunks: queue.Queue[bytes] = field(default_factory=queue.Queue)
    ends: queue.Queue[PortEnded] = field(default_factory=queue.Queue)

    def open(self, name: str) -> SerialPort:
        return open_port(name, self.chunks.put, self.ends.put)

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
    """A pseudo-terminal: *name* is the port, *far* the end that plays the panel."""

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
    assert collected.ends.empty()  # whoever closes it knows


def test_unplugging_is_reported_once_and_as_a_value(terminal: Terminal, collected: Collected) -> None:
    port = collected.open(terminal.name)
    terminal.unplug()
    ended = collected.ends.get(timeout=PATIENCE_S)
    assert ended.port == terminal.name
    assert ended.reason.startswith("it was unplugged, or another program reads from it: plug it in again")
    port.write(b"anybody there?")
    port.close()
    assert collected.ends.empty()


def test_a_port_is_opened_by_one_program_only(terminal: Terminal, collected: Collected) -> None:
    port = collected.open(terminal.name)
    with pytest.raises(PortUnavailable, match="taken by another program") as raised:
        collected.open(terminal.name)
    assert raised.value.port == terminal.name
    port.close()
    collected.open(terminal.name).close()


def test_closing_twice_and_from_the_callback_is_harmless(terminal: Terminal) -> None:
    closed: queue.Queue[None] = queue.Queue()
    ports: queue.Queue[SerialPort] = queue.Queue()

    def close_it(_ended: PortEnded) -> None:
        port = ports.get(timeout=PATIENCE_S)
        port.close()
        port.close()
        closed.put(None)

    ports.put(open_port(terminal.name, lambda _chunk: None, close_it))
    terminal.unplug()
    closed.get(timeout=PATIENCE_S)


def test_chips_that_can_are_asked_not_to_collect_bytes(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, collected: Collected
) -> None:
    """A pseudo-terminal cannot, and is opened all the same; a chip that can is asked once."""
    collected.open(terminal.name).close()
    asked: list[bool] = []
    monkeypatch.setattr(
        serial.Serial, "set_low_latency_mode", lambda _line, wanted: asked.append(wanted), raising=False
    )
    collected.open(terminal.name).close()
    assert asked == [True]


def test_an_unknown_port_names_those_present(monkeypatch: pytest.MonkeyPatch, collected: Collected) -> None:
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
    """Root may open everything, so the refusal is played; the group is that of the real device."""

    def refuse(*_args: object, **_options: object) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr(serial, "serial_for_url", refuse)
    import grp

    group = grp.getgrgid(os.stat(terminal.name).st_gid).gr_name
    with pytest.raises(PortUnavailable, match=f"group {group}: run `sudo usermod -aG {group} "):
        collected.open(terminal.name)


def test_a_word_that_is_no_port_of_any_kind_is_explained(collected: Collected) -> None:
    with pytest.raises(PortUnavailable, match="nonsense://x cannot be opened"):
        collected.open("nonsense://x")


def test_an_address_at_which_nothing_listens_is_explained_as_the_system_does(collected: Collected) -> None:
    with pytest.raises(PortUnavailable, match=r"opened: Connection refused\. Is the panel's program running"):
        collected.open("socket://127.0.0.1:9")


def test_a_loop_gives_back_what_it_gets(collected: Collected) -> None:
    port = collected.open("loop://")
    port.write(b"echo")
    assert collected.read(4) == b"echo"
    port.close()


@pytest.fixture
def no_courtesy_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyserial sleeps after closing a socket, for the sake of slow servers; ours is not."""
    monkeypatch.setattr(protocol_socket, "time", types.SimpleNamespace(sleep=lambda _seconds: None))


@pytest.mark.usefixtures("no_courtesy_pause")
def test_a_socket_is_a_port_and_its_closing_an_end(collected: Collected) -> None:
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


@pytest.mark.usefixtures("no_courtesy_pause")
def test_a_socket_that_was_torn_off_is_let_go(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = collected.open(f"socket://127.0.0.1:{server.getsockname()[1]}")
        far, _ = server.accept()
        far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        far.close()  # at once, with a reset
        collected.ends.get(timeout=PATIENCE_S)
        port.close()
        gc.collect()  # would warn of a socket that nobody has closed, and warnings are errors


def test_a_socket_nobody_listens_on_is_explained(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    with pytest.raises(PortUnavailable, match="Is the panel's program running there"):
        collected.open(f"socket://127.0.0.1:{number}")


def usb_port(device: str, vendor: int | None) -> types.SimpleNamespace:
    return types.SimpleNamespace(device=device, description=None, vid=vendor, serial_number="42")


def test_ports_are_ranked_by_their_usb_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [usb_port("/dev/ttyS0", None), usb_port("/dev/ttyUSB0", 0x10C4), usb_port("/dev/ttyACM0", 0x2341)]
    monkeypatch.setattr(serial_list_ports, "comports", lambda: found)
    assert [port.name for port in list_ports()] == ["/dev/ttyACM0", "/dev/ttyUSB0", "/dev/ttyS0"]
    assert list_ports()[0] == FoundPort("/dev/ttyACM0", "", "Arduino", "42")


def test_listing_ports_survives_pyserials_stumbling(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble() -> None:
        raise TypeError("argument of type 'NoneType' is not iterable")

    monkeypatch.setattr(serial_list_ports, "comports", stumble)
    assert list_ports() == ()

# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: all states of one connection, in the order of its diagram.
"""The host's end of the link: greeting, edges, recovery, and reported gaps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.link.connection import Connection
from companion.link.events import (
    HealthReported,
    InputEdge,
    InputsChanged,
    InputsRead,
    LinkEvent,
    LinkLost,
    PanelForeign,
    PanelGreeted,
    PanelLogged,
)
from companion.link.framing import crc16
from companion.link.panel import load_panel
from companion.link.protocol_gen import (
    COMMAND_TRIES,
    FINGERPRINT,
    INPUT_BUTTON,
    INPUT_LEVER,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    REPLY_TIMEOUT_MS,
    Colour,
    GetSnapshot,
    GetSnapshotReply,
    Health,
    Heartbeat,
    Hello,
    HelloReply,
    Log,
    LogLevel,
    Ping,
    Status,
)
from companion.virtual.panel import VirtualPanel
from tests.wires import PANEL_ID, ConnectionPair, ScriptedPanel, clean, drop, up


def edges_of(events: list[LinkEvent]) -> list[InputEdge]:
    return [edge for event in events if isinstance(event, InputsChanged) for edge in event.edges]


def of(kind: type[LinkEvent], events: list[LinkEvent]) -> list[LinkEvent]:
    return [event for event in events if isinstance(event, kind)]


class TestGreeting:
    def test_a_panel_is_greeted_and_its_inputs_are_read(self) -> None:
        pair = ConnectionPair()
        pair.panel.close(3, pair.now_ms)
        pair.panel.reset(pair.now_ms)
        pair.run()
        greeted, read = pair.take_events()
        assert isinstance(greeted, PanelGreeted)
        assert greeted.hello.cells == 64
        assert read == InputsRead(5_000, closed=1 << 3, aux=0, has_gap=False)
        assert pair.host.is_up

    def test_a_restarting_board_is_greeted_only_after_its_first_packet(self) -> None:
        """Its bootloader listens first and would take our packets for its own."""
        host = Connection(nonce=1, patience_ms=2000)
        assert host.tick(0) == []
        assert host.bytes_to_send(0) == b""
        assert host.next_deadline_ms() == 2000
        host.tick(2000)
        assert host.bytes_to_send(2000) != b""
        host.reopen(9000)
        assert host.tick(9000) == []
        assert host.bytes_to_send(9000) == b""
        assert host.next_deadline_ms() == 11_000

    def test_any_packet_counts_as_the_first(self) -> None:
        pair = ConnectionPair(patience_ms=2000)
        pair.run(1)
        assert pair.host.is_up

    def test_a_panel_that_does_not_answer_is_reported_once_and_tried_again(self) -> None:
        pair = ConnectionPair(up=drop)
        pair.run(10_000)
        (silent,) = pair.take_events()
        assert isinstance(silent, LinkLost)
        assert "is this the panel's port" in silent.reason
        assert "companion tools panels" in silent.reason
        assert len(pair.said) > 12
        pair.set_faults(clean, clean)
        pair.run(2_000)
        assert [type(event) for event in pair.take_events()] == [PanelGreeted, InputsRead]

    def test_a_late_answer_to_an_earlier_hello_is_ignored(self) -> None:
        panel = ScriptedPanel(Connection(nonce=9))
        panel.expect(Hello, hello_reply(nonce=3))
        panel.run()
        panel.assert_done()
        assert panel.events == []
        assert not panel.host.is_up

    @pytest.mark.parametrize("difference", ["major", "fingerprint"])
    def test_another_protocol_is_reported_with_the_remedy(self, difference: str) -> None:
        reply = hello_reply(nonce=10)
        reply = replace(reply, major=2) if difference == "major" else replace(reply, fingerprint=1)
        panel = ScriptedPanel(Connection(nonce=9))
        panel.expect(Hello, reply)
        panel.run(10_000)
        (foreign,) = panel.events
        assert isinstance(foreign, PanelForeign)
        assert f"{FINGERPRINT:08X}" in foreign.ours
        assert "flash the program" in foreign.remedy
        assert foreign.ours != foreign.theirs

    @pytest.mark.parametrize(
        ("major", "older"),
        [
            (PROTOCOL_MAJOR - 1, "the panel is older"),
            (PROTOCOL_MAJOR + 1, "this program is older: install the newer Companion"),
            (PROTOCOL_MAJOR, "the Companion that the panel's firmware comes from"),
        ],
    )
    def test_the_remedy_names_the_older_side_if_it_is_known(self, major: int, older: str) -> None:
        panel = ScriptedPanel(Connection(nonce=9))
        panel.expect(Hello, replace(hello_reply(nonce=10), major=major, fingerprint=1))
        panel.run(10_000)
        (foreign,) = panel.events
        assert isinstance(foreign, PanelForeign)
        assert foreign.remedy.startswith(older) or older in foreign.remedy.partition(",")[0]

    def test_a_newer_minor_version_is_understood(self) -> None:
        panel = ScriptedPanel(Connection(nonce=9))
        panel.expect(Hello, replace(hello_reply(nonce=10), minor=PROTOCOL_MINOR + 1, fingerprint=1))
        panel.expect(GetSnapshot)
        panel.run()
        panel.assert_done()
        assert of(PanelGreeted, panel.events)

    def test_an_unreadable_hello_is_reported_as_foreign(self) -> None:
        panel = ScriptedPanel(Connection(nonce=9))
        panel.expect(Hello, TruncatedHello())  # type: ignore[arg-type]
        panel.run()
        assert isinstance(panel.events[0], PanelForeign)

    def test_a_foreign_panel_is_greeted_again_after_flashing(self) -> None:
        pair = ConnectionPair()
        pair.panel.device.fingerprint = 1
        pair.run(5_000)
        assert [type(event) for event in pair.take_events()] == [PanelForeign]
        pair.panel.device.fingerprint = FINGERPRINT
        pair.panel.reset(pair.now_ms)
        pair.run(10)
        assert [type(event) for event in pair.take_events()] == [PanelGreeted, InputsRead]

    def test_an_echo_is_no_panel(self) -> None:
        """A `loop://` port, or a board whose transmit and receive lines touch."""
        host = Connection(nonce=9)
        host.tick(0)
        assert host.feed(host.bytes_to_send(0), 1) == []
        assert (host.counters.packets, host.counters.answers) == (1, 0)


class TruncatedHello:
    """The hello reply of an old panel."""

    TYPE = HelloReply.TYPE

    def encode(self) -> bytes:
        return b"\x00\x00\x07"


def hello_reply(nonce: int) -> HelloReply:
    return ConnectionPair().panel.device.describe(nonce)


class TestInputs:
    def test_edges_arrive_in_order_with_the_time_of_their_first_change(self) -> None:
        pair = up()
        began_ms = pair.now_ms
        pair.panel.close(10, pair.now_ms)
        pair.run(2)
        pair.panel.press(1, pair.now_ms)
        pair.run(20)
        pair.panel.turn_lever(1, pair.now_ms)
        pair.run(20)
        assert edges_of(pair.events) == [
            InputEdge(began_ms, 10, True),
            InputEdge(began_ms + 2, INPUT_BUTTON + 1, True),
            InputEdge(began_ms + 22, INPUT_LEVER, True),
        ]
        last = pair.events[-1]
        assert isinstance(last, InputsChanged)
        assert (last.closed, last.aux) == (1 << 10, 1 << 1 | 1 << 15)

    def test_a_lost_edge_is_fetched_with_the_next_one(self) -> None:
        pair = up()
        pair.set_faults(drop, clean)
        pair.panel.close(1, pair.now_ms)
        pair.run(10)
        pair.set_faults(clean, clean)
        pair.panel.close(2, pair.now_ms)
        pair.run(10)
        assert [edge.input for edge in edges_of(pair.events)] == [1, 2]
        assert pair.host.counters.gaps == 1
        assert not of(InputsRead, pair.events)

    def test_the_heartbeat_finds_a_lost_last_edge(self) -> None:
        pair = up()
        pair.set_faults(drop, clean)
        pair.panel.close(1, pair.now_ms)
        pair.run(10)
        pair.set_faults(clean, clean)
        pair.run(1_100)
        assert [edge.input for edge in edges_of(pair.events)] == [1]

    def test_doubled_edges_count_once(self) -> None:
        pair = up()
        pair.set_faults(lambda chunk: [(0, chunk), (0, chunk)], clean)
        for cell in range(5):
            pair.panel.close(cell, pair.now_ms)
            pair.run(7)
        assert [edge.input for edge in edges_of(pair.events)] == [0, 1, 2, 3, 4]

    def test_edges_that_have_left_the_ring_are_a_gap(self) -> None:
        pair = up()
        pair.panel.is_mute = True
        for _ in range(4):
            for cell in range(10, 60):
                pair.panel.close(cell, pair.now_ms)
                pair.run(5)
                pair.panel.open(cell, pair.now_ms)
                pair.run(5)
        pair.panel.close(9, pair.now_ms)
        pair.panel.is_mute = False
        pair.run(3_000)
        assert pair.events[-1] == InputsRead(pair.events[-1].at_ms, closed=1 << 9, aux=0, has_gap=True)

    def test_edges_during_a_short_silence_are_not_lost(self) -> None:
        """The link goes down without answers.

        The panel's sequence numbers show that it did not restart.
        """
        pair = up()
        pair.panel.is_mute = True
        pair.run(4_000)
        pair.panel.close(5, pair.now_ms)
        pair.run(10)
        pair.panel.is_mute = False
        pair.run(3_000)
        assert [type(event) for event in pair.events] == [LinkLost, PanelGreeted, InputsChanged]
        assert [edge.input for edge in edges_of(pair.events)] == [5]
        assert pair.events[2].at_ms - pair.events[1].at_ms < 100  # requested, not found by the next heartbeat

    @pytest.mark.parametrize(("panel", "identity"), [("8x8", b"another1"), ("4x8", PANEL_ID)])
    def test_another_panel_with_the_same_session_number_is_read(self, panel: str, identity: bytes) -> None:
        pair = up()
        pair.panel = VirtualPanel(load_panel(panel), unique_id=identity, session=7, now_ms=pair.now_ms)
        pair.host.reopen(pair.now_ms)
        pair.run()
        assert [type(event) for event in pair.take_events()] == [PanelGreeted, InputsRead]

    def test_an_incomplete_snapshot_is_read_after_the_next_greeting(self) -> None:
        pair = up()
        hello = pair.panel.device.describe(42)
        panel = ScriptedPanel(pair.host, now_ms=pair.now_ms)
        for _ in range(COMMAND_TRIES):
            panel.expect(GetSnapshot)
        panel.expect(Hello, replace(hello, nonce=43))
        panel.expect(GetSnapshot)
        panel.send(Heartbeat(t_ms=1, session=7, sequence=0, state_crc=0x1234, health=Health(0)))
        panel.run(COMMAND_TRIES * REPLY_TIMEOUT_MS)
        panel.assert_done()
        assert [type(event) for event in panel.events] == [LinkLost, PanelGreeted]

    def test_a_restart_is_a_gap(self) -> None:
        pair = up()
        pair.panel.close(5, pair.now_ms)
        pair.panel.reset(pair.now_ms)
        pair.run(10)
        lost, greeted, read = pair.events
        assert isinstance(lost, LinkLost)
        assert "EXTERNAL" in lost.reason
        assert isinstance(greeted, PanelGreeted)
        assert isinstance(read, InputsRead)
        assert (read.closed, read.has_gap) == (1 << 5, True)

    def test_the_heartbeat_finds_a_missed_restart(self) -> None:
        pair = up()
        pair.set_faults(drop, clean)
        pair.panel.reset(pair.now_ms)
        pair.run(5)
        pair.set_faults(clean, clean)
        pair.run(1_100)
        assert [type(event) for event in pair.events] == [LinkLost, PanelGreeted, InputsRead]

    def test_a_differing_state_is_read_again(self) -> None:
        """The heartbeat's CRC finds differences that sequence numbers cannot."""
        pair = up()
        heartbeat = Heartbeat(t_ms=1, session=7, sequence=0, state_crc=0x1234, health=Health(0))
        panel = ScriptedPanel(pair.host, now_ms=pair.now_ms)
        panel.expect(GetSnapshot)
        panel.send(heartbeat)
        panel.run()
        panel.assert_done()
        assert not pair.host.is_up

    def test_a_state_larger_than_a_packet_is_read_in_parts(self) -> None:
        pair = ConnectionPair("20x20")
        pair.panel.device.max_packet = 64
        for cell in (0, 200, 399):
            pair.panel.close(cell, pair.now_ms)
        pair.run(20)
        read = of(InputsRead, pair.events)[0]
        assert isinstance(read, InputsRead)
        assert read.closed in (0, 1 | 1 << 200 | 1 << 399)
        assert [type(each) for each in pair.said].count(GetSnapshot) == 2

    def test_persistently_inconsistent_snapshots_take_the_link_down(self) -> None:
        """Such firmware is broken: it is greeted again, but at a limited rate."""
        panel = ScriptedPanel(Connection(nonce=9))
        spoilt = GetSnapshotReply(Status.OK, 0, 0, state_crc=1, total=10, offset=0, state=bytes(10))
        panel.expect(Hello, hello_reply(nonce=10))
        for _ in range(50):
            panel.expect(GetSnapshot, spoilt)
        panel.expect(Hello)
        panel.run()
        panel.assert_done()
        assert "make no sense" in str(panel.events[-1])

    def test_inconsistent_snapshots_before_a_consistent_one_are_no_fault(self) -> None:
        panel = ScriptedPanel(Connection(nonce=9))
        sound = GetSnapshotReply(
            Status.OK, 0, 0, state_crc=crc16(bytes(10)), total=10, offset=0, state=bytes(10)
        )
        panel.expect(Hello, hello_reply(nonce=10))
        for _ in range(2):
            for _ in range(30):
                panel.expect(GetSnapshot, replace(sound, state_crc=1))
            panel.expect(GetSnapshot, sound)
            panel.run()
            panel.assert_done()
            panel.send(Heartbeat(t_ms=1, session=7, sequence=0, state_crc=1, health=Health(0)))
        assert LinkLost not in {type(event) for event in panel.events}


class TestSilence:
    def test_a_silent_panel_is_reported_lost_in_time_and_found_again(self) -> None:
        pair = up()
        for _ in range(2):
            pair.panel.is_mute = True
            pair.run(3_000)
            assert [type(event) for event in pair.take_events()] == [LinkLost]
            pair.panel.is_mute = False
            pair.run(2_000)
            assert pair.host.is_up
            pair.take_events()

    def test_a_quiet_table_keeps_the_link_and_its_lamps(self) -> None:
        pair = up()
        pair.run(60_000)
        assert pair.events == []
        assert Ping in {type(each) for each in pair.said}
        assert not pair.panel.device.lamps.is_dark

    def test_a_panel_without_a_host_goes_dark(self) -> None:
        pair = up()
        pair.host.colour((Colour(0, 0, 0, 0, 0, 0, 0, 0), Colour(9, 9, 9, 0, 0, 0, 0, 0)))
        pair.host.show((1,) * 64)
        pair.run(10)
        assert pair.panel.leds(pair.now_ms)[0] == (9, 9, 9)
        pair.set_faults(clean, drop)
        pair.run(3_100)
        assert pair.panel.leds(pair.now_ms)[0] == (0, 0, 0)

    def test_the_panels_errors_and_logs_are_passed_on(self) -> None:
        pair = up()
        panel = ScriptedPanel(pair.host, now_ms=pair.now_ms)
        crc = pair.panel.device.inputs.state_crc()
        for _ in range(2):
            panel.send(Heartbeat(1, 7, 0, crc, Health.CHATTER))
        panel.send(Log(LogLevel.WARNING, "a column is shorted"))
        assert panel.events == [
            HealthReported(pair.now_ms, Health.CHATTER),
            PanelLogged(pair.now_ms, LogLevel.WARNING, "a column is shorted"),
        ]


def test_reopening_the_port_starts_a_new_greeting() -> None:
    """Partial packets from before are discarded."""
    pair = up()
    pair.host.write(0, "half said")
    assert pair.host.bytes_to_send(pair.now_ms)
    pair.host.feed(b"\x09half hea", pair.now_ms)
    events = pair.host.reopen(pair.now_ms)
    assert [type(event) for event in events] == [LinkLost]
    pair.run(10)
    assert [type(event) for event in pair.events] == [PanelGreeted]
    assert pair.host.is_up
    assert (pair.host.counters.bad_packets, pair.host.counters.repeats) == (0, 0)

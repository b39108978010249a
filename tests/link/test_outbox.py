# SPDX-License-Identifier: Apache-2.0
"""Requests to a connection: only the newest picture counts; commands are never dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.link.connection import Connection
from companion.link.events import (
    CommandAnswered,
    CommandLost,
    FeedbackRefused,
    LinkEvent,
    LinkLost,
)
from companion.link.protocol_gen import (
    Colour,
    ConfigGet,
    ConfigGetReply,
    ConfigKey,
    Edge,
    Edges,
    EdgesAgain,
    EdgesAgainReply,
    GetSnapshot,
    GetSnapshotReply,
    LedFill,
    LedSet,
    Note,
    Ping,
    PingReply,
    Refusal,
    Status,
    Text,
    TextReply,
    Tone,
)
from tests.wires import ScriptedPanel, clean, drop, up


def of(kind: type[LinkEvent], events: list[LinkEvent]) -> list[LinkEvent]:
    return [event for event in events if isinstance(event, kind)]


RED = Colour(255, 0, 0, 0, 0, 0, 0, 0)
DARK = Colour(0, 0, 0, 0, 0, 0, 0, 0)


class TestFeedback:
    def test_lamps_and_lines_are_shown(self) -> None:
        pair = up()
        pair.host.colour((DARK, RED))
        pair.host.show((0, 1))
        pair.host.write(0, "Blue to move")
        pair.run(10)
        assert pair.panel.leds(pair.now_ms)[:3] == ((0, 0, 0), (255, 0, 0), (0, 0, 0))
        assert pair.panel.lines == ("Blue to move", "")
        assert pair.host.is_idle

    def test_only_the_newest_picture_is_sent(self) -> None:
        pair = up()
        pair.said.clear()
        for turn in range(100):
            pair.host.show(tuple(int(cell == turn % 64) for cell in range(64)))
            pair.host.write(1, f"turn {turn}")
        pair.run(10)
        assert [type(each) for each in pair.said] == [LedFill, Text]
        assert pair.panel.lines[1] == "turn 99"

    def test_a_picture_already_shown_costs_nothing(self) -> None:
        pair = up()
        pair.host.show((1,) * 64)
        pair.run(10)
        pair.said.clear()
        pair.host.show((1,) * 64)
        pair.run(10)
        assert pair.said == []

    def test_tones_are_never_dropped(self) -> None:
        pair = up()
        notes = [Note(440 + step, 100) for step in range(5)]
        for note in notes:
            pair.host.send(Tone((note,)))
        pair.run(10)
        assert [played for _, played in pair.panel.device.tones] == [(note,) for note in notes]
        assert len(of(CommandAnswered, pair.events)) == 5

    def test_a_restarted_panel_is_repainted(self) -> None:
        pair = up()
        pair.host.colour((DARK, RED))
        pair.host.show((1,) * 64)
        pair.host.write(0, "CHECK!")
        pair.run(10)
        shown = pair.panel.leds(pair.now_ms)
        pair.panel.reset(pair.now_ms)
        assert pair.panel.leds(pair.now_ms) != shown
        pair.run(10)
        assert pair.panel.leds(pair.now_ms) == shown
        assert pair.panel.lines[0] == "CHECK!"

    def test_other_colours_repaint_the_same_picture(self) -> None:
        pair = up()
        pair.host.colour((DARK, RED))
        pair.host.show((1,) * 64)
        pair.run(10)
        pair.host.colour((DARK, replace(RED, red=0, blue=20)))
        pair.run(10)
        assert pair.panel.leds(pair.now_ms)[63] == (0, 0, 20)

    def test_a_large_picture_of_many_colours_arrives_complete(self) -> None:
        pair = up("20x20")
        pair.said.clear()
        pair.host.show(tuple(cell % 16 for cell in range(400)))
        pair.run(10)
        assert pair.panel.device.lamps.image == [cell % 16 for cell in range(400)]
        assert {type(each) for each in pair.said} == {LedFill, LedSet}

    def test_a_text_is_cut_between_letters(self) -> None:
        pair = up()
        pair.host.write(0, "ä" * 100)
        pair.run(10)
        assert pair.panel.lines[0] == "ä" * 16

    def test_a_refused_request_is_reported_and_not_repeated(self) -> None:
        pair = up()
        panel = ScriptedPanel(pair.host, now_ms=pair.now_ms)
        panel.expect(Text, TextReply(Status.BAD_ARGUMENT))
        pair.host.write(0, "hello")
        panel.run()
        panel.assert_done()
        assert panel.events == [FeedbackRefused(pair.now_ms, Text(0, "hello"), Status.BAD_ARGUMENT)]

    def test_too_many_colours_are_a_programming_error(self) -> None:
        with pytest.raises(ValueError, match="17 colours"):
            Connection(nonce=1).colour((DARK,) * 17)


class TestCommands:
    def test_a_command_is_answered(self) -> None:
        pair = up()
        pair.host.send(ConfigGet(ConfigKey.DEBOUNCE_ON_MS))
        pair.host.send(ConfigGet(ConfigKey(99)))
        pair.run(10)
        good, bad = pair.events
        assert isinstance(good, CommandAnswered)
        assert good.reply == ConfigGetReply(Status.OK, ConfigKey.DEBOUNCE_ON_MS, 4)
        assert isinstance(bad, CommandAnswered)
        assert bad.reply == Refusal(ConfigGetReply.TYPE, Status.BAD_ARGUMENT)

    def test_the_owner_may_send_commands_that_the_link_uses_itself(self) -> None:
        pair = up()
        pair.host.send(Ping(77))
        pair.host.send(GetSnapshot(0))
        pair.run(10)
        assert [type(each.reply) for each in pair.events if isinstance(each, CommandAnswered)] == [
            PingReply,
            GetSnapshotReply,
        ]
        assert pair.host.is_idle

    def test_a_lost_command_is_repeated_and_executed_once(self) -> None:
        pair = up()
        pair.set_faults(drop, clean)
        pair.host.send(Tone((Note(440, 100),)))
        pair.run(100)
        pair.set_faults(clean, clean)
        pair.run(300)
        assert len(pair.panel.device.tones) == 1
        assert pair.host.counters.repeats == 1
        assert len(of(CommandAnswered, pair.events)) == 1

    def test_a_command_without_an_answer_is_reported_lost(self) -> None:
        pair = up()
        pair.panel.is_mute = True
        tone = Tone((Note(440, 100),))
        pair.host.send(tone)
        pair.run(1_000)
        lost, down = pair.events
        assert lost == CommandLost(lost.at_ms, tone)
        assert isinstance(down, LinkLost)
        assert "stopped answering" in down.reason

    def test_at_most_one_command_is_in_flight(self) -> None:
        pair = up()
        for _ in range(3):
            pair.host.send(Ping(1))
        assert pair.host.bytes_to_send(pair.now_ms) != b""
        assert pair.host.bytes_to_send(pair.now_ms) == b""

    def test_missed_edges_are_fetched_before_any_other_command(self) -> None:
        panel = ScriptedPanel(up().host, now_ms=6_000)
        panel.send(Edges(first=2, t_ms=1_000, state_crc=0, edges=(Edge(1, 0),)))
        panel.host.write(0, "later")
        panel.expect(EdgesAgain, EdgesAgainReply(Status.OK, 2))
        panel.expect(Text, TextReply(Status.OK))
        panel.run()
        panel.assert_done()
        assert panel.seen[0] == EdgesAgain(1, 1)

# SPDX-License-Identifier: Apache-2.0
"""The software panel and the firmware's core give the same answers.

The core runs as a library in virtual time; hypothesis generates the commands.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from companion.link.panel import load_panel, order_of
from companion.link.protocol_gen import (
    Colour,
    ConfigGet,
    ConfigKey,
    ConfigSet,
    EdgesSince,
    GetSnapshot,
    GetSnapshotReply,
    Hello,
    HelloReply,
    Lamp,
    LedFill,
    LedPalette,
    LedSet,
    LedShow,
    Message,
    Note,
    Ping,
    PingReply,
    Reset,
    Run,
    Text,
    Tone,
    Whole,
)
from tests.firmware.native import NativePanel
from tests.virtual.test_panel import Host, edges_in

pytestmark = pytest.mark.native

PANEL = "8x8"

COLOURS = st.builds(
    Colour, *(st.integers(0, 255) for _ in range(6)), period=st.just(0), phase=st.integers(0, 255)
)
"""No blinking: the ticks of the two are not in phase."""
LAMPS = st.sampled_from([Lamp(0), Lamp.SHOW, Lamp.CLEAR, Lamp.SHOW | Lamp.CLEAR])
RUNS = st.builds(Run, st.integers(0, 66), st.integers(0, 66), st.integers(0, 17))
COMMANDS: st.SearchStrategy[Whole] = st.one_of(
    st.builds(LedPalette, st.integers(0, 17), st.lists(COLOURS, max_size=7).map(tuple)),
    st.builds(LedSet, LAMPS, st.integers(0, 66), st.integers(0, 66), st.binary(max_size=34)),
    st.builds(LedFill, LAMPS, st.lists(RUNS, max_size=6).map(tuple)),
    st.just(LedShow()),
    st.builds(
        Text, st.integers(0, 3), st.text(st.characters(min_codepoint=32, max_codepoint=91), max_size=40)
    ),
    st.builds(
        Tone, st.lists(st.builds(Note, st.integers(0, 11_000), st.integers(0, 500)), max_size=9).map(tuple)
    ),
    st.builds(ConfigGet, st.integers(0, 6).map(ConfigKey)),
    st.builds(ConfigSet, st.integers(0, 6).map(ConfigKey), st.integers(0, 0xFFFF) | st.integers(0, 300)),
    st.builds(GetSnapshot, st.integers(0, 12)),
    st.builds(EdgesSince, st.integers(0, 3)),
    st.builds(Reset, st.integers(0, 0xFFFF).filter(lambda magic: magic != 0xB007)),
)


def comparable(reply: Message) -> Message:
    """*reply* without the values that may differ between the two."""
    if isinstance(reply, GetSnapshotReply | PingReply):
        return replace(reply, t_ms=0)
    return reply


def twins() -> tuple[NativePanel, Host]:
    """Both panels, just switched on, with an empty memory."""
    native = NativePanel(PANEL)
    native.run_ms(120)
    native.packets()
    return native, Host(PANEL)


@given(st.lists(COMMANDS, min_size=1, max_size=25))
@settings(max_examples=50, phases=[Phase.explicit, Phase.generate])
def test_the_same_commands_get_the_same_replies(commands: list[Whole]) -> None:
    native, host = twins()
    for command in commands:
        assert comparable(host.ask(command)) == comparable(native.ask(command)), command
    native.run_ms(60)
    panel = load_panel(PANEL)
    places = order_of(panel.led_order, panel.leds, panel.files)
    strip = native.strip()
    assert list(host.panel.leds(host.now_ms)) == [strip[place] for place in places]
    assert [line.rstrip() for line in host.panel.lines] == [
        native.text(line).decode("ascii") for line in range(panel.text_lines)
    ]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.sampled_from([3, 6, 9, 30])), max_size=40))
@settings(max_examples=50, phases=[Phase.explicit, Phase.generate])
def test_the_same_switch_changes_make_the_same_edges(doings: list[tuple[int, bool, int]]) -> None:
    """Cells are opened and closed while others still bounce.

    No pauses add up to just 4 or 16 ms, which a scan may see either way.
    """
    native, host = twins()
    for cell in range(6):
        native.switch(cell, False)
    native.listen(60)
    native.notices.clear()
    heard: list[Message] = []
    for cell, is_closed, pause_ms in doings:
        native.switch(cell, is_closed)
        (host.panel.close if is_closed else host.panel.open)(cell, host.now_ms)
        native.listen(pause_ms)
        heard += host.wait(pause_ms)
    native.listen(100)
    heard += host.wait(100)
    virtual_edges = [wire for _, wire in edges_in(heard)]
    native_edges = [wire for _, wire in edges_in(native.notices)]
    assert virtual_edges == native_edges


def test_both_describe_the_same_panel() -> None:
    native, host = twins()
    theirs, ours = native.ask(Hello(1, 0, 7, 0)), host.ask(Hello(1, 0, 7, 0))
    assert isinstance(theirs, HelloReply)
    assert isinstance(ours, HelloReply)
    own = {"board": ours.board, "unique_id": ours.unique_id, "session": ours.session}
    assert replace(theirs, **own, capabilities=ours.capabilities) == ours  # type: ignore[arg-type]
    assert ours.capabilities in theirs.capabilities


def test_both_keep_the_same_time() -> None:
    native, host = twins()
    before = native.ask(Ping(1))
    native.run_ms(500)
    after = native.ask(Ping(2))
    assert isinstance(before, PingReply)
    assert isinstance(after, PingReply)
    assert after.t_ms - before.t_ms in range(499, 504)
    host.wait(500)
    assert host.ask(Ping(2)) == PingReply(after.status, 2, 500)

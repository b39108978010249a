# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: every device of the panel, against one simulated core.
"""Outputs and settings of the core: LEDs within their current, text, tones, configuration."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link.framing import Packet, encode_packet
from companion.link.protocol_gen import (
    Colour,
    ConfigGet,
    ConfigGetReply,
    ConfigKey,
    ConfigSave,
    ConfigSaveReply,
    ConfigSet,
    ConfigSetReply,
    Health,
    Heartbeat,
    Lamp,
    LedFill,
    LedFillReply,
    LedPalette,
    LedSet,
    LedSetReply,
    LedShow,
    Log,
    Message,
    Note,
    Ping,
    Refusal,
    ResetCause,
    Run,
    Status,
    Text,
    TextReply,
    Tone,
    ToneReply,
)
from tests.firmware.native import MEMORY_BYTES, NativePanel

pytestmark = pytest.mark.native

RED, GREEN, BLUE, WHITE = (200, 0, 0), (0, 200, 0), (0, 0, 200), (255, 255, 255)
DARK = (0, 0, 0)


def steady(*colours: tuple[int, int, int]) -> tuple[Colour, ...]:
    return tuple(Colour(*colour, 0, 0, 0, 0, 0) for colour in colours)


def serpentine(cell: int) -> int:
    """The place on the strip of the 8x8 panel that lies over a cell."""
    return cell if cell // 8 % 2 == 0 else cell // 8 * 8 + 7 - cell % 8


@pytest.fixture
def panel() -> NativePanel:
    panel = NativePanel()
    panel.listen(20)
    panel.ask(LedPalette(1, steady(RED, GREEN, BLUE, WHITE)))
    return panel


def lit(panel: NativePanel) -> dict[int, tuple[int, int, int]]:
    strip = panel.strip()
    return {cell: strip[serpentine(cell)] for cell in range(64) if strip[serpentine(cell)] != DARK}


# --- LEDs ---


def test_one_packet_repaints_the_board(panel: NativePanel) -> None:
    panel.ask(LedFill(Lamp.SHOW, (Run(10, 3, 1),)))
    reply = panel.ask(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(0, 2, 1), Run(63, 1, 3))))
    assert isinstance(reply, LedFillReply)
    assert reply.status is Status.OK
    assert lit(panel) == {0: RED, 1: RED, 63: BLUE}


def test_nothing_is_shown_before_it_is_requested(panel: NativePanel) -> None:
    panel.ask(LedSet(Lamp(0), 4, 3, b"\x21\x03"))
    assert lit(panel) == {}
    panel.ask(LedShow())
    assert lit(panel) == {4: RED, 5: GREEN, 6: BLUE}


@given(st.lists(st.integers(0, 4), min_size=1, max_size=64), st.data())
def test_packed_colours_land_on_their_cells(colours: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, 64 - len(colours)))
    panel = NativePanel()
    panel.listen(5)
    panel.ask(ConfigSet(ConfigKey.CURRENT_LIMIT_MA, 5000))
    panel.ask(LedPalette(1, steady(RED, GREEN, BLUE, (9, 9, 9))))
    padded = [*colours, 0]
    packed = bytes(padded[at] | padded[at + 1] << 4 for at in range(0, len(colours), 2))
    panel.ask(LedSet(Lamp.SHOW, first, len(colours), packed))
    shades = (DARK, RED, GREEN, BLUE, (9, 9, 9))
    wanted = {first + at: shades[colour] for at, colour in enumerate(colours) if colour}
    assert lit(panel) == wanted


def test_only_the_strip_up_to_the_last_change_is_sent(panel: NativePanel) -> None:
    panel.ask(LedFill(Lamp.SHOW, (Run(60, 1, 1),)))
    panel.ask(LedFill(Lamp.SHOW, (Run(3, 1, 2),)))
    assert panel.core.native_last_show() == 4
    assert set(lit(panel)) == {3, 60}


@pytest.mark.parametrize(
    "command",
    [
        LedFill(Lamp.SHOW, (Run(63, 2, 1),)),
        LedFill(Lamp.SHOW, (Run(0, 1, 16),)),
        LedSet(Lamp.SHOW, 60, 5, b"\x11\x11\x11"),
        LedPalette(15, steady(RED, RED)),
        Text(2, "third line"),
        Tone((Note(39, 10),)),
        Tone(tuple(Note(440, 10) for _ in range(9))),
        ConfigGet(ConfigKey(99)),
        ConfigSet(ConfigKey.DEBOUNCE_ON_MS, 0),
        ConfigSet(ConfigKey.CURRENT_LIMIT_MA, 19),
        ConfigSet(ConfigKey.BRIGHTNESS, 256),
    ],
    ids=str,
)
def test_missing_devices_are_refused_and_nothing_changes(panel: NativePanel, command: Message) -> None:
    assert isinstance(command, LedFill | LedSet | LedPalette | Text | Tone | ConfigGet | ConfigSet)
    assert panel.ask(command) == Refusal(command.TYPE | 0x80, Status.BAD_ARGUMENT)
    panel.ask(LedShow())
    assert lit(panel) == {}


def test_all_white_is_dimmed_to_the_current_limit_and_reported(panel: NativePanel) -> None:
    reply = panel.ask(LedFill(Lamp.SHOW, (Run(0, 64, 4),)))
    assert reply == LedFillReply(Status.POWER_LIMITED, 200)
    drawn_ma = sum(sum(colour) for colour in panel.strip()) * 20 / 255 + 64 * 0.6
    assert 150 < drawn_ma <= 200
    panel.listen(1100)
    assert panel.notices_of(Heartbeat)[-1].health & Health.POWER_LIMITED
    reply = panel.ask(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(0, 1, 4),)))
    assert isinstance(reply, LedFillReply)
    assert reply.status is Status.OK
    assert lit(panel) == {0: WHITE}


@given(
    st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=15, max_size=15),
    st.lists(st.integers(0, 15), min_size=64, max_size=64),
    st.integers(60, 1500),
    st.integers(0, 255),
)
def test_no_image_draws_more_than_the_limit(
    shades: list[tuple[int, int, int]], colours: list[int], limit_ma: int, brightness: int
) -> None:
    panel = NativePanel()
    panel.listen(5)
    panel.ask(ConfigSet(ConfigKey.CURRENT_LIMIT_MA, limit_ma))
    panel.ask(ConfigSet(ConfigKey.BRIGHTNESS, brightness))
    for first in range(1, 16, 5):
        panel.ask(LedPalette(first, steady(*shades[first - 1 : first + 4])))
    packed = bytes(colours[at] | colours[at + 1] << 4 for at in range(0, 64, 2))
    reply = panel.ask(LedSet(Lamp.SHOW, 0, 64, packed))
    assert isinstance(reply, LedSetReply)
    drawn_ma = sum(sum(colour) for colour in panel.strip()) * 20 / 255 + 64 * 0.6
    assert drawn_ma <= limit_ma + 1
    assert reply.current_ma + 2 >= drawn_ma


def test_a_raised_limit_shows_at_the_next_output(panel: NativePanel) -> None:
    panel.ask(LedFill(Lamp.SHOW, (Run(0, 64, 4),)))
    dimmed = panel.strip()[0]
    assert panel.ask(ConfigSet(ConfigKey.CURRENT_LIMIT_MA, 5000)) == ConfigSetReply(Status.OK)
    panel.ask(LedShow())
    assert panel.strip()[0] == WHITE > dimmed


def test_leds_go_dark_three_seconds_after_the_host_fell_silent_and_come_back(panel: NativePanel) -> None:
    panel.ask(LedFill(Lamp.SHOW, (Run(5, 1, 1),)))
    panel.listen(2900)
    assert lit(panel) == {5: RED}
    panel.listen(200)
    assert lit(panel) == {}
    panel.listen(1000)
    assert panel.notices_of(Heartbeat)[-1].health & Health.DARK
    panel.ask(Ping(0))
    panel.listen(2)
    assert lit(panel) == {5: RED}


def test_a_ping_a_second_keeps_them_lit(panel: NativePanel) -> None:
    panel.ask(LedFill(Lamp.SHOW, (Run(5, 1, 1),)))
    for _ in range(6):
        panel.listen(1000)
        panel.ask(Ping(0))
        assert lit(panel) == {5: RED}


def test_blinking_runs_on_the_panel(panel: NativePanel) -> None:
    panel.ask(LedPalette(5, (Colour(*RED, *GREEN, 20, 0), Colour(*RED, *GREEN, 20, 10))))
    panel.ask(LedFill(Lamp.SHOW, (Run(0, 1, 5), Run(1, 1, 6))))
    seen = []
    for _ in range(80):
        panel.listen(10)
        seen.append((panel.strip()[0], panel.strip()[1]))
    assert set(seen) == {(RED, GREEN), (GREEN, RED)}, "half a period apart"
    turns = sum(before != after for before, after in itertools.pairwise(seen))
    assert 7 <= turns <= 9, "800 ms hold four periods of 200 ms"


def test_a_blinking_lamp_sends_the_strip_up_to_itself(panel: NativePanel) -> None:
    panel.ask(LedPalette(5, (Colour(*RED, *GREEN, 20, 0),)))
    panel.ask(LedFill(Lamp.SHOW, (Run(4, 1, 5), Run(60, 1, 1))))
    assert panel.core.native_last_show() == serpentine(60) + 1
    shows = panel.core.native_shows()
    panel.listen(400)
    assert panel.core.native_shows() - shows == 4
    assert panel.core.native_last_show() == serpentine(4) + 1


def test_a_palette_that_changes_no_lit_lamp_does_not_send_the_strip(panel: NativePanel) -> None:
    panel.ask(LedFill(Lamp.SHOW, (Run(60, 1, 1),)))
    shows = panel.core.native_shows()
    panel.ask(LedPalette(1, steady(RED, GREEN, WHITE)))
    panel.ask(ConfigSet(ConfigKey.CURRENT_LIMIT_MA, 300))
    panel.ask(LedShow())
    assert panel.core.native_shows() == shows
    panel.ask(LedPalette(1, steady(BLUE)))
    panel.ask(LedShow())
    assert lit(panel) == {60: BLUE}


def test_an_unused_colour_does_not_send_the_strip(panel: NativePanel) -> None:
    panel.ask(LedPalette(5, (Colour(*RED, *GREEN, 20, 0),)))
    panel.ask(LedShow())
    before = panel.core.native_shows()
    panel.listen(1000)
    assert panel.core.native_shows() == before


# --- text and tones ---


def test_text_is_cut_padded_and_put_into_the_display_s_letters(panel: NativePanel) -> None:
    assert panel.ask(Text(0, "abcdefghijklmnopqrstuvw")) == TextReply(Status.OK)
    panel.ask(Text(1, "→ übel–°ß漢🙂~"))
    panel.listen(100)
    assert panel.text(0) == b"abcdefghijklmnop"
    assert panel.text(1) == b"\x7e \xf5bel-\xdf\xe2??-"
    panel.ask(Text(0, "new"))
    panel.listen(30)
    assert panel.text(0) == b"new"


@given(st.binary(max_size=60))
def test_any_bytes_are_text_that_can_be_drawn(data: bytes) -> None:
    panel = NativePanel()
    panel.listen(5)
    panel.feed(encode_packet(Packet(Text.TYPE, 1, b"\0" + data)))
    panel.run_ms(100)
    (reply,) = panel.packets()
    assert reply.payload == b"\0"
    assert len(panel.text(0)) <= 16


def test_notes_follow_one_another_and_end_in_silence(panel: NativePanel) -> None:
    assert panel.ask(Tone((Note(440, 50), Note(0, 30), Note(880, 50)))) == ToneReply(Status.OK)
    heard = []
    for _ in range(16):
        heard.append(panel.core.native_pitch())
        panel.listen(10)
    assert heard[:4] == [440] * 4
    assert heard[-2:] == [0, 0]
    assert [pitch for at, pitch in enumerate(heard) if at == 0 or pitch != heard[at - 1]] == [440, 0, 880, 0]


def test_no_notes_are_silence(panel: NativePanel) -> None:
    panel.ask(Tone((Note(440, 5000),)))
    assert panel.core.native_pitch() == 440
    panel.ask(Tone())
    assert panel.core.native_pitch() == 0


# --- configuration ---

SLOTS = (slice(16, 26), slice(32, 42))
KEYS = (
    ConfigKey.DEBOUNCE_ON_MS,
    ConfigKey.DEBOUNCE_OFF_MS,
    ConfigKey.CURRENT_LIMIT_MA,
    ConfigKey.BRIGHTNESS,
)
DEFAULTS = (4, 4, 200, 255)


def settings_of(panel: NativePanel) -> tuple[int, ...]:
    replies = [panel.ask(ConfigGet(key)) for key in KEYS]
    return tuple(reply.value for reply in replies if isinstance(reply, ConfigGetReply))


def save(panel: NativePanel, *values: int) -> None:
    for key, value in zip(KEYS, values, strict=True):
        assert panel.ask(ConfigSet(key, value)) == ConfigSetReply(Status.OK)
    assert panel.ask(ConfigSave()) == ConfigSaveReply(Status.OK)


def test_settings_hold_at_once_and_are_forgotten_unless_saved(panel: NativePanel) -> None:
    assert settings_of(panel) == DEFAULTS
    panel.ask(ConfigSet(ConfigKey.DEBOUNCE_OFF_MS, 25))
    assert settings_of(panel) == (4, 25, 200, 255)
    assert panel.hello().debounce_off_ms == 25
    panel.start(ResetCause.POWER_ON)
    assert settings_of(panel) == DEFAULTS


def test_saved_settings_outlive_a_power_cut(panel: NativePanel) -> None:
    save(panel, 5, 6, 700, 80)
    panel.start(ResetCause.POWER_ON)
    assert settings_of(panel) == (5, 6, 700, 80)
    panel.listen(1200)
    assert panel.notices_of(Heartbeat)
    assert not panel.notices_of(Log)


def test_the_unique_id_is_made_once_and_stays(panel: NativePanel) -> None:
    first = panel.hello().unique_id
    panel.start(ResetCause.POWER_ON)
    assert panel.hello().unique_id == first


def test_a_host_that_saves_in_a_loop_writes_once_a_minute(panel: NativePanel) -> None:
    for turn in range(20):
        save(panel, 5, 6, 700, turn)
    writes = panel.core.native_memory_writes()
    save(panel, 5, 6, 700, 19)
    for turn in range(30, 40):
        panel.ask(ConfigSet(ConfigKey.BRIGHTNESS, turn))
        assert panel.ask(ConfigSave()) == Refusal(ConfigSaveReply.TYPE, Status.STORAGE_FAILED)
    assert panel.core.native_memory_writes() == writes
    panel.run_ms(60_000)
    panel.packets()
    save(panel, 5, 6, 700, 41)
    panel.ask(ConfigSet(ConfigKey.BRIGHTNESS, 42))
    assert panel.ask(ConfigSave()) == Refusal(ConfigSaveReply.TYPE, Status.STORAGE_FAILED)
    panel.start(ResetCause.POWER_ON)
    assert settings_of(panel) == (5, 6, 700, 41)


def test_saves_take_turns_and_write_nothing_when_nothing_changed(panel: NativePanel) -> None:
    save(panel, 5, 6, 700, 80)
    one = panel.memory()
    writes = panel.core.native_memory_writes()
    save(panel, 5, 6, 700, 80)
    assert panel.core.native_memory_writes() == writes
    save(panel, 7, 6, 700, 80)
    two = panel.memory()
    assert sum(one[slot] != two[slot] for slot in SLOTS) == 1
    assert panel.core.native_memory_writes() - writes <= 10


@given(
    st.sampled_from([0, 1]),
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 255)), min_size=1, max_size=4),
)
def test_a_damaged_slot_leaves_the_other_one(which: int, damage: list[tuple[int, int]]) -> None:
    panel = NativePanel()
    panel.listen(5)
    save(panel, 5, 6, 700, 80)
    save(panel, 9, 9, 900, 90)
    memory = panel.memory()
    before = bytes(memory)
    for at, flip in damage:
        memory[SLOTS[which].start + at] ^= flip
    panel.set_memory(memory)
    panel.start(ResetCause.BROWN_OUT)
    known = {(5, 6, 700, 80), (9, 9, 900, 90)}
    assert settings_of(panel) in known
    if bytes(memory) != before and settings_of(panel) == (9, 9, 900, 90):
        save(panel, 9, 9, 900, 91)
        panel.start(ResetCause.POWER_ON)
        assert settings_of(panel) == (9, 9, 900, 91)


@given(st.binary(min_size=MEMORY_BYTES, max_size=MEMORY_BYTES))
def test_rubbish_in_the_memory_gives_defaults_and_a_word(rubbish: bytes) -> None:
    panel = NativePanel()
    panel.set_memory(rubbish)
    panel.start(ResetCause.BROWN_OUT)
    assert settings_of(panel) == DEFAULTS
    panel.listen(100)
    if set(rubbish[SLOTS[0]] + rubbish[SLOTS[1]]) != {0xFF}:
        assert panel.notices_of(Log)[0].text == "settings damaged, defaults"


@given(st.integers(0, 10))
def test_a_power_cut_while_saving_leaves_the_old_or_the_new_settings(writes: int) -> None:
    panel = NativePanel()
    panel.listen(5)
    save(panel, 5, 6, 700, 80)
    panel.core.native_break_memory(writes)
    for key, value in zip(KEYS, (9, 8, 900, 90), strict=True):
        panel.ask(ConfigSet(key, value))
    saved = panel.ask(ConfigSave())
    panel.core.native_break_memory(-1)
    panel.start(ResetCause.BROWN_OUT)
    expected = (9, 8, 900, 90) if saved == ConfigSaveReply(Status.OK) else (5, 6, 700, 80)
    assert settings_of(panel) == expected
    if writes < 8:
        assert saved == Refusal(ConfigSaveReply.TYPE, Status.STORAGE_FAILED)


def test_after_a_failed_save_the_good_slot_is_still_the_newest(panel: NativePanel) -> None:
    save(panel, 5, 6, 700, 80)
    panel.core.native_break_memory(3)
    panel.ask(ConfigSet(ConfigKey.BRIGHTNESS, 10))
    assert panel.ask(ConfigSave()) == Refusal(ConfigSaveReply.TYPE, Status.STORAGE_FAILED)
    panel.core.native_break_memory(2)
    assert panel.ask(ConfigSave()) == Refusal(ConfigSaveReply.TYPE, Status.STORAGE_FAILED)
    panel.core.native_break_memory(-1)
    panel.start(ResetCause.POWER_ON)
    assert settings_of(panel) == (5, 6, 700, 80)


def test_a_board_with_every_switch_closed_is_called_miswired() -> None:
    panel = NativePanel()
    for cell in range(64):
        panel.switch(cell, True)
    panel.start(ResetCause.POWER_ON)
    panel.listen(1100)
    assert panel.notices_of(Heartbeat)[-1].health & Health.SELF_TEST
    assert [log.text for log in panel.notices_of(Log)] == ["every sensor reads closed"]

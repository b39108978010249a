# SPDX-License-Identifier: Apache-2.0
"""Messages of tables and hall are sealed with the key of the station.

Without the key nobody can send for either, and recorded messages have no effect.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.hall.keys.message_auth import (
    Accepted,
    Answer,
    HallLines,
    Kind,
    Packet,
    TableLine,
    key_of,
    sign,
    verify,
)
from companion.model.errors import SettingsError

SECRET = "a secret of sixteen letters or more"
KEY = key_of(SECRET, "red").encode()
NAMES = st.text("0123456789abcdef.", min_size=1)
PACKETS = st.builds(Packet, st.sampled_from(Kind), NAMES, NAMES | st.just(""), st.integers(0), st.text())


def keys(station: str) -> bytes:
    return key_of(SECRET, station).encode()


@given(PACKETS, st.binary(min_size=1), st.data())
def test_sealed_messages_are_read_and_altered_ones_refused(
    packet: Packet, key: bytes, data: st.DataObject
) -> None:
    message = sign(packet, key)
    assert verify(message, key) == packet
    with pytest.raises(ValueError, match="not made with the key"):
        verify(message, key + b"x")
    at = data.draw(st.integers(0, len(message) - 1))
    other = data.draw(st.characters(exclude_characters=message[at], exclude_categories=["Cs"]))
    with pytest.raises(ValueError, match="not made with the key"):
        verify(message[:at] + other + message[at + 1 :], key)


@given(st.text())
def test_unsealed_messages_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not made with the key"):
        verify(text, KEY)


def test_keys_differ_for_each_station_and_renewal() -> None:
    found = {key_of(SECRET, station, renewed) for station in ("red", "blue", "") for renewed in (0, 1, 2)}
    assert len(found) == 9
    assert all(SECRET not in key and len(key) == 64 for key in found)
    with pytest.raises(SettingsError, match="16 letters at least"):
        key_of("short", "red")


class Meeting:
    """A hall and the newest connection of the table red; their messages are recorded."""

    def __init__(self) -> None:
        self.hall = HallLines(keys)
        self.recorded: dict[str, list[str]] = {"up": [], "down": []}
        self.taken: list[str] = []
        self.connect()

    def connect(self) -> None:
        """Open another connection, also after a restart; nothing of the previous one is kept."""
        self.table = TableLine(KEY)
        self.goodbye = self.table.end("goodbye")
        self.send("hello")
        self.send("hello")

    def send(self, text: str, instance: str = "i") -> None:
        self.up(self.table.sign(text), instance)

    def up(self, message: str, instance: str = "i") -> None:
        """What is said to the hall arrives there, and its answer at the table."""
        self.recorded["up"].append(message)
        answer = self.hall.verify("red", message)
        if isinstance(answer, Answer):
            self.recorded["down"].append(answer.message)
            assert self.table.verify(answer.message) is None
        else:
            self.taken.append(answer.text)
            self.hall.assign("red", answer.line, instance)

    def order(self, text: str) -> str | None:
        message = self.hall.sign("red", "i", text)
        assert message is not None
        self.recorded["down"].append(message)
        return self.table.verify(message)

    def replay(self) -> None:
        """All that was recorded is said again, to both: nothing of it is taken."""
        for message in self.recorded["up"]:
            try:
                answer = self.hall.verify("red", message)
            except ValueError:
                continue
            assert isinstance(answer, Answer), "a replay may be answered by a challenge only"
            with suppress(ValueError):
                assert self.table.verify(answer.message) is None
        for message in self.recorded["down"]:
            with pytest.raises(ValueError, match=r"old|line"):
                self.table.verify(message)


def test_after_the_challenge_each_message_is_accepted_once() -> None:
    met = Meeting()
    assert met.taken == ["hello"], "the first message lacks the challenge"
    met.send("a move")
    assert met.order("pause") == "pause"
    assert met.taken == ["hello", "a move"]
    met.replay()
    met.send("another move")
    assert met.order("resume") == "resume", "replays must not change the counters"


def test_recorded_messages_have_no_effect_after_a_restart_of_table_or_hall() -> None:
    met = Meeting()
    met.order("resign")
    met.recorded["up"].append(met.goodbye)
    met.up(met.goodbye)
    assert met.taken == ["hello", "goodbye"]
    met.replay()
    met.connect()
    met.replay()
    assert met.order("pause") == "pause"
    met.hall = HallLines(keys)
    met.replay()
    met.send("sent to a hall that does not know the connection")
    met.send("hello")
    assert met.taken[-1] == "hello"
    assert met.order("pause") == "pause"
    met.replay()


def test_a_goodbye_ends_its_own_connection_only() -> None:
    met = Meeting()
    before = met.goodbye
    met.connect()
    with pytest.raises(ValueError, match="ended before"):
        met.hall.verify("red", before)
    assert met.order("pause") == "pause", "the table must still be connected"
    met.up(met.goodbye)
    assert met.hall.sign("red", "i", "pause") is None
    with pytest.raises(ValueError, match="ended before"):
        met.hall.verify("red", met.goodbye)


def test_two_programs_of_one_station_have_separate_connections() -> None:
    met = Meeting()
    first = met.table
    rival = met.table = TableLine(KEY)
    for _ in range(2):
        met.send("hello", "rival")
    for table, other, instance in ((first, rival, "i"), (rival, first, "rival")):
        message = met.hall.sign("red", instance, f"for {instance}")
        assert message is not None
        with pytest.raises(ValueError, match="another line"):
            other.verify(message)
        assert table.verify(message) == f"for {instance}"


def test_two_simultaneous_connections_get_separate_challenges() -> None:
    hall, lines = HallLines(keys), [TableLine(KEY), TableLine(KEY)]
    answers = [hall.verify("red", line.sign("hello")) for line in lines]
    for line, answer in zip(lines, answers, strict=True):
        assert isinstance(answer, Answer)
        line.verify(answer.message)
    assert isinstance(hall.verify("red", lines[0].sign("hello")), Accepted)
    again = hall.verify("red", lines[1].sign("hello"))
    assert isinstance(again, Answer), "that challenge is used up"
    lines[1].verify(again.message)
    assert isinstance(hall.verify("red", lines[1].sign("hello")), Accepted)
    assert lines[0].challenge != lines[1].challenge


def test_a_displaced_connection_may_begin_again_but_its_recording_may_not() -> None:
    met = Meeting()
    crowded, recorded = met.table, met.recorded["up"][-1]
    for number in range(20):
        met.table = TableLine(KEY)
        for _ in range(2):
            met.send("hello", f"rival {number}")
    assert isinstance(met.hall.verify("red", recorded), Answer)
    answer = met.hall.verify("red", crowded.sign("hello"))
    assert isinstance(answer, Answer)
    crowded.verify(answer.message)
    assert isinstance(met.hall.verify("red", crowded.sign("hello")), Accepted)


def test_a_renewed_key_ends_all_connections_at_once() -> None:
    renewed = [0]
    hall, table = HallLines(lambda station: key_of(SECRET, station, renewed[0]).encode()), TableLine(KEY)
    answer = hall.verify("red", table.sign("hello"))
    assert isinstance(answer, Answer)
    table.verify(answer.message)
    answer = hall.verify("red", table.sign("hello"))
    assert isinstance(answer, Accepted)
    hall.assign("red", answer.line, "i")
    renewed[0] = 1
    assert hall.sign("red", "i", "pause") is None
    with pytest.raises(ValueError, match="not made with the key"):
        hall.verify("red", table.sign("hello"))
    fresh = TableLine(key_of(SECRET, "red", 1).encode())
    assert isinstance(hall.verify("red", fresh.sign("hello")), Answer)
    assert hall.sign("red", "i", "pause") is None, "the previous connection must not return"


def test_each_end_refuses_its_own_messages() -> None:
    met = Meeting()
    message = met.hall.sign("red", "i", "pause")
    assert message is not None
    with pytest.raises(ValueError, match="not for a hall"):
        met.hall.verify("red", message)
    with pytest.raises(ValueError, match="old"):
        met.table.verify(met.table.sign("hello"))

# SPDX-License-Identifier: Apache-2.0
"""Seals of tables and hall: without the key of the board nobody speaks for either, and nothing that was recorded works again."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.hall.keys.message_auth import (
    Answer,
    HallLines,
    Kind,
    Packet,
    TableLine,
    Taken,
    key_of,
    seal,
    unseal,
)
from companion.model.errors import SettingsError

SECRET = "a secret of sixteen letters or more"
KEY = key_of(SECRET, "red").encode()
NAMES = st.text("0123456789abcdef.", min_size=1)
PACKETS = st.builds(Packet, st.sampled_from(Kind), NAMES, NAMES | st.just(""), st.integers(0), st.text())


def keys(board: str) -> bytes:
    return key_of(SECRET, board).encode()


@given(PACKETS, st.binary(min_size=1), st.data())
def test_what_was_sealed_is_read_and_what_was_changed_is_not(
    packet: Packet, key: bytes, data: st.DataObject
) -> None:
    sealed = seal(packet, key)
    assert unseal(sealed, key) == packet
    with pytest.raises(ValueError, match="seal"):
        unseal(sealed, key + b"x")
    at = data.draw(st.integers(0, len(sealed) - 1))
    other = data.draw(st.characters(exclude_characters=sealed[at], exclude_categories=["Cs"]))
    with pytest.raises(ValueError, match="seal"):
        unseal(sealed[:at] + other + sealed[at + 1 :], key)


@given(st.text())
def test_what_was_never_sealed_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="seal"):
        unseal(text, KEY)


def test_keys_differ_from_board_to_board_and_each_time_they_are_renewed() -> None:
    found = {key_of(SECRET, board, renewed) for board in ("red", "blue", "") for renewed in (0, 1, 2)}
    assert len(found) == 9
    assert all(SECRET not in key and len(key) == 64 for key in found)
    with pytest.raises(SettingsError, match="16 letters at least"):
        key_of("short", "red")


class Meeting:
    """A hall and the newest line of the table red, with a recorder between them."""

    def __init__(self) -> None:
        self.hall = HallLines(keys)
        self.recorded: dict[str, list[str]] = {"up": [], "down": []}
        self.taken: list[str] = []
        self.connect()

    def connect(self) -> None:
        """The table opens another line, also after a restart: nothing of the one before is kept."""
        self.table = TableLine(KEY)
        self.goodbye = self.table.end("goodbye")
        self.say("hello")
        self.say("hello")

    def say(self, text: str, instance: str = "i") -> None:
        self.up(self.table.say(text), instance)

    def up(self, sealed: str, instance: str = "i") -> None:
        """What is said to the hall arrives there, and its answer at the table."""
        self.recorded["up"].append(sealed)
        heard = self.hall.hear("red", sealed)
        if isinstance(heard, Answer):
            self.recorded["down"].append(heard.sealed)
            assert self.table.hear(heard.sealed) is None
        else:
            self.taken.append(heard.text)
            self.hall.speaks("red", heard.line, instance)

    def order(self, text: str) -> str | None:
        sealed = self.hall.say("red", "i", text)
        assert sealed is not None
        self.recorded["down"].append(sealed)
        return self.table.hear(sealed)

    def replay(self) -> None:
        """All that was recorded is said again, to both: nothing of it is taken."""
        for sealed in self.recorded["up"]:
            try:
                heard = self.hall.hear("red", sealed)
            except ValueError:
                continue
            assert isinstance(heard, Answer), "a challenge is all that it brings"
            with suppress(ValueError):
                assert self.table.hear(heard.sealed) is None
        for sealed in self.recorded["down"]:
            with pytest.raises(ValueError, match=r"old|line"):
                self.table.hear(sealed)


def test_a_line_gets_its_challenge_and_then_each_message_is_taken_once() -> None:
    met = Meeting()
    assert met.taken == ["hello"], "the first was said without the challenge"
    met.say("a move")
    assert met.order("pause") == "pause"
    assert met.taken == ["hello", "a move"]
    met.replay()
    met.say("another move")
    assert met.order("resume") == "resume", "and replays have disturbed nothing"


def test_what_was_recorded_works_no_more_after_the_table_or_the_hall_was_started_again() -> None:
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
    met.say("told to a hall that does not know the line")
    met.say("hello")
    assert met.taken[-1] == "hello"
    assert met.order("pause") == "pause"
    met.replay()


def test_a_goodbye_ends_its_own_line_and_no_later_one() -> None:
    met = Meeting()
    before = met.goodbye
    met.connect()
    with pytest.raises(ValueError, match="ended before"):
        met.hall.hear("red", before)
    assert met.order("pause") == "pause", "the table is still there"
    met.up(met.goodbye)
    assert met.hall.say("red", "i", "pause") is None
    with pytest.raises(ValueError, match="ended before"):
        met.hall.hear("red", met.goodbye)


def test_two_programs_of_one_board_keep_their_lines_beside_each_other() -> None:
    met = Meeting()
    first = met.table
    rival = met.table = TableLine(KEY)
    for _ in range(2):
        met.say("hello", "rival")
    for table, other, instance in ((first, rival, "i"), (rival, first, "rival")):
        sealed = met.hall.say("red", instance, f"for {instance}")
        assert sealed is not None
        with pytest.raises(ValueError, match="another line"):
            other.hear(sealed)
        assert table.hear(sealed) == f"for {instance}"


def test_two_lines_that_begin_at_one_time_both_get_challenges_of_their_own() -> None:
    hall, lines = HallLines(keys), [TableLine(KEY), TableLine(KEY)]
    answers = [hall.hear("red", line.say("hello")) for line in lines]
    for line, answer in zip(lines, answers, strict=True):
        assert isinstance(answer, Answer)
        line.hear(answer.sealed)
    assert isinstance(hall.hear("red", lines[0].say("hello")), Taken)
    again = hall.hear("red", lines[1].say("hello"))
    assert isinstance(again, Answer), "that challenge was used"
    lines[1].hear(again.sealed)
    assert isinstance(hall.hear("red", lines[1].say("hello")), Taken)
    assert lines[0].challenge != lines[1].challenge


def test_a_line_that_was_crowded_out_begins_again_and_its_record_does_not() -> None:
    met = Meeting()
    crowded, recorded = met.table, met.recorded["up"][-1]
    for number in range(20):
        met.table = TableLine(KEY)
        for _ in range(2):
            met.say("hello", f"rival {number}")
    assert isinstance(met.hall.hear("red", recorded), Answer)
    answer = met.hall.hear("red", crowded.say("hello"))
    assert isinstance(answer, Answer)
    crowded.hear(answer.sealed)
    assert isinstance(met.hall.hear("red", crowded.say("hello")), Taken)


def test_a_key_that_is_renewed_ends_all_lines_at_once() -> None:
    renewed = [0]
    hall, table = HallLines(lambda board: key_of(SECRET, board, renewed[0]).encode()), TableLine(KEY)
    answer = hall.hear("red", table.say("hello"))
    assert isinstance(answer, Answer)
    table.hear(answer.sealed)
    heard = hall.hear("red", table.say("hello"))
    assert isinstance(heard, Taken)
    hall.speaks("red", heard.line, "i")
    renewed[0] = 1
    assert hall.say("red", "i", "pause") is None
    with pytest.raises(ValueError, match="seal"):
        hall.hear("red", table.say("hello"))
    fresh = TableLine(key_of(SECRET, "red", 1).encode())
    assert isinstance(hall.hear("red", fresh.say("hello")), Answer)
    assert hall.say("red", "i", "pause") is None, "the line of before has not come back"


def test_neither_end_takes_what_it_might_have_said_itself() -> None:
    met = Meeting()
    sealed = met.hall.say("red", "i", "pause")
    assert sealed is not None
    with pytest.raises(ValueError, match="not for a hall"):
        met.hall.hear("red", sealed)
    with pytest.raises(ValueError, match="old"):
        met.table.hear(met.table.say("hello"))

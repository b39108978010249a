# SPDX-License-Identifier: Apache-2.0
"""Journals: entries are kept, power cuts survived, damaged lines named."""

from __future__ import annotations

import dataclasses
import json
import os
from datetime import datetime
from pathlib import Path
from typing import cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from companion.host.codec import encode
from companion.host.journal import files, journal
from companion.host.journal.checksum import whole_lines
from companion.host.journal.journal import CommandEntry, Continued, Entry, Header, JournalWriter, Ticked
from companion.host.journal.setup import GameSetup
from companion.model.absent import PlayedBy
from companion.model.errors import JournalError
from companion.model.game import Outcome
from companion.model.observation import Change, Observation, Press, SensorKind, Sighting, Sightings
from companion.referee.values.clocks import Control, Period
from companion.referee.values.commands import NewGame, Resign
from companion.referee.values.events import GameBegan, GameEnded, MoveMade, Stage
from companion.referee.values.gestures import Gestures
from companion.referee.values.timing import DEFAULT_TIMING

RECORDINGS = Path(__file__).parents[2] / "recordings"

HEADER = Header(
    journal.FORMAT,
    "0.1.0",
    "2026-05-01T20:15:00+02:00",
    GameSetup("close-quarters", (("take_back", "no"),), control="none"),
    DEFAULT_TIMING,
)
ENTRIES: tuple[Entry, ...] = (
    Observation(5, (Change(3, 0, Sighting(True)), Press(4, 1)), Sightings(1 << 31), 3),
    GameBegan(5, "start"),
    Ticked(700),
    MoveMade(700, 0, 0, "Sa3", Stage.ANNOUNCED, "then"),
    CommandEntry(900, Resign(1)),
    GameEnded(900, Outcome((0,), "resigned")),
)


def written(
    folder: Path, entries: tuple[Entry, ...] = ENTRIES, name: str = "game.jsonl", header: Header = HEADER
) -> Path:
    path = folder / name
    with JournalWriter.create(path, header) as writer:
        writer.write(entries)
    return path


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_header_of_an_old_journal_is_written_again_byte_for_byte(path: Path) -> None:
    (line, *_), _ = whole_lines(path, path.read_bytes())
    assert as_line(journal.read(path).header) == line.decode()


def test_the_words_of_a_header_and_their_order_stay() -> None:
    setup = GameSetup(
        "close-quarters",
        (("take_back", "no"),),
        ("Ann", "Ben"),
        position="a1",
        played_by=(PlayedBy.TABLE, PlayedBy.COMPUTER),
        levels=(0, 2),
        lesson="place",
        warned=(0,),
        puzzle=2,
    )
    header = Header(
        1,
        "0.1.0",
        "2026-05-01T20:15:00+02:00",
        setup,
        DEFAULT_TIMING,
        SensorKind.SIDE,
        Control(((Period(60_000),),) * 2),
        Gestures.PRESSES,
        "of the hall",
        (("hold", "1"),),
    )
    assert as_line(header) == (
        '{"format":1,"program":"0.1.0","began":"2026-05-01T20:15:00+02:00","game":"close-quarters",'
        '"options":[["take_back","no"]],"timing":{"rest_ms":60,"hint_ms":500,"dwell_ms":700,'
        '"dwell_emptied_ms":1000,"longest_ms":2400},"sensor":"side","control":{"is":"Control",'
        '"periods":[[{"time_ms":60000}],[{"time_ms":60000}]]},"gestures":"presses","players":["Ann","Ben"],'
        '"order":"of the hall","start":"a1","costs":[["hold","1"]],"played_by":["table","computer"],'
        '"levels":[0,2],"warned":[0]}'
    )
    assert '"options":[]' in as_line(dataclasses.replace(HEADER, setup=GameSetup("close-quarters")))


def as_line(header: Header) -> str:
    """*header* as a journal has it, without the checksum."""
    return json.dumps(encode(Header, header), ensure_ascii=False, separators=(",", ":"))


def test_written_entries_are_read_back(tmp_path: Path) -> None:
    read = journal.read(written(tmp_path))
    assert (read.header, read.entries, read.note) == (HEADER, ENTRIES, "")
    assert not read.is_under_way
    assert [entry for entry in ENTRIES if isinstance(entry, GameBegan | MoveMade | GameEnded)] == list(
        read.events
    )
    assert read.last_ms == 900


@given(entries=st.lists(st.from_type(cast("type[Entry]", Entry)), min_size=1, max_size=4).map(tuple))
def test_arbitrary_entries_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, entries: tuple[Entry, ...]
) -> None:
    path = written(tmp_path_factory.mktemp("journal"), entries)
    if all(isinstance(entry, Ticked) for entry in entries):
        assert not path.exists(), "nothing has happened"
    else:
        assert entries == journal.read(path).entries


def test_entries_are_in_the_file_before_the_writer_is_closed(tmp_path: Path) -> None:
    with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as writer:
        writer.write(ENTRIES[:3])
        assert ENTRIES[:3] == journal.read(tmp_path / "game.jsonl").entries


def test_a_time_without_events_is_written_with_the_next_entry(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter.create(path, HEADER) as writer:
        writer.write(ENTRIES[:2])
        writer.write([Ticked(600)])
        assert journal.read(path).entries == ENTRIES[:2]
        writer.write(ENTRIES[3:])
        assert journal.read(path).entries == (*ENTRIES[:2], Ticked(600), *ENTRIES[3:])
        writer.write([Ticked(950)])
        writer.sync()
        assert journal.read(path).last_ms == 950


def test_a_truncated_journal_keeps_every_complete_line(tmp_path: Path) -> None:
    whole = written(tmp_path).read_bytes()
    path = tmp_path / "cut.jsonl"
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole)):
        path.write_bytes(whole[:length])
        read = journal.read(path)
        assert whole[:length].count(b"\n") - 1 == len(read.entries)
        assert ENTRIES[: len(read.entries)] == read.entries
        assert bool(read.note) == (not whole[:length].endswith(b"\n"))


def test_trailing_zeros_after_a_power_cut_are_ignored(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + bytes(512))
    read = journal.read(path)
    assert read.entries == ENTRIES
    assert read.note == "line 8 was cut off and is left out"


@pytest.mark.parametrize("damage", [b"{", b"\xff\xfe", b'{"is":"GameLost","at_ms":1}', b""])
def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path, damage: bytes) -> None:
    path = written(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[3] = damage
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(JournalError, match="line 4"):
        journal.read(path)


@given(data=st.data())
def test_any_changed_byte_is_refused_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = written(tmp_path_factory.mktemp("journal")).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda value: value != whole[place]))
    assume(value or place < len(whole) - 1)  # as a power cut may leave the last line
    changed = whole[:place] + bytes([value]) + whole[place + 1 :]
    with pytest.raises(JournalError) as refused:
        journal.parse(Path("game.jsonl"), changed)
    told = str(refused.value)
    line = whole[:place].count(b"\n") + 1
    assert told.startswith(f"game.jsonl, line {line}") or (line == 1 and "game.jsonl" in told)


def test_lost_doubled_or_moved_lines_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in ([*lines[:3], *lines[4:]], [*lines[:4], *lines[3:]], [*lines[:3], lines[4], lines[3]]):
        path.write_bytes(b"".join(changed))
        with pytest.raises(JournalError, match=r"line [45] is not as it was written.*before it is whole"):
            journal.read(path)
    path.write_bytes(b"".join(lines[:3]))
    assert journal.read(path).entries == ENTRIES[:2]


def test_journals_of_the_first_format_are_read_and_continued_in_it(tmp_path: Path) -> None:
    path = written(tmp_path, ENTRIES[:3], header=dataclasses.replace(HEADER, format=1))
    before = path.read_bytes()
    assert b"crc" not in before
    resumed = Continued(701, "0.1.0", "2026-05-01T20:30:00+02:00")
    with JournalWriter.append(journal.read(path), resumed) as writer:
        writer.write(ENTRIES[3:])
    assert path.read_bytes().startswith(before)
    assert journal.read(path).entries == (*ENTRIES[:3], resumed, *ENTRIES[3:])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not a journal"),
        (b"hello\n", "line 1"),
        (b"[]\n", "is not a journal"),
        (b'{"format":3}\n', "newer Companion"),
        (b'{"format":2}\n', "line 1"),
        (b'{"format":1}\n', "line 1.*with program"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=words):
        journal.read(path)


def test_a_journal_without_entries_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter.create(path, HEADER):
        assert path.exists()
    assert not path.exists()


def test_an_existing_journal_is_never_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="exists already"):
        JournalWriter.create(path, HEADER)
    assert before == path.read_bytes()


def test_a_continued_journal_drops_the_incomplete_line_and_continues(tmp_path: Path) -> None:
    path = written(tmp_path, ENTRIES[:3])
    path.write_bytes(path.read_bytes() + b'{"is":"Mo')
    resumed = Continued(701, "0.1.0", "2026-05-01T20:30:00+02:00")
    with JournalWriter.append(journal.read(path), resumed) as writer:
        writer.write(ENTRIES[3:])
    assert (*ENTRIES[:3], resumed, *ENTRIES[3:]) == journal.read(path).entries


def test_journals_of_the_same_second_have_names_in_order(tmp_path: Path) -> None:
    began = datetime(2026, 5, 1, 20, 59, 59)  # noqa: DTZ001 - only its digits matter
    made = []
    for game in ("gottaz", "close-quarters", "close-quarters"):
        made.append(files.fresh_path(game, began, tmp_path))
        made[-1].touch()
    assert sorted(tmp_path.iterdir()) == made


def test_the_unfinished_game_written_to_last_is_found(tmp_path: Path) -> None:
    began = datetime(2026, 5, 1, 20, 15)  # noqa: DTZ001 - only its digits matter
    names = [files.fresh_path(game, began).name for game in ("close-quarters", "gottaz")]
    written(tmp_path, ENTRIES[:3], f"older_{names[0]}")
    written(tmp_path, ENTRIES[:3], f"newer_{names[0]}")
    written(tmp_path, ENTRIES, f"finished_{names[0]}")
    written(tmp_path, ENTRIES[:3], names[1])
    for age, name in enumerate((names[1], f"finished_{names[0]}", f"newer_{names[0]}", f"older_{names[0]}")):
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    found = files.newest_under_way("close-quarters", tmp_path)
    assert found is not None
    assert found.path.name == f"newer_{names[0]}"


@pytest.mark.parametrize(
    ("entries", "is_under_way"),
    [
        (ENTRIES[:1], False),
        (ENTRIES[:2], True),
        (ENTRIES, False),
        ((*ENTRIES, GameBegan(950, "start")), True),
        ((*ENTRIES[:2], CommandEntry(6, NewGame())), False),
        ((*ENTRIES[:2], CommandEntry(6, NewGame()), GameBegan(9, "start")), True),
    ],
)
def test_a_game_is_under_way_from_its_beginning_to_its_end_or_the_next_set_up(
    tmp_path: Path, entries: tuple[Entry, ...], is_under_way: bool
) -> None:
    assert journal.read(written(tmp_path, entries)).is_under_way == is_under_way


def test_no_game_is_found_if_all_have_ended(tmp_path: Path) -> None:
    written(tmp_path, ENTRIES, "x_close-quarters.jsonl")
    assert files.newest_under_way("close-quarters", tmp_path) is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot be written"):
        JournalWriter.create(tmp_path / "file" / "game.jsonl", HEADER)


def test_entries_held_back_by_a_full_disk_are_written_in_order_later(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="only POSIX can make a disk small")
    path = tmp_path / "game.jsonl"
    with JournalWriter.create(path, HEADER) as writer:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 11, hard))
        try:
            writer.write(ENTRIES)
            writer.sync()
            told, safe = writer.fault, writer.safe_bytes
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        writer.write(ENTRIES[:1])
        writer.sync()
        assert "cannot be written: File too large" in told
        assert (writer.fault, safe < writer.safe_bytes) == ("", True)
    assert journal.read(path).entries == (*ENTRIES, ENTRIES[0])


def test_the_waits_of_a_game_are_written_in_full_so_that_changed_defaults_do_not_affect_replays(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, header=dataclasses.replace(HEADER, format=1))
    head, _, rest = path.read_text().partition("\n")
    header = json.loads(head)
    assert header["timing"] == dataclasses.asdict(DEFAULT_TIMING)
    path.write_text(json.dumps({**header, "timing": {"rest_ms": 80}}) + "\n" + rest)
    was = journal.read(path).header.timing
    assert (was.rest_ms, was.dwell_emptied_ms, was.longest_ms) == (80, 1200, 2400)

# SPDX-License-Identifier: Apache-2.0
"""Text in the encodings that lists have."""

from __future__ import annotations

import codecs
from datetime import UTC, datetime
from random import Random

import pytest

from companion.model.reading import Note, decoded

NAMES = "Ana Müller;1800\nJosé Núñez;1750\nZoë Ångström;1700\n"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (NAMES.encode(), []),
        (NAMES.encode("utf-8-sig"), []),
        (NAMES.encode("utf-16"), []),
        (codecs.BOM_UTF16_BE + NAMES.encode("utf-16-be"), []),
        (NAMES.encode("utf-16-le"), []),
        (NAMES.encode("utf-16-be"), []),
        (NAMES.encode("cp1252"), [0]),
        (NAMES.encode("latin-1"), [0]),
        ("".join(NAMES.splitlines(keepends=True)[:2]).encode() + "Zoë Ångström;1700\n".encode("cp1252"), [3]),
    ],
    ids=["utf-8", "mark", "utf-16", "big end first", "no mark", "big, no mark", "cp1252", "latin-1", "mixed"],
)
def test_the_text_of_a_list_is_found_whatever_encoding_it_has(content: bytes, lines: list[int]) -> None:
    found = decoded(content)
    assert found.value == NAMES
    assert [note.line for note in found.notes] == lines


def test_another_encoding_can_be_the_usual_one() -> None:
    assert decoded("Łukasz".encode("cp1250"), "cp1250").value == "Łukasz"
    assert decoded(b"\x81 is no letter").value == "\x81 is no letter"


def test_any_bytes_are_text_with_as_many_lines() -> None:
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    chance = Random(seed)
    for _ in range(200):
        lines = [bytes(chance.choices(range(1, 256), k=chance.randint(0, 9))) for _ in range(5)]
        content = b"x;" + b"\n".join(line.replace(b"\n", b"") for line in lines)
        found = decoded(content)
        assert found.value.count("\n") == 4, (seed, content)
        assert all(0 <= note.line <= 5 for note in found.notes)


def test_letters_that_are_lost_are_named() -> None:
    assert [
        note.line for note in decoded(codecs.BOM_UTF16_LE + "a\n".encode("utf-16-le") + b"\x00").notes
    ] == [2]


def test_a_note_names_its_line() -> None:
    (note,) = decoded("Müller".encode("cp1252")).notes
    assert note.sentence() == "it is not in Unicode; read as cp1252"
    assert Note(3, note.what).sentence() == "line 3: it is not in Unicode; read as cp1252"

# SPDX-License-Identifier: Apache-2.0
"""The generator refuses contradictory tables; its fingerprint follows every relevant change."""

from __future__ import annotations

import pytest

from firmware.generate import SOURCE
from firmware.generator.schema import SchemaError, read_schema

TEXT = SOURCE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("id = 0x02", "id = 0x01", "message ids"),
        ("id = 0x3F", "id = 0x60", "outside"),
        ("id = 0xF1", "id = 0x71", "outside"),
        ('{ name = "dt_ms", type = "u8"', '{ name = "dt_ms", type = "u9"', "u9"),
        ('{ name = "dt_ms", type = "u8"', '{ name = "input", type = "u8"', "given twice"),
        ('tail = { name = "edges", type = "Edge" }', 'tail = { name = "edges", type = "Edgy" }', "Edgy"),
        ("BROWN_OUT = 3", "BROWN_OUT = 1", "ResetCause"),
    ],
)
def test_contradiction_is_refused_by_name(old: str, new: str, complaint: str) -> None:
    assert old in TEXT
    with pytest.raises(SchemaError, match=complaint):
        read_schema(TEXT.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{ name = "dt_ms", type = "u8"', '{ name = "dt_ms", type = "u16"'),
        ("id = 0x3F", "id = 0x3E"),
        ("BROWN_OUT = 3", "BROWN_OUT = 9"),
        ("echo", "parrot"),
    ],
)
def test_fingerprint_changes_with_the_wire(old: str, new: str) -> None:
    assert old in TEXT
    assert read_schema(TEXT.replace(old, new)).fingerprint != read_schema(TEXT).fingerprint


def test_fingerprint_does_not_change_with_words() -> None:
    words = TEXT.replace("The chip, or its replacement.", "The processor.")
    assert words != TEXT
    assert read_schema(words).fingerprint == read_schema(TEXT).fingerprint

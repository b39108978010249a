# SPDX-License-Identifier: Apache-2.0
"""The strict reader accepts valid files; errors name file, table and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.errors import SettingsError
from companion.model.toml import build, parse, text_of, write


@dataclass(frozen=True)
class Inner:
    size_mm: float
    kind: Literal["reed", "hall"] = "reed"


@dataclass(frozen=True)
class Flat:
    inner: Inner
    board_cells: int
    board_size_mm: float = 50.0


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    order: tuple[int, ...] = ()
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.name == "":
            raise ValueError("a name has at least one letter")


def read(text: str) -> Outer:
    return build(Outer, parse(text, "x.toml"), "x.toml")


def test_a_valid_text_becomes_the_value() -> None:
    text = 'name = "a"\norder = [3, 1]\nlimit = 4\n[inner]\nsize-mm = 50\nkind = "hall"\n'
    assert read(text) == Outer("a", Inner(50.0, "hall"), (3, 1), 4)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name = ", ["x.toml", "not TOML"]),
        ('name = "a"\n[inner]\nsize_mm = 1\ncolour = 2\n', ["x.toml", "'inner.colour'", "kind, size_mm"]),
        ('name = "a"\n[inner]\n', ["x.toml", "'size_mm'", "inner"]),
        ("[inner]\nsize_mm = 1\n", ["x.toml", "'name'", "the top table"]),
        ("name = 3\n[inner]\nsize_mm = 1\n", ["x.toml", "name", "str", "3"]),
        ('name = "a"\n[inner]\nsize_mm = 1\nkind = "wire"\n', ["inner.kind", "'wire'", "reed, hall"]),
        ('name = "a"\norder = [1, "b"]\n[inner]\nsize_mm = 1\n', ["order[1]", "int", "'b'"]),
        ('name = "a"\norder = 1\n[inner]\nsize_mm = 1\n', ["order", "an array"]),
        ('name = "a"\nlimit = true\n[inner]\nsize_mm = 1\n', ["limit", "int", "True"]),
        ('name = ""\n[inner]\nsize_mm = 1\n', ["x.toml", "at least one letter"]),
    ],
)
def test_an_error_names_the_invalid_value(text: str, names: list[str]) -> None:
    with pytest.raises(SettingsError) as fault:
        read(text)
    for name in names:
        assert name in str(fault.value)


def test_a_field_may_be_a_key_of_a_table() -> None:
    found = Flat(Inner(1.0), 64, 40.0)
    for text in ("[board]\ncells = 64\nsize-mm = 40", "board-cells = 64\nboard.size_mm = 40"):
        whole = f"{text}\n[inner]\nsize_mm = 1\n"
        assert build(Flat, parse(whole, "x.toml"), "x.toml") == found
    for text, reason in (
        ("[board]\ncells = 1.5", r"board\.cells must be of type int"),
        ("[board]\ncolour = 2", r"unknown key 'board\.colour'; known here: cells, size_mm"),
        ("[boards]\ncells = 64", r"unknown key 'boards'; known here: board_cells, board_size_mm, inner"),
        ("board = 2", r"unknown key 'board'"),
    ):
        with pytest.raises(SettingsError, match=reason):
            build(Flat, parse(text, "x.toml"), "x.toml")


def test_only_a_small_file_is_read(tmp_path: Path) -> None:
    """An option can name any file; a device file could block or fill the memory."""
    (tmp_path / "large").write_bytes(bytes(1 << 21))
    for path, reason in (
        (tmp_path / "large", "larger than"),
        (tmp_path, "not a file"),
        (tmp_path / "none", "No such"),
    ):
        with pytest.raises(SettingsError, match=f"{path.name} cannot be read: .*{reason}"):
            text_of(path)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
inners = st.builds(Inner, st.floats(allow_nan=False), st.sampled_from(["reed", "hall"]))


@dataclass(frozen=True)
class Rich:
    one: Inner
    many: tuple[Inner, ...]
    named: Mapping[str, float]
    rows: tuple[tuple[str, bool], ...]
    note: str | None = None


@given(
    st.builds(
        Rich,
        inners,
        st.lists(inners, max_size=3).map(tuple),
        st.dictionaries(texts, st.floats(allow_nan=False), max_size=3),
        st.lists(st.tuples(texts, st.booleans()), max_size=3).map(tuple),
        st.none() | texts,
    )
)
def test_a_written_value_is_read_back(rich: Rich) -> None:
    assert build(Rich, parse(write(rich), "x.toml"), "x.toml") == rich

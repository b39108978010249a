# SPDX-License-Identifier: Apache-2.0
"""The strict reader takes what fits and names file, table and key of what does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from companion.model.errors import SettingsError
from companion.model.toml import build, parse


@dataclass(frozen=True)
class Inner:
    size_mm: float
    kind: Literal["reed", "hall"] = "reed"


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


def test_a_fitting_text_becomes_the_value() -> None:
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
def test_what_does_not_fit_is_named(text: str, names: list[str]) -> None:
    with pytest.raises(SettingsError) as fault:
        read(text)
    for name in names:
        assert name in str(fault.value)

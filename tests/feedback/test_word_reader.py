# SPDX-License-Identifier: Apache-2.0
"""The reader accepts a valid word file; an error names file, table and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.feedback.template import Noun
from companion.feedback.word_reader import read
from companion.feedback.wordfiles import grammar
from companion.model.errors import SettingsError


@dataclass(frozen=True)
class Shop:
    """The content of a file in these tests."""

    signs: Mapping[str, str]
    goods: Mapping[str, Noun]


GOOD = """
[signs]
open = "{count} {count?loaf|loaves} of {weight:1} kg"
[goods]
bread = { name = "bread", the = "the bread" }
"""


def test_a_file_becomes_its_dataclass(tmp_path: Path) -> None:
    file = tmp_path / "en.toml"
    file.write_text(GOOD, encoding="utf-8")
    shop = read(Shop, file, grammar("en"))
    assert shop.signs["open"].startswith("{count}")
    assert shop.goods["bread"] == Noun("bread", the="the bread")


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("[signs]", "[sign]", "unknown key 'sign'"),
        ("[signs]", "[signs", "this is not TOML"),
        ("loaf|loaves", "loaf", "signs.open: .*needs 2 plural forms"),
        ("{weight:1}", "{weight", "signs.open: .*brace that opens no gap"),
        (', the = "the bread"', "", "goods.bread has no form 'the'"),
        ('open = "', 'shut = 3\nopen = "', "signs.shut must be of type str"),
        ("{ name", "{ title", "unknown key 'goods.bread.title'"),
    ],
)
def test_an_error_names_its_file_and_key(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    file = tmp_path / "en.toml"
    file.write_text(GOOD.replace(right, wrong), encoding="utf-8")
    with pytest.raises(SettingsError, match=rf"en\.toml: .*{complaint}|en\.toml: {complaint}"):
        read(Shop, file, grammar("en"))


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml cannot be read"):
        read(Shop, tmp_path / "none.toml", grammar("en"))

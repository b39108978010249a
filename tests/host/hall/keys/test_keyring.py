# SPDX-License-Identifier: Apache-2.0
"""Key files are created once, readable by their user only, and replaced atomically."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from companion.host.hall.keys.keyring import HallKeys, TableKey
from companion.host.hall.keys.message_auth import key_of
from companion.model.errors import SettingsError

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such file modes")


def modes(folder: Path) -> set[str]:
    return {oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}


def test_a_hall_creates_its_secret_once(tmp_path: Path) -> None:
    first = HallKeys(tmp_path / "keys", "club")
    assert HallKeys(tmp_path / "keys", "club").key("red") == first.key("red")
    assert HallKeys(tmp_path / "others", "club").key("red") != first.key("red")
    assert HallKeys(tmp_path / "keys", "other").key("red") != first.key("red"), "each hall has its own"
    with pytest.raises(SettingsError, match="no hall third was started here"):
        HallKeys(tmp_path / "keys", "third", may_make=False)
    assert HallKeys(tmp_path / "keys", "club", may_make=False).key("red") == first.key("red")
    before = first.key("red"), first.key("blue")
    first.renew("red")
    assert first.key("red") != before[0]
    assert first("red") == first.key("red").encode()
    again = HallKeys(tmp_path / "keys", "club")
    assert (again.key("red"), again.key("blue")) == (first.key("red"), before[1])


def test_a_given_secret_is_used_and_its_keys_can_be_renewed(tmp_path: Path) -> None:
    given = "a secret of sixteen letters or more"
    keys = HallKeys(tmp_path / "keys", "club", given)
    assert keys.key("red") == key_of(given, "red")
    keys.renew("red")
    assert HallKeys(tmp_path / "keys", "club", given).key("red") == key_of(given, "red", 1)
    with pytest.raises(SettingsError, match="16 letters at least"):
        HallKeys(tmp_path / "keys", "club", "short")
    assert given not in (tmp_path / "keys" / "hall-club.json").read_text()


def test_a_table_keeps_its_key_for_each_hall(tmp_path: Path) -> None:
    kept = TableKey(tmp_path / "keys", "club/1", "red")
    assert kept.read() is None
    kept.keep("one")
    TableKey(tmp_path / "keys", "other", "red").keep("two")
    assert TableKey(tmp_path / "keys", "club/1", "red").read() == "one"
    kept.keep("three")
    assert kept.read() == "three"
    assert len(list((tmp_path / "keys").iterdir())) == 2


@posix
def test_key_files_are_private_and_readable_ones_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    HallKeys(folder, "club")
    TableKey(folder, "club", "red").keep("one")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes(folder) == {"0o600"}
    for path in folder.iterdir():
        path.chmod(0o640)
    with pytest.raises(SettingsError, match=r"other users may read the key .* chmod 600"):
        HallKeys(folder, "club")
    with pytest.raises(SettingsError, match="other users may read the key"):
        TableKey(folder, "club", "red").read()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"secret": "x"}', '{"secret": "x", "renewed": {"red": "often"}}']
)
def test_a_damaged_secret_is_named_and_not_replaced(text: str, tmp_path: Path) -> None:
    HallKeys(tmp_path, "club")
    (tmp_path / "hall-club.json").write_text(text)
    with pytest.raises(SettingsError, match=r"hall-club\.json is damaged: restore it"):
        HallKeys(tmp_path, "club")
    assert (tmp_path / "hall-club.json").read_text() == text


@posix
def test_a_key_that_cannot_be_written_is_named_and_the_old_one_stays(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be")
    with pytest.raises(SettingsError, match="cannot be"):
        TableKey(tmp_path / "keys", "club", "red").keep("one")
    keys = HallKeys(tmp_path / "well", "club")
    before = keys.key("red")
    (tmp_path / "well" / "hall-club.json").unlink()
    (tmp_path / "well").rmdir()
    (tmp_path / "well").write_text("a file where the folder should be")
    with pytest.raises(SettingsError, match=r"hall-club\.json cannot be kept"):
        keys.renew("red")
    assert keys.key("red") == before

# SPDX-License-Identifier: Apache-2.0
"""Stores, journals and copies are unreadable for other users of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.host.doctor.probe import write_fault
from companion.host.hall.book_lock import held
from companion.host.hall.core.journal_copies import copies_folder
from companion.host.hall.core.journal_sync import JournalFolder
from companion.host.journal import files
from companion.host.journal.journal import JournalWriter
from companion.host.records.database import connect, default_url
from tests.host.tables import HEADER

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="file modes exist on POSIX only; elsewhere a user's data are private"
)


@pytest.fixture(autouse=True, params=[0o000, pytest.param(0o022, marks=pytest.mark.long), 0o077])
def umask(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modes of created files must not depend on the umask."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    before = os.umask(request.param)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    """Entries of *folder* that others may access, with their modes."""
    return {str(each): oct(each.stat().st_mode) for each in folder.rglob("*") if each.stat().st_mode & 0o077}


def test_the_store_and_all_files_beside_it_are_private(tmp_path: Path) -> None:
    for url in (None, f"sqlite:///{tmp_path}/data/deep/below/store.sqlite"):
        db = connect(url)
        with held(db), db.writing() as transaction:
            transaction.execute("CREATE TABLE more (one TEXT)")
            made = [each.name for each in (tmp_path / "data").rglob("*.sqlite*")]
            assert any(name.endswith("-wal") for name in made), made
            assert any("-held" in name for name in made), made
            assert open_to_others(tmp_path / "data") == {}
        db.close()


def test_journals_and_copies_of_them_are_private(tmp_path: Path) -> None:
    with JournalWriter.create(files.folder() / "red" / "game.jsonl", HEADER):
        assert (files.folder() / "red" / "game.jsonl").exists()
        for is_lazy in (False, True):
            copies = JournalFolder(copies_folder() / f"green {is_lazy}", is_lazy=is_lazy)
            copies.append("game.jsonl", b"{}\n")
            copies.make_safe()
        assert write_fault(files.folder() / "blue") == ""
        assert len(list((tmp_path / "data").rglob("*.jsonl"))) == 3
        assert open_to_others(tmp_path / "data") == {}


def test_files_of_older_versions_in_our_folders_are_made_private(tmp_path: Path) -> None:
    store = Path(default_url().removeprefix("sqlite:///"))
    for folder in (files.folder() / "red", store.parent):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    store.touch()
    store.chmod(0o644)
    connect(None).close()
    with JournalWriter.create(files.folder() / "red" / "game.jsonl", HEADER):
        ours = tmp_path / "data" / "companion"
        assert {str(ours): oct(ours.stat().st_mode)} | open_to_others(ours) == {str(ours): "0o40700"}


def test_deliberately_shared_files_elsewhere_stay_shared(tmp_path: Path) -> None:
    shared = tmp_path / "club"
    shared.mkdir()
    shared.chmod(0o770)
    store = shared / "store.sqlite"
    connect(f"sqlite:///{store}").close()
    assert oct(store.stat().st_mode) == "0o100600"
    store.chmod(0o660)
    connect(f"sqlite:///{store}").close()
    assert (oct(shared.stat().st_mode), oct(store.stat().st_mode)) == ("0o40770", "0o100660")


def test_created_files_are_private(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    words = ["hall", "admit", "Ana", "--password", "hall of mirrors"]
    subprocess.run([sys.executable, "-m", "companion", *words], env=environment, check=True, stdout=-3)
    assert (tmp_path / "data" / "companion" / "records.sqlite").exists()
    assert open_to_others(tmp_path / "data") == {}

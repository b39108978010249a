# SPDX-License-Identifier: Apache-2.0
"""Settings are read strictly: what is not understood is named with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host import settings
from companion.host.settings import PageSettings, Settings
from companion.model.errors import SettingsError


def file_with(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text)
    return path


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert settings.read(tmp_path / "none.toml") == Settings()


def test_what_is_set_is_read_and_the_rest_has_its_default(tmp_path: Path) -> None:
    path = file_with(tmp_path, 'language = "de"\nport = "auto"\n\n[page]\nport = 8080\nbrowser = false\n')
    assert settings.read(path) == Settings("de", "auto", page=PageSettings(port=8080, browser=False))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '# mine\nlangage = "de"\n',
            "settings.toml, line 2: unknown key 'langage'; known here: broken, camera, clock, gestures, lamps, language, page",
        ),
        (
            "[page]\n\nprot = 1\n",
            "settings.toml, line 3: unknown key 'page.prot'; known here: address, browser",
        ),
        ('lamps = "dim"\n', "settings.toml, line 1: lamps is 'dim'; allowed: off, quiet, full"),
        ("language = 7\n", "settings.toml, line 1: language must be of type str, not 7"),
        ('language = "de"\n[page]\nport = 70000\n', "line 3: page: port is 70000; ports go from 0 to 65535"),
        ("\n\n[pages]\nport = 1\n", "settings.toml, line 4: unknown key 'pages'"),
        ("\n[pages]\n", "settings.toml, line 2: unknown key 'pages'"),
        ("language = de\n", "this is not TOML: Invalid value (at line 1, column 12)"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        settings.read(file_with(tmp_path, text))
    assert says in str(raised.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"settings\.toml cannot be read"):
        settings.read(path)

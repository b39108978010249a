# SPDX-License-Identifier: Apache-2.0
"""Settings are read strictly; errors name file, line and key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.host import settings
from companion.host.settings import PageSettings, Settings
from companion.model.errors import SettingsError
from companion.referee.values.timing import DEFAULT_TIMING


def file_with(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text)
    return path


def test_everything_has_its_default_without_a_file(tmp_path: Path) -> None:
    assert settings.read(tmp_path / "none.toml") == Settings()


def test_given_settings_are_read_and_the_rest_has_its_default(tmp_path: Path) -> None:
    path = file_with(tmp_path, 'language = "de"\nport = "auto"\n\n[page]\nport = 8080\nbrowser = false\n')
    assert settings.read(path) == Settings("de", "auto", page=PageSettings(port=8080, browser=False))


def test_missing_waits_have_their_defaults(tmp_path: Path) -> None:
    path = file_with(tmp_path, "[waits]\nrest-ms = 600\nhint_ms = 900\ndwell_ms = 900\n")
    slow = replace(DEFAULT_TIMING, rest_ms=600, hint_ms=900, dwell_ms=900)
    assert settings.read(path) == Settings(waits=slow)
    assert ("waits.hint_ms", "900") in settings.flat(settings.read(path))
    assert settings.read(file_with(tmp_path, "[waits]\n")) == Settings()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '# mine\nlangage = "de"\n',
            "settings.toml, line 2: unknown key 'langage'; known here: board_service, boards, broken, camera, clock, costs, engine, gestures, lamps, language, page",
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
        (
            "[waits]\ndwell = 900\n",
            "settings.toml, line 2: unknown key 'waits.dwell'; known here: dwell_emptied_ms",
        ),
        ("[waits]\nhint_ms = 0.5\n", "settings.toml, line 2: waits.hint_ms must be of type int, not 0.5"),
        ("waits = 900\n", "settings.toml, line 1: waits must be a table, not 900"),
        (
            "[waits]\nrest_ms = 12\n",
            "settings.toml, line 2: waits.rest_ms is 12; it must be at least 13, for a contact that bounces",
        ),
        (
            "[waits]\n\nlongest-ms = 5001\n",
            "settings.toml, line 3: waits.longest_ms is 5001; it must be at most 5000, since no hand",
        ),
        (
            "[waits]\nhint_ms = 800\n",
            "settings.toml, line 2: waits.hint_ms is 800, but waits.dwell_ms, which must not be shorter, is 700: "
            "lower waits.hint_ms or raise waits.dwell_ms",
        ),
        (
            "[waits]\ndwell_ms = 400\nhint_ms = 450\n",
            "settings.toml, line 3: waits.hint_ms is 450, but waits.dwell_ms, which must not be shorter, is 400",
        ),
        (
            "[waits]\nlongest_ms = 900\n",
            "settings.toml, line 2: waits.dwell_emptied_ms is",
        ),
        ("waits = { rest_ms = -1 }\n", "settings.toml: waits.rest_ms is -1; it must be at least 13"),
        ("language = de\n", "this is not TOML: Invalid value (at line 1, column 12)"),
    ],
)
def test_an_invalid_setting_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        settings.read(file_with(tmp_path, text))
    assert says in str(raised.value)


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"settings\.toml cannot be read"):
        settings.read(path)

# SPDX-License-Identifier: Apache-2.0
"""Command-line errors are shown in the language of `--language` or of the settings."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from calibration import __main__ as calibration
from companion.cli.main import main

GERMAN = 'language = "de"\n'


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the settings, which does not exist yet."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    file = tmp_path / "companion" / "settings.toml"
    file.parent.mkdir()
    return file


CASES = [
    (["rules", "ludo"], 2, "there is no game 'ludo'; there are", "Das Spiel 'ludo' gibt es nicht"),
    (["rules", "ches"], 2, "Did you mean 'chess'?", "War 'chess' gemeint?"),
    (["record", "0"], 2, "`companion record` is now `companion tools film`", "heißt jetzt `companion tools"),
    (["help", "foo"], 2, "there is no topic 'foo'", "Das Thema 'foo' gibt es nicht"),
    (["records", "replay", "no.jsonl"], 1, "no.jsonl cannot be read: No such", "nicht zu lesen: Datei"),
    (
        ["play", "chess", "--profile", "kitchen"],
        2,
        "--profile: a profile belongs to a camera",
        "--profile: Ein Profil gehört zu einer Kamera",
    ),
    (
        ["play", "chess", "--resume", "--clock", "5+3"],
        2,
        "--clock: a resumed game keeps the options",
        "--clock: Eine fortgesetzte Partie behält die Optionen",
    ),
    (["doctor", "--profile", "kitchen"], 2, "name it with --game", "mit --game nennen"),
    (["records", "import", "no.pgn"], 1, "no.pgn cannot be read", "nicht zu lesen"),
    (["doctor", "--camera", "97"], 1, "companion: there is no camera 97", "Die Kamera 97 gibt es nicht"),
]


@pytest.mark.parametrize(
    ("words", "code", "english", "german"), CASES, ids=[" ".join(each[0]) for each in CASES]
)
def test_an_error_is_shown_in_the_language_of_the_settings(
    words: list[str],
    code: int,
    english: str,
    german: str,
    settings: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(words) == code
    assert english in " ".join(capsys.readouterr().err.split())
    settings.write_text(GERMAN, encoding="utf-8")
    assert main(words) == code
    assert german in " ".join(capsys.readouterr().err.split())


def test_a_taken_port_is_reported_with_its_reason_in_the_language_of_the_command(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = ["play", "chess", "--no-browser", "--http-address", "127.0.0.1", "--http-port", port]
        assert main(command) == 1
        assert "Address already in use. Stop the other program" in " ".join(capsys.readouterr().err.split())
        assert main([*command, "--language", "de"]) == 1
        assert "schon vergeben. Das andere" in " ".join(capsys.readouterr().err.split())
    assert main(["play", "chess", "--no-browser", "--http-address", "192.0.2.1", "--http-port", "0"]) == 1
    assert "Name an address of this machine" in " ".join(capsys.readouterr().err.split())


def test_the_language_option_overrides_the_settings(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(GERMAN, encoding="utf-8")
    assert main(["rules", "ludo", "--language", "fr"]) == 2
    assert "Il n’y a pas de jeu 'ludo'" in capsys.readouterr().err
    assert main(["rules", "ludo", "--language", "en"]) == 2
    assert "there is no game 'ludo'" in capsys.readouterr().err


def test_an_unknown_language_is_reported_in_that_of_the_settings(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(GERMAN, encoding="utf-8")
    assert main(["rules", "chess", "--language", "enn"]) == 2
    assert "Die Sprache 'enn' gibt es nicht" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ('lamps = "loud"', "settings.toml, Zeile 2:"),
        ("lamps = ", "kein TOML"),
    ],
)
def test_a_broken_settings_file_is_reported_in_the_language_that_it_names(
    rest: str, said: str, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(GERMAN + rest, encoding="utf-8")
    assert main(["settings", "show"]) == 1
    assert said in " ".join(capsys.readouterr().err.split())


def test_an_error_keeps_its_square_brackets(
    settings: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["records", "import", "[bold].pgn"]) == 1
    assert "[bold].pgn cannot be read" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["calibration", "camera", "photos", "--game", "[bold]"])
    assert calibration.main() == 2
    assert "calibration: there is no game '[bold]'" in capsys.readouterr().err


def test_calibration_reports_errors_in_the_language_of_its_option(
    settings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(GERMAN, encoding="utf-8")
    for option, said in (
        (["--language", "es"], "No hay ningún juego 'ludo'"),
        ([], "Das Spiel 'ludo' gibt es nicht"),
    ):
        monkeypatch.setattr(sys, "argv", ["calibration", "camera", "photos", "--game", "ludo", *option])
        assert calibration.main() == 2
        assert said in capsys.readouterr().err

# SPDX-License-Identifier: Apache-2.0
"""The command line lists what there is and says what it did not understand."""

from __future__ import annotations

import subprocess
import sys

import pytest

from companion import __version__
from companion.cli import main


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert f"companion {__version__}\n" == capsys.readouterr().out


def test_python_m_companion_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "companion", "--version"], capture_output=True, text=True, check=True
    )
    assert f"companion {__version__}\n" == done.stdout


def test_all_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    assert "close-quarters" in capsys.readouterr().out


def test_a_games_options_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "close-quarters"]) == 0
    out = capsys.readouterr().out
    assert "mace_path" in out
    assert "straight-first, either" in out


def test_an_unknown_game_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "ludo"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "companion: there is no game 'ludo'; there are " in captured.err


@pytest.mark.parametrize("words", [["nonsense"], ["--nonsense"], ["games", "--nonsense"]])
def test_words_that_are_not_understood_end_with_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert "nonsense" in capsys.readouterr().err


def test_without_a_word_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "play close-quarters" in capsys.readouterr().out

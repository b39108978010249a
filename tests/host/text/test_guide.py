# SPDX-License-Identifier: Apache-2.0
"""The user guide has a short text for every topic, with generated tables."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.feedback.lights import Meaning, legend
from companion.feedback.wordfiles import languages
from companion.host.settings import Settings, flat, read
from companion.host.text.guide import lamps, text_of, topics
from companion.model.errors import SettingsError

LONGEST = 50
"""Lines; longer texts are not read."""


def test_every_text_is_a_topic_and_every_topic_has_a_text() -> None:
    folder = resources.files("companion.host.text") / "help"
    assert {file.name for file in folder.iterdir()} == {"topics.toml", *(f"{topic}.md" for topic in topics())}


@pytest.mark.parametrize("topic", topics())
def test_a_topic_is_short_and_complete(topic: str) -> None:
    text = text_of(topic)
    assert text.startswith("# ")
    assert len(text.splitlines()) <= LONGEST
    assert "{lamps}" not in text
    assert "{languages}" not in text


def test_topics_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    listed = capsys.readouterr().out
    assert all(topic in listed for topic in topics())
    assert main(["help", "clocks"]) == 0
    assert capsys.readouterr().out == text_of("clocks")


def test_an_unknown_topic_is_answered_with_the_list_of_topics(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "cooking"]) == 2
    assert "there is no topic 'cooking'; there are start, " in capsys.readouterr().err
    with pytest.raises(SettingsError):
        text_of("../words")


def test_the_table_of_lamps_has_every_meaning_with_its_look() -> None:
    table = lamps()
    assert len(legend()) == len(Meaning)
    assert all(f"| {entry.about} |" in table for entry in legend())
    assert "| `*` | the winner's pieces | white, at 12% | steady | yes |" in table
    assert "| `+` | it may go here | blue | steady | no |" in table
    assert "| `=` | the last move came here | pale blue, at 50% | steady | yes |" in table


def test_all_languages_are_named() -> None:
    assert all(f"(`{code}`)" in text_of("languages") for code in languages())


def test_every_setting_is_described() -> None:
    text = text_of("settings")
    for name, _value in flat(Settings()):
        assert f"{name.rpartition('.')[2]} = " in text, name


def test_the_example_settings_are_valid(tmp_path: Path) -> None:
    shown = [line[4:] for line in text_of("settings").splitlines() if line.startswith("    ")]
    file = tmp_path / "settings.toml"
    file.write_text("\n".join(line for line in shown if not line.startswith("companion")))
    assert read(file).waits.dwell_ms == 2000

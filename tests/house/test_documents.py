# SPDX-License-Identifier: Apache-2.0
"""Whatever a document or a topic tells people to type, the program understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host.text.guide import text_of, topics
from tests.house.commands import NotUnderstood, check, named_in

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md")),
]


def text(name: str) -> str:
    return text_of(name) if name in topics() else (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*topics(), *DOCUMENTS])
def test_every_command_with_every_flag_that_is_named_exists(name: str) -> None:
    for command in named_in(text(name)):
        check(command)


@pytest.mark.parametrize(
    "command",
    [
        "companion ply chess",
        "companion play chess --clok 5",
        "companion play ludo",
        "companion play chess -o colour=red",
        "companion records export 3 --as docx",
        "companion help nonsense",
        "python -m calibration reads",
    ],
)
def test_what_does_not_exist_is_found_out(command: str) -> None:
    with pytest.raises(NotUnderstood, match=r"(?i)no such|there is no|is not one of"):
        check(command)


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    document = "See `companion games`.\n\n```sh\ncompanion play chess   # a game\n```\n\n    companion demo\n"
    assert named_in(document) == ["companion demo", "companion games", "companion play chess"]


def test_the_readme_names_commands_at_all() -> None:
    assert len(named_in(text("README.md"))) > 10
    assert sum(len(named_in(text_of(topic))) for topic in topics()) > 40

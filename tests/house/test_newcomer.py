# SPDX-License-Identifier: Apache-2.0
"""What CONTRIBUTING.md has newcomers do works in a fresh copy of the source."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from companion.feedback.wordfiles import languages

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The parts of the source that newcomers change and run."""
    for part in ("companion", "calibration", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    """What `python` with *arguments* prints in *folder*, whose code it runs."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    ended = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def lines_of(section: str) -> list[tuple[str, bool]]:
    """The commands of a *section* of the guide, and whether it says that they fail."""
    text = GUIDE.split(f"## {section}\n")[1].split("\n## ")[0]
    lines = [line.partition("   #") for block in blocks(text, "sh") for line in block.splitlines()]
    return [(command.strip(), remark.startswith(" fails")) for command, _, remark in lines]


def blocks(section: str, language: str) -> list[str]:
    """The code of *language* in a *section*, also in its lists."""
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", section, flags=re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(code) for code in found]


def obey(folder: Path, section: str) -> list[str]:
    """Run the commands of a *section*; what each printed."""
    python = Path(sys.executable)
    said = []
    for line, fails in lines_of(section):
        words = (
            line.replace("companion ", f"{python} -m companion ", 1)
            if line.startswith("companion ")
            else line
        )
        words = words.replace("python ", f"{python} ", 1) if words.startswith("python ") else words
        environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "COLUMNS": "200",
        }
        ended = subprocess.run(
            ["bash", "-c", words], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert (ended.returncode != 0) == fails, f"{line}: {ended.stdout}{ended.stderr}"
        said.append(ended.stdout)
    return said


OFFERED = """
from companion.cli.main import main
from companion.feedback.wordfiles import languages
from companion.host.start_page.cards import cards

for code in languages():
    main(["rules", "runners", "--language", code])
    print([card["facts"] for card in cards(code) if card["slug"] == "runners"])
"""


def test_the_game_to_copy_becomes_a_game(copy: Path) -> None:
    """The commands of the guide make the game; the first test names what they add.

    Its tests pass, it is played, also by the computer, and every language has its rules and its
    card on the start page.
    """
    _, lacks, *said, tests, computer = obey(copy, "Add a toy game")
    added = [f"companion/feedback/words/{code}/runners.toml" for code in languages()]
    added += [f"tests/games/{name}" for name in ("perft/runners.toml", "playthroughs/runners.txt")]
    assert "\n".join(["runners lacks:", *added]) in lacks
    assert any("a1-a3" in each for each in said)
    for result in (tests, computer):
        assert " passed" in result
        assert "failed" not in result
    offered = run(copy, "-c", OFFERED)
    assert offered.count("reach") >= len(languages())
    assert offered.count("2 × 4") == len(languages())


def test_a_changed_sentence_is_what_players_read(copy: Path) -> None:
    file = copy / "companion" / "feedback" / "rulebooks" / "en" / "close-quarters.toml"
    text = file.read_text(encoding="utf-8")
    before, after = "any number of cells along its file or its rank", "slides along a file or a rank"
    assert before in text
    file.write_text(text.replace(before, after))
    assert f"Spear: {after}" in run(copy, "-m", "companion", "rules", "close-quarters")
    assert " passed" in obey(copy, "Change a sentence")[-1]


def test_a_lamp_meaning_can_be_added(copy: Path) -> None:
    """The blocks of the guide, at the places that it names, and its commands."""
    section = GUIDE.split("## Add a lamp meaning\n")[1].split("\n## ")[0]
    (row,), (member, claim, test) = blocks(section, "toml"), blocks(section, "python")
    (groups,) = blocks(section, "text")
    lights, tests = copy / "companion" / "feedback" / "lights.py", copy / "tests" / "feedback"
    insert(lights, _indented(member), before='    LIFTED_SOURCE = "lifted-source"\n')
    insert(lights, _indented(claim), before="    yield Meaning.LIFTED_SOURCE, view.lifted\n")
    with lights.with_suffix(".toml").open("a", encoding="utf-8") as file:
        file.write("\n" + row)
    insert(tests / "test_lights.py", _indented(groups), before="    (Meaning.FRAME,),\n]\n")
    with (tests / "test_lights.py").open("a", encoding="utf-8") as file:
        file.write("\n\n" + test)
    legend, result = obey(copy, "Add a lamp meaning")
    assert "| this piece may go nowhere |" in legend
    assert " passed" in result


def insert(file: Path, code: str, before: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, code + before), encoding="utf-8")


def _indented(code: str) -> str:
    return textwrap.indent(code, "    ")
